"""The line that says how a crawl is doing; on a pipe there is none."""

from __future__ import annotations

import shutil
import sys
from collections import deque
from typing import TextIO

from gossamer.cli.answers import estimate, shortage
from gossamer.collection import Progress

WINDOW = 20
"""Reports that a rate is taken over."""


class ProgressLine:
    """Rewrites one line on a terminal."""

    def __init__(self, out: TextIO = sys.stderr) -> None:
        self._out = out
        self._shown = out.isatty()
        self._past: deque[Progress] = deque(maxlen=WINDOW)

    def __call__(self, now: Progress) -> None:
        self._past.append(now)
        if self._shown:
            width = shutil.get_terminal_size().columns - 1
            self._out.write("\r" + self.text(now)[:width].ljust(width))
            self._out.flush()

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

    def end(self) -> None:
        """Leave the line as it is and go to the next."""
        if self._shown and self._past:
            self._out.write("\n")

    def _rate(self, now: Progress) -> tuple[float, float]:
        then = self._past[0]
        seconds = now.seconds - then.seconds
        if seconds <= 0:
            return 0.0, 0.0
        return (now.pages - then.pages) / seconds, (now.bytes - then.bytes) / seconds


def _left(now: Progress) -> str:
    if now.disk_wanted:
        return shortage(now.disk_free, now.disk_wanted)
    if now.network_gone:
        return "the network is gone; waiting for it"
    if now.idle_seconds:
        return f"waiting {now.idle_seconds:.0f} s for retries (Ctrl-C stops now)"
    return estimate(now.left, now.basis)
