"""A real Chromium that is told to reach nothing but this machine, and a server for it to look at."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from gossamer.web.serving import LOCAL
from harness.served import serving

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",  # tests may run as root, where Chromium has none
    "--disable-background-networking",
    "--disable-component-update",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
INSTALL = ("apt-get", "install", "--yes", "--quiet", "--no-install-recommends", "chromium")
PATIENCE = 240.0


def chromium() -> str:
    """Where it is."""
    found = _installed()
    if found is None:
        pytest.skip("Chromium is missing; `apt-get install chromium` brings it")
    return found


@cache
def _installed() -> str | None:
    """Debian's is installed where it is missing and this user may do so; that is tried once."""
    if not any(map(shutil.which, NAMES)) and os.geteuid() == 0 and shutil.which(INSTALL[0]):
        subprocess.run(INSTALL, check=False, capture_output=True, timeout=PATIENCE)
    return next(filter(None, map(shutil.which, NAMES)), None)


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
