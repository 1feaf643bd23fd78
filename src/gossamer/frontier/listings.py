"""A site lists more pages than its turn is worth: how many come in now, and when is the rest read?

A page has 5,000 links at the most. A sitemap has 50,000, and an index 50,000 sitemaps, all for the price of one answer.
So a list fills the queue of a host up to a mark and no further. What is over waits where it is: the file is in the
archive, and its entry stays queued with the number of addresses that were taken, behind all pages of its origin. When
its turn comes nothing is fetched. The file is read again from the archive, and the next addresses come in. So the rows
of the frontier grow with the visits that were made, and not with what a site claims to have; and nothing is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from gossamer.frontier.discovery import Found
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.hints import hints
from gossamer.frontier.intake import Intake
from gossamer.frontier.parts import Parts
from gossamer.frontier.rank import LAST, rank
from gossamer.model import Kind, Link, Page
from gossamer.urls import keys

QUEUED_MOST = 10_000
"""Addresses that a host has queued when lists add no more of it."""
LEAST = 100
"""Addresses of a list that come in at once all the same; more sitemaps than this never do."""
AGAIN = 60.0
"""Seconds until a list is looked at again that found no room at its turn."""
INDEX = "sitemapindex"
"""The place of a link to a further sitemap."""
_BEHIND = rank(1, LAST)

Again = Callable[[str], Page | None]
"""The address of a list -> what it says, read from the archive; None when that does not have it any more."""


class Listings:
    """Takes lists in, a part at a time."""

    def __init__(self, parts: Parts, intake: Intake, again: Again) -> None:
        self._parts = parts
        self._ledger = parts.ledger
        self._intake = intake
        self._again = again

    def begin(self, url: str, page: Page) -> tuple[Link, ...]:
        """A list has come: what of it comes in now. Its entry is in the books, and is kept there for the rest."""
        entry = self._ledger.get(url)
        links = _in_order(page.links)
        taken, now = _slice(links, 0, max(self._room(links, 0), LEAST))
        if entry is not None and taken < len(links):
            self._wait(url, entry, taken, len(links))
        return now

    def go_on(self, url: str, entry: Entry) -> None:
        """The turn of a list that waits has come. Half of the room must be free, or reading it is not worth it."""
        self._parts.queues.remove(url, entry.rank, entry.position)
        if QUEUED_MOST - self._queued(keys.host(url)) < QUEUED_MOST // 2:
            self._put_off(url, entry)
            return
        page = self._again(url)
        links = _in_order(page.links) if page else []
        if not links[entry.taken :]:
            self._end(url, entry, "the rest of it is not in the archive any more")
        elif self._room(links, entry.taken) < QUEUED_MOST // 2:
            self._put_off(url, entry)
        else:
            self._take(url, entry, links)

    def _take(self, url: str, entry: Entry, links: Sequence[Link]) -> None:
        taken, now = _slice(links, entry.taken, self._room(links, entry.taken))
        hinted = hints(links)
        self._intake.add(
            Found(
                link.url,
                entry.depth + 1,
                url,
                Kind.SITEMAP if link.place == INDEX else Kind.PAGE,
                followed="nofollow" not in link.rel,
                hint=hinted.get(link.url, 0),
            )
            for link in now
        )
        self._intake.sift()
        if taken < len(links):
            self._wait(url, entry, taken, len(links))
        else:
            self._end(url, entry, "")

    def _wait(self, url: str, entry: Entry, taken: int, of: int) -> None:
        reason = f"{taken:,} of its {of:,} addresses were taken; the rest waits until the queue of its host is shorter"
        waiting = replace(entry, state=State.QUEUED, taken=taken, reason=reason, rank=_BEHIND, position=0)
        self._ledger.put(url, self._intake.append(url, waiting), entry)

    def _put_off(self, url: str, entry: Entry) -> None:
        due, position = self._parts.clock.wall() + AGAIN, self._parts.queues.next_position()
        self._parts.retries.append(url, due, position)
        self._ledger.put(url, replace(entry, due=due, position=position), entry)

    def _end(self, url: str, entry: Entry, reason: str) -> None:
        self._ledger.put(url, replace(entry, state=State.DONE, taken=0, due=0.0, reason=reason), entry)

    def _room(self, links: Sequence[Link], taken: int) -> int:
        """How many more the host may have queued that the list is about now. Those of another shard are not known."""
        return QUEUED_MOST - self._queued(keys.host(links[taken].url)) if taken < len(links) else 0

    def _queued(self, host: str) -> int:
        self._intake.sift()
        return self._ledger.backlog.of(host)


def _in_order(links: Sequence[Link]) -> list[Link]:
    """The better ones first, as the list says; the same at every reading."""
    hinted = hints(links)
    return sorted(links, key=lambda link: -hinted.get(link.url, 0))


def _slice(links: Sequence[Link], taken: int, room: int) -> tuple[int, tuple[Link, ...]]:
    """How many are taken after this, and those that are taken now."""
    end, sitemaps = taken, 0
    while end < len(links) and end - taken < room:
        sitemaps += links[end].place == INDEX
        if sitemaps > LEAST:
            break
        end += 1
    return end, tuple(links[taken:end])
