"""The live view of a crawl in the terminal, in the words of `status`. It only reads: q ends it, and not the crawl.

It is drawn anew each second, and at once when the terminal gets another size. Without a terminal one view is printed.
"""

from __future__ import annotations

import argparse
import os
import select
import shutil
import signal
import sys
import termios
import textwrap
import time
import tty
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from gossamer.cli.answers import at_rest, time_left
from gossamer.cli.out import BOLD, PLAIN, say, say_json
from gossamer.cli.terminal import encoded, is_coloured
from gossamer.collection.ask.reading import Reading
from gossamer.collection.ask.remembered import Remembered
from gossamer.collection.lock import FILE as LOCK
from gossamer.files.stamps import stamp
from gossamer.frontier.why import WAITING
from gossamer.printable import line, pasted, size, span

if TYPE_CHECKING:
    from gossamer.collection import Status
    from gossamer.collection.ask.host_order import HostOrder
    from gossamer.frontier.why import HostAnswer

EVERY = 1.0
"""Seconds between two views."""
WINDOW = 20
"""Views that a rate is taken over."""
HOSTS_MOST, REASONS_MOST = 50, 5
_HOME, _END, _BELOW = "\x1b[H", "\x1b[K", "\x1b[J"
_OTHER_SCREEN, _THIS_SCREEN = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
_INTERRUPT = b"q"
_ENDS = frozenset("qQ\x03\x04")


def top(options: argparse.Namespace) -> int:
    """Until somebody has seen enough."""
    with Reading(Path(options.dir)) as collection:
        if options.json:
            say_json(View(collection).as_json())
        elif sys.stdin.isatty() and sys.stdout.isatty():
            _watch(collection, options.dir)
        else:
            say(pasted("\n".join(View(collection).lines(None)), options.dir))
    return 0


class View:
    """What is shown, as of the last commit; hosts stand in an order that is not old."""

    def __init__(self, collection: Reading, orders: Remembered[HostOrder | None] | None = None) -> None:
        collection.close()  # the next question sees what has been committed since
        self.status = collection.status()
        known, state = orders or Remembered(), f":{stamp(collection.path, (LOCK,))}"
        queued, failed = (known.get(sort, state, partial(collection.host_order, sort)) for sort in ("queued", "failed"))
        self.waiting = collection.host_page("queued", limit=HOSTS_MOST, order=queued)
        self.failing = collection.host_page("failed", limit=REASONS_MOST, order=failed)
        self.disk = shutil.disk_usage(collection.path).free
        self.when = time.monotonic()

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        hosts = {"hosts": self.waiting.as_json()["hosts"], "failing": self.failing.as_json()["hosts"]}
        return self.status.as_json() | hosts | {"disk": self.disk}

    def lines(self, past: View | None) -> list[str]:
        """All of it; what matters most comes first. Rates are counted from a view of the past."""
        is_running = self.status.crawling is not None
        return [
            *_sums(self.status, self.disk, _rate(self, past)),
            *_reasons(self.status),
            *_hosts("hosts that fail", self.failing.hosts, is_running=is_running),
            *_hosts("hosts with the longest queues", self.waiting.hosts, is_running=is_running),
        ]


def _rate(view: View, past: View | None) -> tuple[str, str]:
    """Pages and bytes in a second, since an older view; nothing where there is none."""
    seconds = view.when - past.when if past else 0.0
    if past is None or seconds <= 0:
        return "", ""
    pages, octets = view.status.pages - past.status.pages, view.status.bytes - past.status.bytes
    return f"  {max(pages, 0) / seconds:,.1f}/s", f"  {size(int(max(octets, 0) / seconds))}/s"


def _sums(now: Status, disk: int, rate: tuple[str, str]) -> Iterator[str]:
    pages, octets = rate
    rows = [
        ("pages", f"{now.pages:,}{pages}"),
        ("fetched", f"{size(now.bytes)}{octets}"),
        ("queued", f"{now.queued:,}"),
        ("failed", f"{now.failed:,}"),
        ("excluded", f"{now.excluded:,}"),
        ("hosts", f"{now.hosts:,}"),
        ("duplicates", f"{now.duplicates:,}, {now.near_duplicates:,} near copies"),
        ("crawled for", span(now.seconds)),
        ("disk", f"{size(disk)} free"),
        ("time left", time_left(now) or ("not known" if now.crawling else "")),
        ("now", _now(now)),
    ]
    yield from (f"{name:<12}{line(value)}" for name, value in rows if value)


