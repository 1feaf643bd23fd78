"""What does keeping a page cost, how large is the archive, and how long does it take to get a page back?

    python bench/archive.py --rows 1_000_000

Some made pages of 50 KB are written to an archive, with their requests and links; the same records are packed by
`gzip -6` beside it. Then rows are made until the table has as many as asked for, spread over the records that are
there, and random addresses are read: row, record, payload. Whatever HTML files are in `--pages-in` take the place of
made pages, so that the figures can be had for real ones.
"""

from __future__ import annotations

import argparse
import gzip
import random
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles

from gossamer.model import Capture, Kind, Link, Page, SystemClock, Visit
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.store.versions import FAMILIES, Version
from gossamer.store.warc.gzip_members import unpacked
from gossamer.store.warc.reader import records
from gossamer.store.warc.records import Info
from gossamer.testing.prose import paragraphs, prose

PAGES = 300
BYTES = 50_000
SIZES = (30_000, 70_000)
"""Files that count as pages of 50 KB."""
READS = 1_000
LINKS = 100
BEGAN = 1_794_700_800.0
BATCH = 10_000
WORDS = prose(11)
INFO = Info("Gossamer/0.1", agent="Gossamer/0.1 (+https://example.org/bot)")


def main() -> None:
    asked = options()
    with tempfile.TemporaryDirectory() as folder, Table.open(Path(folder) / "table", FAMILIES, writable=True) as table:
        archive = Archive(table, Path(folder), lambda capture: replace(capture, body=capture.wire))
        captures = [
            captured(number, body) for number, body in enumerate(bodies(asked.pages_in, min(PAGES, asked.rows // 10)))
        ]
        cpu = written(archive, captures)
        ours, theirs = sizes(Path(folder) / "captures")
        mean = sum(len(capture.body) for capture, _ in captures) / len(captures)
        print(f"writing      {cpu:.3f} ms of CPU for a page of {mean / 1000:.1f} KB, digest and rows included")
        print(f"size         {ours / theirs:.3f} times what gzip -6 makes of the same records")
        table.commit()
        fill(table, archive, asked.rows)
        times = read(archive, asked.rows)
        most = quantiles(times, n=100)[-1]
        print(f"random read  {median(times):.2f} ms (99 of 100 in {most:.2f}) at {asked.rows:,} rows")
        archive.close()


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--rows", type=int, default=20_000, help="rows in the table when pages are read (20,000)")
    parser.add_argument("--pages-in", type=Path, help="a folder with .html or .html.gz files to write (made pages)")
    return parser.parse_args()


# ----------------------------------------------------------------------- pages


def bodies(folder: Path | None, most: int) -> list[bytes]:
    if folder is None:
        return [made(number) for number in range(most)]
    files = sorted([*folder.glob("**/*.html"), *folder.glob("**/*.html.gz")])
    read = (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes() for path in files)
    found = [body for body in read if SIZES[0] <= len(body) <= SIZES[1]][:most]
    return found or sys.exit(f"{folder}: no HTML file of 30 to 70 KB")


def made(number: int) -> bytes:
    """A page with the markup that pages have: classes, data, a menu, prose."""
    draw = random.Random(number)
    parts = [f"<!doctype html><html lang=en><head><meta charset=utf-8><title>Page {number}</title></head><body>"]
    length = 0
    while length < BYTES:
        place = "-".join(draw.choices(WORDS.nouns, k=2))
        words = WORDS.sentences(30, WORDS.topic(number % 50), number, len(parts))
        text = "</p><p>".join(paragraphs(words))
        parts.append(
            f'<section class="block block--{place} u-mt-{draw.randrange(9)}" id="{draw.randrange(1 << 32):08x}">'
            f'<h2><a href="/{place}/{draw.randrange(10_000)}.html" class="link link--quiet">{place}</a></h2>'
            f"<p>{text}</p></section>"
        )
        length += len(parts[-1])
    return "".join(parts).encode()[:BYTES]


def url_of(number: int) -> str:
    return f"https://www.site{number % 5_003}.com/section/{number % 97}/page-{number}.html"


def captured(number: int, body: bytes) -> tuple[Capture, Page]:
    url = url_of(number)
    head = (
        "HTTP/1.1 200 OK\r\nDate: Sun, 15 Nov 2026 13:00:00 GMT\r\nServer: nginx\r\n"
        f"Content-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
        f'Last-Modified: Sat, 14 Nov 2026 09:00:00 GMT\r\nETag: "{number:08x}"\r\n\r\n'
    ).encode()
    request = f"GET {url} HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: {INFO.agent}\r\nAccept: */*\r\n\r\n".encode()
    links = tuple(Link(url_of(number * LINKS + each), "a link", "", "a") for each in range(LINKS))
    capture = Capture(
        Visit(url, Kind.ROBOTS, referrer=url_of(number + 1)),  # not a page, so that no text is written
        BEGAN + number,
        0.1,
        200,
        head=head,
        request=request,
        wire=body,
        body=body,
    )
    return capture, Page(url, media_type="text/html", links=links)


# --------------------------------------------------------------------- figures


def written(archive: Archive, captures: Sequence[tuple[Capture, Page]]) -> float:
    """Milliseconds of CPU for each, the best of three rounds; the digest of the payload is part of it."""
    archive.open(INFO, SystemClock(), max_bytes=1 << 40)

    def once() -> None:
        for capture, page in captures:
            archive.append(capture, page)

    return min(spent(once) for _ in range(3)) / len(captures) * 1_000


def spent(work: Callable[[], None]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def sizes(folder: Path) -> tuple[int, int]:
    """Bytes of the archive, and of the same records when gzip packs each."""
    ours = theirs = 0
    for path in folder.iterdir():
        data = path.read_bytes()
        ours += len(data)
        for record in records(path):
            place = record.place
            found = unpacked([data[place.offset : place.offset + place.length]])
            assert found is not None
            packer = zlib.compressobj(6, zlib.DEFLATED, 31)
            theirs += len(packer.compress(found[0])) + len(packer.flush())
    return ours, theirs


def fill(table: Table, archive: Archive, rows: int) -> None:
    """Rows for addresses that were never fetched, over the records that are there."""
    there = [version for _, version in archive.versions.all()]
    for number in range(len(there), rows):
        archive.versions.add(url_of(number), there[number % len(there)])
        if table.pending >= BATCH:
            table.commit()
    table.commit()


def read(archive: Archive, rows: int) -> list[float]:
    """Milliseconds for each of some random addresses."""
    draw = random.Random(1)
    times = []
    for _ in range(READS):
        url = url_of(draw.randrange(rows))
        began = time.perf_counter()
        version: Version = next(iter(archive.versions.of(url)))
        capture = archive.capture(url, version)
        times.append((time.perf_counter() - began) * 1_000)
        assert capture.wire
    return times


if __name__ == "__main__":
    main()
