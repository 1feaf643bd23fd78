"""A page in the forms that people ask for; `show` and `convert` share them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

from gossamer.markdown import titled, written
from gossamer.model import Page
from gossamer.printable import timestamp


def text(page: Page) -> str:
    """The title, then the words of the main content; all words where no main content was found."""
    return _titled(page, page.content or page.text)


def full(page: Page) -> str:
    """The title, then all words."""
    return _titled(page, page.text)


def html(page: Page) -> str:
    """The main content, as a document that stands alone."""
    from gossamer.convert.standalone import standalone  # with all that reads pages, and no other form needs it

    return standalone(page)


def markdown(page: Page) -> str:
    """The main content; a page without a heading of the first level begins with its title."""
    return written(titled(page.html, page.title))


def links(page: Page) -> str:
    """A line for each: address, anchor, rel, and whether it stands in the main content or around it."""
    return "\n".join(
        "\t".join((url, *_cells(anchor, rel, content))) for url, anchor, rel, _, _, _, content, _ in page.links
    )


FORMS: dict[str, Callable[[Page], str]] = {"text": text, "html": html, "markdown": markdown, "links": links}


def fields(page: Page) -> dict[str, Any]:
    """Everything, for machines."""
    told = asdict(replace(page, links=()))
    for name in ("copy_of", "near_copy_of", "url", "fields", "guesses", "structured", "requisites"):
        del told[name]
    told["data"] = page.data
    told["markdown"] = page.markdown
    told["published"], told["modified"] = timestamp(page.published), timestamp(page.modified)
    told["links"] = [
        {"url": link.url, "anchor": link.anchor, "rel": link.rel, "content": link.content} for link in page.links
    ]
    return told


def _titled(page: Page, said: str) -> str:
    repeats = said.partition("\n")[0].strip() == page.title.strip()
    return said if repeats or not page.title else f"{page.title}\n\n{said}"


def _cells(anchor: str, rel: str, content: bool) -> tuple[str, str, str]:
    return " ".join(anchor.split()), rel, "content" if content else "around"
