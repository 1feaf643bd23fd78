"""What is not worth a fetch? Asked at three moments: an address is queued, is about to be visited, was answered.

Three parts answer: `crawl_traps` knows which kinds of address bring nothing new, `parameters` which query keys change
nothing, and `soft404` which pages are errors that do not say so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from gossamer.frontier.answer.outcome import Act, Outcome
from gossamer.frontier.discover.seen import Seen
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.queue.rank import distance
from gossamer.frontier.worth.budget import Budgets
from gossamer.frontier.worth.crawl_traps import NEAR, Novelty, Place
from gossamer.frontier.worth.new_text import Sketch, sketch
from gossamer.frontier.worth.parameters import SHORTEST, Parameters
from gossamer.frontier.worth.pattern_yield import DEEPEST
from gossamer.frontier.worth.soft404 import Answer, Soft404
from gossamer.frontier.worth.url_patterns import Template, template
from gossamer.model import Capture, Kind, Page
from gossamer.store.table.table import Table
from gossamer.store.versions import GONE
from gossamer.urls import keys

TRIALS = 1_000
"""Trials of all hosts together that are queued at one time."""


class Lesson(NamedTuple):
    """What an answer has taught."""

    soft: str = ""
    """Why a page that looks right is an error."""
    probe: str | None = None
    """A made-up address whose answer would show what errors look like there."""
    trial: str | None = None
    """An address that would show whether its keys matter."""


class Worth:
    """Keeps traps, copies and disguised errors away from the front."""

    def __init__(self, table: Table, ledger: Ledger, seen: Seen, budgets: Budgets, site: Callable[[str], str]) -> None:
        self._ledger = ledger
        self._seen = seen
        self._novelty = Novelty(table, lambda host: budgets.pages(site(f"http://{host}/")))
        self._parameters = Parameters(table)
        self.simpler = self._parameters.simpler
        """The address without keys that are known not to matter."""
        self._soft404 = Soft404(table)
        self._trials: set[str] = set()
        """Addresses that are asked for soon because of what they would show."""

    def read_ahead(self, urls: Iterable[str]) -> None:
        """Addresses of these hosts will be placed soon."""
        self._novelty.read_ahead({keys.authority(url) for url in urls})

    def place(self, url: str, entry: Entry) -> Place:
        """Where a new address is put."""
        if not _is_judged(entry):
            return NEAR
        place = self._novelty.place(template(url))
        return Place(self._novelty.now(keys.authority(url)), 0) if url in self._trials else place

    def sink(self, url: str, entry: Entry) -> Place | None:
        """Where an address is put that is about to be visited but is not worth it now; None when it goes out."""
        if not _is_judged(entry) or url in self._trials:
            return None
        simple = self.simpler(url)
        spare = simple != url
        if spare and self._ledger.get(simple) is None:
            self._stand_for(simple, url, entry)
            return None
        before = Place(distance(entry.rank), entry.sunk)
        return self._novelty.sink(template(url), before, DEEPEST if spare else 0)

    def _stand_for(self, simple: str, url: str, entry: Entry) -> None:
        """An address that was queued before its keys were known is visited in the place of the simpler one."""
        reason = f"some of its keys do not matter: the same page is at {url}"
        self._ledger.put(simple, Entry(State.EXCLUDED, entry.depth, entry.found, reason, referrer=entry.referrer), None)
        self._seen.note(simple, entry.depth)

    def left(self, url: str, entry: Entry) -> None:
        """An address leaves the queue without having been asked for."""
        if _is_judged(entry):
            self._novelty.left(template(url))

    # -------------------------------------------------------------- answered

    def answered(self, capture: Capture, entry: Entry, outcome: Outcome, page: Page) -> Lesson:
        """Learn from the answer to a visit."""
        url = capture.visit.url
        kind, text = template(url), _text(url, outcome, page)
        if entry.status and text is not None and _may_be_judged(entry):  # an error may be none by now
            soft, probe = self._soft404.judge(kind, url, Answer(text)), None
            if entry.soft:
                probe = self._soft404.question_again(kind, url)
            elif not (soft or entry.copy or entry.near):
                probe = self._soft404.question_alike(kind, url, text)
            return Lesson(soft, probe)
        if not _is_judged(entry) or outcome.act is Act.GET:
            return Lesson()
        if not entry.attempt:
            self._novelty.left(kind)
        if text is None and not outcome.target:
            self._count(kind, 0.0 if capture.status in GONE else None, entry)
            return Lesson()
        soft = self._soft404.judge(kind, url, Answer(text, outcome.target))
        worth = 0.0 if soft or page.copy_of else self._worth(kind, text, outcome)
        self._count(kind, worth, entry)
        probe = self._soft404.question(kind, url, alike=worth == 0.0)
        return Lesson(soft, probe, None if soft or text is None else self._trial(url, page))

    def _worth(self, kind: Template, text: Sketch | None, outcome: Outcome) -> float | None:
        """What is new in a page; a redirect to an address that was not known is neither good nor bad."""
        if text is not None:
            return self._novelty.news(kind, text)
        return None if self._ledger.get(outcome.target) is None else 0.0

    def _count(self, kind: Template, worth: float | None, entry: Entry) -> None:
        if worth is None:
            return
        self._novelty.count(kind, worth)
        source = template(entry.referrer) if worth > 0.5 and entry.referrer else kind
        if source.path != kind.path:
            self._novelty.credit(source)

    def _trial(self, url: str, page: Page) -> str | None:
        self._trials.discard(url)
        if len(page.text) < SHORTEST:
            return None
        trial = self._parameters.learn(url, page.text)
        if trial is None or len(self._trials) >= TRIALS or self._ledger.get(trial) is not None:
            return None
        self._trials.add(trial)
        return trial

    # ---------------------------------------------------------------- probes

    def asks(self, url: str) -> None:
        """A made-up address goes out."""
        self._soft404.asks(url)

    def probed(self, capture: Capture, outcome: Outcome, page: Page) -> Iterator[tuple[str, str]]:
        """Learn from the answer to a made-up address: see `Soft404.learn`."""
        url = capture.visit.url
        return self._soft404.learn(url, capture.status, Answer(_text(url, outcome, page), outcome.target))

    def save(self) -> None:
        """What was learned becomes part of the next commit."""
        self._novelty.save()
        self._parameters.save()
        self._soft404.save()


def _is_judged(entry: Entry) -> bool:
    """Seeds are asked for by the user, sitemaps by the site, and a page that we have is no longer new."""
    return _may_be_judged(entry) and not entry.status


def _may_be_judged(entry: Entry) -> bool:
    return entry.kind is Kind.PAGE and entry.depth > 0


def _text(url: str, outcome: Outcome, page: Page) -> Sketch | None:
    return sketch(url, page.title, page.text) if outcome.act is Act.KEEP and page.text else None
