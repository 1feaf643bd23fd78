"""What comes out of Word files."""

from __future__ import annotations

import pytest
from office_files import NAMESPACES, chart, docx

from gossamer.convert import document
from gossamer.model import Page

URL = "https://example.com/dir/letter.docx"
TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
STYLES = (
    f"<w:styles {NAMESPACES}>"
    '<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="berschrift1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Q"><w:name w:val="Quote"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="O"><w:name w:val="x"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="L"><w:name w:val="List"/>'
    '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    "</w:styles>"
)


def level(number: int, form: str, label: str) -> str:
    said = f'<w:numFmt w:val="{form}"/><w:lvlText w:val="{label}"/>'
    return f'<w:lvl w:ilvl="{number}">{said}</w:lvl>'


NUMBERING = (
    f"<w:numbering {NAMESPACES}>"
    f'<w:abstractNum w:abstractNumId="a">{level(0, "bullet", "*")}{level(1, "bullet", "*")}</w:abstractNum>'
    f'<w:abstractNum w:abstractNumId="b">{level(0, "decimal", "%1.")}{level(1, "lowerLetter", "%2)")}'
    f"{level(2, 'upperRoman', '%1.%2.%3')}</w:abstractNum>"
    '<w:num w:numId="1"><w:abstractNumId w:val="a"/></w:num>'
    '<w:num w:numId="2"><w:abstractNumId w:val="b"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="b"/>'
    '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>'
    "</w:numbering>"
)


