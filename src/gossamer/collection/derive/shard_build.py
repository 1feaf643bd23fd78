"""What does a build make in one shard? Texts that are missing, or all of them; from them log of links and index.

Nothing is ever without its text meanwhile, and a kill at any moment does no harm: new texts go to new files, rows are
switched to them batch by batch, and the old files go when no row points there any more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from pathlib import Path

import msgspec
import numpy as np

from gossamer import convert
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl import on_demand
from gossamer.collection.crawl.rereading import again
from gossamer.collection.crawl.wiring import blocks_of, info_of, prefix_of
from gossamer.collection.derive.indexer import Indexer
from gossamer.collection.derive.near_copies import Prints
from gossamer.collection.derive.settling import Sampled, has_template, name_of, sample
from gossamer.collection.documents import is_document
from gossamer.collection.folder import Folder
from gossamer.collection.page_fields import DocumentNumbers
from gossamer.collection.sites import site_of
from gossamer.convert.html.template import Hashes, Mask, Template
from gossamer.dedupe.blocks import Settled
from gossamer.errors import Damaged, shortage
from gossamer.fetch.body import decoded
from gossamer.frontier.answer.poison_pages import DEADLY, READING, PoisonPages
from gossamer.frontier.ledger import Ledger
from gossamer.model import URL, Capture, Page, SystemClock
from gossamer.plan import Plan
from gossamer.printable import log
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.store.unread import read_of
from gossamer.store.versions import Version
from gossamer.urls import keys

BATCH = 500
"""Texts for each commit."""
LOOKS = 10_000
"""Pages that are looked at in silence."""
PROBLEMS_MOST = 1_000
"""That are reported; a disk that is gone would have one for each page."""


@dataclass(frozen=True, slots=True)
class Built:
    """What a build has done so far."""

    looked: int = 0
    """Pages that were looked at; earlier versions count too."""
    pages: int = 0
    """Pages in the collection."""
    texts: int = 0
    """Texts that were made."""
    indexed: int = 0
    """Pages whose links and words were taken in."""
    seconds: float = 0.0
    problems: tuple[str, ...] = ()
    """Captures that cannot be read."""
    unread: int = 0
    """Pages that no reader of today can read, because of a mistake of ours."""


@dataclass(frozen=True)
class Job:
    """What every shard of a build is asked to do."""

    path: Path
    plan: Plan
    anew: bool
    """Make all texts again, not only those that are missing."""
    compact: bool = False
    """Make the index again where it has more parts than it need have."""
    mark: bytes = field(default_factory=lambda: os.urandom(16))
    """Tells it from all others."""


def steps(job: Job, index: int) -> Iterator[Built]:
    """Make the texts of a shard; gives how far it is after every commit."""
    folder, prefix = Folder(job.path), prefix_of(index if job.plan.shards > 1 else None)
    with Table.open(folder.table(index), FAMILIES, writable=True) as table:
        archive = Archive(table, folder.shard(index), partial(decoded, limits=job.plan.as_limits()))
        archive.texts.open(info_of(job.plan), SystemClock(), prefix=prefix, max_bytes=job.plan.warc_bytes)
        try:
            yield from _shard(job, table, archive, folder.shard(index))
        finally:
            archive.close()


def _shard(job: Job, table: Table, archive: Archive, place: Path) -> Iterator[Built]:
    site, step = site_of(job.plan), Built()
    with (
        closing(PoisonPages(place / READING, table)) as poison_pages,
        closing(Indexer(place, table, archive, site)) as findable,
        closing(Prints(place, table, archive, site)) as prints,
    ):
        table.commit()  # what the last life died on
        shard = Shard(job, table, archive, poison_pages)
        shard.findable = None if job.anew or not findable.whole else findable
        shard.prints = None if job.anew or not prints.whole else prints
        for step in shard.run():
            yield step
        for number in findable.catch_up() if shard.findable else findable.remake():
            step = replace(step, indexed=number)
            yield step
        if not findable.past_whole:
            yield from (step for _ in findable.remake_past())
        if shard.prints is None:
            yield from (step for _ in prints.remake())
        table.commit()  # a shard without any page has nothing to make, and is whole from now on
        shard.findable, shard.prints = findable, prints
        for made in shard.run_unread():
            yield replace(step, texts=step.texts + made.texts, unread=made.unread)
        findable.finish()
        table.commit()
        for number in findable.compact(memory_of(job.plan.shards)) if job.compact else ():
            yield replace(step, indexed=number)


def memory_of(shards: int) -> int:
    """That a shard may have for a while: all of them together a quarter of the machine's."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // (4 * max(shards, 1))


