"""The log of links, and the graph that is gathered from it."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random
from threading import Barrier

import msgspec
import numpy as np
import pytest
import zstandard

from gossamer.errors import Damaged
from gossamer.graph.gather import Web, folding, gathered, opened, standing
from gossamer.graph.log import AROUND, CHUNK_MOST, NOFOLLOW, Chunk, LinkLog, chunks
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


def test_a_log_is_read_by_several_at_once(tmp_path: Path) -> None:
    targets = list(range(20_000))
    length = written(tmp_path / "links", dict.fromkeys(range(24), targets), per_chunk=1)
    begun = Barrier(6)

    def read(_: int) -> int:
        begun.wait()
        return sum(len(chunk.targets) for _ in range(2) for chunk in chunks(tmp_path / "links", length))

    with ThreadPoolExecutor(6) as readers:
        assert set(readers.map(read, range(6))) == {2 * 24 * 20_000}


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


A = "http://a.org/"
SITE, ONE, TWO = bytes(8), b"\1\0\0\0", b"\2\0\0\0"
MISSHAPEN: dict[str, list[object]] = {
    "more links than there are": [[A], SITE, b"\xff\xff\xff\xff", bytes(8), b"\0", b"\0", b""],
    "fewer links than there are": [[A], SITE, ONE, bytes(16), b"\0\0", b"\0\0", b""],
    "counts that wrap": [[A, A], SITE * 2, b"\xff\xff\xff\xff\2\0\0\0", bytes(8), b"\0", b"\0", b""],
    "half a count": [[A], SITE, b"\1\0", bytes(8), b"\0", b"\0", b""],
    "half a target": [[A], SITE, ONE, bytes(5), b"\0", b"\0", b""],
    "a site too few": [[A], b"", ONE, bytes(8), b"\0", b"\0", b""],
    "no kinds": [[A], SITE, ONE, bytes(8), b"", b"\0", b""],
    "no lengths": [[A], SITE, ONE, bytes(8), b"\0", b"", b""],
    "a source too few": [[], SITE, ONE, bytes(8), b"\0", b"\0", b""],
    "a source too many": [[A, A], SITE, ONE, bytes(8), b"\0", b"\0", b""],
    "sources that are a text": [A, SITE, ONE, bytes(8), b"\0", b"\0", b""],
    "sources that are numbers": [[1], SITE, ONE, bytes(8), b"\0", b"\0", b""],
    "a source that is no address": [["a"], SITE, ONE, bytes(8), b"\0", b"\0", b""],
    "anchors that are too short": [[A], SITE, ONE, bytes(8), b"\0", b"\5", b"abc"],
    "anchors that are too long": [[A], SITE, ONE, bytes(8), b"\0", b"\1", b"abc"],
    "anchors that are no text": [[A], SITE, ONE, bytes(8), b"\0", b"\1", b"\xff"],
    "an anchor that is half a character": [[A], SITE, TWO, bytes(16), b"\0\0", b"\1\1", "é".encode()],
    "texts for numbers": [[A], "x", "x", "x", "x", "x", "x"],
    "nothing": [],
}


def made(path: Path, *frames: bytes) -> int:
    """A log of frames as somebody else would write them."""
    path.write_bytes(b"".join(b"GSL1" + len(frame).to_bytes(4, "big") + frame for frame in frames))
    return path.stat().st_size


@pytest.mark.parametrize("kind", MISSHAPEN)
def test_a_chunk_whose_columns_do_not_fit_is_damage(tmp_path: Path, kind: str) -> None:
    sound = [[A], SITE, ONE, bytes(8), b"\0", b"\0", b""]
    frames = [zstandard.compress(msgspec.msgpack.encode(each)) for each in (sound, MISSHAPEN[kind])]
    length = made(tmp_path / "links", *frames)
    found = chunks(tmp_path / "links", length)
    assert next(found).sources == [A]
    with pytest.raises(Damaged, match="`gossamer verify DIR --repair` makes the links again"):
        next(found)


def bomb(claim: bool) -> bytes:
    size = 4 * CHUNK_MOST
    packing = zstandard.ZstdCompressor(write_content_size=claim).compressobj(size=size if claim else -1)
    pieces = [packing.compress(bytes(1 << 20)) for _ in range(size >> 20)]
    return b"".join((*pieces, packing.flush()))


def crowd() -> bytes:
    """As many sources as there is room for, and no columns beside them."""
    sources = [b"\xdd" + (CHUNK_MOST // 4).to_bytes(4, "big"), b"\xa2ab" * (CHUNK_MOST // 4)]
    return zstandard.compress(b"\x97" + b"".join(sources) + b"\xc4\0" * 6)


@pytest.mark.parametrize("frame", [bomb(claim=True), bomb(claim=False), crowd()], ids=["said", "not said", "sources"])
def test_a_chunk_that_would_fill_the_memory_is_damage(tmp_path: Path, frame: bytes) -> None:
    length = made(tmp_path / "links", frame)
    tracemalloc.start()
    with pytest.raises(Damaged):
        list(chunks(tmp_path / "links", length))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 3 * CHUNK_MOST


def test_a_log_that_claims_more_than_it_has_is_damage(tmp_path: Path) -> None:
    length = written(tmp_path / "links", {1: [2]})
    for claimed in (length + 1, 1 << 70):
        with pytest.raises(Damaged):
            list(chunks(tmp_path / "links", claimed))
    (tmp_path / "links").write_bytes(b"GSL1\xff\xff\xff\xff")
    os.truncate(tmp_path / "links", 1 << 33)
    with pytest.raises(Damaged):
        list(chunks(tmp_path / "links", 1 << 33))


def test_a_commit_of_very_many_links_is_written_in_several_chunks(tmp_path: Path) -> None:
    words = "w" * 255
    with closing(LinkLog(tmp_path / "links", 0)) as log:
        for page in range(8):
            log.add(url(page), "site", [Link(url(target), words) for target in range(5_000)])
        length = log.write()
    found = list(chunks(tmp_path / "links", length))
    assert len(found) == 2
    assert [source for chunk in found for source in chunk.sources] == [url(page) for page in range(8)]


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
