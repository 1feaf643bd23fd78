"""What was captured elsewhere comes into the books, with the date it had there.

Nobody asked for it, so it says nothing of how its host answers now, teaches nothing about traps, makes nothing a seed,
and is never tried again; a robots.txt of then does not rule today. An address that was captured again since stays as it
is: only the archive gets the older version.
"""

from __future__ import annotations

from msgspec.structs import replace

from gossamer.frontier.answer.answers import NO_SITEMAP, Answers
from gossamer.frontier.answer.outcome import Act, judge
from gossamer.frontier.answer.transitions import Settlement
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.discover.intake import Intake
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.parts import Parts
from gossamer.frontier.queue.active_origins import ActiveOrigins
from gossamer.frontier.queue.back_queues import Origin
from gossamer.model import Capture, Kind, Page
from gossamer.store.versions import GONE
from gossamer.urls import keys

ASIDE = frozenset({Kind.ROBOTS, Kind.PROBE})
"""Kinds that have no entry: nobody points to them."""


class Imported:
    """Takes in captures of other times and crawlers."""

    def __init__(self, parts: Parts, active: ActiveOrigins, intake: Intake, answers: Answers) -> None:
        self._parts = parts
        self._active = active
        self._intake = intake
        self._answers = answers
        self._then = _Then()
        self._settle = Settlement(parts.ledger, parts.queues, parts.retries, self._then)

    def done(self, capture: Capture, page: Page) -> Origin:
        """What becomes of the address; what it points to comes in as from any page."""
        origin = self._active.get(keys.origin(capture.visit.url))
        self._parts.ledger.counts.came(capture)
        if capture.visit.kind not in ASIDE:
            entry = self._expected(capture)
            if entry is not None:
                self._then.now = capture.began
                self._carry_out(entry, capture, page)
        return origin

    def _expected(self, capture: Capture) -> Entry | None:
        """The entry as if the capture had been asked for; None when a later one is known."""
        visit, ledger = capture.visit, self._parts.ledger
        known = ledger.get(visit.url)
        if known is None:
            entry = Entry(State.QUEUED, visit.depth, capture.began, kind=visit.kind, referrer=visit.referrer)
            self._parts.seen.note(visit.url, visit.depth)
            return ledger.put(visit.url, entry, None)
        placed = _placed(known, capture)
        if known.state is not State.EXCLUDED and known.visited > capture.began:
            if placed is not known:
                ledger.put(visit.url, placed, known)
            return None
        waiting = replace(placed, state=State.QUEUED, kind=visit.kind, reason="", attempt=0)
        return ledger.put(visit.url, waiting, known)

    def _carry_out(self, entry: Entry, capture: Capture, page: Page) -> None:
        outcome, visit = judge(capture, lambda _: True), capture.visit
        match outcome.act:
            case Act.KEEP | Act.UNCHANGED:
                self._settle.keep(capture, entry, outcome, page)
                self._answers.follow(capture, page)
            case Act.REDIRECT:
                self._settle.moved(visit.url, entry, outcome, capture.status)
                self._intake.add([Found(outcome.target, visit.depth, visit.url, visit.kind)])
            case Act.FAIL if visit.kind is Kind.SITEMAP and capture.status in GONE:
                self._settle.end(visit.url, entry, State.DONE, NO_SITEMAP, capture.status)
            case _:
                self._settle.end(visit.url, entry, State.FAILED, outcome.reason, capture.status)


def _placed(known: Entry, capture: Capture) -> Entry:
    """How far from a seed an address is: as its captures say, the nearest of them, in whatever order they come. What
    links say counts as long as there is none."""
    visit = capture.visit
    if known.visited and known.depth <= visit.depth:
        return known
    return replace(known, depth=visit.depth, referrer=visit.referrer or known.referrer)


class _Then:
    """A clock that stands at the date of a capture."""

    now: float

    def wall(self) -> float:
        return self.now

    def steady(self) -> float:
        return self.now
