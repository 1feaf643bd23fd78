"""Word files of 6.0 to 2003 (DOC): the text, then notes, comments, text boxes, headers and footers.

Our own reader: antiword and its kin need a program that is not there, lose list numbers and know no links, and
LibreOffice takes a second for each file. Hidden and deleted text is left out; a field is read as its result.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from struct import unpack_from

from gossamer import tagged
from gossamer.convert.files.doc.characters import WordFile, opened
from gossamer.convert.files.doc.text import Context, Story
from gossamer.convert.files.flow import Block, labelled, write
from gossamer.convert.files.ole import properties
from gossamer.convert.files.ole.compound import Broken, Compound
from gossamer.convert.files.page import About, Pointers, page_of, titled
from gossamer.convert.source import Source
from gossamer.model import Page

_FOOTNOTES, _ENDNOTES, _HEADERS, _COMMENTS = 3, 47, 11, 5
_SEPARATORS = 6
"""Lines between text and notes, which stand before the headers."""
_NOT_BEFORE_READ = 20_000
"""Notes and headers of one document."""


def read(source: Source) -> Page:
    """What a Word file says."""
    try:
        compound = Compound(source.data)
        word = opened(compound)
    except Broken as error:
        return page_of(source, "", About(), problem=str(error))
    pointers = Pointers(source.url)
    writer = tagged.Writer()
    write(_blocks(word, Context(word, pointers)), writer)
    html = writer.html()
    problem = "" if html or not word.text.strip() else "no text in it that is shown"
    return page_of(source, html, titled(properties.about(compound), html), pointers, problem)


def _blocks(word: WordFile, context: Context) -> Iterator[Block]:
    spans = word.stories.spans()
    yield from Story(context, *spans["main"]).blocks()
    for name, part in (("footnotes", _FOOTNOTES), ("endnotes", _ENDNOTES)):
        for number, (first, end) in enumerate(_parts(word, part, *spans[name]), 1):
            yield from Story(context, first, end, note=f"[{number}] ").blocks()
    for first, end in _parts(word, _COMMENTS, *spans["comments"]):
        yield from (Block("quote", labelled(block)) for block in Story(context, first, end).blocks())
    yield from Story(context, *spans["boxes"]).blocks()
    yield from _around(word, context, *spans["headers"])
    yield from Story(context, *spans["header_boxes"]).blocks()


def _around(word: WordFile, context: Context, first: int, end: int) -> list[Block]:
    """Headers and footers, each once: every section may have six of them, and most say the same."""
    found: dict[Block, None] = {}
    for span in list(_parts(word, _HEADERS, first, end, whole=True))[_SEPARATORS:]:
        found |= dict.fromkeys(Story(context, *span).blocks())
    return list(found)


def _parts(word: WordFile, part: int, first: int, end: int, *, whole: bool = False) -> Iterator[tuple[int, int]]:
    """A story in its parts. The list of where they begin has two more entries than parts, of which the last is odd."""
    data = word.part(part)[: 4 * _NOT_BEFORE_READ]
    places = unpack_from(f"<{len(data) // 4}I", data)
    known = [first + each for each in places[: None if whole else -1] if first + each <= end]
    if len(known) < 2 or first == end:
        yield first, end
        return
    for begins, ends in pairwise(known):
        yield begins, max(begins, ends)
