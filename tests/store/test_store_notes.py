"""Pages that were not read and captures that could not be taken in are noted by name, and forgotten when they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from store_samples import BEGAN

from gossamer.errors import Damaged, GossamerError, StorageError
from gossamer.model import Kind, Page
from gossamer.rows import decoder
from gossamer.store.disk import MARGIN, Disk, Marks, Room, Shortage, room
from gossamer.store.repair import skipped_captures as passing
from gossamer.store.repair.skipped_captures import Passed
from gossamer.store.table.manifest import mark
from gossamer.store.table.row_cache import KEPT, LARGEST, UNKNOWN, Recent
from gossamer.store.table.table import Table
from gossamer.store.unread import Unread
from gossamer.store.versions import TextPlace, Version, Versions, version_of
from gossamer.urls import keys
from gossamer.version import VERSION

A, B = "http://example.com/a", "http://example.com/ü"
FAMILY = "archive"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Table.open(tmp_path / "table", [FAMILY], writable=True) as table:
        yield table


# ------------------------------------------------------------------------- passed over


def test_a_capture_is_passed_over_by_its_address_and_moment(table: Table) -> None:
    passed = Passed(table, FAMILY)
    table.put(FAMILY, b"end", b"not a note")
    passed.note(A, BEGAN, "odd")
    passed.note(B, BEGAN, "odder")
    for notes in (passed, Passed(table, FAMILY)):
        assert notes.reason(A, BEGAN) == "odd"
        assert notes.reason(A, BEGAN + 1) is None
        assert list(notes.all()) == [(A, "odd"), (B, "odder")]
    passed.clear(A, BEGAN + 1)
    passed.clear(A, BEGAN)
    assert passed.reason(A, BEGAN) is None
    assert list(Passed(table, FAMILY).all()) == [(B, "odder")]


def test_a_note_that_is_committed_is_there_after_a_start(table: Table) -> None:
    Passed(table, FAMILY).note(A, BEGAN, "odd")
    table.commit()
    again = Passed(table, FAMILY)
    again.clear(A, BEGAN)
    assert (again.reason(A, BEGAN), list(again.all())) == (None, [])


def test_a_note_whose_row_is_gone_still_passes_it_over(table: Table) -> None:
    passed = Passed(table, FAMILY)
    passed.note(A, BEGAN, "odd")
    table.drop_changes()
    assert passed.reason(A, BEGAN) == ""


def test_too_many_that_cannot_be_taken_in_are_no_odd_pages(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    assert passing.MOST == 1_000
    monkeypatch.setattr(passing, "MOST", 3)
    passed = Passed(table, FAMILY)
    for number in range(3):
        passed.note(f"{A}{number}", BEGAN, "odd")
    with pytest.raises(GossamerError, match="3 captures could not be taken in"):
        passed.note(B, BEGAN, "odd")
    assert len(list(passed.all())) == 3


# ------------------------------------------------------------------------------ unread


def page(unread: str = "mistake") -> Page:
    return Page(A, "text/html", problem="oops", unread=unread)  # type: ignore[arg-type] # one of its words


def version(**more: object) -> Version:
    told = {"began": BEGAN, "digest": "sha256:00", "copy_of": None, "near_copy_of": B} | more
    return Version(
        status=200,
        kind=Kind.PAGE,
        media_type="text/html",
        encoding=None,
        size=1,
        title="",
        file="",
        offset=0,
        length=0,
        record="",
        **told,  # type: ignore[arg-type] # a test may replace any field
    )


def test_a_mistake_of_this_version_is_not_made_again_and_a_kill_is_forgiven(table: Table) -> None:
    unread = Unread(table, FAMILY)
    unread.note(A, BEGAN, page())
    unread.note(B, BEGAN, page("killed"))
    table.put(FAMILY, b"unrelated", b"")
    notes = dict(unread.all())
    assert [(url, note.hopeless, note.reader) for url, note in notes.items()] == [(A, True, VERSION), (B, False, "")]
    assert not msgspec.structs.replace(notes[A], reader="another version").hopeless
    unread.give_up(B, "again")
    assert [(note.problem, note.hopeless, note.began) for _, note in unread.all()] == [
        ("oops", True, BEGAN),
        ("again", True, BEGAN),
    ]
    unread.give_up("http://never.example/", "x")
    assert len(list(unread.all())) == 2


def test_a_page_that_was_read_is_noted_no_more(table: Table) -> None:
    unread = Unread(table, FAMILY)
    unread.note(A, BEGAN, page())
    table.commit()
    again = Unread(table, FAMILY)
    assert A in again
    assert B not in again
    again.clear(B)
    again.clear(A)
    assert A not in again
    assert list(again.all()) == []


def test_a_version_that_was_not_read_is_shown_with_what_is_known(table: Table) -> None:
    unread = Unread(table, FAMILY)
    assert unread.page(A, version()) is None
    unread.note(A, BEGAN, page())
    assert unread.page(A, version()) == Page(
        A, "text/html", digest="sha256:00", near_copy_of=B, problem="oops", unread="mistake"
    )
    assert unread.page(A, version(began=BEGAN + 1)) is None
    assert unread.page(A, version(text=TextPlace("", 0, 1, 2, 3, "", 4))) is None
    unread.note(A, BEGAN, page("killed"))
    shown = unread.page(A, version())
    assert shown is not None
    assert shown.unread == "killed"


def test_a_row_that_does_not_decode_is_damage() -> None:
    assert decoder(int)(msgspec.msgpack.encode(7)) == 7
    for data in (b"", b"\xc1", msgspec.msgpack.encode("seven")):
        with pytest.raises(Damaged, match=r"a row of the table, int, .* --repair"):
            decoder(int)(data)


# -------------------------------------------------------------------------- rows lately


def test_rows_are_remembered_in_two_generations() -> None:
    recent = Recent()
    recent.add(b"often", b"1")
    recent.add(b"none", None)
    recent.add(b"once", b"2")
    assert (recent.get(b"often"), recent.get(b"none"), recent.get(b"never")) == (b"1", None, UNKNOWN)
    for generation in range(3):
        for number in range(KEPT):
            recent.add(b"%d %d" % (generation, number), b"")
        assert recent.get(b"often") == b"1"  # whoever is asked for stays
    assert recent.get(b"once") is UNKNOWN
    assert len(recent._new) <= KEPT
    assert len(recent._old) <= KEPT


def test_large_rows_are_not_remembered() -> None:
    recent = Recent()
    recent.add(b"large", bytes(LARGEST + 1))
    recent.add(b"small", bytes(LARGEST))
    assert recent.get(b"large") is UNKNOWN
    assert recent.get(b"small") == bytes(LARGEST)


def test_what_is_remembered_is_what_was_committed_last() -> None:
    recent = Recent()
    for key in (b"changed", b"deleted", b"grown", b"same"):
        recent.add(key, b"1")
    recent.committed({b"changed": bytes(LARGEST), b"deleted": None, b"grown": bytes(LARGEST + 1), b"never read": b"1"})
    assert recent.get(b"changed") == bytes(LARGEST)
    assert recent.get(b"deleted") is None
    assert recent.get(b"grown") is UNKNOWN
    assert recent.get(b"same") == b"1"
    assert recent.get(b"never read") is UNKNOWN


def test_what_is_remembered_from_before_changes_too() -> None:
    recent = Recent()
    recent.add(b"old", b"1")
    for number in range(KEPT):
        recent.add(b"%d" % number, b"")
    assert b"old" in recent._old
    recent.committed({b"old": b"2"})
    assert recent.get(b"old") == b"2"


# -------------------------------------------------------------------------------- disk


def disk(marks: Marks, *free: int, size: int = 10_000) -> list[Shortage | None]:
    looks = iter(free)
    found = Disk(Path("/"), marks, lambda folder: Room(next(looks), size))
    shortages = []
    for _ in free:
        found.check()
        shortages.append(found.shortage)
    return shortages


def test_a_crawl_waits_below_the_mark_and_goes_on_above_a_tenth_more() -> None:
    assert MARGIN == 1.1
    low = Shortage(999, 1100)
    assert disk(Marks(pause=1000), 1000, 999, 1099, 1100, 1099) == [None, low, Shortage(1099, 1100), None, None]


def test_the_larger_of_mark_and_share_counts() -> None:
    assert disk(Marks(pause=1000, pause_share=0.2), 1999, 2200) == [Shortage(1999, 2200), None]
    assert disk(Marks(pause=3000, pause_share=0.2), 2999) == [Shortage(2999, 3300)]


def test_below_the_lowest_mark_a_crawl_ends() -> None:
    with pytest.raises(StorageError, match="only 1 MiB free on the disk, and the plan stops at 2 MiB"):
        disk(Marks(stop=2 << 20), (2 << 20) - 1)
    assert disk(Marks(stop=2 << 20), 2 << 20) == [None]


def test_room_is_what_an_ordinary_user_may_fill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Told:
        f_bavail, f_bfree, f_blocks, f_frsize, f_bsize = 3, 5, 100, 512, 4096

    monkeypatch.setattr("os.statvfs", lambda folder: Told)
    assert room(tmp_path) == Room(3 * 512, 100 * 512)


# ---------------------------------------------------------------------------- manifest


def test_a_table_whose_manifest_is_gone_has_a_mark_and_one_without_a_name_has_none(tmp_path: Path) -> None:
    path = tmp_path / "table"
    path.mkdir()
    with pytest.raises(Damaged, match="no table here"):
        mark(path)
    (path / "CURRENT").write_bytes(b"MANIFEST-000004\n")
    assert mark(path) == (b"MANIFEST-000004\n", -1)
    (path / "MANIFEST-000004").write_bytes(b"1234567")
    assert mark(path) == (b"MANIFEST-000004\n", 7)
    (path / "CURRENT").write_bytes(b"../../elsewhere\n")
    assert mark(path) == (b"../../elsewhere\n", -1)


def test_rows_keep_their_form() -> None:
    """A table of before is read by the program of today."""
    versions = Versions(None)  # type: ignore[arg-type] # nothing is stored
    key, data = versions.row("http://www.example.com/a", version())
    assert key == keys.row("http://www.example.com/a") + b"\0" + (2**64 - 1 - 1_794_700_800_250).to_bytes(8, "big")
    short = msgspec.msgpack.encode(msgspec.msgpack.decode(data)[:12])
    old = version_of(short)
    assert (old.original, old.original_began, old.text_of, old.text_began) == (None, 0.0, None, 0.0)
    assert (old.noindex, old.noarchive, old.text, old.near_copy_of) == (False, False, None, None)
