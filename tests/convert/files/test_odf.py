"""What comes out of OpenDocument files."""

from __future__ import annotations

import pytest
from office_files import ODF_NAMESPACES, odf

from gossamer.convert import document
from gossamer.convert.files import sheets
from gossamer.model import Page

AUTOMATIC = (
    '<style:style style:name="B"><style:text-properties fo:font-weight="bold"/></style:style>'
    '<style:style style:name="P1" style:parent-style-name="Title"/>'
    '<style:style style:name="P2" style:parent-style-name="Preformatted_20_Text"/>'
    '<style:style style:name="P3" style:parent-style-name="Quotations"/>'
    '<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1"'
    ' style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/>'
    "</text:list-style>"
)


def text(body: str, *, common: str = "", parts: dict[str, str] | None = None) -> Page:
    made = odf("text", body, automatic=AUTOMATIC, common=common, parts=parts)
    return document(made, url="https://example.com/a.odt")


def p(words: str) -> str:
    return f"<text:p>{words}</text:p>"


def test_a_text_says_what_it_is() -> None:
    page = text('<text:h text:outline-level="2">Part</text:h>' + p("Words &amp; more"))
    assert page.media_type == "application/vnd.oasis.opendocument.text"
    assert (page.title, page.author, page.published, page.problem) == ("Part", "Ada", 1e9, "")
    assert page.html == "<h2>Part</h2>\n<p>Words &amp; more</p>"


def test_styles_make_titles_quotes_and_code() -> None:
    body = (
        '<text:p text:style-name="P1">Name</text:p><text:p text:style-name="P3">Said</text:p>'
        '<text:p text:style-name="P2">if x:</text:p><text:p text:style-name="P2"><text:s text:c="4"/>y</text:p>'
    )
    assert text(body).html == "<h1>Name</h1>\n<blockquote><p>Said</p></blockquote>\n<pre>if x:\n    y</pre>"


def test_spans_links_and_breaks() -> None:
    body = p(
        '<text:span text:style-name="B">bold</text:span> <text:a xlink:href="b">link</text:a><text:line-break/>end'
    )
    page = text(body)
    assert page.html == '<p><strong>bold</strong> <a href="https://example.com/b">link</a><br>end</p>'
    assert [each.url for each in page.links] == ["https://example.com/b"]


def items(*texts: str) -> str:
    return "".join(f"<text:list-item>{each}</text:list-item>" for each in texts)


def test_lists_have_their_depth_and_number() -> None:
    inner = f"<text:list>{items(p('x'))}</text:list>"
    page = text(f'<text:list text:style-name="N">{items(p("one") + inner, p("two") + p("goes on"))}</text:list>')
    assert page.html.replace("\n", "") == ("<ol><li>one<ul><li>a) x</li></ul></li><li>two<br>goes on</li></ol>")
    assert text(f"<text:list>{items(p('one'))}</text:list>").html == "<ul>\n<li>one\n</li></ul>"


def test_a_list_that_goes_on_counts_on() -> None:
    first = f'<text:list text:style-name="N">{items(p("a"), p("b"))}</text:list>'
    second = f'<text:list text:style-name="N" text:continue-numbering="true">{items(p("c"))}</text:list>'
    assert text(first + p("between") + second).text == "a\nb\nbetween\n3. c"


def test_deleted_text_macros_and_forms_are_out() -> None:
    body = (
        f"<text:tracked-changes><text:changed-region>{p('deleted')}</text:changed-region></text:tracked-changes>"
        f"<office:forms>{p('form')}</office:forms>" + p("kept")
    )
    module = '<script:module xmlns:script="http://openoffice.org/2000/script">Sub Main</script:module>'
    assert text(body, parts={"Basic/Standard/m.xml": module}).text == "kept"


def test_tables_keep_their_columns() -> None:
    cell = "<table:table-cell>{}</table:table-cell>"
    body = (
        "<table:table><table:table-header-rows><table:table-row>"
        f"{cell.format(p('a'))}{cell.format(p('b'))}</table:table-row></table:table-header-rows><table:table-row>"
        f'<table:table-cell table:number-columns-spanned="2">{p("wide")}</table:table-cell><table:covered-table-cell/>'
        "</table:table-row></table:table>"
    )
    assert text(body).html == "<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>wide</td><td></td></tr>\n</table>"


def test_notes_comments_and_boxes_stand_where_they_belong() -> None:
    note = (
        f"<text:note><text:note-citation>1</text:note-citation><text:note-body>{p('foot')}</text:note-body></text:note>"
    )
    comment = f"<office:annotation><dc:creator>Bob</dc:creator><dc:date>2001</dc:date>{p('Why?')}</office:annotation>"
    box = f"<draw:frame><draw:text-box>{p('boxed')}</draw:text-box></draw:frame>"
    picture = "<draw:frame><draw:image/><svg:title>x</svg:title><svg:desc>A cat</svg:desc></draw:frame>"
    assert text(p(f"Text{note}{comment}{box}{picture} end")).html == (
        "<p>Text<sup>[1]</sup> end</p>\n<p>boxed</p>\n<p>A cat</p>\n<p>[1] foot</p>\n"
        "<blockquote><p>Bob: Why?</p></blockquote>"
    )


