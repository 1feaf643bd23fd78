"""Where is Chromium, and how does it run? Without a way out, within bounds, and no longer than we do.

It gets no network: no name resolves, the proxy does not exist, and no address is an exception. Whatever it asks for is
handed to it (see `rendering`); what is not handed to it, such as the requests of a shared worker, fails.

Playwright drives it: it speaks Chromium's protocol over a pipe, without a port that others could reach, and its
interception of requests is tried and tested. It is an extra, and this is the only module that imports it.

Chromium is started by a script of one line, which says who it is (so that all of its processes can be killed as a
group), bounds the memory of each process, and has the kernel kill it when its parent dies. The parent is Playwright's
driver, which ends when we do, however that comes about, because its input ends.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.errors import UsageError
from gossamer.files import scratch
from gossamer.printable import log

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LAUNCH_SECONDS = 60.0
CLOSE_SECONDS = 5.0
PROCESS_KIB = 1_500_000
"""Memory that each of its processes may have."""
HEAP_MIB = 256
"""Memory that the scripts of a page may have."""
FLAGS = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://nowhere.invalid:1",
    "--proxy-bypass-list=<-loopback>",
    "--dns-prefetch-disable",
    "--no-pings",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-gpu",
    "--disable-notifications",
    "--disable-speech-api",
    "--deny-permission-prompts",
    "--mute-audio",
    "--renderer-process-limit=8",
    f"--js-flags=--max-old-space-size={HEAP_MIB}",
)


NO_IMAGES = "--blink-settings=imagesEnabled=false"


def require(why: str = "to render pages", else_: str = "crawl with --render never") -> str:
    """Where Chromium is; UsageError with the cure when it, or what drives it, is not here."""
    if find_spec("playwright") is None:
        raise UsageError(
            f"{why} takes a browser: `pip install '.[browser]'` where you cloned Gossamer brings what drives"
            f" it; or {else_}"
        )
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise UsageError(
            f"{why} takes Chromium, and none of {', '.join(NAMES)} is here; install it (Debian: `apt-get"
            f" install chromium`), or {else_}"
        )
    return found


class Chromium:
    """One running browser."""

    def __init__(self, folder: Path, driver: Playwright, browser: Browser) -> None:
        self._folder = folder
        self._driver = driver
        self.browser = browser

    @property
    def is_alive(self) -> bool:
        """It has not crashed, and neither has what drives it: Chromium goes with that."""
        return self.browser.is_connected() and self._runs()

    def _runs(self) -> bool:
        try:
            pid = int((self._folder / "pid").read_text())
            return bool(Path(f"/proc/{pid}/cmdline").read_bytes())  # nothing once it is dead and nobody has asked why
        except (OSError, ValueError):
            return False

    async def close(self) -> None:
        """End it and all of its processes, whatever state they are in."""
        with suppress(Exception):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.browser.close()
        self.kill()
        with suppress(Exception):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._driver.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def kill(self) -> None:
        """All of its processes, now."""
        with suppress(OSError, ValueError):
            os.killpg(int((self._folder / "pid").read_text()), signal.SIGKILL)


async def start(*, images: bool = False) -> Chromium:
    """A browser without a window, which shows pictures only where somebody looks."""
    from playwright.async_api import async_playwright

    path, folder = require(), Path(tempfile.mkdtemp(prefix=scratch.prefix()))
    driver = await async_playwright().start()
    sandboxed = os.geteuid() != 0  # root has none
    try:
        launcher = _launcher(folder, path)
        browser = await driver.chromium.launch(
            executable_path=launcher,
            args=[*FLAGS, *([] if images else [NO_IMAGES])],
            chromium_sandbox=sandboxed,
            timeout=LAUNCH_SECONDS * 1_000,
            env={**os.environ, "TMPDIR": str(folder)},
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )
    except BaseException:
        await driver.stop()
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if not sandboxed:
        log.info("Chromium runs as root, and so without its sandbox")
    return Chromium(folder, driver, browser)


def _launcher(folder: Path, chromium: str) -> Path:
    dies_with_us = "setpriv --pdeathsig KILL" if shutil.which("setpriv") else ""
    path = folder / "chromium"
    path.write_text(
        f'#!/bin/sh\necho $$ > "{folder}/pid"\nulimit -d {PROCESS_KIB}\nexec {dies_with_us} "{chromium}" "$@"\n'
    )
    path.chmod(0o700)
    return path
