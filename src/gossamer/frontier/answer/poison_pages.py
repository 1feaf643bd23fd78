"""Which page kills us? The page that is being read is noted where a kill cannot erase it.

A shard that dies is started again, fetches what was in flight again, and dies again if a page was the reason: a bug in
a parser, or more memory than there is. So the address lies in a mapped file while its page is read. Whoever finds one
there at the start knows what the last life ended on. One death may be chance; a page of which everything was made
is forgiven, and one that was being read at three deaths is not read any more.

The note is also the heartbeat of a shard. Whatever else takes long (a large commit, what a crash has left, a build) is
work that ends; reading a page is what strangers can make endless. So `Watch` looks whether it is still the same page.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from gossamer.frontier.entries import META, encode
from gossamer.model import URL
from gossamer.rows import decoder
from gossamer.store.mapped import Mapped
from gossamer.store.table.table import Table

READING = "reading"
"""The file, in the folder of a shard."""
DEADLY = "the process died each time it read this page"
"""What is said of a page that is left alone."""
DEATHS = 3
"""From so many on, a page is left alone."""
MOST = 1_000
"""PoisonPages that are remembered; the oldest with the fewest deaths goes first."""
ROOM = 8_176
"""Bytes of an address that are noted. With a word that says how many they are before, and the turn behind, two pages of
memory."""
SIZE = 8 + ROOM + 8

_WORD = (1 << 64) - 1
deaths_of = decoder(dict[bytes, int])


class PoisonPages:
    """A note of what is being read, and the deaths that are remembered: the row `suspects`.

    The last death counts with the first commit; it belongs before the first page is read.
    """

    def __init__(self, path: Path, table: Table) -> None:
        self._table = table
        self._file = Mapped(path, SIZE)
        self._memory = memoryview(self._file.memory)
        self._length = self._memory[:8].cast("Q")
        self._turn = self._memory[8 + ROOM :].cast("Q")
        self._turn[0] = (self._turn[0] + 1) & _WORD
        stored = table.get(META, b"suspects")
        self._deaths = deaths_of(stored) if stored else {}
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

    def forgive(self, url: URL) -> None:
        """It was read, and all was made of it; or another reader may live through it."""
        if self._deaths and self._deaths.pop(url.encode()[:ROOM], 0):
            self._save()

    def reading(self, url: URL) -> PoisonPages:
        """A context in which a page is read, or something is made of what it says: one page at a time."""
        page = url.encode()[:ROOM]
        self._memory[8 : 8 + len(page)] = page
        self._turn[0] = (self._turn[0] + 1) & _WORD
        self._length[0] = len(page)  # one word, and the last: before it is there, nothing is noted
        return self

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self._length[0] = 0

    def close(self) -> None:
        """Give the file free."""
        self._length.release()
        self._turn.release()
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


class Watch:
    """Which shard reads the same page for too long? For who is in charge of them, and looks again and again.

    Looks are counted, and not time: nobody is blamed because the machine slept, or because who looks was held up.
    """

    def __init__(self, paths: Sequence[Path], looks: int) -> None:
        """`paths`: the notes of all shards. So many looks at the same page are too many."""
        self._files = [Mapped(path, SIZE) for path in paths]
        self._looks = looks
        self._waiting_origins = [_turn(file) for file in self._files]
        """The last that was seen. What stands there at the beginning, or after a kill, is of a life that is over."""
        self._seen = [looks + 1] * len(self._files)

    def stuck(self, index: int) -> URL | None:
        """The page that a shard cannot get over, at this look; said once."""
        file = self._files[index]
        turn, length = _turn(file), int.from_bytes(file.memory[:8], sys.byteorder)
        if turn != self._waiting_origins[index] or not 0 < length <= ROOM:
            self._waiting_origins[index], self._seen[index] = turn, 0
            return None
        self._seen[index] += 1
        return bytes(file.memory[8 : 8 + length]).decode(errors="replace") if self._seen[index] == self._looks else None

    def close(self) -> None:
        """No more looks."""
        for file in self._files:
            file.close()


def _turn(file: Mapped) -> int:
    return int.from_bytes(file.memory[8 + ROOM : SIZE], sys.byteorder)
