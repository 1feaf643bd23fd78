"""All that was in somebody else's file comes out again: who made it, answers to POST, what is no capture, as it was."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cdxj_indexer.main import CDXJIndexer
from cdxj_indexer.postquery import append_method_query
from warcio import ArchiveIterator, StatusAndHeaders
from warcio.warcwriter import WARCWriter

import gossamer
from crawler_process import run_gossamer
from foreign_files import DATE, answer, page, record, zipped
from gossamer.collection import Collection
from gossamer.errors import NotFound
from gossamer.store.asides import _media_type
from gossamer.store.foreign.posted import lookup
from gossamer.store.warc.warc import Place, Record
from reference import reference

URL = "http://example.com/"
LEFT_OPEN = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""Files that warcio and cdxj-indexer leave open."""
FORM = b"POST /form HTTP/1.1\r\nHost: example.com\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\nq=a+b&x=1"
PARTS = b'--xyz\r\nContent-Disposition: form-data; name="a"\r\n\r\n1 2\r\n--xyz--\r\n'
INFO = "<urn:uuid:00000000-0000-4000-8000-000000000001>"


def foreign() -> list[bytes]:
    """As several crawlers would have written it."""
    post = record("response", URL + "form", answer(b"<p>Found.", "Content-Type: text/html"))
    name = post.partition(b"WARC-Record-ID: ")[2].partition(b"\r\n")[0].decode()
    plain = page(URL + "a", "The heron waits")
    beside = plain.partition(b"WARC-Record-ID: ")[2].partition(b"\r\n")[0].decode()
    get = b"GET /a HTTP/1.0\r\nHost: example.com\r\n\r\n"
    return [
        record(
            "warcinfo",
            "",
            b"software: Heritrix/3.4\r\noperator: Nobody\r\n",
            WARC_Record_ID=INFO,
            WARC_Filename="x.warc",
        ),
        record(
            "response", "dns:example.com", b"20200517102030\nexample.com. 1 IN A 192.0.2.1", Content_Type="text/dns"
        ),
        record("request", URL + "a", get, "2020-05-17T10:20:29Z", WARC_Concurrent_To=beside, X_Odd="1"),
        plain,
        record("metadata", URL + "a", b"via: http://example.com/\r\nhopsFromSeed: L\r\n", WARC_Concurrent_To=beside),
        post,
        record("request", URL + "form", FORM, WARC_Concurrent_To=name),
        record("response", URL + "b", answer(b"<p>Stork."), WARC_Record_ID="<http://example.com/record/7>"),
        record("resource", URL + "c.png", b"\x89PNG\r\n\x1a\n", Content_Type="image/png"),
        record("resource", "urn:thumbnail:" + URL + "a", b"\xff\xd8\xff", Content_Type="image/jpeg"),
        record("conversion", URL + "a", b"The heron waits", Content_Type="text/plain"),
        record("metadata", "metadata://gnu.org/software/wget/warc/MANIFEST.txt", b"files", Content_Type="text/plain"),
        record("request", URL + "orphan", b"GET /orphan HTTP/1.0\r\n\r\n"),
    ]


def told(data: bytes) -> Counter[tuple[str, ...]]:
    """What another program reads in it, but for what Gossamer says of its own files."""
    found: Counter[tuple[str, ...]] = Counter()
    for each in ArchiveIterator(io.BytesIO(data), no_record_parse=True):
        fields, block = each.rec_headers, each.raw_stream.read()
        if b"gossamer-capture" in block or block.startswith(b"software: Gossamer"):
            continue
        names = ("WARC-Record-ID", "WARC-Target-URI", "WARC-Date", "Content-Type", "WARC-TREC-ID", "X-Odd")
        content = "".join((fields.get_header("Content-Type") or "").split())
        found[
            each.rec_type,
            *(fields.get_header(name) or "" for name in names if name != "Content-Type"),
            content,
            block.hex(),
        ] += 1
    return found


