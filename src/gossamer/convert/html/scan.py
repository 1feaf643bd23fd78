"""What does an HTML page say? One pure function: bytes in, plain tuples out; the page is parsed once.

Ordinary pages are read by a compiled `compiled`, if it was built; all others, and all without it, by way of their tree.
Tests hold the two equal. Addresses are as they are written; what they mean is decided in `links`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from enum import IntFlag
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from gossamer.convert.charset.decode import utf8
from gossamer.convert.html import compiled
from gossamer.convert.html.defuse import Bounded, bounded, tame
from gossamer.convert.html.links import LINKS_MOST, POINTING, pointers
from gossamer.convert.html.pointers import Pointers, columns
from gossamer.convert.html.text import BLOCKS, LEFT_OUT, PRE, SILENT, silence, text_of
from gossamer.convert.html.tree import Node, parse, tag_id

if TYPE_CHECKING:
    from gossamer.convert.html._scan import Arrays
    from gossamer.convert.html.outline import Outline

TITLE_MOST = 2_000
"""Characters, like the next."""
_META_MOST = 2_000
_METAS_MOST = 500

_BASE, _META, _NOSCRIPT, _SVG, _TITLE = map(tag_id, ("base", "meta", "noscript", "svg", "title"))
_APART = PRE | LEFT_OUT
_TELLING = POINTING | {_BASE} | SILENT | _APART


_NONE = Pointers(columns(()))


class Hint(IntFlag):
    """What is worth a closer look, which takes longer than to see that it is there."""

    NOSCRIPT = 1
    TIME = 2
    ITEM = 4
    """An itemprop attribute."""
    LINKED_DATA = 8
    """A script with JSON-LD."""
    CODE = 16
    """An attribute with a script, such as onclick."""
    DATA = 32
    """A data attribute that may hold an address."""
    SCRIPT = 64
    """A script that stands in the page."""
    PROTOCOL = 128
    """An address that is a script."""
    COMMENT = 256
    """A comment that may name an address."""
    TEMPLATE = 512
    """An element that may be a shadow root."""
    ANY = 1023


class Scan(NamedTuple):
    """All that is read from a page."""

    title: str = ""
    """White space collapsed."""
    text: str = ""
    """A line for each block; see `text`."""
    links: Pointers = _NONE
    """In document order, repetitions too. Those that point to a place within the page are not among them."""
    links_cut: bool = False
    """There were more than `links.LINKS_MOST`."""
    base: str | None = None
    """What relative addresses are relative to, if the page says so."""
    metas: tuple[tuple[str, str], ...] = ()
    """(name or property in lower case, content) of meta elements."""
    language: str = ""
    """As the html element says."""
    hints: Hint = Hint.ANY
    """What it may have. Only the twin knows that something is not there."""
    linked_data: tuple[int, int] = (0, sys.maxsize)
    """Between which bytes of the page the tags of scripts with JSON-LD stand, if it has any."""
    outline: Outline | None = None
    """Its body as a flat tree; None if it has none, or nobody wants it."""
    cut: bool = False
    """It had too much markup, and was read in part."""


def scan(data: bytes, encoding: str, *, outlined: bool = True) -> Scan:
    """Read a page in the encoding of that name, with its outline or without. Never fails, whatever the bytes."""
    page = utf8(data, encoding)
    found = compiled.scan(page, LINKS_MOST, outlined)
    if found is None:
        return _by_tree(bounded(page), outlined=outlined)
    title, text, links, cut, base, metas, language, hints, linked_data, outline = found
    body = None if outline is None else _outline(outline)
    return Scan(title, text, Pointers(links), cut, base, metas, language, Hint(hints), linked_data, body)


def _outline(arrays: Arrays) -> Outline:
    from gossamer.convert.html.outline import from_bytes  # with NumPy: who wants no outline does without

    return from_bytes(arrays)


def by_tree(page: bytes, *, outlined: bool = True) -> Scan:
    """Read a page in UTF-8 as the twin reads it, however many tags it has."""
    return _by_tree(Bounded(tame(page), cut=False), outlined=outlined)


def _by_tree(page: Bounded, *, outlined: bool) -> Scan:
    first, *others = page.pieces
    scans = [_scan(first, LINKS_MOST)]
    room = LINKS_MOST - len(scans[0].links)
    for piece in others:
        scans.append(_scan(piece, room))
        room -= len(scans[-1].links)
    found = (_joined(scans) if others else scans[0])._replace(cut=page.cut)
    return found._replace(outline=_outline_by_tree(page.pieces)) if outlined else found


def _outline_by_tree(pieces: list[bytes]) -> Outline | None:
    from gossamer.convert.html.outline import of_pieces  # as above

    return of_pieces(pieces)


def _scan(data: bytes, links_most: int) -> Scan:
    tree = parse(data)
    root = tree.root
    if root is None:
        return Scan()
    flowing = [node for node in root.traverse() if node.tag_id not in BLOCKS]
    telling = [node for node in flowing if node.tag_id in _TELLING]
    apart = [node for node in telling if node.tag_id in _APART]
    if apart:
        flowing = [node for node in flowing if node.tag_id not in _APART]
    title = _title(telling)
    pointing = list(_pointing(telling))
    for node in telling:  # before the links are read, for there are styles inside links
        if node.tag_id in SILENT:
            silence(node)
    links, links_cut = pointers(pointing, links_most)
    return Scan(
        title=title,
        links=Pointers(columns(links)),
        links_cut=links_cut,
        base=_base(telling),
        metas=tuple(_metas(telling)),
        language=root.attributes.get("lang") or "",
        text=text_of(tree, flowing, apart),
    )


def _pointing(elements: Iterable[Node]) -> Iterator[Node]:
    """We run no scripts, so links for readers without them are for us; to the parser they are text."""
    for node in elements:
        if node.tag_id in POINTING:
            yield node
        elif node.tag_id == _NOSCRIPT and "<a" in (markup := node.text()).lower():
            yield from parse(markup.encode()).tags("a")


def _title(elements: Iterable[Node]) -> str:
    """Drawings have titles too, but those are not the page's."""
    for node in elements:
        if node.tag_id == _TITLE and ((parent := node.parent) is None or parent.tag_id != _SVG):
            return " ".join(node.text()[: 8 * TITLE_MOST].split())[:TITLE_MOST]
    return ""


def _base(elements: Iterable[Node]) -> str | None:
    hrefs = (node.attributes.get("href") for node in elements if node.tag_id == _BASE)
    return next((href for href in hrefs if href is not None), None)


def _metas(elements: Iterable[Node]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for node in elements:
        if node.tag_id == _META and len(found) < _METAS_MOST:
            attributes = node.attributes
            name = attributes.get("name") or attributes.get("property")
            if name:
                found.append((name.strip().lower(), (attributes.get("content") or "")[:_META_MOST]))
    return found


def _joined(scans: list[Scan]) -> Scan:
    """A page that had to be read in pieces. Its head is in the first of them, as a rule."""
    return Scan(
        title=next((scan.title for scan in scans if scan.title), ""),
        text="\n".join(scan.text for scan in scans if scan.text),
        links=Pointers(columns(chain.from_iterable(scan.links.made for scan in scans))),
        links_cut=any(scan.links_cut for scan in scans),
        base=next((scan.base for scan in scans if scan.base is not None), None),
        metas=tuple(chain.from_iterable(scan.metas for scan in scans))[:_METAS_MOST],
        language=scans[0].language,
    )
