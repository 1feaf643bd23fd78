"""How much is wanted of a body whose kind nobody has told? Its first bytes and its name say what it is.

Without a media type all would count as text, and a document that is longer than a text may be would be cut: what is
left of a PDF or a ZIP file then cannot be read at all.
"""

from __future__ import annotations

from gossamer.fetch.limits import Limits
from gossamer.model import Visit

LOOKED_AT = 4_096
"""Bytes by which it is told what kind of file it is."""


def kind_of(visit: Visit, media_type: str, head: bytes) -> str:
    """The media type, or what it is likely to be."""
    if media_type:
        return media_type
    from gossamer.convert.files.kinds import likely  # with all that reads pages, which most answers do not need

    return likely(head[:LOOKED_AT], visit.url)


def cap(limits: Limits, visit: Visit, media_type: str, head: bytes) -> int:
    """Decoded bytes that are kept of a body that begins so."""
    return limits.cap(visit.kind, kind_of(visit, media_type, head))
