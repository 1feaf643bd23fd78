"""What does a stylesheet ask for? Addresses in url() and image-set(), and further stylesheets (@import).

Only the few tokens of CSS are told apart that matter for this: comments, strings, addresses, and the rules in which a
string is an address. That is one pass of one pattern without backtracking, so a stylesheet costs what its length costs,
whoever has written it. What a browser would not load (the name of an @namespace, a type() in an image-set()) is passed
over; a function whose name is written with escapes is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from gossamer.lazy import pattern

# One that is not closed ends with its line, or with the stylesheet. It is a token too, or it would be read again and
# again from each quote on.
_STRING = r'"(?:[^"\\\n]|\\.)*+"?+|' + r"'(?:[^'\\\n]|\\.)*+'?+"
_TOKEN = pattern(
    rf"""/\*(?:[^*]|\*(?!/)|(?!))*+(?:\*/)?+
    |(?P<rule>@(?:import|namespace)(?![\w-]))
    |(?P<set>image-set\()
    |type\(\s*+(?:{_STRING})\s*+\)
    |(?P<url>(?<![\w-])(?:url|src)\(\s*+(?:(?P<quoted>{_STRING})|(?P<bare>(?:[^\s"'()\\]|\\.)++))\s*+\))
    |(?P<string>{_STRING})
    |(?P<end>[;{{}}])""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_ESCAPE = pattern(r"\\(?:([0-9A-Fa-f]{1,6})\s?|(\n)|(.))", re.DOTALL)
IMPORT, STYLE = "import", "style"
"""The places of what a stylesheet asks for: another one, and all else."""


class Asked(NamedTuple):
    """An address in a stylesheet."""

    address: str
    """As it is meant: without quotes and escapes."""
    place: str
    start: int
    """Where it stands, with all that says it is an address."""
    end: int


def asked(css: str) -> Iterator[Asked]:
    """What a stylesheet asks for, in the order in which it stands there."""
    rule = ""
    in_set = False
    for token in _TOKEN.finditer(css):
        kind = token.lastgroup
        if kind == "rule":
            rule = token["rule"].lower()
        elif kind == "set":
            in_set = True
        elif kind == "end":
            rule, in_set = "", False
        elif kind in ("url", "string"):
            # The group that ended last is the outer one: an address in quotes is both.
            quoted = token["string"] or token["quoted"]
            meant = unescaped(_unquoted(quoted) if quoted else token["bare"])
            if rule == "@import":
                yield Asked(meant, IMPORT, *token.span())
            elif not rule and (kind == "url" or in_set):
                yield Asked(meant, STYLE, *token.span())
            rule = ""


def rewritten(css: str, means: Callable[[Asked], str]) -> str:
    """The stylesheet with each address replaced by what `means` gives for it: a part of CSS."""
    parts: list[str] = []
    done = 0
    for each in asked(css):
        parts += (css[done : each.start], means(each))
        done = each.end
    return "".join((*parts, css[done:]))


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text.endswith(text[0]) else text[1:]


def unescaped(text: str) -> str:
    """An address as it is meant."""
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(escaped: re.Match[str]) -> str:
    if escaped[1]:
        code = int(escaped[1], 16)
        return chr(code) if 0 < code < 0xD800 or 0xDFFF < code <= 0x10FFFF else "\ufffd"
    return escaped[3] or ""
