"""PowerPoint files of before 2007 (PPT): slides in the order of the presentation, the notes of each after it.

Our own reader of [MS-PPT], for there is none to be had but in whole office suites. As in newer files, masters are not
read, and what stands at the foot of slides stands once, at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import error as too_short
from struct import unpack_from
from typing import NamedTuple

from gossamer import tagged
from gossamer.convert.files.flow import Block, write
from gossamer.convert.files.ole import properties
from gossamer.convert.files.ole.compound import Broken, Compound
from gossamer.convert.files.page import About, Pointers, page_of, titled
from gossamer.convert.files.ppt.records import Record, Records
from gossamer.convert.files.ppt.text import Boxes, Link, Said
from gossamer.convert.source import Source
from gossamer.model import Page

_DOCUMENT, _SLIDE, _NOTES = 0x03E8, 0x03EE, 0x03F0
_LIST, _LISTED, _NOTES_OF = 0x0FF0, 0x03F3, 0x03F1
_LINKS, _LINK, _LINK_NUMBER, _STRING = 0x0409, 0x0FD7, 0x0FD3, 0x0FBA
_AROUND = 0x0FD9
_OF_SLIDES, _OF_NOTES = 0, 2
_FOOTER, _TARGET, _PLACE = 2, 1, 3


class _Slide(NamedTuple):
    """A slide as the document lists it."""

    record: Record
    number: int
    texts: tuple[Said, ...]
    """The texts of its outline, which its boxes may point to."""


def read(source: Source) -> Page:
    """What a presentation says."""
    pointers = Pointers(source.url)
    writer = tagged.Writer()
    try:
        compound = Compound(source.data)
        write(_Reading(Records(compound), pointers).blocks(), writer)
        html = writer.html()
        return page_of(source, html, titled(properties.about(compound), html), pointers)
    except Broken as error:
        return page_of(source, "", About(), problem=str(error))
    except too_short:
        return page_of(source, writer.html(), About(), pointers, "cut off or damaged")


class _Reading:
    def __init__(self, records: Records, pointers: Pointers) -> None:
        self._records = records
        self._pointers = pointers
        self._document = self._found(records.places.get(records.document), _DOCUMENT)

    def _found(self, offset: int | None, kind: int) -> Record | None:
        record = self._records.at(offset) if offset is not None else None
        return record if record and record.kind == kind else self._records.find(None, kind)

    def blocks(self) -> Iterator[Block]:
        boxes = Boxes(self._records, self._pointers, self._links())
        notes = self._notes()
        footers: dict[str, None] = {}
        for slide in self._slides():
            for said in sorted(boxes.inside(slide.record, slide.texts), key=lambda each: not each.is_title):
                yield from boxes.blocks(said)
            for record in notes.get(slide.number, ()):
                spoken = (said for said in boxes.inside(record, ()) if said.is_notes)
                yield from (Block("quote", block.line) for said in spoken for block in boxes.blocks(said))
            footers |= dict.fromkeys(self._footers(slide.record))
        if self._document:
            footers |= dict.fromkeys(self._footers(self._document))
        yield from (Block("paragraph", tagged.words(each)) for each in footers)

    def _slides(self) -> list[_Slide]:
        """In order; where the list of them is lost, as they lie in the file."""
        listed = list(self._listed(_OF_SLIDES, _SLIDE))
        if listed:
            return listed
        return [_Slide(record, 0, ()) for record in self._records.inside(None) if record.kind == _SLIDE]

    def _listed(self, instance: int, kind: int) -> Iterator[_Slide]:
        found = self._records.find(self._document, _LIST, instance) if self._document else None
        if found is None:
            return
        met: set[int] = set()
        outline: list[list[Record]] = []
        heads: list[tuple[int, int]] = []
        for record in self._records.inside(found):
            if record.kind == _LISTED:
                heads.append((unpack_from("<I", self._records.data, record.first)[0], _number(self._records, record)))
                outline.append([])
            elif outline:
                outline[-1].append(record)
        boxes = Boxes(self._records, self._pointers, {})
        for (reference, number), records in zip(heads, outline, strict=True):
            slide = self._records.at(self._records.places.get(reference, len(self._records.data)))
            if slide and slide.kind == kind and reference not in met:
                met.add(reference)
                yield _Slide(slide, number, tuple(boxes.said(records)))

    def _notes(self) -> dict[int, list[Record]]:
        """Notes by the number of the slide that they belong to."""
        found: dict[int, list[Record]] = {}
        for notes in self._listed(_OF_NOTES, _NOTES):
            if atom := self._records.find(notes.record, _NOTES_OF):
                slide = unpack_from("<I", self._records.data, atom.first)[0]
                found.setdefault(slide, []).append(notes.record)
        return found

    def _links(self) -> dict[int, Link]:
        links: dict[int, Link] = {}
        container = self._records.find(self._document, _LINKS) if self._document else None
        for record in self._records.inside(container) if container else ():
            atom = self._records.find(record, _LINK_NUMBER) if record.kind == _LINK else None
            if atom is None:
                continue
            texts = {
                each.instance: self._records.text(each) for each in self._records.inside(record) if each.kind == _STRING
            }
            number = unpack_from("<I", self._records.data, atom.first)[0]
            links[number] = texts.get(_TARGET, "") or texts.get(_PLACE, "")
        return links

    def _footers(self, outer: Record) -> Iterator[str]:
        for around in self._records.inside(outer):
            if around.kind == _AROUND and (footer := self._records.find(around, _STRING, _FOOTER)):
                yield self._records.text(footer)


def _number(records: Records, listed: Record) -> int:
    """What notes call a slide."""
    return int(unpack_from("<12xI", records.data, listed.first)[0])
