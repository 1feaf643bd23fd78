"""PDF files through pypdfium2: Chromium's PDF engine, the best text of all that were compared, at a few milliseconds.

Imported here alone, and only in the process where files are read: it is compiled code that reads hostile input. What it
gives is lines of characters in the order of the file, with the place and the size of each line; `layout` makes text
of them.
"""

from __future__ import annotations

import ctypes
import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from math import hypot

import pypdfium2  # type: ignore[import-untyped]  # it ships no types
import pypdfium2.raw as raw  # type: ignore[import-untyped]  # like the above

from gossamer.convert.files.mail.letter import Attached
from gossamer.convert.files.ole.compound import Broken
from gossamer.convert.files.pdf.lines import Line, PdfPage

_PASSWORD = 4
_LINE_ENDS = re.compile("\r\n|\ufffe|\x02")
"""A word that was divided at the end of a line has a mark there instead of its hyphen."""
_SURROGATE = re.compile("[\ud800-\udfff\0]")
"""Halves of characters, of which the engine loses the other half."""
_STEPS = (0.1, 0.25, 0.5)
"""Of its width: how far inside a link its first and last character are looked for."""
_LINES_MOST = 20_000
"""Of one page."""
_ANNOTATIONS_MOST = 5_000
_ADDRESS_MOST = 4_096
_NOTE_MOST = 20_000
_OUTLINE_MOST = 2_000
_FILES_MOST = 50
_FILE_MOST = 16 << 20
_PICTURE = 3
_NOTED = (raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_FREETEXT)
_BOXES_MOST = 200
"""Of a line; with more, its characters are looked at one by one."""
_GAP = 1.2
"""Of its size: what stands so far apart on a line belongs to two columns."""


class Pdf:
    """A PDF file that is open."""

    def __init__(self, data: bytes) -> None:
        try:
            self._file = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            locked = error.err_code == _PASSWORD
            raise Broken(
                "encrypted: it can only be read with its password" if locked else "not a PDF file, or damaged"
            ) from None
        self._filled = raw.FPDF_GetFormType(self._file) != raw.FORMTYPE_NONE

    def __len__(self) -> int:
        return len(self._file)

    def close(self) -> None:
        """Give its memory back."""
        self._file.close()

    def said(self, name: str) -> str:
        """What the file says about itself: Title, Author, CreationDate, ModDate."""
        return str(self._file.get_metadata_value(name))

    def outline(self) -> Iterator[tuple[int, str]]:
        """The table of contents that a reader shows beside the text: level, title."""
        for number, mark in enumerate(self._file.get_toc(max_depth=6)):
            if number >= _OUTLINE_MOST:
                return
            yield mark.level, mark.get_title()

    def files(self) -> Iterator[Attached]:
        """The files that are attached to it as a whole."""
        for number in range(min(self._file.count_attachments(), _FILES_MOST)):
            yield _attached(raw.FPDFDoc_GetAttachment(self._file, number))

    def page(self, number: int) -> PdfPage:
        """Read a page."""
        try:
            page = self._file[number]
        except pypdfium2.PdfiumError:
            return PdfPage([], 0, [], [])
        try:
            return self._page(page)
        finally:
            page.close()

    def _page(self, page: pypdfium2.PdfPage) -> PdfPage:
        seen = _Annotations(page)
        if self._filled and seen.filled:
            raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY)  # what was typed into a form becomes part of the page
        text = page.get_textpage()
        try:
            lines = list(islice(_Reading(text, seen.links).lines(), _LINES_MOST))
        except pypdfium2.PdfiumError:
            lines = []
        finally:
            text.close()
        pictures = not lines and any(True for _ in page.get_objects([_PICTURE], max_depth=3))
        return PdfPage(lines, page.get_height(), seen.notes, seen.files, pictures)


