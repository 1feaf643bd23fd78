"""Markup that is made to choke a parser, made harmless.

The HTML standard has three rules whose cost grows with the square of the input, and parsers that follow it take
minutes or gigabytes for a small page of the right kind. Browsers cap them; lexbor does not, so we do:

- Elements that are open are searched for every start tag. A document of very many tags is cut into pieces of
  bounded size, at the beginning of a block, and the pieces are read one by one.
- Formatting elements that were not closed (`<p><font size=1>...<p><font size=2>...`) are opened again in every
  block. The standard's own limit counts equal ones only; so where they pile up their tags go.
- Attributes of a tag are compared with each other. After the first hundreds of a tag the others go.

Ordinary pages pass with a glance at two kilobytes of them; a page that knows where we look could still pile up
formatting. A complete look would cost as much as a third of parsing.

A page that the compiled twin has given up gets no such trust, because it is either broken or made to be costly: it is
`bounded`, so that no page takes more than a known amount of work. So is each page where there is no twin. Of equal
formatting the standard opens three again at most; what all formatting of an ordinary page can pile up to is little
enough for the page to be read in one piece, and only then are its containers whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from gossamer.convert.html.tree import parse

TAGS_MOST = 20_000
"""In one piece. That many elements inside each other take half a second."""
_NESTED_TAGS_MOST = 1_000
"""The same where most tags are not closed."""
_SHORTEST_TAG = 3
READ_MOST = 50_000
"""Tags of a page that is `bounded`; each costs tens of microseconds. Of 1,215 pages of the web, 14 need their tree,
and the largest of those has 7,000."""
_BOUNDED_PIECE = 2_000
"""Tags. Inside each other they take some hundredths of a second, and piled up half a million nodes."""
_BOUNDED_NODES = 10
"""More of them for each tag of such a piece are formatting that piles up."""
_PILED_MOST = 500_000
"""Nodes that a larger piece could pile up to, at most."""
_WHOLE_MOST = 10_000
"""Tags of such a piece. Inside each other they take an eighth of a second."""
_EQUAL_MOST = 3
"""Of formatting elements with the same name and attributes so many are opened again."""
_NODES_MOST = 1_000_000

_FORMATTING = re.compile(
    rb"<(?=[BCEFINSTUbcefinstu])(?i:(b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\t\n\f\r />]))[^>]*+>?+"
)
_PLAIN_FORMATTING = re.compile(
    rb"<(?i:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)"
    rb"""(?:[\t\n\f\r ]++[\w:-]++(?:=(?:"[^"<>]*+"|'[^'<>]*+'|[^\s"'<>=`]++)|(?!))?+|(?!))*+[\t\n\f\r ]*+/?>"""
)
"""Written so that what it says is its bytes: two of them are equal if these are."""
_FORMATTED = re.compile(_FORMATTING.pattern + rb"[^<]*+</(?i:\1)")
_SAMPLES = 8
_SAMPLE = 256

_STRETCH = 4_096
_MANY_ATTRIBUTES = re.compile(
    rb"""<[A-Za-z][^\t\n\f\r />]*+
    (?: [\t\n\f\r /]*+ [^\t\n\f\r />][^\t\n\f\r />=]*+
        (?: [\t\n\f\r ]*+ = [\t\n\f\r ]*+ (?: "[^"]*+"?+ | '[^']*+'?+ | [^\t\n\f\r >]*+ ) | (?!) )?+ ){500}""",
    re.VERBOSE,
)
_BLOCK_TAGS = (b"<p", b"<div", b"<li", b"<h", b"<section", b"<table")
_ROW = b"<tr"


def tame(data: bytes) -> list[bytes]:
    """A document that is safe to parse: as it is, or changed, or in several pieces."""
    if len(data) <= _SAMPLES * _SAMPLE:
        return [data]
    if _piles_up(data):
        data = _FORMATTING.sub(b"", data)
    if any(data.find(b"<", start, start + _STRETCH) < 0 for start in range(0, len(data), _STRETCH)):
        data = _with_fewer_attributes(data)
    if len(data) <= _SHORTEST_TAG * TAGS_MOST or data.count(b"<") <= TAGS_MOST:
        return [data]
    return list(_pieces(data, TAGS_MOST))


class Bounded(NamedTuple):
    """A page that takes a known amount of work."""

    pieces: list[bytes]
    cut: bool
    """It had more tags than are read."""


def bounded(data: bytes) -> Bounded:
    """The pieces of a page of which nothing is known, not even that it means well."""
    end = _end_of_tags(data, READ_MOST)
    tamed = [piece for whole in tame(data[:end]) for piece in _pieces(whole, _bounded_piece(whole))]
    return Bounded([_thinned(piece) for piece in tamed] or [b""], end < len(data))


def _end_of_tags(data: bytes, most: int) -> int:
    """Where the first tag begins that is too many."""
    if data.count(b"<") <= most:
        return len(data)
    return next(islice(re.finditer(b"<", data), most, None)).start()


def _bounded_piece(data: bytes) -> int:
    """How many tags of a document may be in one piece."""
    plain = _PLAIN_FORMATTING.findall(data)
    different = len(set(plain)) + len(_FORMATTING.findall(data)) - len(plain)
    most = _PILED_MOST // (_EQUAL_MOST * different + 1)
    return min(max(most, _BOUNDED_PIECE), _WHOLE_MOST)


def _thinned(piece: bytes) -> bytes:
    """A piece without its formatting, where that piles up in spite of all."""
    root = parse(piece).root
    most = _BOUNDED_NODES * max(piece.count(b"<"), _BOUNDED_PIECE)
    if root is None or next(islice(root.traverse(), most, None), None) is None:
        return piece
    return _FORMATTING.sub(b"", piece)


def _piles_up(data: bytes) -> bool:
    """Looks at samples first. Where formatting is closed after a few words, as in almost all pages, that is all."""
    step = len(data) // _SAMPLES
    sample = b"".join(data[start : start + _SAMPLE] for start in range(0, step * _SAMPLES, step))
    opened = len(_FORMATTING.findall(sample))
    if opened < 3 * _SAMPLES or len(_FORMATTED.findall(sample)) * 2 > opened:
        return False
    return len(_FORMATTING.findall(data)) * data.count(b"<") > _NODES_MOST


def _with_fewer_attributes(data: bytes) -> bytes:
    """Only a tag that fills a stretch alone can have too many, so the others need no look.

    What seems to be such a tag may be a script. So no `<` is ever cut away: it could end that.
    """
    parts: list[bytes] = []
    done = looked = 0
    for start in range(0, len(data), _STRETCH):
        if start < looked or data.find(b"<", start, start + _STRETCH) >= 0:
            continue
        tag = _MANY_ATTRIBUTES.match(data, max(data.rfind(b"<", done, start), done))
        if tag:
            parts.append(data[done : tag.end()])
            done = min(_position(data, b">", tag.end()), _position(data, b"<", tag.end()))
        looked = _position(data, b"<", max(start, done))
    return b"".join((*parts, data[done:]))


def _position(data: bytes, mark: bytes, start: int) -> int:
    found = data.find(mark, start)
    return found if found >= 0 else len(data)


def _pieces(data: bytes, most: int) -> Iterator[bytes]:
    lower = data.lower()
    start = 0
    size = len(data)
    while start < len(data):
        size = min(size, len(data) - start)
        while size > 1 and not _is_small(data, start, start + size, most):
            size //= 2
        end = start + size
        if end < len(data):
            end = _boundary(lower, start, end)
        # Outside of a table rows and cells would not be seen.
        yield (b"<table>" if lower.startswith(_ROW, start) else b"") + data[start:end]
        start, size = end, 2 * size


def _is_small(data: bytes, start: int, end: int, most: int) -> bool:
    tags = data.count(b"<", start, end)
    if tags <= _NESTED_TAGS_MOST:
        return True
    closed = data.count(b"</", start, end)
    return tags <= most and closed * 3 > tags


def _boundary(lower: bytes, start: int, end: int) -> int:
    """Where to cut: before the last row of a table or else the last block that begins there, but not in a script."""
    first = start + 1
    cut = lower.rfind(_ROW, first, end)
    if cut <= lower.rfind(b"</table", first, end):
        cut = max(lower.rfind(tag, first, end) for tag in _BLOCK_TAGS)
    if cut < first:
        cut = lower.rfind(b"<", first, end)
    if cut < first:
        return end
    script = lower.rfind(b"<script", first, cut)
    return script if script > lower.rfind(b"</script", first, cut) else cut
