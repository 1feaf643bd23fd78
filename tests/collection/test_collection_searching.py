"""The parts of a search are put together; what is missing is done without, or said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from small_shard import SmallShard, said, small_shard

from gossamer.collection.ask import searching
from gossamer.collection.ask.shard_readers import ShardReader, ShardReaders
from gossamer.collection.derive.graphs import Graph
from gossamer.collection.folder import INDEX, Folder
from gossamer.errors import NotFound
from gossamer.index.entry import Shown
from gossamer.search.bm25f_weights import Weights

A, B = "http://a.test/", "http://b.test/"


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[SmallShard]:
    with small_shard(tmp_path) as made:
        yield made


def shown(url: str, hint: bytes = b"") -> Shown:
    return Shown(url, "", "", None, 0.0, hint)


def texts(shard: SmallShard, *pages: Shown) -> list[str]:
    readers = SimpleNamespace(all=[None, ShardReader(shard.table, lambda: shard.archive)], tables=[])
    return searching.texts(cast(ShardReaders, readers), [(1, page) for page in pages])


def test_a_text_is_where_the_index_says_or_is_looked_up(shard: SmallShard) -> None:
    content = shard.keep(A, said("fish"))[1].content
    shard.commit()
    version = shard.archive.versions.current(A)
    assert version is not None
    assert content
    found = texts(shard, shown("http://moved.test/", version.hint), shown(A), shown(A, b"nowhere"), shown(B))
    assert found == [content, content, content, ""]


def test_texts_that_were_read_last_are_kept_up_to_so_many_characters() -> None:
    read: list[str] = []

    def text_of(pages: Sequence[tuple[int, Shown]]) -> list[str]:
        read.extend(page.url for _, page in pages)
        return [page.url[-3:] for _, page in pages]

    recent = searching.RecentTexts(text_of, most=7)
    one, other, third = ((0, shown(f"http://a.test/{name}")) for name in ("one", "two", "six"))
    assert recent.of([one, other, one]) == ["one", "two", "one"]
    assert recent.of([other, one, (0, shown(one[1].url, b"elsewhere")), (1, one[1])]) == ["two", "one", "one", "one"]
    assert [url[-3:] for url in read] == ["one", "two", "one", "one", "one"]
    del read[:]
    assert recent.of([third, (1, one[1]), other]) == ["six", "one", "two"]
    assert [url[-3:] for url in read] == ["six", "two"]


def test_a_text_that_could_not_be_read_is_looked_for_again() -> None:
    answers = [[""], ["there"]]
    recent = searching.RecentTexts(lambda pages: answers.pop(0))
    assert [recent.of([(0, shown(A))]) for _ in range(3)] == [[""], ["there"], ["there"]]


class Asked:
    """What a searcher was given."""

    def __init__(self, indexes: list[Any], outside: Any, weights: Any) -> None:
        self.indexes, self.outside, self.weights = indexes, outside, weights


@pytest.fixture
def indexed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """Two shards with an index each."""
    folder = Folder(tmp_path)
    for index in range(2):
        place = folder.shard(index) / INDEX
        place.mkdir(parents=True)
        (place / "meta.json").write_text("{}")
    monkeypatch.setattr(searching, "Searcher", Asked)
    monkeypatch.setattr(searching, "ShardIndex", lambda place, writable: (place, writable))
    return folder


def searcher(folder: Folder, graph: object = None) -> Asked:
    readers = cast(ShardReaders, SimpleNamespace(all=[None, None], tables=[]))
    return cast(Asked, searching.searcher(folder, readers, cast(Graph, graph), Weights()))


def test_without_a_graph_all_pages_rank_alike_and_nobody_links_or_copies(indexed: Folder) -> None:
    found = searcher(indexed)
    assert found.indexes == [(indexed.shard(index) / INDEX, False) for index in range(2)]
    assert found.weights == Weights()
    assert found.outside.ranks([1, 2, 3]) == [1.0, 1.0, 1.0]
    assert list(found.outside.linking(A)) == []
    assert found.outside.copies(1) == ()
    assert found.outside.anchor_index is None


def test_with_a_graph_it_is_asked(indexed: Folder) -> None:
    graph = SimpleNamespace(ranks=object(), linking=object(), anchor_index=object(), copies=object())
    outside = searcher(indexed, graph).outside
    assert (outside.ranks, outside.linking) == (graph.ranks, graph.linking)
    assert (outside.anchor_index, outside.copies) == (graph.anchor_index, graph.copies)


@pytest.mark.parametrize("left", ["nothing", "a folder"])
def test_a_shard_without_an_index_is_said(left: str, indexed: Folder) -> None:
    place = indexed.shard(1) / INDEX
    (place / "meta.json").unlink()
    if left == "nothing":
        place.rmdir()
    with pytest.raises(NotFound, match="has no index; `gossamer build"):
        searcher(indexed)
