"""A path of this machine as an address, `file:///...`, and back.

Names of files are bytes, and need not be UTF-8. Each byte that may not stand in an address is written as an escape, so
every name has one address and every address one name. There is no host: what comes before the path is `file://`.
"""

from __future__ import annotations

import posixpath
from urllib.parse import quote_from_bytes, unquote, unquote_to_bytes

from gossamer.model import URL
from gossamer.urls.normalize import normalize
from gossamer.urls.schemes import canonical as other_canonical
from gossamer.urls.schemes import scheme_of

ORIGIN = "file://"
"""What stands for scheme, host and port."""
_PLAIN = "/!$&'()*+,;=:@"
"""Stands in a path as it is, besides letters, digits and `-._~`."""


def is_path(url: str) -> bool:
    """Is it the address of a file of this machine?"""
    return url.startswith("file:///")


def address_of(path: bytes) -> URL:
    """The address of an absolute path without dots and doubled slashes."""
    return ORIGIN + quote_from_bytes(path, safe=_PLAIN)


def path_of(url: URL) -> bytes:
    """The path that an address stands for."""
    return unquote_to_bytes(url[len(ORIGIN) :])


def shown(url: URL) -> str:
    """The path as people read it; bytes that are no text are replaced."""
    return unquote(url[len(ORIGIN) :], errors="replace")


def name_of(url: URL) -> str:
    """The name of a file, likewise."""
    return shown(url).rpartition("/")[2]


def canonical(text: str) -> URL:
    """The one form of an address that somebody names, of the web or of a file. InvalidURL when it is neither."""
    if not is_path(text):
        return other_canonical(text) if scheme_of(text) else normalize(text)
    path = posixpath.normpath(unquote_to_bytes(text[len(ORIGIN) :].partition("#")[0]))
    return address_of(b"/" + path.lstrip(b"/"))