class _Annotations:
    """What lies on a page: links, notes, attached files, fields of forms."""

    def __init__(self, page: pypdfium2.PdfPage) -> None:
        self.links: list[tuple[tuple[float, float, float, float], str]] = []
        self.notes: list[str] = []
        self.files: list[Attached] = []
        self.filled = False
        for number in range(min(raw.FPDFPage_GetAnnotCount(page), _ANNOTATIONS_MOST)):
            if annotation := raw.FPDFPage_GetAnnot(page, number):
                self._take(page, annotation)
                raw.FPDFPage_CloseAnnot(annotation)

    def _take(self, page: pypdfium2.PdfPage, annotation: raw.FPDF_ANNOTATION) -> None:
        kind = raw.FPDFAnnot_GetSubtype(annotation)
        if kind == raw.FPDF_ANNOT_LINK:
            self._take_link(page, annotation)
        elif kind in _NOTED:
            if note := _string(annotation, b"Contents"):
                self.notes.append(note)
        elif kind == raw.FPDF_ANNOT_FILEATTACHMENT and len(self.files) < _FILES_MOST:
            self.files.append(_attached(raw.FPDFAnnot_GetFileAttachment(annotation)))
        self.filled = self.filled or kind == raw.FPDF_ANNOT_WIDGET

    def _take_link(self, page: pypdfium2.PdfPage, annotation: raw.FPDF_ANNOTATION) -> None:
        box = raw.FS_RECTF()
        action = raw.FPDFLink_GetAction(raw.FPDFAnnot_GetLink(annotation))
        if not action or not raw.FPDFAnnot_GetRect(annotation, box):
            return
        buffer = ctypes.create_string_buffer(_ADDRESS_MOST)
        size = raw.FPDFAction_GetURIPath(page.pdf, action, buffer, _ADDRESS_MOST)
        if 1 < size <= _ADDRESS_MOST:
            href = buffer.raw[: size - 1].decode("utf-8", "replace")
            left, right = sorted((box.left, box.right))
            low, high = sorted((box.bottom, box.top))
            self.links.append(((left, low, right, high), href))


class _Reading:
    """The text of a page, cut into lines."""

    def __init__(self, text: pypdfium2.PdfTextPage, links: list[tuple[tuple[float, float, float, float], str]]) -> None:
        self._text = text
        self._count = text.count_chars()
        self._links = sorted((*self._written(), *self._drawn(links)))
        self._link_starts = [first for first, _, _ in self._links]
        self._box = [ctypes.c_double() for _ in range(4)]
        self._origin = (ctypes.c_double(), ctypes.c_double())
        self._matrix = raw.FS_MATRIX()

    def lines(self) -> Iterator[Line]:
        characters = self._characters()
        at = 0
        for found in _LINE_ENDS.finditer(characters):
            yield from self._line(characters, at, found.start(), divided=found[0] != "\r\n")
            at = found.end()
        yield from self._line(characters, at, len(characters))

    def _characters(self) -> str:
        """One character for each that the engine counts; it has two ways to give them, a fast one and a right one."""
        buffer = (ctypes.c_ushort * (2 * self._count + 2))()
        size = raw.FPDFText_GetText(self._text, 0, self._count, buffer) if self._count else 1
        if size - 1 == self._count:
            text = bytes(buffer)[: 2 * self._count].decode("utf-16-le", "surrogatepass")
            if len(text) == self._count:
                return text
        return "".join(chr(raw.FPDFText_GetUnicode(self._text, number)) for number in range(self._count))

    def _line(self, characters: str, first: int, end: int, *, divided: bool = False) -> Iterator[Line]:
        """A line; several, where there are gaps in it that are too wide for spaces."""
        text = characters[first:end]
        first += len(text) - len(text.lstrip())
        end -= len(text) - len(text.rstrip())
        if first >= end:
            return
        cuts = self._gaps(characters, first, end)
        starts, stops = [first, *(after for _, after in cuts)], [*(before for before, _ in cuts), end]
        for number, (start, stop) in enumerate(zip(starts, stops, strict=True)):
            yield self._placed(characters, start, stop, divided=divided and stop == end, follows=number > 0)

    def _placed(self, characters: str, first: int, end: int, *, divided: bool, follows: bool) -> Line:
        left, right, base = self._left(first), self._right(end - 1), self._base(first)
        size = self._size(first)
        near = slice(bisect_left(self._link_starts, first - _ADDRESS_MOST), bisect_left(self._link_starts, end))
        links = tuple(
            (max(begins, first) - first, min(stops, end) - first, href)
            for begins, stops, href in self._links[near]
            if stops > first
        )
        text = _SURROGATE.sub("", characters[first:end])
        return Line(text, left, max(left, right), base, size, divided, links, follows)

    def _gaps(self, characters: str, first: int, end: int) -> list[tuple[int, int]]:
        """Spaces so wide that they part columns or cells: from which character to which."""
        if " " not in characters[first:end]:
            return []
        size = self._size(first)
        width = self._right(end - 1) - self._left(first)
        if width < 0.75 * size * (end - first) and not self._torn(first, end, _GAP * size):
            return []
        found = []
        for space in re.finditer(" +", characters[first:end]):
            before, after = first + space.start(), first + space.end()
            if self._left(after) - self._right(before - 1) > _GAP * size:
                found.append((before, after))
        return found

    def _torn(self, first: int, end: int, least: float) -> bool:
        """Do the boxes that the line consists of leave a gap?"""
        count = int(raw.FPDFText_CountRects(self._text, first, end - first))
        if count > _BOXES_MOST:
            return True
        boxes = sorted(map(self._rect, range(count)))
        reach = boxes[0][1] if boxes else 0.0
        for left, right in boxes:
            if left - reach > least:
                return True
            reach = max(reach, right)
        return False

    def _rect(self, number: int) -> tuple[float, float]:
        left, top, right, bottom = self._box
        raw.FPDFText_GetRect(self._text, number, left, top, right, bottom)
        return left.value, right.value

    def _size(self, number: int) -> float:
        """As it is drawn: fonts of size 1 are common, made larger by what is around them."""
        size = raw.FPDFText_GetFontSize(self._text, number)
        if raw.FPDFText_GetMatrix(self._text, number, self._matrix):
            size *= hypot(self._matrix.c, self._matrix.d)
        return float(size) or 1.0

    def _left(self, number: int) -> float:
        raw.FPDFText_GetCharBox(self._text, number, *self._box)
        return float(self._box[0].value)

    def _right(self, number: int) -> float:
        raw.FPDFText_GetCharBox(self._text, number, *self._box)
        return float(self._box[1].value)

    def _base(self, number: int) -> float:
        raw.FPDFText_GetCharOrigin(self._text, number, *self._origin)
        return float(self._origin[1].value)

    def _written(self) -> Iterator[tuple[int, int, str]]:
        """Addresses that stand in the text."""
        links = raw.FPDFLink_LoadWebLinks(self._text)
        first, count = ctypes.c_int(), ctypes.c_int()
        buffer = (ctypes.c_ushort * _ADDRESS_MOST)()
        for number in range(min(raw.FPDFLink_CountWebLinks(links), _ANNOTATIONS_MOST)):
            size = raw.FPDFLink_GetURL(links, number, buffer, _ADDRESS_MOST)
            if size > 1 and raw.FPDFLink_GetTextRange(links, number, first, count):
                href = bytes(buffer)[: 2 * (size - 1)].decode("utf-16-le", "replace")
                yield first.value, first.value + min(count.value, _ADDRESS_MOST), href
        raw.FPDFLink_CloseWebLinks(links)

    def _drawn(self, links: list[tuple[tuple[float, float, float, float], str]]) -> Iterator[tuple[int, int, str]]:
        """Links that were put on places of the page: the characters that stand there."""
        for (left, low, right, high), href in links:
            middle, reach = (low + high) / 2, max((high - low) / 2, 1.0)
            steps = [min((right - left) / 4, 1.0), *((right - left) * share for share in _STEPS)]
            first = self._nearest([left + step for step in steps], middle, reach)
            last = self._nearest([right - step for step in steps], middle, reach)
            if 0 <= first <= last < first + _ADDRESS_MOST:
                yield first, last + 1, href

    def _nearest(self, places: list[float], height: float, reach: float) -> int:
        """The character at the first of these places where there is one; -1 for none."""
        for place in places:
            found = int(raw.FPDFText_GetCharIndexAtPos(self._text, place, height, 2.0, reach))
            if found >= 0:
                return found
        return -1


