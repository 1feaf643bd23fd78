"""A letter as tagged text, whatever file it comes from: from whom, to whom, about what; its text; what is attached."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer import tagged
from gossamer.convert.files.page import About, Pointers, page_of
from gossamer.convert.files.within import read_within
from gossamer.convert.source import Source
from gossamer.model import Page

_ATTACHED_MOST = 100
_TEXT_MOST = 32_000_000
"""Characters of tagged text."""


@dataclass(frozen=True, slots=True)
class Attached:
    """A file that came with a letter."""

    name: str
    data: bytes
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter, read."""

    fields: tuple[tuple[str, str], ...] = ()
    """Names and values, as they are shown: From, To, Subject, Date..."""
    body: Page = Page()  # noqa: RUF009  # a frozen value
    attached: tuple[Attached, ...] = ()
    about: About = About()  # noqa: RUF009  # a frozen value
    problem: str = ""


def page_of_letter(source: Source, letter: Letter) -> Page:
    """The page of a letter. Attachments are read like any document; those that say nothing are named."""
    writer = tagged.Writer()
    for name, value in letter.fields:
        if value.strip():
            writer.paragraph(tagged.strong(tagged.words(f"{name}:")) + " " + tagged.words(value))
    pointers = Pointers(None)
    pointers.links += letter.body.links
    parts = [writer.html(), letter.body.html]
    room = _TEXT_MOST
    problem = letter.problem or letter.body.problem
    for attached in letter.attached[:_ATTACHED_MOST]:
        page = read_within(source, attached.data, attached.name, attached.media_type) if room > 0 else Page()
        pointers.links += page.links
        parts.append(_attachment(attached.name or page.title or "attachment", page))
        room -= len(page.html)
        problem = problem or (f"{attached.name!r}: {page.problem}" if page.problem else "")
    return page_of(source, "\n".join(filter(None, parts)), letter.about, pointers, problem)


def _attachment(name: str, page: Page) -> str:
    writer = tagged.Writer()
    writer.heading(2, tagged.words(name))
    return f"{writer.html()}\n{page.html}".strip()
