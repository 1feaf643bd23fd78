"""Where does an answer lead? A redirect and its Location (RFC 9110, sections 10.2.2 and 15.4), read in one place.

What becomes of an address that redirects is decided in `frontier/answer/`.
"""

from __future__ import annotations

from gossamer.errors import InvalidURL
from gossamer.model import URL, Capture
from gossamer.urls import normalize
from gossamer.urls.schemes import joined, scheme_of

REDIRECTS = frozenset({301, 302, 303, 307, 308})


def location(capture: Capture) -> str:
    """What the server says; empty where it says nothing. Values are Latin-1; who sends raw UTF-8 means UTF-8."""
    said = capture.header("location") or ""
    try:
        return said.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return said


def target(capture: Capture) -> URL | None:
    """The address that is meant; None where an answer is no redirect, or leads to what is no address."""
    said, url = location(capture), capture.visit.url
    if not said or capture.status not in REDIRECTS:
        return None
    try:
        return joined(said, url) if scheme_of(url) else normalize(said, url)
    except InvalidURL:
        return None
