"""Many documents in one file: the name of each as a heading, and what it says; the others as a list of names."""

from __future__ import annotations

from collections.abc import Callable

from gossamer import tagged
from gossamer.convert.files.page import About, Pointers, page_of
from gossamer.convert.files.within import read_within
from gossamer.convert.source import Source
from gossamer.model import Page

MEMBER_MOST = 64 << 20
"""Bytes of a member that are read."""
_READ_MOST = 500
_LISTED_MOST = 5_000
_TEXT_MOST = 32_000_000
"""Characters of tagged text."""
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".svg", ".woff", ".woff2", ".ttf", ".mp3", ".mp4")
_PROGRAMS = (".class", ".exe", ".dll", ".so", ".pyc", ".o")


class Bundle:
    """Gathers what the members of a file say, within bounds."""

    def __init__(self, source: Source, *, read_most: int = _READ_MOST, called: str = "members") -> None:
        self._source = source
        self._read_most = read_most
        self._called = called
        self._read = self._left = 0
        """How many were read, and how many were not because there was no more room."""
        self._pointers = Pointers(None)
        self._parts: list[str] = []
        self._others: list[str] = []
        self._room = _TEXT_MOST
        self.problem = ""
        """The first thing that was wrong with a member."""

    def add(self, name: str, read: Callable[[], bytes], media_type: str = "") -> None:
        """One more member. It is called by its name, or by its title where it has none."""
        page = self._said(name, read, media_type)
        if page.html:
            self._parts.append(_heading(name or page.title or "untitled") + page.html)
            self._pointers.links += page.links
            self._room -= len(page.html)
        elif name:
            self._others.append(name)

    def _said(self, name: str, read: Callable[[], bytes], media_type: str) -> Page:
        if name.lower().endswith(_PICTURES + _PROGRAMS):
            return Page()
        if self._room <= 0 or len(self._parts) >= self._read_most:
            self._left += 1
            return Page()
        self._read += 1
        page = read_within(self._source, read(), name, media_type)
        if page.problem and not self.problem:
            self.problem = f"{name!r}: {page.problem}" if name else page.problem
        return page

    def page(self, problem: str = "") -> Page:
        """The page of the whole file. What was wrong with the file itself is its `problem`."""
        problem = "; ".join(filter(None, (problem or self.problem, self._cut())))
        html = "\n".join([*self._parts, _listing(self._others)]).strip()
        return page_of(self._source, html, About(), self._pointers, problem)

    def _cut(self) -> str:
        """What was left out, in words."""
        if not self._left:
            return ""
        said = f"only {self._read:,} of {self._read + self._left:,} {self._called} were read"
        unnamed = len(self._others) - _LISTED_MOST
        return f"{said}, and {unnamed:,} are not even named" if unnamed > 0 else said


def _heading(name: str) -> str:
    writer = tagged.Writer()
    writer.heading(2, tagged.words(name))
    return writer.html() + "\n"


def _listing(names: list[str]) -> str:
    writer = tagged.Writer()
    for name in names[:_LISTED_MOST]:
        writer.item(tagged.words(name))
    return writer.html()
