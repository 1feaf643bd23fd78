"""The characters of a Word file, in the order of the document: [MS-DOC] sections 2.4 and 2.8.

The stream WordDocument begins with the FIB, a list of where everything lies. The text lies in pieces, which a table
puts in order; each piece has one or two bytes for a character. Positions in the text count units of UTF-16, so a string
here has one character for each unit; `joined` makes proper text of it. Word 6 and 95 have a shorter FIB and one code
page for the whole text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from struct import error as too_short
from struct import unpack_from
from typing import NamedTuple

from gossamer.convert.files.ole.compound import Broken, Compound
from gossamer.convert.files.ole.properties import codec_of

_WORD_97, _WORD_6 = 0xA5EC, 0xA5DC
_COMPLEX, _ENCRYPTED, _SECOND_TABLE = 0x0004, 0x0100, 0x0200
_PAIRS = 0x9A
"""Where the pairs of offset and length begin in the FIB of Word 97."""
_CLX = 33
_OLD_CLX = 0x160
_REPEATED = 4
"""A file may use its bytes so many times for text; more is made to fill memory."""
_LANGUAGES = {0x04: 936, 0x11: 932, 0x12: 949, 0x19: 1251, 0x22: 1251, 0x23: 1251, 0x02: 1251, 0x08: 1253, 0x1F: 1254}
_LANGUAGES |= {0x0D: 1255, 0x01: 1256, 0x05: 1250, 0x15: 1250, 0x0E: 1250, 0x18: 1250, 0x1A: 1250, 0x25: 1257}
"""Code page by the low byte of a language, where it is not that of western Europe."""


class Stories(NamedTuple):
    """How many characters each part of the text has; they follow each other in this order."""

    main: int
    footnotes: int
    headers: int
    macros: int
    comments: int
    endnotes: int
    boxes: int
    header_boxes: int

    def spans(self) -> dict[str, tuple[int, int]]:
        """Where each begins and ends."""
        spans, at = {}, 0
        for name, length in self._asdict().items():
            spans[name] = (at, at + length)
            at += length
        return spans


class Piece(NamedTuple):
    """A run of characters that lie together in the file."""

    first: int
    """Position in the text."""
    end: int
    offset: int
    """Position in the file."""
    width: int
    """Bytes of a character."""
    change: int
    """What was changed in this piece since it was written."""


@dataclass(frozen=True, slots=True)
class WordFile:
    """A Word file that is ready to be read."""

    stream: bytes
    table: bytes
    old: bool
    """Word 6 or 95."""
    stories: Stories
    pieces: tuple[Piece, ...]
    changes: tuple[bytes, ...]
    """What `Piece.change` may point to."""
    text: str

    def part(self, number: int) -> bytes:
        """One of the structures that the FIB lists."""
        start, length = self.place(number)
        return self.table[start : start + length]

    def place(self, number: int) -> tuple[int, int]:
        """Where it lies in the table stream, and its length; nowhere in old files, whose lists are others."""
        if self.old or len(self.stream) < _PAIRS + 8 * number + 8:
            return 0, 0
        start, length = unpack_from("<II", self.stream, _PAIRS + 8 * number)
        return start, length


def opened(compound: Compound) -> WordFile:
    """Find the text of a document."""
    stream = compound.stream("WordDocument")
    try:
        mark, version, language, flags = unpack_from("<HHxxHxxH", stream)
        if mark not in (_WORD_97, _WORD_6):
            raise Broken("not a Word document, or of a version before 6")
        if flags & _ENCRYPTED:
            raise Broken("encrypted: it can only be read with its password")
        if mark == _WORD_6 or version < 0xC1:
            return _old(stream, flags, codec_of(_LANGUAGES.get(language & 0xFF, 1252)))
        table = compound.stream("1Table" if flags & _SECOND_TABLE else "0Table")
        stories = Stories(*(max(each, 0) for each in unpack_from("<8i", stream, 0x4C)))
        start, length = unpack_from("<II", stream, _PAIRS + 8 * _CLX)
        pieces, changes = _pieces(table[start : start + length])
        return _file(stream, table, stories, pieces or _whole(stream, stories, 1), changes)
    except too_short:
        raise Broken("cut off before its text is described") from None


def _old(stream: bytes, flags: int, codec: str) -> WordFile:
    stories = Stories(*(max(each, 0) for each in unpack_from("<8i", stream, 0x34)))
    pieces: tuple[Piece, ...] = ()
    changes: tuple[bytes, ...] = ()
    if flags & _COMPLEX:
        start, length = unpack_from("<II", stream, _OLD_CLX)
        pieces, changes = _pieces(stream[start : start + length], old=True)
    return _file(stream, stream, stories, pieces or _whole(stream, stories, 1), changes, old_codec=codec)


def _whole(stream: bytes, stories: Stories, width: int) -> tuple[Piece, ...]:
    """A file without a table of pieces has its text in one."""
    (offset,) = unpack_from("<I", stream, 0x18)
    return (Piece(0, sum(stories), offset, width, 0),)


def _file(
    stream: bytes,
    table: bytes,
    stories: Stories,
    pieces: tuple[Piece, ...],
    changes: tuple[bytes, ...],
    old_codec: str = "",
) -> WordFile:
    text = "".join(_characters(stream, pieces, sum(stories), old_codec))
    return WordFile(stream, table, bool(old_codec), stories, pieces, changes, text)


def _characters(stream: bytes, pieces: tuple[Piece, ...], wanted: int, old_codec: str) -> Iterator[str]:
    """The text of each piece, as long as the piece says; what the file has not is replaced by spaces."""
    left, at = _REPEATED * len(stream) + 1_024, 0
    for piece in pieces:
        length = min(piece.end, wanted) - piece.first
        if length <= 0 or piece.first != at:
            break
        left -= length
        if left < 0:
            raise Broken("its text is longer than the file")
        data = stream[piece.offset : piece.offset + length * piece.width]
        yield (_units(data) if piece.width == 2 else _bytewise(data, old_codec or "cp1252")).ljust(length)
        at += length


def _units(data: bytes) -> str:
    text = data[: len(data) & ~1].decode("utf-16-le", "surrogatepass")
    if len(text) * 2 == len(data):
        return text
    return "".join(map(chr, unpack_from(f"<{len(data) // 2}H", data)))


def _bytewise(data: bytes, codec: str) -> str:
    """Text of which each byte is one position. Where two bytes make a character, a space that is dropped follows it."""
    text = data.decode(codec, "replace")
    if len(text) == len(data):
        return text
    return "".join(each + "\u200b" * (len(each.encode(codec, "replace")) - 1) for each in text)[: len(data)]


def joined(text: str) -> str:
    """Proper text from units of UTF-16."""
    if "\u200b" in text:
        text = text.replace("\u200b", "")
    if any("\ud800" <= each <= "\udfff" for each in text):
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _pieces(clx: bytes, *, old: bool = False) -> tuple[tuple[Piece, ...], tuple[bytes, ...]]:
    """The table of pieces, and the changes that stand before it."""
    changes, at = [], 0
    while at < len(clx) and clx[at] == 1:
        (length,) = unpack_from("<H", clx, at + 1)
        changes.append(clx[at + 3 : at + 3 + length])
        at += 3 + length
    if at >= len(clx) or clx[at] != 2:
        return (), tuple(changes)
    body = clx[at + 5 : at + 5 + unpack_from("<I", clx, at + 1)[0]]
    count = max((len(body) - 4) // 12, 0)
    positions = unpack_from(f"<{count + 1}I", body)
    found = []
    for number in range(count):
        offset, change = unpack_from("<IH", body, 4 * (count + 1) + 8 * number + 2)
        narrow = old or bool(offset & 0x40000000)
        place = offset if old else (offset & 0x3FFFFFFF) // (2 if narrow else 1)
        found.append(Piece(positions[number], positions[number + 1], place, 1 if narrow else 2, change))
    return tuple(found), tuple(changes)
