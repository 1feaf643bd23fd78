"""What does an answer mean for its address, and for what it points to? `outcome` judges; here it is carried out.

A document is kept and its links go in, with credit and cash for where they lead; a redirect leads to its target; what
failed waits or is given up. An answer that looks like a disguised error may call for a probe: see `soft404`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gossamer.frontier.answer.outcome import Act, Outcome, judge
from gossamer.frontier.answer.transitions import Settlement, remark
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.discover.intake import Intake
from gossamer.frontier.discover.listings import Listings
from gossamer.frontier.discover.requisites import as_page
from gossamer.frontier.entries import Entry, State
from gossamer.frontier.parts import Parts
from gossamer.frontier.queue.active_origins import ActiveOrigins
from gossamer.frontier.queue.retry import THROTTLED
from gossamer.frontier.revisit import hubs
from gossamer.frontier.revisit.watch import Watch
from gossamer.frontier.worth.guessed_links import NO_PAGE
from gossamer.frontier.worth.opic import Flow
from gossamer.frontier.worth.soft404 import Correction
from gossamer.frontier.worth.topic_rows import Promise
from gossamer.frontier.worth.worth import Lesson
from gossamer.model import HTML, Capture, Kind, Link, Page, Visit
from gossamer.store.versions import GONE
from gossamer.urls import keys
from gossamer.urls.paths import is_path

if TYPE_CHECKING:
    from gossamer.frontier.worth.focus import Focus

NO_SITEMAP = "there is no sitemap"


class Answers:
    """Takes in the answers to pages, sitemaps and probes; see `robots_answers` for the others."""

    def __init__(
        self,
        parts: Parts,
        active: ActiveOrigins,
        intake: Intake,
        settle: Settlement,
        listings: Listings,
        watch: Watch | None = None,
    ) -> None:
        self._listings = listings
        self._watch = watch
        self._parts = parts
        self._rules = parts.rules
        self._peers = parts.peers
        self._ledger = parts.ledger
        self._worth = parts.worth
        self._discovery = parts.discovery
        self._active = active
        self._intake = intake
        self._settle = settle

    # ------------------------------------------------------- pages and sitemaps

    def done(self, capture: Capture, page: Page) -> Correction | None:
        """What becomes of the address, and what it points to. An answer that nobody waits for changes nothing.

        What was kept as a page before this judged it, or as an error, may be none.
        """
        url = capture.visit.url
        entry = self._ledger.get(url)
        if entry is None or entry.state is not State.QUEUED or _was_another(entry, capture.visit):
            return None
        outcome = judge(capture, self._rules.wanted)
        lesson = self._worth.answered(capture, entry, outcome, page)
        if entry.guess:
            self._parts.guessed_links.answered(url, entry.guess, capture.status, is_new=_is_new(outcome, lesson, page))
        if lesson.soft:
            page = dataclasses.replace(page, problem=lesson.soft, links=(), guesses=())
            outcome = outcome._replace(reason=lesson.soft)
        if entry.kind is Kind.RESOURCE and page.media_type in HTML:
            entry = replace(entry, document=True)
        self._carry_out(outcome, entry, capture, page)
        if self._intake.forms is not None:
            self._intake.add(self._intake.forms.settled(url))
        if lesson.trial:
            self._intake.add([Found(lesson.trial, entry.depth, url)])
        if lesson.probe:
            self._probe(lesson.probe)
        if lesson.soft:
            return Correction(url, None)
        return Correction(url, page) if entry.soft and outcome.act is Act.KEEP else None

    def _carry_out(self, outcome: Outcome, entry: Entry, capture: Capture, page: Page) -> None:
        url = capture.visit.url
        match outcome.act:
            case Act.KEEP | Act.UNCHANGED:
                self._settle.keep(capture, entry, outcome, page)
                if outcome.act is Act.KEEP:
                    hubs.note(self._parts.table, url, page)
                self.follow(capture, page)
                if entry.kind is Kind.RESOURCE:
                    self._dressed(url)
            case Act.REDIRECT:
                self._redirected(capture, entry, outcome)
            case Act.FAIL if capture.visit.kind is Kind.SITEMAP and capture.status in GONE:
                self._settle.end(url, entry, State.DONE, NO_SITEMAP, capture.status)
            case Act.FAIL if entry.guess and 400 <= capture.status < 500 and capture.status not in THROTTLED:
                self._settle.end(url, entry, State.EXCLUDED, f"{NO_PAGE} ({entry.guess})", capture.status)
            case Act.FAIL:
                waits, broke_off = self._waits(outcome, capture), _broke_off(capture)
                self._settle.fail(url, entry, outcome.reason, waits, capture.status, broke_off=broke_off)
            case Act.EXCLUDE:
                self._settle.end(url, entry, State.EXCLUDED, outcome.reason, capture.status)
            case Act.GET:
                self._parts.queues.remove(url, entry.rank, entry.position)
                self._ledger.put(url, self._intake.enqueue(url, replace(entry, headed=True)), entry)

    def _dressed(self, url: str) -> None:
        """What a page needs is a page itself, and a link leads to it: then it comes in as one."""
        entry = self._ledger.get(url)
        if entry is not None and entry.state is State.DONE and entry.linked and entry.document:
            self._intake.requeue([(url, as_page(entry, max(entry.depth, 1), entry.referrer), entry)])

    def _redirected(self, capture: Capture, entry: Entry, outcome: Outcome) -> None:
        visit, target = capture.visit, outcome.target
        back = visit.hops > 0 and target == visit.referrer  # its rows may be another shard's
        if back or self._ledger.leads_to(target, visit.url):
            circle = f"redirects in a circle: by way of {target}"
            self._settle.end(visit.url, entry, State.FAILED, circle, capture.status)
            return
        self._settle.moved(visit.url, entry, outcome, capture.status)
        if self._intake.flow is not None:
            self._pass_on(self._intake.flow, visit.url, [target])
        if self._intake.focus is not None:
            self._promise(self._intake.focus, self._intake.focus.moved(visit.url, target))
        if visit.depth == 0 and visit.kind is Kind.PAGE:
            self._parts.seeds.widen(target)
        self._intake.add([Found(target, visit.depth, visit.url, visit.kind, visit.hops + 1)])

    def _waits(self, outcome: Outcome, capture: Capture) -> tuple[float, ...]:
        if capture.status not in THROTTLED:
            return outcome.rule.waits
        host = self._active.get(keys.origin(capture.visit.url)).host
        pause = max(host.paused - self._parts.clock.steady(), 0.0)
        return tuple(max(each, pause) for each in outcome.rule.waits)

    # -------------------------------------------------------------------- links

    def reread(self, capture: Capture, page: Page) -> None:
        """What is said of a document that was kept before it could be read, and what it points to."""
        url = capture.visit.url
        entry = self._ledger.get(url)
        if entry is not None and entry.state is State.DONE:
            self._ledger.put(url, replace(entry, reason=remark(capture, page)), entry)
        hubs.note(self._parts.table, url, page)
        self.follow(capture, page)

    def follow(self, capture: Capture, page: Page) -> None:
        """A document was kept: others may have the same, and what it points to comes in."""
        visit, hinted = capture.visit, dict[str, int]()
        if is_path(visit.url):  # what is read of this machine is named by its user, and by nothing else
            return
        links: Sequence[Link] = page.links
        if self._peers and _is_original(capture, page):
            self._peers.met(page.digest, visit.url)
        if visit.kind is Kind.SITEMAP:
            links, hinted = self._listings.begin(visit.url, page)
        if self._intake.forms is not None and visit.kind is Kind.PAGE:
            asked, links = self._intake.forms.came(capture, page)
            self._intake.add(asked)
        if self._watch is not None:
            self._watch.listed(visit.url, links)
        if not page.nofollow:
            self._parts.credit.give(visit.url, links)
        if self._intake.flow is not None:
            self._pass_on(self._intake.flow, visit.url, self._endorsed(visit, page))
        if self._intake.focus is not None and visit.kind is not Kind.RESOURCE:
            self._promise(self._intake.focus, self._intake.focus.came(visit, page, links))
        self._intake.follow(visit, links, hinted, nofollow=page.nofollow)
        self._intake.dress(visit, page)
        if page.guesses and not page.nofollow:
            self._intake.guess(visit, page.guesses)

    def _pass_on(self, flow: Flow, url: str, endorsed: list[str]) -> None:
        """The cash of a page goes to what it recommends, also in other shards."""
        ours, others = self._peers.split(endorsed) if self._peers else (endorsed, {})
        share = flow.passed(url, ours, others=sum(map(len, others.values())))
        if self._peers and share:
            self._peers.gift(others, share)

    def _promise(self, focus: Focus, promises: list[Promise]) -> None:
        """What is promised of addresses, also in other shards."""
        asked = self._discovery.as_asked_for
        promises = [each._replace(url=asked(Found(each.url, 1)).url) for each in promises]
        focus.promise(self._peers.promised(promises) if self._peers else promises)

    def _endorsed(self, visit: Visit, page: Page) -> list[str]:
        """What a page recommends, each once. A sitemap lists all there is, which is no recommendation."""
        if page.nofollow or visit.kind is not Kind.PAGE:
            return []
        links = (link.url for link in page.links if "nofollow" not in link.rel)
        return list(dict.fromkeys(map(self._rules.rewrite, links) if self._rules.rewrite else links))

    # ------------------------------------------------------------------- probes

    def _probe(self, url: str) -> None:
        """Ask for a made-up address, if it may be asked for, before anything else of its origin."""
        origin, scope, access = self._active.get(keys.origin(url)), self._discovery.scope, self._parts.access
        known = origin.rules is not None and access.known(origin)
        if known and scope.kind != "page" and scope.check(url, 0) is None and access.allows(origin, url):
            self._worth.asks(url)
            origin.urgent.append(Visit(url, Kind.PROBE))

    def probe_done(self, capture: Capture, page: Page) -> list[Correction]:
        """The answer to a made-up address: pages that were kept may turn out to be errors. What was taken for an error
        and may be a page is asked for again."""
        corrections = []
        for url, reason in self._worth.probed(capture, judge(capture, self._rules.wanted), page):
            entry = self._ledger.get(url)
            if entry is None or entry.state is not State.DONE:
                continue
            if reason:
                self._ledger.put(url, replace(entry, reason=reason, soft=reason), entry)
                corrections.append(Correction(url, None))
            elif entry.soft:
                self._intake.requeue([(url, replace(entry, state=State.QUEUED, reason="", rank=0), entry)])
        return corrections


def _was_another(entry: Entry, visit: Visit) -> bool:
    """Was it asked for as a page, and is now what a page needs, or the other way round?"""
    return entry.kind is not visit.kind and Kind.RESOURCE in (entry.kind, visit.kind)


def _broke_off(capture: Capture) -> bool:
    """Did a document begin to come? Of what HEAD asks for, nothing does."""
    return 200 <= capture.status < 300 and capture.visit.method != "HEAD"


def _is_new(outcome: Outcome, lesson: Lesson, page: Page) -> bool:
    """A page that is no copy and no error in disguise."""
    return outcome.act is Act.KEEP and not lesson.soft and page.copy_of is None


def _is_original(capture: Capture, page: Page) -> bool:
    """A body that this shard has not met under another address; only pages count, as in the archive."""
    plain = capture.visit.kind is Kind.PAGE and capture.status == 200 and capture.body
    return bool(plain and page.digest and page.copy_of is None)
