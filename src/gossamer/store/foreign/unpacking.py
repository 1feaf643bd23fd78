"""The bytes of a file that somebody else wrote, unpacked as they are read: plain, or packed in one of `packings`.

Files of archives are many packed pieces one behind the other, by rule one for each record. Here any cut will do, and
who reads learns whether the rule was kept. Memory does not depend on the size of pieces or records, nor on what a few
bytes unpack to: a slice is unpacked at a time. Damage is raised as `Broken`; `resume` goes on at the next piece that
can be one. A file that ends in the middle of a piece is read up to there, and then `skip_blank` tells.
"""

from __future__ import annotations

import re
from collections import deque
from typing import BinaryIO

from gossamer.store.foreign.packings import CANNOT, Piece, Unusable, packing_of

CHUNK = 64 << 10
FREE, RATIO = 1 << 30, 1_000
"""What a file may unpack to: so many bytes, and so many for each of its own. More is a bomb, and not read on."""
_AFTER = 4
_FAR = 1 << 62
_BEGINS_MOST = 64
"""Bytes in which is seen how a piece begins."""
_VISIBLE = re.compile(rb"[^\r\n \t]")


class Broken(Exception):
    """What comes cannot be unpacked, or ends too soon."""

    def __init__(self, offset: int, words: str) -> None:
        super().__init__(words)
        self.offset = offset
        self.words = words


