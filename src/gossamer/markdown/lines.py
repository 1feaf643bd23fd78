"""The text of one block in Markdown: what is emphasised, what is a link, and which characters have to be escaped.

After CommonMark 0.31. Emphasis begins and ends at a word there, never at a space and not everywhere beside punctuation:
so spaces move out of it, and emphasis that would not be seen is left away. A character is escaped only where it would
be taken for markup. What Markdown cannot say (`sub`, `sup`, a new line in a cell) is written as HTML, as is usual.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import punctuation
from unicodedata import category

from gossamer.lazy import pattern

_SPACES = pattern(r"[ \t\n\r\f]{2,}|[\t\n\r\f]")
"""All that is not one space already."""
_LINE_ENDS = pattern(r"[\t\n\r\f]")
_BACKTICKS = pattern(r"`+")
_MARKUP = pattern(r"[\\`*_~<&!\[\]]")
_REFERENCE = pattern(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);")
_PICTURED = pattern(r"[\\`*_~<&\[\]]")
_TAG_BEGINS = pattern(r"<[A-Za-z/!?]")
_BEGINS_BLOCK = pattern(r"#{1,6}(?= |$)|[-+*](?= |$)|>|=+ *$|[-:|][-:| ]*$")
_NUMBERED = pattern(r"(\d{1,9})([.)])(?= |$)")
_ENDS_HEADING = pattern(r"(?:^|(?<= ))#+$")
_TO_ESCAPE = pattern(r"[\x00-\x20\x7f\\()<>&]")
"""What most addresses have nothing of."""
_IN_ADDRESS = pattern(r"[\\()<>]|&(?=#?[A-Za-z0-9]+;)")
_NEVER_IN_ADDRESS = pattern(r"[\x00-\x20\x7f]")
_DEFINES = "]:"
"""After a bracket that opens a line it makes the line a definition, even in code."""
_DISPLAYED = pattern(r"\{\\displaystyle (.*)\}", re.DOTALL)
"""As encyclopedias write all of their formulas."""
_STARS = {"em": "*", "strong": "**", "del": "~~"}
_NOTHING = " "
"""What stands before a line and after it, as far as emphasis is concerned."""


@dataclass(slots=True, eq=False)
class _Piece:
    """A part of a line. Its kind is `text`, `code`, `break`, `open`, `close`, `picture` or `formula`."""

    kind: str
    value: str
    """Text, or the name of an element."""
    href: str = ""
    mate: _Piece | None = None
    """The other end of an element."""
    left_away: bool = False


class Line:
    """Takes in the words of a block and the elements among them, in their order. Then it can be written, once."""

    def __init__(self) -> None:
        self._pieces: list[_Piece] = []
        self._open: list[_Piece] = []
        self._begun = 0
        """How many of the open elements have a word in them; the others wait for one."""
        self._count = {"a": 0, "em": 0, "strong": 0, "del": 0, "sub": 0, "sup": 0}
        self._gap = ""
        self._is_plain = True
        """No element was ever opened in it that is written with stars."""

    def __bool__(self) -> bool:
        return bool(self._pieces)

    def is_bare(self) -> bool:
        """No element is open."""
        return not self._open

    def text(self, words: str) -> None:
        """Words that flow: white space collapses."""
        if words == "\n":  # between two blocks, mostly
            self._part(" ")
            return
        words = _SPACES.sub(" ", words)
        bare = words.strip(" ")
        if bare == words:
            self._put(_Piece("text", words))
            return
        if words.startswith(" "):
            self._part(" ")
        if bare:
            self._put(_Piece("text", bare))
            if words.endswith(" "):
                self._part(" ")

    def code(self, words: str) -> None:
        """Words of a program."""
        words = _LINE_ENDS.sub(" ", words)
        if words.strip(" "):
            self._put(_Piece("code", words))
        else:
            self._part(" ")

    def picture(self, words: str, source: str) -> None:
        """A picture, with the words that stand for it."""
        self._put(_Piece("picture", " ".join(words.split()), source))

    def formula(self, tex: str) -> None:
        """A formula as it was written."""
        tex = " ".join(tex.split())
        displayed = _DISPLAYED.fullmatch(tex)
        if tex:
            self._put(_Piece("formula", displayed[1].strip() if displayed else tex))

    def end_line(self) -> None:
        """The next word stands in a line of its own."""
        self._part("\n")

    def open(self, name: str, href: str = "") -> None:
        """An element begins: `a`, `em`, `strong`, `del`, `sub`, `sup`. In another of the same name it means nothing."""
        self._count[name] += 1
        if name in _STARS:
            self._is_plain = False
        self._open.append(_Piece("open", name, href, left_away=self._count[name] > 1))

    def close(self, name: str) -> None:
        """The last element of that name ends, and with it those that were opened in it."""
        while self._count[name]:
            last = self._open.pop()
            self._count[last.value] -= 1
            if self._begun > len(self._open):
                self._begun -= 1
                if not last.left_away:
                    last.mate = _Piece("close", last.value, last.href, last)
                    self._pieces.append(last.mate)
            if last.value == name:
                return

    def paragraph(self) -> list[str]:
        """The lines of a paragraph. None of them can be taken for the beginning of something else."""
        return [_begun_plainly(line) for line in self._written("\\\n").split("\n")]

    def heading(self) -> str:
        """The text of a heading."""
        return _ENDS_HEADING.sub(r"\\\g<0>", self._written(" "))

    def cell(self) -> str:
        """The text of a cell of a table."""
        return self._written("<br>").replace("|", "\\|")

    def _part(self, gap: str) -> None:
        if self._pieces and self._gap != "\n":
            self._gap = gap

    def _put(self, piece: _Piece) -> None:
        if self._gap:
            self._pieces.append(_Piece("break", "\n") if self._gap == "\n" else _Piece("text", " "))
            self._gap = ""
        for number in range(self._begun, len(self._open)):
            self._begin(number)
        self._begun = len(self._open)
        self._pieces.append(piece)

    def _begin(self, number: int) -> None:
        """Write where an element begins. If its like has just ended, that one goes on."""
        mark, last = self._open[number], self._pieces[-1] if self._pieces else None
        if mark.left_away:
            return
        if last is not None and last.kind == "close" and (last.value, last.href) == (mark.value, mark.href):
            self._pieces.pop()
            assert last.mate is not None
            self._open[number] = last.mate
        else:
            self._pieces.append(mark)

    def _written(self, line_end: str) -> str:
        while self._open:
            self.close(self._open[-1].value)
        if not self._is_plain:
            _leave_away_unseen(self._pieces)
        pieces = _joined(self._pieces) if len(self._pieces) > 1 else self._pieces
        linked = False
        parts: list[str] = []
        for number, piece in enumerate(pieces):
            if piece.kind == "break":
                parts.append(line_end)
            elif piece.kind == "text" or (linked and _DEFINES in piece.value):
                first = not number or pieces[number - 1].kind == "break"
                parts.append(_escaped(piece.value, linked, first, pieces[number + 1 : number + 2]))
            elif piece.kind == "code":
                parts.append(_code_span(piece.value))
            elif piece.kind == "picture":
                parts.append(f"![{_PICTURED.sub(_with_backslash, piece.value)}]({_address(piece.href)})")
            elif piece.kind == "formula":
                fence = "$" if len(pieces) > 1 else "$$"
                parts.append(f"{fence}{piece.value}{fence}")
            else:
                parts.append(_mark(piece))
                linked = piece.kind == "open" if piece.value == "a" else linked
        return "".join(parts)


def _joined(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Neighbours of text become one, so that what is markup only together is seen; of code likewise."""
    joined: list[_Piece] = []
    kind, parts = "", [""]
    for piece in pieces:
        if piece.left_away:
            continue
        if piece.kind == kind and kind in ("text", "code"):
            parts.append(piece.value)
            continue
        if len(parts) > 1:
            joined[-1] = _Piece(kind, "".join(parts))
        joined.append(piece)
        kind, parts = piece.kind, [piece.value]
    if len(parts) > 1:
        joined[-1] = _Piece(kind, "".join(parts))
    return joined


