"""Files of captures and texts: where they begin and end, what is synced when, and what is made of a faulty disk."""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import json
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import msgspec
import pytest
from store_samples import BEGAN, INFO, StillClock, capture, sifted

from gossamer import files, pinned_path
from gossamer.errors import Damaged, StorageError
from gossamer.model import Link, Page
from gossamer.runs.growing import Shape
from gossamer.store.cdxj import SORT_BYTES, write_sorted
from gossamer.store.foreign import wacz
from gossamer.store.mapped import Mapped
from gossamer.store.table.table import Table
from gossamer.store.url_seen import FAMILIES as SEEN_FAMILIES
from gossamer.store.url_seen import USUAL, Sieve
from gossamer.store.warc import gzip_members, reader
from gossamer.store.warc.gzip_members import (
    LEVEL,
    Member,
    is_ours,
    packed,
    packed_around,
    unpacked,
    unpacked_at_once,
    with_our_header,
)
from gossamer.store.warc.reader import cut, read, read_bytes, read_together, records, whole_captures, write_again
from gossamer.store.warc.records import Info, new_record, warcinfo
from gossamer.store.warc.texts import Texts, mark_of
from gossamer.store.warc.warc import Place, payload_digest, placed, warc_files
from gossamer.store.warc.writer import MAX_BYTES, Writer

URL = "http://example.com/a"
MOST = 1 << 30


def writer(folder: Path, **settings: object) -> Writer:
    return Writer(folder, INFO, StillClock(), **settings)  # type: ignore[arg-type] # settings are passed through


def put(to: Writer, url: str = URL, body: bytes = b"<p>Hello") -> Place:
    return to.capture(capture(url, body), payload_digest(body))


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


@contextmanager
def watched(
    patch: pytest.MonkeyPatch, name: str, fail: Callable[[int], bool] = lambda call: False
) -> Iterator[list[str]]:
    """The names of the files that a call of the system was made for; EIO for some of them."""
    met: list[str] = []
    real = getattr(os, name)

    def call(file: int, *arguments: object) -> object:
        met.append(Path(os.readlink(f"/proc/self/fd/{file}")).name)
        if fail(len(met)):
            raise OSError(errno.EIO, "Input/output error")
        return real(file, *arguments)

    with patch.context() as one:
        one.setattr(os, name, call)
        yield met


# ------------------------------------------------------------------------------ writing


def test_a_file_holds_a_gigabyte_unless_told_otherwise(tmp_path: Path) -> None:
    assert MAX_BYTES == 1 << 30
    to = writer(tmp_path, max_bytes=1)
    first = put(to)
    second = put(to)
    assert first.file != second.file
    usual = writer(tmp_path, prefix="gossamer-07")
    assert put(usual).file == put(usual).file
    assert put(usual).file.startswith("gossamer-07-")


def test_names_count_from_zero_and_never_go_back(tmp_path: Path) -> None:
    clock = StillClock()
    to = Writer(tmp_path, INFO, clock, max_bytes=MOST)
    assert put(to).file == "gossamer-20261115000000-00000.warc.gz"
    clock.now -= 86_400
    assert to.start_another() == "gossamer-20261115000000-00001.warc.gz"
    clock.now += 2 * 86_400
    assert to.start_another() == "gossamer-20261116000000-00002.warc.gz"
    assert put(to).file == "gossamer-20261116000000-00002.warc.gz"
    to.close()
    again = Writer(tmp_path, INFO, StillClock(BEGAN - 9e6), max_bytes=MOST)
    assert put(again).file == "gossamer-20261116000000-00002.warc.gz"


def test_a_watched_archive_begins_a_file_with_each_day(tmp_path: Path) -> None:
    clock = StillClock()
    to = Writer(tmp_path, INFO, clock, daily=True)
    names = []
    for hours in (0, 23, 1, 23, -48, 1, 100):
        clock.now += hours * 3_600
        names.append(put(to).file)
    assert [name.split("-")[1][:8] for name in names] == ["20261115"] * 2 + ["20261116"] * 4 + ["20261119"]
    assert len(set(names)) == 3
    to.close()
    assert put(Writer(tmp_path, INFO, clock, daily=True)).file == names[-1]
    assert put(writer(tmp_path)).file == names[-1]  # days before


