"""Documents within documents: a letter with a letter attached, a book of chapters, an archive of archives.

What lies within is read like any other document, to a depth of three, and all of it against one allowance.
"""

from __future__ import annotations

from dataclasses import replace

from gossamer import tagged
from gossamer.convert.files import kinds
from gossamer.convert.files.text.plain import write_text
from gossamer.convert.source import Source
from gossamer.convert.type.sniff import media_type as sniffed
from gossamer.model import Page

DEPTH_MOST = 3


def read_within(source: Source, data: bytes, name: str, media_type: str = "") -> Page:
    """What a document says that lies within another. It has no address, so only absolute links are kept."""
    if source.inner is None or source.depth >= DEPTH_MOST:
        return Page(problem=f"it lies within more than {DEPTH_MOST} documents, and was not read")
    said = (media_type,) if media_type else ()
    kind = kinds.settled(data, sniffed(data, said), name, untold=not said)
    depth, allowance, inner = source.depth + 1, source.allowance, source.inner
    page = inner(Source(data, kind, agent=source.agent, whole=True, depth=depth, allowance=allowance, inner=inner))
    return page if page.html or not page.text else replace(page, html=_tagged(page.text))


def _tagged(text: str) -> str:
    writer = tagged.Writer()
    write_text(writer, text)
    return writer.html()
