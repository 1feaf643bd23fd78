"""Pieces of a document for search by meaning and for language models: where is it cut, and under which headings?

Tagged text is read line by line, as `plain` writes it. A new heading begins a new passage. Under a heading paragraphs
and items and rows are taken together until the next would be too many words; then it is cut before that one. A row of a
table is never cut, nor is a sentence; only a paragraph or code that is longer than a passage is cut within, after a
sentence or after a line. The passages of a document, one after the other, are its words again, with nothing between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from typing import NamedTuple
from urllib.parse import quote

from gossamer.lazy import pattern
from gossamer.tagged import plain

WORDS = 200
"""Of a passage, unless somebody wants others."""
_TOKEN = pattern(r"<(/?)([a-z][a-z0-9]*)[^<>]*>|([^<]+)")
_WIDE = "\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Scripts that are written without spaces: each sign counts as a word."""
_WORD = pattern(f"[{_WIDE}]|[^\\s{_WIDE}]+")
_SENTENCE = pattern(
    r"(?<=[.!?\u2026])[\"'\u2019\u201d)\]]*\s+(?=[\"'\u2018\u201c(\[]*[A-Z0-9\u00c0-\u024f\u0370-\u1fff])|(?<=[\u3002\uff01\uff1f])"
)
"""Where a sentence may end: behind a sign that ends one, before a capital or a number."""
_SHORTENED = pattern(
    r"(?:\b(?:[A-Za-z]|Dr|Mr|Mrs|Ms|Prof|St|No|Nr|vs|etc|e\.g|i\.e|cf|approx|Fig|Inc|Ltd|Co|Jr|Sr|al|bzw|ca|z\.B))\.\s*\Z"
)
"""What ends with a dot and is no end of a sentence."""
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_UNITS = frozenset(["p", "pre", "li", "dt", "dd", "tr", "blockquote", "table", "ul", "ol", "dl", *_HEADINGS])
"""Elements that begin a line and end one."""
_POINTED = 8
"""Words that a text fragment names."""


class Passage(NamedTuple):
    """A piece of a document."""

    text: str
    """Its words, with the white space behind them; those of all passages are the content."""
    headings: tuple[str, ...]
    """What it stands under, from the outermost on."""
    words: int
    start: int
    """Where in the content it begins."""
    url: str | None = None
    """The address of the document, with a text fragment: a browser shows the place."""


class _Unit(NamedTuple):
    """Lines that belong together."""

    kind: str
    """The element that they stand in."""
    text: str


@dataclass(slots=True)
class _Draft:
    """A passage that is being made."""

    start: int = 0
    size: int = 0
    parts: list[str] = field(default_factory=list)
    headings: tuple[str, ...] = ()
    is_begun: bool = False
    """It has more than headings."""


def passages(html: str, words: int = WORDS, url: str | None = None) -> list[Passage]:
    """The passages of tagged text, of so many words each, or a little less."""
    if words < 1:
        raise ValueError("a passage has one word at least")
    found: list[Passage] = []
    draft = _Draft()
    path: list[tuple[int, str]] = []

    def end() -> None:
        if draft.parts:
            text = "".join(draft.parts)
            found.append(Passage(text, draft.headings, draft.size, draft.start, _address(url, text)))
            draft.start += len(text)
        draft.parts, draft.size, draft.is_begun = [], 0, False

    for kind, text in _ended(list(_units(html))):
        level = _HEADINGS.get(kind)
        if level is not None:
            if draft.is_begun:
                end()
            path = [each for each in path if each[0] < level] + [(level, " ".join(text.split()))]
        for piece in _pieces(kind, text, words):
            size = count(piece)
            if draft.is_begun and draft.size + size > words:
                end()
            if not draft.is_begun:
                draft.headings = tuple(name for _, name in path)
            draft.parts.append(piece)
            draft.size += size
            draft.is_begun = level is None
    end()
    return found


def count(text: str) -> int:
    """How many words there are."""
    return len(_WORD.findall(text))


def _ended(units: list[_Unit]) -> Iterator[_Unit]:
    """Units with the line end behind each, but for the last."""
    for number, (kind, text) in enumerate(units):
        yield _Unit(kind, f"{text}\n" if number + 1 < len(units) else text)


def _units(html: str) -> Iterator[_Unit]:
    """What is written between two tags that begin or end a line; all of a row is one."""
    kind, start = "p", 0
    rows = 0
    for token in _TOKEN.finditer(html):
        ends, name, _ = token.groups()
        if name not in _UNITS or (rows and name != "tr" and not (name == "table" and ends)):
            continue
        if name == "tr":
            rows = 0 if ends else 1
        if lines := plain(html[start : token.end() if ends and name == "pre" else token.start()]):
            yield _Unit(kind, lines)
        kind, start = (name if not ends else "p"), token.start() if not ends else token.end()
    if lines := plain(html[start:]):
        yield _Unit(kind, lines)


def _pieces(kind: str, text: str, words: int) -> Iterator[str]:
    """A unit, in pieces if it is too long and may be cut."""
    if kind == "tr" or kind in _HEADINGS or count(text) <= words:
        yield text
        return
    piece, size = "", 0
    for part in text.splitlines(keepends=True) if kind == "pre" else _sentences(text):
        more = count(part)
        if piece and size + more > words:
            yield piece
            piece, size = "", 0
        piece += part
        size += more
    if piece:
        yield piece


def _sentences(text: str) -> Iterator[str]:
    """Sentences, each with the white space behind it. Lines end one, too."""
    start = 0
    for gap in _SENTENCE.finditer(text):
        if gap.end() > start and not _SHORTENED.search(text[max(start, gap.end() - 12) : gap.end()]):
            yield text[start : gap.end()]
            start = gap.end()
    if start < len(text):
        yield text[start:]


def _address(url: str | None, text: str) -> str | None:
    """With the first words of it, by which a browser finds the place."""
    if url is None:
        return None
    line = max(text.strip().split("\n")[:2], key=len, default="").replace("\t", " ")
    first = " ".join(unescape(line).split()[:_POINTED])
    return f"{url.partition('#')[0]}#:~:text={quote(first, safe='').replace('-', '%2D')}" if first else url
