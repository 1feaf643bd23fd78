"""Which page kills us? The page that is being read is noted where a kill cannot erase it.

A shard that dies is started again, fetches what was in flight again, and dies again if a page was the reason: a bug in
a parser, or more memory than there is. So the address lies in a mapped file while its page is read. Whoever finds one
there at the start knows what the last life ended on. One death may be chance; a page that was read to its end is
cleared, and one that was being read at three deaths is not read any more.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from gossamer.frontier.entries import META, encode
from gossamer.model import URL
from gossamer.store.mapped import Mapped
from gossamer.store.table import Table

DEATHS = 3
"""From so many on, a page is left alone."""
MOST = 1_000
"""Suspects that are remembered; the oldest with the fewest deaths goes first."""
ROOM = 8_184
"""Bytes of an address that are noted. With the word that says how many they are, two pages of memory."""

_deaths = msgspec.msgpack.Decoder(dict[bytes, int]).decode


class Suspects:
    """A note of what is being read, and the deaths that are remembered: the row `suspects`.

    The last death counts with the first commit; it belongs before the first page is read.
    """

    def __init__(self, path: Path, table: Table) -> None:
        self._table = table
        self._file = Mapped(path, 8 + ROOM)
        self._memory = memoryview(self._file.memory)
        self._length = self._memory[:8].cast("Q")
        stored = table.get(META, b"suspects")
        self._deaths = _deaths(stored) if stored else {}
        self._page = b""
        self._died_on = self._noted()
        self._length[0] = 0
        if self._died_on:
            self._add(self._died_on)

    def died_on(self) -> URL | None:
        """The page that was being read when the last life of this shard was cut short."""
        return self._died_on.decode(errors="replace") or None

    def quarantined(self, url: URL) -> bool:
        """Whether a page is not to be read, because too many lives ended on it."""
        return bool(self._deaths) and self._deaths.get(url.encode()[:ROOM], 0) >= DEATHS

    def reading(self, url: URL) -> Suspects:
        """A context in which a page is read: one at a time."""
        self._page = page = url.encode()[:ROOM]
        self._memory[8 : 8 + len(page)] = page
        self._length[0] = len(page)  # one word, and the last: before it is there, nothing is noted
        return self

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._length[0] = 0
        if self._deaths and kind is None and self._deaths.pop(self._page, 0):
            self._save()

    def close(self) -> None:
        """Give the file free."""
        self._length.release()
        self._memory.release()
        self._file.close()

    def _noted(self) -> bytes:
        length = self._length[0]
        return bytes(self._memory[8 : 8 + length]) if length <= ROOM else b""

    def _add(self, page: bytes) -> None:
        count = self._deaths.pop(page, 0)
        if len(self._deaths) >= MOST:
            del self._deaths[min(self._deaths, key=lambda each: self._deaths[each])]
        self._deaths[page] = count + 1
        self._save()

    def _save(self) -> None:
        self._table.put(META, b"suspects", encode(self._deaths))
