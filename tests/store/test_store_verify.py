"""Every row is backed by a record and every record known to a row: what is not is told, and can be mended."""

from __future__ import annotations

import os
import re
import tracemalloc
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from store_samples import BEGAN, INFO, StillClock, capture

from gossamer.errors import Damaged, StorageError
from gossamer.model import Failure, Fault, Kind, Page, Visit
from gossamer.store.archive import Archive
from gossamer.store.repair.rewrite import carry_texts, rewrite
from gossamer.store.repair.swaps import Swap, begin, let_count, replaced, resume
from gossamer.store.repair.verify import Gap, lies_elsewhere, verify_archive
from gossamer.store.table.table import Table
from gossamer.store.versions import STATE, Version
from gossamer.store.warc import gzip_members
from gossamer.store.warc.reader import records, whole_captures
from gossamer.store.warc.warc import Record, payload_digest, warc_files

HOST = "http://example.com"
MOST = 1 << 30


class Shard:
    """An archive with three pages in each of its files; the last one is written to."""

    def __init__(self, table: Table, folder: Path, files: int = 1) -> None:
        self.table, self.folder = table, folder
        self.archive = Archive(table, folder, lambda each: replace(each, body=each.wire))
        self.archive.texts.open(INFO, StillClock(), prefix="gossamer", max_bytes=MOST)
        self.archive.open(INFO, StillClock(), max_bytes=MOST)
        self.commit()
        for number in range(3 * files):
            if number and number % 3 == 0:
                assert self.archive._writer is not None
                self.archive._writer.start_another()
                self.commit()
            self.keep(f"{HOST}/{number}", b"<p>Page %d" % number, number)
        self.commit()

    def keep(self, url: str, body: bytes, after: float = 0.0) -> None:
        words = body.decode()
        page = Page(url, "text/html", text=words, content=words, html=f"<p>{words}</p>", digest=payload_digest(body))
        self.archive.append(capture(url, body, began=BEGAN + after), page)

    def commit(self) -> None:
        self.archive.prepare()
        self.table.commit()

    @property
    def files(self) -> list[Path]:
        return warc_files(self.folder / "captures")

    def row(self, number: int) -> Version:
        return next(self.archive.versions.of(f"{HOST}/{number}"))

    def put(self, number: int, **changed: object) -> None:
        self.archive.versions.add(f"{HOST}/{number}", msgspec.structs.replace(self.row(number), **changed))

    def spoil(self, path: Path, at: int) -> None:
        data = bytearray(path.read_bytes())
        data[at] ^= 0xFF
        path.write_bytes(data)

    def rewrite(self, path: Path, wanted: Callable[[Record], bool] = lambda record: True, keep: bool = True) -> Path:
        aside = rewrite(self.table, self.archive, path, wanted, INFO, keep=keep)
        assert (aside is not None) is keep
        return aside or path


@pytest.fixture
def shard(table: Table, tmp_path: Path) -> Shard:
    return Shard(table, tmp_path)


@pytest.fixture
def shards(table: Table, tmp_path: Path) -> Shard:
    """Of three files."""
    return Shard(table, tmp_path, 3)


# ------------------------------------------------------------------------------ verify


def test_a_sound_archive_is_read_whole_and_nothing_is_wrong(shards: Shard) -> None:
    checked = verify_archive(shards.archive)
    texts = len(list(records(warc_files(shards.folder / "texts")[0])))
    assert (checked.records, checked.rows) == (3 + 9 * 3 + texts, 9)
    assert (checked.problems, checked.gaps, checked.ill, checked.notes) == ([], [], set(), [])
    assert (checked.unbacked, checked.unknown, checked.texts_ill, checked.unread) == ([], [], False, [])


