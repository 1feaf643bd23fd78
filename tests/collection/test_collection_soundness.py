"""A table whose bytes are whole may still hold rows that say nothing: each of those is noticed, and sound ones pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from gossamer.collection.column_families import FAMILIES, IMPORTS
from gossamer.collection.crawl.shard_identity import Imprint
from gossamer.collection.imports.import_progress import Row
from gossamer.collection.maintain.verifying import damage
from gossamer.dedupe.column_families import BLOCKS, PRINTS
from gossamer.dedupe.pages import COLUMNS
from gossamer.frontier import entries
from gossamer.frontier.entries import CashRow, Entry, RobotsRow, SiteRow, State
from gossamer.frontier.ledger import Counts
from gossamer.frontier.shards.exchange import Batch
from gossamer.frontier.shards.peers import Credited
from gossamer.frontier.worth.new_text import Memory
from gossamer.frontier.worth.parameters import HostKeys, KeysRow
from gossamer.frontier.worth.pattern_yield import HostKinds, KindRow
from gossamer.frontier.worth.soft404 import HostPlaces, PlaceRow
from gossamer.model import Kind
from gossamer.store.table.table import Table
from gossamer.store.url_seen import SEEN
from gossamer.store.versions import CAPTURES, STATE, Version
from gossamer.urls import keys

URL, ORIGIN = "http://example.org/a", "http://example.org"
ROW, NOISE = keys.row(URL), b"\xc1 no value"
OTHER_FORM = b"example.org)/a http"
TIME = ((1 << 64) - 1 - 1_000).to_bytes(8, "big")
"""A second after 1970, as keys have it: the newest comes first."""
"""It can be read, but is not how the row key of that address is written."""


def packed(value: Any) -> bytes:
    return msgspec.msgpack.encode(value)


ENTRY = packed(Entry(State.QUEUED, 1, 1.0))
SOUND = [
    (entries.URLS, ROW, ENTRY),
    (entries.CASH, ROW, packed(CashRow())),
    (entries.QUEUE, ORIGIN.encode() + b"\0" + bytes(16), URL.encode()),
    (entries.LATER, bytes(16), URL.encode()),
    (entries.STANDING, ORIGIN.encode(), b"any"),
    (entries.TURNS, b"any", ORIGIN.encode()),
    (entries.ROBOTS, ORIGIN.encode(), packed(RobotsRow("all", b"", 1.0, 1.0, 0, 200, ""))),
    (entries.SITES, b"example.org", packed(SiteRow())),
    (entries.BACKLOG, b"example.org", bytes(8)),
    (entries.FIRSTS, b"any", URL.encode()),
    (entries.OUTBOX, bytes(10), packed(Batch(1, 0, [packed(Credited("a.test", "b.test"))]))),
    (entries.TEMPLATES, b"example.org\0", packed(HostKinds())),
    (entries.TEMPLATES, b"family\0", packed(Memory())),
    (entries.TEMPLATES, b"kind", packed(KindRow())),
    (entries.PARAMETERS, b"example.org\0", packed(HostKeys({"kind": ["key"]}))),
    (entries.PARAMETERS, b"kind", packed(KeysRow(dropped=["key"]))),
    (entries.PROBES, b"example.org\0", packed(HostPlaces())),
    (entries.PROBES, b"place", packed(PlaceRow())),
    (PRINTS, b"runs", packed([])),
    (PRINTS, b"whole", b"1"),
    (PRINTS, b"u" + ROW, bytes(4)),
    (PRINTS, b"p" + bytes(4), bytes(COLUMNS.itemsize) + URL.encode()),
    (SEEN, b"runs", packed([(1, 2, 3)])),
    (SEEN, b"fresh" + bytes(8), bytes(18)),
    (IMPORTS, b"a 304", b""),
    (IMPORTS, b"a file", packed(Row("name", 0, True))),
    (entries.META, b"imprint", packed(Imprint(0, 1, ""))),
    (entries.META, b"counts", packed(Counts())),
    (entries.META, b"sequence", bytes(8)),
    (entries.META, b"scope", NOISE),  # compared as it is
    (STATE, b"end", packed(("name", 0))),
    (STATE, b"length\0name", bytes(8)),
    (STATE, b"passed\0name", packed("reason")),
]
UNSOUND = [
    (entries.URLS, ROW, NOISE),
    (entries.URLS, OTHER_FORM, ENTRY),
    (entries.URLS, b"no address", ENTRY),
    (entries.CASH, OTHER_FORM, packed(CashRow())),
    (entries.QUEUE, ORIGIN.encode() + b"\0" + bytes(16), b"no address"),
    (entries.QUEUE, ORIGIN.encode() + b"x" + bytes(16), URL.encode()),
    (entries.QUEUE, b"no origin\0" + bytes(16), URL.encode()),
    (entries.LATER, bytes(15), URL.encode()),
    (entries.LATER, bytes(17), URL.encode()),
    (entries.LATER, bytes(16), b"no address"),
    (entries.STANDING, b"no origin", b"any"),
    (entries.TURNS, b"any", b"no origin"),
    (entries.ROBOTS, ORIGIN.encode(), NOISE),
    (entries.SITES, b"\xff", packed(SiteRow())),
    (entries.SITES, b"example.org", NOISE),
    (entries.BACKLOG, b"example.org", bytes(9)),
    (entries.FIRSTS, b"any", b"no address"),
    (entries.OUTBOX, bytes(9), packed(Batch(1, 0, []))),
    (entries.OUTBOX, bytes(10), NOISE),
    (entries.OUTBOX, bytes(10), packed(Batch(1, 0, [NOISE]))),
    (entries.TEMPLATES, b"example.org\0", NOISE),
    (entries.TEMPLATES, b"kind", NOISE),
    (entries.TEMPLATES, b"kind", packed(Memory())),
    (entries.PARAMETERS, b"example.org\0", packed(KeysRow(dropped=["key"]))),
    (entries.PARAMETERS, b"kind", packed(HostKeys({"kind": ["key"]}))),
    (entries.PROBES, b"example.org\0", packed(PlaceRow(recent=[("a", 1, "b")]))),
    (entries.PROBES, b"place", packed(HostPlaces(places=1))),
    (BLOCKS, b"example.org", NOISE),
    (PRINTS, b"runs", NOISE),
    (PRINTS, b"u" + ROW, bytes(5)),
    (PRINTS, b"u" + OTHER_FORM, bytes(4)),
    (PRINTS, b"p" + bytes(5), bytes(COLUMNS.itemsize) + URL.encode()),
    (PRINTS, b"p" + bytes(4), bytes(COLUMNS.itemsize - 1)),
    (PRINTS, b"p" + bytes(4), bytes(COLUMNS.itemsize) + b"no address"),
    (SEEN, b"runs", NOISE),
    (SEEN, b"fresh" + bytes(8), bytes(10)),
    (IMPORTS, b"a file", NOISE),
    (entries.META, b"imprint", NOISE),
    (entries.META, b"counts", NOISE),
    (entries.META, b"sequence", bytes(9)),
    (STATE, b"end", NOISE),
    (STATE, b"length\0name", bytes(9)),
    (STATE, b"passed\0name", NOISE),
    (CAPTURES, ROW + b"\0" + bytes(8), NOISE),
]


def made(folder: Path, *rows: tuple[str, bytes, bytes]) -> Path:
    with Table.open(folder / "table", FAMILIES, writable=True) as table:
        for family, key, value in rows:
            table.put(family, key, value)
        table.commit()
    return folder / "table"


def test_sound_rows_are_no_damage(tmp_path: Path) -> None:
    assert damage(made(tmp_path, *SOUND)) is None


@pytest.mark.parametrize("row", UNSOUND, ids=[f"{family} {key[:9]!r}" for family, key, _ in UNSOUND])
def test_a_row_that_says_nothing_is_damage(row: tuple[str, bytes, bytes], tmp_path: Path) -> None:
    assert "cannot be read" in (damage(made(tmp_path, row)) or "")


@pytest.mark.parametrize(
    "key",
    [ROW + b"\0" + TIME, ROW + b"x" + TIME, ROW + TIME, OTHER_FORM + b"\0" + TIME, ROW + b"\0" + bytes(8)],
    ids=["sound", "no mark", "no time", "other form", "another time"],
)
def test_a_version_stands_under_its_address_and_its_time(key: bytes, tmp_path: Path) -> None:
    version = Version(1.0, 200, Kind.PAGE, "text/html", None, "", 0, "", "name", 0, 0, "")
    words = damage(made(tmp_path, (CAPTURES, key, packed(version))))
    assert (words is None) == (key == ROW + b"\0" + TIME)