def test_headers_and_footers_come_once_and_numbers_of_pages_never() -> None:
    def master(*lines: str) -> str:
        return f"<style:master-page><style:footer>{''.join(map(p, lines))}</style:footer></style:master-page>"

    number = "Page <text:page-number>1</text:page-number>"
    common = f"<office:master-styles>{master('Foot', number)}{master('Foot')}</office:master-styles>"
    assert text(p("Body"), common=common).text == "Body\nFoot"


def test_a_chart_is_read_from_its_object() -> None:
    row = "<table:table-row>{}</table:table-row>"
    cells = "<table:table-cell>{}</table:table-cell><table:table-cell>{}</table:table-cell>"
    table = row.format(cells.format(p("May"), p("3"))) + row.format(cells.format(p("June"), p("4")))
    part = f"<office:chart {ODF_NAMESPACES}>{p('Fruit')}<table:table>{table}</table:table></office:chart>"
    page = text(
        p('<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>'), parts={"Object 1/content.xml": part}
    )
    assert page.text == "Fruit\nMay\t3\nJune\t4"


def slides(body: str, common: str = "") -> Page:
    return document(odf("presentation", body, common=common))


def test_slides_have_titles_as_headings_and_notes_after() -> None:
    frame = '<draw:frame presentation:class="{}"><draw:text-box>{}</draw:text-box></draw:frame>'
    shape = f"<draw:custom-shape>{p('shape')}</draw:custom-shape>"
    notes = f"<presentation:notes>{frame.format('notes', p('say'))}</presentation:notes>"
    body = (
        "<presentation:footer-decl>Foot</presentation:footer-decl>"
        f'<draw:page draw:master-page-name="M">{frame.format("title", p("One"))}{shape}{notes}</draw:page>'
    )
    used = frame.format("footer", p("Master foot")) + frame.format("title", p("Click to edit"))
    unused = frame.format("footer", p("never"))
    page = slides(
        body,
        f'<office:master-styles><style:master-page style:name="M">{used}</style:master-page>'
        f'<style:master-page style:name="Unused">{unused}</style:master-page></office:master-styles>',
    )
    assert page.media_type == "application/vnd.oasis.opendocument.presentation"
    assert page.html == (
        "<h1>One</h1>\n<p>shape</p>\n<blockquote><p>say</p></blockquote>\n<p>Foot</p>\n<p>Master foot</p>"
    )


def sheet(body: str) -> Page:
    return document(odf("spreadsheet", f'<table:table table:name="S">{body}</table:table>'))


def row(*cells: str, times: int = 1) -> str:
    return f'<table:table-row table:number-rows-repeated="{times}">{"".join(cells)}</table:table-row>'


def cell(words: str = "", times: int = 1) -> str:
    inner = p(words) if words else ""
    return f'<table:table-cell table:number-columns-repeated="{times}">{inner}</table:table-cell>'


def test_sheets_are_headings_and_tables() -> None:
    names, ann = row(cell("Name"), cell(times=3), cell("Age")), row(cell("Ann"), cell(times=3), cell("7"))
    page = sheet(names + row(cell(times=16_384), times=1_048_576) + ann)
    assert page.media_type == "application/vnd.oasis.opendocument.spreadsheet"
    assert page.html == (
        "<h2>S</h2>\n<table>\n<tr><th>Name</th><th>Age</th></tr>\n<tr><td>Ann</td><td>7</td></tr>\n</table>"
    )


@pytest.mark.usefixtures("in_this_process")
def test_cells_that_are_repeated_without_end_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    page = sheet(row(cell("x", times=16_384), times=1_048_576))
    assert page.text.count("x") == 64 * 64
    monkeypatch.setattr(sheets, "CELLS_MOST", 1_000)
    page = sheet(row(cell("x", times=16_384), times=1_048_576))
    assert page.text.count("x") <= 1_000
    assert "cells" in page.problem


def test_an_encrypted_file_says_so() -> None:
    manifest = '<manifest:encryption-data xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    page = document(odf("text", p("x"), parts={"META-INF/manifest.xml": manifest, "content.xml": "\x00\x01"}))
    assert (page.text, page.problem) == ("", "it is encrypted")


def test_a_file_in_one_piece_of_xml_is_read_too() -> None:
    body = f"<office:body>{p('Flat')}</office:body>"
    data = f"<?xml version='1.0'?><office:document {ODF_NAMESPACES}>{body}</office:document>"
    assert document(data.encode()).html == "<p>Flat</p>"


def test_a_file_of_openoffice_1_is_read_too() -> None:
    old = "http://openoffice.org/2000/"
    content = (
        f'<office:document-content xmlns:office="{old}office" xmlns:text="{old}text"><office:body>'
        "<text:unordered-list><text:list-item><text:p>old</text:p></text:list-item></text:unordered-list>"
        "</office:body></office:document-content>"
    )
    made = odf("text", "", parts={"content.xml": content, "mimetype": "application/vnd.sun.xml.writer"})
    assert document(made).html == "<ul>\n<li>old\n</li></ul>"
