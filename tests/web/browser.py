"""A real Chromium that is told to reach nothing but this machine, and a server for it to look at."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from gossamer.web.serving import LOCAL
from harness import debian
from harness.served import serving

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",  # tests may run as root, where Chromium has none
    "--disable-background-networking",
    "--disable-component-update",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


def chromium() -> str:
    """Where it is."""
    return debian.program("chromium", *NAMES)


@contextmanager
def browser() -> Iterator[Browser]:
    """Without a window."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        try:
            yield opened
        finally:
            opened.close()


@contextmanager
def served(path: Path) -> Iterator[str]:
    """The address of a server for a collection."""
    with serving(path) as running:
        yield running.url


class Stranger:
    """A server that no page of ours may ever reach: it counts who comes."""

    def __init__(self) -> None:
        self._listener = socket.create_server((LOCAL, 0))
        self.address = f"{LOCAL}:{self._listener.getsockname()[1]}"
        self.callers = 0
        self._last = ("", 0)
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        while True:
            caller, came_from = self._listener.accept()
            with caller:
                if came_from == self._last:
                    return
            self.callers += 1

    def close(self) -> None:
        """From now on nobody can come."""
        with socket.socket() as last:
            last.bind((LOCAL, 0))
            self._last = last.getsockname()
            last.connect(self._listener.getsockname())
            self._thread.join()
        self._listener.close()
