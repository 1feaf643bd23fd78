"""Reads the text of OpenDocument files: paragraphs, lists, tables, sheets, slides, notes and comments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gossamer import tagged
from gossamer.convert.files.flow import Block, Table
from gossamer.convert.files.line import PLAIN, Line, Look
from gossamer.convert.files.markup import Enough
from gossamer.convert.files.odf.styles import Styles
from gossamer.convert.files.office.drawings import described
from gossamer.convert.files.page import Pointers
from gossamer.convert.files.sheets import COLUMNS_MOST, TOO_MANY, Room, sheet

SKIPPED = frozenset(
    {
        "office:automatic-styles",
        "office:font-face-decls",
        "office:forms",
        "office:master-styles",
        "office:meta",
        "office:script",
        "office:scripts",
        "office:settings",
        "office:styles",
        "dc:date",
        "meta:date-string",
        "presentation:date-time-decl",
        "table:content-validations",
        "table:tracked-changes",
        "text:endnote-citation",
        "text:footnote-citation",
        "text:note-citation",
        "text:table-of-content-source",
        "text:tracked-changes",
    }
)
_REPEATED_MOST = 64
"""Times that a row or cell with text is written again. Formats repeat an empty one to the end of the sheet."""
_DEPTH_MOST = 9
_SHAPES = ("text-box", "custom-shape", "rect", "ellipse", "line", "polyline", "polygon", "path", "caption", "connector")
_BOXES = tuple(f"draw:{shape}" for shape in _SHAPES)


@dataclass(slots=True)
class _Paragraph:
    line: Line = field(default_factory=Line)
    heading: int = 0
    style: str = ""
    after: list[Block] = field(default_factory=list)
    """What is anchored in it."""


@dataclass(slots=True)
class _List:
    style: str
    count: int
    label: str = ""
    """Of the item that is open."""
    lines: int = 0
    """That the item has already."""
    silent: bool = False
    """It is the header of a list, which has no number."""


@dataclass(slots=True)
class _Sheet:
    name: str
    rows: list[dict[int, str]] = field(default_factory=list)
    row: dict[int, str] = field(default_factory=dict)
    column: int = 0
    repeated: int = 1


@dataclass(slots=True)
class Kept:
    """What stands beside the text of a file."""

    notes: list[list[Block]] = field(default_factory=list)
    comments: list[tuple[str, list[Block]]] = field(default_factory=list)
    """Author and text."""
    footers: list[Block] = field(default_factory=list)
    masters: set[str] = field(default_factory=set)
    """Names of the master pages of slides."""


class Text:
    """Takes the elements of one part. `drawn` gives the blocks of an object that lies in another part."""

    def __init__(self, styles: Styles, pointers: Pointers, drawn: Callable[[str], list[Block]]) -> None:
        self._styles = styles
        self._pointers = pointers
        self._drawn = drawn
        self.blocks: list[Block] = []
        self.kept = Kept()
        self._flows = [self.blocks]
        self._paragraphs: list[_Paragraph] = []
        self._looks: list[Look] = []
        self._hrefs: list[str] = []
        self._lists: list[_List] = []
        self._note_lists: list[list[_List]] = []
        """The lists in which a note or comment stands."""
        self._counted: dict[tuple[str, int], int] = {}
        self._tables: list[Table] = []
        self._sheet: _Sheet | None = None
        self._of_sheets = False
        self._cells: list[int] = []
        """How often each of the cells that are open is repeated, or how many it spans."""
        self._room = Room()
        self._frames: list[str] = []
        """What the frames that are open are for, on a slide."""
        self._aside: list[str] | None = None
        """Words that are not part of the text: an author, an alternative to a picture, a footer."""
        self._author = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if action := _STARTS.get(name):
            action(self, attributes)

    def end(self, name: str) -> None:
        if action := _ENDS.get(name):
            action(self)

    def text(self, text: str) -> None:
        if self._aside is not None:
            self._aside.append(text)
        elif self._paragraphs:
            self._add(text.replace("\n", " "))

    def _add(self, text: str, look: Look | None = None) -> None:
        if self._paragraphs:
            now = self._looks[-1] if self._looks else PLAIN
            href = next((href for href in reversed(self._hrefs) if href), "")
            self._paragraphs[-1].line.add(text, now if look is None else look, href)

    def _anchor(self, blocks: list[Block]) -> None:
        (self._paragraphs[-1].after if self._paragraphs else self._flows[-1]).extend(blocks)

    # Words

    def _span_starts(self, attributes: dict[str, str]) -> None:
        before = self._looks[-1] if self._looks else PLAIN
        now = self._styles.look(attributes.get("text:style-name", ""))
        self._looks.append(Look(before.bold or now.bold, before.italic or now.italic, now.shift or before.shift))

    def _span_ends(self) -> None:
        self._looks.pop()

    def _link_starts(self, attributes: dict[str, str]) -> None:
        self._hrefs.append(attributes.get("xlink:href", ""))

    def _link_ends(self) -> None:
        self._hrefs.pop()

    def _space(self, attributes: dict[str, str]) -> None:
        self._add(" " * min(_times(attributes.get("text:c")), _REPEATED_MOST))

    def _break(self, _: dict[str, str]) -> None:
        self._add("\n")

    # Paragraphs

    def _paragraph_starts(self, attributes: dict[str, str]) -> None:
        self._paragraphs.append(_Paragraph(style=attributes.get("text:style-name", "")))

    def _heading_starts(self, attributes: dict[str, str]) -> None:
        level = attributes.get("text:outline-level") or attributes.get("text:level", "")
        self._paragraphs.append(_Paragraph(heading=int(level) if level.isdecimal() and len(level) < 3 else 1))

    def _paragraph_ends(self) -> None:
        paragraph = self._paragraphs.pop()
        block = self._block(paragraph)
        if block.line.strip():
            self._put(block)
        self._flows[-1] += paragraph.after

    def _block(self, paragraph: _Paragraph) -> Block:
        kind = self._styles.kind(paragraph.style)
        on_slide = self._frames[-1] if self._frames else ""
        heading = paragraph.heading or (1 if kind == "heading" or on_slide == "title" else 0)
        line = paragraph.line.html(self._pointers, plain=bool(heading))
        if heading:
            return Block("heading", line, heading)
        if kind == "pre":
            return Block("pre", paragraph.line.raw())
        if self._lists:
            return self._item(line)
        return Block("quote" if on_slide == "notes" else kind, line)

    def _item(self, line: str) -> Block:
        here = self._lists[-1]
        here.lines += 1
        label = "" if here.silent or here.lines > 1 else here.label
        return Block("quote" if "notes" in self._frames else "item", line, len(self._lists) - 1, label)

    def _put(self, block: Block) -> None:
        """Further paragraphs of an item belong to its line, lines of one text that is set as it is to one block."""
        flow = self._flows[-1]
        last = flow[-1] if flow else None
        if last and block.kind == last.kind == "pre":
            flow[-1] = last._replace(line=f"{last.line}\n{block.line}")
        elif last and block.kind == last.kind == "item" and self._lists[-1].lines > 1 and last.level == block.level:
            flow[-1] = last._replace(line=f"{last.line}<br>{block.line}")
        else:
            flow.append(block)

    # Lists

    def _list_starts(self, attributes: dict[str, str]) -> None:
        depth = len(self._lists)
        style = attributes.get("text:style-name") or (self._lists[-1].style if self._lists else "")
        goes_on = attributes.get("text:continue-numbering") == "true" or "text:continue-list" in attributes
        first = self._styles.start(style, depth) - 1
        self._lists.append(_List(style, self._counted.get((style, depth), first) if goes_on else first))

    def _list_ends(self) -> None:
        ended = self._lists.pop()
        self._counted[ended.style, len(self._lists)] = ended.count

    def _item_starts(self, attributes: dict[str, str]) -> None:
        if not self._lists:
            return
        here = self._lists[-1]
        start = attributes.get("text:start-value", "")
        here.count = int(start) if start.isdecimal() and len(start) < 7 else here.count + 1
        here.lines, here.silent = 0, False
        here.label = self._styles.label(here.style, [each.count for each in self._lists[:_DEPTH_MOST]])

    def _list_header_starts(self, _: dict[str, str]) -> None:
        if self._lists:
            self._lists[-1].lines, self._lists[-1].silent = 0, True

    # Tables and sheets

    def _sheets_start(self, _: dict[str, str]) -> None:
        self._of_sheets = True

    def _table_starts(self, attributes: dict[str, str]) -> None:
        if self._of_sheets and self._sheet is None:
            self._sheet = _Sheet(attributes.get("table:name", ""))
            self._flows.append([])
        else:
            self._tables.append(Table())

    def _table_ends(self) -> None:
        if self._tables:
            self._anchor(self._tables.pop().blocks())
        elif self._sheet:
            beside = self._flows.pop()
            self._flows[-1] += [*sheet(tagged.words(self._sheet.name), self._sheet.rows), *beside]
            self._sheet = None

    def _head_starts(self, _: dict[str, str]) -> None:
        if self._tables:
            self._tables[-1].head = True

    def _row_starts(self, attributes: dict[str, str]) -> None:
        if self._tables:
            self._tables[-1].row()
        elif self._sheet:
            self._sheet.row, self._sheet.column = {}, 0
            self._sheet.repeated = _times(attributes.get("table:number-rows-repeated"))

    def _row_ends(self) -> None:
        here = self._sheet
        if here and not self._tables and here.row:
            for _ in range(min(here.repeated, _REPEATED_MOST)):
                self._take(here.row)
                here.rows.append(dict(here.row))

    def _take(self, row: dict[int, str]) -> None:
        if not all(map(self._room.takes, row.values())):
            raise Enough(TOO_MANY)

    def _cell_starts(self, attributes: dict[str, str]) -> None:
        self._cells.append(_times(attributes.get("table:number-columns-repeated")))
        self._flows.append([])

    def _cell_ends(self) -> None:
        times, blocks = self._cells.pop(), self._flows.pop()
        if self._tables:
            self._tables[-1].cell(blocks, times)
        elif self._sheet:
            self._fill(self._sheet, blocks, times)
        else:
            self._flows[-1] += blocks

    def _fill(self, here: _Sheet, blocks: list[Block], times: int) -> None:
        line = "<br>".join(block.line for block in blocks if block.line)
        first, here.column = here.column, min(here.column + times, COLUMNS_MOST)
        if line:
            here.row |= dict.fromkeys(range(first, min(here.column, first + _REPEATED_MOST)), line)

    # Slides and what is drawn

    def _slide_starts(self, attributes: dict[str, str]) -> None:
        self.kept.masters.add(attributes.get("draw:master-page-name", ""))

    def _frame_starts(self, attributes: dict[str, str]) -> None:
        self._frames.append(attributes.get("presentation:class", ""))

    def _notes_start(self, _: dict[str, str]) -> None:
        self._frames.append("notes")

    def _frame_ends(self) -> None:
        self._frames.pop()

    def _box_starts(self, _: dict[str, str]) -> None:
        self._flows.append([])

    def _box_ends(self) -> None:
        self._anchor(self._flows.pop())

    def _object(self, attributes: dict[str, str]) -> None:
        self._anchor(self._drawn(attributes.get("xlink:href", "")))

    def _aside_starts(self, _: dict[str, str]) -> None:
        self._aside = []

    def _aside_ends(self) -> None:
        self._aside = None

    def _said_aside(self) -> str:
        words, self._aside = "".join(self._aside or ()), None
        return " ".join(words.split())

    def _alternative_ends(self) -> None:
        self._anchor(described(self._said_aside()))

    def _footer_ends(self) -> None:
        self.kept.footers.append(Block("paragraph", tagged.words(self._said_aside())))

    def _author_ends(self) -> None:
        self._author = self._said_aside()

    # Notes and comments

    def _note_starts(self, _: dict[str, str]) -> None:
        self._flows.append([])
        self._note_lists.append(self._lists)
        self._lists = []

    def _note_ends(self) -> None:
        self._lists = self._note_lists.pop()
        self.kept.notes.append(self._flows.pop())
        self._add(f"[{len(self.kept.notes)}]", Look(shift="sup"))

    def _comment_starts(self, attributes: dict[str, str]) -> None:
        self._note_starts(attributes)
        self._author = attributes.get("office:author", "")

    def _comment_ends(self) -> None:
        self._lists = self._note_lists.pop()
        self.kept.comments.append((self._author, self._flows.pop()))


def _times(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 9 else 1


_STARTS: dict[str, Callable[[Text, dict[str, str]], None]] = {
    "text:p": Text._paragraph_starts,
    "text:h": Text._heading_starts,
    "text:span": Text._span_starts,
    "text:a": Text._link_starts,
    "draw:a": Text._link_starts,
    "text:s": Text._space,
    "text:tab": Text._space,
    "text:tab-stop": Text._space,
    "text:line-break": Text._break,
    "text:list": Text._list_starts,
    "text:ordered-list": Text._list_starts,
    "text:unordered-list": Text._list_starts,
    "text:list-item": Text._item_starts,
    "text:list-header": Text._list_header_starts,
    "office:spreadsheet": Text._sheets_start,
    "table:table": Text._table_starts,
    "table:table-header-rows": Text._head_starts,
    "table:table-row": Text._row_starts,
    "table:table-cell": Text._cell_starts,
    "table:covered-table-cell": Text._cell_starts,
    "draw:page": Text._slide_starts,
    "draw:frame": Text._frame_starts,
    "presentation:notes": Text._notes_start,
    "draw:object": Text._object,
    "svg:title": Text._aside_starts,
    "svg:desc": Text._aside_starts,
    "presentation:footer-decl": Text._aside_starts,
    "presentation:header-decl": Text._aside_starts,
    "dc:creator": Text._aside_starts,
    "text:note": Text._note_starts,
    "text:footnote": Text._note_starts,
    "text:endnote": Text._note_starts,
    "office:annotation": Text._comment_starts,
    **dict.fromkeys(_BOXES, Text._box_starts),
}
_ENDS: dict[str, Callable[[Text], None]] = {
    "text:p": Text._paragraph_ends,
    "text:h": Text._paragraph_ends,
    "text:span": Text._span_ends,
    "text:a": Text._link_ends,
    "draw:a": Text._link_ends,
    "text:list": Text._list_ends,
    "text:ordered-list": Text._list_ends,
    "text:unordered-list": Text._list_ends,
    "table:table": Text._table_ends,
    "table:table-row": Text._row_ends,
    "table:table-cell": Text._cell_ends,
    "table:covered-table-cell": Text._cell_ends,
    "draw:frame": Text._frame_ends,
    "presentation:notes": Text._frame_ends,
    "svg:title": Text._aside_ends,
    "svg:desc": Text._alternative_ends,
    "presentation:footer-decl": Text._footer_ends,
    "presentation:header-decl": Text._footer_ends,
    "dc:creator": Text._author_ends,
    "text:note": Text._note_ends,
    "text:footnote": Text._note_ends,
    "text:endnote": Text._note_ends,
    "office:annotation": Text._comment_ends,
    **dict.fromkeys(_BOXES, Text._box_ends),
}
