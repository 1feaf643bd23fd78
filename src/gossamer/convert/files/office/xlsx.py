"""Excel files (XLSX and its kin): each sheet a heading and a table, with what was drawn and noted on it.

The cells have what a person sees: of formulas the last result, of numbers their date or percentage where their format
says so. python-calamine reads cells faster, but lays a sheet out in full before it hands it on, so that one cell in the
last corner takes all memory, and it knows neither links nor drawings.
"""

from __future__ import annotations

import re

from gossamer import tagged
from gossamer.convert.files.flow import Block, write
from gossamer.convert.files.office.drawings import Drawings
from gossamer.convert.files.office.ooxml import Package
from gossamer.convert.files.office.shapes import Shapes, Shared
from gossamer.convert.files.office.xlsx_cells import Book, Sheet, Strings, number_kinds
from gossamer.convert.files.page import Pointers, page_of, titled
from gossamer.convert.files.sheets import Room
from gossamer.convert.files.sheets import sheet as sheet_of
from gossamer.convert.source import Source
from gossamer.model import Page

_CODE = re.compile(r'&(?:"[^"]*"|\d+|K[0-9A-F]{6}|[A-Z&])')
"""In headers and footers: fonts, sizes, and numbers of pages."""
_READINGS = frozenset({"x:rPh"})
"""How Japanese words are read aloud, which is a repetition."""


def read(source: Source) -> Page:
    """What a workbook says."""
    package = Package(source)
    main = package.main("xl/workbook.xml")
    shared = Shared(package, Pointers(source.url), Drawings(package))
    blocks: list[Block] = []
    around: dict[Block, None] = {}
    book = _book(package, main)
    for name, part in _sheets(package, main):
        sheet = Sheet(book)
        package.walk(part, sheet, _READINGS)
        blocks += sheet_of(tagged.words(name), _linked(sheet, shared, part))
        blocks += [*_drawn(shared, part), *_comments(package, part)]
        around |= dict.fromkeys(Block("paragraph", line) for line in map(_header, sheet.headers))
    writer = tagged.Writer()
    write([*blocks, *around], writer)
    html = writer.html()
    return page_of(source, html, titled(package.about(), html), shared.pointers, package.archive.problem)


def _book(package: Package, main: str) -> Book:
    strings = Strings()
    for part in package.related(main, "sharedStrings")[:1]:
        package.walk(part, strings, _READINGS)
    kinds = [kind for part in package.related(main, "styles")[:1] for kind in number_kinds(package.tree(part))]
    properties = next(package.tree(main).iter("x:workbookPr"), None)
    from_1904 = properties is not None and properties.get("date1904") in ("1", "true")
    return Book(strings.strings, kinds, from_1904, Room())


def _sheets(package: Package, main: str) -> list[tuple[str, str]]:
    """Names and parts, in order. Hidden ones too: they are as much part of the file as the others."""
    found = package.tree(main).iter("x:sheet")
    return [(each.get("name", ""), package.target(main, each.get("r:id"))) for each in found]


def _linked(sheet: Sheet, shared: Shared, part: str) -> list[dict[int, str]]:
    """The rows as lines of tagged text, with the links that were put on cells."""
    for row, column, name in sheet.links:
        cells = sheet.rows.get(row, {})
        if column in cells:
            cells[column] = shared.pointers.link(cells[column], shared.package.address(part, name))
    return [sheet.rows[row] for row in sorted(sheet.rows)]


def _drawn(shared: Shared, sheet: str) -> list[Block]:
    blocks: list[Block] = []
    for part in shared.package.related(sheet, "drawing"):
        shapes = Shapes(shared, part)
        shared.package.walk(part, shapes)
        blocks += shapes.blocks
    return blocks


def _comments(package: Package, sheet: str) -> list[Block]:
    comments = (each for part in package.related(sheet, "comments") for each in package.tree(part).iter("x:comment"))
    lines = ("".join(text.text or "" for text in comment.iter("x:t")) for comment in comments)
    return [Block("quote", tagged.words(line)) for line in lines]


def _header(code: str) -> str:
    return tagged.words(_CODE.sub(" ", code)).strip()
