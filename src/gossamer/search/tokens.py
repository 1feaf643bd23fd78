"""Where does one part of a question end and the next begin? Words, phrases, operators, parentheses.

People paste addresses, commands, error messages and whole paragraphs. So a mark means something only where a person
would write it on purpose; everywhere else it is a part of a word, or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import zip_longest
from typing import TypeAlias

from gossamer.lazy import pattern

DEPTH_MOST = 20
"""Parentheses within each other; those that are deeper mean nothing."""
SHOUTED_LEAST = 4
"""Words, all in capitals, that make a question shouted: its AND, OR and NOT are words like the others."""
_QUOTES = dict.fromkeys(map(ord, "“”„‟«»＂"), '"')
_TOKEN = pattern(r'(-?)(?:([A-Za-z][A-Za-z0-9_]*):)?(?:"([^"]*)("?)|(\()|([^\s"]+))')
_OPTION = pattern(r"\W.*|.*=.*|[A-Za-z]\d*|\d{1,3}|\d*[.,:]\d[\d.,:]*", re.DOTALL)
"""What stands behind the dash of an option or of a number: `-l`, `--rebase`, `-x=y`, `-O2`, `-1`, `-0.5`."""
_COMMAND = pattern(r"--?[A-Za-z].*|[~.]{0,2}/.*|\||\|\||&&|\d?>{1,2}|<", re.DOTALL)
"""What a question has that is the command of a shell: `--rebase`, `-l`, `/etc`, `./x`, `|`."""
_LETTERS = pattern(r"[^\W\d_aeiouyAEIOUY]{2,4}", re.ASCII)
"""Few, and no vowel among them."""
_ENDING = ").,;:!?"
_WORD = pattern(r"\S+")
_INCHES = pattern(r"\d\"")


class Operator(Enum):
    """Words in capitals that join others."""

    AND = "AND"
    OR = "OR"
    NOT = "NOT"


@dataclass(frozen=True, slots=True)
class Piece:
    """A word or a phrase, with the name of a field before it or without."""

    text: str
    name: str = ""
    phrase: bool = False
    negated: bool = False
    start: int = field(default=0, compare=False)
    """Where the text stands in the question."""

    @property
    def is_loud(self) -> bool:
        """It is in capitals, as in SQL."""
        return not self.phrase and len(self.text) > 1 and self.text.isupper()


@dataclass(frozen=True, slots=True)
class Open:
    """An opening parenthesis, with the name of a field for all within, or without."""

    name: str = ""
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Close:
    """A closing parenthesis."""


Token: TypeAlias = Piece | Open | Close | Operator


def tokens(text: str, names: Collection[str], is_known: Callable[[str], bool] = lambda word: True) -> list[Token]:
    """The parts of a question; `names` are those that may stand before a colon. All parentheses are in pairs."""
    parts = list(_parts(text.translate(_QUOTES), names))
    return list(_balanced(list(_operators(_options(parts, is_known)))))


def is_left_open(text: str) -> bool:
    """Whether a phrase begins that has no end."""
    last = next(reversed(list(_TOKEN.finditer(text.translate(_QUOTES)))), None)
    if last is None or last[3] is None or last[4]:
        return False
    before = text[last.start() - 1 : last.start()] if last.start() else ""
    return not before or before.isspace() or before == "("


def has_lone_quote(text: str) -> bool:
    """Whether a mark stands alone that is neither the beginning of a phrase nor the sign of inches."""
    text = text.translate(_QUOTES)
    return text.count('"') % 2 == 1 and not is_left_open(text) and _INCHES.search(text) is None


def _options(parts: Sequence[Token], is_known: Callable[[str], bool]) -> list[Token]:
    """In a command, every dash is that of an option. So it is before a few letters that no title has, as in `rm -rf`:
    nobody would leave these out."""
    is_command = any(isinstance(part, Piece) and _is_of_command(part) for part in parts)
    return [
        Piece(f"-{part.text}", start=part.start - 1)
        if isinstance(part, Piece)
        and _is_dashed(part)
        and (is_command or (_LETTERS.fullmatch(part.text) and not is_known(part.text)))
        else part
        for part in parts
    ]


def _is_of_command(part: Piece) -> bool:
    plain = not (part.name or part.phrase or part.negated)
    return plain and _COMMAND.fullmatch(part.text) is not None


def _is_dashed(part: Piece) -> bool:
    return part.negated and not part.name and not part.phrase


def _parts(text: str, names: Collection[str]) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        minus, name, phrase, closed, opened, word = match.groups(default="")
        before = text[match.start() - 1 : match.start()]
        begins = not before or before.isspace() or before == "("
        known = name.lower() if name.lower() in names and not word.startswith("//") else ""
        other = name if not known else ""
        if word:
            start = match.start(2) if other else match.start(6)
            yield from _words(f"{other}:{word}" if other else word, known, minus if begins else "", start)
            continue
        yield from [Piece(other, start=match.start(2))] if other else []
        negated, start = begins and bool(minus), match.start(3)
        if opened:
            yield Open(known, negated)
        elif begins or closed or known:
            yield from [Piece(phrase, known, phrase=True, negated=negated, start=start)] if phrase or known else []
        else:  # behind inches, and not a phrase
            yield from (Piece(each[0], start=start + each.start()) for each in _WORD.finditer(phrase))


def _words(word: str, name: str, minus: str, start: int) -> Iterator[Token]:
    """A word, and the parentheses that close behind it. What looks like the option of a command is no NOT."""
    bare = word.rstrip(_ENDING)
    surplus = word.count(")") - word.count("(")
    closing = min(word[len(bare) :].count(")"), surplus) if surplus > 0 else 0
    if closing:
        word = bare
    if word:
        is_option = minus and not name and _OPTION.fullmatch(word)
        yield Piece(f"-{word}", start=start - 1) if is_option else Piece(word, name, negated=bool(minus), start=start)
    yield from [Close()] * closing


def _operators(parts: Sequence[Token]) -> Iterator[Token]:
    """NOT before a word in capitals is one of the words, as in NOT NULL."""
    if _is_shouted(parts):
        yield from parts
        return
    last: Token | None = None
    for part, following in zip_longest(parts, parts[1:]):
        meant = _operator(part)
        joined = isinstance(last, Operator)
        if meant is Operator.NOT and not joined and isinstance(following, Piece) and following.is_loud:
            meant = Operator.NOT if _operator(following) else None
        last = meant or part
        yield last


def _operator(part: Token) -> Operator | None:
    if not isinstance(part, Piece) or part.name or part.phrase or part.negated:
        return None
    return Operator.__members__.get(part.text)


def _is_shouted(parts: Sequence[Token]) -> bool:
    words = [part for part in parts if isinstance(part, Piece) and not part.name and not _operator(part)]
    return sum(part.is_loud for part in words) >= SHOUTED_LEAST and not any(map(_has_small_letters, words))


def _has_small_letters(part: Piece) -> bool:
    return any(map(str.islower, part.text))


def _balanced(parts: Sequence[Token]) -> Iterator[Token]:
    """Without the parentheses that have no other half, or are too deep."""
    opened: list[int] = []
    paired: set[int] = set()
    for place, part in enumerate(parts):
        if isinstance(part, Open):
            opened.append(place)
        elif isinstance(part, Close) and opened:
            if len(opened) <= DEPTH_MOST:
                paired |= {opened[-1], place}
            opened.pop()
    return (part for place, part in enumerate(parts) if not isinstance(part, Open | Close) or place in paired)