def p(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def styled(text: str, style: str) -> str:
    return p(text, f'<w:pStyle w:val="{style}"/>')


def item(text: str, number: int, depth: int = 0) -> str:
    return p(text, f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr>')


def read(body: str, title: str = "", parts: dict[str, str] | None = None, **targets: tuple[str, str]) -> Page:
    common = {"word/styles.xml": STYLES, "word/numbering.xml": NUMBERING}
    targets |= {"styles": ("styles", "styles.xml"), "numbering": ("numbering", "numbering.xml")}
    return document(docx(body, title=title, parts=common | (parts or {}), **targets), url=URL)


def test_a_word_file_says_what_it_is_and_who_wrote_it_when() -> None:
    page = read(styled("Heading", "berschrift1") + p("Text &amp; more &lt;b&gt;"), title="The title")
    assert (page.url, page.media_type, page.problem) == (URL, TYPE, "")
    assert (page.title, page.author, page.published, page.modified) == ("The title", "Ada", 1e9, 1e9 + 1)
    assert page.html == "<h1>Heading</h1>\n<p>Text &amp; more &lt;b&gt;</p>"
    assert page.text == page.content == "Heading\nText & more <b>"


def test_a_file_without_a_title_is_called_after_its_first_heading() -> None:
    assert read(p("Before") + styled("Chapter One", "berschrift1")).title == "Chapter One"


@pytest.mark.parametrize(
    ("style", "tag"), [("berschrift1", "h1"), ("Mine", "h1"), ("T", "h1"), ("O", "h3"), ("unknown", "p")]
)
def test_headings_are_known_by_their_style_whatever_it_is_called(style: str, tag: str) -> None:
    assert read(styled("Words", style)).html == f"<{tag}>Words</{tag}>"


def test_quotes_are_known_by_their_style() -> None:
    assert read(styled("Said", "Q")).html == "<blockquote><p>Said</p></blockquote>"


def test_runs_that_look_alike_are_joined_and_marks_hold_no_spaces() -> None:
    run = "<w:r><w:rPr><w:b/></w:rPr><w:t>{}</w:t></w:r>"
    body = (
        f"<w:p>{run.format('bo')}{run.format('ld ')}<w:r><w:rPr><w:b w:val='0'/><w:i/></w:rPr><w:t>it</w:t></w:r></w:p>"
    )
    assert read(body).html == "<p><strong>bold</strong> <em>it</em></p>"


def test_tabs_breaks_and_signs_are_text() -> None:
    body = (
        "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/>"
        '<w:sym w:font="Arial" w:char="20AC"/><w:sym w:font="Wingdings" w:char="F0E0"/></w:r></w:p>'
    )
    assert read(body).html == "<p>a b<br>c\u2011€</p>"


def test_bullets_and_numbers_are_lists_in_lists() -> None:
    page = read(
        item("one", 1) + item("inner", 1, 1) + item("two", 1) + p("then") + item("first", 2) + item("second", 2)
    )
    assert page.html.replace("\n", "") == (
        "<ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul><p>then</p><ol><li>first</li><li>second</li></ol>"
    )


def test_numbers_that_a_list_would_not_count_by_itself_are_written() -> None:
    page = read(
        item("a", 2) + item("b", 2, 1) + item("c", 2, 2) + p("between") + item("goes on", 2) + item("starts at five", 3)
    )
    assert page.text.split("\n") == ["a", "a) b", "1.a.I c", "between", "2. goes on", "5. starts at five"]


def test_the_style_of_a_paragraph_can_make_it_an_item() -> None:
    assert read(styled("one", "L")).html == "<ul>\n<li>one\n</li></ul>"


def test_a_numbered_heading_keeps_its_number() -> None:
    properties = '<w:pStyle w:val="berschrift1"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr>'
    assert read(p("Scope", properties)).html == "<h1>1. Scope</h1>"


def test_tables_keep_their_columns_where_cells_are_merged() -> None:
    row = "<w:tr>{}</w:tr>"
    cell = "<w:tc><w:tcPr>{}</w:tcPr>{}</w:tc>"
    names = "<w:trPr><w:tblHeader/></w:trPr>" + "".join(cell.format("", p(name)) for name in "ABC")
    wide = cell.format('<w:gridSpan w:val="2"/>', p("wide"))
    tall = cell.format('<w:vMerge w:val="restart"/>', p("tall"))
    below = cell.format("", p("x") + p("y")) + cell.format("", p("z")) + cell.format("<w:vMerge/>", p("covered"))
    body = f"<w:tbl>{row.format(names)}{row.format(wide + tall)}{row.format(below)}</w:tbl>"
    assert read(body).html == (
        "<table>\n<tr><th>A</th><th>B</th><th>C</th></tr>\n<tr><td>wide</td><td></td><td>tall</td></tr>\n"
        "<tr><td>x<br>y</td><td>z</td><td></td></tr>\n</table>"
    )


def test_a_table_that_only_arranges_the_page_is_taken_apart() -> None:
    inner = f"<w:tbl><w:tr><w:tc>{p('a')}</w:tc><w:tc>{p('b')}</w:tc></w:tr></w:tbl>"
    body = f"<w:tbl><w:tr><w:tc>{p('left')}{inner}</w:tc><w:tc>{p('right')}</w:tc></w:tr></w:tbl>"
    assert read(body).html == "<p>left</p>\n<table>\n<tr><td>a</td><td>b</td></tr>\n</table>\n<p>right</p>"
    assert read(f"<w:tbl><w:tr><w:tc>{styled('Only', 'T')}</w:tc></w:tr></w:tbl>").html == "<h1>Only</h1>"


def test_links_are_links_like_any_other() -> None:
    body = (
        '<w:p><w:hyperlink r:id="h"><w:r><w:t>here</w:t></w:r></w:hyperlink>'
        '<w:r><w:t> and </w:t></w:r><w:hyperlink r:id="rel"><w:r><w:t>there</w:t></w:r></w:hyperlink>'
        '<w:hyperlink w:anchor="x"><w:r><w:t> inside</w:t></w:r></w:hyperlink>'
        '<w:hyperlink r:id="m"><w:r><w:t> mail</w:t></w:r></w:hyperlink></w:p>'
    )
    page = read(
        body,
        h=("hyperlink", "HTTP://Example.org/a?b&amp;c"),
        rel=("hyperlink", "../x"),
        m=("hyperlink", "mailto:a@b.c"),
    )
    assert [(link.url, link.anchor, link.place, link.content) for link in page.links] == [
        ("http://example.org/a?b&c", "here", "a", True),
        ("https://example.com/x", "there", "a", True),
    ]
    assert page.html == (
        '<p><a href="http://example.org/a?b&amp;c">here</a> and <a href="https://example.com/x">there</a>'
        " inside mail</p>"
    )


def test_of_fields_there_is_the_result_and_not_the_code() -> None:
    body = (
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "http://a.example/" \\o "t"'
        '</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>shown</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r><w:fldSimple w:instr="PAGE"><w:r><w:t> 3</w:t></w:r></w:fldSimple>'
        "</w:p>"
    )
    assert read(body).html == '<p><a href="http://a.example/">shown</a> 3</p>'


def test_deleted_text_is_out_and_inserted_text_is_in() -> None:
    body = (
        "<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
        "<w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom><w:moveTo><w:r><w:t> moved</w:t></w:r></w:moveTo></w:p>"
    )
    assert read(body).text == "new moved"


def test_a_text_box_comes_once_and_after_its_paragraph() -> None:
    box = f"<w:txbxContent>{p('boxed')}</w:txbxContent>"
    body = (
        "<w:p><w:r><w:t>before </w:t></w:r><w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing>"
        f"{box}</w:drawing></mc:Choice><mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent></w:r>"
        "<w:r><w:t>after</w:t></w:r></w:p>"
    )
    assert read(body).html == "<p>before after</p>\n<p>boxed</p>"


def test_pictures_are_what_is_said_in_their_place() -> None:
    drawing = "<w:p><w:r><w:drawing><wp:docPr descr='{}'/></w:drawing></w:r></w:p>"
    assert read(drawing.format("A cat\nDescription automatically generated")).html == "<p>A cat</p>"
    assert read(drawing.format("C:\\pictures\\cat.png")).html == ""


def test_a_chart_is_a_title_and_a_table() -> None:
    part = chart("Fruit", ["May", "June"], pears=[1.0, 2.5], plums=[3, 0.1 + 0.2])
    body = '<w:p><w:r><w:drawing><c:chart r:id="c"/></w:drawing></w:r></w:p>'
    page = read(body, parts={"word/charts/chart1.xml": part}, c=("chart", "charts/chart1.xml"))
    assert page.html == (
        "<p>Fruit</p>\n<table>\n<tr><td></td><td>May</td><td>June</td></tr>\n"
        "<tr><td>pears</td><td>1</td><td>2.5</td></tr>\n<tr><td>plums</td><td>3</td><td>0.3</td></tr>\n</table>"
    )


def test_a_diagram_is_the_texts_of_its_data() -> None:
    points = "".join(
        f"<dgm:pt><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>" for text in ("one", "two")
    )
    part = f"<dgm:dataModel {NAMESPACES}><dgm:ptLst>{points}</dgm:ptLst></dgm:dataModel>"
    body = '<w:p><w:r><w:drawing><dgm:relIds r:dm="d"/></w:drawing></w:r></w:p>'
    page = read(body, parts={"word/diagrams/data1.xml": part}, d=("diagramData", "diagrams/data1.xml"))
    assert page.text == "one\ntwo"


def test_notes_comments_headers_and_footers_stand_once_after_the_body() -> None:
    body = (
        "<w:p><w:r><w:t>Text</w:t></w:r><w:r><w:footnoteReference w:id='7'/></w:r></w:p>"
        + p("More")
        + "<w:p><w:r><w:t>End</w:t></w:r><w:r><w:endnoteReference w:id='7'/></w:r></w:p>"
    )
    parts = {
        "word/footnotes.xml": f"<w:footnotes {NAMESPACES}>"
        f"<w:footnote w:id='0' w:type='separator'>{p('---')}</w:footnote>"
        f"<w:footnote w:id='7'>{p('foot')}</w:footnote></w:footnotes>",
        "word/endnotes.xml": f"<w:endnotes {NAMESPACES}><w:endnote w:id='7'>{p('end')}</w:endnote></w:endnotes>",
        "word/comments.xml": f"<w:comments {NAMESPACES}><w:comment w:author='Bob'>{p('Why?')}</w:comment></w:comments>",
        "word/header1.xml": f"<w:hdr {NAMESPACES}>{p('Head')}</w:hdr>",
        "word/header2.xml": f"<w:hdr {NAMESPACES}>{p('Head')}</w:hdr>",
        "word/footer1.xml": f"<w:ftr {NAMESPACES}>{p('Foot')}</w:ftr>",
    }
    names = [name.removeprefix("word/") for name in parts]
    targets = {f"n{at}": (name.removesuffix(".xml").rstrip("12"), name) for at, name in enumerate(names)}
    page = read(body, "", parts, **targets)
    assert page.html == (
        "<p>Text<sup>[1]</sup></p>\n<p>More</p>\n<p>End<sup>[2]</sup></p>\n<p>[1] foot</p>\n<p>[2] end</p>\n"
        "<blockquote><p>Bob: Why?</p></blockquote>\n<p>Head</p>\n<p>Foot</p>"
    )


def test_the_strict_form_of_the_standard_is_read_too() -> None:
    made = docx(p("Strict"))
    strict = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    body = f'<w:document xmlns:w="{strict}"><w:body>{p("Strict")}</w:body></w:document>'
    again = docx("", parts={"word/document.xml": body})
    assert document(again).text == document(made).text == "Strict"


def test_word_files_in_one_piece_of_xml_are_read_as_such() -> None:
    old = "http://schemas.microsoft.com/office/word/2003/wordml"
    data = f'<?xml version="1.0"?><w:wordDocument xmlns:w="{old}"><w:body>{p("Old")}</w:body></w:wordDocument>'
    assert document(data.encode()).html == "<p>Old</p>"
    package = "http://schemas.microsoft.com/office/2006/xmlPackage"
    part = f"<pkg:part><pkg:xmlData><w:document {NAMESPACES}>{p('<!-- x -->New')}</w:document></pkg:xmlData></pkg:part>"
    data = f'<?xml version="1.0"?><pkg:package xmlns:pkg="{package}">{part}</pkg:package>'
    assert document(data.encode()).html == "<p>New</p>"


def test_how_words_are_read_aloud_stands_after_them() -> None:
    run = "<w:r><w:t>{}</w:t></w:r>"
    ruby = f"<w:ruby><w:rt>{run.format('とうきょう')}</w:rt><w:rubyBase>{run.format('東京')}</w:rubyBase></w:ruby>"
    assert read(f"<w:p><w:r>{ruby}</w:r>{run.format('へ')}</w:p>").text == "東京 (とうきょう)へ"


def test_a_file_without_its_main_part_has_a_problem() -> None:
    page = document(docx("").replace(b"word/document.xml", b"word/documemt.xml"))
    assert (page.text, page.problem) == ("", "its main part, 'word/document.xml', is missing")


def test_what_was_read_before_the_damage_is_kept() -> None:
    page = document(docx(p("Whole") + "</w:wrong>"))
    assert page.html == "<p>Whole</p>"
    assert "not well-formed" in page.problem


def test_formulas_are_tex() -> None:
    def run(text: str) -> str:
        return f"<m:r><m:t>{text}</m:t></m:r>"

    half = f"<m:f><m:num>{run('a')}</m:num><m:den>{run('2')}</m:den></m:f>"
    power = f"<m:sSup><m:e>{run('x')}</m:e><m:sup>{run('n+1')}</m:sup></m:sSup>"
    root = f"<m:rad><m:deg/><m:e>{run('y')}</m:e></m:rad>"
    total = (
        f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{run("i=1")}</m:sub><m:sup/><m:e>{power}</m:e></m:nary>'
    )
    matrix = f'<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e><m:m><m:mr><m:e>{run("1")}</m:e>'
    matrix += f"<m:e>{run('0')}</m:e></m:mr></m:m></m:e></m:d>"
    body = f"<w:p><w:r><w:t>So </w:t></w:r><m:oMath>{half}{run('&lt;')}{root}</m:oMath><w:r><w:t>.</w:t></w:r></w:p>"
    page = document(docx(f"{body}<w:p><m:oMathPara><m:oMath>{total}{matrix}</m:oMath></m:oMathPara></w:p>"))
    assert page.html == (
        "<p>So <math>\\frac{a}{2}&lt;\\sqrt{y}</math>.</p>\n"
        "<p><math>∑_{i=1} x^{n+1}[\\begin{matrix} 1 &amp; 0 \\end{matrix}]</math></p>"
    )
    assert page.markdown.startswith("So $\\frac{a}{2}<\\sqrt{y}$.")
