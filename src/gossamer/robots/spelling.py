"""When are two paths the same? Rules and addresses are brought to one spelling and compared octet by octet.

RFC 9309 section 2.2.2 wants needless escapes undone and the others written out. Google's suite for the same
standard keeps two things apart that the RFC calls equal: escaped letters and digits, and octets outside ASCII
in an address. So there are two spellings. `of_pattern` and `of_path` give the careful one, which both
agree on; `folded` gives the RFC's. A Disallow holds in both, an Allow only in the careful one: where they
differ, we stay out.

Escaped delimiters (%2F in a path, %26 in a query) stay as they are: RFC 3986 says they mean something else.
"""

from __future__ import annotations

import re
from itertools import product
from string import ascii_letters, digits

_ESCAPE = rb"%[0-9A-Fa-f]{2}"
_NO_URL_CHARACTER = rb"\x00-\x20\x22<>\\^`{|}\x7f"
_IN_PATTERN = re.compile(_ESCAPE + rb"|[" + _NO_URL_CHARACTER + rb"\x80-\xff]|\$(?!\Z)")
_IN_PATH = re.compile(_ESCAPE + rb"|[" + _NO_URL_CHARACTER + rb"*$]")
_FOLDABLE = re.compile(_ESCAPE + rb"|[\x80-\xff]")
_URL = re.compile(r"(?:[^/?;#]*?://|//)?[^/?;#]*([^#]*)")

_NEEDLESS = b"-._~:@!'(),[]"
"""Characters that mean the same escaped and plain: unreserved marks, and what delimits nothing."""


def _table(plain: bytes) -> dict[bytes, bytes]:
    """An octet that may not stand -> %XX. Any escape -> the character if it is in `plain`, else %XX."""
    table = {}
    for octet in range(256):
        character, escape = bytes([octet]), b"%%%02X" % octet
        cases = [{digit, digit.lower()} for digit in escape[1:].decode()]
        for high, low in product(*cases):
            table[f"%{high}{low}".encode()] = character if character in plain else escape
        table[character] = escape
    return table


_CAREFUL = _table(_NEEDLESS)
_PATH = _table(_NEEDLESS + (ascii_letters + digits).encode())
_QUERY = _table(_NEEDLESS + (ascii_letters + digits + "/?").encode())


def of_pattern(pattern: bytes) -> bytes:
    """The spelling of a rule's path. `*` and a last `$` keep their meaning."""
    return _IN_PATTERN.sub(lambda match: _CAREFUL[match[0]], pattern)


def of_path(path: bytes) -> bytes:
    """The spelling of an address's path, in which `*` and `$` are characters like any other."""
    return _IN_PATH.sub(lambda match: _CAREFUL[match[0]], path)


def folded(spelled: bytes) -> bytes:
    """All that the RFC calls equal, made equal. A slash is data once the query has begun."""
    if b"%" not in spelled and spelled.isascii():
        return spelled
    path, mark, query = spelled.partition(b"?")
    path = _FOLDABLE.sub(lambda match: _PATH[match[0]], path)
    return path + mark + _FOLDABLE.sub(lambda match: _QUERY[match[0]], query)


def path_of(url: str) -> bytes:
    """Path and query of an address as given, whole or relative to some host; `/` when it has none."""
    found = _URL.match(url)
    path = found[1] if found else ""
    return (path if path.startswith("/") else f"/{path}").encode("utf-8", "surrogatepass")
