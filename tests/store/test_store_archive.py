"""What is kept, what its row says of it, and how one capture stands for another."""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from store_samples import BEGAN, INFO, StillClock, capture

from gossamer.errors import Damaged
from gossamer.model import Capture, Kind, Link, Page, Visit
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.store.versions import STATE, First, Version
from gossamer.store.warc.warc import payload_digest, warc_files

URL, OTHER, THIRD = (f"http://example.com/{name}" for name in ("a", "b", "c"))
BODY = b"<p>Hello"
MOST = 1 << 30


def decoded(one: Capture) -> Capture:
    coded = one.header("content-encoding") == "gzip"
    return replace(one, body=zlib.decompress(one.wire, 31) if coded else one.wire)


def started(table: Table, folder: Path, most: int = MOST) -> Archive:
    archive = Archive(table, folder, decoded)
    archive.texts.open(INFO, StillClock(), prefix="gossamer", max_bytes=most)
    archive.open(INFO, StillClock(), max_bytes=most)
    return archive


@pytest.fixture
def archive(table: Table, tmp_path: Path) -> Archive:
    return started(table, tmp_path)


def said(url: str = URL, body: bytes = BODY, **more: object) -> Page:
    words = body.decode("latin-1").removeprefix("<p>")
    fields = {"text": f"Menu\n{words}", "content": words, "html": f"<p>{words}</p>", "digest": payload_digest(body)}
    return Page(url, "text/html", "UTF-8", **(fields | more))  # type: ignore[arg-type] # a test may replace any field


def keep(archive: Archive, url: str = URL, body: bytes = BODY, after: float = 0.0, **more: object) -> Version | None:
    return archive.append(capture(url, body, began=BEGAN + after), said(url, body, **more))


def latest(archive: Archive, url: str = URL) -> Version:
    return next(archive.versions.of(url))


def answered(archive: Archive, line: str, body: bytes = b"", after: float = 0.0, url: str = URL) -> Version | None:
    head = f"HTTP/1.1 {line}\r\nContent-Type: text/html\r\n\r\n".encode()
    return archive.append(capture(url, body, head=head, began=BEGAN + after), said(url, body))


def commit(archive: Archive, table: Table) -> None:
    archive.prepare()
    table.commit()


# ------------------------------------------------------------------------ what is kept


def test_silence_and_answers_to_head_are_not_kept(archive: Archive, tmp_path: Path) -> None:
    (file,) = warc_files(tmp_path / "captures")
    before = file.stat().st_size
    assert not archive.append(capture(URL, visit=Visit(URL, method="HEAD")), said())
    assert not archive.append(capture(URL, status=0), said())
    assert file.stat().st_size == before
    assert list(archive.versions.of(URL)) == []


def test_a_row_says_what_the_capture_and_the_page_say(archive: Archive) -> None:
    came = capture(URL, BODY, truncated="length")
    page = said(title="A title", noindex=True, noarchive=True, canonical=OTHER, copy_of=THIRD)
    row = archive.append(came, page)
    assert row == latest(archive)
    assert (row.began, row.status, row.kind, row.media_type) == (BEGAN, 200, Kind.PAGE, "text/html")
    assert (row.encoding, row.digest, row.size) == ("UTF-8", page.digest, len(BODY))
    assert (row.title, row.truncated, row.noindex, row.noarchive) == ("A title", "length", True, True)
    assert (row.canonical, row.copy_of, row.near_copy_of) == (OTHER, THIRD, None)
    assert (row.original, row.original_began, row.text_of, row.text_began) == (None, 0.0, None, 0.0)
    assert row.text is not None
    assert row.wire_digest is None
    record = archive.record(row)
    assert (record.type, record.url, record.payload) == ("response", URL, BODY)


def test_a_page_that_names_itself_names_no_other(archive: Archive) -> None:
    keep(archive, canonical=URL)
    assert latest(archive).canonical is None