def exported(collection: Collection, form: str = "warc") -> bytes:
    out = io.BytesIO()
    collection.export(form, out)
    return out.getvalue()


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Collection]:
    (tmp_path / "x.warc.gz").write_bytes(zipped(foreign()))
    with gossamer.open(tmp_path / "web") as collection:
        done = collection.import_files(tmp_path / "x.warc.gz", shards=1)
        assert (done.captures, done.kept, done.refused, done.problems) == (3, 9, {}, ())
        yield collection


@pytest.mark.parametrize("shards", [1, 2])
def test_import_and_export_and_import_change_nothing(web: Collection, shards: int, tmp_path: Path) -> None:
    once = exported(web)
    assert told(once) == told(zipped(foreign()))
    (tmp_path / "again.warc.gz").write_bytes(once)
    with gossamer.open(tmp_path / "other") as other:
        other.import_files(tmp_path / "again.warc.gz", shards=shards)
        assert told(exported(other)) == told(once)
        assert other.verify().problems == []
        more = other.import_files(web.path)
        assert (more.captures, more.kept, more.problems) == (0, 0, ())
        assert told(exported(other)) == told(once)


def test_captures_name_who_made_the_file_that_they_come_from(web: Collection) -> None:
    named = {
        (each.rec_type, each.rec_headers.get_header("WARC-Target-URI")): each.rec_headers.get_header("WARC-Warcinfo-ID")
        for each in ArchiveIterator(io.BytesIO(exported(web)))
    }
    assert {named[kind, URL + "a"] for kind in ("response", "request", "conversion")} == {INFO}


def test_what_was_kept_is_no_page_and_stays_over_repair_removal_and_a_lost_table(web: Collection) -> None:
    assert {page.url for page in web.pages()} == {URL + "a", URL + "b"}
    before = told(exported(web))
    assert web.verify().problems == []
    web.close()
    web.repair()
    assert told(exported(web)) == before
    web.remove(URL + "a", archive=True)
    after = told(exported(web))
    assert not any(URL + "a" in (row[2] or "") and row[0] in ("response", "request", "conversion") for row in after)
    assert {row[2] for row in after} >= {URL + "form", URL + "b", URL + "c.png", "dns:example.com"}
    assert web.verify().problems == []


def index_of(data: bytes) -> dict[str, dict[str, str]]:
    """The lines of an index by their keys."""
    lines = [line for line in data.decode().splitlines() if not line.startswith("!")]
    return {line.partition(" ")[0]: json.loads(line[line.index("{") :]) for line in lines}


@LEFT_OPEN
def test_answers_to_post_and_resources_are_where_replay_tools_look(web: Collection, tmp_path: Path) -> None:
    index = index_of(exported(web, "cdxj"))
    (post,) = (told for key, told in index.items() if "__wb_method=post" in key)
    assert (post["method"], post["requestBody"], post["status"]) == ("POST", "q=a b&x=1", "200")
    with pytest.raises(NotFound, match=r"/form: not in the collection; an import has kept records .*\(.*response"):
        web.why(post["url"].partition("?")[0])
    assert (post["mime"], index["com,example)/c.png"]["mime"]) == ("text/html", "image/png")
    (tmp_path / "again.warc.gz").write_bytes(exported(web))
    out = io.StringIO()
    CDXJIndexer(out, [str(tmp_path / "again.warc.gz")], post_append=True).process_all()
    theirs = index_of(out.getvalue().encode())
    assert {key for key in theirs if not key.startswith(("dns", "org,gnu"))} == set(index)


def test_what_was_sent_is_looked_up_as_others_do_it() -> None:
    for kind, body in {
        "application/x-www-form-urlencoded": b"a=1&b=c+d%21",
        "application/json": b'{"a": {"b": [1, true, null]}, "c": "x y", "b": 2}',
        "application/json; charset=utf-8": b"no json",
        "text/plain": b"words",
        "text/plain;charset=UTF-8": b'{"a": 1}\n{"a": 2}',
        "application/octet-stream": bytes(range(256)),
        "": b"x",
        "multipart/form-data; boundary=xyz": PARTS,
    }.items():
        head = f"POST /x?y=1 HTTP/1.1\r\nContent-Type: {kind}\r\n\r\n".encode()
        url = "http://example.com/x?y=1"
        _, theirs = append_method_query("POST", kind, str(len(body)), io.BytesIO(body), url)
        assert lookup(url, "POST", head + body) == url + theirs, kind


