"""Parts that somebody else has made, with checksums that agree: damage in words, and each can be made again."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

import gossamer
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.derive.graph_digests import seal
from gossamer.errors import Damaged
from gossamer.index.faults import reading
from gossamer.store.table.table import Table
from harness.hostile_collections import VERBS, Web, copied, make, run
from harness.kills import Nest
from harness.seldom import seldom

DEEP = "[" * 100_000 + "]" * 100_000
NESTED = b"\x91" * 5_000 + b"\x90"
INDEX = "shards/00/index"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Web:
    return make(tmp_path_factory.mktemp("sound"))


@pytest.fixture(scope="module")
def nest() -> Iterator[Nest]:
    nest = Nest()
    yield nest
    nest.close()


def falsify(folder: Path, ending: str) -> None:
    """Change the end of the largest file of that kind, and its checksum too."""
    path = max(folder.glob(f"*.{ending}"), key=lambda path: path.stat().st_size)
    data = path.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    foot, body = json.loads(data[-8 - length : -8]), bytearray(data[: -8 - length])
    body[-16:-8] = b"\xff" * 8
    foot["crc"] = zlib.crc32(body)
    tail = json.dumps(foot).encode()
    path.write_bytes(bytes(body) + tail + struct.pack("<II", len(tail), 1337))


def deepen(path: Path) -> None:
    """Add what nests without end, where nobody looks for anything."""
    path.write_text(path.read_text().rstrip().removesuffix("}") + f', "zz": {DEEP}}}')


def change(web: Web, family: str, make_row: Callable[[list[Any]], bytes]) -> None:
    with Table.open(web.folder / "shards/00/table", FAMILIES, writable=True) as table:
        for key, value in list(table.scan(family)):
            table.put(family, key, make_row(msgspec.msgpack.decode(value)))
        table.commit()


def ends(web: Web, verb: str, nest: Nest) -> tuple[int | None, str]:
    said = web.beside / "said"
    code = run(VERBS[verb](web), nest, said)
    return code, said.read_text(errors="replace")


@pytest.mark.parametrize("verb", ["build", "crawl", "repair"])
def test_an_index_that_breaks_the_engine_is_made_again(verb: str, sound: Web, nest: Nest, tmp_path: Path) -> None:
    web = copied(sound, tmp_path)
    falsify(web.folder / INDEX, "store")
    code, said = ends(web, verb, nest)
    assert (code, "Traceback" in said) == (0, False), said
    with gossamer.open(web.folder) as collection:
        assert collection.verify().problems == []
        assert collection.search("the").hits


@pytest.mark.parametrize("ending", ["store", "idx", "pos", "fast"])
def test_an_index_that_breaks_the_engine_is_damage_that_a_build_mends(ending: str, sound: Web, tmp_path: Path) -> None:
    web = copied(sound, tmp_path)
    falsify(web.folder / INDEX, ending)
    with gossamer.open(web.folder) as collection:
        with suppress(Damaged):  # the question may be about another part of it
            collection.search('"the page"', facets=True)
        assert collection.verify().problems
        collection.build()
        assert collection.verify().problems == []


@pytest.mark.parametrize("ending", ["idx", "fast"])
def test_what_pages_are_called_is_damage_too(ending: str, sound: Web, tmp_path: Path) -> None:
    web = copied(sound, tmp_path)
    with gossamer.open(web.folder) as collection:
        collection.build()
    for path in web.folder.glob("graph/*/voices"):
        falsify(path, ending)
        seal(path.parent)
    with gossamer.open(web.folder) as collection:
        assert collection.verify().problems
        collection.search("the")
        assert collection.repair().left == ()
        assert collection.verify().problems == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_no_interrupt_passes_for_a_damaged_index(error: type[BaseException]) -> None:
    with pytest.raises(error), reading():
        raise error


def test_an_index_whose_list_nests_without_end_is_made_again(sound: Web, tmp_path: Path) -> None:
    web = copied(sound, tmp_path)
    deepen(web.folder / INDEX / "meta.json")
    with gossamer.open(web.folder) as collection:
        with pytest.raises(Damaged):
            collection.search("the")
        assert collection.verify().problems
        collection.build()
        assert collection.verify().problems == []


def test_requests_that_nest_without_end_are_passed_over(sound: Web, nest: Nest, tmp_path: Path) -> None:
    web = copied(sound, tmp_path)
    (web.folder / "asked").write_text(f'[{{"mark": "a", "zz": {DEEP}}}]')
    code, said = ends(web, "crawl", nest)
    assert (code, "Traceback" in said) == (0, False), said


ROWS: dict[str, tuple[str, Callable[[list[Any]], bytes]]] = {
    "captures that nest": ("captures", lambda row: _longer(row, NESTED)),
    "sites below nothing": ("sites", lambda row: msgspec.msgpack.encode([-1, 16, 1])),
    "sites without end": ("sites", lambda row: msgspec.msgpack.encode([0, 2**62, 1])),
    "hops below nothing": ("urls", lambda row: _with(row, 5, -1)),
    "a date that is no number": ("urls", lambda row: _with(row, 2, float("nan"))),
    "a date without end": ("hosts", lambda row: _with(row, 0, float("inf"))),
    "an offset below nothing": ("captures", lambda row: _with(row, 9, -1)),
    "a capture before all dates": ("captures", lambda row: _with(row, 0, -5.0)),
}


def _with(row: list[Any], place: int, value: object) -> bytes:
    return msgspec.msgpack.encode([*row[:place], value, *row[place + 1 :]])


def _longer(row: list[Any], more: bytes) -> bytes:
    """All fields that there are, and one that nobody knows."""
    fields = [*row, *[None] * (24 - len(row))][:24]
    packed = b"".join(map(msgspec.msgpack.encode, fields))
    return b"\xdc" + (len(fields) + 1).to_bytes(2, "big") + packed + more


@pytest.mark.parametrize("kind", seldom(list(ROWS), 2))
def test_rows_of_the_right_kind_with_impossible_values_are_damage(
    kind: str, sound: Web, nest: Nest, tmp_path: Path
) -> None:
    web = copied(sound, tmp_path)
    change(web, *ROWS[kind])
    with gossamer.open(web.folder) as collection:
        problems = collection.verify().problems
        assert problems
        assert "cannot be read" in problems[0]
    for verb in ("why", "crawl"):
        code, said = ends(web, verb, nest)
        assert code in {0, Damaged.exit_code}, said
        assert "Traceback" not in said
    with gossamer.open(web.folder) as collection:
        assert collection.repair().left == ()
        assert collection.verify().problems == []


def test_the_last_of_all_numbers_is_damage(sound: Web, tmp_path: Path) -> None:
    web = copied(sound, tmp_path)
    with Table.open(web.folder / "shards/00/table", FAMILIES, writable=True) as table:
        table.put("meta", b"sequence", b"\xff" * 8)
        table.commit()
    with gossamer.open(web.folder) as collection:
        assert collection.verify().problems
        assert collection.repair().left == ()