def test_records_that_belong_together_lie_together(tmp_path: Path) -> None:
    to = writer(tmp_path)
    name, offset = to.write(packed([b"WARC/1.1\r\n\r\n"], 1), packed([b"WARC/1.1\r\nx"], 1))
    assert offset == next(records(tmp_path / name)).place.length
    assert to.write(b"more")[1] == (tmp_path / name).stat().st_size - 4
    assert to.sync() == (name, (tmp_path / name).stat().st_size)


def test_before_anything_is_written_it_is_told_where_it_will_be(tmp_path: Path) -> None:
    to = writer(tmp_path)
    size = warc_files(tmp_path)[0].stat().st_size
    told: list[Place] = []
    place = to.capture(capture(), payload_digest(b""), before=lambda place, rendered: told.append(place))
    assert told == [place]
    assert place.offset == size

    def refuses(place: Place, _: int) -> None:
        raise KeyError

    size = warc_files(tmp_path)[0].stat().st_size
    with pytest.raises(KeyError):
        to.capture(capture(), payload_digest(b""), before=refuses)
    assert warc_files(tmp_path)[0].stat().st_size == size


def test_a_new_file_and_its_folder_are_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with watched(monkeypatch, "fsync") as synced:
        to = writer(tmp_path)
        assert synced == [tmp_path.name]
        to.close()
        assert synced == [tmp_path.name, warc_files(tmp_path)[0].name]
        to.close()
        assert len(synced) == 2


def test_a_sync_that_failed_once_fails_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = open_files()
    to = writer(tmp_path)
    put(to)
    with watched(monkeypatch, "fsync", lambda call: call == 1) as synced:
        for _ in range(3):
            with pytest.raises(StorageError, match=r"00000\.warc\.gz.*Input/output"):
                to.sync()
        to.close()
        assert len(synced) == 1
    assert open_files() == before


def test_a_writer_that_is_closed_holds_nothing_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = open_files()
    to = writer(tmp_path, max_bytes=1)
    for _ in range(3):
        put(to)
    assert open_files() == before + 1
    with watched(monkeypatch, "fsync", lambda call: True), pytest.raises(StorageError):
        to.close()
    to.close()
    assert open_files() == before


def test_a_write_that_fails_is_told_with_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    to = writer(tmp_path)
    with watched(monkeypatch, "pwritev", lambda call: True), pytest.raises(StorageError, match=r"00000\.warc\.gz"):
        put(to)
    assert put(to).offset == next(records(warc_files(tmp_path)[0])).place.length


def test_levels_pack_tighter_or_faster(tmp_path: Path) -> None:
    body = b"".join(b"<p>words %d that repeat" % (number % 97) for number in range(2_000))
    sizes = []
    for level in (1, 9):
        (tmp_path / str(level)).mkdir()
        sizes.append(put(writer(tmp_path / str(level), level=level), body=body).length)
    assert sizes[1] < sizes[0]
    assert LEVEL in (1, 2)


# ------------------------------------------------------------------------------ reading


def test_records_are_read_together_or_not_at_all(tmp_path: Path) -> None:
    to = writer(tmp_path)
    place = put(to)
    path = tmp_path / place.file
    (group,) = whole_captures(path)
    lengths = [each.place.length for each in (group.response, group.request, group.metadata)]
    found = read_together(path, place.offset, lengths)
    assert found == [group.response, group.request, group.metadata]
    assert read_together(path, place.offset, [lengths[0], lengths[1] - 1]) == []
    assert read_together(path, place.offset + 1, lengths[:1]) == []
    assert group.end == place.offset + sum(lengths)


def test_reading_leaves_no_file_open_and_a_missing_file_is_damage(tmp_path: Path) -> None:
    place = put(writer(tmp_path))
    before = open_files()
    assert read_bytes(tmp_path / place.file, place.offset, [3]) == b"\x1f\x8b\x08"
    assert read(tmp_path, place).url == URL
    assert open_files() == before
    with pytest.raises(Damaged, match=r"is missing.*restore it from a copy"):
        read_bytes(tmp_path / "gossamer-20200101000000-00000.warc.gz", 0, [1])
    with pytest.raises(Damaged, match=f"record {place.record} is not whole at offset 1"):
        read(tmp_path, Place(place.file, 1, place.length, place.record))


def test_a_row_names_files_of_ours_only(tmp_path: Path) -> None:
    name = "gossamer-03-texts-20261115000000-00000-0-0.warc.gz"
    assert placed(tmp_path, name) == tmp_path / name
    for odd in ("../x.warc.gz", "x.warc.gz", "/etc/passwd", f"{name}/..", ""):
        with pytest.raises(Damaged, match="no name of ours; nothing was touched"):
            placed(tmp_path, odd)


