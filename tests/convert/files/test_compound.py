"""Compound files: what was put in comes out, and a file that was made to be endless ends."""

from __future__ import annotations

from struct import pack_into

import pytest
from compound_files import compound

from gossamer.convert import document
from gossamer.convert.files.ole.compound import Broken, Compound, kind_of

STREAMS = {
    "Small": b"few bytes",
    "Large": bytes(range(256)) * 300,
    "Empty": b"",
    "Folder/Inner": b"inside",
    "Folder/Deeper/Most": b"x" * 5_000,
}


def test_streams_come_out_as_they_went_in() -> None:
    made = Compound(compound(STREAMS))
    assert {name: made.stream(*name.split("/")) for name in STREAMS} == STREAMS
    assert set(made.storage("folder")) == {"inner", "deeper"}
    assert made.has("FOLDER", "inner")


def test_tables_that_the_header_does_not_hold_are_read() -> None:
    large = bytes(range(251)) * 64_000
    assert Compound(compound({"A": large, "B": b"b"})).stream("A") == large


def test_what_is_not_there_is_empty() -> None:
    made = Compound(compound(STREAMS))
    assert made.stream("None") == made.stream("Small", "Inner") == made.stream("Folder") == b""
    assert made.storage("Small") == {}


def test_a_chain_that_bites_its_tail_ends() -> None:
    made = bytearray(compound({"Large": b"x" * 100_000}))
    table = len(made) - 1024
    while made[table : table + 4] != b"\x01\0\0\0":
        table += 512
    pack_into("<I", made, table + 4 * 50, 3)
    found = Compound(bytes(made)).stream("Large")
    assert len(found) <= len(made)


def test_entries_that_point_at_each_other_are_met_once() -> None:
    made = bytearray(compound({"A": b"a", "B": b"b", "C/D": b"d"}))
    start = made.index("Root Entry".encode("utf-16-le"))
    for number in range(4):
        pack_into("<III", made, start + 128 * number + 68, 0, 1, 2)
    assert len(Compound(bytes(made)).storage()) <= 5


@pytest.mark.parametrize("data", [b"", b"\xd0\xcf\x11\xe0", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600])
def test_what_is_no_compound_file_is_said_so(data: bytes) -> None:
    with pytest.raises(Broken):
        Compound(data)


@pytest.mark.parametrize(
    ("stream", "kind"),
    [
        ("WordDocument", "application/msword"),
        ("Workbook", "application/vnd.ms-excel"),
        ("Book", "application/vnd.ms-excel"),
        ("PowerPoint Document", "application/vnd.ms-powerpoint"),
        ("__properties_version1.0", "application/vnd.ms-outlook"),
        ("Other", None),
    ],
)
def test_a_file_is_known_by_its_streams_whatever_it_is_called(stream: str, kind: str | None) -> None:
    data = compound({stream: b"x"})
    assert kind_of(data) == kind
    for said in (None, "text/plain", "application/octet-stream", "application/pdf"):
        assert document(data, said).media_type == (kind or "application/x-ole-storage")


def test_files_that_nobody_reads_say_why() -> None:
    assert document(compound({"Other": b"x"})).problem == "a compound file with nothing known in it"
    locked = document(compound({"EncryptedPackage": b"x" * 100, "EncryptionInfo": b"y"}))
    assert locked.problem == "encrypted: it can only be read with its password"