def test_the_digest_of_a_record_is_that_of_the_bytes_as_they_came(archive: Archive) -> None:
    wire = zlib.compress(BODY, 9, 31)
    archive.append(capture(URL, wire, coding="gzip", body=BODY), said())
    keep(archive, OTHER, b"<p>Plain", digest="")
    row, plain = latest(archive), latest(archive, OTHER)
    assert (row.digest, row.payload, row.size) == (payload_digest(BODY), payload_digest(wire), len(BODY))
    assert archive.record(row).field("warc-payload-digest") == payload_digest(wire)
    assert archive.wire(row) == wire
    assert archive.capture(URL, row).body == BODY
    assert (plain.digest, plain.payload) == ("", payload_digest(b"<p>Plain"))
    assert archive.record(plain).field("warc-payload-digest") == payload_digest(b"<p>Plain")


@pytest.mark.parametrize(
    ("line", "has_text"), [("200 OK", True), ("299 Odd", True), ("300 Many", False), ("199 x", False)]
)
def test_only_answers_that_bring_a_page_have_a_text(archive: Archive, line: str, has_text: bool) -> None:
    answered(archive, line, BODY)
    assert (latest(archive).text is not None) is has_text


def test_what_is_no_page_has_no_text_and_is_nobodys_original(archive: Archive) -> None:
    archive.append(capture(URL, BODY, visit=Visit(URL, Kind.ROBOTS)), said())
    keep(archive, OTHER, after=1)
    assert latest(archive).text is None
    assert latest(archive, OTHER).original is None
    assert archive.first_url(payload_digest(BODY)) == OTHER


def test_an_error_is_nobodys_original(archive: Archive) -> None:
    answered(archive, "404 Not Found", BODY)
    keep(archive, OTHER, after=1)
    assert latest(archive, OTHER).original is None
    assert archive.first_url(payload_digest(BODY)) == OTHER


def test_texts_that_are_not_open_are_left_to_a_build(table: Table, tmp_path: Path) -> None:
    archive = Archive(table, tmp_path, decoded)
    archive.open(INFO, StillClock(), max_bytes=MOST)
    keep(archive)
    row = latest(archive)
    assert row.text is None
    assert archive.page(URL, row) is None
    assert archive.content(URL, row) == ""
    assert row.hint == b""


# -------------------------------------------------------------------- the same payload


def test_every_later_capture_points_at_the_response_that_has_the_payload(archive: Archive) -> None:
    keep(archive)
    first = latest(archive)
    for after, url in enumerate((OTHER, URL, URL, THIRD), 1):
        keep(archive, url, after=after)
        row = latest(archive, url)
        assert (row.original, row.original_began) == (URL, BEGAN)
        record = archive.record(row)
        assert record.type == "revisit"
        assert record.original is not None
        assert (record.original.url, record.original.record) == (URL, first.record)
        assert record.payload == b""
        assert archive.wire(row) == BODY
        assert archive.capture(url, row).body == BODY


def test_a_payload_that_came_in_another_coding_is_kept_for_itself(archive: Archive) -> None:
    keep(archive)
    archive.append(capture(URL, zlib.compress(BODY, 9, 31), coding="gzip", body=BODY, began=BEGAN + 1), said())
    assert latest(archive).original is None


def test_pages_without_a_body_are_not_taken_for_one_another(archive: Archive) -> None:
    keep(archive, URL, b"")
    keep(archive, OTHER, b"", after=1)
    assert latest(archive, OTHER).original is None
    assert archive.first_url(payload_digest(b"")) is None


def test_an_answer_that_nothing_changed_is_no_version_and_points_back(archive: Archive, tmp_path: Path) -> None:
    keep(archive)
    first = latest(archive)
    assert not answered(archive, "304 Not Modified", after=1)
    assert list(archive.versions.of(URL)) == [first]
    assert not answered(archive, "304 Not Modified", url=OTHER)
    assert list(archive.versions.of(OTHER)) == []


def test_an_answer_that_nothing_changed_points_at_what_was_there_then(
    archive: Archive, table: Table, tmp_path: Path
) -> None:
    keep(archive)
    keep(archive, body=b"<p>Later", after=100)
    answered(archive, "304 Not Modified", after=50)
    *_, group = Archive(table, tmp_path, decoded).files.uncommitted()
    assert group.response.original is not None
    assert group.response.original.began == BEGAN
    assert archive.restored(group).body == BODY