def test_a_cut_lasts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / put(writer(tmp_path)).file
    with watched(monkeypatch, "fsync") as synced:
        cut(path, 100)
    assert (path.stat().st_size, synced) == (100, [path.name])
    with watched(monkeypatch, "fsync", lambda call: True), pytest.raises(StorageError, match="Input/output"):
        cut(path, 90)


@pytest.mark.parametrize("slice_", [1 << 20, 7])
def test_what_is_written_again_is_all_of_it_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slice_: int
) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(range(100)))
    monkeypatch.setattr(reader, "_AGAIN", slice_)
    written: list[int] = []
    pwrite = os.pwrite

    def noted(file: int, data: bytes, at: int) -> int:
        written.extend(range(at, at + len(data)))
        return pwrite(file, data, at)

    monkeypatch.setattr(os, "pwrite", noted)
    with watched(monkeypatch, "fsync") as synced:
        write_again(path, 10, 10)
        assert (written, synced) == ([], [])
        write_again(path, 10, 55)
    assert written == list(range(10, 55))
    assert synced == ["file"]
    assert path.read_bytes() == bytes(range(100))
    monkeypatch.setattr(os, "pwrite", lambda file, data, at: len(data) - 1)
    with pytest.raises(StorageError, match="disk is full"):
        write_again(path, 10, 55)


def test_what_is_read_after_a_crash_comes_from_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x")
    asked: list[tuple[int, ...]] = []
    monkeypatch.setattr(os, "posix_fadvise", lambda file, *told: asked.append(told))
    reader.forget_cached(path, 17)
    assert asked == [(17, 0, os.POSIX_FADV_DONTNEED)]


def test_metadata_of_ours_is_read_though_other_lines_stand_before_it(tmp_path: Path) -> None:
    (group,) = whole_captures(tmp_path / put(writer(tmp_path)).file)
    assert reader.circumstances(group.metadata).visit.url == URL


# ------------------------------------------------------------------------------ members


def test_members_are_ours_by_their_first_bytes() -> None:
    for level in (1, 3, 6, 9):
        assert is_ours(packed([b"words"], level)[: gzip_members.HEADER_LENGTH])
    around = packed_around(b"text", b"dense", b"end")
    assert is_ours(around[: gzip_members.HEADER_LENGTH])
    changed = around[:4] + b"date" + around[8:]
    assert not is_ours(changed[: gzip_members.HEADER_LENGTH])
    assert gzip.decompress(with_our_header(changed)) == b"textdenseend"
    assert with_our_header(around) == around


@pytest.mark.parametrize("size", [0, 1, 0xFFFF, 0x10000, 200_000])
def test_what_is_dense_lies_as_it_is_between_text_and_end(size: int) -> None:
    dense = os.urandom(size)
    member = packed_around(b"WARC/1.1 text", dense, b"end")
    assert gzip.decompress(member) == b"WARC/1.1 text" + dense + b"end"
    assert len(member) < size + 200
    assert unpacked([member]) == (b"WARC/1.1 text" + dense + b"end", len(member))


def test_large_and_small_parts_pack_to_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [b"WARC/1.1 ", os.urandom(3_000), b"end"]
    for most in (1 << 20, 3_012, 3_011, 10):
        monkeypatch.setattr(gzip_members, "_JOINED_MOST", most)
        for level in (1, 2, 3, 4, 9):
            assert gzip.decompress(packed(parts, level)) == b"".join(parts)


def test_a_member_is_unpacked_from_any_chunks() -> None:
    member = packed([b"WARC/1.1\r\n" + b"words " * 500], 1)
    for size in (1, 3, 7, 100, 10_000):
        data = member + b"next"
        found = unpacked(data[at : at + size] for at in range(0, len(data), size))
        assert found == (b"WARC/1.1\r\n" + b"words " * 500, len(member))
    assert unpacked([member[:-1]]) is None
    assert unpacked([]) is None
    for other in (b"WARK", b"", b"WARC"):
        assert unpacked([packed([other], 1)]) is None


