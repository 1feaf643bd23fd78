"""A path of this machine as an address, `file:///...`, and back.

Names of files are bytes, and need not be UTF-8. Each byte that may not stand in an address is written as an escape, so
every name has one address and every address one name. There is no host: what comes before the path is `file://`.

Files elsewhere that `gossamer files` reads have the addresses that fsspec gives them, as s3://bucket/key; their path is
that address without escapes. A member of an archive lies below it, as zip:///home/me/a.zip/member.
"""

from __future__ import annotations

import posixpath
from urllib.parse import quote_from_bytes, unquote, unquote_to_bytes

from gossamer.errors import InvalidURL
from gossamer.model import URL
from gossamer.plugins import OF_FILES
from gossamer.printable import repeated
from gossamer.urls.normalize import normalize
from gossamer.urls.schemes import canonical as other_canonical
from gossamer.urls.schemes import scheme_of

ORIGIN = "file://"
"""What stands for scheme, host and port."""
_PLAIN = "/!$&'()*+,;=:@"
"""Stands in a path as it is, besides letters, digits and `-._~`."""
ARCHIVES = frozenset({"zip", "tar"})
"""Files of this machine whose members are files."""


def is_path(url: str) -> bool:
    """Is it the address of a file that its user has named, of this machine or elsewhere?"""
    return url.startswith("file:///") or is_elsewhere(url)


def is_elsewhere(url: str) -> bool:
    """Is it the address of a file that fsspec opens?"""
    return url.partition("://")[0] in OF_FILES


def address_of(path: bytes) -> URL:
    """The address of an absolute path without dots and doubled slashes."""
    return (ORIGIN if path.startswith(b"/") else "") + quote_from_bytes(path, safe=_PLAIN)


def path_of(url: URL) -> bytes:
    """The path that an address stands for."""
    return unquote_to_bytes(url.removeprefix(ORIGIN))


def shown(url: URL) -> str:
    """The path as people read it; bytes that are no text are replaced."""
    return unquote(url.removeprefix(ORIGIN), errors="replace")


def name_of(url: URL) -> str:
    """The name of a file, likewise."""
    return shown(url).rstrip("/").rpartition("/")[2]


def canonical(text: str) -> URL:
    """The one form of an address that somebody names, of the web or of a file. InvalidURL when it is neither."""
    if is_elsewhere(text):
        return _canonical_elsewhere(text)
    if not is_path(text):
        return other_canonical(text) if scheme_of(text) else normalize(text)
    path = posixpath.normpath(unquote_to_bytes(text[len(ORIGIN) :].partition("#")[0]))
    return address_of(b"/" + path.lstrip(b"/"))


def _canonical_elsewhere(text: str) -> URL:
    scheme, _, rest = text.partition("://")
    place, _, path = rest.partition("/")
    if bool(place) is (scheme in ARCHIVES):
        raise InvalidURL(
            f"{repeated(text, 60)!r} names no place; write it like s3://bucket/folder or zip:///home/me/a.zip"
        )
    if ":" in place.rpartition("@")[0] or "?" in text:
        raise InvalidURL(
            f"{scheme}://: a place is named without passwords, keys and parameters; fsspec takes those from the"
            " environment and its own files (a ? in a name is written %3F)"
        )
    below = posixpath.normpath(b"/" + unquote_to_bytes(path.partition("#")[0]).lstrip(b"/"))
    return f"{scheme}://{quote_from_bytes(place.encode(), safe=_PLAIN)}{quote_from_bytes(below, safe=_PLAIN)}"
