"""What has changed since the last look? The system tells, and nothing is read or asked meanwhile.

watchfiles puts inotify behind one call that gathers changes for a moment, in a thread of its own written in Rust; it
polls where there is no inotify (shares). It is an extra: `pip install '.[files]'`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.errors import StorageError, UsageError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from watchfiles import Change

GATHERED = 400
"""Milliseconds in which changes are gathered: who saves a file writes it in several steps."""
MANY = 1_000
"""Paths that are looked at one by one; when more have changed, all folders are walked."""
POWER = Path("/sys/class/power_supply")
BATTERY_LOOK = 30.0
"""Seconds between looks whether there is power again."""


class FileChanges:
    """Paths that change, from now on: it listens before the first run, so that nothing is missed between the two."""

    def __init__(self, roots: Iterable[bytes], collection: Path) -> None:
        try:
            import watchfiles
        except ModuleNotFoundError as error:
            raise UsageError(
                f"--watch needs a package of its own ({error.name} is missing): `pip install '.[files]'` where you"
                " cloned Gossamer brings it"
            ) from None
        self._roots = [os.fsdecode(root) for root in roots]
        self._own = f"{os.path.realpath(collection)}/"
        self._watch = watchfiles.awatch
        self._coming: asyncio.Queue[tuple[bytes, ...]] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._failed: OSError | None = None

    def begin(self) -> None:
        """Listen from now on."""
        self._task = asyncio.get_running_loop().create_task(self._listen())

    async def _listen(self) -> None:
        try:
            async for changes in self._heard():
                some = {path for _, path in changes if not path.startswith(self._own)}
                if some:
                    self._coming.put_nowait(tuple(map(os.fsencode, sorted(some))))
        except OSError as error:
            self._failed = error
            self._coming.put_nowait(())

    def _heard(self) -> AsyncGenerator[set[tuple[Change, str]], None]:
        return self._watch(
            *self._roots,
            watch_filter=None,
            debounce=GATHERED,
            step=100,
            rust_timeout=60_000,
            recursive=True,
            ignore_permission_denied=True,
        )

    async def __call__(self, stop: asyncio.Event) -> tuple[bytes, ...] | None:
        """The next paths that have changed, when there is power; None: too many to name. Also when `stop` is set."""
        stopped = asyncio.ensure_future(stop.wait())
        coming = asyncio.ensure_future(self._coming.get())
        try:
            await asyncio.wait((stopped, coming), return_when=asyncio.FIRST_COMPLETED)
            while on_battery() and not stop.is_set():
                await asyncio.wait((stopped,), timeout=BATTERY_LOOK)
            if self._failed is not None:
                raise StorageError(
                    f"cannot be watched ({self._failed}); name fewer folders, or raise the limit"
                    " (`sysctl fs.inotify.max_user_watches=1048576`)"
                )
            changed = list(coming.result()) if coming.done() else []
            while not self._coming.empty():
                changed += self._coming.get_nowait()
            return tuple(dict.fromkeys(changed)) if len(changed) <= MANY else None
        finally:
            stopped.cancel()
            coming.cancel()

    async def close(self) -> None:
        """Nobody listens any more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))


def on_battery() -> bool:
    """Is it known that this machine runs on its battery?"""
    try:
        states = [(each / "online").read_text().strip() for each in POWER.iterdir() if (each / "online").exists()]
    except OSError:
        return False
    return bool(states) and "1" not in states