class Shard:
    """Goes through the versions of a shard."""

    def __init__(self, job: Job, table: Table, archive: Archive, poison_pages: PoisonPages) -> None:
        self._poison_pages = poison_pages
        self._agent = job.plan.as_identity().product
        self._method = job.plan.content
        self._table = table
        self._archive = archive
        self._blocks = blocks_of(table)
        self._on_page = on_demand.page_function(job.plan, table, job.path)
        judge = on_demand.topic_judge(job.plan, job.path, table, may_lack=True)
        self._on_topic = on_demand.topic_field(judge, table)
        self._numbers = DocumentNumbers(table)
        self._anew = job.anew
        self._new = archive.texts.begin_anew(job.mark) if job.anew else ""
        self._pages = Ledger(table).counts.kept
        self._looked = self._made = 0
        self._problems: list[str] = []
        self.findable: Indexer | None = None
        """Takes in what is read otherwise than before; None where it is made again from all pages afterwards."""
        self.prints: Prints | None = None
        """The same."""

    def run(self) -> Iterator[Built]:
        """All of them, host by host: first a look at its pages for what is template, then its versions."""
        for (place, ahead), (_, versions) in zip(self._by_place(), self._by_place(), strict=True):
            learned = self._blocks.learned(place)
            template = self._template(place, sample(ahead))
            for url, version in versions:
                self._looked += 1
                if self._is_wanted(url, version):
                    self._make(url, version, template)
                elif not _is_settled(place, version, template, learned=learned):
                    self._settle(url, version, template)
                if self._table.pending >= BATCH or self._looked % LOOKS == 0:
                    yield self.commit()
        if self._new:
            self._archive.texts.retire_old()
        yield self.commit()
        self._archive.texts.remove_old()

    def run_unread(self) -> Iterator[Built]:
        """Pages that were kept and not read are tried again, and found from now on."""
        notes = list(self._archive.not_read())
        made = 0
        for number, (url, note) in enumerate(notes, 1):
            version = self._archive.versions.at(url, note.began)
            if not note.hopeless:
                self._poison_pages.forgive(url)
            if version is not None and not self._poison_pages.quarantined(url):
                template = self._blocks.settled(keys.authority(url))
                with self._poison_pages.reading(url):
                    version = msgspec.structs.replace(version, settled=template.name)
                    reread = again(self._archive, partial(self.read, template=template), url, version)
                    if reread is not None:
                        made += 1
                        self._found(self._archive.capture(url, version), *reread)
                        self._poison_pages.forgive(url)
            if number % BATCH == 0 or number == len(notes):
                self.commit()
                yield Built(texts=made, unread=number - made)

    def _by_place(self) -> Iterator[tuple[str, Iterator[tuple[URL, Version]]]]:
        documents = ((url, version) for url, version in self._archive.versions.all() if is_document(version))
        return groupby(documents, key=lambda document: keys.authority(document[0]))

    def _template(self, place: str, pages: list[Sampled]) -> Settled:
        return self._blocks.settle(place, name_of(pages), map(self._hashes, pages), anew=self._anew)

    def _hashes(self, page: Sampled) -> Hashes:
        """Of the blocks of a page."""
        found = np.zeros(0, np.uint64)

        def look(hashes: Hashes) -> Mask:
            nonlocal found
            found = hashes
            return np.zeros(len(hashes), np.bool_)

        with suppress(Damaged):  # which is told when it is read for itself
            self._read_safely(self._archive.capture(page.url, page.version), partial(self._read, template=look))
        return found

    def _is_wanted(self, url: str, version: Version) -> bool:
        if version.text is None and url in self._archive.unread and not self._new:
            return False  # see `run_unread`
        if version.text_of:
            return self._archive.versions.at(version.text_of, version.text_began) is None
        return version.text is None or version.text.file < self._new or not self._archive.texts.there(version.text)

    def _make(self, url: URL, version: Version, template: Settled) -> None:
        capture = self._capture(url, version)
        if capture is None:
            return
        page = self._read_safely(capture, partial(self.read, template=template))
        if page.unread:
            self._keep_old(url, version, page)
            return
        self._poison_pages.forgive(url)
        self._write(url, version, page, template)
        self._made += 1

    def _settle(self, url: URL, version: Version, template: Settled) -> None:
        """A page that was read with what was known of its host at that time."""
        old, capture = self._archive.page(url, version), self._capture(url, version)
        if old is None or old.unread or capture is None:
            return
        page = self._read_safely(capture, partial(self._read, template=template))
        if page.unread:
            return
        page = replace(page, fields=old.fields, copy_of=version.copy_of, near_copy_of=version.near_copy_of)
        if version.text_of is None and _told(page) == _told(old):
            self._archive.versions.add(url, msgspec.structs.replace(version, settled=template.name))
            return
        version = self._write(url, version, page, template)
        self._made += 1
        latest = self._archive.versions.current(url)
        if latest is not None and latest.began == version.began:
            self._noted(capture, page)

    def _capture(self, url: URL, version: Version) -> Capture | None:
        try:
            return self._archive.capture(url, version)
        except Damaged as error:
            self._problems = [*self._problems, f"{url}: {error}"][:PROBLEMS_MOST]
            return None

    def _write(self, url: URL, version: Version, page: Page, template: Settled) -> Version:
        text = self._archive.texts.write(page, url, version.began, version.record)
        told = {"text": text, "text_of": None, "settled": template.name, **read_of(url, page)}
        version = msgspec.structs.replace(version, **told)
        self._archive.versions.add(url, version)
        latest = self._archive.versions.current(url)
        if self.findable and latest is not None and latest.began != version.began:
            self.findable.outdate_past()
        return version

    def _noted(self, capture: Capture, page: Page) -> None:
        """A page says something else than before."""
        if self.findable:
            self.findable.note(capture.visit.url, page)
        if self.prints:
            self.prints.keep(capture, page)

    def _found(self, capture: Capture, page: Page, version: Version) -> None:
        """A page says something for the first time."""
        assert self.findable is not None, "it has all others by now"
        assert self.prints is not None, "it has all others by now"
        self.findable.keep(capture, page, version)
        self.prints.keep(capture, page)

    def _keep_old(self, url: str, version: Version, page: Page) -> None:
        """What cannot be read today says what it said before; what said nothing yet is tried again."""
        text = self._archive.texts.carried(version.text) if version.text else None
        self._archive.versions.add(url, msgspec.structs.replace(version, text=text))
        if text is None and version.text_of is None:
            self._archive.unread.note(url, version.began, page)

    def _read_safely(self, capture: Capture, read: Callable[[Capture], Page]) -> Page:
        """As a crawl does: a page on which too many lives ended is left alone."""
        if self._poison_pages.quarantined(capture.visit.url):
            return convert.unread(capture, DEADLY)
        with self._poison_pages.reading(capture.visit.url):
            return read(capture)

    def read(self, capture: Capture, template: Template) -> Page:
        """What it says, with the fields that the page function of the plan gives."""
        page = self._read(capture, template)
        if self._on_page is not None and not page.unread:
            page = self._on_page(capture, page)
        if self._on_topic is not None:
            page = self._on_topic(capture, page)
        return self._numbers(capture, page)

    def _read(self, capture: Capture, template: Template) -> Page:
        try:
            return convert.read(capture, self._agent, content=self._method, template=template)
        except Exception as error:
            if lack := shortage(error):
                raise lack from error
            # As in a crawl: one odd page must not stop all others.
            log.warning("%s could not be read, which is a bug: %r", capture.visit.url, error)
            return convert.unread(capture, repr(error))

    def commit(self) -> Built:
        """What was made lasts."""
        if self.prints:
            ledger = Ledger(self._table)
            self.prints.prepare(ledger, self.findable.fold if self.findable else lambda *_: None)
            ledger.save()
        if self.findable:
            self.findable.prepare()
        self._blocks.save()
        self._archive.prepare()
        self._table.commit()
        return Built(self._looked, self._pages, self._made, problems=tuple(self._problems))


def _is_settled(place: str, version: Version, template: Settled, *, learned: bool) -> bool:
    """Was it read with this template? Copies within a host have one text, like pages that came back unchanged."""
    if not has_template(version):
        return True
    if version.text_of:
        return keys.authority(version.text_of) == place
    return version.settled == template.name or not (version.settled or learned or len(template.marks))


def _told(page: Page) -> tuple[object, ...]:
    """What a reader takes from a page, and what depends on its host."""
    return page.html, page.content, page.text, page.language, page.links
