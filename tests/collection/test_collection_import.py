"""What others captured becomes a collection like any other: each page once, with its own date, whatever is killed."""

from __future__ import annotations

import io
import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

import gossamer
from crawler_process import descendants, exported, gossamer_command, run_gossamer, with_room
from foreign_files import answer, page, plain, record, sha1, zipped, zipped_whole
from gossamer.collection import Collection, Imported, Outside
from gossamer.collection.imports.import_filter import Verdict
from gossamer.collection.imports.import_source import ImportSource
from gossamer.errors import DamagedInput
from gossamer.frontier.worth.soft404 import Correction
from gossamer.model import Answer, Kind
from gossamer.store.versions import Version
from gossamer.testing import Copies, Errors, MadeWeb, Marks, Redirects, RobotsFiles, Sitemaps, VirtualClock, WebSpec

WEB = WebSpec(
    seed=9,
    hosts=4,
    pages=20,
    gzip=True,
    encodings=0.3,
    errors=Errors(missing=0.1),
    redirects=Redirects(chains=0.1, hops=2, across=0.5),
    robots=RobotsFiles(rules=0.5),
    copies=Copies(exact=0.2),
    sitemaps=Sitemaps(hosts=0.5, orphans=2),
    marks=Marks(noindex=0.1, nofollow_links=0.1),
)
URL = "http://example.com/"


def pages_of(collection: Collection) -> list[dict[str, Any]]:
    out = io.BytesIO()
    collection.export("jsonl", out)
    return [{**json.loads(line), "depth": None} for line in out.getvalue().splitlines()]


def versions_of(collection: Collection) -> list[tuple[str, float, int, str, str]]:
    """Of every capture what must not depend on the way it came."""
    found = [item for archive in collection._readers().archives for item in archive.versions.all()]
    return sorted((url, round(one.began, 3), one.status, one.kind.value, one.payload) for url, one in found)


def versions(collection: Collection, url: str) -> list[Version]:
    return list(collection._readers().of(url).archive.versions.of(url))


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    """A crawl of the made web, twice, so that there are revisits of both kinds."""
    clock = VirtualClock(1_700_000_000.0)
    web = MadeWeb(WEB, clock=clock)
    collection = gossamer.open(tmp_path_factory.mktemp("crawled") / "web")
    for again in (False, True):
        crawl = collection.crawl_async(web.seed, scope="any", revisit=again, outside=Outside(clock, web.fetch))
        clock.run(crawl)
    yield collection
    collection.close()


