"""Tagged text: the one form every document is turned into. A small, valid part of HTML, as a string.

Blocks are `h1` to `h6`, `p`, `pre`, `blockquote`, `ul`, `ol` and `dl` with their items, and `table` with `tr`, `th`
and `td`. In a line there are `a` with an absolute `href`, `em`, `strong`, `code`, `del`, `sub`, `sup` and `br`, `math`
with a formula in TeX, and `img` with an absolute `src` and an `alt`. An `ol` may have a `start`, and a `pre` a `lang`,
the name of a programming language. Nothing has another attribute, every element but `br` and `img` is closed, and text
is escaped, so that a reader of this form needs no HTML parser. A box to tick is one of the signs of `BOXES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape, unescape

from gossamer.lazy import pattern

try:
    from gossamer.tagged import _plain
except ImportError:
    _plain = None  # type: ignore[assignment]  # there may be no compiler where it is installed

_LINES = (
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "p",
    "pre",
    "blockquote",
    "ul",
    "ol",
    "dl",
    "li",
    "dt",
    "dd",
    "table",
    "tr",
)
_PARTS = {
    **dict.fromkeys(_LINES, "\n"),
    **{f"/{name}": "\n" for name in _LINES},
    **dict.fromkeys(["/td", "/th"], "\t"),
    "br": "\n",
}
"""What a tag is to the words around it, if it parts them."""
BOXES = {"x": "\u2611", " ": "\u2610"}
"""A box that is ticked and one that is not, by how Markdown writes it."""
_PRE = pattern('<pre(?: lang="[^"<>]*")?>')
_LANGUAGE = pattern(r"[a-z][a-z0-9+#.-]{0,30}")
_SPACES = pattern(r"[ \t\n\r\f]+")


def words(text: str) -> str:
    """Text that flows: white space collapsed, marks of markup escaped."""
    return escape(_SPACES.sub(" ", text), quote=False)


def link(line: str, href: str) -> str:
    """A line that points somewhere."""
    return f'<a href="{escape(href)}">{line}</a>' if line.strip() else line


def strong(line: str) -> str:
    """A line in bold type."""
    return f"<strong>{line}</strong>" if line.strip() else line


def emphasis(line: str) -> str:
    """A line in italics."""
    return f"<em>{line}</em>" if line.strip() else line


def math(tex: str) -> str:
    """A formula in TeX."""
    return f"<math>{escape(' '.join(tex.split()), quote=False)}</math>" if tex.strip() else ""


def code(text: str) -> str:
    """A few words of a program, as they are."""
    return f"<code>{escape(text, quote=False)}</code>" if text.strip() else words(text)


class Writer:
    """Writes tagged text, block by block. A line is what `words`, `link` and the like make; empty ones are left out."""

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._open: list[str] = []
        """Lists that are open, the outermost first."""

    def heading(self, level: int, line: str) -> None:
        """A heading, of level 1 to 6; what is beyond counts as the last."""
        self._block(f"h{min(max(level, 1), 6)}", line)

    def paragraph(self, line: str) -> None:
        """A paragraph."""
        self._block("p", line)

    def quote(self, line: str) -> None:
        """A paragraph that somebody else wrote."""
        if line.strip():
            self._end_lists()
            self._blocks.append(f"<blockquote><p>{line.strip()}</p></blockquote>")

    def pre(self, text: str, language: str = "") -> None:
        """Text whose lines and spaces count, perhaps in a programming language."""
        if text.strip():
            self._end_lists()
            said = f' lang="{language}"' if _LANGUAGE.fullmatch(language) else ""
            self._blocks.append(f"<pre{said}>{escape(text.strip(chr(10)).rstrip(), quote=False)}</pre>")

    def item(self, line: str, depth: int = 0, *, ordered: bool = False) -> None:
        """An item of a list; lists of greater depth stand in the item before."""
        if not line.strip():
            return
        name = "ol" if ordered else "ul"
        while len(self._open) > depth + 1 or (len(self._open) == depth + 1 and self._open[-1] != name):
            self._blocks.append(f"</li></{self._open.pop()}>")
        if len(self._open) == depth + 1:
            self._blocks.append("</li>")
        while len(self._open) < depth + 1:
            self._blocks.append(f"<{name}>" if len(self._open) == depth else f"<{name}><li>")
            self._open.append(name)
        self._blocks.append(f"<li>{line.strip()}")

    def table(self, rows: Iterable[Sequence[str]], *, head: bool = False) -> None:
        """Rows of cells; with `head` the first has the names of the columns. Rows without a word are left out."""
        kept = [row for row in rows if any(cell.strip() for cell in row)]
        if not kept:
            return
        self._end_lists()
        lines = [_row(row, "th" if head and number == 0 else "td") for number, row in enumerate(kept)]
        self._blocks.append("<table>\n" + "\n".join(lines) + "\n</table>")

    def add(self, html: str) -> None:
        """What is tagged text already."""
        if html:
            self._end_lists()
            self._blocks.append(html)

    def clear(self) -> None:
        """Forget what was written: it was no part of the text."""
        self._blocks.clear()
        self._open.clear()

    def html(self) -> str:
        """All of it."""
        self._end_lists()
        return "\n".join(self._blocks)

    def _block(self, name: str, line: str) -> None:
        if line.strip():
            self._end_lists()
            self._blocks.append(f"<{name}>{line.strip()}</{name}>")

    def _end_lists(self) -> None:
        while self._open:
            self._blocks.append(f"</li></{self._open.pop()}>")


def _row(cells: Sequence[str], name: str) -> str:
    return "<tr>" + "".join(f"<{name}>{cell.strip()}</{name}>" for cell in cells) + "</tr>"


def plain(html: str) -> str:
    """The words of tagged text: a line for each block, cells of a row parted by a tab, pre as it is."""
    found = None if _plain is None else _plain.plain(html)
    return by_splitting(html) if found is None else found


def plain_within(data: bytes, start: int, end: int) -> str:
    """The same for a part of some bytes, in UTF-8, without a copy of them."""
    found = None if _plain is None else _plain.within(data, start, end)
    return by_splitting(data[start:end].decode()) if found is None else found


def by_splitting(html: str) -> str:
    """The same in Python: without the compiled module, and for what that does not know."""
    flat, *others = _PRE.split(html)
    lines = [_flowing(flat)]
    for other in others:
        kept, _, flat = other.partition("</pre>")
        lines += (unescape(_without_tags(kept)), _flowing(flat))
    return "\n".join(filter(None, lines))


def _flowing(html: str) -> str:
    html = html.replace("\n", " ")
    if "\t" in html or "\r" in html or "\f" in html:
        html = _SPACES.sub(" ", html)
    text = _without_tags(html)
    if "&" in text:
        text = unescape(text)
    return "\n".join(filter(None, map(_tidy, text.split("\n"))))


def _without_tags(html: str) -> str:
    """All `<` begin a tag, so there is no need to look for tags."""
    text, *pieces = html.split("<")
    parts = [text]
    for piece in pieces:
        tag, _, text = piece.partition(">")
        parts += (_PARTS.get(tag, "\n" if tag.startswith("ol ") else ""), text)
    return "".join(parts)


def _tidy(line: str) -> str:
    """Spaces collapse across elements. Empty cells count, but not at the end of a row."""
    if "\t" in line:
        return "\t".join(_tidy(cell) for cell in line.split("\t")).rstrip("\t")
    line = line.strip(" ")
    return " ".join(filter(None, line.split(" "))) if "  " in line else line
