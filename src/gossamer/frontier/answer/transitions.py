"""What becomes of an address: kept, tried again, given up or left out. It leaves its queue in the same commit."""

from __future__ import annotations

import random
from typing import Any

from msgspec.structs import replace

from gossamer.convert.silent import unknown
from gossamer.frontier.answer.outcome import Act, Outcome
from gossamer.frontier.entries import VALIDATOR_MOST, Entry, State
from gossamer.frontier.holding import is_queued_again, was_fetched
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.queue.agenda import Agenda
from gossamer.frontier.queue.back_queues import Queues
from gossamer.frontier.queue.retry import wait
from gossamer.frontier.revisit.watch import Watch
from gossamer.frontier.worth.opic import Flow
from gossamer.frontier.worth.soft404 import is_soft_reason
from gossamer.model import Capture, Clock, Kind, Page
from gossamer.store.versions import NOT_MODIFIED, tells
from gossamer.urls.paths import is_path

NOINDEX = "noindex: the page asks not to be found, and no search finds it"
UNREAD_KIND = "files of its kind are not read"
"""Of a file of this machine: a picture, a program."""
LIMITS = "were read, as many as html_bytes, text_bytes or document_bytes allows"
"""Settings of the plan; which of them it is depends on the media type."""


class Settlement:
    """Carries out what was judged."""

    def __init__(
        self,
        ledger: Ledger,
        queues: Queues,
        retries: Agenda,
        clock: Clock,
        flow: Flow | None = None,
        watch: Watch | None = None,
    ) -> None:
        """`flow` takes back the cash of each address that nothing more will be asked of; `watch` sets a date for the
        next visit."""
        self._flow = flow
        self._watch = watch
        self._ledger = ledger
        self._queues = queues
        self._retries = retries
        self._clock = clock
        self._jitter = random.Random()

    def keep(self, capture: Capture, entry: Entry, outcome: Outcome, page: Page) -> None:
        """A document came, or the one we have is still right."""
        unchanged = outcome.act is Act.UNCHANGED
        reason = remark(capture, page) or (entry.soft if unchanged else "")
        self._put(
            capture.visit.url,
            entry,
            outcome.reason or f"http {capture.status}",
            state=State.DONE,
            reason=reason,
            status=_status_of_document(entry) or capture.status if unchanged else capture.status,
            target=None,
            etag=_validator(capture, "etag") or (entry.etag if unchanged else None),
            modified=_validator(capture, "last-modified") or (entry.modified if unchanged else None),
            attempt=0,
            copy=entry.copy if unchanged else page.copy_of is not None,
            near=entry.near and unchanged,
            soft=reason if is_soft_reason(reason) else "",
            held=False,
        )
        if self._watch is not None and entry.kind is not Kind.RESOURCE:
            self._watch.visited(capture, entry, page, unchanged=unchanged)

    def fail(
        self,
        url: str,
        entry: Entry,
        reason: str,
        waits: tuple[float, ...],
        status: int = 0,
        *,
        broke_off: bool = False,
    ) -> None:
        """Try again later, or give up when there is no further wait on the ladder. What came before an answer
        `broke_off` is in the archive."""
        seconds = wait(waits, entry.attempt, self._jitter)
        if seconds is None:
            self.end(url, entry, State.FAILED, reason, status, broke_off=broke_off)
            return
        due, position = self._clock.wall() + seconds, self._queues.next_position()
        left = _left_after(entry, status, broke_off=broke_off)
        if left["held"]:
            left["rank"] = 0  # where no more pages are let in, what is here comes again before all that is new
        self._retries.append(url, due, position)
        self._put(
            url,
            entry,
            reason,
            reason=reason,
            status=status,
            attempt=entry.attempt + 1,
            due=due,
            position=position,
            **left,
        )

    def end(
        self, url: str, entry: Entry, state: State, reason: str, status: int | None = None, *, broke_off: bool = False
    ) -> Entry:
        """Nothing more will be asked of it. Where nobody was asked (no `status`), it is known what it was before."""
        if status is None:
            left, status = {"held": is_queued_again(entry)}, entry.status
        else:
            left = _left_after(entry, status, broke_off=broke_off)
        if self._flow is not None:
            self._flow.ended(url)
        if self._watch is not None and entry.kind is not Kind.RESOURCE:
            self._watch.ended(url, state, status, reason)
        return self._put(url, entry, reason, state=state, reason=reason, status=status, **left)

    def spare(self, url: str, entry: Entry) -> None:
        """A document that we have is not asked for again: it stays what it was at its last visit."""
        if self._flow is not None:
            self._flow.ended(url)
        if self._watch is not None:
            self._watch.spared(url)
        self._queues.remove(url, entry.rank, entry.position)
        self._ledger.put(url, replace(entry, state=State.DONE, attempt=0, due=0.0), entry)

    def moved(self, url: str, entry: Entry, outcome: Outcome, status: int) -> None:
        """It is a pointer to somewhere else."""
        self._put(
            url,
            entry,
            outcome.reason,
            state=State.DONE,
            reason=outcome.reason,
            status=status,
            target=outcome.target,
            soft="",
            **_left_after(entry, status),
        )
        if self._watch is not None and entry.kind is not Kind.RESOURCE:
            self._watch.moved(url)

    def _put(self, url: str, entry: Entry, what: str, **changes: object) -> Entry:
        self._queues.remove(url, entry.rank, entry.position)
        changes.setdefault("due", 0.0)
        return self._ledger.put(url, entry.after(self._clock.wall(), what, **changes), entry)


