"""A body on its way in: as much of it as is of use."""

from __future__ import annotations

from gossamer.fetch.no_media_type import LOOKED_AT
from gossamer.fetch.protocols.asking import Ask


class Incoming:
    """Takes pieces until it has enough, and one more: so it is known that there was more."""

    def __init__(self, ask: Ask, media_type: str = "") -> None:
        """Without a media type the first bytes tell how much is wanted."""
        self._ask = ask
        self._most = ask.enough(media_type, b"") if media_type else None
        self._pieces: list[bytes] = []
        self._read = 0

    def take(self, piece: bytes) -> bool:
        """Is more wanted? In a thread: where there is no room for it, it waits there."""
        self._ask.course.wait_for_room(len(piece))
        return self.add(piece)

    def add(self, piece: bytes) -> bool:
        """The same for somebody who has waited for room."""
        self._ask.course.came(len(piece))
        self._pieces.append(piece)
        self._read += len(piece)
        if self._most is None and self._read >= LOOKED_AT:
            self._most = self._ask.enough("", self.body()[:LOOKED_AT])
        return not self.is_cut

    @property
    def is_cut(self) -> bool:
        """More has come than is of use."""
        return self._read > (self._ask.most if self._most is None else self._most)

    def body(self) -> bytes:
        """All that came."""
        return b"".join(self._pieces)
