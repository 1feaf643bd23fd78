"""A site lists more pages than its turn is worth: how many come in now, and when is the rest read?

A page has 5,000 links at the most. A sitemap has 50,000, and an index 50,000 sitemaps, all for the price of one answer.
So a list fills the queue of a host up to a mark and no further. What is over waits where it is: the file is in the
archive, and its entry stays queued with the number of addresses that were taken, behind all pages of its origin. When
its turn comes nothing is fetched. The file is read again from the archive, and the next addresses come in. So the rows
of the frontier grow with the visits that were made, and not with what a site claims to have; and nothing is lost.

Ten thousand addresses take some tenths of a second. So a list that was read is held open, and a slice of it comes in
now and then, with visits to others in between. How far it came is in its entry with each slice; whoever is killed in
between reads the file again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from gossamer.frontier.discover.intake import INDEX, Intake
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.parts import Parts
from gossamer.frontier.queue.active_origins import ActiveOrigins
from gossamer.frontier.queue.rank import LAST, hints, rank
from gossamer.frontier.revisit.watch import Watch
from gossamer.model import Link, Page
from gossamer.printable import counted
from gossamer.urls import keys

QUEUED_MOST = 10_000
"""Addresses that a host has queued when lists add no more of it."""
LEAST = 100
"""Addresses of a list that come in at once all the same; more sitemaps than this never do."""
SLICE = 250
"""Addresses that come in before everybody else gets a turn: some ten milliseconds."""
OPEN_MOST = 4
"""Lists that are held open, or are being read. The others wait for their turn."""
AGAIN = 60.0
"""Seconds until a list is looked at again that found no room at its turn."""
UNREAD = 86_400.0
"""The same for one that could not be read again for a reason of ours."""
_BEHIND = rank(1, LAST)

Again = Callable[[str, Callable[[Page | None], None]], None]
"""The address of a list, and what to do with what it says when it was read from the archive; None when that does not
have it any more."""


@dataclass(slots=True)
class _Open:
    """A list in its order: the better ones first, as it says itself; the same at every reading."""

    links: Sequence[Link]
    hinted: dict[str, int]
    sitemaps: int = 0
    """Those that came in since it was opened."""


class Part(NamedTuple):
    """Addresses of a list that come in now."""

    links: Sequence[Link]
    hinted: dict[str, int]


class Listings:
    """Takes lists in, a part at a time."""

    def __init__(
        self, parts: Parts, active: ActiveOrigins, intake: Intake, again: Again, watch: Watch | None = None
    ) -> None:
        self._parts = parts
        self._watch = watch
        self._active = active
        self._ledger = parts.ledger
        self._intake = intake
        self._again = again
        self.open: dict[str, _Open] = {}
        """By address, and the next one first: `take_some` goes on with it."""
        self._wanted: dict[str, None] = {}
        """Lists whose turn has come, in that order."""
        self._reading: set[str] = set()

    @property
    def busy(self) -> bool:
        """More is to come from a list, without any visit."""
        return bool(self.open or self._reading or self._wanted)

    def begin(self, url: str, page: Page) -> Part:
        """A list has come: what of it comes in at once. Its entry is in the books, and is kept there for the rest."""
        entry = self._ledger.get(url)
        opened = _opened(page)
        taken, now = _slice(opened, 0, max(self._room(opened, 0), LEAST))
        if entry is not None and taken < len(opened.links):
            self._wait(url, entry, taken, len(opened.links))
            if self._is_room_for_one():
                self.open[url] = opened
        return Part(now, opened.hinted)

    def go_on(self, url: str, entry: Entry) -> None:
        """The turn of a list that waits has come. Half of the room must be free, or reading it is not worth it."""
        self._leave(url, entry)
        self._put_off(url, entry)  # it has to stand somewhere if we are killed while it is read
        known = url in self.open or url in self._reading
        if not known and QUEUED_MOST - self._queued(keys.host(url)) >= QUEUED_MOST // 2:
            self._wanted[url] = None
            self._read_next()

    def _read_next(self) -> None:
        if self._wanted and self._is_room_for_one():
            url = next(iter(self._wanted))
            del self._wanted[url]
            self._reading.add(url)
            self._again(url, partial(self._come, url))

    def _come(self, url: str, page: Page | None) -> None:
        """It was read again."""
        self._reading.discard(url)
        if (entry := self._waiting(url)) is not None:
            opened = _opened(page or Page(url))
            if page is not None and page.unread:
                self._leave(url, entry)
                self._put_off(url, entry, UNREAD)
            elif entry.taken >= len(opened.links):
                self._end(url, entry, "the rest of it is not in the archive any more")
            elif self._room(opened, entry.taken) >= QUEUED_MOST // 2:
                self.open[url] = opened
        self._read_next()

    def take_some(self) -> None:
        """A slice of one of the lists that are open; the others are next."""
        if not self.open:
            return
        url = next(iter(self.open))
        opened, entry = self.open.pop(url), self._waiting(url)
        if entry is not None and self._take_slice(url, entry, opened):
            self.open[url] = opened
        self._read_next()

    def _take_slice(self, url: str, entry: Entry, opened: _Open) -> bool:
        """Is it worth to go on with it?"""
        taken, now = _slice(opened, entry.taken, self._room(opened, entry.taken))
        self._take(url, entry, Part(now, opened.hinted))
        if taken >= len(opened.links):
            self._end(url, entry, "")
        elif now:
            words = _words(taken, len(opened.links))
            self._ledger.put(url, replace(entry, taken=taken, reason=words), entry)
        elif entry.due:  # its turn came while it was open: it waits for the next behind what it has brought
            self._leave(url, entry)
            self._wait(url, entry, taken, len(opened.links))
        return taken < len(opened.links) and bool(now)

    def _take(self, url: str, entry: Entry, part: Part) -> None:
        if self._watch is not None:
            self._watch.listed(url, part.links)
        self._parts.credit.give(url, part.links)
        self._intake.follow(entry.visit(url), part.links, part.hinted)
        self._intake.sift()

    def _waiting(self, url: str) -> Entry | None:
        """Its entry, unless something has become of it meanwhile."""
        entry = self._ledger.get(url)
        return entry if entry is not None and entry.state is State.QUEUED and entry.taken else None

    def _is_room_for_one(self) -> bool:
        return len(self.open) + len(self._reading) < OPEN_MOST

    def _wait(self, url: str, entry: Entry, taken: int, of: int) -> None:
        words = _words(taken, of)
        behind = {"rank": _BEHIND, "position": self._active.append(url, _BEHIND), "due": 0.0}
        self._ledger.put(url, replace(entry, state=State.QUEUED, taken=taken, reason=words, **behind), entry)

    def _put_off(self, url: str, entry: Entry, seconds: float = AGAIN) -> None:
        due, position = self._parts.clock.wall() + seconds, self._parts.queues.next_position()
        self._parts.retries.append(url, due, position)
        self._ledger.put(url, replace(entry, due=due, position=position), entry)

    def _leave(self, url: str, entry: Entry) -> None:
        """Wherever it stands."""
        self._parts.queues.remove(url, entry.rank, entry.position)
        self._parts.retries.remove(entry.due, entry.position)

    def _end(self, url: str, entry: Entry, reason: str) -> None:
        self._leave(url, entry)
        self._ledger.put(url, replace(entry, state=State.DONE, taken=0, due=0.0, reason=reason), entry)

    def _room(self, opened: _Open, taken: int) -> int:
        """How many more the host may have queued that the list is about now. Those of another shard are not known."""
        links = opened.links
        return QUEUED_MOST - self._queued(keys.host(links[taken].url)) if taken < len(links) else 0

    def _queued(self, host: str) -> int:
        self._intake.sift()
        return self._ledger.backlog.of(host)


def _opened(page: Page) -> _Open:
    hinted = hints(page.links)
    return _Open(sorted(page.links, key=lambda link: -hinted.get(link.url, 0)) if hinted else page.links, hinted)


def _slice(opened: _Open, taken: int, room: int) -> tuple[int, Sequence[Link]]:
    """How many are taken after this, and those that are taken now."""
    links, end = opened.links, taken
    while end < len(links) and end - taken < min(room, SLICE):
        if links[end].place == INDEX:
            if opened.sitemaps >= LEAST:
                break
            opened.sitemaps += 1
        end += 1
    return end, links[taken:end]


def _words(taken: int, of: int) -> str:
    were = "was" if taken == 1 else "were"
    return (
        f"{taken:,} of its {counted(of, 'address')} {were} taken; the rest waits until the queue of its host is shorter"
    )
