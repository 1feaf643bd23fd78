"""Reads the XML of files: expat, told to refuse entities, with limits on depth and on the number of elements.

expat is part of Python, is fed piece by piece, and hands each element on at once, so that no tree is built of what
is large: a million elements cost time but no memory, and nothing here calls itself. lxml would bring 5 MB and a tree.
Names have the prefixes that everybody uses (`w:p`), whatever the document calls them; the namespaces of the strict
and of the transitional standard, and of OpenOffice 1, are taken for the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol
from xml.etree.ElementTree import Element
from xml.parsers import expat

ELEMENTS_MOST = 3_000_000
TREE_MOST = 200_000
"""Elements of what is made a tree."""
DEPTH_MOST = 256

_OFFICE = "http://schemas.openxmlformats.org/"
_STRICT = "http://purl.oclc.org/ooxml/"
_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
_OLD = "http://openoffice.org/2000/"
_OOXML = {
    "w": "wordprocessingml/2006/main",
    "a": "drawingml/2006/main",
    "c": "drawingml/2006/chart",
    "dgm": "drawingml/2006/diagram",
    "wp": "drawingml/2006/wordprocessingDrawing",
    "xdr": "drawingml/2006/spreadsheetDrawing",
    "p": "presentationml/2006/main",
    "x": "spreadsheetml/2006/main",
    "r": "officeDocument/2006/relationships",
    "m": "officeDocument/2006/math",
}
_NAMESPACES = (
    {_OFFICE + path: prefix for prefix, path in _OOXML.items()}
    | {_STRICT + path.replace("/2006", ""): prefix for prefix, path in _OOXML.items()}
    | {
        _ODF + path: prefix
        for prefix, path in {
            "office": "office:1.0",
            "text": "text:1.0",
            "table": "table:1.0",
            "style": "style:1.0",
            "draw": "drawing:1.0",
            "presentation": "presentation:1.0",
            "fo": "xsl-fo-compatible:1.0",
            "svg": "svg-compatible:1.0",
            "meta": "meta:1.0",
            "chart": "chart:1.0",
            "number": "datastyle:1.0",
        }.items()
    }
    | {_OLD + name: prefix for name, prefix in {"drawing": "draw", "datastyle": "number"}.items()}
    | {_OLD + name: name for name in ("office", "text", "table", "style", "presentation", "meta", "chart")}
    | {
        "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
        "http://schemas.openxmlformats.org/package/2006/relationships": "rel",
        "http://schemas.openxmlformats.org/package/2006/content-types": "ct",
        "http://schemas.openxmlformats.org/package/2006/metadata/core-properties": "cp",
        "http://purl.org/dc/elements/1.1/": "dc",
        "http://purl.org/dc/terms/": "dcterms",
        "http://www.w3.org/1999/xlink": "xlink",
        "http://www.w3.org/1999/XSL/Format": "fo",
        "http://www.w3.org/2000/svg": "svg",
        "http://www.idpf.org/2007/opf": "opf",
        "urn:schemas-microsoft-com:vml": "v",
        "http://schemas.microsoft.com/office/word/2003/wordml": "w",
        "urn:oasis:names:tc:opendocument:xmlns:container": "ocf",
    }
)


class _Names(dict[str, str]):
    """Expat's name of an element or attribute, and ours."""

    def __missing__(self, name: str) -> str:
        namespace, _, local = name.rpartition(" ")
        prefix = _NAMESPACES.get(namespace)
        known = f"{prefix}:{local}" if prefix else local
        if len(self) < 10_000:
            self[name] = known
        return known


_NAMES = _Names()


class Handler(Protocol):
    """Is told of elements and text in the order of the document."""

    def start(self, name: str, attributes: dict[str, str]) -> None: ...

    def end(self, name: str) -> None: ...

    def text(self, text: str) -> None: ...


class Enough(Exception):
    """Ends a walk: the document asks for more than it gets. A handler may raise it, with the reason."""


class _Walker:
    """Between expat and a handler: limits, names, and what is passed over."""

    def __init__(self, handler: Handler, skipped: frozenset[str], most: int) -> None:
        self._handler = handler
        self._skipped = skipped
        self._room = most
        self._depth = 0
        self._silent = 0
        """Depth within an element that is passed over; 0 outside."""
        self._chosen: list[bool] = []
        """For each mc:AlternateContent that is open, whether one of its forms was taken."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._room -= 1
        if self._depth > DEPTH_MOST:
            raise Enough(f"elements nested deeper than {DEPTH_MOST}")
        if self._room < 0:
            raise Enough("too many elements")
        if self._silent:
            self._silent += 1
            return
        known = _NAMES[name]
        if known in self._skipped or (known.startswith("mc:") and self._is_another_form(known)):
            self._silent = 1
            return
        self._handler.start(known, {_NAMES[key]: value for key, value in attributes.items()} if attributes else {})

    def end(self, name: str) -> None:
        self._depth -= 1
        if self._silent:
            self._silent -= 1
            return
        known = _NAMES[name]
        if known == "mc:AlternateContent":
            self._chosen.pop()
        self._handler.end(known)

    def text(self, text: str) -> None:
        if not self._silent:
            self._handler.text(text)

    def _is_another_form(self, name: str) -> bool:
        """The same thing again, for older programs: the first form is taken."""
        if name == "mc:AlternateContent":
            self._chosen.append(False)
        elif name in ("mc:Choice", "mc:Fallback") and self._chosen:
            if self._chosen[-1]:
                return True
            self._chosen[-1] = True
        return False


def walk(pieces: Iterable[bytes], handler: Handler, skipped: frozenset[str] = frozenset(), most: int = 0) -> str:
    """Tell the handler of all elements but those that are `skipped`. Gives what was wrong, or nothing."""
    walker = _Walker(handler, skipped, most or ELEMENTS_MOST)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.StartElementHandler = walker.start
    parser.EndElementHandler = walker.end
    parser.CharacterDataHandler = walker.text
    parser.EntityDeclHandler = _refuse
    try:
        for piece in pieces:
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    except Enough as refusal:
        return str(refusal)
    except (expat.ExpatError, ValueError, LookupError) as error:  # the last two: an encoding that is none
        return f"not well-formed XML: {error}"
    return ""


def _refuse(*_: object) -> None:
    raise Enough("it declares entities, as XML bombs do")


def tree(pieces: Iterable[bytes], until: str = "", skipped: frozenset[str] = frozenset()) -> Element:
    """A small part as a tree without what is `skipped`, as far as it can be read, or to the element called `until`."""
    grown = _Grown(until)
    walk(pieces, grown, skipped, TREE_MOST)
    return grown.root


class _Grown:
    """What a tree is grown from. It is whole at any moment, so that half a part is half a tree."""

    def __init__(self, until: str) -> None:
        self.root = Element("")
        self._until = until
        self._open = [self.root]

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == self._until:
            raise Enough
        element = Element(name, attributes)
        self._open[-1].append(element)
        self._open.append(element)

    def end(self, name: str) -> None:
        self._open.pop()

    def text(self, text: str) -> None:
        here = self._open[-1]
        if not len(here):  # what stands between elements is white space, in small parts
            here.text = (here.text or "") + text
