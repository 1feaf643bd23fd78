"""The texts of slides: boxes in the order in which they are drawn, as blocks with links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from struct import unpack_from
from typing import NamedTuple, TypeAlias

from gossamer.convert.files.flow import Block
from gossamer.convert.files.line import PLAIN, Line
from gossamer.convert.files.page import Pointers
from gossamer.convert.files.ppt.records import Record, Records

_HEADER, _WIDE, _NARROW, _OUTLINE = 0x0F9F, 0x0FA0, 0x0FA8, 0x0F9E
_BOX = 0xF00D
_CLICK, _CLICK_ATOM, _CLICK_RANGE = 0x0FF2, 0x0FF3, 0x0FDF
_TITLES, _NOTES, _LISTS = (0, 6), 2, (1, 5, 7, 8)
_FIELDS = (0x0FD8, 0x0FF7, 0x0FF8, 0x0FF9, 0x0FFA)
"""Marks for the number of the slide, dates, header and footer, which stand in the text as one character."""

Link: TypeAlias = str


class Said(NamedTuple):
    """The text of a box."""

    kind: int
    text: str
    links: tuple[tuple[int, int, int], ...] = ()
    """From which character to which, and the number of the link."""

    @property
    def is_title(self) -> bool:
        return self.kind in _TITLES

    @property
    def is_notes(self) -> bool:
        return self.kind == _NOTES


class Boxes:
    """Reads boxes, and writes what they say."""

    def __init__(self, records: Records, pointers: Pointers, links: dict[int, Link]) -> None:
        self._records = records
        self._pointers = pointers
        self._links = links

    def inside(self, slide: Record, outline: tuple[Said, ...]) -> Iterator[Said]:
        """The texts of a slide. A box may point to the outline of the document instead of having a text."""
        for box in self._records.all_inside(slide, frozenset({_BOX})):
            if box.kind != _BOX:
                continue
            records = list(self._records.inside(box))
            pointed = next((each for each in records if each.kind == _OUTLINE), None)
            if pointed:
                number = unpack_from("<i", self._records.data, pointed.first)[0]
                if 0 <= number < len(outline):
                    yield outline[number]._replace(links=tuple(self._clicks(records)) or outline[number].links)
            else:
                yield from self.said(records)

    def said(self, records: Iterable[Record]) -> Iterator[Said]:
        """The texts that a list of records has; each begins with a header."""
        groups: list[list[Record]] = []
        for record in records:
            if record.kind == _HEADER:
                groups.append([])
            if groups:
                groups[-1].append(record)
        for group in groups:
            kind = unpack_from("<I", self._records.data, group[0].first)[0]
            yield Said(kind, self._text(group), tuple(self._clicks(group)))

    def _text(self, group: list[Record]) -> str:
        for record in group:
            if record.kind == _WIDE:
                return _without_fields(self._records, group, self._records.text(record))
            if record.kind == _NARROW:
                return _without_fields(self._records, group, self._records.bytes(record).decode("latin-1"))
        return ""

    def _clicks(self, group: list[Record]) -> Iterator[tuple[int, int, int]]:
        number = 0
        for record in group:
            if record.kind == _CLICK and (atom := self._records.find(record, _CLICK_ATOM)):
                number = unpack_from("<4xI", self._records.data, atom.first)[0]
            elif record.kind == _CLICK_RANGE and number:
                first, end = unpack_from("<ii", self._records.data, record.first)
                yield first, end, number
                number = 0

    def blocks(self, said: Said) -> Iterator[Block]:
        """What a box says, as blocks. Several paragraphs of a body are a list, as they look."""
        lines = list(self._lines(said))
        for line in lines:
            if said.is_title:
                yield Block("heading", line, 2)
            else:
                yield Block("item" if said.kind in _LISTS and len(lines) > 1 else "paragraph", line)

    def _lines(self, said: Said) -> Iterator[str]:
        at = 0
        for paragraph in said.text.split("\r"):
            line = Line()
            end = at + len(paragraph)
            for first, stop, href in _cut(at, end, said.links):
                text = said.text[first:stop].replace("\x0b", "\n")
                line.add(text, PLAIN, self._links.get(href, ""))
            at = end + 1
            if line.words():
                yield line.html(self._pointers)


def _without_fields(records: Records, group: list[Record], text: str) -> str:
    """The characters that stand for a number or a date are taken out; positions stay."""
    marks = [each for each in group if each.kind in _FIELDS and each.end - each.first >= 4]
    if not marks:
        return text
    places = {unpack_from("<I", records.data, each.first)[0] for each in marks}
    return "".join(" " if place in places else each for place, each in enumerate(text))


def _cut(first: int, end: int, links: tuple[tuple[int, int, int], ...]) -> Iterator[tuple[int, int, int]]:
    """A stretch of text in pieces, each with the number of its link, or 0."""
    at = first
    for begins, ends, number in sorted(links):
        begins, ends = max(begins, at), min(ends, end)
        if begins < ends:
            yield at, begins, 0
            yield begins, ends, number
            at = ends
    yield at, end, 0