def test_a_revisit_of_what_is_gone_is_damage(archive: Archive) -> None:
    keep(archive)
    keep(archive, OTHER, after=1)
    archive.versions.remove(URL, BEGAN)
    with pytest.raises(Damaged, match="is missing"):
        archive.capture(OTHER, latest(archive, OTHER))


def test_a_page_that_says_the_same_again_is_not_new(archive: Archive) -> None:
    assert keep(archive)
    assert not keep(archive, after=1)
    assert keep(archive, body=b"<p>New", after=2)
    assert keep(archive, OTHER, after=3)


def test_a_page_that_becomes_a_copy_is_new_and_stays_marked_otherwise(archive: Archive) -> None:
    keep(archive)
    archive.mark(URL, near_copy_of=OTHER)
    assert not keep(archive, after=1)
    assert latest(archive).near_copy_of == OTHER
    assert keep(archive, after=2, copy_of=THIRD)
    assert (latest(archive).copy_of, latest(archive).near_copy_of) == (THIRD, None)


def test_the_first_with_a_payload_stays_the_first(archive: Archive) -> None:
    keep(archive)
    first = archive.versions.first(payload_digest(BODY))
    assert first == First(URL, BEGAN, latest(archive).record)
    archive.versions.remove(URL, BEGAN)
    keep(archive, OTHER, after=1)
    assert archive.versions.first(payload_digest(BODY)) == first


def test_a_page_of_another_shard_is_marked_as_a_copy_only_while_it_says_the_same(archive: Archive) -> None:
    assert not archive.mark_copy(URL, payload_digest(BODY), OTHER)
    keep(archive)
    assert not archive.mark_copy(URL, payload_digest(b"another"), OTHER)
    assert latest(archive).copy_of is None
    assert archive.mark_copy(URL, payload_digest(BODY), OTHER)
    assert latest(archive).copy_of == OTHER
    assert archive.mark(THIRD, copy_of=URL) is None


def test_a_copy_of_a_copy_reads_the_text_of_the_first(archive: Archive) -> None:
    keep(archive)
    keep(archive, OTHER, after=1)
    keep(archive, OTHER, after=2)
    row = latest(archive, OTHER)
    assert (row.text, row.text_of, row.text_began) == (None, URL, BEGAN)
    page = archive.page(OTHER, row)
    assert page == said(OTHER)
    assert archive.content(OTHER, row) == "Hello"


# ------------------------------------------------------------------- taking records out


def test_a_capture_is_written_again_with_its_payload_or_pointing_elsewhere(archive: Archive) -> None:
    keep(archive)
    keep(archive, OTHER, after=1)
    keep(archive, THIRD, after=2)
    heir = archive.restate(OTHER, latest(archive, OTHER), None)
    row = latest(archive, OTHER)
    assert (row.original, row.original_began) == (None, 0.0)
    assert (heir.url, heir.began, heir.record) == (OTHER, row.began, row.record)
    assert archive.restate(THIRD, latest(archive, THIRD), heir) == heir
    third = latest(archive, THIRD)
    assert (third.original, third.original_began) == (OTHER, BEGAN + 1)
    archive.versions.remove(URL, BEGAN)
    for url, type_ in ((OTHER, "response"), (THIRD, "revisit")):
        assert archive.record(latest(archive, url)).type == type_
        assert archive.capture(url, latest(archive, url)).body == BODY


# ------------------------------------------------------------------------ not read yet


def unread(body: bytes = BODY) -> Page:
    return Page(URL, "text/html", digest=payload_digest(body), problem="oops", unread="mistake")


def test_a_page_that_was_not_read_is_noted_until_it_is(archive: Archive) -> None:
    archive.append(capture(URL, BODY), unread())
    assert URL in archive.unread
    assert [(url, note.problem, note.began) for url, note in archive.not_read()] == [(URL, "oops", BEGAN)]
    shown = archive.page(URL, latest(archive))
    assert shown is not None
    assert (shown.problem, shown.unread, shown.digest) == ("oops", "mistake", payload_digest(BODY))
    row = archive.read_again(URL, latest(archive), said(title="Now", canonical=OTHER))
    assert row == latest(archive)
    assert (row.title, row.canonical, row.text_of) == ("Now", OTHER, None)
    assert archive.page(URL, row) == said(title="Now", canonical=OTHER)
    assert list(archive.not_read()) == []


