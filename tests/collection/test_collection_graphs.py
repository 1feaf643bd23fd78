"""The graph of a collection, made by hand: which one counts, what it answers, and what lies in its way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from made_shard import A, B, C, Shard, made, site

from gossamer.collection.ask.consistent_read import Moment
from gossamer.collection.derive import graph_digests, graph_making, graphs, mirrored
from gossamer.collection.derive.graph_making import Copies
from gossamer.collection.derive.graphs import Graph
from gossamer.collection.derive.indexer import Indexer
from gossamer.dedupe.groups import Copy, Group
from gossamer.dedupe.mirrors import Mirrors
from gossamer.errors import Damaged, StorageError
from gossamer.model import Link
from gossamer.urls import keys

NONE = Copies([], [])
LINKS = {A: (Link(B, "the b"), Link(C, "sea")), B: (Link(C, "sea"),), C: ()}


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[Shard]:
    with made(tmp_path / "web") as shard:
        yield shard


def fill(shard: Shard, links: dict[str, tuple[Link, ...]]) -> None:
    with closing(Indexer(shard.place, shard.table, shard.archive, site)) as findable:
        for number, (url, targets) in enumerate(links.items()):
            body = b"%d" % number
            one = shard.keep(url, body, links=targets)
            page = shard.archive.page(url, shard.row(url))
            assert page is not None
            findable.keep(one, page, shard.row(url))
        shard.archive.prepare()
        findable.prepare()
        shard.table.commit()
        findable.finish()


def make(shard: Shard, copies: Copies = NONE) -> Graph:
    graph, _ = graph_making.make(shard.folder, [shard.table], None, copies)
    return graph


def of(*urls: str) -> list[int]:
    return [keys.fingerprint(url) for url in urls]


# ------------------------------------------------------------------------------ answers


def test_a_graph_ranks_names_and_links_its_pages(shard: Shard) -> None:
    fill(shard, LINKS)
    graph = make(shard)
    assert sorted(graph.links()) == [(A, B), (A, C), (B, C)]
    assert [url for url, _ in graph.top(2)] == [C, B]
    assert [(url, graph.linkers(url)) for url, _ in graph.top(3, by_links=True)] == [(C, 2), (B, 1), (A, 0)]
    assert [graph.names.get(each) for each in of(A, B, C)] == [A, B, C]
    assert graph.anchors.get(of(B)[0]) == "the b"
    assert [graph.names.get(each) for each in graph.linking(B)] == [A]
    assert np.all(np.isfinite(graph.values))
    assert graph.changes == sorted(graph.changes, reverse=True)


def test_a_page_that_nobody_has_read_is_no_link_and_not_among_the_best(shard: Shard) -> None:
    fill(shard, {A: (Link(B),)})
    graph = make(shard)
    assert list(graph.links()) == []
    assert [url for url, _ in graph.top(9)] == [A]
    assert len(graph.values) == 2


def test_a_graph_without_pages_knows_nobody(shard: Shard) -> None:
    graph = make(shard)
    assert graph.ranks([1, 2]) == [1.0, 1.0]
    assert (list(graph.links()), graph.top(3), graph.standing(5)) == ([], [], 5)
    assert list(graph.linking(A)) == []
    assert make(shard).ranks([1]) == [1.0]  # and one that begins with the ranks of such a one


def test_whoever_the_graph_does_not_know_ranks_as_usual(shard: Shard) -> None:
    fill(shard, {A: ()})
    graph = make(shard)
    assert graph.ranks([0, 2**64 - 1]) == [1.0, 1.0]


def test_a_rank_that_is_none_counts_as_usual_and_nought_is_a_rank(shard: Shard) -> None:
    fill(shard, LINKS)
    graph = make(shard)
    graph.__dict__["values"] = np.array([0.0, -1.0, np.nan])
    assert graph.ranks(graph.web.nodes.tolist()) == [0.0, 1.0, 1.0]


def test_a_graph_knows_copies_and_mirrors_and_one_from_before_has_none(shard: Shard) -> None:
    fill(shard, {A: ()})
    group = Group(A, (Copy(B, True, 1.0, 0, False, "x"), Copy(C, False, 0.9, 3, False, "y")))
    mirrors = [Mirrors("http://a.test", ("http://b.test",), 9, 8)]
    graph = make(shard, Copies([group], mirrors))
    assert (graph.copies(of(A)[0]), graph.copies(of(B)[0]), graph.mirrors) == ((B, C), (), mirrors)
    assert mirrored.by_host(shard.folder) == {"a.test": ["b.test"]}
    assert list(graphs.check(shard.folder)) == []
    for path in graph.folder.iterdir():
        if path.name.startswith(("copies", "mirrors")):
            path.unlink()
    before = Graph(graph.folder)
    assert (before.copies(of(A)[0]), before.mirrors) == ((), [])


def test_what_stands_for_a_page_is_found_at_either_end_of_the_list(shard: Shard) -> None:
    graph = Graph(shard.place)
    graph.__dict__["_folded"] = np.array([[10, 1], [20, 2], [30, 3]], np.uint64)
    asked = (9, 10, 11, 20, 30, 31)
    assert [graph.standing(each) for each in asked] == [9, 1, 11, 2, 3, 31]


def test_asking_what_pages_are_called_writes_nothing(shard: Shard) -> None:
    fill(shard, LINKS)
    graph = make(shard)
    graph.anchor_index.probe_all()
    with pytest.raises((Damaged, FileNotFoundError)):
        Graph(shard.place / "none").anchor_index  # noqa: B018 # that is the question
    assert not (shard.place / "none").exists()


# ----------------------------------------------------------------------- which one counts


def test_each_graph_takes_the_place_of_the_one_before(shard: Shard) -> None:
    assert graphs.current(shard.folder) is None
    first = make(shard)
    assert (first.folder.name, graphs.current(shard.folder)) == ("000001", first)
    (shard.folder.graph / "000007").mkdir()  # a build was killed
    (shard.folder.graph / "notes").mkdir()
    second = make(shard)
    assert second.folder.name == "000002"
    assert sorted(os.listdir(shard.folder.graph)) == ["000002", "current", "notes"]
    assert (shard.folder.graph / "current").read_text() == "000002\n"


def test_a_graph_that_is_held_is_read_on_when_another_takes_its_place(shard: Shard) -> None:
    fill(shard, LINKS)
    make(shard)
    with closing(Moment()) as moment:
        held = graphs.current(shard.folder, moment)
        assert held is not None
        make(shard)
        assert [url for url, _ in held.top(1)] == [C]
        assert sorted(held.links()) == [(A, B), (A, C), (B, C)]


@pytest.mark.parametrize("name", ["notes", "12345", "000009", "", "../web/graph/000001", "\udcff"])
def test_what_names_no_graph_is_none(shard: Shard, name: str) -> None:
    make(shard)
    for folder in ("notes", "12345"):
        (shard.folder.graph / folder).mkdir()
    (shard.folder.graph / "current").write_bytes(name.encode(errors="surrogateescape"))
    assert graphs.current(shard.folder) is None
    (words,) = graphs.check(shard.folder)
    assert "does not name a graph" in words


def test_before_the_first_build_nothing_is_wrong_with_the_graph(shard: Shard) -> None:
    assert list(graphs.check(shard.folder)) == []


def test_a_first_graph_that_was_not_finished_is_no_damage(shard: Shard, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(shard, LINKS)
    with monkeypatch.context() as killed:
        killed.setattr(graph_digests, "seal", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            make(shard)
    assert list(shard.folder.graph.iterdir())
    assert list(graphs.check(shard.folder)) == []
    make(shard)
    assert list(graphs.check(shard.folder)) == []
    assert len(list(shard.folder.graph.iterdir())) == 2, "one graph, and what names it"
    make(shard)
    assert list(graphs.check(shard.folder)) == []


def test_a_graph_that_is_not_for_us_is_told(shard: Shard, monkeypatch: pytest.MonkeyPatch) -> None:
    make(shard)

    def refused(*_: object) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(graphs.files, "read", refused)
    with pytest.raises(StorageError, match="check its owner and mode"):
        graphs.current(shard.folder)


def test_a_damaged_graph_is_none_and_says_so_once(shard: Shard, caplog: pytest.LogCaptureFixture) -> None:
    fill(shard, LINKS)
    graph = make(shard)
    (graph.folder / "ranks.npy").write_bytes(b"no numbers")
    assert graphs.current(shard.folder) is None
    assert len(caplog.messages) == 1
    assert "ranks.npy" in caplog.messages[0]
    (words,) = graphs.check(shard.folder)
    assert "`gossamer build DIR` makes it again" in words
    assert make(shard).folder.name == "000002"
    assert graphs.current(shard.folder) is not None


def test_a_graph_that_is_replaced_while_it_is_looked_at_is_not_damaged(
    shard: Shard, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    make(shard)
    damage = graphs._damage

    def meanwhile(graph: Graph, *, whole: bool = False) -> str | None:
        monkeypatch.setattr(graphs, "_damage", damage)
        make(shard)
        return "it is gone"

    monkeypatch.setattr(graphs, "_damage", meanwhile)
    found = graphs.current(shard.folder)
    assert found is not None
    assert (found.folder.name, caplog.messages) == ("000002", [])


def rename(graph: Graph, name: bytes) -> None:
    """The only page of a graph gets another name."""
    graphs.lookup.write(graph.folder, graphs.NAMES, [(np.array(of(A), np.uint64), [name])])


@pytest.mark.parametrize(
    ("flaw", "words"),
    [
        (lambda graph: (graph.folder / "mirrors.json").write_text('[["no host", [], 1, 1]]'), "no hosts"),
        (lambda graph: (graph.folder / "mirrors.json").write_text("{"), "cannot be read"),
        (lambda graph: rename(graph, b"no address"), "no addresses"),
    ],
)
def test_what_a_stranger_has_sealed_is_looked_at(shard: Shard, flaw: Any, words: str) -> None:
    fill(shard, {A: ()})
    graph = make(shard, Copies([], [Mirrors("http://a.test", ("http://b.test",), 9, 8)]))
    flaw(graph)
    graph_digests.seal(graph.folder)
    (told,) = graphs.check(shard.folder)
    assert words in told
    assert graphs.current(shard.folder) is None


# ------------------------------------------------------------------------------- making


def test_what_lies_in_the_way_of_a_graph_is_put_aside(shard: Shard) -> None:
    shard.folder.graph.write_bytes(b"mine")
    make(shard)
    aside = shard.folder.path / "damaged"
    assert [path.read_bytes() for path in aside.iterdir()] == [b"mine"]
    for name in ("current", "current.partial"):
        (shard.folder.graph / name).unlink(missing_ok=True)
        (shard.folder.graph / name).mkdir()
    assert make(shard).folder.name == "000002"
    assert len(list(aside.iterdir())) == 3
    make(shard)
    assert len(list(aside.iterdir())) == 3  # what is ours stays


def test_ranks_of_before_are_where_the_next_begin() -> None:
    web: Any = SimpleNamespace(nodes=np.array([1, 2, 3], np.uint64))
    old: Any = SimpleNamespace(ranks=lambda prints: [0.25, 0.0, 4.0])
    begin = graph_making._before(web, old)
    assert begin is not None
    assert begin[[0, 2]].tolist() == [0.25, 4.0]
    assert 0 < begin[1] < 1e-6
    assert graph_making._before(web, None) is None
    assert graph_making._before(SimpleNamespace(nodes=np.array([], np.uint64)), old) is None  # type: ignore[arg-type] # all that is asked of it


@pytest.mark.parametrize(("at_once", "ranges"), [(1, 3), (2, 2), (3, 1), (100, 1)])
def test_anchors_are_gathered_in_as_many_parts_as_they_need(
    shard: Shard, monkeypatch: pytest.MonkeyPatch, at_once: int, ranges: int
) -> None:
    fill(shard, LINKS)
    gather, met = graph_making.anchors.gather, []

    def noted(chunks: Any, place: Path, fold: Any, parts: int) -> None:
        met.append(parts)
        gather(chunks, place, fold, parts)

    monkeypatch.setattr(graph_making.anchors, "ANCHORS_PER_RANGE", at_once)
    monkeypatch.setattr(graph_making.anchors, "gather", noted)
    graph = make(shard)
    assert met == [ranges]
    assert [graph.anchors.get(each) for each in of(B, C)] == ["the b", "sea\nsea"]
