"""Reads the parts of a Word file that have text: body, notes, comments, headers and footers.

What was deleted while changes were tracked is left out and what was inserted is in; of fields there is the result,
and a HYPERLINK field is a link like any other. A text box stands after the paragraph that it is anchored in.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from gossamer import tagged
from gossamer.convert.files.flow import Block, Table
from gossamer.convert.files.line import PLAIN, Line, Look
from gossamer.convert.files.office.docx_lists import Numbering, Styles
from gossamer.convert.files.office.drawings import Drawings, described
from gossamer.convert.files.office.formulas import Formula
from gossamer.convert.files.office.ooxml import Package
from gossamer.convert.files.page import Pointers

_CHANGES = ("w:rPrChange", "w:pPrChange", "w:tblPrChange", "w:trPrChange", "w:tcPrChange", "w:sectPrChange")
"""How things looked before."""
SKIPPED = frozenset({"w:del", "w:moveFrom", "w:numberingChange", "w:binData", *_CHANGES})
_NO_NOTES = ("separator", "continuationSeparator", "continuationNotice")
_HYPERLINK = re.compile(r"""\s*HYPERLINK\s+(?:\\[a-z]\s+)*(?:"([^"]*)"|([^\s\\]+))""", re.IGNORECASE)
_FORMULA = Look(shift="math")
_OFF = ("0", "false", "off")


@dataclass(slots=True)
class _Paragraph:
    line: Line = field(default_factory=Line)
    style: str = ""
    outline: int | None = None
    number: str | None = None
    level: int | None = None
    after: list[Block] = field(default_factory=list)
    """What is anchored in it."""


@dataclass(slots=True)
class _Cell:
    span: int = 1
    continued: bool = False
    """It is covered by the one above."""


@dataclass(slots=True)
class _Field:
    code: str = ""
    href: str = ""
    shows: bool = False
    """Its code is over, and what follows is its result."""


@dataclass(slots=True)
class Shared:
    """What all parts of one file have in common."""

    package: Package
    styles: Styles
    numbering: Numbering
    pointers: Pointers
    drawings: Drawings
    noted: dict[tuple[str, str], int] = field(default_factory=dict)
    """Kind and name of each note that was pointed to, and its number."""