def test_only_pages_are_read_again_to_a_text_and_only_when_texts_are_kept(archive: Archive) -> None:
    archive.append(capture(URL, BODY, visit=Visit(URL, Kind.SITEMAP)), unread())
    assert archive.read_again(URL, latest(archive), said()).text is None
    archive.append(capture(URL, BODY, began=BEGAN + 1), unread())
    archive.texts.close()
    assert archive.read_again(URL, latest(archive), said()).text is None


def test_a_page_that_cannot_be_read_today_says_what_the_same_bytes_said(archive: Archive) -> None:
    keep(archive)
    archive.append(capture(URL, BODY, began=BEGAN + 1), unread())
    row = latest(archive)
    assert (row.text, row.text_of, row.text_began) == (None, URL, BEGAN)
    assert URL not in archive.unread
    archive.append(capture(URL, b"<p>New", began=BEGAN + 2), unread(b"<p>New"))
    assert (latest(archive).text_of, URL in archive.unread) == (None, True)
    keep(archive, body=b"<p>Newer", after=3)
    assert URL not in archive.unread


def test_a_note_without_its_version_is_not_shown(archive: Archive) -> None:
    archive.append(capture(URL, BODY), unread())
    archive.versions.remove(URL, BEGAN)
    assert list(archive.not_read()) == []


# --------------------------------------------------------------------------- its words


def test_the_main_content_or_all_words_where_there_is_none(archive: Archive) -> None:
    keep(archive)
    keep(archive, OTHER, b"<p>All", content="", html="", after=1)
    assert archive.content(URL, latest(archive)) == "Hello"
    assert archive.content(OTHER, latest(archive, OTHER)) == "Menu\nAll"
    assert archive.hinted(latest(archive).hint) == "Hello"
    assert archive.hinted(b"") == archive.hinted(b"\x01no hint") == ""


def test_a_text_whose_owner_is_gone_is_no_text(archive: Archive) -> None:
    keep(archive)
    keep(archive, OTHER, after=1)
    archive.versions.remove(URL, BEGAN)
    assert archive.content(OTHER, latest(archive, OTHER)) == ""
    assert archive.page(OTHER, latest(archive, OTHER)) is None


def test_a_copy_with_other_links_is_written_for_itself_and_copies_with_the_same_are_not(archive: Archive) -> None:
    keep(archive)
    keep(archive, OTHER, after=1, links=(Link(THIRD),))
    assert latest(archive, OTHER).text is not None
    keep(archive, OTHER, after=2, links=(Link(THIRD),))
    assert (latest(archive, OTHER).text, latest(archive, OTHER).text_began) == (None, BEGAN + 1)


# ----------------------------------------------------------------------- how far it is


def test_what_is_past_the_last_commit_is_counted(archive: Archive, table: Table, tmp_path: Path) -> None:
    commit(archive, table)
    assert archive.files.uncommitted_bytes() == 0
    (file,) = warc_files(tmp_path / "captures")
    before = file.stat().st_size
    keep(archive)
    assert archive.files.uncommitted_bytes() == file.stat().st_size - before > 0
    later = file.with_name("gossamer-29991231235959-00000.warc.gz")
    later.write_bytes(b"1234567")
    assert archive.files.uncommitted_bytes() == file.stat().st_size - before + 7
    commit(archive, table)
    assert archive.files.uncommitted_bytes() == 7
    file.with_name("gossamer-19991231235959-00000.warc.gz").write_bytes(b"123")
    assert archive.files.uncommitted_bytes() == 7


def test_files_keep_the_length_that_they_were_committed_with(table: Table, tmp_path: Path) -> None:
    archive = started(table, tmp_path, most=1)
    commit(archive, table)
    for number in range(4):
        keep(archive, f"{URL}/{number}", b"<p>%d" % number)
        commit(archive, table)
    paths = warc_files(tmp_path / "captures")
    assert len(paths) >= 4
    lengths = {path.name: path.stat().st_size for path in paths}
    for path in paths:
        with path.open("ab") as file:
            file.write(b"more")
    commit_less = paths[-1].with_name("gossamer-29991231235959-00000.warc.gz")
    commit_less.write_bytes(b"never committed")
    assert archive.files.committed() == (paths[-1].name, lengths[paths[-1].name])
    assert {path.name: length for path, length in archive.files.all()} == lengths


