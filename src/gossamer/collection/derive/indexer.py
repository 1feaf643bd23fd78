"""Every page that is kept becomes findable: its links go to the log, its words to the index of the shard. What it said
before goes to the index of the past.

All are derived. The log is written before each commit, and the commit says how long it is. The index is committed less
often, right after a commit of the rows, and says up to which length of the log it has all pages; so it never has a page
that is not committed, and after a crash the log tells what it lacks. Each log that is begun has a number drawn for it,
which the index names too: an index of another log is thrown away, whatever length it says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from gossamer import files
from gossamer.collection.derive.index_entry import entry, findable, wanted
from gossamer.collection.derive.index_state import committed_length, draw, drawn, is_whole, note_length, strangeness
from gossamer.collection.derive.past import Past, by_page
from gossamer.collection.derive.spans import Span, since, spans, timeline
from gossamer.collection.derive.underived import LINKS_WHOLE
from gossamer.collection.folder import INDEX, LINKS
from gossamer.errors import Damaged
from gossamer.fetch.redirects import target
from gossamer.graph.log import LinkLog, chunks
from gossamer.index.entry import Entry, milliseconds
from gossamer.index.opening import discard
from gossamer.index.shard_index import ShardIndex
from gossamer.index.soundness import problems
from gossamer.model import URL, Capture, Kind, Page
from gossamer.printable import log
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.store.versions import STATE, Version, hint_of, tells

COMMIT_EVERY = 5_000
"""Pages for each commit of the index: it takes a tenth of a second, and larger parts are merged less often."""
WAITED_MOST = 2.0
"""Seconds after its commit that a new page waits for others: with the second after which a reader looks again, it is
found within five. A commit of the index takes 25 ms of CPU, so it is not made for each page."""
CATCH_UP = 500
"""Pages that are read again between two looks at anything else."""


class Indexer:
    """The log and the index of a shard while it is written to."""

    def __init__(self, shard: Path, table: Table, archive: Archive, site: Callable[[str], str]) -> None:
        self._table = table
        self._archive = archive
        self._site = site
        self._path = shard / LINKS
        self._log = LinkLog(self._path, committed_length(table))
        self._shard_index = _opened(shard / INDEX, partial(strangeness, self._path, table))
        self._past = past_of(shard, table, archive, site)
        self._touched: dict[URL, None] = {}
        self._fresh = 0
        self._since: float | None = None
        """When the first of them was committed; steady time."""
        if not committed_length(table) and not any(archive.versions.all()):
            table.put(STATE, LINKS_WHOLE, b"1")  # it will be there from the first page on
            self._past.begin()
            if not drawn(table):
                draw(table)

    def keep(self, capture: Capture, page: Page, version: Version) -> None:
        """A page was kept, as that version: note what it points to and what it says."""
        if capture.visit.kind is not Kind.PAGE:
            return
        url = capture.visit.url
        if led_to := target(capture):
            self._fold(url, led_to, copied=False)
        elif 200 <= capture.status < 300:
            self._keep_page(url, page, version)
        elif tells(capture.status) and self._was_here(url):  # it is gone, or a redirect leads nowhere
            self.forget(url)

    def _keep_page(self, url: URL, page: Page, version: Version) -> None:
        if original := page.copy_of or page.near_copy_of:
            self.fold(url, original)
        else:
            self._log.add(url, self._site(url), page.links)
            self._put(url, page, version)

    def note(self, url: URL, page: Page) -> None:
        """A page was read again and says something else: `catch_up` takes it in, after a crash too."""
        if not page.copy_of and not page.near_copy_of:
            self._log.add(url, self._site(url), page.links)

    def fold(self, url: URL, target: URL) -> None:
        """A page is a copy: another address stands for it, and it is not found any more."""
        self._fold(url, target, copied=True)

    def _fold(self, url: URL, target: URL, *, copied: bool) -> None:
        self._log.fold(url, self._site(url), target, copied=copied)
        self._take_out(url)

    def forget(self, url: URL) -> None:
        """A page that was kept is gone, or an error in disguise: it is not found any more, its links do not count."""
        self._log.add(url, self._site(url), ())
        self._take_out(url)

    def readmit(self, url: URL, page: Page) -> None:
        """What was forgotten is a page after all: the next commit makes it findable, also if it says what it said."""
        if original := page.copy_of or page.near_copy_of:
            self.fold(url, original)
        else:
            self.note(url, page)
            self._touched[url] = None
            self._fresh += 1

    def note_older(self, url: URL) -> None:
        """An older version of a page came, or says something else than before."""
        self._past.hold()
        self._past.note(url)
        self._touched[url] = None
        self._fresh += 1

    def _was_here(self, url: URL) -> bool:
        """Most errors are about pages that never were."""
        return any(200 <= version.status < 300 for version in self._archive.versions.of(url))

    def prepare(self) -> None:
        """Before a commit of the rows."""
        note_length(self._table, self._log.write())

    def committed(self, now: float | None = None) -> None:
        """After it, at that steady time; who has no clock waits for many pages, or for the end."""
        if self._fresh and self._since is None:
            self._since = now
        is_due = now is not None and self._since is not None and now - self._since >= WAITED_MOST
        if self._fresh >= COMMIT_EVERY or is_due:
            self.finish()

    def finish(self) -> None:
        """Make all that is committed findable. What was comes first: a page may be in both for a moment, but not in
        none."""
        touched, self._touched = self._touched, {}
        for url in touched:
            self._put_again(url)
        self._past.commit(committed_length(self._table))
        self._shard_index.commit(committed_length(self._table), drawn(self._table))
        self._fresh, self._since = 0, None

    def gather(self) -> None:
        """No more comes for a while: bring the parts of the index together."""
        self._shard_index.gather()

    def catch_up(self) -> Iterator[int]:
        """Index what the log has and the index lacks. Gives the number of pages so far, so that others have a turn."""
        done = 0
        for url in self._missing(self._shard_index.covered):
            self._put_again(url)
            done += 1
            if done % CATCH_UP == 0:
                yield done
        for url in self._missing(self._past.length) if self._past.whole else ():
            self._past.note(url)
            self._fresh += 1
        if self._fresh:
            self.finish()
            yield done

    def _put_again(self, url: URL) -> None:
        """A page as it is now."""
        version = self._archive.versions.current(url)
        if version is not None and (page := wanted(self._table, self._archive, url, version)):
            self._put(url, page, version)
        else:
            self._take_out(url)

    @property
    def whole(self) -> bool:
        """The log has all pages: it was there from the first, or was made again to the end."""
        return is_whole(self._table)

    def remake(self) -> Iterator[int]:
        """Make log and indexes again from the rows. Gives the number of pages so far, after each commit.

        The index has one commit, at the end: until then whoever searches has the old one.
        """
        self._forget()
        self._past.begin_anew()
        done = 0
        for url, version in self._archive.versions.pages():
            self.keep_again(url, version)
            done += 1
            if done % CATCH_UP == 0:
                self._commit()
                yield done
        self._commit()
        yield from (done for _ in self._settle_past())
        self.finish()
        self._table.put(STATE, LINKS_WHOLE, b"1")  # and not before: a kill must not leave the old index as whole
        self._table.commit()
        self.gather()
        yield done

    def compact(self, memory: int) -> Iterator[int]:
        """Make the index of now again, with so much memory: each of its parts is looked at by every question, and the
        engine brings large ones together only by eights. Gives the number of pages so far; whoever searches has the old
        one until the end."""
        if self._shard_index.is_compact:
            return
        self._shard_index.clear(memory)
        done = 0
        for url, version in self._archive.versions.pages():
            page = wanted(self._table, self._archive, url, version)
            if page is not None and findable(page):
                self._put(url, page, version)
            done += 1
            if done % CATCH_UP == 0:
                yield done
        self.finish()
        self.gather()
        yield done

    def outdate_past(self) -> None:
        """Versions of before say something else than before: the index of the past has to be made again."""
        self._past.outdate()

    @property
    def past_whole(self) -> bool:
        """The index of the past has all versions, or will have when it has caught up."""
        return self._past.whole

    def remake_past(self) -> Iterator[int]:
        """Make the index of the past again from the rows. Gives the number of pages so far."""
        self._past.begin_anew()
        self._table.commit()
        yield from self._settle_past(self._set_since)
        self.finish()
        self._table.commit()

    def _settle_past(self, besides: Callable[[URL, Sequence[Version]], None] = lambda *_: None) -> Iterator[int]:
        """Look at all pages that may have changed."""
        for done, (url, versions) in enumerate(by_page(self._archive), 1):
            if len(versions) > 1:
                self._past.settle(url, versions)
                besides(url, versions)
            if done % CATCH_UP == 0:
                yield done

    def _set_since(self, url: URL, versions: Sequence[Version]) -> None:
        """An older version may have come of which the index of now was not told."""
        told = [span for span in spans(timeline(self._archive, versions)) if span.until is None]
        for each in self._shard_index.texts_of(url) if told else ():
            if each.since > milliseconds(told[0].since):
                self._put_again(url)

    def _forget(self) -> None:
        """Until all is there again, it is not whole: a build that was killed begins anew."""
        self._table.delete(STATE, LINKS_WHOLE)
        note_length(self._table, 0)
        draw(self._table)
        self._table.commit()
        self._log.close()
        files.remove(self._path)  # and not cut: a reader may hold it
        self._log = LinkLog(self._path, 0)
        self._shard_index.clear()

    def keep_again(self, url: URL, version: Version) -> None:
        """The same for a page that was kept before, by its last version."""
        if 300 <= version.status < 400:
            self.keep(self._archive.capture(url, version), Page(url), version)
        elif page := wanted(self._table, self._archive, url, version):
            self._keep_page(url, page, version)

    def _commit(self) -> None:
        self.prepare()
        self._table.commit()

    def close(self) -> None:
        """No more."""
        self._log.close()
        self._shard_index.close()
        self._past.close()

    def _missing(self, covered: int) -> Iterator[URL]:
        for chunk in chunks(self._path, committed_length(self._table), covered):
            yield from dict.fromkeys(chunk.sources)

    def _put(self, url: URL, page: Page, version: Version) -> None:
        if findable(page):
            about = entry(url, page, version.began, self._site(url), version.hint, version.size)
            is_only = len([*islice(self._archive.versions.of(url), 2)]) < 2  # as most are, and have no past
            first = version.began if is_only else since(self._archive, url, version)
            self._shard_index.add(replace(about, since=first))
            if not is_only:
                self._past.note(url)
            self._fresh += 1
        else:
            self._take_out(url)

    def _take_out(self, url: URL) -> None:
        self._shard_index.remove(url)
        self._past.note(url)
        self._fresh += 1


def past_of(shard: Path, table: Table, archive: Archive, site: Callable[[str], str]) -> Past:
    """The index of the past of a shard, to be written to."""

    def past_entry(url: URL, span: Span) -> Entry | None:
        version = span.versions[0]
        page, place = archive.page(url, version), archive.text_place(version)
        if page is None or place is None or not findable(page):
            return None
        about = entry(url, page, version.began, site(url), hint_of(place), version.size)
        return replace(about, since=span.since, until=span.until)

    return Past(shard, table, archive, past_entry)


def _opened(folder: Path, strange: Callable[[ShardIndex], str]) -> ShardIndex:
    """An index that is damaged or of another log is thrown away: the log says what has to be in it."""
    try:
        if files.is_folder(folder) and (damage := next(problems(folder), None)):
            raise Damaged(damage)
        shard_index = ShardIndex(folder)
        shard_index.probe()
        if why := strange(shard_index):
            raise Damaged(f"{folder}: {why}")
        return shard_index
    except Damaged as error:
        log.warning("%s; the index is made again", error)
        discard(folder)
        return ShardIndex(folder)
