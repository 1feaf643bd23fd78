"""What stands at an address. A place is a host, a role and a number, and its path can be read back.

Every plain page may have companions with the same number in other roles: a copy, a dead link, a redirect.
The first part of a companion's path is its role, so that a log can be read without a key.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple


class Role(StrEnum):
    """What kind of thing it is; the value is where its path begins."""

    PAGE = ""
    COPY = "copy"
    DRAFT = "draft"
    FORM = "form"
    QUOTE = "quote"
    MISSING = "missing"
    BROKEN = "broken"
    BUSY = "busy"
    DROPPED = "dropped"
    SILENT = "silent"
    CUT = "cut"
    MOVED = "moved"
    LANDING = "landing"
    LOOP = "loop"
    PRIVATE = "private"
    OPEN = "private/open"
    CLOSED = "closed"
    HIDDEN = "hidden"
    SPONSORED = "sponsored"
    ORPHAN = "orphan"
    CALENDAR = "calendar"
    ECHO = "echo"
    SESSION = "visitor"
    FACETS = "catalogue"
    KEYS = "shelf"
    ROBOTS = "robots.txt"
    POLICY = "policy.txt"
    SITEMAP = "sitemap"


FAULTY = frozenset({Role.BROKEN, Role.BUSY, Role.DROPPED, Role.SILENT, Role.CUT})
TRAPS = frozenset({Role.CALENDAR, Role.ECHO, Role.SESSION, Role.FACETS, Role.KEYS})
ROBOTS = frozenset({Role.ROBOTS, Role.POLICY})
LIKE_THE_PAGE = frozenset({Role.PAGE, Role.COPY, Role.DRAFT})


class Place(NamedTuple):
    """One thing in the web."""

    host: int
    role: Role
    number: int = 0
    rest: str = ""
    """The query of a redirect; for a trap or a sitemap, all of the path and query after the role."""

    @property
    def original(self) -> Place:
        """The plain page that a copy is a copy of; everything else is its own original."""
        return Place(self.host, Role.PAGE, self.number) if self.role in LIKE_THE_PAGE else self

    @property
    def key(self) -> tuple[int, str, int]:
        """What chance is drawn by."""
        return self.host, self.role.value, self.number


_NUMBERED = re.compile(r"/(?:(.*)/)?[a-z]+-[a-z]+-[a-z]+-(0|[1-9]\d{0,9})\.html(?:\?(hop=\d{1,4}|turn=[01]))?")
_WHOLE = re.compile(r"/(calendar|echo|visitor|catalogue|shelf|sitemap)([-./?].*)?", re.DOTALL)


def place_of(host: int, target: str) -> Place | None:
    """What a path with its query means; whether it exists is for the layout to say."""
    if target == "/":
        return Place(host, Role.PAGE)
    if target in ("/robots.txt", "/policy.txt"):
        return Place(host, Role(target[1:]))
    if match := _NUMBERED.fullmatch(target):
        return Place(host, _role(match[1] or ""), int(match[2]), match[3] or "")
    if match := _WHOLE.fullmatch(target):
        return Place(host, Role(match[1]), 0, match[2] or "")
    return None


def _role(prefix: str) -> Role:
    """A prefix that names no role is the section of a plain page."""
    try:
        return Role(prefix)
    except ValueError:
        return Role.PAGE
