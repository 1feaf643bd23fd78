"""The line that says how work is doing: one that changes on a terminal, one a minute on a pipe."""

from __future__ import annotations

import shutil
import sys
import time
from collections import deque
from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, NamedTuple, TextIO

from gossamer.printable import counted, line, pasted, size, span

if TYPE_CHECKING:
    from gossamer.collection import Built, Imported, Progress

WINDOW = 20
"""Reports that a rate is taken over."""


SAID_EVERY = 0.5
"""Seconds, where reports come faster."""
USUAL = 80
"""Columns of a terminal that does not say how many it has."""
EVERY = 60.0
"""Seconds between two lines on a pipe or in a log."""


class Part(NamedTuple):
    """A piece of a line; those with the highest numbers are left out first when there is no room for all."""

    text: str
    rank: int = 0


def fitted(parts: Sequence[Part], width: int) -> str:
    """As many parts as there is room for, the most important ones, in their order. No word is cut in its middle."""
    left = [Part(line(part.text), part.rank) for part in parts if part.text]
    while left and len("  ".join(part.text for part in left)) > width:
        left.remove(max(reversed(left), key=lambda part: part.rank))
    return "  ".join(part.text for part in left)


class Line:
    """Rewrites one line on a terminal. On a pipe it says one a minute, unless somebody else does."""

    def __init__(self, out: TextIO | None, *, piped: bool = True) -> None:
        self._out = out or sys.stderr
        self._is_terminal = self._out.isatty()
        self._begun = False
        self._next = time.monotonic() + EVERY if piped else inf

    def say(self, text: str) -> None:
        """On a line of its own, also on a pipe."""
        self.end()
        self._out.write(f"{text}\n")
        self._begun = False

    def show(self, parts: Sequence[Part]) -> None:
        """In the place of what was there."""
        if self._is_terminal:
            width = shutil.get_terminal_size(fallback=(USUAL, 24)).columns - 1
            self._out.write("\r" + fitted(parts, width).ljust(width))
            self._out.flush()
            self._begun = True
        elif (now := time.monotonic()) >= self._next:
            self._next = now + EVERY
            self._out.write(f"gossamer: {fitted(parts, sys.maxsize)}\n")
            self._out.flush()

    def end(self) -> None:
        """Leave the line as it is and go to the next."""
        if self._begun:
            self._out.write("\n")

    def clear(self) -> None:
        """Leave nothing of it: what was done is said in another way."""
        if self._begun:
            width = shutil.get_terminal_size(fallback=(USUAL, 24)).columns - 1
            self._out.write(f"\r{' ' * width}\r")
            self._out.flush()
            self._begun = False


class ProgressLine:
    """How a crawl is doing."""

    def __init__(self, folder: str, out: TextIO | None = None, *, hint: str = "") -> None:
        self.folder = folder
        self._line, self._hint = Line(out, piped=False), hint
        self.end = self._line.end
        self._past: deque[Progress] = deque(maxlen=WINDOW)

    def say(self, words: str) -> None:
        """On a line of its own; the next report comes below it."""
        self._line.clear()
        self._line.say(line(words))

    def __call__(self, now: Progress) -> None:
        self._past.append(now)
        if self._hint and now.pages:  # all is well: an error would have stood alone
            self._line.say(self._hint)
            self._hint = ""
        self._line.show(self.parts(now))

    def text(self, now: Progress) -> str:
        """All of it."""
        self._past = self._past or deque([now], WINDOW)
        return "  ".join(part.text for part in self.parts(now) if part.text)

    def parts(self, now: Progress) -> list[Part]:
        """What is shown. Why it waits is more important than how fast it is, and less than what it has."""
        pages, octets = self._rate(now)
        return [
            Part(counted(now.pages, "page"), 0),
            Part(f"{pages:,.1f}/s", 3),
            Part(f"{octets / 1e6:.1f} MB/s", 8),
            Part(f"{now.out} active", 6),
            Part(f"{now.waiting:,} waiting", 7),
            Part(f"{now.queued:,} queued", 1),
            Part(f"{now.failed:,} failed", 5),
            *_left(now, self.folder),
        ]

    def _rate(self, now: Progress) -> tuple[float, float]:
        then = self._past[0]
        seconds = now.seconds - then.seconds
        if seconds <= 0:
            return 0.0, 0.0
        return (now.pages - then.pages) / seconds, (now.bytes - then.bytes) / seconds


