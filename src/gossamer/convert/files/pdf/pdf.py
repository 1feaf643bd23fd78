"""PDF: text in reading order with headings, tables and links, notes on the pages, and the files that are attached.

A PDF file knows where characters stand, not what they are; `layout` guesses. A page that is a picture says nothing.
"""

from __future__ import annotations

import re
from calendar import timegm
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gossamer import tagged
from gossamer.convert.files.flow import Block, write
from gossamer.convert.files.mail.letter import Attached
from gossamer.convert.files.ole.compound import Broken
from gossamer.convert.files.page import About, Pointers, page_of, titled
from gossamer.convert.files.pdf.layout import blocks, measured, without_edges
from gossamer.convert.files.pdf.lines import PdfPage
from gossamer.convert.files.within import read_within
from gossamer.convert.source import Source
from gossamer.model import Page

if TYPE_CHECKING:
    from gossamer.convert.files.pdf.pdfium import Pdf

_PAGES_MOST = 3_000
_CHARACTERS_MOST = 5_000_000
_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?)?")


def read(source: Source) -> Page:
    """What a PDF file says."""
    from gossamer.convert.files.pdf.pdfium import Pdf  # a large library, loaded only where files are read

    try:
        file = Pdf(source.data)
    except Broken as error:
        return page_of(source, "", About(), problem=str(error))
    try:
        return _read(source, file)
    finally:
        file.close()


def _read(source: Source, file: Pdf) -> Page:
    pointers = Pointers(source.url)
    pages, problem = _pages(file)
    lines, edges = without_edges(pages)
    writer = tagged.Writer()
    write(blocks(lines, measured(lines, file.outline()), pointers), writer)
    notes = (Block("quote", tagged.words(note)) for page in pages for note in page.notes)
    write([*notes, *(Block("paragraph", tagged.words(edge)) for edge in edges)], writer)
    parts = [
        writer.html(),
        *_attached(source, pointers, [*file.files(), *(each for page in pages for each in page.files)]),
    ]
    html = "\n".join(filter(None, parts))
    if not html and not problem:
        pictures = any(page.pictures for page in pages)
        problem = "its pages are pictures, without text" if pictures else "no text in it"
    return page_of(source, html, titled(_about(file), html), pointers, problem)


def _pages(file: Pdf) -> tuple[list[PdfPage], str]:
    """All pages, or as many as are read of one file, and why not more."""
    pages: list[PdfPage] = []
    room = _CHARACTERS_MOST
    for number in range(len(file)):
        if number >= _PAGES_MOST or room <= 0:
            return pages, f"only the first {number:,} of {len(file):,} pages were read"
        page = file.page(number)
        pages.append(page)
        room -= sum(len(line.text) for line in page.lines)
    return pages, ""


def _attached(source: Source, pointers: Pointers, files: list[Attached]) -> Iterator[str]:
    for file in files:
        page = read_within(source, file.data, file.name) if file.data else Page()
        pointers.links += page.links
        writer = tagged.Writer()
        writer.heading(2, tagged.words(file.name))
        yield f"{writer.html()}\n{page.html}".strip()


def _about(file: Pdf) -> About:
    return About(
        file.said("Title"), file.said("Author"), _seconds(file.said("CreationDate")), _seconds(file.said("ModDate"))
    )


def _seconds(date: str) -> float | None:
    """A date as PDF writes it, D:20230915143000+02'00'."""
    found = _DATE.match(date)
    if found is None:
        return None
    year, month, day, hour, minute, second = (
        int(each or least) for each, least in zip(found.groups(), (0, 1, 1, 0, 0, 0), strict=False)
    )
    if not (1970 <= year < 2200 and 1 <= month <= 12 and 1 <= day <= 31):
        return None
    shift = (int(found[8] or 0) * 60 + int(found[9] or 0)) * 60 * (-1 if found[7] == "-" else 1)
    return float(timegm((year, month, day, hour % 24, minute % 60, second % 60)) - shift)