@pytest.mark.parametrize("size", [0, 500, (1 << 20) - 10, 1 << 20, 3_000_000])
def test_a_member_in_memory_is_unpacked_at_once_whatever_its_size(size: int) -> None:
    for text in (b"words " * (size // 6), os.urandom(size)):
        data = b"WARC/1.1\r\n" + text
        member = packed([data], 1)
        assert unpacked_at_once(member + b"next") == data
        assert unpacked_at_once(member[:-1]) is None
        assert unpacked_at_once(packed([b"K" + data], 1)) is None
    assert unpacked_at_once(b"") is None
    assert unpacked_at_once(b"nothing of ours") is None


def test_a_file_that_is_held_is_read_where_it_was_when_it_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    kept = pinned_path.file(path, files.descriptor(path))
    assert kept.handle is not None
    path.unlink()
    assert files.read_at(kept, 3, 4) == b"456"
    assert files.read_at(kept, 30, 8) == b"89"
    os.close(kept.handle)
    with pytest.raises(FileNotFoundError):
        files.read_at(path, 3, 4)


def test_members_come_with_their_places(tmp_path: Path) -> None:
    first, second = packed([b"WARC/1"], 1), packed([b"WARC/2"], 1)
    path = tmp_path / "file"
    path.write_bytes(first + b"??" + second)
    assert list(gzip_members.members(path)) == [
        Member(0, len(first), b"WARC/1"),
        Member(len(first) + 2, len(second), b"WARC/2"),
    ]
    assert list(gzip_members.members(path, len(first))) == [Member(len(first) + 2, len(second), b"WARC/2")]


# -------------------------------------------------------------------------------- texts


def said(words: str, **more: object) -> Page:
    fields = {"text": f"Menu\n{words}", "content": words, "html": f"<p>{words}</p>"} | more
    return Page(URL, "text/html", "UTF-8", **fields)  # type: ignore[arg-type] # a test may replace any field


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Table.open(tmp_path / "table", ["archive"], writable=True) as table:
        yield table


@pytest.fixture
def texts(table: Table, tmp_path: Path) -> Texts:
    return opened(table, tmp_path)


def opened(table: Table, folder: Path) -> Texts:
    texts = Texts(table, "archive", folder)
    assert not texts.is_open
    texts.open(INFO, StillClock(), prefix="gossamer", max_bytes=MOST)
    assert texts.is_open
    return texts


def test_texts_are_read_back_with_and_without_a_plain_record(texts: Texts) -> None:
    for page in (said("one"), said("two", text="two"), said("three", canonical=URL + "b")):
        place = texts.write(page, URL, BEGAN, "uuid")
        assert texts.read(URL, place) == page
        assert texts.content(place) == page.content
        assert (place.plain == 0) is (page.text == page.content)
        assert place.mark == mark_of(page)


def test_a_place_where_another_text_lies_is_no_text(texts: Texts) -> None:
    first, second = (texts.write(said(words), URL, BEGAN, "uuid") for words in ("one", "two"))
    wrong = msgspec.structs.replace(first, record=second.record)
    with pytest.raises(Damaged, match="no text of"):
        texts.read(URL, wrong)
    assert texts.carried(wrong) is None
    assert texts.content(wrong) == ""
    nowhere = msgspec.structs.replace(first, file="gossamer-texts-20200101000000-00000.warc.gz")
    assert texts.carried(nowhere) is None
    assert texts.content(nowhere) == ""
    carried = texts.carried(first)
    assert carried is not None
    assert carried.offset > second.offset
    assert texts.read(URL, carried) == said("one")


def test_marks_tell_pages_apart_that_say_different_things() -> None:
    pages = [
        said("x"),
        Page(URL, "text/html", "windows-1252"),
        Page(URL, "text/html", None),
        Page(URL, "text/plain", None),
        said("x", canonical=URL + "b"),
        said("x", links=(Link(URL + "b"),)),
        said("x", links=(Link(URL + "c"),)),
    ]
    assert len({mark_of(page) for page in pages}) == len(pages)
    assert mark_of(said("x", links=(Link(URL, "anchor"),))) == mark_of(said("y", links=(Link(URL, "other"),)))


def test_files_count_from_the_oldest_to_the_last_and_up_to_the_commit(
    table: Table, texts: Texts, tmp_path: Path
) -> None:
    place = texts.write(said("one"), URL, BEGAN, "uuid")
    assert texts.files() == []
    texts.prepare()
    (path,) = warc_files(tmp_path / "texts")
    length = path.stat().st_size
    assert texts.files() == [(path, length)]
    texts.write(said("two"), URL, BEGAN, "uuid")
    assert texts.files() == [(path, length)]
    assert texts.there(place)
    new = texts.begin_anew(b"job")
    assert texts.begin_anew(b"job") == new
    assert [each.name for each in warc_files(tmp_path / "texts")] == [path.name, new]
    carried = texts.carried(place)
    assert carried is not None
    assert carried.file == new
    texts.prepare()
    assert [each.name for each, _ in texts.files()] == [path.name, new]
    texts.retire_old()
    assert [each.name for each, _ in texts.files()] == [new]
    assert (texts.there(place), texts.there(carried)) == (False, True)
    assert texts.begin_anew(b"job") != new  # the last one is done
    texts.remove_old()
    assert new in [each.name for each in warc_files(tmp_path / "texts")]
    assert not path.exists()
    (tmp_path / "texts" / new).unlink()
    assert not texts.there(carried)


def test_opening_sweeps_what_no_commit_knows(table: Table, texts: Texts, tmp_path: Path) -> None:
    texts.write(said("one"), URL, BEGAN, "uuid")
    texts.prepare()
    old = warc_files(tmp_path / "texts")[0]
    new = tmp_path / "texts" / texts.begin_anew(b"job")
    place = texts.write(said("two"), URL, BEGAN, "uuid")
    texts.prepare()
    length = new.stat().st_size
    texts.write(said("three"), URL, BEGAN, "uuid")
    stray = tmp_path / "texts" / "gossamer-texts-29991231235959-00000.warc.gz"
    stray.write_bytes(b"x")
    texts.close()
    assert not texts.is_open
    texts.close()
    texts.prepare()
    again = opened(table, tmp_path)
    assert [path.name for path in warc_files(tmp_path / "texts")] == [old.name, new.name]
    assert new.stat().st_size == length
    assert again.read(URL, place) == said("two")
    again.retire_old()
    again.close()
    opened(table, tmp_path)
    assert warc_files(tmp_path / "texts") == [new]


# -------------------------------------------------------------------------------- WACZ


def test_a_wacz_has_its_files_its_index_and_their_digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wacz, "BLOCK", 2)
    monkeypatch.setattr(wacz, "_CHUNK", 10)
    one, other = tmp_path / "A.warc.gz", tmp_path / "b.warc.gz"
    one.write_bytes(bytes(range(100)))
    other.write_bytes(b"short")
    lines = [f'com,example)/{name} 2026 {{"url": "{name}"}}' for name in "cabed"]
    pages = [wacz.Listed("1", URL, BEGAN, "Title \u202e", "Words"), wacz.Listed("2", URL + "b", BEGAN + 1, "", "")]
    out = io.BytesIO()
    about = wacz.About("A title", "Gossamer/1", BEGAN, URL)
    with pytest.raises(Damaged, match="ends at byte 5 of 99"):
        wacz.write(io.BytesIO(), [(one, 35), (other, 99)], lines, pages, about)
    assert wacz.write(out, [(one, 35), (other, 5)], lines, pages, about) == 2
    with ZipFile(out) as file:
        names = file.namelist()
        data = {name: file.read(name) for name in names}
        kinds = {info.filename: info.compress_type for info in file.infolist()}
        assert {info.date_time for info in file.infolist()} == {(2026, 11, 15, 0, 0, 0)}
    assert data["archive/A.warc.gz"] == bytes(range(35))
    assert data["archive/b.warc.gz"] == b"short"
    index = gzip.decompress(data["indexes/index.cdx.gz"]).decode().splitlines()
    assert index == sorted(lines)
    first, *blocks = data["indexes/index.idx"].decode().splitlines()
    assert first == '!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}'
    assert len(blocks) == 3
    for number, block in enumerate(blocks):
        key, _, told = block.partition(" {")
        where = json.loads("{" + told)
        member = data["indexes/index.cdx.gz"][where["offset"] : where["offset"] + where["length"]]
        assert zlib.decompress(member, 31).decode().splitlines() == sorted(lines)[2 * number : 2 * number + 2]
        assert key == sorted(lines)[2 * number].partition(" {")[0]
        assert where["digest"] == f"sha256:{hashlib.sha256(member).hexdigest()}"
    head, *listed = [json.loads(line) for line in data["pages/pages.jsonl"].splitlines()]
    assert head == {"format": "json-pages-1.0", "id": "pages", "title": "All pages", "hasText": True}
    assert [(page["id"], page["url"], page["ts"]) for page in listed] == [
        ("1", URL, "2026-11-15T00:00:00Z"),
        ("2", URL + "b", "2026-11-15T00:00:01Z"),
    ]
    package = json.loads(data["datapackage.json"])
    assert (package["title"], package["software"], package["mainPageUrl"]) == ("A title", "Gossamer/1", URL)
    assert (package["created"], package["wacz_version"], package["profile"]) == (
        "2026-11-15T00:00:00Z",
        "1.1.1",
        "data-package",
    )
    told = {each["path"]: (each["name"], each["hash"], each["bytes"]) for each in package["resources"]}
    assert told == {
        name: (
            name.rpartition("/")[2].lower(),
            f"sha256:{hashlib.sha256(data[name]).hexdigest()}",
            len(data[name]),
        )
        for name in names
        if "/" in name
    }
    assert json.loads(data["datapackage-digest.json"]) == {
        "path": "datapackage.json",
        "hash": f"sha256:{hashlib.sha256(data['datapackage.json']).hexdigest()}",
    }
    assert kinds["archive/A.warc.gz"] == kinds["indexes/index.cdx.gz"] == ZIP_STORED
    assert kinds["pages/pages.jsonl"] == kinds["indexes/index.idx"] == kinds["datapackage.json"] == ZIP_DEFLATED


def test_a_wacz_without_a_main_page_names_none() -> None:
    out = io.BytesIO()
    assert wacz.write(out, [], [], [], wacz.About("", "", BEGAN)) == 0
    with ZipFile(out) as file:
        assert "mainPageUrl" not in json.loads(file.read("datapackage.json"))


# ----------------------------------------------------------------------------- the rest


def test_sorting_holds_so_many_bytes_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    assert SORT_BYTES == 32 << 20
    runs: list[int] = []
    monkeypatch.setattr(
        "gossamer.store.cdxj.heapq.merge",
        lambda *files: [runs.append(sum(1 for _ in file)) for file in files] and [],
    )
    write_sorted(["123456789"] * 10, io.BytesIO(), sort_bytes=40)
    assert runs == [4, 4, 2]


def test_what_is_mapped_is_given_free(tmp_path: Path) -> None:
    before = open_files()
    mapped = Mapped(tmp_path / "file", 100)
    assert (tmp_path / "file").stat().st_size == 100
    mapped.close()
    assert open_files() == before
    with pytest.raises(ValueError, match="closed"):
        mapped.memory[0]


def test_a_warcinfo_says_only_what_is_known() -> None:
    alone = unpacked([warcinfo(Info("Gossamer/1"), "x.warc.gz", BEGAN, new_record())])
    assert alone is not None
    assert b"operator" not in alone[0]
    assert b"user-agent" not in alone[0]
    assert b"WARC-Date: 2026-11-15T00:00:00.250Z" in alone[0]


def test_a_sieve_that_is_closed_leaves_no_file_that_does_not_count(tmp_path: Path) -> None:
    with Table.open(tmp_path / "table", SEEN_FAMILIES, writable=True) as table:
        sieve = sifted(table, tmp_path / "seen", Shape(generation=4, fan=2, at_once=2), 12)
        assert any(name.endswith(".partial") for name in os.listdir(tmp_path / "seen"))
        sieve.close()
        assert not any(name.endswith(".partial") for name in os.listdir(tmp_path / "seen"))
        listed = {f"{run.number:08}" for run in sieve._runs.now}
        assert {name.partition(".")[0] for name in os.listdir(tmp_path / "seen")} == listed


def test_a_sieve_opened_after_a_kill_sweeps_what_no_list_names(tmp_path: Path) -> None:
    with Table.open(tmp_path / "table", SEEN_FAMILIES, writable=True) as table:
        sieve = Sieve(table, tmp_path / "seen", Shape(generation=2, fan=9, at_once=9))
        sieve.restart()
        for number in range(2):
            sieve.put(number, 1)
        sieve.prepare()
        table.commit()
    counts = set(os.listdir(tmp_path / "seen"))
    for name in ("00000099.keys", "00000099.marks", "00000001.keys.partial"):
        (tmp_path / "seen" / name).write_bytes(b"x")
    (tmp_path / "seen" / "notes").write_bytes(b"not ours")
    with Table.open(tmp_path / "table", SEEN_FAMILIES, writable=True) as table:
        sieve = Sieve(table, tmp_path / "seen")
        assert sieve.marks([0, 1, 2]) == [1, 1, -1]
        assert sieve._runs.shape == USUAL == Shape(1 << 17, 4, 200_000)  # as it was measured
    assert set(os.listdir(tmp_path / "seen")) == counts | {"notes"}


def test_a_place_where_no_sieve_can_be_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("gossamer.files.make_folder", full)
    with pytest.raises(StorageError, match="disk is full"):
        Sieve(None, tmp_path / "seen")  # type: ignore[arg-type] # it does not come so far
