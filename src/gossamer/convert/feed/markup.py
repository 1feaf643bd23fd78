"""XML as it comes, well-formed or not: where tags are, where elements end, what they say.

Many feeds are not well-formed: raw ampersands, HTML without end tags, a PHP warning in front, the end cut off. So there
is no XML parser here, as in `sitemap`. Regular expressions find tags, aware of comments and CDATA. Entities that a
document declares are never expanded and nothing is ever loaded. Nothing is searched for twice, so the time is linear
in the size.
"""

from __future__ import annotations

import base64
import binascii
import re
from functools import cache
from html import escape, unescape

from gossamer.lazy import pattern

_COMMENT = r"<!--.*?(?:-->|\Z)"
_CDATA = r"<!\[CDATA\[.*?(?:\]\]>|\Z)"
_NOT_MARKUP = rf"{_COMMENT}|{_CDATA}"
_DOCTYPE = r"<!DOCTYPE[^\[<>]*+(?:\[.*?(?:\]\s*+>|\Z))?"
_ATTRIBUTES = r"""((?:[^<>"']++|"[^"<]*+"|'[^'<]*+'|["']|(?!))*+)"""
TAG = pattern(
    rf"{_NOT_MARKUP}|<\?.*?(?:\?>|\Z)|{_DOCTYPE}|<(/?)(?:([\w.-]++):)?([A-Za-z_][\w.-]*+){_ATTRIBUTES}>?",
    re.DOTALL | re.IGNORECASE,
)
"""Groups: a slash in an end tag, prefix, local name, attributes. What is no tag is matched without any group."""
BOUNDARIES = frozenset({"item", "entry", "channel", "feed", "rss", "rdf"})
"""Elements that no text goes beyond, even where it is not ended."""
_ATTRIBUTE = pattern(r"""(?<![\w.:-])([\w.:-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]++))""")
_REFERENCE = pattern(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]*);")
_PART = pattern(rf"({_COMMENT})|<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL)
_PREFIX = pattern(r"(</?)[\w.-]{1,40}:(?=[A-Za-z])")
_TAG_WITHIN = pattern(r"</?[A-Za-z]")


def attributes(text: str) -> dict[str, str]:
    """By name in lower case, with their prefixes; the first of a name counts."""
    found = _ATTRIBUTE.findall(text)
    return {name.lower(): resolved(double or single or bare) for name, double, single, bare in reversed(found)}


def resolved(text: str) -> str:
    """Character references become characters. Those that only a DTD can know stay as they are."""
    return _REFERENCE.sub(lambda reference: unescape(reference[0]), text) if "&" in text else text


class Ends:
    """Where elements end. Remembers what it has found, so that no hostile document is read again and again."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._next: dict[str, tuple[int, int]] = {}
        """Name -> where the search for its end began, and where it is."""

    def of(self, name: str, start: int) -> tuple[int, bool]:
        """Where the text of an element ends that begins at `start`, and whether an end tag says so.

        An element of the same name inside it is not counted. Where the end tag is missing, any tag ends the text.
        """
        end = self._first(name, start)
        if end < min(self._first("", start) + 1, len(self._text)):
            return end, True
        tag = TAG.search(self._text, start)
        while tag and tag[3] is None:
            tag = TAG.search(self._text, tag.end())
        return (tag.start() if tag else len(self._text)), False

    def _first(self, name: str, start: int) -> int:
        """The first end tag of that name at or after `start`; the first boundary, if the name is empty."""
        began, end = self._next.get(name, (0, -1))
        if not began <= start <= end:
            found = (match for match in _ending(name).finditer(self._text, start) if match[1])
            end = next((match.start() for match in found), len(self._text))
            self._next[name] = (start, end)
        return end


@cache
def _ending(name: str) -> re.Pattern[str]:
    names = re.escape(name) if name else "|".join(sorted(BOUNDARIES))
    slash = "/" if name else "/?"
    return re.compile(rf"{_NOT_MARKUP}|<{slash}(?:[\w.-]{{1,40}}:)?({names})(?![\w.:-])", re.DOTALL | re.IGNORECASE)


def words(inner: str) -> str:
    """The text of an element as one line."""
    return " ".join(_joined(inner).split())


def html(inner: str, said: dict[str, str], *, atom: bool) -> str:
    """The text of an element as HTML, by its `type` and `mode`; without them RSS means HTML, and Atom plain words."""
    kind = said.get("type", "").strip().lower()
    if said.get("mode", "").lower() == "base64" or (atom and _is_base64(kind)):
        return _decoded(inner)
    if "<" in inner and _TAG_WITHIN.search(_PART.sub("", inner)):
        return _PREFIX.sub(r"\1", _PART.sub(_quoted, inner))
    text = _joined(inner)
    return escape(text, quote=False) if kind in ("text", "text/plain") or (atom and not kind) else text


def _joined(inner: str) -> str:
    """Character data outside and inside of CDATA sections. Markup between them is none."""
    if "<!" not in inner:
        return resolved(inner)
    parts: list[str] = []
    behind = 0
    for part in _PART.finditer(inner):
        parts += (resolved(inner[behind : part.start()]), part[2] or "")
        behind = part.end()
    return "".join([*parts, resolved(inner[behind:])])


def _quoted(part: re.Match[str]) -> str:
    return escape(part[2], quote=False) if part[2] else ""


def _is_base64(kind: str) -> bool:
    """Atom 1.0 has all media types in it that are neither text nor XML."""
    return "/" in kind and not kind.startswith("text/") and not kind.endswith(("+xml", "/xml"))


def _decoded(inner: str) -> str:
    try:
        return base64.b64decode(_joined(inner)).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""
