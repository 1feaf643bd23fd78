"""The line that says how long work is doing; on a pipe there is none."""

from __future__ import annotations

import shutil
import sys
import time
from collections import deque
from typing import TYPE_CHECKING, TextIO

from gossamer.cli.answers import SILENCE, estimate, shortage
from gossamer.shown import line

if TYPE_CHECKING:
    from gossamer.collection import Built, Imported, Progress

WINDOW = 20
"""Reports that a rate is taken over."""


class Line:
    """Rewrites one line on a terminal."""

    def __init__(self, out: TextIO | None) -> None:
        self._out = out or sys.stderr
        self._is_terminal = self._out.isatty()
        self._begun = False

    def show(self, text: str) -> None:
        """In the place of what was there."""
        if self._is_terminal:
            width = shutil.get_terminal_size().columns - 1
            self._out.write("\r" + line(text)[:width].ljust(width))
            self._out.flush()
            self._begun = True

    def end(self) -> None:
        """Leave the line as it is and go to the next."""
        if self._begun:
            self._out.write("\n")


class ProgressLine:
    """How a crawl is doing."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._line = Line(out)
        self.end = self._line.end
        self._past: deque[Progress] = deque(maxlen=WINDOW)

    def __call__(self, now: Progress) -> None:
        self._past.append(now)
        self._line.show(self.text(now))

    def text(self, now: Progress) -> str:
        """What is shown."""
        pages, octets = self._rate(now)
        parts = [
            f"{now.pages:,} pages",
            f"{pages:,.1f}/s",
            f"{octets / 1e6:.1f} MB/s",
            f"{now.out} active",
            f"{now.waiting:,} waiting",
            f"{now.queued:,} queued",
            f"{now.failed:,} failed",
            _left(now),
        ]
        return "  ".join(part for part in parts if part)

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
        self.end = self._line.end

    def __call__(self, now: Built) -> None:
        rate = now.looked / now.seconds if now.seconds else 0.0
        left = estimate(max(now.pages - now.looked, 0) / rate, "the pages that are left") if rate else ""
        self._line.show(f"{now.looked:,} of {now.pages:,} pages  {now.texts:,} texts made  {rate:,.1f}/s  {left}")


class ExportLine:
    """How an export is doing."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._line = Line(out)
        self.end = self._line.end
        self._began = time.monotonic()

    def __call__(self, pages: int, of: int) -> None:
        rate = pages / max(time.monotonic() - self._began, 0.001)
        left = estimate(max(of - pages, 0) / rate, "the pages that are left")
        self._line.show(f"{pages:,} of {of:,} pages  {rate:,.1f}/s  {left}")


class ImportLine:
    """How an import is doing."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._line = Line(out)
        self.end = self._line.end

    def __call__(self, now: Imported) -> None:
        rate = (now.captures + now.known) / now.seconds if now.seconds else 0.0
        share = now.bytes / now.size if now.size else 1.0
        left = now.seconds * (1 - share) / share if share > 0.01 and now.captures + now.known else None
        parts = [
            f"{now.captures:,} captures",
            f"{rate:,.1f}/s",
            f"{now.files:,} of {now.of:,} files",
            f"{share:.0%}",
            f"{len(now.problems):,} problems" if now.problems else "",
            estimate(left, "the bytes that are left"),
        ]
        self._line.show("  ".join(part for part in parts if part))


def _left(now: Progress) -> str:
    if now.disk_wanted:
        return shortage(now.disk_free, now.disk_wanted)
    if now.network_gone:
        return SILENCE
    if now.idle_seconds:
        return f"waiting {now.idle_seconds:.0f} s for retries (Ctrl-C stops now)"
    return estimate(now.left, now.basis)