class Unpacking:
    """Reads on from an offset at which a piece begins."""

    def __init__(self, file: BinaryIO, start: int = 0) -> None:
        self._file = file
        file.seek(0)
        try:
            self._packing = packing_of(file)
        except Unusable as unusable:
            raise Broken(0, str(unusable)) from None
        self._unpacked_bytes, self._start = 0, max(start, self._packing.begins if self._packing else 0)
        self._begin(self._start)

    def _begin(self, offset: int) -> None:
        self._file.seek(offset)
        self._raw, self._raw_at = b"", 0
        self._raw_end = offset
        self._piece: Piece | None = None
        self._clipped = False
        """The file has ended in the middle of a piece."""
        self._data, self._at = b"", 0
        self._end = 0
        """Unpacked bytes up to the end of `_data`."""
        self._pieces: deque[tuple[int, int]] = deque([(0, offset)])
        """Where pieces begin: among the unpacked bytes, and in the file."""

    # -------------------------------------------------------------------- where

    @property
    def start(self) -> int:
        """The offset in the file at which reading began."""
        return self._start

    @property
    def packed(self) -> bool:
        """It is not a plain file."""
        return self._packing is not None

    @property
    def offset(self) -> int:
        """Of the next byte in the file; of a packed one, where its piece begins."""
        self._pass()
        return self._pieces[0][1] + (0 if self.packed else self.passed)

    @property
    def at_start(self) -> bool:
        """The next byte is the first of its piece."""
        self._pass()
        return self._pieces[0][0] == self.passed

    @property
    def passed(self) -> int:
        """Unpacked bytes that were passed."""
        return self._end - len(self._data) + self._at

    def _pass(self) -> None:
        if self._at == len(self._data) and self.packed:
            self._fill()
        while len(self._pieces) > 1 and self._pieces[1][0] <= self.passed:
            self._pieces.popleft()

    # --------------------------------------------------------------------- read

    def peek(self, size: int) -> bytes:
        """Up to so many of the next bytes, which stay."""
        if len(self._data) - self._at < size:
            self._fill(size)
        return self._data[self._at : self._at + size]

    def until(self, pattern: re.Pattern[bytes], most: int, overlap: int = 64) -> bytes | None:
        """All up to a match and with it; None when none comes soon enough. No match is longer than `overlap`."""
        searched = self._at
        while (end := pattern.search(self._data, searched)) is None:
            held = len(self._data) - self._at
            if held > most or not self._fill(2 * held):
                return None
            searched = max(held - overlap, 0)
        found = self._data[self._at : end.end()]
        self._at = end.end()
        return found

    def back(self, size: int) -> None:
        """So many of the bytes that `until` gave last come again."""
        self._at -= size

    def unread(self, data: bytes) -> None:
        """Bytes that `take` gave last come again."""
        self._data, self._at = data + self._data[self._at :], 0

    def take(self, size: int, begins: re.Pattern[bytes] | None = None) -> bytes:
        """So many bytes; fewer at the end of the file, or before a packed piece that is as in `begins`."""
        parts = []
        while size > 0 and (step := min(size, self._clear(begins))):
            parts.append(self._data[self._at : self._at + step])
            self._at += step
            size -= step
        return b"".join(parts)

    def skip(self, size: int, begins: re.Pattern[bytes] | None = None) -> int:
        """Pass over so many bytes; gives how many there were before the end or such a piece."""
        left = size
        while left > 0 and (step := min(left, self._clear(begins))):
            self._at += step
            left -= step
        return size - left

    def _clear(self, begins: re.Pattern[bytes] | None) -> int:
        """How many bytes can be had at once; none at the end of the file, or where a piece is as in `begins`."""
        if self._at == len(self._data) and not self._fill():
            return 0
        if begins is not None and self.packed:
            if self.at_start and begins.match(self.peek(_BEGINS_MOST)):
                return 0
            here = self.passed
            ahead = (start for start, _ in self._pieces if start > here)
            return min(len(self._data) - self._at, next(ahead, self._end) - here)
        return len(self._data) - self._at

    def skip_blank(self) -> bool:
        """Pass over empty lines; False at the end of the file, Broken where that is in the middle of a piece."""
        while (found := _VISIBLE.search(self._data, self._at)) is None:
            self._at = len(self._data)
            if not self._fill():
                if self._clipped:
                    raise Broken(self._pieces[-1][1], "the file ends in the middle of a packed piece")
                return False
        self._at = found.start()
        return True

    def skip_to(self, pattern: re.Pattern[bytes], overlap: int) -> bool:
        """Pass over all before the next match; False when there is none.

        A pattern for a line begins with the newline before it, which is passed over too: with a look back in its place
        it takes 20 times as long. No match is longer than `overlap` bytes.
        """
        while True:
            found = pattern.search(self._data, max(self._at - 1, 0))
            if found:
                self._at = found.start() + found[0].startswith(b"\n")
                return True
            self._at = max(self._at, len(self._data) - overlap)
            if not self._fill():
                self._at = len(self._data)
                return False

    def believed(self, length: int, ends: re.Pattern[bytes], begins: re.Pattern[bytes], overlap: int) -> int:
        """The length of a block that is said to be so long: in a plain file, no longer than to the next record.

        That is only looked for when the last byte of the block and what follows is not as in `ends`, since a record may
        hold others.
        """
        if self.packed or not length or ends.fullmatch(self._ahead(length - 1, 1 + _AFTER)):
            return length
        start = self.offset
        found = self.offset - start if self.skip_to(begins, overlap) else length
        self._begin(start)
        return min(found, length)

    def _ahead(self, distance: int, size: int) -> bytes:
        """Bytes of a plain file that come later."""
        if self._at + distance + size <= len(self._data):
            return self._data[self._at + distance : self._at + distance + size]
        back = self._file.tell()
        self._file.seek(min(self.offset + distance, _FAR))
        found = self._file.read(size)
        self._file.seek(back)
        return found

    def resume(self) -> bool:
        """After damage: go on at what may be the next piece. False when there is none."""
        position = self._pieces[-1][1] + 1
        while self._packing and not self._is_bomb:
            self._file.seek(position)
            chunk = self._file.read(CHUNK)
            found = chunk.find(self._packing.magic)
            if found >= 0:
                self._begin(position + found)
                return True
            if len(chunk) < CHUNK:
                break
            position += len(chunk) - len(self._packing.magic) + 1
        self._begin(self._file.seek(0, 2))
        return False

    # --------------------------------------------------------------------- fill

    def _fill(self, size: int = 0) -> bool:
        """Have at least so many bytes, and more than now; False at the end of the file."""
        parts = [self._data[self._at :]]
        held = before = len(parts[0])
        try:
            while held <= max(before, size - 1) and (more := self._more()):
                parts.append(more)
                held += len(more)
        finally:  # what came before damage is sound
            self._data, self._at = b"".join(parts), 0
        return held > before

    def _more(self) -> bytes:
        more = self._unpacked() if self.packed else self._file.read(CHUNK)
        self._end += len(more)
        self._unpacked_bytes += len(more)
        if self._is_bomb:
            raise Broken(self._pieces[-1][1], "unpacks to a thousand times its size; the rest of the file is not read")
        return more

    @property
    def _is_bomb(self) -> bool:
        return self._unpacked_bytes > FREE + RATIO * max(self._raw_end - self._start, 0) and self.packed

    def _unpacked(self) -> bytes:
        while (self._piece and self._piece.holds_more) or self._raw_at < len(self._raw) or self._read():
            piece = self._piece = self._piece or self._open_piece()
            try:
                more, used = piece.unpack(memoryview(self._raw)[self._raw_at :])
            except CANNOT as error:
                raise Broken(self._pieces[-1][1], f"cannot be unpacked: {error}") from None
            self._raw_at += used
            if piece.is_over:
                self._piece = None
            if more:
                return more
        self._clipped = self._piece is not None
        return b""

    def _read(self) -> bool:
        self._raw, self._raw_at = self._file.read(CHUNK), 0
        self._raw_end += len(self._raw)
        return bool(self._raw)

    def _open_piece(self) -> Piece:
        where = (self._end, self._raw_end - len(self._raw) + self._raw_at)
        if self._pieces[-1][0] == where[0]:
            self._pieces.pop()
        self._pieces.append(where)
        assert self._packing is not None
        return self._packing.piece()
