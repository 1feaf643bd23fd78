"""Org mode: headings, lists, blocks, tables and links, to tagged text. Drawers, comments and settings are left out."""

from __future__ import annotations

import re

from gossamer import tagged
from gossamer.convert.dates import file_seconds
from gossamer.convert.files.page import About, Pointers
from gossamer.convert.files.text.inline import Depths, marked, read_as
from gossamer.convert.source import Source
from gossamer.model import Page

_SETTING = re.compile(r"#\+(\w{1,40}):[ \t]*(.*)").match
_BEGIN = re.compile(r"#\+begin_(\w{1,40})[ \t]*([\w+#.-]*)", re.IGNORECASE).match
_HEADING = re.compile(r"(\*{1,40})[ \t]+(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED)[ \t]+)?(?:\[#\w\][ \t]+)?(.*)").match
_TAGS = re.compile(r"[ \t]+:[\w@#%:]{1,200}:$")
_LIST = re.compile(r"([ \t]*)((?:[-+]|\d{1,6}[.)])(?=[ \t]|$)|(?<=[ \t])\*(?=[ \t]))[ \t]*(?:\[[ xX-]\][ \t]+)?").match
_DRAWER = re.compile(r"[ \t]*:[\w-]{1,40}:[ \t]*$").match
_PLANNED = re.compile(r"[ \t]*(?:CLOSED|SCHEDULED|DEADLINE|CLOCK):").match
_INLINE = re.compile(
    r"\[\[(?P<href>[^\[\]]{1,2000})\](?:\[(?P<words>[^\[\]]{1,1000})\])?\]"
    r"|(?<![\w*])\*(?P<strong>[^*\s][^*]{0,500})(?<!\s)\*(?![\w*])"
    r"|(?<![\w/:])/(?P<em>[^/\s][^/]{0,500})(?<!\s)/(?![\w/])"
    r"|(?<![\w=])=(?P<verbatim>[^=\s][^=]{0,500})(?<!\s)=(?![\w=])"
    r"|(?<![\w~])~(?P<code>[^~\s][^~]{0,500})(?<!\s)~(?![\w~])"
    r"|\[fn:(?P<note>[^\]]{1,200})\]"
)
_LITERAL = frozenset({"src", "example", "export", "verse", "latex"})
_DRAWER_MOST = 200
"""Lines. What is longer is no drawer."""
_ABOUT = ("title", "author", "date")


def read(source: Source) -> Page:
    """What an Org file says."""
    return read_as(source, _write)


def _write(text: str, writer: tagged.Writer, pointers: Pointers) -> About:
    reader = _Reader(text, writer, pointers)
    reader.write()
    said = reader.about
    return About(said.get("title", ""), said.get("author", ""), file_seconds(said.get("date", "").strip("<>[]")[:10]))