def _now(now: Status) -> str:
    if now.crawling is None:
        return at_rest(now)
    if now.paused:
        return "paused; `gossamer resume DIR` goes on"
    return now.held_up or f"crawling, process {now.crawling.get('pid')}"


def _reasons(now: Status) -> Iterator[str]:
    if now.failures:
        yield from ("", "failed because:")
        for reason, count in list(now.failures.items())[:REASONS_MOST]:
            yield f"  {count:>9,}  {line(reason)}"


def _hosts(title: str, hosts: Sequence[HostAnswer], *, is_running: bool) -> Iterator[str]:
    """That nothing of a host is queued is no news, nor is it that none has its turn where no crawl runs."""
    if hosts:
        yield from ("", f"{title}:")
    for each in hosts:
        pages = f"{each.pages:>8,} {'page ' if each.pages == 1 else 'pages'}"
        sums = f"{each.queued:>9,} queued {pages} {each.failed:>6,} failed {each.gap:>6.1f} s"
        wait = max((each.next_time or 0.0) - time.time(), 0.0)
        until = f" for {span(wait)}" if wait else ""
        stands = f"{each.state}{until}"
        if each.queued and (is_running or each.state != WAITING):
            stands += f": {line(each.reason)}"
        yield f"{sums}  {line(each.host)}  {stands}"


# -------------------------------------------------------------------------------- the terminal


def _watch(collection: Reading, folder: str) -> None:
    """Draw, wait for a key, a second or another size, and draw again."""
    past: deque[View] = deque(maxlen=WINDOW)
    with _screen() as woken:
        orders: Remembered[HostOrder | None] = Remembered()  # to look at a million hosts takes a second
        view = View(collection, orders)
        while True:
            past.append(view)
            _draw(view, past[0], folder)
            due = time.monotonic() + EVERY
            while (left := due - time.monotonic()) > 0:
                ready = select.select([sys.stdin, woken], [], [], left)[0]
                if woken in ready:
                    if _INTERRUPT in os.read(woken, 1_000):
                        return
                    _draw(view, past[0], folder)
                if sys.stdin in ready and _ENDS & set(os.read(sys.stdin.fileno(), 100).decode(errors="replace") or "q"):
                    return
            view = View(collection, orders)


def _draw(view: View, past: View, folder: str) -> None:
    columns, rows = shutil.get_terminal_size(fallback=(80, 24))
    head = f"{folder}, {time.strftime('%H:%M:%S')}; q ends this view, and not the crawl"
    said = chain.from_iterable(_wrapped(pasted(each, folder), columns) for each in view.lines(past))
    lines = [pasted(line(head), folder)[:columns], *said][:rows]
    if is_coloured():
        lines[0] = f"{BOLD}{lines[0]}{PLAIN}"
    drawn = _HOME + "\n".join(f"{each}{_END}" for each in lines) + _BELOW
    sys.stdout.flush()
    os.write(sys.stdout.fileno(), encoded(drawn))


def _wrapped(words: str, columns: int) -> list[str]:
    """In lines that fit: a reason that is cut says nothing."""
    indent = " " * min(12, columns // 2)
    return textwrap.wrap(words, columns, subsequent_indent=indent) or [""]


@contextmanager
def _screen() -> Iterator[int]:
    """A screen of its own, keys as they are pressed, and a descriptor that can be read when the size changes, or when
    somebody interrupts: an exception could come where nobody passes it on.

    Whatever ends it, the terminal is as it was.
    """
    keyboard = sys.stdin.fileno()
    before, reading = termios.tcgetattr(keyboard), os.pipe()
    os.set_blocking(reading[1], False)

    def heard(number: int, frame: FrameType | None) -> None:
        with suppress(OSError):
            os.write(reading[1], b"r" if number == signal.SIGWINCH else _INTERRUPT)

    handlers = {number: signal.signal(number, heard) for number in (signal.SIGWINCH, signal.SIGINT, signal.SIGTERM)}
    try:
        tty.setcbreak(keyboard)
        os.write(sys.stdout.fileno(), _OTHER_SCREEN.encode())
        yield reading[0]
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        os.write(sys.stdout.fileno(), _THIS_SCREEN.encode())
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
        for each in reading:
            os.close(each)