class Text:
    """Takes the elements of one part and gives its blocks. Notes and comments are kept apart, by their names."""

    def __init__(self, shared: Shared, part: str) -> None:
        self._shared = shared
        self._part = part
        self.blocks: list[Block] = []
        self.notes: dict[str, tuple[str, list[Block]]] = {}
        """Author and text."""
        self._flows = [self.blocks]
        self._paragraphs: list[_Paragraph] = []
        self._tables: list[Table] = []
        self._cells: list[_Cell] = []
        self._looks: list[Look] = []
        self._hrefs: list[str] = []
        self._fields: list[_Field] = []
        self._of_paragraph = 0
        """Within properties of a paragraph, where the look of its mark is given."""
        self._takes: Callable[[str], None] | None = None
        self._formula: Formula | None = None
        self._reading: list[str] | None = None
        """How the words above which it stands are read aloud, while that is being given."""
        self._read_as = ""
        self._note = ("", "", "")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self._formula is not None and name.startswith("m:"):
            self._formula.start(name, attributes)
        if action := _STARTS.get(name):
            action(self, attributes)

    def end(self, name: str) -> None:
        if action := _ENDS.get(name):
            action(self)
        if self._formula is not None and name.startswith("m:"):
            tex = self._formula.end()
            if self._formula.is_over:
                self._formula = None
                self._add(tex, _FORMULA)

    def text(self, text: str) -> None:
        if self._takes:
            self._takes(text)

    def _add(self, text: str, look: Look | None = None) -> None:
        if self._reading is not None:
            self._reading.append(text)
            return
        if self._fields and not self._fields[-1].shows:
            return
        if self._paragraphs:
            now = self._looks[-1] if self._looks else PLAIN
            self._paragraphs[-1].line.add(text, now if look is None else look, self._href())

    def _href(self) -> str:
        inner = next((href for href in reversed(self._hrefs) if href), "")
        return inner or next((each.href for each in reversed(self._fields) if each.href), "")

    def _anchor(self, blocks: list[Block]) -> None:
        (self._paragraphs[-1].after if self._paragraphs else self._flows[-1]).extend(blocks)

    # Text

    def _text_starts(self, _: dict[str, str]) -> None:
        self._takes = self._formula.text if self._formula is not None else self._add

    def _formula_starts(self, _: dict[str, str]) -> None:
        self._formula = self._formula or Formula()

    def _code_starts(self, _: dict[str, str]) -> None:
        self._takes = self._add_code

    def _add_code(self, text: str) -> None:
        if self._fields and len(self._fields[-1].code) < 10_000:
            self._fields[-1].code += text

    def _text_ends(self) -> None:
        self._takes = None

    def _tab(self, _: dict[str, str]) -> None:
        if not self._of_paragraph:
            self._add("\t")

    def _break(self, attributes: dict[str, str]) -> None:
        self._add("\n" if attributes.get("w:type", "textWrapping") == "textWrapping" else " ")

    def _hyphen(self, _: dict[str, str]) -> None:
        self._add("\u2011")

    def _symbol(self, attributes: dict[str, str]) -> None:
        code = attributes.get("w:char", "")
        try:
            sign = chr(int(code, 16))
        except (ValueError, OverflowError):
            return
        self._add("" if "\ue000" <= sign <= "\uf8ff" or "\ud800" <= sign <= "\udfff" else sign)

    def _reading_starts(self, _: dict[str, str]) -> None:
        self._reading = []

    def _reading_ends(self) -> None:
        self._read_as, self._reading = "".join(self._reading or ()).strip(), None

    def _ruby_ends(self) -> None:
        """The reading is given first, and written after the words, in brackets."""
        if self._read_as:
            self._add(f" ({self._read_as})")
        self._read_as = ""

    # Runs and their look

    def _run_starts(self, _: dict[str, str]) -> None:
        self._looks.append(PLAIN)

    def _run_ends(self) -> None:
        self._looks.pop()

    def _change_look(self, look: dict[str, bool | str]) -> None:
        if self._looks and not self._of_paragraph:
            self._looks[-1] = self._looks[-1]._replace(**look)  # type: ignore[arg-type]  # by the names of its fields

    def _bold(self, attributes: dict[str, str]) -> None:
        self._change_look({"bold": attributes.get("w:val") not in _OFF})

    def _italic(self, attributes: dict[str, str]) -> None:
        self._change_look({"italic": attributes.get("w:val") not in _OFF})

    def _shift(self, attributes: dict[str, str]) -> None:
        self._change_look({"shift": {"superscript": "sup", "subscript": "sub"}.get(attributes.get("w:val", ""), "")})

    # Fields and links

    def _field(self, attributes: dict[str, str]) -> None:
        match attributes.get("w:fldCharType"):
            case "begin":
                self._fields.append(_Field())
            case "separate" if self._fields:
                here = self._fields[-1]
                here.shows = True
                here.href = _address(here.code)
            case "end" if self._fields:
                self._fields.pop()

    def _simple_field_starts(self, attributes: dict[str, str]) -> None:
        self._hrefs.append(_address(attributes.get("w:instr", "")))

    def _link_starts(self, attributes: dict[str, str]) -> None:
        self._hrefs.append(self._shared.package.address(self._part, attributes.get("r:id")))

    def _plain_link_starts(self, attributes: dict[str, str]) -> None:
        """As Word 2003 wrote it."""
        self._hrefs.append(attributes.get("w:dest", ""))

    def _link_ends(self) -> None:
        self._hrefs.pop()

    def _note_mark(self, kind: str, attributes: dict[str, str]) -> None:
        noted = self._shared.noted
        number = noted.setdefault((kind, attributes.get("w:id", "")), len(noted) + 1)
        self._add(f"[{number}]", Look(shift="sup"))

    def _footnote_mark(self, attributes: dict[str, str]) -> None:
        self._note_mark("footnotes", attributes)

    def _endnote_mark(self, attributes: dict[str, str]) -> None:
        self._note_mark("endnotes", attributes)

    # Paragraphs

    def _paragraph_starts(self, _: dict[str, str]) -> None:
        self._paragraphs.append(_Paragraph())

    def _paragraph_ends(self) -> None:
        paragraph = self._paragraphs.pop()
        flow = self._flows[-1]
        if (block := self._block(paragraph)).line.strip():
            flow.append(block)
        flow += paragraph.after

    def _block(self, paragraph: _Paragraph) -> Block:
        styles, pointers = self._shared.styles, self._shared.pointers
        outline = paragraph.outline or styles.outline(paragraph.style)
        label, level = self._label(paragraph)
        if outline:
            return Block("heading", paragraph.line.html(pointers, plain=True), outline, label or "")
        line = paragraph.line.html(pointers)
        if label is not None:
            return Block("item", line, level, label)
        return Block("quote" if styles.is_quote(paragraph.style) else "paragraph", line)

    def _label(self, paragraph: _Paragraph) -> tuple[str | None, int]:
        styled, styled_level = self._shared.styles.item(paragraph.style)
        number = paragraph.number if paragraph.number is not None else styled
        if number is None:
            return None, 0
        level = paragraph.level if paragraph.level is not None else styled_level
        if level is None:
            level = self._shared.numbering.level_of(number, paragraph.style)
        level = min(level, 8)
        return self._shared.numbering.label(number, level), level

    def _properties_start(self, _: dict[str, str]) -> None:
        self._of_paragraph += 1

    def _properties_end(self) -> None:
        self._of_paragraph -= 1

    def _style(self, attributes: dict[str, str]) -> None:
        if self._paragraphs:
            self._paragraphs[-1].style = attributes.get("w:val", "")

    def _outline(self, attributes: dict[str, str]) -> None:
        level = attributes.get("w:val", "")
        if self._paragraphs and level in tuple("012345678"):
            self._paragraphs[-1].outline = int(level) + 1

    def _number(self, attributes: dict[str, str]) -> None:
        if self._paragraphs:
            self._paragraphs[-1].number = attributes.get("w:val", "")

    def _level(self, attributes: dict[str, str]) -> None:
        level = attributes.get("w:val", "")
        if self._paragraphs and level in tuple("012345678"):
            self._paragraphs[-1].level = int(level)

    # Tables

    def _table_starts(self, _: dict[str, str]) -> None:
        self._tables.append(Table())

    def _table_ends(self) -> None:
        self._flows[-1] += self._tables.pop().blocks()

    def _row_starts(self, _: dict[str, str]) -> None:
        if self._tables:
            self._tables[-1].row()

    def _head(self, attributes: dict[str, str]) -> None:
        if self._tables and attributes.get("w:val") not in _OFF:
            self._tables[-1].head = True

    def _cell_starts(self, _: dict[str, str]) -> None:
        self._cells.append(_Cell())
        self._flows.append([])

    def _span(self, attributes: dict[str, str]) -> None:
        span = attributes.get("w:val", "")
        if self._cells and span.isdecimal():
            self._cells[-1].span = max(1, int(span[:4]))

    def _continued(self, attributes: dict[str, str]) -> None:
        if self._cells:
            self._cells[-1].continued = attributes.get("w:val", "continue") == "continue"

    def _cell_ends(self) -> None:
        cell, blocks = self._cells.pop(), self._flows.pop()
        if self._tables:
            self._tables[-1].cell([] if cell.continued else blocks, cell.span)
        else:
            self._flows[-1] += blocks

    # What is anchored in a paragraph

    def _box_starts(self, _: dict[str, str]) -> None:
        self._flows.append([])

    def _box_ends(self) -> None:
        self._anchor(self._flows.pop())

    def _picture(self, attributes: dict[str, str]) -> None:
        self._anchor(described(attributes.get("descr", "")))

    def _word_art(self, attributes: dict[str, str]) -> None:
        self._anchor([Block("paragraph", tagged.words(attributes.get("string", "")))])

    def _chart(self, attributes: dict[str, str]) -> None:
        self._anchor(self._shared.drawings.chart(self._shared.package.target(self._part, attributes.get("r:id"))))

    def _diagram(self, attributes: dict[str, str]) -> None:
        self._anchor(self._shared.drawings.diagram(self._shared.package.target(self._part, attributes.get("r:dm"))))

    # Notes and comments

    def _note_starts(self, attributes: dict[str, str]) -> None:
        self._note = (attributes.get("w:id", ""), attributes.get("w:author", ""), attributes.get("w:type", ""))
        self._flows.append([])

    def _note_ends(self) -> None:
        name, author, kind = self._note
        blocks = self._flows.pop()
        if kind not in _NO_NOTES:
            self.notes[name] = (author, blocks)


