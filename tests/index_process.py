"""A process that keeps and indexes pages until it is killed: python index_process.py FOLDER FIRST.

It prints a line after every commit, with the number of the next page.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path

from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.wiring import info_of
from gossamer.collection.derive import indexer
from gossamer.collection.derive.indexer import Indexer
from gossamer.collection.sites import site_of
from gossamer.fetch.body import decoded
from gossamer.model import Capture, Link, Page, SystemClock, Visit
from gossamer.plan import Plan
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"


def page(number: int) -> tuple[Capture, Page]:
    """Each tenth page is one that came before, with other words. No two captures are of the same moment."""
    began = 1.79e9 + number + os.getpid() % 1_000 / 1_000
    again = number % 10 == 9
    url = f"http://www.site.test/{number - 5 if again else number}"
    text = f"page {number} " + f"word{number % 97} " * 200
    body = text.encode()
    links = (Link(f"http://www.site.test/{number + 1}", "next"),)
    digest = f"sha256:{sha256(body).hexdigest()}"
    read = Page(url, "text/html", "utf-8", f"Page {number}", text, links, text, f"<p>{text}</p>", digest=digest)
    return Capture(Visit(url), began, 0.1, 200, (), b"GET / HTTP/1.1\r\n\r\n", HEAD, body, body), read


@contextmanager
def opened(folder: Path) -> Iterator[tuple[Table, Archive, Indexer]]:
    """The parts of one shard."""
    plan = Plan()
    with ExitStack() as stack:
        table = stack.enter_context(Table.open(folder / "table", FAMILIES, writable=True))
        archive = stack.enter_context(closing(Archive(table, folder, partial(decoded, limits=plan.as_limits()))))
        yield table, archive, stack.enter_context(closing(Indexer(folder, table, archive, site_of(plan))))


def main(folder: Path, number: int) -> None:
    indexer.COMMIT_EVERY = 10
    with opened(folder) as (table, archive, keeper):
        for _ in keeper.catch_up():
            pass
        list(archive.files.uncommitted())
        for part in (archive.texts, archive):
            part.open(info_of(Plan()), SystemClock(), prefix="gossamer", max_bytes=1 << 30)
        while True:
            for each in range(number, number + 4):
                capture, read = page(each)
                version = archive.append(capture, read)
                if version is not None:  # else it was committed before a kill, and says the same
                    keeper.keep(capture, read, version)
            number += 4
            archive.prepare()
            keeper.prepare()
            table.commit()
            keeper.committed()
            print(number, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
