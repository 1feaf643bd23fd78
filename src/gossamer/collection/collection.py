"""A collection: every verb of the command line as a method. The only place that knows all parts."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, TypeVar

from gossamer import convert
from gossamer.collection import export
from gossamer.collection.documents import Document, document, documents
from gossamer.collection.folder import Folder
from gossamer.collection.lock import exclusive
from gossamer.collection.session import FAMILIES, REAL, Outside, Session, check, site_of
from gossamer.collection.status import Progress, Status, status_of
from gossamer.errors import InvalidURL, NotFound, NothingFetched, UsageError
from gossamer.fetch.stored import decoded
from gossamer.frontier.audit import audit
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.why import AddressAnswer, Asked, HostAnswer, about_address, about_host
from gossamer.model import Capture, Page
from gossamer.plan import Plan
from gossamer.store.archive import Archive
from gossamer.store.table import Table
from gossamer.store.verify import Checked, verify_archive
from gossamer.urls import keys, normalize

T = TypeVar("T")

FORMATS = ("jsonl", "warc", "cdxj")


def open(path: str | Path) -> Collection:
    """The collection in a directory. It is made by the first `crawl`."""
    return Collection(Path(path))


class Collection:
    """A part of the web that its user owns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._folder = Folder(path)
        self._reader: Table | None = None

    def __enter__(self) -> Collection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give back what reading holds open. The next question sees what has been committed since."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    @property
    def plan(self) -> Plan:
        """What it was asked for."""
        return self._folder.load_plan()

    # ---------------------------------------------------------------- crawling

    def crawl(self, *seeds: str, report: Callable[[Progress], None] | None = None, **settings: Any) -> Status:
        """Crawl until nothing is due. Without seeds, go on where it stopped. Settings are those of the plan."""
        return _run(self.crawl_async(*seeds, report=report, **settings))

    async def crawl_async(
        self,
        *seeds: str,
        report: Callable[[Progress], None] | None = None,
        revisit: bool = False,
        stop: asyncio.Event | None = None,
        outside: Outside = REAL,
        **settings: Any,
    ) -> Status:
        """The same from within an asyncio program. Setting `stop` ends it as one Ctrl-C does."""
        new = [as_seed(seed) for seed in seeds]
        plan = self._folder.load_plan()
        plan = plan.changed(seeds=tuple(dict.fromkeys((*plan.seeds, *new))), **settings)
        if not plan.seeds:
            raise UsageError(
                f"{self.path}: no seed; name an address to start from, as in `crawl DIR https://example.org/`"
            )
        check(plan)
        self._folder.create()
        self.close()
        with exclusive(self.path):
            self._folder.save_plan(plan)
            with Table.open(self._folder.table, FAMILIES, writable=True) as table:
                session = Session(self._folder.shard, plan, table, outside)
                await _stoppable(session.run(new, report or (lambda _: None), revisit=revisit), session, stop)
        status = self.status()
        if not status.pages and not (stop and stop.is_set()):
            raise NothingFetched("; ".join(f"{seed}: {self._reason(seed)}" for seed in plan.seeds[:3]))
        return status

    def _reason(self, seed: str) -> str:
        try:
            return self.why(seed).reason
        except NotFound:
            return "never met; a rule of the plan turns it into another address"

    # ----------------------------------------------------------------- reading

    def status(self) -> Status:
        """What it holds, what it is doing, what failed and why."""
        return status_of(self.path, self._table())

    def why(self, subject: str) -> AddressAnswer | HostAnswer:
        """State, reason, next time and history of an address or a host."""
        table, plan = self._table(), self.plan
        asked = Asked(plan.as_politeness(), plan.as_identity().product, site_of(plan), time.time())
        if "/" not in subject:
            name = keys.host(as_seed(subject))
            host = about_host(table, name, asked)
            if host is None:
                raise NotFound(f"{name}: no such host in the collection; it was never met")
            return host
        url = normalize(subject)
        answer = about_address(table, url, asked)
        if answer is None and url.endswith("/robots.txt"):
            return self.why(keys.host(url))
        if answer is None:
            verdict = plan.as_scope().check(url, 0)
            words = f"it was never met, and it would be left out: {verdict}" if verdict else "it was never met"
            raise NotFound(f"{url}: not in the collection; {words}")
        return answer

    def page(self, url: str, at: datetime | None = None) -> Document:
        """A page as it was last fetched, or as it was at a time."""
        table = self._table()
        found = document(
            self._archive(table), Ledger(table), self._read, normalize(url), at.timestamp() if at else None
        )
        if found is None:
            raise NotFound(f"{url}: no page in the collection; `gossamer why {self.path} {url}` says more")
        return found

    def pages(self) -> Iterator[Document]:
        """Every page, in the order of the addresses."""
        table = self._table()
        return documents(self._archive(table), Ledger(table), self._read)

    def export(self, form: str, out: BinaryIO) -> int:
        """Write the collection as jsonl, warc or cdxj. Gives the number of objects, files or lines."""
        archive = self._archive(self._table())
        match form:
            case "jsonl":
                return export.jsonl(self.pages(), out)
            case "warc":
                return export.warc(archive, out)
            case "cdxj":
                return export.cdxj(archive, out)
        raise UsageError(f"unknown format {form!r}; choose one of {', '.join(FORMATS)}")

    def verify(self) -> Checked:
        """Read everything and compare. No crawl may be running."""
        self._folder.require()
        self.close()
        with exclusive(self.path):
            table = self._table()
            checked = verify_archive(self._archive(table))
            checked.problems += audit(table)
        return checked

    def _table(self) -> Table:
        self._folder.require()
        if self._reader is None:
            self._reader = Table.open(self._folder.table, FAMILIES, writable=False)
        return self._reader

    def _archive(self, table: Table) -> Archive:
        return Archive(table, self._folder.shard, partial(decoded, limits=self.plan.as_limits()))

    def _read(self, capture: Capture) -> Page:
        return convert.read(capture, self.plan.as_identity().product)


def as_seed(text: str) -> str:
    """A seed as people write it; without a scheme it is taken for http."""
    candidate = text.strip()
    if "://" not in candidate:
        candidate = f"http://{candidate}"
    try:
        return normalize(candidate)
    except InvalidURL as error:
        raise InvalidURL(f"seed {text!r}: {error}") from None


async def _stoppable(crawl: Coroutine[Any, Any, None], session: Session, stop: asyncio.Event | None) -> None:
    async def watch(event: asyncio.Event) -> None:
        await event.wait()
        session.stop()

    watcher = asyncio.get_running_loop().create_task(watch(stop)) if stop else None
    try:
        await crawl
    finally:
        if watcher is not None:
            watcher.cancel()


def _run(crawl: Coroutine[Any, Any, T]) -> T:
    """Run to the end, also from a notebook, whose own loop is running already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with asyncio.Runner(loop_factory=fast_loop()) as runner:
            return runner.run(crawl)
    return _run_in_thread(crawl)


def _run_in_thread(crawl: Coroutine[Any, Any, T]) -> T:
    results: list[T] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(asyncio.run(crawl))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=work, name="gossamer-crawl")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def fast_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop where it is installed: half the cost of the standard loop."""
    with suppress(ImportError):
        import uvloop

        return uvloop.new_event_loop
    return None
