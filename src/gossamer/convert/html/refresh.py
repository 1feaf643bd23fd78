"""Where does a page send its reader, and after how long? meta refresh and the Refresh header.

The rules are the HTML standard's "shared declarative refresh steps".
"""

from __future__ import annotations

import re
from typing import NamedTuple

_SECONDS_MOST = 10**9
_REFRESH = re.compile(
    r"""[\t\n\f\r ]*+ (?: ([0-9]++) [0-9.]*+ | (\.) [0-9.]*+ )
    (?: [\t\n\f\r ]*+ \Z
      | (?: [\t\n\f\r ]*+ [;,] | [\t\n\f\r ] ) [\t\n\f\r ]*+ (.*+) )""",
    re.VERBOSE | re.DOTALL,
)
_ADDRESS = re.compile(
    r"""(?: url [\t\n\f\r ]*+ = [\t\n\f\r ]*+ )?+
    (?: "([^"]*+) | '([^']*+) | (.*+) )""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_DROPPED = str.maketrans("", "", "\t\n\r")
BLANK = "".join(map(chr, range(0x21)))
"""What the URL standard cuts off at both ends of an address."""


class Refresh(NamedTuple):
    """The address as it is written; None for the page itself."""

    seconds: int
    url: str | None


def parse(text: str) -> Refresh | None:
    """Read the content of a meta refresh or the value of a Refresh header; None when it has no effect."""
    found = _REFRESH.match(text)
    if found is None:
        return None
    digits = found[1] or "0"
    seconds = int(digits) if len(digits) <= 9 else _SECONDS_MOST
    address = _ADDRESS.match(found[3] or "")
    url = (address[1] or address[2] or address[3]) if address else None
    return Refresh(seconds, url.translate(_DROPPED).strip(BLANK) or None if url else None)
