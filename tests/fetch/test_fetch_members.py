"""An archive that says of itself what it likes costs what is read of it, and no more."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.fetch.local.archive import ArchivePlace
from gossamer.fetch.local.ignoring import Ignoring

LOCAL, CENTRAL = struct.Struct("<4sHHHHHIIIHH"), struct.Struct("<4sHHHHHHIIIHHHHHII")
END_64, LOCATOR_64, END = struct.Struct("<4sQHHIIQQQQ"), struct.Struct("<4sIQI"), struct.Struct("<4sHHHHIIH")
NAME, ALL = b"owl.txt", 0xFFFFFFFF
WORDS = b"An owl hears what it cannot see."


def head(packed: int) -> bytes:
    return LOCAL.pack(b"PK\3\4", 20, 0, 0, 0, 0, 0, min(packed, ALL), min(packed, ALL), len(NAME), 0) + NAME


def stored(path: Path, packed: int) -> None:
    """One member, as long as it is said to be: words, and then a hole."""
    end = len(head(packed)) + packed
    wide = struct.pack("<HHQQQ", 1, 24, packed, packed, 0)
    listed = CENTRAL.pack(b"PK\1\2", 45, 45, 0, 0, 0, 0x5000, 0, ALL, ALL, len(NAME), len(wide), 0, 0, 0, 0, ALL)
    listed += NAME + wide
    with path.open("wb") as file:
        file.write(head(packed) + WORDS)
        file.seek(end)
        file.write(listed + END_64.pack(b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, len(listed), end))
        file.write(LOCATOR_64.pack(b"PK\6\7", 0, end + len(listed), 1) + END.pack(b"PK\5\6", 0, 0, 1, 1, ALL, ALL, 0))


def cut(path: Path, packed: int) -> None:
    """The same member, no directory, and a hole behind it."""
    path.write_bytes(head(len(WORDS)) + WORDS)
    os.truncate(path, packed)


@pytest.mark.parametrize("made", [stored, cut])
def test_a_member_of_terabytes_costs_what_is_read_of_it(
    made: Callable[[Path, int], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, left, really = tmp_path / "a.zip", [8 << 20], os.pread

    def pread(handle: int, size: int, offset: int) -> bytes:
        left[0] -= size
        assert left[0] > 0, "reads on and on"
        return really(handle, size, offset)

    made(path, 3 << 40)
    monkeypatch.setattr(os, "pread", pread)
    root = b"zip://" + os.fsencode(path)
    place = ArchivePlace(root)
    try:
        list(place.files(root, Ignoring((root,)), lambda _, __: None))
        assert place.read(root + b"/" + NAME, 1 << 20).startswith(WORDS)
    finally:
        place.close()
