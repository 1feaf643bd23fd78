"""What a reader gets, and what a reader is: one function from a source to a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from gossamer.convert.type import mime
from gossamer.model import Page
from gossamer.settings import METHODS

if TYPE_CHECKING:
    from gossamer.convert.html.template import Template

UNPACKED_MOST = 256 << 20
"""Bytes that are unpacked for one document, with all that lies within it."""


class Allowance:
    """How much more may be unpacked. One for a document and all that lies within it, so that bombs cannot add up."""

    def __init__(self, octets: int = UNPACKED_MOST) -> None:
        self.octets = octets


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes of a document and all that was said about them."""

    data: bytes
    kind: mime.MimeType
    url: str | None = None
    links: Sequence[str] = ()
    """Link header fields, like the next two."""
    refreshes: Sequence[str] = ()
    robots: Sequence[str] = ()
    agent: str = "Gossamer"
    content: str | None = METHODS[0]
    """The method that finds the main content of a page; None leaves out that and all that is only known from it."""
    template: Template | None = None
    """Knows what stands on many pages of the host."""
    page: bool = False
    """It is no file, but so large that it is read apart, with all that was said about it."""
    cut: bool = False
    """Not all of its bytes are here, or none: nobody wanted more of it."""
    date: float | None = None
    """When the file changed, of a file of this machine."""
    listing: str | None = None
    """It is a list of addresses that was sent with this Content-Type, perhaps none."""
    requisites: bool = False
    """It is wanted what it needs to look as it does."""
    dress: bool = False
    """It is no page, but what a page is dressed with: nothing else is wanted."""
    whole: bool = False
    """All of it is content, with nothing around it: a chapter of a book, a letter."""
    digest: str = ""
    """Of its bytes, where that is known already."""
    depth: int = 0
    """How many documents it lies within: a letter in a ZIP file lies within one."""
    allowance: Allowance = field(default_factory=Allowance, compare=False)
    inner: Reader | None = None
    """Reads what lies within it, whatever that is. Handed in, for it knows all readers and they cannot know it."""


Reader: TypeAlias = Callable[[Source], Page]
"""Never fails: what is wrong with a document is in `Page.problem`."""
