"""What may we do with a page that we have? The robots meta element and the X-Robots-Tag header.

Both speak the same words; of all that concern us the strictest hold. There is no standard: we follow what the
large search engines document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gossamer.robots.rules import product_token

_VALUED = re.compile(r"(?:unavailable_after|max-[a-z-]+)\s*[:=]\s*[^\s,;]*")
"""Directives with a value, which is no directive even where it is the word `none`."""
_ADDRESSED = re.compile(r"\s*([a-z_*][\w.*-]*)\s*:(.*)", re.DOTALL)
_BETWEEN = re.compile(r"[\s,;:]+")
_WORDS = frozenset({"noindex", "nofollow", "none", "noarchive"})
_EVERYONE = frozenset({"robots", "*"})


@dataclass(frozen=True, slots=True)
class Directives:
    """What the owner does not want done."""

    noindex: bool = False
    nofollow: bool = False
    noarchive: bool = False


def read(headers: Iterable[str], metas: Iterable[tuple[str, str]], agent: str) -> Directives:
    """Take the X-Robots-Tag values and the (name, content) of the page's meta elements together."""
    us = _EVERYONE | {product_token(agent)}
    words: set[str] = set()
    for value in headers:
        words |= _for_us(value, us)
    for name, content in metas:
        if name.strip().lower() in us:
            words.update(_words(content))
    return Directives(
        noindex=not words.isdisjoint({"noindex", "none"}),
        nofollow=not words.isdisjoint({"nofollow", "none"}),
        noarchive="noarchive" in words,
    )


def _words(text: str) -> list[str]:
    return _BETWEEN.split(_VALUED.sub(" ", text.lower()))


def _for_us(value: str, us: frozenset[str]) -> set[str]:
    """The words of one header. A name before a colon says for whom the words after it are.

    Dates hold colons and commas too, but what stands before a colon in a date is never one word.
    """
    words: set[str] = set()
    listening = True
    for part in _VALUED.sub(" ", value.lower()).split(","):
        addressed = _ADDRESSED.match(part)
        if addressed and addressed[1] not in _WORDS:
            listening, part = addressed[1] in us, addressed[2]
        if listening:
            words.update(_words(part))
    return words
