"""What a page can be picked out by besides its words: where it lies and what kind of thing it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from urllib.parse import unquote

from gossamer.model import FieldValue
from gossamer.urls import keys
from gossamer.urls.paths import is_path, shown

_PATHS_MOST = 6
"""Levels of a path that can be asked for."""
_FOLDERS_MOST = 32
"""The same for files of this machine."""
_VALUE_MOST, _WORDS_MOST = 200, 1_000
"""Characters of the value of a field that are compared, and words of it that it is found by."""
KINDS = {
    "application/pdf": "pdf",
    "application/xhtml+xml": "html",
    "application/epub+zip": "epub",
    "application/rtf": "rtf",
    "application/msword": "doc",
    "application/vnd.ms-excel": "xls",
    "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.ms-outlook": "msg",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/x-ipynb+json": "ipynb",
    "message/rfc822": "eml",
    "application/x-gzip": "gz",
    "application/x-tar": "tar",
    "text/plain": "txt",
    "text/markdown": "md",
}
"""Short names that people use, where they are not the second half of the media type."""


def places(url: str, site: str) -> Iterator[str]:
    """The site, the host and all names above it down to the site; with the host also its folders."""
    if is_path(url):
        yield from _folders(url, site)
        return
    host = keys.host(url)
    yield host
    name = host
    while name != site and name.endswith(f".{site}"):
        name = name.partition(".")[2]
        yield name
    folder = host
    for step in url.split("/", 3)[3].partition("?")[0].lower().split("/")[:_PATHS_MOST]:
        if step:
            folder = f"{folder}/{step}"
            yield folder


def _folders(url: str, site: str) -> Iterator[str]:
    """Of a file of this machine: the folder that it is counted under, and all that it lies in, by their whole paths."""
    yield site.lower()
    steps = shown(url).lower().strip("/").split("/")
    for depth in range(1, min(len(steps), _FOLDERS_MOST) + 1):
        yield "/".join(steps[:depth])


def kinds(media_type: str) -> Iterator[str]:
    """The media type and what people call it."""
    yield media_type
    yield KINDS.get(media_type) or media_type.rpartition("/")[2]


def fields(given: Iterable[tuple[str, FieldValue]]) -> Iterator[str]:
    """Fields that somebody gave a page: each value as a whole."""
    for name, value in _each(given):
        if whole := _plain(value):
            yield field_term(name, whole)


def field_texts(given: Iterable[tuple[str, FieldValue]]) -> Iterator[str]:
    """Of those that are texts, the words in their order, with spaces between."""
    for name, value in _each(given):
        if words := _words(value):
            yield " ".join(field_term(name, word) for word in words)


def _each(given: Iterable[tuple[str, FieldValue]]) -> Iterator[tuple[str, str | float]]:
    """Fields with each of their values."""
    for name, value in given:
        yield from ((name, each) for each in (value if isinstance(value, tuple) else (value,)))


def field_term(name: str, value: str) -> str:
    """A value, or a word of one, as the index has it. No place begins so."""
    return f"\x1f{name.lower()}\x1f{value}"


def field_forms(value: str) -> tuple[str, list[str]]:
    """What is asked for of a field: the whole, and its words in their order."""
    try:
        whole = _plain(float(value))
    except ValueError:
        whole = _plain(value)
    return whole, _words(value)


def _plain(value: str | float) -> str:
    """In small letters, with one space between words; 30 for 30.0 and `true` for yes."""
    if isinstance(value, str):
        return " ".join(value.lower().split())[:_VALUE_MOST]
    return str(value).lower() if isinstance(value, bool) or not float(value).is_integer() else str(int(value))


def _words(value: str | float) -> list[str]:
    return re.findall(r"\w+", value.lower())[:_WORDS_MOST] if isinstance(value, str) else []


def address(url: str) -> str:
    """The words of an address, for people often remember a part of it."""
    _, _, place, rest = url.split("/", 3)
    return unquote(f"{place.removeprefix('www.')} {rest}", errors="replace")


def year(date: float) -> int:
    """Of a time; 0 where none is known, or a page names one that no calendar has."""
    try:
        return datetime.fromtimestamp(date, UTC).year if date else 0
    except (ValueError, OverflowError, OSError):
        return 0
