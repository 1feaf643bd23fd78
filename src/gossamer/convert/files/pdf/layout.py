"""Lines on pages become text: they are joined to paragraphs, words that were divided are made whole, and those that are
larger than others are headings. What stands at the edge of many pages is said once. Place and size are all there is to
judge by, so each rule here is a guess that is right for most documents.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gossamer.convert.files.flow import Block
from gossamer.convert.files.line import Line as Words
from gossamer.convert.files.page import Pointers
from gossamer.convert.files.pdf.columns import Row, ordered
from gossamer.convert.files.pdf.lines import Line, PdfPage

_EDGE = 0.12
"""Of the height of a page: where running heads and page numbers stand."""
_LARGER = 1.15
"""Times the usual size: from here on a line is a heading."""
_HEADING_MOST = 200
_HEADINGS = 4
"""Sizes of headings that are told apart."""
_AROUND = 8
"""Lines before and after one that show how far lines reach here."""
_ENDS_EARLY = 0.6
"""Of that reach: a line that is shorter ends its paragraph."""
_ITEM = re.compile(r"(?:[•‣▪●○◦■\uf0b7\uf0a7\uf0d8]\s*|[–—o-]\s+)(?=\S)")
_NUMBERED = re.compile(r"(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\d{1,2}(?:\.\d{1,2}){1,3}\.?)\s")
_FINAL = (".", "!", "?", ":", ";", ".”", '."', "。", "！", "？")
_NUMBER = re.compile(r"\d+")
_PAGING = re.compile(
    r"\W*(?:(?:page|seite|página|pagina|pg|p|стр)\W*)?#?(?:\W*(?:of|von|de|di|sur|из)?\W*#)?\W*", re.IGNORECASE
).fullmatch
"""The number of a page, with a sign for each number."""
_HYPHENATED = re.compile(r"\b([^\W\d_]+)-([^\W\d_]+)\b")
_WORD_ENDS = re.compile(r"[^\W\d_]+$")
_WORD_BEGINS = re.compile(r"[^\W\d_]+")
_DENSE = re.compile(r"[\u3000-\u9fff\uf900-\ufaff\uff00-\uff9f]")
"""Scripts without spaces between words."""


@dataclass(frozen=True, slots=True)
class Measures:
    """What is usual in a document."""

    headings: dict[int, int]
    """Levels of headings, by size."""
    outline: dict[str, int]
    """Levels of headings, by their words, as its own table of contents has them."""
    hyphenated: frozenset[str]
    """Words that stand in it with a hyphen in the middle of a line, written without it."""

    def level(self, words: str, size: float) -> int:
        """Of a paragraph that is a heading; 0 for all others."""
        if len(words) > _HEADING_MOST or not any(each.isalpha() for each in words):
            return 0
        return self.outline.get(_key(words), 0) or self.headings.get(round(size), 0)


def measured(pages: Sequence[Sequence[Line]], outline: Iterable[tuple[int, str]]) -> Measures:
    """Look at all lines of a document."""
    sizes: Counter[int] = Counter()
    hyphenated: set[str] = set()
    for line in (line for lines in pages for line in lines):
        sizes[round(line.size)] += len(line.text)
        if "-" in line.text:
            hyphenated.update(f"{first}{second}".lower() for first, second in _HYPHENATED.findall(line.text))
    usual = sizes.most_common(1)[0][0] if sizes else 0
    larger = sorted((size for size in sizes if size > _LARGER * usual), reverse=True)
    levels = {size: min(number, _HEADINGS) for number, size in enumerate(larger, 1)}
    titles = {_key(title): min(level + 1, 6) for level, title in outline if _key(title)}
    return Measures(levels, titles, frozenset(hyphenated))


def _key(words: str) -> str:
    """Titles as they are compared: letters alone, as numbers and dots come and go."""
    return "".join(each for each in words.lower() if each.isalpha())


def without_edges(pages: Sequence[PdfPage]) -> tuple[list[list[Line]], list[str]]:
    """The lines of each page without what stands at the edge of many; and that, each once."""
    seen: dict[tuple[str, int], set[int]] = {}
    for number, page in enumerate(pages):
        for line in _at_edge(page):
            seen.setdefault(_place(line), set()).add(number)
    least = max(2, len(pages) // 4)
    repeated = {place for place, numbers in seen.items() if len(numbers) >= least}
    said: dict[str, str] = {}
    kept = []
    for page in pages:
        edge = {id(line) for line in _at_edge(page) if _place(line) in repeated}
        kept.append([line for line in page.lines if id(line) not in edge])
        for line in page.lines:
            if id(line) in edge:
                said.setdefault(_place(line)[0], line.text)
    return kept, [text for general, text in said.items() if not _PAGING(general)]


def _at_edge(page: PdfPage) -> Iterator[Line]:
    low, high = page.height * _EDGE, page.height * (1 - _EDGE)
    return (line for line in page.lines if not low < line.base < high)


def _place(line: Line) -> tuple[str, int]:
    return _NUMBER.sub("#", line.text), round(line.base / 3)


def blocks(pages: Iterable[Sequence[Line]], measures: Measures, pointers: Pointers) -> Iterator[Block]:
    """The text of a document. A paragraph may go on on the next page."""
    paragraph: list[Line] = []
    for lines in pages:
        parts = list(ordered(lines))
        for number, part in enumerate(parts):
            if isinstance(part, Line):
                reach = _reach(parts, number) if paragraph else 0
                if paragraph and _goes_on(paragraph, part, reach):
                    paragraph.append(part)
                    continue
            yield from _written(paragraph, measures, pointers)
            paragraph = [part] if isinstance(part, Line) else []
            if not isinstance(part, Line):
                yield _table(part, pointers)
    yield from _written(paragraph, measures, pointers)


def _reach(parts: Sequence[Line | list[Row]], number: int) -> float:
    """How far lines go to the right where this one stands."""
    here = parts[number]
    around = (part for part in parts[max(number - _AROUND, 0) : number + _AROUND] if isinstance(part, Line))
    assert isinstance(here, Line)
    return max(line.right for line in around if (line.left < here.right and line.right > here.left) or line is here)


def _goes_on(paragraph: list[Line], line: Line, reach: float) -> bool:
    """Does this line belong to the paragraph?"""
    last = paragraph[-1]
    if abs(line.size - last.size) > 0.12 * max(line.size, last.size):
        return False
    if last.divided:
        return True
    ended = last.text.endswith(_FINAL)
    if _ITEM.match(line.text) or (ended and _NUMBERED.match(line.text)):
        return False
    drop = last.base - line.base
    if drop <= 0.3 * line.size:  # the next column, or the next page
        return not ended and line.text[:1].islower()
    usual = paragraph[-2].base - last.base if len(paragraph) > 1 else 0.0
    if drop > 2.0 * line.size or (usual > 0 and drop > 1.3 * usual):
        return False
    if line.left > last.right or line.right < last.left:
        return False
    reach = max(reach, last.right)
    if last.right - last.left < _ENDS_EARLY * (reach - last.left) or (ended and last.right < reach - 2 * line.size):
        return False
    return line.left < last.left + 0.8 * line.size or (not ended and len(paragraph) == 1)


def _written(paragraph: list[Line], measures: Measures, pointers: Pointers) -> Iterator[Block]:
    if not paragraph:
        return
    words = Words()
    marker = _ITEM.match(paragraph[0].text)
    for number, line in enumerate(paragraph):
        begins = marker.end() if marker and number == 0 else 0
        following = paragraph[number + 1].text if number + 1 < len(paragraph) else ""
        _add(words, line, begins)
        words.add(_between(line, following, measures))
    text = words.words()
    level = 0 if marker else measures.level(text, paragraph[0].size)
    html = words.html(pointers)
    if level:
        yield Block("heading", html, level)
    else:
        yield Block("item" if marker else "paragraph", html)


def _add(words: Words, line: Line, begins: int = 0) -> None:
    at = begins
    for first, end, href in line.links:
        if first >= at:
            words.add(line.text[at:first])
            words.add(line.text[first:end], href=href)
            at = end
    words.add(line.text[at:])


def _between(line: Line, following: str, measures: Measures) -> str:
    """What stands between two lines once they are one."""
    if not following:
        return ""
    if line.divided:
        first, second = _WORD_ENDS.search(line.text), _WORD_BEGINS.match(following)
        whole = f"{first[0]}{second[0]}".lower() if first and second else ""
        return "-" if whole in measures.hyphenated else ""
    return "" if _DENSE.match(line.text[-1:]) and _DENSE.match(following) else " "


def _table(rows: list[Row], pointers: Pointers) -> Block:
    return Block("table", rows=tuple(tuple(_cell(line, pointers) for line in row) for row in rows))


def _cell(line: Line, pointers: Pointers) -> str:
    words = Words()
    _add(words, line)
    return words.html(pointers)
