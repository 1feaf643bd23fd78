"""ZIP files of documents: the name of each member as a heading, and what it says; the others as a list of names."""

from __future__ import annotations

from gossamer import tagged
from gossamer.convert.files.page import About, Pointers, page_of
from gossamer.convert.files.within import read_within
from gossamer.convert.files.zip.zipped import Archive, Member
from gossamer.convert.source import Source
from gossamer.model import Page

_READ_MOST = 500
_LISTED_MOST = 5_000
_MEMBER_MOST = 64 << 20
"""Bytes."""
_TEXT_MOST = 32_000_000
"""Characters of tagged text."""
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".svg", ".woff", ".woff2", ".ttf", ".mp3", ".mp4")
_PROGRAMS = (".class", ".exe", ".dll", ".so", ".pyc", ".o")


def read(source: Source) -> Page:
    """What the members of an archive say."""
    archive = Archive(source.data, source.allowance)
    pointers = Pointers(None)
    parts: list[str] = []
    others: list[str] = []
    room = _TEXT_MOST
    for member in archive.members.values():
        page = _member(source, archive, member) if room > 0 and len(parts) < _READ_MOST else Page()
        if page.html:
            parts.append(_heading(member.name) + page.html)
            pointers.links += page.links
            room -= len(page.html)
        elif not member.is_folder:
            others.append(member.name)
    return page_of(source, "\n".join([*parts, _listing(others)]).strip(), About(), pointers, archive.problem)


def _member(source: Source, archive: Archive, member: Member) -> Page:
    if member.is_folder or member.name.lower().endswith(_PICTURES + _PROGRAMS):
        return Page()
    page = read_within(source, archive.read(member.name, _MEMBER_MOST), member.name)
    if page.problem:
        archive.note(f"{member.name!r}: {page.problem}")
    return page


def _heading(name: str) -> str:
    writer = tagged.Writer()
    writer.heading(2, tagged.words(name))
    return writer.html() + "\n"


def _listing(names: list[str]) -> str:
    writer = tagged.Writer()
    for name in names[:_LISTED_MOST]:
        writer.item(tagged.words(name))
    return writer.html()
