"""What can this terminal show? What its encoding lacks is replaced, and it has colours unless nobody wants them.

NO_COLOR is honoured as https://no-color.org asks: set, and not empty.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
import unicodedata

_HANDLER = "gossamer.nearest"
_NEAREST = {"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-", "‑": "-", "•": "*"}


def prepare() -> None:
    """From now on nothing that is printed can fail for its characters. A way that the user has named stays."""
    codecs.register_error(_HANDLER, _nearest)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and (stream is sys.stderr or stream.errors in _USUAL):
            stream.reconfigure(errors=_HANDLER)


_USUAL = ("strict", "surrogateescape")
"""What Python takes where nobody has named another."""


def is_coloured() -> bool:
    """Whether standard output is a terminal that may be painted."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def encoded(words: str) -> bytes:
    """For who writes bytes: as standard output would have them."""
    codecs.register_error(_HANDLER, _nearest)
    return words.encode(sys.stdout.encoding or "utf-8", _HANDLER)


def _nearest(error: UnicodeError) -> tuple[str, int]:
    """The plain letters of what cannot be shown, a question mark where there are none."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(map(_plain, lacking)), error.end


def _plain(character: str) -> str:
    found = _NEAREST.get(character) or unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return found or ("" if unicodedata.combining(character) else "?")
