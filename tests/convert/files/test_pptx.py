"""What comes out of PowerPoint files."""

from __future__ import annotations

import pytest
from office_files import CORE, NAMESPACES, a_paragraph, chart, pptx, relations, shape

from gossamer.convert import document
from gossamer.model import Page

URL = "https://example.com/talk.pptx"


def read(*slides: str, parts: dict[str, str] | None = None) -> Page:
    return document(pptx(list(slides), parts=parts), url=URL)


def test_slides_come_in_the_order_of_the_presentation_with_titles_as_headings() -> None:
    page = read(shape("first", place="") + shape("One", place="ctrTitle"), shape("Two", place="title") + shape("free"))
    assert page.media_type == "application/vnd.openxmlformats-officedocument.presentationml.presentation"
    assert (page.title, page.author, page.published, page.problem) == ("One", "Ada", 1e9, "")
    assert page.html == "<h1>One</h1>\n<ul>\n<li>first\n</li></ul>\n<h1>Two</h1>\n<p>free</p>"


def test_a_title_of_two_lines_is_one_heading() -> None:
    assert read(shape("Part", "Two", place="title")).html == "<h1>Part Two</h1>"


def test_items_have_their_depth_and_number() -> None:
    deeper = a_paragraph("deeper", '<a:pPr lvl="1"/>')
    none = a_paragraph("no bullet", "<a:pPr><a:buNone/></a:pPr>")
    page = read(shape("top", deeper, none, place="body"))
    assert page.html.replace("\n", "") == "<ul><li>top<ul><li>deeper</li></ul></li></ul><p>no bullet</p>"
    roman = '<a:pPr><a:buAutoNum type="romanLcParenBoth"/></a:pPr>'
    plain = '<a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr>'
    assert read(shape(a_paragraph("x", roman), a_paragraph("y", roman))).text == "(i) x\n(ii) y"
    assert read(shape(a_paragraph("x", plain), a_paragraph("y", plain))).html.startswith("<ol>\n<li>x")


def test_words_have_their_look_and_link() -> None:
    look = '<a:rPr b="1" baseline="30000"><a:hlinkClick r:id="h"/></a:rPr>'
    parts = {"ppt/slides/_rels/slide1.xml.rels": relations(h=("hyperlink", "http://a.example/"))}
    page = read(shape(a_paragraph("up", look=look)), parts=parts)
    assert page.html == '<p><a href="http://a.example/"><strong><sup>up</sup></strong></a></p>'
    assert [(link.url, link.anchor) for link in page.links] == [("http://a.example/", "up")]


def test_footers_come_once_at_the_end_and_numbers_and_dates_never() -> None:
    around = shape("Foot", place="ftr") + shape("17", place="sldNum") + shape("today", place="dt")
    assert read(around + shape("a"), around + shape("b")).html == "<p>a</p>\n<p>b</p>\n<p>Foot</p>"


def test_notes_and_comments_follow_their_slide() -> None:
    notes = f"<p:notes {NAMESPACES}>{shape('say this', place='body')}{shape('1', place='sldNum')}</p:notes>"
    comments = f"<p:cmLst {NAMESPACES}><p:cm><p:text>really?</p:text></p:cm></p:cmLst>"
    targets = relations(n=("notesSlide", "../notesSlides/n.xml"), c=("comments", "../comments/c.xml"))
    parts = {
        "ppt/slides/_rels/slide2.xml.rels": targets,
        "ppt/notesSlides/n.xml": notes,
        "ppt/comments/c.xml": comments,
    }
    page = read(shape("one"), shape("two"), parts=parts)
    assert page.html == (
        "<p>one</p>\n<blockquote><p>say this</p></blockquote>\n<blockquote><p>really?</p></blockquote>\n<p>two</p>"
    )


def test_masters_and_layouts_say_once_what_they_show_and_never_where_to_click() -> None:
    layout = shape("Click to edit", place="title") + shape("Slogan")
    master = shape("Second level", place="body") + shape("Copyright") + shape("Slogan")
    parts = {
        "ppt/slides/_rels/slide1.xml.rels": relations(l=("slideLayout", "../slideLayouts/l.xml")),
        "ppt/slides/_rels/slide2.xml.rels": relations(l=("slideLayout", "../slideLayouts/l.xml")),
        "ppt/slideLayouts/l.xml": f"<p:sldLayout {NAMESPACES}>{layout}</p:sldLayout>",
        "ppt/slideLayouts/_rels/l.xml.rels": relations(m=("slideMaster", "../slideMasters/m.xml")),
        "ppt/slideMasters/m.xml": f"<p:sldMaster {NAMESPACES}>{master}</p:sldMaster>",
    }
    assert read(shape("one"), shape("two"), parts=parts).text == "one\ntwo\nSlogan\nCopyright"


def test_tables_charts_and_pictures_are_text() -> None:
    cell = "<a:tc><a:txBody>{}</a:txBody></a:tc>"
    rows = "".join(f"<a:tr>{''.join(cell.format(a_paragraph(text)) for text in row)}</a:tr>" for row in ("ab", "12"))
    table = f'<p:graphicFrame><a:tbl><a:tblPr firstRow="1"/>{rows}</a:tbl></p:graphicFrame>'
    picture = '<p:pic><p:nvPicPr><p:cNvPr name="x" descr="A cat"/></p:nvPicPr></p:pic>'
    drawn = '<p:graphicFrame><c:chart r:id="c"/></p:graphicFrame>'
    parts = {
        "ppt/slides/_rels/slide1.xml.rels": relations(c=("chart", "../charts/c.xml")),
        "ppt/charts/c.xml": chart("Sales", ["2001"], we=[7]),
    }
    page = read(table + picture + drawn, parts=parts)
    assert page.html == (
        "<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>2</td></tr>\n</table>\n<p>A cat</p>\n<p>Sales</p>\n"
        "<table>\n<tr><td></td><td>2001</td></tr>\n<tr><td>we</td><td>7</td></tr>\n</table>"
    )


def test_a_slide_that_is_listed_twice_is_read_once() -> None:
    slide = '<p:sldId r:id="s0"/>'
    listed = f"<p:presentation {NAMESPACES}><p:sldIdLst>{slide}{slide}</p:sldIdLst></p:presentation>"
    assert read(shape("once"), parts={"ppt/presentation.xml": listed}).text == "once"


@pytest.mark.parametrize("title", ["PowerPoint Presentation", "Slide 1"])
def test_what_programs_write_as_a_title_is_none(title: str) -> None:
    page = read(shape("Real", place="title"), parts={"docProps/core.xml": CORE.format(title=title)})
    assert (page.title, page.author) == ("Real", "Ada")
