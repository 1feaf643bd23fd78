"""The names in a folder of a server, as a page of links in gemtext.

Names are handed over in Latin-1, in which each byte is a character: they may be in any encoding.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from gossamer.fetch.protocols.asking import Said
from gossamer.fetch.protocols.deadlines import Course

NAMES_MOST = 10_000
"""Of a folder, as the next."""
LIST_MOST = 4 << 20
"""Bytes, ends of lines included."""
LINES_MOST = 2 * NAMES_MOST
"""Those that name nothing included: each takes some work, however short it is."""
_WRITTEN = 4
"""So many times as long as a name may be what is written of it: as a link with escapes, and as text."""
_UNIX = re.compile(r"([-dlbcps])[-rwxsStTlL]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+\d+\s+\S+\s+\d+\s+[\d:]+\s(.+)")
_DOS = re.compile(r"\d\d-\d\d-\d\d(?:\d\d)?\s+\d\d:\d\d(?:[AP]M)?\s+(<DIR>|\d+)\s+(.+)")


class Listing:
    """A folder, as its names come."""

    def __init__(self, path: str, course: Course) -> None:
        self._course = course
        self._lines = [f"# {_text(path)}"]
        self._read = self._taken = 0

    def take(self, line: str, kind: str, name: str) -> bool:
        """Note what a line of the server names; is there room for more?"""
        self._course.came(len(line) + 1)
        self._course.wait_for_room(_WRITTEN * (len(line) + 1))
        self._read += len(line) + 1
        self._taken += 1
        if kind in ("file", "dir") and name not in (".", ".."):
            slash = "/" if kind == "dir" else ""
            self._lines.append(f"=> ./{quote(name, encoding='latin-1')}{slash} {_text(name)}{slash}")
        return len(self._lines) <= NAMES_MOST and self._taken <= LINES_MOST and self._read <= LIST_MOST

    def said(self) -> Said:
        """The page."""
        body = "\n".join(self._lines).encode("utf-8", "replace")
        return Said(200, body, (("content-type", "text/gemini; charset=utf-8"),), "OK")


def is_named(path: str) -> bool:
    """May it be asked for? One with an escaped step upwards would leave the folders that a scope holds to."""
    return ".." not in path.split("/") and not any(character in path for character in "\r\n\0")


def by_columns(line: str) -> tuple[str, str]:
    """Kind and name of a line for people, as nearly all servers write it: that of `ls -l`, or that of DOS."""
    if found := _UNIX.fullmatch(line):
        return {"d": "dir", "-": "file"}.get(found[1], ""), found[2]
    found = _DOS.fullmatch(line)
    return ("dir" if found[1] == "<DIR>" else "file", found[2]) if found else ("", "")


def _text(name: str) -> str:
    """A name as people read it."""
    octets = name.encode("latin-1")
    try:
        return octets.decode()
    except UnicodeDecodeError:
        return name