def _address(code: str) -> str:
    """Where a HYPERLINK field points to."""
    found = _HYPERLINK.match(code)
    return (found[1] or found[2] or "") if found else ""


_STARTS: dict[str, Callable[[Text, dict[str, str]], None]] = {
    "w:t": Text._text_starts,
    "m:t": Text._text_starts,
    "m:oMath": Text._formula_starts,
    "w:instrText": Text._code_starts,
    "w:tab": Text._tab,
    "w:br": Text._break,
    "w:cr": Text._break,
    "w:noBreakHyphen": Text._hyphen,
    "w:sym": Text._symbol,
    "w:rt": Text._reading_starts,
    "w:r": Text._run_starts,
    "w:b": Text._bold,
    "w:i": Text._italic,
    "w:vertAlign": Text._shift,
    "w:fldChar": Text._field,
    "w:fldSimple": Text._simple_field_starts,
    "w:hyperlink": Text._link_starts,
    "w:hlink": Text._plain_link_starts,
    "w:footnoteReference": Text._footnote_mark,
    "w:endnoteReference": Text._endnote_mark,
    "w:p": Text._paragraph_starts,
    "w:pPr": Text._properties_start,
    "w:pStyle": Text._style,
    "w:outlineLvl": Text._outline,
    "w:numId": Text._number,
    "w:ilvl": Text._level,
    "w:tbl": Text._table_starts,
    "w:tr": Text._row_starts,
    "w:tblHeader": Text._head,
    "w:tc": Text._cell_starts,
    "w:gridSpan": Text._span,
    "w:vMerge": Text._continued,
    "w:txbxContent": Text._box_starts,
    "wp:docPr": Text._picture,
    "v:textpath": Text._word_art,
    "c:chart": Text._chart,
    "dgm:relIds": Text._diagram,
    "w:footnote": Text._note_starts,
    "w:endnote": Text._note_starts,
    "w:comment": Text._note_starts,
}
_ENDS: dict[str, Callable[[Text], None]] = {
    "w:t": Text._text_ends,
    "m:t": Text._text_ends,
    "w:instrText": Text._text_ends,
    "w:rt": Text._reading_ends,
    "w:ruby": Text._ruby_ends,
    "w:r": Text._run_ends,
    "w:fldSimple": Text._link_ends,
    "w:hyperlink": Text._link_ends,
    "w:hlink": Text._link_ends,
    "w:p": Text._paragraph_ends,
    "w:pPr": Text._properties_end,
    "w:tbl": Text._table_ends,
    "w:tc": Text._cell_ends,
    "w:txbxContent": Text._box_ends,
    "w:footnote": Text._note_ends,
    "w:endnote": Text._note_ends,
    "w:comment": Text._note_ends,
}