def _leave_away_unseen(pieces: Sequence[_Piece]) -> None:
    """A run of stars opens or closes emphasis by what stands around all of the run; one that does both is doubtful."""
    before = _NOTHING
    outer = inner = 0  # how much is open before the run and within
    for piece, after in zip(pieces, _afters(pieces), strict=True):
        if not _is_stars(piece):
            before, outer = _edge(piece, -1), inner
        elif piece.left_away:
            continue
        elif piece.kind == "close":
            inner -= 1
            if not _is_seen(before, after):
                _leave_away(piece)
        elif inner >= outer and _is_seen(after, before) and not (outer and _may_close(before, after)):
            inner += 1
        else:
            _leave_away(piece)


def _leave_away(piece: _Piece) -> None:
    assert piece.mate is not None
    piece.left_away = piece.mate.left_away = True


def _afters(pieces: Sequence[_Piece]) -> list[str]:
    """For each piece the first character after it that is not of emphasis."""
    afters: list[str] = []
    after = _NOTHING
    for piece in reversed(pieces):
        afters.append(after)
        after = after if _is_stars(piece) else _edge(piece, 0)
    return afters[::-1]


def _is_stars(piece: _Piece) -> bool:
    return piece.kind in ("open", "close") and piece.value in _STARS


def _edge(piece: _Piece, place: int) -> str:
    return piece.value[place] if piece.kind in ("text", "break") else "`"


