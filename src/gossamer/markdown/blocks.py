"""Tagged text as Markdown: CommonMark with the pipe tables everybody knows. Read once, from front to back.

The first row of a table becomes its head, for there is none without. A definition list becomes a list of terms in
bold, each with its definitions. Blocks in a cell, which Markdown cannot have, become lines of it.
"""

from __future__ import annotations

from html import unescape

from gossamer.lazy import pattern
from gossamer.markdown.lines import Line
from gossamer.markdown.nesting import MARKS, Nesting
from gossamer.tagged import BOXES

TOKEN = pattern(r"<(/?)([a-z][a-z0-9]*)([^<>]*)>|[^<]+|<")
"""A tag of tagged text, with its attributes, or what stands between two of them."""
_ATTRIBUTE = pattern(r' ([a-z]+)="([^"<>]*)"')
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_INLINE = frozenset({"a", "em", "strong", "del", "sub", "sup"})
_CELLS = frozenset({"td", "th"})
_BLANK = " \t\n\r\f"
_BOXES = {sign: box for box, sign in BOXES.items()}
_LINE_END = pattern(r"\r\n?|\n")
_BACKTICKS = pattern(r"`{3,}")


def written(html: str) -> str:
    """Tagged text as Markdown. Ends with a line end, if there is anything."""
    document = _Document()
    for token in TOKEN.finditer(html):
        ends, name, said = token.groups()
        if name is None:
            text = token[0]
            document.text(unescape(text) if "&" in text else text)
        elif ends:
            document.end(name)
        else:
            document.begin(name, attributes(said))
    return document.markdown()


def attributes(said: str) -> dict[str, str]:
    """What a tag says beside its name."""
    return {name: unescape(value) for name, value in _ATTRIBUTE.findall(said)} if said else {}


class _Document:
    """What has been read. Text belongs to the first that there is: a pre, a cell of a table, a line."""

    def __init__(self) -> None:
        self._nesting = Nesting()
        self._line = Line()
        self._heading = ""
        self._is_code = False
        self._formula: list[str] | None = None
        self._language = ""
        self._breaks = 0
        """Line ends since the last word."""
        self._kept: list[str] | None = None
        """What stands in a pre."""
        self._rows: list[list[str]] = []
        self._tables = 0
        """How many are open. Only the outermost is written as one."""
        self._in_cell = False

    def markdown(self) -> str:
        """All of it."""
        while self._tables:
            self._end_in_table("table")
        self._end_block()
        return "".join(f"{line}\n" for line in self._nesting.lines)

    def text(self, text: str) -> None:
        """Text with its character references resolved."""
        if self._kept is not None:
            self._kept.append(text)
            return
        if self._breaks and text.strip(_BLANK):
            self._break()
        if self._formula is not None:
            self._formula.append(text)
        elif self._is_code:
            self._line.code(text)
        else:
            self._line.text(text)

    def begin(self, name: str, said: dict[str, str]) -> None:
        """A start tag."""
        if name == "br":
            self._breaks += 1
            if self._kept is not None:
                self._kept.append("\n")
        elif name == "code":
            self._is_code = True
        elif self._kept is not None:
            return
        elif name in _INLINE:
            self._line.open(name, said.get("href", ""))
        elif name == "img":
            if self._breaks:
                self._break()
            self._line.picture(said.get("alt", ""), said.get("src", ""))
        elif name == "math":
            self._formula = []
        elif self._tables:
            self._begin_in_table(name)
        else:
            self._begin_block(name, said)

    def end(self, name: str) -> None:
        """An end tag."""
        if name == "code":
            self._is_code = False
        elif self._kept is not None:
            if name == "pre":
                self._end_pre("".join(self._kept))
        elif name == "math":
            self._line.formula("".join(self._formula or ()))
            self._formula = None
        elif name in _INLINE:
            self._line.close(name)
        elif self._tables:
            self._end_in_table(name)
        else:
            self._end_block()
            if name in MARKS or name in ("li", "blockquote"):
                self._nesting.leave(name)

    def _begin_block(self, name: str, said: dict[str, str]) -> None:
        self._end_block()
        if name in _HEADINGS:
            self._heading = _HEADINGS[name]
        elif name == "pre":
            self._kept = []
            self._language = said.get("lang", "")
        elif name == "table":
            self._tables = 1
        elif name in MARKS or name in ("li", "blockquote"):
            self._nesting.enter(name, int(said.get("start", "1")))
        elif name in ("dt", "dd"):
            self._begin_term(name)

    def _begin_term(self, name: str) -> None:
        if name == "dt" and self._nesting.innermost == "li":
            self._nesting.leave("li")
        if self._nesting.innermost == "dl":
            self._nesting.enter("li")
        if name == "dt":
            self._line.open("strong")

    def _break(self) -> None:
        """Two line ends in a row were meant to end a paragraph."""
        can_end = self._line.is_bare() and not self._heading and not self._tables
        if self._breaks > 1 and can_end:
            self._end_block()
        else:
            self._line.end_line()
        self._breaks = 0

    def _end_block(self) -> None:
        if self._line:
            if self._heading:
                self._nesting.put([f"{self._heading} {self._line.heading()}"], "other")
            else:
                self._nesting.put(self._boxed(self._line.paragraph()), "text")
            self._line = Line()
        elif not self._line.is_bare():
            self._line = Line()
        self._heading = ""
        self._breaks = 0

    def _boxed(self, lines: list[str]) -> list[str]:
        """A box to tick at the beginning of an item is written as everybody does."""
        box = _BOXES.get(lines[0][:1]) if self._nesting.innermost == "li" else None
        return lines if box is None else [f"[{box}] {lines[0][1:].lstrip()}", *lines[1:]]

    def _end_pre(self, text: str) -> None:
        self._kept = None
        self._breaks = 0
        if text := text.strip("\r\n").rstrip():
            longest = max(map(len, _BACKTICKS.findall(text)), default=2)
            fence = "`" * (longest + 1)
            self._nesting.put([fence + self._language, *_LINE_END.split(text), fence], "other")

    def _begin_in_table(self, name: str) -> None:
        if name == "table":
            self._tables += 1
        if self._tables == 1 and (name == "tr" or name in _CELLS):
            self._end_cell()
            self._in_cell = name in _CELLS
            if name == "tr":
                self._rows.append([])
        else:
            self._breaks += 1

    def _end_in_table(self, name: str) -> None:
        if self._tables > 1:
            self._breaks += 1
        elif name in _CELLS or name in ("tr", "table"):
            self._end_cell()
        if name == "table":
            self._tables -= 1
            if not self._tables:
                self._end_table()

    def _end_cell(self) -> None:
        if self._in_cell or self._line:
            if not self._rows:
                self._rows.append([])
            self._rows[-1].append(self._line.cell())
        self._line = Line()
        self._breaks = 0
        self._in_cell = False

    def _end_table(self) -> None:
        rows = [row for row in self._rows if any(row)]
        self._rows = []
        if not rows:
            return
        width = max(map(len, rows))
        rows[0] += [""] * (width - len(rows[0]))  # other rows may be shorter, but none longer than the head
        lines = [f"| {' | '.join(row)} |" for row in rows]
        self._nesting.put([lines[0], f"|{' --- |' * width}", *lines[1:]], "other")
