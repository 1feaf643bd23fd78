"""What somebody else has captured keeps its names: ids, dates, numbers of documents, fields that we do not know."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from warcio import ArchiveIterator

import gossamer
from foreign_files import answer, page, record, zipped
from gossamer.collection import Collection
from gossamer.store.versions import Version

A, B, C = (f"http://example.com/{name}" for name in "abc")
MOMENT = "2020-05-17T10:20:30.123456Z"
KNOWN = {"WARC-Record-ID", "WARC-Date", "WARC-Target-URI", "WARC-TREC-ID", "WARC-JSON-Metadata", "X-Of-Ours"}


def files() -> list[bytes]:
    return [
        record("response", A, answer(b"<title>Heron</title><p>The heron waits in the reeds."), MOMENT),
        record("request", B, b"GET /b HTTP/1.0\r\nHost: example.com\r\n\r\n"),
        record(
            "response",
            B,
            answer(b"<title>Stork</title><p>The stork walks in the meadow."),
            WARC_TREC_ID="clueweb09-en0000-00-00001",
            WARC_JSON_Metadata='{"ipType": "\u00e9"}',
            X_Of_Ours="1",
        ),
        page(C, "The crane flies"),
    ]


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Collection]:
    (tmp_path / "x.warc.gz").write_bytes(zipped(files()))
    with gossamer.open(tmp_path / "web") as collection:
        collection.import_files(tmp_path / "x.warc.gz", shards=1)
        yield collection


def written(data: bytes) -> dict[tuple[str, str], dict[str, Any]]:
    """What another program reads, but for what only our own records say."""
    found = {}
    for each in ArchiveIterator(io.BytesIO(data)):
        url = each.rec_headers.get_header("WARC-Target-URI")
        if each.rec_type in ("response", "request"):
            told: dict[str, Any] = {name: each.rec_headers.get_header(name) for name in KNOWN}
            told["body"] = each.raw_stream.read()
            told["head"] = each.http_headers.to_ascii_bytes()
            if each.rec_type == "request":
                del told["WARC-Record-ID"], told["WARC-Date"]
            found[url, each.rec_type] = told
    return found


def exported(collection: Collection, form: str) -> bytes:
    out = io.BytesIO()
    collection.export(form, out)
    return out.getvalue()


def test_records_keep_their_ids_dates_and_fields_over_import_and_export(web: Collection, tmp_path: Path) -> None:
    once = exported(web, "warc")
    assert written(once) == written(b"".join(files()))
    assert web.verify().problems == []
    (tmp_path / "again.warc.gz").write_bytes(once)
    with gossamer.open(tmp_path / "other") as other:
        other.import_files(tmp_path / "again.warc.gz", shards=2)
        assert written(exported(other, "warc")) == written(once)
        assert other.verify().problems == []


def test_no_request_is_made_up_and_what_is_repaired_or_killed_stays_so(web: Collection, tmp_path: Path) -> None:
    assert [url for url, kind in written(exported(web, "warc")) if kind == "request"] == [B]
    web.close()
    web.repair()
    assert written(exported(web, "warc")) == written(b"".join(files()))


def test_a_document_is_asked_for_by_its_number(web: Collection, tmp_path: Path) -> None:
    number = "clueweb09-en0000-00-00001"
    assert [hit.url for hit in web.search(f"docno:{number}")] == [B]
    assert web.page(B).fields == {"docno": number}
    web.build(convert=True)
    assert [hit.url for hit in web.search(f"docno:{number}")] == [B]
    numbers = {line for line in exported(web, "trec").split(b"\n") if line.startswith(b"<DOCNO>")}
    assert f"<DOCNO>{number}</DOCNO>".encode() in numbers
    (tmp_path / "pages.trec").write_bytes(exported(web, "trec"))
    with gossamer.open(tmp_path / "other") as other:
        other.import_files(tmp_path / "pages.trec")
        assert {page.fields["docno"] for page in other.pages()} >= {number}
        again = {line for line in exported(other, "trec").split(b"\n") if line.startswith(b"<DOCNO>")}
        assert again == numbers


def version(collection: Collection, url: str) -> Version:
    return collection.page(url).version


def test_two_that_share_a_moment_and_what_cannot_be_an_id_are_kept(tmp_path: Path) -> None:
    records = [
        page(A, "one", MOMENT),
        page(A, "two", MOMENT),
        record("response", B, answer(), WARC_Record_ID="<http://example.org/record/7>"),
        record("response", C, answer(), **{"X_Bad_\x7f": "1", "Very_Long": "x" * 5_000, "Empty": ""}),
    ]
    (tmp_path / "x.warc.gz").write_bytes(zipped(records))
    with gossamer.open(tmp_path / "web") as collection:
        done = collection.import_files(tmp_path / "x.warc.gz", shards=1)
        assert (done.captures, done.problems) == (4, ())
        assert len({one.record for one in (version(collection, url) for url in (A, B, C))}) == 3
        assert len(list(collection.history(A))) == 2
        assert collection.verify().problems == []
        headers = [each.rec_headers for each in ArchiveIterator(io.BytesIO(exported(collection, "warc")))]
        assert not any(each.get_header(name) for each in headers for name in ("Very-Long", "Empty"))
