"""What light markup languages have in common: marks within a line, lists by their indents, and an end to patience.

What is between marks stays text, bare addresses become links. Whatever a language marks is a pattern; each part of a
pattern has an end that is not far, so that reading stays linear. Text that is longer than any document of people is
plain text from there on; lists of records, which programs write, are read further, and left out from there on.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from gossamer import tagged
from gossamer.convert.files.page import About, Pointers, titled
from gossamer.convert.files.text.plain import decoded, text_page, write_text
from gossamer.convert.source import Source
from gossamer.model import Page

LENGTH_MOST = 1 << 20
"""Characters that are read as what they are."""
RECORDS_MOST = 8 << 20
"""The same of records, which are read line by line."""
_LINE_MOST = 1 << 16
"""Characters before a limit in which a line may end."""
_ADDRESS = re.compile(r"https?://[^\s<>\[\]\"'`]++")
_AFTER_ADDRESS = ".,;:!?)*_"


def read_as(source: Source, write: Callable[[str, tagged.Writer, Pointers], About]) -> Page:
    """The page of a text that `write` turns into tagged text, and tells what it says about itself."""
    found = decoded(source)
    writer, pointers = tagged.Writer(), Pointers(source.url)
    end = line_end(found.text, LENGTH_MOST)
    about = write(found.text[:end], writer, pointers)
    write_text(writer, found.text[end:])
    html = writer.html()
    return text_page(source, found, html, titled(about, html), pointers, rest_as_text(found.text, end))


def read_records(source: Source, write: Callable[[str, tagged.Writer, Pointers], About]) -> Page:
    """The same of a list of records. What comes after the limit would mean nothing as text, and is left out."""
    found = decoded(source)
    writer, pointers = tagged.Writer(), Pointers(source.url)
    end = line_end(found.text, RECORDS_MOST)
    about = write(found.text[:end], writer, pointers)
    html = writer.html()
    problem = f"only the first {end:,} of {len(found.text):,} characters were read" if end < len(found.text) else ""
    return text_page(source, found, html, titled(about, html), pointers, problem)


def line_end(text: str, most: int) -> int:
    """Where the last line ends that fits into so many characters; a line without end is cut."""
    if len(text) <= most:
        return len(text)
    return text.rfind("\n", max(most - _LINE_MOST, 0), most) + 1 or most


def rest_as_text(text: str, end: int) -> str:
    """The problem of a document that was only read as what it is up to there."""
    if not text[end:].strip():
        return ""
    return f"only the first {end:,} of {len(text):,} characters were read as what they are; the rest was taken for text"


def marked(text: str, pattern: re.Pattern[str], piece: Callable[[re.Match[str]], str], pointers: Pointers) -> str:
    """A line of tagged text: what the pattern finds becomes what `piece` makes of it."""
    parts: list[str] = []
    at = 0
    for found in pattern.finditer(text):
        parts += (with_addresses(text[at : found.start()], pointers), piece(found))
        at = found.end()
    return "".join([*parts, with_addresses(text[at:], pointers)])


def with_addresses(text: str, pointers: Pointers) -> str:
    """Text whose bare addresses are links."""
    if "://" not in text:
        return tagged.words(text)
    parts: list[str] = []
    at = 0
    for found in _ADDRESS.finditer(text):
        address = found[0].rstrip(_AFTER_ADDRESS)
        parts += (tagged.words(text[at : found.start()]), pointers.link(tagged.words(address), address))
        at = found.start() + len(address)
    return "".join([*parts, tagged.words(text[at:])])


class Depths:
    """How deep an item lies in lists, by how far it is indented."""

    _MOST = 8

    def __init__(self) -> None:
        self._indents: list[int] = []

    def at(self, indent: int) -> int:
        """The depth of an item that begins there."""
        while self._indents and self._indents[-1] > indent:
            self._indents.pop()
        if not self._indents or (self._indents[-1] < indent and len(self._indents) <= self._MOST):
            self._indents.append(indent)
        return len(self._indents) - 1

    def end(self) -> None:
        """The list is over."""
        self._indents.clear()