def _string(annotation: raw.FPDF_ANNOTATION, name: bytes) -> str:
    size = min(raw.FPDFAnnot_GetStringValue(annotation, name, None, 0), 2 * _NOTE_MOST)
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    raw.FPDFAnnot_GetStringValue(annotation, name, buffer, size)
    return bytes(buffer)[: max(size - 2, 0)].decode("utf-16-le", "replace").replace("\r", "\n").strip()


def _attached(attachment: raw.FPDF_ATTACHMENT) -> Attached:
    if not attachment:
        return Attached("", b"")
    size = min(raw.FPDFAttachment_GetName(attachment, None, 0), 2_048)
    name = (ctypes.c_ushort * (size // 2 + 1))()
    raw.FPDFAttachment_GetName(attachment, name, size)
    length = ctypes.c_ulong()
    raw.FPDFAttachment_GetFile(attachment, None, 0, length)
    if not 0 < length.value <= _FILE_MOST:
        return Attached(bytes(name)[: max(size - 2, 0)].decode("utf-16-le", "replace"), b"")
    buffer = ctypes.create_string_buffer(length.value)
    raw.FPDFAttachment_GetFile(attachment, buffer, length.value, length)
    return Attached(bytes(name)[: max(size - 2, 0)].decode("utf-16-le", "replace"), buffer.raw)
