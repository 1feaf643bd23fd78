"""Which pages are said to have changed? One small file, which a watch looks at twice a second.

Whoever is told of changes writes it, as a server is that may be another process. Each address stands there with the
time when it was told, for a day; a page that was visited since is done with it. So nothing has to be taken out: whoever
reads the file again, after a kill too, finds in its own rows what is left to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from gossamer import files
from gossamer.collection.steering import Steering, glance
from gossamer.errors import Damaged
from gossamer.printable import log
from gossamer.rows import Seconds
from gossamer.urls.keys import is_shaped

FILE = "pinged"
KEPT = 86_400.0
"""Seconds that an address stands there."""
MOST = 10_000
"""Addresses that it has; then the oldest goes."""
_read = msgspec.json.Decoder(dict[str, Seconds]).decode


def told(folder: Path) -> dict[str, float]:
    """When each was told. A file that says something else than it may is named and passed over."""
    try:
        said = _read(files.read(folder / FILE))
    except FileNotFoundError:
        return {}
    except (OSError, Damaged, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        log.warning("%s: cannot be read, and starts anew with the next ping: %s", folder / FILE, error)
        return {}
    return {url: when for url, when in said.items() if is_shaped(url)}


def tell(folder: Path, urls: Iterable[str], now: float) -> None:
    """These have changed by now, or are new."""
    with Steering(folder).alone():
        kept = {url: when for url, when in told(folder).items() if now - KEPT < when <= now}
        for url in urls:
            kept.pop(url, None)  # it is the newest from now on
            kept[url] = now
        try:
            files.replace(folder / FILE, msgspec.json.encode(dict([*kept.items()][-MOST:])), 0o600)
        except OSError as error:
            raise files.told(error, folder / FILE) from error


class PingWatch:
    """Has anybody spoken since the last look? To look costs one `stat`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: object = None
        self._told: dict[str, float] = {}

    def news(self) -> list[tuple[str, float]]:
        """What was told since the last look, and when."""
        now = glance(self._folder / FILE)
        if now == self._seen:
            return []
        self._seen, before = now, self._told
        self._told = told(self._folder)
        return [(url, when) for url, when in self._told.items() if before.get(url) != when]
