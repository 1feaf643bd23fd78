"""The log of links, and the graph that is gathered from it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import numpy as np
import pytest

from gossamer.errors import Damaged
from gossamer.graph.gather import Web, folding, gathered, opened, standing
from gossamer.graph.log import AROUND, NOFOLLOW, Chunk, LinkLog, chunks
from gossamer.model import Link
from gossamer.urls import keys


def url(number: int) -> str:
    return f"http://s{number % 7}.org/{number}"


def written(path: Path, pages: dict[int, list[int]], per_chunk: int = 3) -> int:
    log = LinkLog(path, 0)
    for place, (source, targets) in enumerate(pages.items(), 1):
        log.add(url(source), "site", [Link(url(target), f"to {target}") for target in targets])
        if place % per_chunk == 0:
            log.write()
    length = log.write()
    log.close()
    return length


def logged(path: Path, *pages: tuple[str, list[Link]], after: int = 0) -> int:
    """Each page in a chunk of its own; the length of the log."""
    with closing(LinkLog(path, after)) as log:
        for source, links in pages:
            log.add(source, "site", links)
            log.write()
        return log.write()


def edges(web: Web) -> set[tuple[int, int]]:
    targets = np.repeat(np.arange(len(web.nodes)), np.diff(web.arcs.starts))
    sources = web.arcs.sources
    return {(int(web.nodes[s]), int(web.nodes[t])) for s, t in zip(sources, targets, strict=True)}


def prints(*pairs: tuple[int, int]) -> set[tuple[int, int]]:
    return {(keys.fingerprint(url(source)), keys.fingerprint(url(target))) for source, target in pairs}


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    links = [Link("http://b.org/", "Bé", "nofollow"), Link("http://c.org/", content=False)]
    length = logged(tmp_path / "links", ("http://a.org/", links))
    (chunk,) = chunks(tmp_path / "links", length)
    assert chunk.sources == ["http://a.org/"]
    assert chunk.targets.tolist() == [keys.fingerprint("http://b.org/"), keys.fingerprint("http://c.org/")]
    assert chunk.kinds.tolist() == [NOFOLLOW, AROUND]
    assert chunk.anchors == "Bé".encode()
    assert chunk.lengths.tolist() == [3, 0]


def test_what_was_not_committed_is_cut_off(tmp_path: Path) -> None:
    length = written(tmp_path / "links", {1: [2]})
    logged(tmp_path / "links", (url(3), [Link(url(4))]), after=length)
    end = logged(tmp_path / "links", (url(5), []), after=length)
    assert [source for chunk in chunks(tmp_path / "links", end) for source in chunk.sources] == [url(1), url(5)]


def test_an_anchor_is_cut_between_characters(tmp_path: Path) -> None:
    length = logged(tmp_path / "links", (url(1), [Link(url(2), "é" * 200)]))
    (chunk,) = chunks(tmp_path / "links", length)
    assert chunk.anchors.decode() == "é" * 127


def test_a_damaged_log_is_named_with_its_place(tmp_path: Path) -> None:
    length = written(tmp_path / "links", {1: [2], 2: [3]}, per_chunk=1)
    data = bytearray((tmp_path / "links").read_bytes())
    data[len(data) // 2 + 20] ^= 0xFF
    (tmp_path / "links").write_bytes(data)
    with pytest.raises(Damaged, match="at byte"):
        list(chunks(tmp_path / "links", length))


def test_a_link_takes_ten_bytes_at_most(tmp_path: Path) -> None:
    random = Random(2)
    pages = {page: [random.randrange(100_000) for _ in range(60)] for page in range(200)}
    with closing(LinkLog(tmp_path / "links", 0)) as log:
        for source, targets in pages.items():
            log.add(url(source), "site", [Link(url(target)) for target in targets])
        assert log.write() / (200 * 60) < 10


@pytest.mark.parametrize("per_range", [1_000_000, 40])
def test_the_graph_has_each_link_once(tmp_path: Path, per_range: int) -> None:
    random = Random(9)
    pages = {page: [random.randrange(120) for _ in range(8)] for page in range(100)}
    length = written(tmp_path / "links", pages)
    made = gathered(lambda: chunks(tmp_path / "links", length), tmp_path / "graph", links_per_range=per_range)
    expected = prints(*((s, t) for s, targets in pages.items() for t in targets if s != t))
    assert edges(made) == edges(opened(tmp_path / "graph")) == expected
    assert len(made.arcs.sources) == len(expected)
    assert made.nodes.tolist() == sorted(made.nodes.tolist())
    assert int(made.arcs.degrees.sum()) == len(expected)
    assert {path.suffix for path in (tmp_path / "graph").iterdir()} == {".npy"}


def test_a_page_that_was_read_again_has_only_its_new_links(tmp_path: Path) -> None:
    length = logged(tmp_path / "links", (url(1), [Link(url(2)), Link(url(3))]), (url(1), [Link(url(4))]))
    web = gathered(lambda: chunks(tmp_path / "links", length), tmp_path / "graph")
    assert edges(web) == prints((1, 4))


def test_copies_and_redirects_count_for_what_stands_for_them(tmp_path: Path) -> None:
    length = written(tmp_path / "links", {1: [2], 2: [5], 3: [2, 1], 4: []})
    folded = {keys.fingerprint(url(2)): keys.fingerprint(url(4))}
    web = gathered(lambda: chunks(tmp_path / "links", length), tmp_path / "graph", fold=folding(folded))
    assert edges(web) == prints((1, 4), (4, 5), (3, 4), (3, 1))


def test_links_that_nobody_vouches_for_are_left_out(tmp_path: Path) -> None:
    length = logged(tmp_path / "links", (url(1), [Link(url(2), rel="nofollow ugc"), Link(url(3))]))
    assert edges(gathered(lambda: chunks(tmp_path / "links", length), tmp_path / "graph")) == prints((1, 3))


def test_a_collection_without_links_has_an_empty_graph(tmp_path: Path) -> None:
    def none() -> Iterator[Chunk]:
        return iter(())

    web = gathered(none, tmp_path / "graph")
    assert len(web.nodes) == 0
    assert web.number(5) is None


def test_a_node_is_found_by_its_fingerprint(tmp_path: Path) -> None:
    length = written(tmp_path / "links", {1: [2]})
    web = gathered(lambda: chunks(tmp_path / "links", length), tmp_path / "graph")
    assert {web.number(keys.fingerprint(url(n))) for n in (1, 2)} == {0, 1}
    assert web.number(keys.fingerprint(url(3))) is None


def test_redirects_are_followed_to_their_end_and_loops_do_no_harm(tmp_path: Path) -> None:
    with closing(LinkLog(tmp_path / "links", 0)) as log:
        log.fold(url(1), "site", url(2))
        log.fold(url(2), "site", url(3))
        log.fold(url(7), "site", url(8))
        log.fold(url(8), "site", url(7))
        log.fold(url(9), "site", url(3))
        log.add(url(9), "site", [Link(url(1))])
        log.add(url(3), "site", [Link(url(2)), Link(url(9))])
        length = log.write()
    found = standing(chunks(tmp_path / "links", length))
    assert found[keys.fingerprint(url(1))] == found[keys.fingerprint(url(2))] == keys.fingerprint(url(3))
    assert keys.fingerprint(url(9)) not in found
    web = gathered(lambda: chunks(tmp_path / "links", length), tmp_path / "graph", fold=folding(found))
    assert edges(web) == prints((9, 3), (3, 9))
