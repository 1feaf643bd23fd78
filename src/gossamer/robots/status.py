"""What does the status of /robots.txt mean? (RFC 9309, section 2.3.1)

Three choices are ours. 429 asks us to come back later, so it is read like 5xx. A status that HTTP does
not define tells us nothing, nor does a 304, since we ask without a condition; in doubt we stay out.
"""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """The RFC's words, for what a crawler has to do next."""

    RULES = "rules"
    """The body holds the rules: parse it."""
    UNAVAILABLE = "unavailable"
    """There are no rules: everything may be fetched."""
    UNREACHABLE = "unreachable"
    """We cannot know the rules: fetch nothing and ask again later."""


def verdict(status: int) -> Verdict:
    """The meaning of the final status; a redirect is final when no more of them are followed."""
    if 200 <= status < 300:
        return Verdict.RULES
    if 300 <= status < 500 and status not in (304, 429):
        return Verdict.UNAVAILABLE
    return Verdict.UNREACHABLE
