"""What does an answer mean for its address? A pure judgement; the frontier carries it out."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import NamedTuple

from gossamer.convert.type import mime
from gossamer.fetch.redirects import REDIRECTS, location, target
from gossamer.frontier.queue.retry import NEVER, Rule, rule
from gossamer.model import Capture, Failure, Fault
from gossamer.urls.normalize import LONGEST, is_too_long
from gossamer.urls.paths import is_path

HEAD_REFUSED = frozenset({400, 403, 405, 501})
"""Servers that dislike HEAD say so with these; the GET is worth a try."""
AGAIN = "the archive"
"""The source of captures that are taken in again because the rows were lost."""


class Act(Enum):
    """What the frontier does next."""

    KEEP = auto()
    UNCHANGED = auto()
    REDIRECT = auto()
    FAIL = auto()
    EXCLUDE = auto()
    GET = auto()


class Outcome(NamedTuple):
    """An act with its reason, and what it needs."""

    act: Act
    reason: str = ""
    rule: Rule = NEVER
    target: str = ""


def judge(capture: Capture, wanted: Callable[[str], bool]) -> Outcome:
    """Read the answer to a page or sitemap visit. `wanted` tells which media types are worth a download."""
    visit, status = capture.visit, capture.status
    if capture.failure and not _last_cut(capture):
        return Outcome(Act.FAIL, str(capture.failure), rule(capture.failure.fault, 0))
    if status == 304:
        return _unmodified(capture)
    if status in REDIRECTS:
        return _redirect(capture)
    if visit.method == "HEAD" and (200 <= status < 300 or status in HEAD_REFUSED):
        return _after_head(capture, wanted)
    if 200 <= status < 300:
        return Outcome(Act.KEEP)
    return Outcome(Act.FAIL, _refusal(capture), rule(None, status))


def _refusal(capture: Capture) -> str:
    """A file says in words why it is not read: see `fetch/local/reading.py`."""
    if is_path(capture.visit.url):
        return capture.head.partition(b"\r\n")[0].split(b" ", 2)[-1].decode("utf-8", "replace")
    return f"http {capture.status}"


def _last_cut(capture: Capture) -> bool:
    """A body that ends too soon every time is kept as it is, marked as cut."""
    failure, again = capture.failure, capture.visit.attempt > 0
    return failure is not None and failure.fault is Fault.INCOMPLETE and again and capture.status > 0


def _unmodified(capture: Capture) -> Outcome:
    """Only a condition can be answered so. How an imported one was asked for is not known."""
    visit = capture.visit
    if visit.etag or visit.modified or capture.source not in (None, AGAIN):
        return Outcome(Act.UNCHANGED, "not modified")
    failure = Failure(Fault.PROTOCOL, "http 304, and the request had no condition")
    return Outcome(Act.FAIL, str(failure), rule(failure.fault, 0))


def _redirect(capture: Capture) -> Outcome:
    said, led_to = location(capture), target(capture)
    if not said:
        return Outcome(Act.FAIL, f"http {capture.status} without a location")
    if led_to is None and is_too_long(said, capture.visit.url):
        return Outcome(Act.FAIL, f"redirect to an address that is too long; the limit is {LONGEST:,} characters")
    if led_to is None:
        return Outcome(Act.FAIL, f"redirect to what is not a web address: {said[:200]}")
    if led_to == capture.visit.url:
        return Outcome(Act.FAIL, "redirect to itself")
    return Outcome(Act.REDIRECT, f"redirect to {led_to}", target=led_to)


def _after_head(capture: Capture, wanted: Callable[[str], bool]) -> Outcome:
    said = mime.extract([capture.header("content-type") or ""])
    if capture.status >= 400 or said is None or wanted(said.essence):
        return Outcome(Act.GET)
    return Outcome(Act.EXCLUDE, f"media type {said.essence} is not wanted")