@pytest.fixture(scope="module")
def archive(crawled: Collection, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("files") / "crawl.warc.gz"
    with path.open("wb") as out:
        crawled.export("warc", out)
    return path


class Taking:
    """Imports records into a collection."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.collection = gossamer.open(folder / "web")

    def __call__(self, records: list[bytes], name: str = "x.warc.gz", **settings: Any) -> tuple[Collection, Imported]:
        (self.folder / name).write_bytes(zipped(records))
        done = self.collection.import_files(self.folder / name, **{"shards": 1, **settings})
        return self.collection, done


@pytest.fixture
def taken(tmp_path: Path) -> Iterator[Taking]:
    taking = Taking(tmp_path)
    yield taking
    taking.collection.close()


@pytest.mark.parametrize("shards", [1, 2])
def test_what_is_exported_and_imported_is_the_same_collection(
    shards: int, crawled: Collection, archive: Path, tmp_path: Path
) -> None:
    with gossamer.open(with_room(tmp_path / "web")) as collection:
        done = collection.import_files(archive, shards=shards)
        assert (done.files, done.of, done.problems, done.refused) == (1, 1, (), {})
        before, after = pages_of(crawled), pages_of(collection)
        if shards > 1:  # which of two copies is the first may differ
            for each in (*before, *after):
                each["copy_of"] = bool(each["copy_of"])
            assert sum(each["copy_of"] for each in after) == sum(each["copy_of"] for each in before)
            before, after = ([{**each, "copy_of": None} for each in some] for some in (before, after))
        assert after == before
        assert versions_of(collection) == versions_of(crawled)
        assert collection.verify().problems == []
        assert collection.status().pages == crawled.status().pages
        assert collection.status().queued == 0


@pytest.mark.parametrize("shards", [1, 2])
def test_an_import_does_not_bring_back_what_was_removed(
    shards: int, crawled: Collection, archive: Path, tmp_path: Path
) -> None:
    gone = next(found.url for found in crawled.pages() if found.version.copy_of is None)
    (longer := tmp_path / "longer.warc.gz").write_bytes(archive.read_bytes() + zipped([page(URL, "New")]))
    with gossamer.open(with_room(tmp_path / "web")) as collection:
        collection.import_files(archive, shards=shards)
        before = versions_of(collection)
        collection.remove(gone, archive=True)
        done = collection.import_files(longer)
        left_out = [row for row in before if row[0] == gone]
        assert left_out
        assert set(done.refused) == {Verdict.REMOVED.value}
        assert done.refused[Verdict.REMOVED.value] >= len(left_out)  # what has not changed brings no version
        assert done.captures == 1
        assert [row for row in versions_of(collection) if row[0] != URL] == [row for row in before if row[0] != gone]
        assert collection.verify().problems == []


def test_imported_pages_are_found_shown_linked_and_built(archive: Path, crawled: Collection, tmp_path: Path) -> None:
    with gossamer.open(tmp_path / "web") as collection:
        collection.import_files(archive, shards=1)
        first = next(found for found in crawled.pages() if found.version.copy_of is None and not found.page.noindex)
        assert first.url in [hit.url for hit in collection.search(f'"{first.title}"').hits]
        shown = collection.page(first.url)
        assert (shown.text, shown.capture.body) == (first.text, first.capture.body)
        assert collection.links(first.url).outgoing == first.links
        assert collection.links(first.url).rank is not None
        collection.build(convert=True)
        assert pages_of(collection) == pages_of(crawled)
        assert collection.verify().problems == []


def test_a_file_is_imported_once_whatever_it_is_called(archive: Path, tmp_path: Path) -> None:
    with gossamer.open(tmp_path / "web") as collection:
        first = collection.import_files(archive, shards=1)
        before = versions_of(collection)
        other = tmp_path / "renamed.warc.gz"
        other.write_bytes(archive.read_bytes())
        again = collection.import_files(archive, other)
        assert (first.captures > 0, again.captures, again.files, again.of) == (True, 0, 1, 1)
        assert versions_of(collection) == before


def test_the_same_captures_from_another_file_change_nothing(archive: Path, tmp_path: Path) -> None:
    with gossamer.open(tmp_path / "web") as collection:
        first = collection.import_files(archive, shards=1)
        before, records = versions_of(collection), collection.verify().records
        other = tmp_path / "packed.wacz"
        with ZipFile(other, "w", ZIP_DEFLATED) as wacz:
            wacz.write(archive, "archive/data.warc.gz")
        again = collection.import_files(other)
        assert (again.captures, again.known) == (0, first.captures)
        assert (versions_of(collection), collection.verify().records) == (before, records)


# ------------------------------------------------------------------------------- kinds


def test_every_kind_of_answer_gets_its_place(taken: Taking) -> None:
    sitemap = b'<?xml version="1.0"?><urlset><url><loc>http://example.com/listed</loc></url></urlset>'
    collection, done = taken(
        [
            page(URL, "Words of the front page"),
            record("response", URL + "robots.txt", answer(b"User-agent: *\nDisallow: /", "Content-Type: text/plain")),
            record("response", URL + "map.xml", answer(sitemap, "Content-Type: application/xml")),
            record("response", URL + "logo.png", answer(b"\x89PNG", "Content-Type: image/png")),
            record("response", URL + "style.css", answer(b"p { color: red }", "Content-Type: text/css")),
            record("response", URL + "old", answer(b"", f"Location: {URL}", status="301 Moved Permanently")),
            record("response", URL + "gone", answer(b"No.", status="404 Not Found")),
            record("resource", URL + "note", b"<title>Noted</title>", Content_Type="text/html"),
        ],
    )
    assert (done.captures, done.problems) == (8, ())
    kinds = {url.removeprefix(URL): one.kind for url, one in collection._readers().archives[0].versions.all()}
    assert kinds == {
        "": Kind.PAGE,
        "robots.txt": Kind.ROBOTS,
        "map.xml": Kind.SITEMAP,
        "logo.png": Kind.RESOURCE,
        "style.css": Kind.RESOURCE,
        "old": Kind.PAGE,
        "gone": Kind.PAGE,
        "note": Kind.PAGE,
    }
    assert [each["url"] for each in pages_of(collection)] == [URL, URL + "note"]
    assert (collection.status().pages, collection.status().failures) == (2, {"http 404": 1})
    assert collection.why(URL + "old").reason == f"redirect to {URL}"
    assert collection.page(URL + "logo.png").capture.body == b"\x89PNG"
    assert collection.why(URL + "listed").reason == "outside the hosts of the seeds"
    assert collection.verify().problems == []


def test_a_page_has_the_date_it_had_and_the_newest_counts_whatever_comes_last(taken: Taking) -> None:
    new, old = "2021-01-01T00:00:00Z", "2011-01-01T00:00:00Z"
    collection, _ = taken([page(URL, "Newer words", new), page(URL, "Older words", old)])
    assert [each["fetched"] for each in pages_of(collection)] == ["2021-01-01T00:00:00.000Z"]
    assert collection.page(URL).title == "Newer words"
    assert [hit.title for hit in collection.search("words").hits] == ["Newer words"]
    assert [one.title for one in versions(collection, URL)] == ["Newer words", "Older words"]
    assert collection.verify().problems == []


def test_captures_of_one_second_do_not_hide_each_other(taken: Taking) -> None:
    collection, done = taken([page(URL, word) for word in ("one", "two", "three", "two")])
    assert (done.captures, done.known) == (3, 1)
    assert sorted(one.title for one in versions(collection, URL)) == ["one", "three", "two"]
    assert collection.verify().problems == []


def test_what_is_longer_than_a_crawl_would_fetch_is_kept_whole_and_read_in_part(taken: Taking) -> None:
    words = "word " * 50_000
    collection, done = taken([record("response", URL, answer(f"<p>{words}".encode()))], html_bytes=10_000)
    document = collection.page(URL)
    assert done.cut == 0
    assert words.encode().strip() in document.capture.wire
    assert (document.version.truncated, len(document.capture.body)) == (None, 10_000)
    assert document.capture.decoding is not None
    assert 1_900 < document.text.count("word") < 2_001
    assert collection.verify().problems == []


def test_bodies_that_were_put_together_under_the_old_head_are_read(taken: Taking) -> None:
    fields = ("Content-Type: text/html", "Transfer-Encoding: chunked", "Content-Encoding: gzip")
    body = b"<title>Already unpacked</title>"
    block = "\r\n".join(["HTTP/1.1 200 OK", *fields, "", ""]).encode() + body
    collection, _ = taken([record("response", URL, block)])
    assert collection.page(URL).title == "Already unpacked"


# ---------------------------------------------------------------------------- revisits

BODY = b"<title>The body</title><p>Words."
LATER = "2022-02-02T00:00:00Z"


def revisit(url: str, **more: str) -> bytes:
    return record("revisit", url, answer(b""), LATER, WARC_Payload_Digest=sha1(BODY), **more)


@pytest.mark.parametrize(
    ("url", "more"),
    [
        (URL, {}),
        (URL, {"WARC_Refers_To_Target_URI": URL, "WARC_Refers_To_Date": "2020-05-17T10:20:30Z"}),
        (URL + "2", {"WARC_Refers_To_Target_URI": URL, "WARC_Refers_To_Date": "2020-05-17T10:20:30Z"}),
    ],
)
def test_a_revisit_has_the_body_that_it_points_to(url: str, more: dict[str, str], taken: Taking) -> None:
    collection, done = taken([record("response", URL, answer(BODY)), revisit(url, **more)])
    assert (done.captures, done.problems) == (2, ())
    newest = collection.page(url)
    assert (newest.capture.body, newest.fetched.year) == (BODY, 2022)
    assert collection.verify().problems == []


def test_a_revisit_without_its_response_is_told_and_can_be_imported_later(taken: Taking, tmp_path: Path) -> None:
    collection, done = taken([page(URL + "other", "x"), revisit(URL)])
    assert (done.captures, done.files) == (1, 0)
    assert "the response that holds its body is not here" in done.problems[0]
    (tmp_path / "first.warc.gz").write_bytes(zipped([record("response", URL, answer(BODY))]))
    done = collection.import_files(tmp_path / "first.warc.gz", tmp_path / "x.warc.gz")
    assert (done.captures, done.known, done.files, done.problems) == (2, 1, 2, ())


def test_an_answer_that_nothing_has_changed_confirms_what_is_here(taken: Taking, tmp_path: Path) -> None:
    unchanged = record("revisit", URL, answer(b"", "ETag: x", status="304 Not Modified"), LATER)
    lonely = record("response", URL + "lonely", answer(b"", "ETag: x", status="304 Not Modified"), LATER)
    collection, done = taken([page(URL, "Same"), unchanged, lonely])
    assert (done.captures, done.refused) == (2, {"304 for what is not here": 1})
    assert len(versions(collection, URL)) == 1
    (tmp_path / "y.warc").write_bytes(plain([page(URL, "Same"), unchanged]))
    assert collection.import_files(tmp_path / "y.warc").known == 2
    assert collection.verify().problems == []


# ------------------------------------------------------------------- damage and kills


def test_damage_is_named_with_its_place_and_the_rest_is_taken(tmp_path: Path) -> None:
    pages = [zipped([page(f"{URL}{number}", f"Page {number}")]) for number in range(5)]
    pages[2] = pages[2][:60] + bytes(10) + pages[2][70:]
    (tmp_path / "bad.warc.gz").write_bytes(b"".join(pages))
    result = run_gossamer("import", str(with_room(tmp_path / "web")), str(tmp_path / "bad.warc.gz"), "--shards", "1")
    assert result.returncode == DamagedInput.exit_code
    offset = len(pages[0]) + len(pages[1])
    assert "imported: 4 captures from 1 file" in result.stdout
    assert f"problem: bad.warc.gz, offset {offset}: cannot be unpacked" in result.stdout
    assert [found["url"] for found in exported(tmp_path / "web")] == [f"{URL}{n}" for n in (0, 1, 3, 4)]


def test_an_import_that_is_killed_again_and_again_ends_as_if_it_had_not_been(
    archive: Path, crawled: Collection, tmp_path: Path
) -> None:
    kills_at_random(archive, tmp_path / "web", kills=2, seed=4)
    with gossamer.open(tmp_path / "web") as collection:
        assert pages_of(collection) == pages_of(crawled)
        assert versions_of(collection) == versions_of(crawled)
        checked = collection.verify()
        assert checked.problems == []
        assert checked.records == crawled.verify().records + 1  # who made the file that was imported


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_many_kills_change_nothing(seed: int, archive: Path, crawled: Collection, tmp_path: Path) -> None:
    kills_at_random(archive, tmp_path / "web", kills=12, seed=seed)
    with gossamer.open(tmp_path / "web") as collection:
        assert versions_of(collection) == versions_of(crawled)
        assert collection.verify().problems == []


def test_a_crawl_goes_on_from_what_was_imported(tmp_path: Path) -> None:
    clock = VirtualClock(1_700_000_000.0)
    web = MadeWeb(WebSpec(seed=3, hosts=2, pages=15), clock=clock)
    outside = Outside(clock, web.fetch)
    with gossamer.open(tmp_path / "part") as part, (tmp_path / "part.warc.gz").open("wb") as out:
        clock.run(part.crawl_async(web.seed, scope="any", pages=10, outside=outside))
        part.export("warc", out)
        known = {one["url"] for one in pages_of(part)}
    with gossamer.open(tmp_path / "web") as collection:
        imported = collection.import_files(tmp_path / "part.warc.gz", shards=1)
        before = len(web.log.entries)
        status = clock.run(collection.crawl_async(web.seed, scope="any", outside=outside))
        assert (status.pages, status.queued) == (30, 0)
        asked = [entry.url for entry in web.log.entries[before:]]
        assert imported.captures >= 10
        assert not known.intersection(asked)
        assert collection.verify().problems == []


def kills_at_random(archive: Path, folder: Path, kills: int, seed: int) -> None:
    rng = random.Random(seed)
    command = gossamer_command("import", str(with_room(folder)), str(archive), "--shards", "1")
    log = folder / "shards" / "00" / "captures"
    for _ in range(kills):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        began, until = size_of(log), time.monotonic() + 60
        wanted = began + rng.randrange(1, 60_000)
        while process.poll() is None and size_of(log) < wanted and time.monotonic() < until:
            time.sleep(0.002)
        process.kill()  # unless it was faster
        process.wait()
    last = run_gossamer(*command[3:])
    assert last.returncode == 0, last.stderr


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(2, 12))])
def test_shards_that_are_killed_get_again_what_others_had_read_for_them(
    seed: int, archive: Path, crawled: Collection, tmp_path: Path
) -> None:
    rng, folder = random.Random(seed), with_room(tmp_path / "web")
    others = [page(f"http://site{number % 7}.test/{number}", f"word{number} " * 400) for number in range(300)]
    (tmp_path / "other.warc.gz").write_bytes(zipped(others))
    command = gossamer_command("import", str(folder), str(archive), str(tmp_path / "other.warc.gz"), "--shards", "2")
    for _ in range(3):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wanted, until = sum(map(size_of, folder.glob("shards/*/captures"))) + rng.randrange(1, 90_000), time.monotonic()
        while process.poll() is None and time.monotonic() < until + 60:
            if sum(map(size_of, folder.glob("shards/*/captures"))) >= wanted:
                break
            time.sleep(0.002)
        under = descendants(process.pid)
        victim = rng.choice([*under, process.pid]) if under else process.pid
        with suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
        if victim == process.pid or rng.random() < 0.3:
            process.kill()
        process.wait(120)
    last = run_gossamer(*command[3:])
    assert last.returncode == 0, last.stderr
    with gossamer.open(folder) as collection:
        assert [row for row in versions_of(collection) if "://site" not in row[0]] == versions_of(crawled)
        assert len(versions_of(collection)) == len(versions_of(crawled)) + 300
        assert collection.verify().problems == []


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*.warc.gz"))


def test_an_import_that_is_stopped_goes_on_where_it_was(
    archive: Path, crawled: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = ImportSource.done

    def stopping(self: ImportSource, *answers: Answer) -> list[Correction]:
        corrections = done(self, *answers)
        if self.look(0.0).captures >= 50:
            self.stop()
        return corrections

    with gossamer.open(tmp_path / "web") as collection:
        with monkeypatch.context() as patch:
            patch.setattr(ImportSource, "done", stopping)
            first = collection.import_files(archive, shards=1)
        second = collection.import_files(archive)
        assert 50 <= first.captures < len(versions_of(crawled))
        assert second.known <= 1  # where it stopped, and not all from the beginning
        assert versions_of(collection) == versions_of(crawled)


def test_nonsense_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("no archive")
    with pytest.raises(DamagedInput, match="neither WARC"):
        gossamer.open(tmp_path / "web").import_files(tmp_path / "x.txt")
    assert not (tmp_path / "web").exists()


def test_a_file_in_one_piece_is_read_and_told(tmp_path: Path) -> None:
    (tmp_path / "whole.warc.gz").write_bytes(
        zipped_whole([page(f"{URL}{number}", f"Page {number}") for number in range(30)])
    )
    with gossamer.open(tmp_path / "web") as collection:
        done = collection.import_files(tmp_path / "whole.warc.gz", shards=1)
        assert (done.captures, len(done.problems)) == (30, 1)
