"""A shard of a few pages, written down in a test: its rows and its archive, without a crawl."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from gossamer import convert
from gossamer.collection.column_families import FAMILIES
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.ledger import Ledger
from gossamer.model import Capture, Page, SystemClock, Visit
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.store.warc.records import Info
from gossamer.testing.prose import paragraphs, prose

WORDS = prose(5)
BEGAN = 1_794_700_800.0


def said(key: str, edits: int = 0) -> str:
    """Some paragraphs; so many of their words are edited."""
    text = WORDS.sentences(150, WORDS.topic(1), key)
    text = WORDS.edited(text, edits / sum(map(len, text)), key) if edits else text
    return "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs(text))


def answer(
    url: str, body: str, *, status: int = 200, began: float = BEGAN, location: str = "", visit: Visit | None = None
) -> Capture:
    """What a server sends."""
    fields = (("content-type", "text/html"), *((("location", location),) if location else ()))
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
    head, data = f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode(), body.encode()
    request = b"GET / HTTP/1.1\r\n\r\n"
    return Capture(visit or Visit(url), began, 0.1, status, fields, request, head, data, data)


def read(capture: Capture) -> Page:
    """What it says."""
    return convert.read(capture, "Gossamer")


class SmallShard:
    """One shard that is written to."""

    def __init__(self, folder: Path, table: Table, prefix: str) -> None:
        self.folder, self.table = folder, table
        self.archive = Archive(table, folder, lambda capture: replace(capture, body=capture.wire))
        info = Info("Gossamer/0.1", agent="Gossamer/0.1", operator=None)
        self.archive.texts.open(info, SystemClock(), prefix=prefix, max_bytes=1 << 30)
        self.archive.open(info, SystemClock(), prefix=prefix, max_bytes=1 << 30)
        self.ledger = Ledger(table)

    def keep(self, url: str, body: str, *, depth: int = 1, **more: object) -> tuple[Capture, Page]:
        """A page was fetched."""
        capture = answer(url, body, **more)  # type: ignore[arg-type]  # whatever a test wants
        page = read(capture)
        self.archive.append(capture, page)
        self.enter(url, status=capture.status, depth=depth)
        return capture, page

    def enter(self, url: str, **fields: object) -> Entry:
        """What the frontier knows of an address."""
        known = {"state": State.DONE, "depth": 1, "found": BEGAN, "visited": BEGAN, "status": 200} | fields
        entry = Entry(**known)  # type: ignore[arg-type]  # likewise
        return self.ledger.put(url, entry, self.ledger.get(url))

    def commit(self) -> None:
        self.archive.prepare()
        self.ledger.save()
        self.table.commit()


@contextmanager
def small_shard(folder: Path, prefix: str = "gossamer") -> Iterator[SmallShard]:
    """Open for writing."""
    folder.mkdir(exist_ok=True)
    with Table.open(folder / "table", FAMILIES, writable=True) as table:
        shard = SmallShard(folder, table, prefix)
        try:
            yield shard
        finally:
            shard.archive.close()