def _is_seen(inside: str, outside: str) -> bool:
    """Whether stars are emphasis between these two characters.

    Versions of CommonMark differ in whether symbols are punctuation. We take what holds for both.
    """
    if _is_white(inside):
        return False
    return not _is_punctuation(inside, "PS") or _is_white(outside) or _is_punctuation(outside, "P")


def _may_close(before: str, after: str) -> bool:
    """Whether stars between these could be taken for the end of what is open, though they are meant to open."""
    if _is_white(before):
        return False
    return not _is_punctuation(before, "P") or _is_white(after) or _is_punctuation(after, "PS")


def _is_punctuation(character: str, categories: str) -> bool:
    return character in punctuation or category(character)[0] in categories


def _is_white(character: str) -> bool:
    return character in "\t\n\f\r" or category(character) == "Zs"


def _mark(piece: _Piece) -> str:
    if piece.value in _STARS:
        return _STARS[piece.value]
    if piece.value == "a":
        return "[" if piece.kind == "open" else f"]({_address(piece.href)})"
    return f"<{piece.value}>" if piece.kind == "open" else f"</{piece.value}>"


def _with_backslash(found: re.Match[str]) -> str:
    return f"\\{found[0]}"


def _code_span(text: str) -> str:
    if "`" not in text and not text.startswith(" "):
        return f"`{text}`"
    lengths = set(map(len, _BACKTICKS.findall(text)))
    fence = "`" * next(length for length in range(1, len(lengths) + 2) if length not in lengths)
    padded = text.startswith("`") or text.endswith("`") or (text.startswith(" ") and text.endswith(" "))
    return f"{fence} {text} {fence}" if padded else f"{fence}{text}{fence}"


def _address(href: str) -> str:
    if not _TO_ESCAPE.search(href):
        return href
    href = _NEVER_IN_ADDRESS.sub(lambda found: f"%{ord(found[0]):02X}", href)
    return _IN_ADDRESS.sub(r"\\\g<0>", href)


def _escaped(text: str, linked: bool, first: bool, following: Sequence[_Piece]) -> str:
    """Text in which nothing is markup. `linked`: within a link; `first`: in its line."""
    if not _MARKUP.search(text):
        return text
    before_link = bool(following) and following[0].kind == "open" and following[0].value == "a"

    def escaped(found: re.Match[str]) -> str:
        mark, at = found[0], found.start()
        if mark in "[]":
            needed = linked or (first and at == 0) or text.startswith("](", at)
        elif mark == "!":
            needed = before_link and at == len(text) - 1
        else:
            needed = _is_markup(text, at)
        return f"\\{mark}" if needed else mark

    return _MARKUP.sub(escaped, text)


def _is_markup(text: str, at: int) -> bool:
    mark, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if mark == "\\":
        return not after or after in punctuation
    if mark == "~":
        return before == "~" or after == "~"
    if mark == "<":
        return bool(_TAG_BEGINS.match(text, at))
    if mark == "&":
        return bool(_REFERENCE.match(text, at))
    if mark == "_" and before.isalnum() and after.isalnum():
        return False
    return mark == "`" or not (before == after == " ")


def _begun_plainly(line: str) -> str:
    if _BEGINS_BLOCK.match(line):
        return f"\\{line}"
    return _NUMBERED.sub(r"\1\\\2", line, count=1) if _NUMBERED.match(line) else line
