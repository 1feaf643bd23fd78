"""Regular expressions that cannot be made to hang.

Include and exclude patterns come from people and meet addresses that come from strangers, so
matching must take linear time whatever both contain. RE2 promises that; Python's own engine does
not. The price: no look-around and no back-references.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

import re2  # type: ignore[import-untyped]  # the package ships no types

from gossamer.errors import InvalidPattern

PATTERNS_MOST = 50_000
"""Patterns that are searched for together. To compile so many takes seconds."""
_MEMORY = 64 << 20
_SHOWN = 300
"""Characters of a pattern that are shown."""
_FEWER = "one can say the same of many addresses, as in '^https://[^/]*example[.]org/(a|b|c)/'"
_GLOB = re.compile(r"^\*|(?<![\\\])])/\*+(?:[.\w/]|$)")
"""A star at the beginning or after a slash, as in `*.pdf` and `/guide/*.html`: nobody wants slashes repeated."""
_MEANT = {".": r"\.", "*": "[^/]*", "?": "[^/]"}
"""What a sign of a shell is in a regular expression."""


class Patterns:
    """Some regular expressions, searched for anywhere in a text."""

    def __init__(self, patterns: Collection[str]) -> None:
        if len(patterns) > PATTERNS_MOST:
            raise InvalidPattern(f"{len(patterns):,} patterns: {PATTERNS_MOST:,} can be searched for at most; {_FEWER}")
        self._each = [(pattern, _compiled(pattern)) for pattern in patterns]
        try:
            self._any = _compiled("|".join(f"(?:{pattern})" for pattern, _ in self._each))
        except InvalidPattern:  # each of them compiles
            raise InvalidPattern(
                f"{len(patterns):,} patterns: too long to be searched for together; {_FEWER}"
            ) from None

    def match(self, text: str) -> bool:
        """Does one of them occur in `text`?"""
        return bool(self._each) and self._any.search(text.encode("utf-8", "replace")) is not None

    def first_match(self, text: str) -> str | None:
        """The first of the patterns that occurs in `text`."""
        if not self.match(text):
            return None
        if len(self._each) == 1:
            return self._each[0][0]
        data = text.encode("utf-8", "replace")
        return next(pattern for pattern, regexp in self._each if regexp.search(data))


@lru_cache(maxsize=8)
def patterns(each: tuple[str, ...]) -> Patterns:
    """The same for the same ones: a plan is looked at many times, and may have thousands."""
    return Patterns(each)


def glob_hint(pattern: str) -> str:
    """What a pattern would be that looks like one of a shell; nothing where it does not."""
    if not _GLOB.search(pattern):
        return ""
    meant = re.sub(r"(?<!\\)\.|\*+|\?", lambda found: _MEANT.get(found[0], ".*"), pattern.strip("*"))
    if not pattern.endswith(("*", "$")):
        meant += "$"  # in a shell it is the whole name
    perhaps = f"; perhaps '{meant}' is meant" if meant else ""
    return f"patterns are regular expressions, in which * repeats what stands before it{perhaps}"


def _compiled(pattern: str) -> re2._Regexp:
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _MEMORY
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace")
    except UnicodeEncodeError:
        reason = "it contains a lone surrogate"
    hint = glob_hint(pattern[:_SHOWN]) or "patterns are regular expressions"
    raise InvalidPattern(
        f"the pattern {pattern[:_SHOWN]!r} does not compile: {reason[:_SHOWN]}; {hint}; the syntax is that of"
        " RE2, without look-around and back-references (https://github.com/google/re2/wiki/Syntax)"
    )