def test_a_revisit_before_its_original_is_whole_in_one_pass(tmp_path: Path) -> None:
    original = page(URL + "a", "The heron waits")
    fields = {"WARC_Refers_To_Target_URI": URL + "a", "WARC_Refers_To_Date": DATE}
    head = answer(b"<title>The heron waits</title><p>The heron waits.").partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
    revisit = record("revisit", URL + "b", head, "2020-05-18T00:00:00Z", **fields)
    (tmp_path / "x.warc.gz").write_bytes(zipped([revisit, original]))
    with gossamer.open(tmp_path / "web") as collection:
        done = collection.import_files(tmp_path / "x.warc.gz", shards=1)
        assert (done.captures, done.problems, done.files) == (2, (), 1)
        assert collection.page(URL + "b").text == collection.page(URL + "a").text


# ---------------------------------------------------------------------- other programs


def written_by_warcio(path: Path) -> None:
    with path.open("wb") as out:
        writer = WARCWriter(out, gzip=True, warc_version="1.1")
        writer.write_record(writer.create_warcinfo_record("x.warc.gz", {"software": "warcio"}))
        head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        response = writer.create_warc_record(URL, "response", payload=io.BytesIO(b"<p>Ibis."), http_headers=head)
        request = writer.create_warc_record(
            URL,
            "request",
            http_headers=StatusAndHeaders("GET / HTTP/1.1", [("Host", "example.com")], is_http_request=True),
        )
        writer.write_request_response_pair(request, response)
        first = writer.create_warc_record(URL, "response", payload=io.BytesIO(b"<p>Ibis."), http_headers=head)
        writer.write_record(
            writer.create_revisit_record(
                URL + "copy",
                response.rec_headers.get_header("WARC-Payload-Digest"),
                URL,
                response.rec_headers.get_header("WARC-Date"),
                http_headers=first.http_headers,
            )
        )


def bodies(data: bytes) -> dict[str, tuple[str, str]]:
    """Id, type and block of every record that warcio reads."""
    found = {}
    for each in ArchiveIterator(io.BytesIO(data), no_record_parse=True):
        found[each.rec_headers.get_header("WARC-Record-ID")] = (each.rec_type, each.raw_stream.read().hex())
    return found


@LEFT_OPEN
def test_everything_that_warcio_reads_is_taken_over_or_told(tmp_path: Path) -> None:
    files = sorted((reference("warc-warcio") / "files").glob("*.warc*"))
    written_by_warcio(tmp_path / "warcio.warc.gz")
    for number, path in enumerate([*files, tmp_path / "warcio.warc.gz"]):
        try:
            theirs = bodies(path.read_bytes())
        except Exception:  # warcio does not read it
            continue
        with gossamer.open(tmp_path / f"web{number}") as collection:
            done = collection.import_files(path, shards=1)
            ours = bodies(exported(collection))
            missing = [name for name in theirs if theirs[name] != ours.get(name) and theirs[name][0] != "revisit"]
            assert len(missing) <= len(done.problems) + sum(done.refused.values()) + done.known, path.name
            assert collection.verify().problems == []


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The files of a folder, on loopback."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *words: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


