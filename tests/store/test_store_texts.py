"""What a page says is kept as records that others can read, and comes back as it was."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from store_samples import BEGAN, INFO, StillClock, capture

from gossamer.errors import Damaged
from gossamer.model import Capture, Link, Page
from gossamer.store.archive import Archive
from gossamer.store.repair.verify import verify_archive
from gossamer.store.table.table import Table
from gossamer.store.versions import Version
from gossamer.store.warc.reader import records
from gossamer.store.warc.warc import payload_digest
from gossamer.tagged import plain

URL = "http://example.com/a/"
HTML = "<h1>Bread &amp; butter</h1>\n<p>Flour, <em>water</em>, salt.</p>"
PAGE = Page(
    URL,
    "text/html",
    "windows-1252",
    title='</title> & "quotes"',
    text="Menu\nBread & butter\nFlour, water, salt.\nFooter",
    links=(Link("http://example.com/b", "to b", "nofollow", content=False), Link("http://example.com/c")),
    content="Bread & butter\nFlour, water, salt.",
    html=HTML,
    declared="ISO-8859-2",
    language="en",
    author="A <b>",
    published=1_000_000_000.0,
    modified=1_500_000_000.0,
    canonical="http://example.com/a/?x=1&y=2",
    noarchive=True,
    digest=payload_digest(b"<p>Hello"),
    problem="cut short",
)
MOST = 1 << 30


def opened(archive: Archive) -> Archive:
    archive.texts.open(INFO, StillClock(), prefix="gossamer", max_bytes=MOST)
    for _ in archive.files.uncommitted():
        pass
    archive.open(INFO, StillClock(), max_bytes=MOST)
    return archive


@pytest.fixture
def archive(table: Table, tmp_path: Path) -> Archive:
    return opened(Archive(table, tmp_path, lambda each: replace(each, body=each.wire)))


def keep(archive: Archive, page: Page, body: bytes = b"<p>Hello", began: float = BEGAN) -> Capture:
    assert page.url
    came = capture(page.url, body, began=began)
    archive.append(came, page)
    return came


def latest(archive: Archive, url: str = URL) -> Version:
    return next(archive.versions.of(url))


def commit(archive: Archive, table: Table) -> None:
    archive.prepare()
    table.commit()


def text_files(folder: Path) -> list[Path]:
    return sorted((folder / "texts").glob("*.warc.gz"))


def test_a_page_comes_back_as_it_was_read(archive: Archive) -> None:
    keep(archive, PAGE)
    assert archive.page(URL, latest(archive)) == PAGE


@pytest.mark.parametrize(
    "page",
    [
        Page(URL, "image/png"),
        Page(URL, "text/plain", "UTF-8", text="all of it", content="all of it", html="<p>all of it</p>"),
        Page(URL, "text/html", "UTF-8", text="only around", content="", html=""),
        Page(URL, "text/html", "UTF-8", text="a\n<body>\nb", content="a", html="<p>a</p>"),
        Page(URL, "application/pdf", problem="encrypted"),
    ],
    ids=["nothing to read", "content is all", "no content", "markup in the words", "a problem"],
)
def test_pages_that_say_little_come_back_too(archive: Archive, page: Page) -> None:
    keep(archive, page)
    assert archive.page(URL, latest(archive)) == page


def test_what_is_kept_is_a_document_that_any_program_can_read(archive: Archive, tmp_path: Path) -> None:
    keep(archive, PAGE)
    response = latest(archive).record
    info, html, text, said = records(text_files(tmp_path)[0])
    assert info.type == "warcinfo"
    assert [record.type for record in (html, text, said)] == ["conversion", "conversion", "metadata"]
    for record in (html, text, said):
        assert record.url == URL
        assert record.began == BEGAN
        assert record.field("warc-refers-to") == f"<urn:uuid:{response}>"
    assert html.field("content-type") == "text/html;charset=utf-8"
    assert text.field("content-type") == "text/plain;charset=utf-8"
    assert text.block.decode() == PAGE.text
    document = html.block.decode()
    assert document.startswith('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n')
    assert '<title>&lt;/title&gt; &amp; "quotes"</title>' in document
    assert '<meta name="author" content="A &lt;b&gt;">' in document
    assert '<meta property="article:published_time" content="2001-09-09T01:46:40Z">' in document
    assert f"<body>\n{HTML}\n</body>" in document
    told = json.loads(said.block)
    assert (told["encoding"], told["declared"], told["language"]) == ("windows-1252", "ISO-8859-2", "en")
    assert told["links"][0] == ["http://example.com/b", "to b", "nofollow", "a", None, 0.5, False, None]


def test_words_that_are_all_content_are_written_once(archive: Archive, tmp_path: Path) -> None:
    keep(archive, replace(PAGE, text=PAGE.content))
    assert [record.type for record in records(text_files(tmp_path)[0])] == ["warcinfo", "conversion", "metadata"]


def test_an_exact_copy_points_to_the_text_of_the_first(archive: Archive, tmp_path: Path) -> None:
    keep(archive, PAGE)
    size = text_files(tmp_path)[0].stat().st_size
    other = replace(PAGE, url="http://example.com/copy", copy_of=URL)
    keep(archive, other, began=BEGAN + 1)
    keep(archive, PAGE, began=BEGAN + 2)  # unchanged
    assert text_files(tmp_path)[0].stat().st_size == size
    assert archive.page(URL, latest(archive)) == PAGE
    assert latest(archive).text_of == URL
    assert archive.page(other.url or "", latest(archive, "http://example.com/copy")) == other


def test_a_copy_whose_links_lead_elsewhere_has_a_text_of_its_own(archive: Archive) -> None:
    keep(archive, PAGE)
    moved = replace(PAGE, url="http://example.org/a/", copy_of=URL, links=(Link("http://example.org/b", "to b"),))
    keep(archive, moved, began=BEGAN + 1)
    assert archive.page("http://example.org/a/", latest(archive, "http://example.org/a/")) == moved


def test_what_is_no_page_has_no_text(archive: Archive, tmp_path: Path) -> None:
    moved = capture(URL, b"gone", head=b"HTTP/1.1 404 Not Found\r\n\r\n")
    archive.append(moved, Page(URL, "text/html"))
    assert latest(archive).text is None
    assert archive.page(URL, latest(archive)) is None
    assert len(list(records(text_files(tmp_path)[0]))) == 1


def test_what_was_not_committed_is_cut_off_and_made_again(table: Table, tmp_path: Path, archive: Archive) -> None:
    keep(archive, PAGE)
    commit(archive, table)
    (path,) = text_files(tmp_path)
    committed = path.read_bytes()
    second = replace(PAGE, url="http://example.com/second", digest=payload_digest(b"<p>Second"))
    came = keep(archive, second, b"<p>Second", began=BEGAN + 1)
    archive.close()  # killed: the row of the second page is lost
    with path.open("ab") as file:
        file.write(b"half a record")

    fresh = Archive(table, tmp_path, lambda each: replace(each, body=each.wire))
    table.delete("captures", next(key for key, _ in table.scan("captures") if b"second" in key))
    fresh.texts.open(INFO, StillClock(), prefix="gossamer", max_bytes=MOST)
    assert path.read_bytes() == committed
    (group,) = fresh.files.uncommitted()
    fresh.register_again(group.response, fresh.restored(group), second)
    assert group.response.url == came.visit.url
    assert fresh.page("http://example.com/second", latest(fresh, "http://example.com/second")) == second
    assert fresh.page(URL, latest(fresh)) == PAGE
    fresh.close()


def test_files_that_no_commit_knows_are_removed(table: Table, tmp_path: Path, archive: Archive) -> None:
    keep(archive, PAGE)
    commit(archive, table)
    stray = tmp_path / "texts" / "gossamer-texts-29991231235959-00000.warc.gz"
    stray.write_bytes(b"written, never committed")
    archive.close()
    opened(Archive(table, tmp_path, lambda each: each)).close()
    assert not stray.exists()
    assert len(text_files(tmp_path)) == 1


def test_a_lost_or_damaged_text_is_no_answer_and_is_told(table: Table, tmp_path: Path, archive: Archive) -> None:
    keep(archive, PAGE)
    keep(archive, replace(PAGE, url="http://example.com/copy", copy_of=URL), began=BEGAN + 1)
    commit(archive, table)
    assert verify_archive(archive).problems == []
    (path,) = text_files(tmp_path)
    data = bytearray(path.read_bytes())
    place = latest(archive).text
    assert place is not None
    data[place.offset + place.html // 2] ^= 0xFF
    path.write_bytes(data)
    assert archive.page(URL, latest(archive)) is None
    with pytest.raises(Damaged, match="gossamer build DIR --convert"):
        archive.texts.read(URL, place)
    told = verify_archive(archive).problems
    assert any("are not a whole record" in problem for problem in told)
    assert any("no text of http://example.com/a/" in problem for problem in told)
    path.unlink()
    assert archive.page(URL, latest(archive)) is None
    assert not archive.texts.there(place)
    assert any("no text of" in problem for problem in verify_archive(archive).problems)


def test_rows_from_before_there_were_texts_are_still_read(table: Table, archive: Archive) -> None:
    keep(archive, PAGE)
    ((key, data),) = table.scan("captures")
    table.put("captures", key, msgspec.msgpack.encode(msgspec.msgpack.decode(data)[:19]))
    assert latest(archive).text is None
    assert archive.page(URL, latest(archive)) is None


def test_warcio_finds_no_fault(table: Table, tmp_path: Path, archive: Archive) -> None:
    keep(archive, PAGE)
    keep(archive, replace(PAGE, url="http://example.com/ü".replace("ü", "%C3%BC"), title="Größe", digest=""), b"x")
    commit(archive, table)
    (path,) = text_files(tmp_path)
    check = [sys.executable, "-m", "warcio.cli", "check", str(path)]
    result = subprocess.run(check, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout
    assert gzip.decompress(path.read_bytes()).count(b"WARC/1.1\r\n") == 7


def answer(archive: Archive, line: str, began: float) -> None:
    """An answer without a body."""
    archive.append(capture(URL, b"", head=f"HTTP/1.1 {line}\r\n\r\n".encode(), began=began), Page(URL, "text/html"))


def test_an_error_that_may_pass_says_nothing_of_a_page(archive: Archive) -> None:
    keep(archive, PAGE)
    answer(archive, "503 Service Unavailable", BEGAN + 10)
    told = archive.versions.current(URL)
    assert told is not None
    assert (told.began, told.status) == (BEGAN, 200)
    assert archive.versions.currents([URL, "http://example.com/never"]) == [told, None]
    assert list(archive.versions.pages()) == [(URL, told)]


def test_a_page_is_marked_as_a_copy_though_its_host_has_failed_since(archive: Archive) -> None:
    keep(archive, PAGE)
    answer(archive, "503 Service Unavailable", BEGAN + 10)
    marked = archive.mark(URL, near_copy_of="http://example.com/b")
    assert marked is not None
    page = archive.page(URL, marked)
    assert (marked.began, page and page.near_copy_of) == (BEGAN, "http://example.com/b")
    assert latest(archive).near_copy_of is None


def test_what_has_not_changed_is_what_was_there_before_the_host_failed(archive: Archive, tmp_path: Path) -> None:
    keep(archive, PAGE)
    first = latest(archive)
    answer(archive, "503 Service Unavailable", BEGAN + 10)
    answer(archive, "304 Not Modified", BEGAN + 20)
    (file,) = (tmp_path / "captures").glob("*.warc.gz")
    revisit = [record for record in records(file) if record.type == "revisit"]
    assert [record.field("warc-refers-to") for record in revisit] == [f"<urn:uuid:{first.record}>"]


def test_a_page_that_is_gone_is_gone(archive: Archive) -> None:
    keep(archive, PAGE)
    answer(archive, "404 Not Found", BEGAN + 10)
    told = archive.versions.current(URL)
    assert told is not None
    assert told.status == 404


COPY, OTHER = "http://example.com/copy", "http://example.com/other"


def test_a_payload_is_named_by_the_address_that_stands_for_it(archive: Archive) -> None:
    keep(archive, PAGE)
    keep(archive, replace(PAGE, url=COPY))
    digest = PAGE.digest
    assert archive.first_url(digest) == URL
    assert archive.first_url(payload_digest(b"never met")) is None
    archive.mark(URL, copy_of=COPY)
    assert archive.first_url(digest) == COPY
    archive.mark(URL, copy_of=OTHER)  # of which nothing is known
    assert archive.first_url(digest) == URL
    changed = replace(PAGE, url=COPY, digest=payload_digest(b"<p>New"))
    keep(archive, changed, b"<p>New", BEGAN + 10)
    archive.mark(URL, copy_of=COPY)
    assert archive.first_url(digest) == URL


def test_a_payload_whose_first_address_says_something_else_by_now_keeps_its_name(archive: Archive) -> None:
    keep(archive, PAGE)
    keep(archive, replace(PAGE, url=COPY))
    changed = replace(PAGE, digest=payload_digest(b"<p>New"))
    keep(archive, changed, b"<p>New", BEGAN + 10)
    archive.mark(URL, copy_of=COPY)
    assert archive.first_url(PAGE.digest) == URL


@pytest.mark.parametrize(
    "html", [HTML, "", "<p>é „quoted“ &amp; more</p>\n<pre>a\n b</pre>", "<p>a<unknown>b</p>", "</body>\n</html>"]
)
def test_a_content_is_read_by_itself_as_it_is_read_with_its_page(archive: Archive, html: str) -> None:
    page = replace(PAGE, html=html, content=plain(html))
    version = archive.append(capture(URL), page)
    assert version is not None
    assert version.text is not None
    assert archive.texts.content(version.text) == page.content
    assert archive.texts.content(msgspec.structs.replace(version.text, record="another")) == ""
