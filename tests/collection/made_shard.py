"""A shard made by hand: its table, its archive, and captures that come when and as a test wants them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from gossamer.collection.column_families import FAMILIES
from gossamer.collection.folder import Folder
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.ledger import Ledger
from gossamer.model import Capture, Page, SystemClock, Visit
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.store.versions import Version
from gossamer.store.warc.records import Info
from gossamer.store.warc.warc import payload_digest
from gossamer.urls import keys

A, B, C = (f"http://{name}.test/" for name in "abc")
BEGAN = 1_794_700_800.0
HELLO = b"<p>Hello"
INFO = Info("Gossamer/1")


def site(url: str) -> str:
    return keys.host(url)


def came(url: str, body: bytes = HELLO, status: int = 200, after: float = 0.0, **more: Any) -> Capture:
    fields = more.pop("fields", (("content-type", "text/html"),))
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
    head = f"HTTP/1.1 {status} x\r\n{lines}\r\n".encode()
    visit = more.pop("visit", Visit(url))
    return Capture(visit, BEGAN + after, 0.1, status, fields, b"GET / HTTP/1.1\r\n\r\n", head, body, body, **more)


def said(url: str, words: str = "Hello", body: bytes = HELLO, **more: Any) -> Page:
    told = {"title": words, "text": words, "content": words, "html": f"<p>{words}</p>", "digest": payload_digest(body)}
    return Page(url, "text/html", "UTF-8", **(told | more))


class Shard:
    """The first of a collection."""

    def __init__(self, folder: Path) -> None:
        self.folder = Folder(folder)
        self.folder.make_shards(1)
        self.place = self.folder.shard(0)
        self.table = Table.open(self.folder.table(0), FAMILIES, writable=True)
        self.archive = Archive(self.table, self.place, lambda one: replace(one, body=one.wire))
        self.archive.texts.open(INFO, SystemClock(), prefix="gossamer", max_bytes=1 << 30)
        self.archive.open(INFO, SystemClock(), max_bytes=1 << 30)

    def keep(self, url: str, body: bytes = HELLO, after: float = 0.0, status: int = 200, **more: Any) -> Capture:
        one = came(url, body, status, after)
        self.archive.append(one, said(url, **({"body": body} | more)))
        return one

    def enter(self, url: str, **more: Any) -> Entry:
        """Into the books as a page that was fetched, unless a field says otherwise."""
        ledger = Ledger(self.table)
        entry = Entry(**({"state": State.DONE, "depth": 0, "found": BEGAN, "status": 200} | more))
        ledger.put(url, entry, ledger.get(url))
        ledger.save()
        return entry

    def commit(self) -> None:
        self.archive.prepare()
        self.table.commit()

    def row(self, url: str) -> Version:
        return next(self.archive.versions.of(url))

    def close(self) -> None:
        self.archive.close()
        self.table.close()


@contextmanager
def made(folder: Path) -> Iterator[Shard]:
    shard = Shard(folder)
    try:
        yield shard
    finally:
        shard.close()
