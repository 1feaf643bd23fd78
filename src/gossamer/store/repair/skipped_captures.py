"""Which captures lie in the archive, but could not be taken in? A mistake of ours costs the one page that it meets.

A capture is written before all that follows from it is done. Should something there break, nothing of it is committed,
and it would break again each time that the archive is rolled forward. So it is noted here, and passed over from then
on: it stays where it is, `verify` lists it, and a repair by a later version tries it again.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gossamer.errors import GossamerError
from gossamer.model import URL
from gossamer.rows import decoder
from gossamer.store.table.table import Table
from gossamer.store.warc.warc import date

MOST = 1_000
"""More than these are no odd pages: something is wrong altogether."""
_PREFIX = b"passed\0"
reason_of = decoder(str)


class Passed:
    """The notes of a shard, by address and moment."""

    def __init__(self, table: Table, family: str) -> None:
        self._table = table
        self._family = family
        self._known: set[bytes] | None = None

    def note(self, url: URL, began: float, reason: str) -> None:
        """It could not be taken in."""
        if len(self._keys()) >= MOST:
            raise GossamerError(
                f"{MOST:,} captures could not be taken in, the last of {url}: {reason}; nothing is lost, but only"
                " another version of the program can go on here"
            )
        key = _key(url, began)
        self._keys().add(key)
        self._table.put(self._family, key, msgspec.msgpack.encode(reason))

    def reason(self, url: URL, began: float) -> str | None:
        """Why it was passed over; None when it was not."""
        key = _key(url, began)
        if key not in self._keys():
            return None
        return reason_of(self._table.get(self._family, key) or b"\xa0")

    def clear(self, url: URL, began: float) -> None:
        """It was taken in after all."""
        key = _key(url, began)
        if key in self._keys():
            self._keys().remove(key)
            self._table.delete(self._family, key)

    def all(self) -> Iterator[tuple[URL, str]]:
        """Every address with the reason."""
        for key, data in self._table.scan(self._family, prefix=_PREFIX):
            url = key[len(_PREFIX) :].rpartition(b"\0")[0]
            yield url.decode(errors="replace"), reason_of(data)

    def _keys(self) -> set[bytes]:
        if self._known is None:
            self._known = {key for key, _ in self._table.scan(self._family, prefix=_PREFIX)}
        return self._known


def _key(url: URL, began: float) -> bytes:
    return _PREFIX + url.encode(errors="replace") + b"\0" + date(began).encode()
