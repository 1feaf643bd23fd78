"""What does a crawl say while it runs, and to whom? A terminal has a line that changes, a pipe one line a minute, and a
log a line for each event and each fetch. Why it waits is said at once, wherever it is said.

A log has lines of `TIME EVENT WORDS`: the time in UTC as RFC 3339 has it, the event one of `begin`, `progress`,
`fetch`, `waits`, `goes-on`, `warning` and `end`, the words escaped as all output is. One that cannot be written harms
nothing.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gossamer.cli.out import complain
from gossamer.cli.progress import EVERY, ProgressLine
from gossamer.errors import GossamerError, UsageError
from gossamer.printable import counted, line, log, pasted, repeated, size, span, timestamp

if TYPE_CHECKING:
    from gossamer.collection import Progress
    from gossamer.collection.progress import Fetched

_USER = re.compile(r"^(\s*(?:\w+://)?)[^/?#]*@")
_NAMED = 5
"""Seeds that stand in the line of a command; more are counted, for the plan has them."""
FIRST = 10.0
"""Seconds after which there is one in any case: whoever waits wants to know that it works."""
_KINDS = {"probe": "asks for what cannot be there, to see how the site answers that"}
"""Why something was asked for that no page links to."""


def begun(folder: str, seeds: Sequence[str]) -> str:
    """What a log says of a command. A password that stands in an address is not sent, and not written down."""
    more = len(seeds) - _NAMED
    named = [_USER.sub(r"\1", repeated(seed)) for seed in seeds[:_NAMED]]
    return " ".join([folder, *named, *([f"and {counted(more, 'seed')} more"] if more > 0 else [])])


class Journal(logging.Handler):
    """A log that is appended to. What other parts warn of goes there too."""

    def __init__(self, path: str, collection: str) -> None:
        super().__init__(logging.WARNING)
        inside = os.path.join(os.path.realpath(collection), "")
        if os.path.realpath(path).startswith(inside):
            raise UsageError(f"--log {path}: lies in the collection, which holds nothing but its own files")
        try:
            # a FIFO that nobody reads, or not fast enough, holds up no crawl
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o666)
        except OSError as error:
            why = "it is a FIFO that nobody reads" if error.errno == errno.ENXIO else error.strerror
            raise UsageError(f"--log {path}: cannot be written: {why}") from None
        self._path = path
        self._whole = True

    def note(self, event: str, words: str) -> None:
        """One event. A disk that is full costs lines of the log, and is said once."""
        said = f"{timestamp(time.time())} {event} {line(words)}\n".encode("utf-8", "replace")
        try:
            os.write(self._file, said)
        except OSError as error:
            if self._whole:
                complain(f"--log {self._path}: cannot be written: {error.strerror}; the crawl goes on without")
            self._whole = False

    def emit(self, record: logging.LogRecord) -> None:
        """A warning of another part, which is also said: a logger that has a handler says nothing by itself."""
        self.note("warning", record.getMessage())
        complain(record.getMessage())

    def close(self) -> None:
        """No more."""
        super().close()
        os.close(self._file)


@contextmanager
def journal(path: str | None, collection: str) -> Iterator[Callable[[str, str], None]]:
    """What notes an event; it does nothing where no log was asked for."""
    if path is None:
        yield lambda event, words: None
        return
    if path == "-":
        raise UsageError("--log: is written to a file; -v prints a line for each fetch")
    kept = Journal(path, collection)
    log.addHandler(kept)
    try:
        yield kept.note
    finally:
        log.removeHandler(kept)
        kept.close()


@contextmanager
def ending(note: Callable[[str, str], None]) -> Iterator[None]:
    """A crawl that is broken off has an end in its log all the same."""
    try:
        yield
    except GossamerError as error:
        note("end", f"failed: {error}")
        raise
    except BaseException as error:
        broken_off = isinstance(error, (KeyboardInterrupt, asyncio.CancelledError))
        note("end", "stopped" if broken_off else f"failed: {error!r:.300}")
        raise


class Talk:
    """Hears how a crawl goes, and passes on what each reader wants."""

    def __init__(
        self,
        line: ProgressLine,
        note: Callable[[str, str], None],
        *,
        pipe: bool,
        quiet: bool,
        verbose: bool = False,
    ) -> None:
        self._line, self._note = line, note
        self._pipe, self._quiet, self._verbose = pipe and not quiet, quiet, verbose
        self._next, self._waits = FIRST, ""
        self._last: Progress | None = None
        self.heard = False
        """Has the crawl begun? One with nothing left to do does not."""

    def __call__(self, now: Progress) -> None:
        self.heard, self._last = True, now
        if not self._quiet:
            self._line(now)
        kind, words = waiting(now, self._line.folder)
        if kind != self._waits:
            self._waits = kind
            self._say("waits" if kind else "goes-on", words or self._line.text(now))
        elif now.seconds >= self._next:
            self._say("progress", self._line.text(now))
        if now.seconds >= self._next:
            self._next = now.seconds // EVERY * EVERY + EVERY

    def so_far(self) -> str:
        """The sums of the last report, for one that is ended before it could count anew; nothing before the first."""
        if (last := self._last) is None or self._quiet:
            return ""
        sums = f"{counted(last.pages, 'page')}, {last.failed:,} failed, {size(last.bytes)}"
        return f"stopped: {sums}, in {span(last.seconds)}"

    def fetched(self, one: Fetched) -> None:
        """A line for each fetch: always in the log, and on the terminal where that was asked for."""
        words = fetch(one)
        if self._verbose:
            self._line.say(f"{time.strftime('%H:%M:%S', time.localtime(one.began + one.seconds))} {words}")
        self._note("fetch", words)

    def _say(self, event: str, words: str) -> None:
        self._note(event, words)
        if self._pipe:
            complain(f"waits: {words}" if event == "waits" else words)


def fetch(one: Fetched) -> str:
    """What came of it: status, kind, size, seconds, address, and the reason where there is one."""
    kind = one.kind if one.method == "GET" else f"{one.kind} {one.method}"
    why = one.reason or _KINDS.get(one.kind)
    reason = f"  ({why})" if why else ""
    return f"{one.status or '-':<3} {kind} {size(one.bytes)} {one.seconds:.2f} s {one.url}{reason}"


def waiting(now: Progress, folder: str) -> tuple[str, str]:
    """What holds a crawl up, in a word and in words; nothing when it goes on."""
    if now.paused:
        return "pause", pasted("paused by somebody; `gossamer resume DIR` goes on", folder)
    if now.held_up:
        return "disk" if now.disk_wanted else "store" if now.store_away else "network", now.held_up
    if now.waits:
        return "politeness", f"nothing may be asked for in the next {now.idle_seconds:.0f} s; Ctrl-C stops now"
    return "", ""