def test_bytes_that_are_no_record_are_told_with_their_place(shards: Shard) -> None:
    row, path = shards.row(4), shards.files[1]
    shards.spoil(path, row.offset + row.length // 2)
    checked = verify_archive(shards.archive)
    assert checked.gaps == [Gap(path.name, row.offset, row.offset + row.length)]
    assert checked.ill == {path.name}
    assert checked.unbacked == [(f"{HOST}/4", row)]
    assert checked.problems[0] == (
        f"{path.name}: bytes {row.offset} to {row.offset + row.length} are not a whole record"
    )
    assert len(checked.problems) == 2
    assert checked.unknown == []


def test_a_file_that_is_too_short_is_told_at_its_end(shard: Shard) -> None:
    (path,) = shard.files
    size, row = path.stat().st_size, shard.row(2)
    os.truncate(path, row.offset)
    checked = verify_archive(shard.archive)
    assert checked.gaps == [Gap(path.name, row.offset, size)]
    assert checked.unbacked == [(f"{HOST}/2", row)]


def test_a_hole_at_the_end_of_a_file_is_told_and_what_comes_after_the_commit_is_not_searched(
    shards: Shard, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, last = shards.files[0], shards.files[-1]
    sizes = first.stat().st_size, last.stat().st_size
    for path in (first, last):
        os.truncate(path, 1 << 40)
    shards.archive.files.set_length(first.name, None)  # so that it is as long as it is
    read, pread = 0, os.pread

    def counted(file: int, length: int, offset: int) -> bytes:
        nonlocal read
        read += len(data := pread(file, length, offset))
        assert read < 32 << 20
        return data

    monkeypatch.setattr(gzip_members, "DAMAGE_MOST", 4 << 20, raising=False)
    monkeypatch.setattr(os, "pread", counted)
    checked = verify_archive(shards.archive)
    assert checked.gaps == [Gap(first.name, sizes[0], 1 << 40)]
    assert checked.notes == [
        f"{last.name}: the next crawl cuts off bytes {sizes[1]} to {1 << 40}, which are no whole capture"
    ]
    assert list(shards.archive.files.uncommitted()) == []
    assert last.stat().st_size == sizes[1]


def test_a_bomb_behind_the_last_commit_is_cut_off(shard: Shard) -> None:
    (path,) = shard.files
    size = path.stat().st_size
    head = b"WARC/1.1\r\nWARC-Type: response\r\nContent-Length: %d\r\n\r\n" % (450 << 20)
    deflate = zlib.compressobj(1, zlib.DEFLATED, 31)
    with path.open("ab") as file:
        file.write(deflate.compress(head))
        for _ in range(450):
            file.write(deflate.compress(bytes(1 << 20)))
        file.write(deflate.flush())
    tracemalloc.start()
    try:
        assert verify_archive(shard.archive).problems == []
        assert list(shard.archive.files.uncommitted()) == []
        assert tracemalloc.get_traced_memory()[1] < 1.5 * gzip_members.RECORD_MOST
    finally:
        tracemalloc.stop()
    assert path.stat().st_size == size


@pytest.mark.parametrize("changed", [{"length": 1 << 40}, {"offset": (1 << 63) - 1}])
def test_a_row_that_says_what_no_record_is_like_is_damage(shard: Shard, changed: dict[str, int]) -> None:
    shard.put(1, **changed)
    with pytest.raises(Damaged, match="no record is like that"):
        shard.archive.record(shard.row(1))
    assert [url for url, _ in verify_archive(shard.archive).unbacked] == [f"{HOST}/1"]


@pytest.mark.parametrize("changed", [{"length": -1}, {"offset": 1 << 63}, {"offset": -1}])
def test_a_row_with_a_place_that_no_file_has_is_no_row(shard: Shard, changed: dict[str, int]) -> None:
    shard.put(1, **changed)
    with pytest.raises(Damaged, match="a row of the table, Version, cannot be read"):
        shard.row(1)


OTHER = payload_digest(b"something else")
UNTRUE: list[dict[str, object]] = [
    {"status": 404},
    {"digest": OTHER},
    {"wire_digest": OTHER},
    {"size": 3},
    {"truncated": "length"},
    {"original": f"{HOST}/2", "original_began": BEGAN + 2},
    {"kind": Kind.ROBOTS},
    {"media_type": "application/pdf"},
    {"title": "Another"},
    {"encoding": "Big5"},
    {"noindex": True},
    {"noarchive": True},
]


@pytest.mark.parametrize("changed", UNTRUE, ids=lambda changed: next(iter(changed)))
def test_a_row_that_says_something_else_than_its_records_is_named(shard: Shard, changed: dict[str, object]) -> None:
    shard.put(1, **changed)
    shard.commit()
    checked = verify_archive(shard.archive)
    (problem,) = checked.problems
    assert problem.startswith(f"{HOST}/1: its row has ")
    assert checked.untrue == [(f"{HOST}/1", BEGAN + 1)]
    assert (checked.ill, checked.unbacked, checked.unknown, checked.texts_ill) == (set(), [], [], False)


def test_a_revisit_is_held_to_what_it_is_a_copy_of(shard: Shard) -> None:
    shard.keep(f"{HOST}/copy", b"<p>Page 1", 9)
    shard.commit()
    assert verify_archive(shard.archive).problems == []
    copy = next(shard.archive.versions.of(f"{HOST}/copy"))
    assert copy.original == f"{HOST}/1"
    for changed in ({"size": 3}, {"digest": OTHER}, {"original_began": BEGAN}, {"original": f"{HOST}/2"}):
        shard.archive.versions.add(f"{HOST}/copy", msgspec.structs.replace(copy, **changed))
        assert verify_archive(shard.archive).untrue == [(f"{HOST}/copy", BEGAN + 9)]


def test_a_row_that_points_at_the_capture_of_another_page_is_backed_by_nothing(shard: Shard) -> None:
    shard.archive.versions.add("http://bank.example/", shard.row(1))
    checked = verify_archive(shard.archive)
    assert [url for url, _ in checked.unbacked] == ["http://bank.example/"]
    assert f"http://bank.example/: its row points at a capture of {HOST}/1" in checked.problems


def test_a_row_that_points_at_the_text_of_another_page_is_named(shard: Shard) -> None:
    shard.put(1, text=shard.row(2).text)
    checked = verify_archive(shard.archive)
    assert checked.untrue == [(f"{HOST}/1", BEGAN + 1)]
    assert checked.problems == [f"{HOST}/1: its row points at the text of another page"]


@pytest.mark.parametrize(
    "odd", [{"truncated": "length"}, {"decoding": "gzip: breaks off before its end"}, {"failure": Failure(Fault.RESET)}]
)
def test_a_body_that_was_odd_when_it_came_proves_nothing(table: Table, tmp_path: Path, odd: dict[str, str]) -> None:
    """It was decoded up to another place then. What came is held to its digest all the same."""
    archive = Archive(table, tmp_path, lambda each: replace(each, body=each.wire.upper()))
    archive.open(INFO, StillClock(), max_bytes=MOST)
    came = replace(capture(f"{HOST}/odd", b"coded", began=BEGAN), body=b"OTHER", **odd)  # type: ignore[arg-type] # each is of its type
    archive.append(came, Page(f"{HOST}/odd", digest=payload_digest(b"OTHER")))
    even = replace(came, visit=Visit(f"{HOST}/even"), wire=b"coded too", truncated=None, decoding=None, failure=None)
    archive.append(even, Page(f"{HOST}/even", digest=payload_digest(b"OTHER")))
    archive.prepare()
    table.commit()
    assert verify_archive(archive).untrue == [(f"{HOST}/even", BEGAN)]


def test_a_body_that_was_decoded_less_far_under_other_limits_is_no_fault(table: Table, tmp_path: Path) -> None:
    archive = Archive(table, tmp_path, lambda each: replace(each, body=each.wire.upper()))
    archive.open(INFO, StillClock(), max_bytes=MOST)
    archive.append(
        replace(capture(f"{HOST}/long", b"coded", began=BEGAN), body=b"CO"),
        Page(f"{HOST}/long", digest=payload_digest(b"CO")),
    )
    archive.prepare()
    table.commit()
    assert verify_archive(archive).problems == []


@pytest.mark.parametrize("part", ["html", "plain", "said"])
def test_a_text_that_is_said_to_be_longer_than_any_is_damage(shard: Shard, part: str) -> None:
    place = shard.row(1).text
    assert place is not None
    longer = msgspec.structs.replace(place, **{part: 1 << 40})
    shard.put(1, text=longer)
    with pytest.raises(Damaged, match="makes the texts again"):
        shard.archive.texts.read(f"{HOST}/1", longer)
    assert shard.archive.texts.carried(longer) is None
    assert part != "html" or shard.archive.texts.content(longer) == ""


def test_a_record_from_before_there_was_a_web_has_no_date(shard: Shard) -> None:
    (path,) = shard.files
    told = [member.data for member in gzip_members.members(path)]
    dates = (b"WARC-Date: 0001", b"WARC-Date: 1969")
    for date in dates:
        changed = [re.sub(rb"WARC-Date: \d{4}", date, data) for data in told]
        path.write_bytes(b"".join(gzip_members.packed([data], 1) for data in changed))
        assert {record.began for record in records(path)} == {0.0}
        assert verify_archive(shard.archive).problems


def test_a_day_that_no_key_can_say_has_no_versions(shard: Shard) -> None:
    assert list(shard.archive.versions.of(f"{HOST}/1", until=-62_135_596_800.0)) == []
    assert len(list(shard.archive.versions.of(f"{HOST}/1", until=1e18))) == 1
    assert shard.archive.versions.at(f"{HOST}/1", -1.0) is None


def test_a_record_that_no_row_knows_is_told(shard: Shard) -> None:
    row = shard.row(1)
    shard.archive.versions.remove(f"{HOST}/1", row.began)
    checked = verify_archive(shard.archive)
    assert [(place.file, place.offset) for place in checked.unknown] == [(row.file, row.offset)]
    assert len(checked.problems) == 1
    assert "no row knows this capture" in checked.problems[0]
    assert checked.ill == {row.file}
    assert verify_archive(shard.archive, lambda url: url == f"{HOST}/1").problems == []


def test_a_capture_that_was_passed_over_needs_no_row_and_is_noted(shard: Shard) -> None:
    row = shard.row(1)
    shard.archive.versions.remove(f"{HOST}/1", row.began)
    shard.archive.passed.note(f"{HOST}/1", row.began, "odd")
    checked = verify_archive(shard.archive)
    assert (checked.problems, checked.unknown) == ([], [])
    assert checked.notes == [f"{HOST}/1: odd"]


def test_a_page_that_was_not_read_is_listed(shard: Shard) -> None:
    page = Page(f"{HOST}/new", "text/html", digest=payload_digest(b"new"), problem="oops", unread="killed")
    shard.archive.append(capture(f"{HOST}/new", b"new"), page)
    shard.commit()
    assert verify_archive(shard.archive).unread == [f"{HOST}/new: oops"]
    assert verify_archive(shard.archive).problems == []


def test_a_row_that_points_elsewhere_is_told(shard: Shard) -> None:
    row = shard.row(1)
    shard.put(1, offset=row.offset + 1)
    checked = verify_archive(shard.archive)
    assert [f"says that it lies in {row.file} at {row.offset + 1}" in each for each in checked.problems] == [
        True,
        False,
    ]
    assert [url for url, _ in checked.unbacked] == [f"{HOST}/1"]
    assert checked.ill == {row.file}


def test_a_payload_that_does_not_have_its_digest_is_told(shard: Shard) -> None:
    one = capture(f"{HOST}/wrong", b"<p>Wrong", began=BEGAN + 9)
    shard.archive.append(one, Page(f"{HOST}/wrong", "text/html", digest=payload_digest(b"another")))
    shard.commit()
    (problem,) = [each for each in verify_archive(shard.archive).problems if "digest" in each]
    assert f"the payload of {HOST}/wrong does not have its digest" in problem


def test_a_member_whose_header_was_changed_is_told_though_the_record_is_whole(shard: Shard) -> None:
    (path,) = shard.files
    row = shard.row(0)
    shard.spoil(path, row.offset + 4)  # the date, which no reader looks at
    checked = verify_archive(shard.archive)
    assert checked.problems == [
        f"{path.name} at {row.offset}: the header of its gzip member is not as it was written; the record is whole"
    ]
    assert checked.ill == {path.name}
    shard.rewrite(path)
    assert verify_archive(shard.archive).problems == []


def test_a_revisit_whose_original_is_gone_is_told_by_its_row(shard: Shard) -> None:
    shard.keep(f"{HOST}/copy", b"<p>Page 0", 10)
    shard.commit()
    row = shard.row(0)
    shard.archive.versions.remove(f"{HOST}/0", row.began)
    checked = verify_archive(shard.archive)
    assert f"{HOST}/copy: the capture of {HOST}/0 that has its payload is missing" in checked.problems
    assert f"{HOST}/copy" in [url for url, _ in checked.unbacked]
    shard.archive.versions.remove(f"{HOST}/copy", BEGAN + 10)
    checked = verify_archive(shard.archive)
    assert [place.offset for place in checked.unknown] == [row.offset]  # of the revisit nothing can be shown


def test_an_answer_that_nothing_changed_needs_no_row(shard: Shard) -> None:
    head = b"HTTP/1.1 304 Not Modified\r\n\r\n"
    for url in (f"{HOST}/0", f"{HOST}/never"):
        shard.archive.append(capture(url, b"", head=head, began=BEGAN + 20), Page(url))
    shard.commit()
    assert verify_archive(shard.archive).problems == []


def test_what_a_killed_crawl_left_is_noted_and_no_damage(shard: Shard) -> None:
    (path,) = shard.files
    start = path.stat().st_size
    shard.keep(f"{HOST}/late", b"<p>Late", 10)
    shard.keep(f"{HOST}/later", b"<p>Later", 11)
    end = path.stat().st_size
    shard.table.drop_changes()
    (whole,) = verify_archive(shard.archive).notes
    assert "takes in 2 captures" in whole
    with path.open("ab") as file:
        file.write(b"half")
    checked = verify_archive(shard.archive)
    assert checked.problems == []
    assert checked.notes == [
        f"{path.name}: the next crawl takes in 2 captures from byte {start} on, which no commit has",
        f"{path.name}: the next crawl cuts off bytes {end} to {end + 4}, which are no whole capture",
    ]
    next_file = path.with_name("gossamer-29991231235959-00000.warc.gz")
    next_file.write_bytes(b"x")
    assert verify_archive(shard.archive).notes[2:] == [
        f"{next_file.name}: the next crawl cuts off bytes 0 to 1, which are no whole capture"
    ]


def test_texts_that_are_damaged_or_elsewhere_are_told(shard: Shard) -> None:
    (path,) = warc_files(shard.folder / "texts")
    text = shard.row(1).text
    assert text is not None
    shard.put(1, text=msgspec.structs.replace(text, offset=text.offset + 1))
    checked = verify_archive(shard.archive)
    assert len(checked.problems) == 1
    assert f"no text of {HOST}/1" in checked.problems[0]
    assert (checked.texts_ill, checked.ill, checked.gaps) == (True, set(), [])
    shard.put(1, text=text)
    shard.spoil(path, text.offset + text.html // 2)
    checked = verify_archive(shard.archive)
    assert len(checked.problems) == 2
    assert checked.texts_ill


def test_a_text_that_no_row_knows_is_no_fault(shard: Shard) -> None:
    shard.put(1, text=None)
    assert verify_archive(shard.archive).problems == []


# ------------------------------------------------------------------------------- carry


def test_texts_are_carried_over_and_what_is_not_whole_is_counted(shard: Shard) -> None:
    (old,) = warc_files(shard.folder / "texts")
    text = shard.row(1).text
    assert text is not None
    shard.spoil(old, text.offset + text.html // 2)
    assert carry_texts(shard.table, shard.archive, b"job") == 1
    (new,) = warc_files(shard.folder / "texts")
    assert new != old
    assert shard.row(1).text is None
    for number in (0, 2):
        page = shard.archive.page(f"{HOST}/{number}", shard.row(number))
        assert page is not None
        assert page.content == f"Page {number}"
    assert verify_archive(shard.archive).problems == []
    assert carry_texts(shard.table, shard.archive, b"another job") == 0
    assert warc_files(shard.folder / "texts") != [new]


# ----------------------------------------------------------------------------- mending


def urls_in(path: Path) -> list[str | None]:
    return [record.url for record in records(path) if record.type == "response"]


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_file_is_written_again_in_its_place_and_its_rows_move_along(shards: Shard, which: int) -> None:
    path, before = shards.files[which], shards.files
    data = path.read_bytes()
    aside = shards.rewrite(path, lambda record: record.url != f"{HOST}/{3 * which + 1}")
    assert aside.read_bytes() == data
    assert aside.parent == shards.folder / "damaged"
    assert len(shards.files) == 3
    new = shards.files[which]
    assert new != path
    assert [each for each in shards.files if each != new] == [each for each in before if each != path]
    assert urls_in(new) == [f"{HOST}/{3 * which}", f"{HOST}/{3 * which + 2}"]
    assert next(records(new)).type == "warcinfo"
    assert shards.table.get(STATE, b"swap") is None
    for number in (3 * which, 3 * which + 2):
        assert shards.archive.record(shards.row(number)).url == f"{HOST}/{number}"
    committed = dict(shards.archive.files.all())
    assert committed == {each: each.stat().st_size for each in shards.files}
    shards.archive.versions.remove(f"{HOST}/{3 * which + 1}", shards.row(3 * which + 1).began)
    assert verify_archive(shards.archive).problems == []


def test_a_file_that_lost_its_first_record_gets_one(shard: Shard) -> None:
    (path,) = shard.files
    lost, *_ = records(path)
    shard.rewrite(path, lambda record: record.type != "warcinfo")
    (new,) = shard.files
    info, *_ = records(new)
    assert info.field("warc-record-id") == lost.field("warc-record-id"), "the other records name it"
    assert (info.type, info.field("warc-filename")) == ("warcinfo", new.name)
    assert [each.type for each in records(new)].count("warcinfo") == 1
    assert verify_archive(shard.archive).problems == []


def test_a_file_that_is_not_kept_is_gone(shard: Shard) -> None:
    (path,) = shard.files
    shard.rewrite(path, keep=False)
    assert not path.exists()
    assert not (shard.folder / "damaged").exists()
    assert verify_archive(shard.archive).problems == []


def test_a_new_file_takes_a_name_that_is_free(shards: Shard) -> None:
    first, _, last = shards.files
    for name in (f"{first.name.removesuffix('.warc.gz')}-0.warc.gz", last.name.replace("-00002.", "-00003.")):
        first.with_name(name).write_bytes(b"in the way")
    shards.rewrite(first)
    shards.rewrite(last)
    names = [path.name for path in shards.files]
    assert f"{first.name.removesuffix('.warc.gz')}-0-0.warc.gz" in names
    assert last.name.replace("-00002.", "-00004.") in names
    assert shards.archive.files.committed()[0] == last.name.replace("-00002.", "-00004.")


def test_what_a_killed_crawl_left_goes_along_and_is_still_not_committed(shard: Shard) -> None:
    (path,) = shard.files
    shard.keep(f"{HOST}/late", b"<p>Late", 10)
    shard.keep(f"{HOST}/later", b"<p>Later", 11)
    shard.table.drop_changes()
    with path.open("ab") as file:
        file.write(b"half")
    shard.rewrite(path, lambda record: record.url != f"{HOST}/0")
    (new,) = shard.files
    name, length = shard.archive.files.committed()
    assert name == new.name
    assert [group.response.url for group in whole_captures(new, length)] == [f"{HOST}/late", f"{HOST}/later"]
    assert list(shard.archive.versions.of(f"{HOST}/late")) == []
    assert [path for path, _ in shard.archive.files.all()] == [new]


def test_a_second_copy_of_a_record_is_known_and_its_row_does_not_move(shards: Shard) -> None:
    first, second, _ = shards.files
    row = shards.row(0)
    with second.open("ab") as file:
        file.write(first.read_bytes()[row.offset : row.offset + row.length])
    shards.archive.files.set_length(second.name, second.stat().st_size)
    copy = list(records(second))[-1]
    assert copy.url == f"{HOST}/0"
    assert lies_elsewhere(shards.archive, copy)
    assert not lies_elsewhere(shards.archive, next(each for each in records(first) if each.url == f"{HOST}/0"))
    assert verify_archive(shards.archive).problems == []
    shards.spoil(first, row.offset + row.length // 2)
    assert not lies_elsewhere(shards.archive, copy)


def test_a_disk_that_is_full_leaves_the_old_file_in_place(shard: Shard, monkeypatch: pytest.MonkeyPatch) -> None:
    (path,) = shard.files
    synced = os.fsync

    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StorageError, match="disk is full"):
            shard.rewrite(path)
    assert os.fsync is synced
    shard.table.drop_changes()
    assert resume(shard.table, STATE, shard.archive.folder) is None
    assert shard.files == [path]
    assert verify_archive(shard.archive).problems == []


def test_a_new_file_is_on_the_disk_before_it_counts(shard: Shard, monkeypatch: pytest.MonkeyPatch) -> None:
    (path,) = shard.files
    events: list[str] = []
    fsync, commit = os.fsync, Table.commit

    def synced(file: int) -> None:
        at = Path(os.readlink(f"/proc/self/fd/{file}"))
        events.append(f"{'folder' if at.is_dir() else 'file'} {at.stat().st_size > 0}")
        fsync(file)

    def committed(table: Table) -> None:
        events.append("commit")
        commit(table)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Table, "commit", committed)
    shard.rewrite(path, keep=False)
    assert events[:4] == ["commit", "file True", "folder True", "commit"]
    assert "folder True" in events[4:]  # the old name is gone for good before its row goes


# ------------------------------------------------------------------------------- swaps

NEW, OLD = "gossamer-20260101000000-00001.warc.gz", "gossamer-20260101000000-00000.warc.gz"


@pytest.fixture
def two(shard: Shard) -> Path:
    """A folder with both files of a swap, and nothing that the archive lists."""
    for name in (NEW, OLD):
        (shard.folder / "captures" / name).write_bytes(name.encode())
    return shard.folder / "captures"


def test_a_swap_that_does_not_count_is_undone(table: Table, two: Path) -> None:
    assert replaced(table, STATE) == ""
    begin(table, STATE, Swap(NEW, OLD, True))
    assert replaced(table, STATE) == NEW
    assert resume(table, STATE, two) is None
    assert ((two / NEW).exists(), (two / OLD).exists()) == (False, True)
    assert table.get(STATE, b"swap") is None
    assert table.pending == 0
    assert resume(table, STATE, two) is None


@pytest.mark.parametrize("keep", [True, False])
def test_a_swap_that_counts_is_finished(table: Table, two: Path, keep: bool) -> None:
    swap = Swap(NEW, OLD, keep)
    begin(table, STATE, swap)
    let_count(table, STATE, swap)
    assert replaced(table, STATE) == OLD
    table.commit()
    kept = resume(table, STATE, two)
    assert ((two / NEW).exists(), (two / OLD).exists()) == (True, False)
    assert kept == (two.parent / "damaged" / OLD if keep else None)
    assert replaced(table, STATE) == ""


def test_a_swap_is_noted_for_good_before_the_new_file_is_begun(table: Table) -> None:
    begin(table, STATE, Swap(NEW, OLD, True))
    assert table.pending == 0
    table.drop_changes()
    assert table.get(STATE, b"swap") is not None


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("last", [True, False])
def test_no_swap_takes_away_what_the_archive_lists(table: Table, two: Path, counts: bool, last: bool) -> None:
    swap = Swap(NEW, OLD, False)
    begin(table, STATE, swap)
    if counts:
        let_count(table, STATE, swap)
    leaves = OLD if counts else NEW
    if last:
        table.put(STATE, b"end", msgspec.msgpack.encode((leaves, 7)))
    else:
        table.put(STATE, b"length " + leaves.encode(), bytes(8))
    assert replaced(table, STATE) == ""
    assert resume(table, STATE, two) is None
    assert (two / NEW).exists()
    assert (two / OLD).exists()
    assert table.get(STATE, b"swap") is None


# --------------------------------------------------------------------------- what is lost


def went_on(shard: Shard) -> Shard:
    """The next crawl: it takes in what is not committed, and keeps one page."""
    shard.archive.close()
    shard.archive = Archive(shard.table, shard.folder, lambda each: replace(each, body=each.wire))
    assert list(shard.archive.files.uncommitted()) == []
    shard.archive.open(INFO, StillClock(), max_bytes=MOST)
    shard.commit()
    shard.keep(f"{HOST}/new", b"<p>New", 60.0)
    shard.commit()
    return shard


def test_after_the_last_file_is_lost_nothing_is_added_to_one_that_was_full(shards: Shard) -> None:
    """Though the one before it was mended, and its name is none that a writer goes on with."""
    first, middle, last = shards.files
    shards.archive.close()
    shards.rewrite(middle)
    last.unlink()
    gone = [url for url, version in shards.archive.versions.all() if version.file == last.name]
    for url in gone:
        shards.archive.versions.remove(url, next(shards.archive.versions.of(url)).began)
    shards.archive.files.forget_missing()
    shards.table.commit()
    before = first.read_bytes()
    archive = went_on(shards).archive
    assert first.read_bytes() == before
    assert archive.files.committed()[0] == shards.files[-1].name == next(archive.versions.of(f"{HOST}/new")).file
    assert [path for path, _ in archive.files.all()] == shards.files
    assert verify_archive(archive).problems == []
    assert list(went_on(shards).archive.files.uncommitted()) == []


@pytest.mark.parametrize("mended", [True, False])
def test_a_last_file_that_is_lost_is_missed_after_the_next_crawl_too(shards: Shard, mended: bool) -> None:
    _, middle, last = shards.files
    shards.archive.close()
    if mended:
        shards.rewrite(middle)
    last.unlink()
    sizes = {path.name: path.stat().st_size for path in shards.files}
    archive = went_on(shards).archive
    assert {path.name: path.stat().st_size for path in shards.files[:-1]} == sizes
    assert shards.files[-1].name > last.name
    assert archive.files.missing() == [last.name]
    assert f"{last.name}: is missing" in verify_archive(archive).problems


def test_a_last_file_that_was_cut_is_not_filled_up_again(shard: Shard) -> None:
    """What a row says lies there would be something else."""
    (path,) = shard.files
    cut, length = shard.row(2).offset, path.stat().st_size
    shard.archive.close()
    os.truncate(path, cut)
    archive = went_on(shard).archive
    assert path.stat().st_size == cut
    assert Gap(path.name, cut, length) in verify_archive(archive).gaps


def test_an_answer_that_was_faulty_may_have_a_body_that_its_row_does_not_know(shard: Shard) -> None:
    """As one with a chunk size that is none: nothing was taken of its body, and the record has all that came."""
    url = f"{HOST}/faulty"
    come = capture(url, b"ZZ\r\n<p>What is left of it", began=BEGAN + 100)
    faulty = replace(come, body=b"", failure=Failure(Fault.PROTOCOL, "no chunk size"))
    shard.archive.append(faulty, Page(url, "text/html"))
    shard.commit()
    assert next(shard.archive.versions.of(url)).size == 0
    assert verify_archive(shard.archive).problems == []
    shard.put(1, size=0)
    assert len(verify_archive(shard.archive).problems) == 1  # of an answer without a fault the row must know it
