"""Why does a document say nothing? Every one that yields neither words nor links gets its reason, by what it is."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import urlsplit

from gossamer.convert.source import Source
from gossamer.convert.type.mime import type_by_name
from gossamer.model import HTML, Page

EMPTY = "empty: there are no bytes of it"
_KINDS = {
    "image": "a picture, which has no words to read",
    "audio": "sound, which has no words to read",
    "video": "film, which has no words to read",
    "font": "a font, which has no words to read",
}
_SOME_BYTES = "application/octet-stream"
_LOOKED_AT = 1 << 16
_SCRIPT, _PICTURE = re.compile(rb"<script", re.IGNORECASE), re.compile(rb"<(?:img|svg|picture|canvas)\b", re.IGNORECASE)


def reason(source: Source, page: Page, *, known: bool) -> str:
    """Why this page of a document has nothing to say; nothing where it says something, or has told why itself.

    `known` says that there is a reader for its type.
    """
    if page.text or page.links or source.depth or source.dress:
        return ""
    if not source.data and not source.cut:
        return EMPTY
    if page.problem:
        return ""
    if source.kind.essence in HTML:
        return _html(source.data[:_LOOKED_AT])
    if source.kind.essence == _SOME_BYTES:
        return unknown(source.url)
    return "no text in it" if known else _KINDS.get(source.kind.type) or f"nothing here reads {source.kind.essence}"


def unknown(url: str | None) -> str:
    """Why some bytes are not read. A file may be called after a kind we know, and have nothing of it."""
    ending = posixpath.splitext(urlsplit(url or "").path)[1]
    if type_by_name(f"a{ending}") is None:
        return "nothing tells what kind of file it is"
    return f"damaged, or not what its name says: nothing in it looks like {ending.lower()}"


def _html(start: bytes) -> str:
    if _SCRIPT.search(start):
        return "no words in it; its scripts may write them, which `--render` would run"
    return "only pictures, no words" if _PICTURE.search(start) else "no words in it"
