"""What is known of an address does not depend on the order in which files came in."""

from __future__ import annotations

from pathlib import Path

import gossamer
from foreign_files import answer, record, zipped

SITE = "http://example.com"


def captured(path: str, hops: str, date: str, *links: str) -> list[bytes]:
    """A page, so many links from a seed as its crawler says."""
    body = "".join(f"<a href={link}>{link}</a>" for link in links).encode() or b"<p>Words."
    page = record("response", SITE + path, answer(body), date)
    name = page.partition(b"WARC-Record-ID: ")[2].partition(b"\r\n")[0].decode()
    told = f"via: {SITE}/\r\nhopsFromSeed: {hops}\r\n".encode()
    return [page, record("metadata", SITE + path, told, date, WARC_Concurrent_To=name)]


def test_the_depth_of_an_address_is_that_of_its_nearest_capture_in_any_order(tmp_path: Path) -> None:
    """/b is three links away by one crawl, one by another, and two by a link of /a."""
    files = {
        "links": captured("/a", "L", "2020-05-01T00:00:00Z", "/b", "/c"),
        "near": captured("/b", "L", "2020-05-02T00:00:00Z"),
        "far": [*captured("/b", "LLL", "2020-05-03T00:00:00Z"), *captured("/c", "LLL", "2020-05-03T00:00:00Z")],
    }
    for name, records in files.items():
        (tmp_path / f"{name}.warc.gz").write_bytes(zipped(records))
    for number, order in enumerate((("links", "far", "near"), ("near", "far", "links"))):
        with gossamer.open(tmp_path / f"web{number}") as web:
            web.import_files(*(tmp_path / f"{name}.warc.gz" for name in order), shards=1, build=False)
            assert {each.url: each.depth for each in web.addresses(state="page")} == {
                f"{SITE}/a": 1,
                f"{SITE}/b": 1,
                f"{SITE}/c": 3,
            }
