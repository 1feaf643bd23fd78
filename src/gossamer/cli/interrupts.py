"""Ctrl-C on the command line: once, twice, and what happens when nothing comes of it.

Once: what is in flight has a moment to finish. Twice: it is dropped now. After five seconds the process is gone,
whatever it does: a kill loses nothing, and whoever asks twice has asked often enough. What had been done by then is
said all the same.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from gossamer.collection.crawl.running import Stopping
from gossamer.engine.proc import end_descendants
from gossamer.errors import INTERRUPTED

LAST = 4.5
"""Seconds after the first signal at which this process ends itself."""
ALARM = 5.0
"""Seconds after which the kernel ends it, should a library hold up everything else."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def listening(so_far: Callable[[], str] = lambda: "", *, quiet: bool = False) -> Iterator[Stopping]:
    """Signals end the task of the caller while this lasts. `so_far` says what was done, should it be ended at once. One
    that is `quiet` does not say that it has heard."""
    stopping, loop = Stopping(), asyncio.get_running_loop()
    last = threading.Timer(LAST, _end_at_once, (so_far,))
    last.daemon = True

    def heard(number: int, frame: FrameType | None) -> None:
        """In the middle of anything, so nothing is done here but to set what rings later."""
        if last.ident is None:
            last.start()
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, ALARM)
        loop.call_soon_threadsafe(_tell, stopping, quiet)

    before = [signal.signal(number, heard) for number in SIGNALS]
    try:
        yield stopping
    finally:
        for number, handler in zip(SIGNALS, before, strict=True):
            signal.signal(number, handler)
        last.cancel()
        signal.setitimer(signal.ITIMER_REAL, 0)


def _tell(stopping: Stopping, quiet: bool) -> None:
    if not (stopping.asked or quiet):
        print("\ngossamer: finishing what is in flight; once more stops now", file=sys.stderr)
    stopping.ask()


def _end_at_once(so_far: Callable[[], str]) -> None:
    done = f"{so_far()}\n" if so_far() else ""
    words = "it took too long to finish and was stopped; nothing is lost, and the same command goes on"
    os.write(sys.stderr.fileno(), f"\n{done}gossamer: {words}\n".encode())
    end_descendants()
    os._exit(INTERRUPTED)