def test_a_file_that_wget_has_written_is_taken_over_byte_by_byte(tmp_path: Path) -> None:
    wget = shutil.which("wget")
    if wget is None:
        pytest.skip("wget is not installed")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<title>Rail</title><a href='b.html'>b</a>" + "words " * 500)
    (tmp_path / "site" / "b.html").write_text("<title>Crake</title><p>The crake hides.")
    with serving(tmp_path / "site") as address:
        for packing in ("--no-warc-compression", "--warc-cdx"):
            name = tmp_path / packing.strip("-")
            asked = [wget, "-q", "-r", "-l", "1", packing, f"--warc-file={name}", "-P", str(tmp_path / "got"), address]
            subprocess.run(asked, check=False, cwd=tmp_path)  # robots.txt is not there, which counts as an error
    (plain,) = tmp_path.glob("no-warc-compression.warc")
    (packed,) = tmp_path.glob("warc-cdx.warc.gz")
    for path in (plain, packed):
        theirs = bodies(path.read_bytes())
        with gossamer.open(tmp_path / f"web-{path.name}") as collection:
            done = collection.import_files(path, shards=1)
            ours = bodies(exported(collection))
            assert (done.problems, done.refused) == ((), {})
            assert {name: theirs[name] for name in theirs} == {name: ours.get(name) for name in theirs}
            assert {page.title for page in collection.pages()} >= {"Rail", "Crake"}


# --------------------------------------------------------------------------- hostile


def test_names_without_end_and_odd_fields_cost_nothing_but_themselves(tmp_path: Path) -> None:
    odd = {"X_\x01": "1", "X_Y": "a\x1b[31mb", "X_Z": "good"}
    records = [
        record("metadata", URL, b"w", WARC_Record_ID="<urn:uuid:" + "a" * 1_000_000 + ">"),
        record("metadata", URL, b"x", WARC_Record_ID="<urn:x:" + "a" * 5_000 + ">", **odd),
        record("response", URL, answer(), WARC_Record_ID="<urn:x:" + "b" * 5_000 + ">", **odd),
        record("what\x7fis this", URL, b"y", WARC_Warcinfo_ID="no id at all <>"),
        page(URL + "b", "after"),
    ]
    (tmp_path / "x.warc.gz").write_bytes(zipped(records))
    with gossamer.open(tmp_path / "web") as collection:
        done = collection.import_files(tmp_path / "x.warc.gz", shards=1)
        assert (done.captures, done.kept, done.problems) == (2, 3, ())
        out = exported(collection)
        assert collection.verify().problems == []
    for each in ArchiveIterator(io.BytesIO(out)):
        headers = each.rec_headers
        assert len(headers.get_header("WARC-Record-ID")) < 1_100
        assert not headers.get_header("X-Y")
        assert not any("\x01" in name or "\x1b" in value for name, value in headers.headers)


def test_a_clipped_file_is_told_and_its_last_record_is_marked(tmp_path: Path) -> None:
    words = "".join(f"word{number} " for number in range(20_000))
    data = zipped([page(URL + "a", "first"), page(URL + "b", words)])
    (tmp_path / "x.warc.gz").write_bytes(data[: len(data) * 2 // 3])
    command = run_gossamer("import", str(tmp_path / "web"), str(tmp_path / "x.warc.gz"), "--shards", "1")
    assert command.returncode == 9
    assert "the file ends before the record does" in command.stdout
    with gossamer.open(tmp_path / "web") as collection:
        assert {page.url: page.version.truncated for page in collection.pages()} == {
            URL + "a": None,
            URL + "b": "unspecified",
        }
        cut = [
            each
            for each in ArchiveIterator(io.BytesIO(exported(collection)))
            if each.rec_headers.get_header("WARC-Truncated")
        ]
        assert [each.rec_headers.get_header("WARC-Target-URI") for each in cut] == [URL + "b"]
        (tmp_path / "whole.warc.gz").write_bytes(data)
        done = collection.import_files(tmp_path / "whole.warc.gz")
        assert (done.captures, done.known, done.problems) == (1, 1, ())
        names = [
            each.rec_headers.get_header("WARC-Record-ID") for each in ArchiveIterator(io.BytesIO(exported(collection)))
        ]
        assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("head", "media_type"),
    [
        (b"", "text/plain"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: Image/PNG; q=1\r\n", "image/png"),
        (b"HTTP/1.1 200 OK", "text/plain"),
    ],
)
def test_a_record_is_of_the_type_that_its_answer_names_or_else_itself(head: bytes, media_type: str) -> None:
    record = Record(Place("a.warc", 0, 1, "x"), "resource", (("content-type", "Text/Plain; charset=utf-8"),), b"")
    assert _media_type(record, head) == media_type