class _Reader:
    """Goes through the lines once."""

    def __init__(self, text: str, writer: tagged.Writer, pointers: Pointers) -> None:
        self._lines = text.split("\n")
        self._pointers = pointers
        self._writer = writer
        self._depths = Depths()
        self._at = 0
        self._words: list[str] = []
        self._quotes = 0
        self._drawers_end = 0
        """The next line that ends a drawer, as far as it was looked for."""
        self.about: dict[str, str] = {}

    def write(self) -> None:
        """Write all of it."""
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip()
            self._at += 1
            self._take(line)
        self._flush()

    def _take(self, line: str) -> None:
        bare = line.strip()
        if not bare:
            self._flush()
        elif heading := _HEADING(line):
            self._flush()
            self._depths.end()
            self._writer.heading(len(heading[1]), self._inline(_TAGS.sub("", heading[2])))
        elif bare.startswith("#"):
            self._keyword(bare)
        elif bare.startswith("|"):
            self._flush()
            self._table()
        elif (bare.startswith(":") and _DRAWER(line)) or _PLANNED(line):
            self._drawer(bare)
        elif item := _LIST(line):
            self._flush()
            self._item(line, item)
        else:
            if not line.startswith((" ", "\t")):
                self._depths.end()
            self._words.append(bare)

    def _keyword(self, bare: str) -> None:
        if begin := _BEGIN(bare):
            self._flush()
            self._open_block(begin[1].lower(), begin[2].lower())
        elif bare.lower().startswith("#+end_"):
            self._flush()
            self._quotes = max(self._quotes - bare.lower().startswith("#+end_quote"), 0)
        elif setting := _SETTING(bare):
            name = setting[1].lower()
            if name in _ABOUT:
                self.about.setdefault(name, setting[2].strip())
            elif name == "caption":
                self._writer.paragraph(self._inline(setting[2]))
        elif not bare.startswith(("# ", "#+")) and bare != "#":
            self._words.append(bare)

    def _open_block(self, name: str, language: str) -> None:
        if name == "quote":
            self._quotes += 1
        elif name in _LITERAL or name == "comment":
            begin, end = self._at, f"#+end_{name}"
            while self._at < len(self._lines) and not self._lines[self._at].strip().lower().startswith(end):
                self._at += 1
            if name != "comment":
                self._writer.pre("\n".join(self._lines[begin : self._at]), language if name == "src" else "")

    def _drawer(self, bare: str) -> None:
        """Properties and logs are not for readers. One without an end is a line."""
        if not _DRAWER(bare):
            return
        self._drawers_end = max(self._drawers_end, self._at)
        while self._drawers_end < len(self._lines) and not _ends(self._lines[self._drawers_end]):
            self._drawers_end += 1
        if self._drawers_end - self._at < _DRAWER_MOST:
            self._at = min(self._drawers_end + 1, len(self._lines))

    def _item(self, line: str, mark: re.Match[str]) -> None:
        indent = len(mark[1].expandtabs(8))
        words = [line[mark.end() :].strip()]
        while self._at < len(self._lines) and _goes_on(self._lines[self._at], indent):
            words.append(self._lines[self._at].strip())
            self._at += 1
        said = self._inline(" ".join(words).replace(" :: ", ": "))
        self._writer.item(said, self._depths.at(indent), ordered=mark[2][:1].isdigit())

    def _table(self) -> None:
        self._at -= 1
        rows: list[list[str]] = []
        head = False
        while self._at < len(self._lines) and (line := self._lines[self._at].strip()).startswith("|"):
            if line.startswith("|-"):
                head = head or len(rows) == 1
            else:
                rows.append([self._inline(cell.strip()) for cell in line.strip("|").split("|")])
            self._at += 1
        self._depths.end()
        self._writer.table(rows, head=head)

    def _flush(self) -> None:
        line = self._inline(" ".join(self._words))
        self._words = []
        (self._writer.quote if self._quotes else self._writer.paragraph)(line)

    def _inline(self, text: str) -> str:
        return marked(text, _INLINE, self._piece, self._pointers)

    def _piece(self, found: re.Match[str]) -> str:
        if href := found["href"]:
            words = found["words"] or href
            return self._pointers.link(tagged.words(words), href.removeprefix("file:"))
        if found["strong"]:
            return tagged.strong(tagged.words(found["strong"]))
        if found["em"]:
            return tagged.emphasis(tagged.words(found["em"]))
        if note := found["note"]:
            return tagged.words(f"[{note}]")
        return tagged.code(found["verbatim"] or found["code"])


def _ends(line: str) -> bool:
    return line.strip().lower() == ":end:"


def _goes_on(line: str, indent: int) -> bool:
    """Is it the next line of an item? It is indented further, and no item itself."""
    expanded = line.expandtabs(8)
    deeper = len(expanded) - len(expanded.lstrip()) > indent
    return bool(line.strip()) and deeper and not _LIST(line) and not line.lstrip().startswith(("#+", "|"))