def _validator(capture: Capture, name: str) -> str | None:
    """What the next visit sends back; half of one would be another."""
    value = capture.header(name)
    return value if value and len(value) <= VALIDATOR_MOST else None


def _left_after(entry: Entry, status: int, *, broke_off: bool = False) -> dict[str, Any]:
    """An address without a whole document: is the last one that came still here, and what becomes of its validators?

    An error that may pass takes nothing away, and a page that broke off is here as far as it came. Where the page is
    gone or has moved, a 304 would bring back nothing.
    """
    gone = tells(status) and status >= 300
    came_in_part = broke_off and entry.kind is Kind.PAGE
    left: dict[str, Any] = {"held": came_in_part or (is_queued_again(entry) and not gone)}
    outdated = tells(status) or entry.status == NOT_MODIFIED
    return left | {"etag": None, "modified": None} if outdated else left


def _status_of_document(entry: Entry) -> int:
    """Of the one that we have and that is still right, whatever came in between; 0 where none ever came."""
    if was_fetched(entry):
        return entry.status
    came = entry.status != NOT_MODIFIED and (entry.etag or entry.modified)
    return 200 if came else 0


def remark(capture: Capture, page: Page) -> str:
    """What should be known of a document that was kept, but not as it should be, or that is kept out of searches."""
    return _flaw(capture, page) or (NOINDEX if page.noindex else "")


def _flaw(capture: Capture, page: Page) -> str:
    if not capture.truncated:
        cut = f"more links than the {len(page.links):,} that were followed" if page.links_cut else ""
        return page.problem or cut
    # What is cut may be damaged for that alone.
    return "; ".join(filter(None, (_how_cut(capture), page.problem if capture.body else "")))


def _how_cut(capture: Capture) -> str:
    if not is_path(capture.visit.url):
        by_us = capture.truncated == "length" and capture.body and capture.provenance is None
        return f"cut: its first {len(capture.body):,} bytes {LIMITS}" if by_us else f"cut: {capture.truncated}"
    if not capture.body:
        some_bytes = capture.header("content-type") == "application/octet-stream"
        return f"found by its name alone: {unknown(capture.visit.url) if some_bytes else UNREAD_KIND}"
    return f"cut: {len(capture.body):,} of its {int(capture.header('content-length') or 0):,} bytes were read"