def test_a_file_that_is_gone_has_no_length(archive: Archive, table: Table) -> None:
    archive.files.set_length("gossamer-20200101000000-00000.warc.gz", 300)
    assert table.get(STATE, b"length gossamer-20200101000000-00000.warc.gz") == (300).to_bytes(8, "big")
    archive.files.set_length("gossamer-20200101000000-00000.warc.gz", None)
    assert table.get(STATE, b"length gossamer-20200101000000-00000.warc.gz") is None


def test_rows_that_reach_a_later_file_leave_the_earlier_ones_full(table: Table, tmp_path: Path) -> None:
    written = started(table, tmp_path, most=1)
    for number in range(3):
        keep(written, f"{URL}/{number}")
    written.close()
    paths = warc_files(tmp_path / "captures")
    sizes = [path.stat().st_size for path in paths]
    archive = Archive(table, tmp_path, decoded)
    archive.files.reached(paths[0].name, 10)
    assert archive.files.all() == [(paths[0], 10)]
    archive.files.reached(paths[0].name, 20)
    assert archive.files.all() == [(paths[0], 20)]
    archive.files.reached(paths[2].name, 5)
    for path in paths[:2]:
        with path.open("ab") as file:
            file.write(b"more")
    assert archive.files.all() == [(paths[0], sizes[0]), (paths[1], sizes[1]), (paths[2], 5)]


def test_what_no_commit_has_is_found_in_order_and_what_is_not_whole_is_cut(table: Table, tmp_path: Path) -> None:
    archive = started(table, tmp_path, most=1)
    keep(archive, URL)
    commit(archive, table)
    for number in range(2):
        keep(archive, OTHER + str(number), b"<p>%d" % number)
    archive.close()
    paths = warc_files(tmp_path / "captures")
    sizes = [path.stat().st_size for path in paths]
    for path in paths[1:]:
        with path.open("ab") as file:
            file.write(b"half a capture")
    before = paths[0].read_bytes()
    fresh = Archive(table, tmp_path, decoded)
    groups = list(fresh.files.uncommitted())
    assert [group.response.url for group in groups] == [f"{OTHER}0", f"{OTHER}1"]
    assert [path.stat().st_size for path in paths] == sizes
    assert paths[0].read_bytes() == before


def test_a_capture_that_lost_its_row_gets_the_same_again(table: Table, tmp_path: Path) -> None:
    archive = started(table, tmp_path)
    keep(archive)
    keep(archive, OTHER, after=1, copy_of=URL)
    wire = zlib.compress(b"<p>Coded", 9, 31)
    archive.append(capture(THIRD, wire, coding="gzip", body=b"<p>Coded"), said(THIRD, b"<p>Coded"))
    before = dict(archive.versions.all())
    archive.close()
    table.drop_changes()
    fresh = Archive(table, tmp_path, decoded)
    fresh.passed.note(URL, BEGAN, "odd")
    pages = {URL: said(), OTHER: said(OTHER, copy_of=URL), THIRD: said(THIRD, b"<p>Coded")}
    made = [
        fresh.register_again(group.response, fresh.restored(group), pages[group.response.url or ""])
        for group in fresh.files.uncommitted()
    ]
    assert made == [next(fresh.versions.of(url)) for url in (URL, OTHER, THIRD)]
    assert [(url, row.record, row.payload, row.original, row.size) for url, row in fresh.versions.all()] == [
        (url, row.record, row.payload, row.original, row.size) for url, row in before.items()
    ]
    assert fresh.passed.reason(URL, BEGAN) is None


def test_an_archive_may_be_closed_twice(archive: Archive) -> None:
    archive.close()
    archive.close()
    archive.prepare()
    assert archive.files.committed() == ("", 0)


def test_a_version_names_its_file(archive: Archive, tmp_path: Path) -> None:
    keep(archive)
    assert archive.path(latest(archive)) == warc_files(tmp_path / "captures")[0]
    with pytest.raises(Damaged):
        archive.path(msgspec.structs.replace(latest(archive), file="../plan.toml"))