class BuildLine:
    """How a build is doing."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._line = Line(out)
        self.end = self._line.clear

    def __call__(self, now: Built) -> None:
        rate = now.looked / now.seconds if now.seconds else 0.0
        self._line.show(
            [
                Part(f"{now.looked:,} of {counted(now.pages, 'page')}"),
                Part(f"{counted(now.texts, 'text')} made", 1),
                Part(f"{rate:,.1f}/s", 3),
                *_estimate(max(now.pages - now.looked, 0) / rate if rate else None, "the pages that are left"),
            ]
        )


class ExportLine:
    """How an export is doing."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._line = Line(out)
        self.end = self._line.clear
        self._began = time.monotonic()

    def __call__(self, pages: int, of: int) -> None:
        rate = pages / max(time.monotonic() - self._began, 0.001)
        left = _estimate(max(of - pages, 0) / rate if rate else None, "the pages that are left")
        self._line.show([Part(f"{pages:,} of {counted(of, 'page')}"), Part(f"{rate:,.1f}/s", 3), *left])


class VerifyLine:
    """How a check is doing."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._line = Line(out)
        self.end = self._line.clear
        self._began = self._said = time.monotonic()

    def __call__(self, octets: int, of: int) -> None:
        now = time.monotonic()
        if now - self._said < SAID_EVERY:
            return
        self._said = now
        rate = octets / max(now - self._began, 0.001)
        left = _estimate(max(of - octets, 0) / rate if rate else None, "the bytes that are left")
        self._line.show([Part(f"{size(octets)} of {size(of)}"), Part(f"{size(int(rate))}/s", 3), *left])


class ImportLine:
    """How an import is doing."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._line = Line(out)
        self.end = self._line.clear

    def __call__(self, now: Imported) -> None:
        rate = (now.captures + now.known) / now.seconds if now.seconds else 0.0
        share = now.bytes / now.size if now.size else 1.0
        left = now.seconds * (1 - share) / share if share > 0.01 and now.captures + now.known else None
        parts = [
            Part(counted(now.captures, "capture")),
            Part(f"{rate:,.1f}/s", 5),
            Part(f"{now.files:,} of {counted(now.of, 'file')}", 3),
            Part(f"{share:.0%}", 1),
            Part(counted(len(now.problems), "problem") if now.problems else "", 2),
            *_estimate(left, "the bytes that are left"),
        ]
        self._line.show(parts)


def _left(now: Progress, folder: str) -> list[Part]:
    if now.paused:
        return [Part("paused", 2), Part(pasted("(`gossamer resume DIR` goes on)", folder), 4)]
    if now.disk_wanted or now.store_away:
        return [Part(now.held_up, 2)]
    if now.network_gone:
        return [Part("nothing can be reached", 2), Part("goes on by itself as soon as something answers", 9)]
    if now.next_visit is not None and not now.queued:
        return [Part("up to date" if now.next_visit == inf else f"next visit in {span(now.next_visit)}", 2)]
    if now.waits:
        return [Part(f"waiting {now.idle_seconds:.0f} s for retries", 2), Part("(Ctrl-C stops now)", 4)]
    if now.next_time:
        return [Part(f"next try in {span(max(now.idle_seconds, 1.0))}", 2), Part("(all that is queued waits)", 9)]
    return _estimate(now.left, now.basis)


def _estimate(seconds: float | None, basis: str) -> list[Part]:
    """The time left; what it is counted from is the first thing that may be left out."""
    return [] if seconds is None else [Part(f"about {span(max(seconds, 1.0))} left", 2), Part(f"({basis})", 9)]
