"""TeX and LaTeX: headings, paragraphs, lists, tables, links and formulas, to tagged text.

Nothing is run, no file is put in; of macros, those without arguments stand for their words. Other commands are known
or left out, what is in their braces stays text. Groups are kept on a stack while the text goes by once. Formulas stay
TeX.
"""

from __future__ import annotations

import re

from gossamer import tagged
from gossamer.convert.dates import file_seconds
from gossamer.convert.files.page import About, Pointers
from gossamer.convert.files.text.inline import read_as
from gossamer.convert.files.text.tex_letters import ACCENTS, LETTERS, accented
from gossamer.convert.files.text.tex_macros import Macros
from gossamer.convert.source import Source
from gossamer.model import Page

_TOKEN = re.compile(
    r"\\(?P<edge>begin|end)[ \t]*\{(?P<environment>[^{}\n]{1,60})\}"
    r"|\\(?P<name>[A-Za-z@]+)\*?[ \t]*"
    r"|\\(?P<sign>[^A-Za-z@])"
    r"|(?P<comment>%[^\n]*(?:\n[ \t]*)?)"
    r"|(?P<math>\$\$?)"
    r"|(?P<mark>[{}~&])"
    r"|(?P<gap>\n[ \t]*\n\s*)"
    r"|(?P<text>[^\\%${}~&\n]+|\n)",
    re.DOTALL,
)
_HEADINGS = {"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5}
_LOOKS = {
    **dict.fromkeys(["textbf", "mathbf"], "strong"),
    **dict.fromkeys(["emph", "textit", "textsl"], "em"),
    **dict.fromkeys(["texttt", "code", "verb"], "code"),
}
_DROPPED = {
    **dict.fromkeys(["newcommand", "renewcommand", "providecommand", "setlength", "addtolength", "hypersetup"], 2),
    **dict.fromkeys(["newenvironment", "renewenvironment", "definecolor", "addcontentsline"], 3),
    **dict.fromkeys(["DeclareMathOperator", "newtheorem", "rule"], 2),
    **dict.fromkeys(["label", "ref", "eqref", "pageref", "autoref", "cref", "Cref", "cite", "citep", "citet"], 1),
    **dict.fromkeys(["usepackage", "documentclass", "RequirePackage", "input", "include", "includegraphics"], 1),
    **dict.fromkeys(["bibliography", "bibliographystyle", "pagestyle", "thispagestyle", "vspace", "hspace"], 1),
    **dict.fromkeys(["multicolumn", "multirow"], 2),
    **dict.fromkeys(["graphicspath", "index", "nocite", "color", "textcolor", "setcounter", "geometry"], 1),
}
"""Commands, and how many of their groups say nothing."""
_DEFINING = frozenset({"newcommand", "renewcommand", "providecommand", "def", "gdef", "edef"})
_PARAGRAPHS = frozenset({"par", "maketitle", "newpage", "clearpage", "bigskip", "medskip"})
_BREAKS = frozenset({"tabularnewline", "newline", "linebreak"})
_QUOTED = frozenset({"href", "url", "verb", "lstinline"})
_OTHERS = frozenset(
    {"title", "author", "date", "let", "footnote", "thanks", "caption", "item", "bibitem", "begin", "end"}
)
_KNOWN = _OTHERS | _DEFINING | _PARAGRAPHS | _BREAKS | _QUOTED | {*LETTERS, *_HEADINGS, *_LOOKS, *ACCENTS, *_DROPPED}
_LITERAL = frozenset(
    {"verbatim", "Verbatim", "lstlisting", "minted", "alltt", "comment", "filecontents", "tikzpicture"}
)
_UNSAID = frozenset({"comment", "filecontents", "tikzpicture"})
_FORMULAS = frozenset(
    ["equation", "align", "gather", "multline", "eqnarray", "displaymath", "math", "flalign", "alignat", "dmath"]
)
_TABLES = frozenset({"tabular", "tabularx", "longtable", "tabulary", "array", "supertabular"})
_LISTS = {"itemize": False, "description": False, "enumerate": True, "thebibliography": True}
_OPTION = re.compile(r"\s*\[[^\[\]]{0,500}\]")
_DEFINED = re.compile(r"\s*\\[A-Za-z@]{1,60}[^{\n]{0,100}")
_ARGUMENT = re.compile(r"\s*\{([^{}]{0,2000})\}")
_SPAN = re.compile(r"\s*\{\s*(\d{1,2})\s*\}")
_SPAN_MOST = 20
_ROWS_OF_ANY_WIDTH = re.compile(r"\s*\{[^{}]{1,20}\}\s*[*=]")
_VERB = re.compile(r"([^\s\w*{])(.{0,500}?)\1")
_DEPTH_MOST = 100
"""Of groups; what lies deeper has no meaning of its own."""
_FORMULA_MOST = 10_000
"""Characters in which the end of a formula is looked for."""


def read(source: Source) -> Page:
    """What TeX says."""
    return read_as(source, _write)


def _write(text: str, writer: tagged.Writer, pointers: Pointers) -> About:
    typesetter = _Typesetter(text, writer, pointers)
    typesetter.write()
    said = typesetter.about
    title, author, date = (tagged.plain(said.get(name, "")) for name in ("title", "author", "date"))
    return About(title, author.replace(" ,", ","), file_seconds(date.strip()))


class _Typesetter:
    """Goes through the tokens once."""

    def __init__(self, text: str, writer: tagged.Writer, pointers: Pointers) -> None:
        self._text = text
        self._writer = writer
        self._pointers = pointers
        self._at = 0
        self._parts: list[list[str]] = [[]]
        self._groups: list[str] = []
        """What each group that is open will become."""
        self._next = ""
        """What the group that follows will become."""
        self._drops = 0
        """How many groups that follow are left out."""
        self._lists: list[bool] = []
        self._item = False
        self._ends: dict[str, int] = {}
        self._tables: list[list[list[str]]] = []
        self._span = 1
        """Columns that the cell takes which is open."""
        self._macros = Macros(_KNOWN)
        self._outer: list[tuple[str, int, dict[str, int]]] = []
        """Where to read on after each body of a macro that is open."""
        self.about: dict[str, str] = {}

    def write(self) -> None:
        """Write all of it."""
        while (token := self._token()) is not None:
            self._at = token.end()
            self._take(token)
        while self._groups:
            self._close()
        self._flush()

    def _token(self) -> re.Match[str] | None:
        while (token := _TOKEN.match(self._text, self._at)) is None and self._outer:
            self._text, self._at, self._ends = self._outer.pop()
        return token

    def _take(self, token: re.Match[str]) -> None:
        kind, said = token.lastgroup, token[0]
        match kind:
            case "text":
                self._words(said)
            case "name":
                if not self._expand(token):
                    self._command(token["name"])
            case "environment":
                (self._begin if token["edge"] == "begin" else self._end)(token["environment"].rstrip("*"))
            case "sign":
                self._sign(token["sign"])
            case "math":
                self._formula(said, said)
            case "gap":
                self._flush_outside()
            case "mark":
                self._mark(said)

    def _words(self, text: str) -> None:
        if text.strip():
            self._drops, self._next = 0, ""
        quoted = text.replace("``", "“").replace("''", "”").replace("---", "—").replace("--", "–")
        self._add(tagged.words(quoted))

    def _add(self, tagged_text: str) -> None:
        self._parts[-1].append(tagged_text)

    def _mark(self, mark: str) -> None:
        if mark == "{":
            self._open()
        elif mark == "}":
            self._close()
        elif mark == "&" and self._tables and not self._groups:
            self._cell()
        else:
            self._add("&amp;" if mark == "&" else " ")

    def _open(self) -> None:
        if len(self._groups) >= _DEPTH_MOST:
            return
        self._groups.append(f"drop:{self._drops - 1}" if self._drops else self._next)
        self._drops, self._next = 0, ""
        self._parts.append([])

    def _close(self) -> None:
        if not self._groups:
            return
        kind, line = self._groups.pop(), "".join(self._parts.pop())
        match kind:
            case _ if kind.startswith("drop:"):
                self._drops = int(kind[5:])
                while self._drops and self._skip(_OPTION):
                    continue
            case "title" | "author" | "date":
                self.about.setdefault(kind, line)
            case "strong":
                self._add(tagged.strong(line))
            case "em":
                self._add(tagged.emphasis(line))
            case "code":
                self._add(tagged.code(tagged.plain(line)))
            case "note":
                self._add(f" ({line})")
            case "caption":
                self._flush_outside()
                self._writer.paragraph(line)
            case _ if kind.startswith("h:"):
                self._flush()
                self._writer.heading(int(kind[2:]), line)
            case _ if kind.startswith("a:"):
                self._add(self._pointers.link(line, kind[2:]))
            case _ if kind.startswith("accent:"):
                self._add(accented(line, kind[7:]))
            case _:
                self._add(line)

    def _expand(self, token: re.Match[str]) -> bool:
        """Read the body of a macro in its place. The space behind it is kept: nobody wants two words in one."""
        body = self._macros.body(token["name"], len(self._outer))
        if body is None:
            return False
        self._outer.append((self._text, token.end("name"), self._ends))
        self._text, self._at, self._ends = body, 0, {}
        return True

    def _command(self, name: str) -> None:
        if name in LETTERS:
            self._add(tagged.words(LETTERS[name]))
            return
        self._skip(_OPTION)
        if name in _HEADINGS:
            self._next = f"h:{_HEADINGS[name]}"
        elif name in ("title", "author", "date"):
            self._next = name
        elif name in _LOOKS and name != "verb":
            self._next = _LOOKS[name]
        elif name in ACCENTS:
            self._accent(name)
        elif name in _DEFINING and (end := self._macros.define(self._text, self._at, anew=name != "providecommand")):
            self._at = end
        elif name in _DROPPED:
            self._dropped(name)
        elif name in ("def", "gdef", "edef", "let"):
            self._drops = 1 if self._skip(_DEFINED) and name != "let" else 0
        elif name in ("footnote", "thanks"):
            self._next = "note"
        elif name == "caption":
            self._next = "caption"
        elif name in ("item", "bibitem"):
            self._new_item(name)
        elif name in _QUOTED:
            self._quoted(name)
        elif name in _BREAKS:
            self._sign("\\")
        elif name in _PARAGRAPHS:
            self._flush_outside()

    def _dropped(self, name: str) -> None:
        self._drops = _DROPPED[name]
        if name in ("newcommand", "renewcommand", "providecommand") and self._text.startswith("\\", self._at):
            self._drops = 1
            if (named := _TOKEN.match(self._text, self._at)) is not None:
                self._at = named.end()
        elif name == "multirow" and self._skip(_ROWS_OF_ANY_WIDTH):
            self._drops = 0
        elif name == "multicolumn" and (span := _SPAN.match(self._text, self._at)):
            self._span = min(int(span[1]), _SPAN_MOST)
        while self._skip(_OPTION):
            continue

    def _quoted(self, name: str) -> None:
        """Commands whose first argument is taken as it is."""
        if name in ("verb", "lstinline"):
            if quoted := _VERB.match(self._text, self._at):
                self._at = quoted.end()
                self._add(tagged.code(quoted[2]))
            return
        if argument := _ARGUMENT.match(self._text, self._at):
            self._at = argument.end()
            href = argument[1].replace("\\", "").strip()
            if name == "url":
                self._add(self._pointers.link(tagged.words(href), href))
            else:
                self._next = f"a:{href}"

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        if found := pattern.match(self._text, self._at):
            self._at = found.end()
        return bool(found)

    def _sign(self, sign: str) -> None:
        if sign in ACCENTS:
            self._accent(sign)
        elif sign == "\\":
            self._skip(_OPTION)
            if self._tables and not self._groups:
                self._cell()
                self._tables[-1].append([])
            else:
                self._add("<br>")
        elif sign in "([":
            self._formula("\\" + sign, "\\)" if sign == "(" else "\\]")
        elif sign in ",;: \n!/-":
            self._add("" if sign in "!/-" else " ")
        else:
            self._add(tagged.words(sign))

    def _accent(self, accent: str) -> None:
        """On the letter that follows, or on the group."""
        if self._text.startswith("{", self._at):
            self._next = f"accent:{accent}"
        elif self._text.startswith(("\\i", "\\j"), self._at):
            self._add(accented(self._text[self._at + 1], accent))
            self._at += 2
        elif self._at < len(self._text) and self._text[self._at].isalpha():
            self._add(accented(self._text[self._at], accent))
            self._at += 1

    def _formula(self, begin: str, end: str) -> None:
        found = self._text.find(end, self._at, self._at + _FORMULA_MOST)
        if found < 0:
            self._add(tagged.words(begin.lstrip("\\")))
            return
        self._add(tagged.math(self._text[self._at : found]))
        self._at = found + len(end)

    def _begin(self, name: str) -> None:
        if name == "document":
            self._start_over()
        elif name in _LITERAL or name in _FORMULAS:
            self._raw(name)
        elif name in _TABLES:
            self._flush_outside()
            self._skip(_OPTION)
            self._tables.append([[]])
            self._drops = sum(not self._skip(_ARGUMENT) for _ in range(1 + (name == "tabularx")))
        elif name in _LISTS:
            self._flush_outside()
            self._lists.append(_LISTS[name])
            self._skip(_OPTION)
        else:
            self._flush_outside()
            self._skip(_OPTION)

    def _raw(self, name: str) -> None:
        """What is taken as it is, up to its end; without one it is nothing special."""
        begin = self._at
        end = min(self._end_of(name), self._end_of(f"{name}*"))
        if end == len(self._text):
            return
        raw = self._text[begin:end]
        self._at = self._text.index("}", end) + 1
        if name in _FORMULAS:
            self._add(tagged.math(raw))
        elif name not in _UNSAID:
            self._flush_outside()
            self._writer.pre(_OPTION.sub("", raw, count=1) if raw.startswith("[") else raw)

    def _end_of(self, name: str) -> int:
        """Where the next end of an environment stands, kept until it is passed; the end of all if there is none."""
        if self._ends.get(name, -1) < self._at:
            found = self._text.find(f"\\end{{{name}}}", self._at)
            self._ends[name] = found if found >= 0 else len(self._text)
        return self._ends[name]

    def _end(self, name: str) -> None:
        if name in _TABLES and self._tables:
            self._cell()
            rows = self._tables.pop()
            self._writer.table(rows[:-1] if not any(rows[-1]) else rows)
            return
        self._flush_outside()
        if name in _LISTS and self._lists:
            self._lists.pop()

    def _cell(self) -> None:
        self._tables[-1][-1].append("".join(self._parts[-1]).replace("<br>", " ").strip())
        self._tables[-1][-1] += [""] * (self._span - 1)
        self._parts[-1], self._span = [], 1

    def _start_over(self) -> None:
        """What stood before the document was settings; what it said about the document is known."""
        while self._groups:
            self._close()
        self._parts, self._lists, self._tables = [[]], [], []
        self._drops, self._next, self._item = 0, "", False
        self._writer.clear()

    def _new_item(self, name: str) -> None:
        self._flush_outside()
        self._item = True
        self._drops = 1 if name == "bibitem" else 0

    def _flush_outside(self) -> None:
        """A paragraph ends; one within a group or a cell goes on."""
        if self._groups or self._tables:
            self._add(" ")
        else:
            self._flush()

    def _flush(self) -> None:
        line = "".join(self._parts[-1]).strip()
        self._parts[-1] = []
        if not line:
            return
        if self._lists and self._item:
            self._writer.item(line, min(len(self._lists), 9) - 1, ordered=self._lists[-1])
            self._item = False
        else:
            self._writer.paragraph(line)
