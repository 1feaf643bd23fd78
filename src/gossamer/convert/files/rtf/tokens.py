"""Rich Text Format cut into tokens: control words, groups, bytes of text. RTF 1.9.1, "RTF syntax"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    rb"\\(?:([a-zA-Z]{1,64})(-?\d{1,10})? ?|'([0-9a-fA-F]{2})|([^a-zA-Z]))|([{}])|([^\\{}\r\n\0]+)|[\r\n\0\\]",
    re.DOTALL,
)


class Token(NamedTuple):
    """One token; one of the first three is not empty."""

    word: str = ""
    """A control word, a control symbol or a brace."""
    text: bytes = b""
    escaped: bool = False
    """The text is one byte that was written as a number or behind a backslash."""
    number: int | None = None
    """The parameter of a word."""


_OPENS, _CLOSES = Token("{"), Token("}")


def tokens(data: bytes) -> Iterator[Token]:
    """All tokens. Binary data is passed over, as is what cannot be a token."""
    at = 0
    while found := _TOKEN.match(data, at):
        at = found.end()
        kind = found.lastindex
        if kind == 6:
            yield Token(text=found[6])
        elif kind == 5:
            yield _OPENS if found[5] == b"{" else _CLOSES
        elif kind == 3:
            yield Token(text=bytes.fromhex(found[3].decode()), escaped=True)
        elif kind == 4:
            yield _symbol(found[4])
        elif kind is not None:
            number = int(found[2]) if found[2] else None
            if found[1] == b"bin":
                at += max(number or 0, 0)
            else:
                yield Token(found[1].decode(), number=number)


def _symbol(sign: bytes) -> Token:
    """What a backslash makes of a character that is no letter."""
    if sign in b"\\{}":
        return Token(text=sign, escaped=True)
    return Token("par" if sign in b"\r\n" else sign.decode("latin-1"))
