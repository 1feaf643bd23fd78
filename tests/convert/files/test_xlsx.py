"""What comes out of Excel files."""

from __future__ import annotations

import pytest
from office_files import NAMESPACES, a_paragraph, chart, relations, xlsx

from gossamer.convert import document
from gossamer.convert.files import sheets
from gossamer.convert.files.sheets import general, kind_of_format, shown
from gossamer.model import Page

URL = "https://example.com/book.xlsx"


def rows(*lines: str) -> str:
    return "<sheetData>" + "".join(f"<row>{line}</row>" for line in lines) + "</sheetData>"


def read(book: dict[str, str], *, strings: str = "", styles: str = "") -> Page:
    return document(xlsx(book, strings=strings, styles=styles), url=URL)


def test_a_sheet_is_a_heading_and_a_table() -> None:
    strings = (
        "<si><t>Name</t></si><si><r><t>An</t></r><r><t>na</t></r><rPh><t>ANNA</t></rPh></si><si><t>never used</t></si>"
    )
    cells = rows(
        '<c r="B2" t="s"><v>0</v></c><c r="D2" t="inlineStr"><is><t>Age</t></is></c>',
        '<c r="B4" t="s"><v>1</v></c><c r="D4"><f>2*15</f><v>30</v></c>',
    )
    page = read({"People &amp; ages": cells, "Empty": ""}, strings=strings)
    assert page.media_type == "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    assert (page.title, page.author, page.problem) == ("People & ages", "Ada", "")
    assert page.html == (
        "<h2>People &amp; ages</h2>\n<table>\n<tr><th>Name</th><th>Age</th></tr>\n<tr><td>Anna</td><td>30</td></tr>\n"
        "</table>\n<h2>Empty</h2>"
    )


def test_numbers_are_shown_as_their_format_says() -> None:
    styles = (
        '<numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy"/><numFmt numFmtId="165" formatCode="0.0%"/>'
        "</numFmts>"
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="22"/></cellXfs>'
    )
    values = ("0.30000000000000004", "36526", "0.125", "36526.75")
    cells = "".join(f'<c s="{style}"><v>{value}</v></c>' for style, value in enumerate(values))
    page = read(
        {"S": rows(cells + '<c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c t="str"><v>x</v></c>')}, styles=styles
    )
    assert page.text == "S\n0.3\t2000-01-01\t12.5%\t2000-01-01 18:00:00\tTRUE\t#N/A\tx"


@pytest.mark.parametrize(
    ("number", "code", "kind"),
    [
        (0, "", "general"),
        (14, "", "date"),
        (20, "", "time"),
        (10, "", "percent"),
        (170, "[$-409]d-mmm-yy;@", "date"),
        (171, "h:mm:ss", "time"),
        (172, '0.00" days"', "general"),
        (173, "[Red]#,##0.00", "general"),
        (174, "mmmm", "date"),
        (175, "General", "general"),
    ],
)
def test_the_kind_of_a_number_format(number: int, code: str, kind: str) -> None:
    assert kind_of_format(number, code) == kind


def test_numbers_at_the_edges() -> None:
    numbers = {"1e3": "1000", "1E+300": "1e+300", "-0.5": "-0.5", "abc": "abc", "nan": "nan"}
    assert {text: general(text) for text in numbers} == numbers
    assert shown("0.5", "time") == "12:00:00"
    assert shown("99999999999", "date") == "99999999999"
    assert shown("0", "date", from_1904=True) == "1904-01-01"


def test_links_of_cells_are_links() -> None:
    sheet = rows('<c r="A1" t="str"><v>here</v></c>') + '<hyperlinks><hyperlink ref="A1" r:id="h"/></hyperlinks>'
    parts = {"xl/worksheets/_rels/sheet0.xml.rels": relations(h=("hyperlink", "other.xlsx"))}
    page = document(xlsx({"S": sheet}, parts=parts), url=URL)
    assert '<td><a href="https://example.com/other.xlsx">here</a></td>' in page.html
    assert [(link.url, link.anchor) for link in page.links] == [("https://example.com/other.xlsx", "here")]


def test_comments_drawings_headers_and_footers_follow_the_cells() -> None:
    targets = relations(c=("comments", "../comments1.xml"), d=("drawing", "../drawings/d.xml"))
    parts = {
        "xl/worksheets/_rels/sheet0.xml.rels": targets,
        "xl/comments1.xml": f"<comments {NAMESPACES}><comment><text><t>Check</t></text></comment></comments>",
        "xl/drawings/d.xml": f"<xdr:wsDr {NAMESPACES}><xdr:sp>{a_paragraph('boxed')}</xdr:sp>"
        "<c:chart r:id='c'/></xdr:wsDr>",
        "xl/drawings/_rels/d.xml.rels": relations(c=("chart", "../charts/c.xml")),
        "xl/charts/c.xml": chart("Sales", ["a"], s=[1]),
    }
    header = '<headerFooter><oddHeader>&amp;C&amp;"Arial,Bold"&amp;12Secret&amp;R&amp;P</oddHeader></headerFooter>'
    page = document(xlsx({"S": rows("<c><v>1</v></c>") + header, "T": header}, parts=parts))
    assert page.text.split() == ["S", "1", "boxed", "Sales", "a", "s", "1", "Check", "T", "Secret"]


def test_one_cell_in_the_last_corner_is_one_cell() -> None:
    page = read({"S": rows('<c r="A1"><v>1</v></c>', '<c r="XFD1048576"><v>2</v></c>')})
    assert page.html == "<h2>S</h2>\n<table>\n<tr><td>1</td><td></td></tr>\n<tr><td></td><td>2</td></tr>\n</table>"


@pytest.mark.usefixtures("in_this_process")
def test_more_cells_than_anybody_reads_are_cut_and_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "CELLS_MOST", 1_000)
    full = "<row>" + "<c><v>7</v></c>" * 500 + "</row>"
    assert read({"S": f"<sheetData>{full * 2}</sheetData>"}).problem == ""
    page = read({"S": f"<sheetData>{full * 3}</sheetData>", "T": rows("<c><v>8</v></c>")})
    assert (page.text.count("7"), page.text.count("8")) == (1_000, 0)
    assert page.problem == f"'xl/worksheets/sheet0.xml': {sheets.TOO_MANY}"


@pytest.mark.usefixtures("in_this_process")
def test_a_long_string_in_many_cells_does_not_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "CHARACTERS_MOST", 100_000)
    strings = f"<si><t>{'x' * 10_000}</t></si>"
    page = read({"S": "<sheetData>" + '<row><c t="s"><v>0</v></c></row>' * 5_000 + "</sheetData>"}, strings=strings)
    assert page.text.count("x") == 100_000
    assert "characters" in page.problem
