"""What is indexed of a page, and is it a page that wants to be found?"""

from __future__ import annotations

import re

from gossamer.frontier.ledger import Ledger
from gossamer.frontier.worth.soft404 import is_soft
from gossamer.index.entry import Entry
from gossamer.model import URL, Page
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.store.versions import Version
from gossamer.tagged import plain

_HEADING = re.compile(r"<h[1-6]>(.*?)</h[1-6]>", re.DOTALL)


def wanted(table: Table, archive: Archive, url: URL, version: Version) -> Page | None:
    """What a version says, unless it is none, or an error in disguise."""
    if not 200 <= version.status < 300 or is_soft_404(table, url):
        return None
    return archive.page(url, version)


def is_soft_404(table: Table, url: URL) -> bool:
    """What the frontier found out about a page: it is an error that does not say so."""
    entry = Ledger(table).get(url)
    return entry is not None and is_soft(entry)


def findable(page: Page) -> bool:
    """It wants to be found, says something, and is no copy."""
    copied = page.copy_of or page.near_copy_of
    return not page.noindex and not copied and bool(page.content or page.text or page.title)


def entry(url: URL, page: Page, began: float, site: str, text: bytes = b"", size: int = 0) -> Entry:
    """What is indexed of a page; `text` is a hint where its text lies, `size` that of the document."""
    return Entry(
        url,
        page.title,
        plain(" ".join(_HEADING.findall(page.html))),
        _body(page),
        site,
        page.media_type,
        page.language,
        page.published or began,
        text,
        size,
        page.published,
        began,
        page.fields,
    )


def _body(page: Page) -> str:
    """Its words, and those of its fields."""
    said = page.content or page.text
    if not page.fields:
        return said
    every = (value if isinstance(value, tuple) else (str(value),) for _, value in page.fields)
    return "\n".join((said, *(text for values in every for text in values)))
