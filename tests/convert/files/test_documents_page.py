"""The page on documents shows what really comes out."""

from __future__ import annotations

import re

import pytest
from office_files import NAMESPACES, docx, epub, odf, pptx, relations, shape, xlsx, zipped
from office_files import a_paragraph as line
from pdf_files import column, pdf
from pdf_files import link as pdf_link

from documentation import page
from gossamer.convert import document
from gossamer.convert.files.formats import READERS

PAGE = page("docs/documents.md")
SECTIONS = dict(re.findall(r"(?ms)^## What comes out of (.*?)\?\n(.*?)(?=^## |\Z)", PAGE))
LANGUAGES = {
    "eml": "message/rfc822",
    "json": "application/json",
    "markdown": "text/markdown",
    "csv": "text/csv",
    "xml": "application/xml",
    "text": "text/plain",
    "tex": "application/x-tex",
    "srt": "application/x-subrip",
}


def shown(section: str) -> list[tuple[str, str]]:
    """The examples of a section: language and text."""
    found = re.findall(r"(?ms)^(````?)(\w+)\n(.*?)\n\1$", SECTIONS[section])
    return [(language, text) for _, language, text in found]


PAIRS = [(section, *examples) for section in SECTIONS if len(examples := shown(section)) == 2]


@pytest.mark.parametrize(("section", "given", "expected"), PAIRS, ids=[pair[0] for pair in PAIRS])
def test_what_is_shown_is_what_comes_out(section: str, given: tuple[str, str], expected: tuple[str, str]) -> None:
    language, text = given
    assert document(f"{text}\n".encode(), f"{LANGUAGES[language]}; charset=utf-8").html == expected[1]


def test_there_is_an_example_for_every_kind_of_text() -> None:
    assert len(PAIRS) == 10


def run(text: str, look: str = "") -> str:
    return f'<w:r><w:rPr>{look}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def a_word_file() -> bytes:
    level = '<w:lvl w:ilvl="{}"><w:numFmt w:val="{}"/><w:lvlText w:val="{}"/></w:lvl>'
    levels = level.format(0, "decimal", "%1.") + level.format(1, "lowerLetter", "%2)")
    item = '<w:p><w:pPr><w:numPr><w:ilvl w:val="{}"/><w:numId w:val="1"/></w:numPr></w:pPr>{}</w:p>'
    link = f'<w:hyperlink r:id="h">{run("a link")}</w:hyperlink>'
    note = '<w:r><w:footnoteReference w:id="1"/></w:r>'
    body = (
        f'<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr>{run("Report")}</w:p>'
        f"<w:p>{run('Text with ')}{run('bold', '<w:b/>')}{run(' words and ')}{link}{run('.')}{note}</w:p>"
        + item.format(0, run("First"))
        + item.format(1, run("within"))
    )
    parts = {
        "word/numbering.xml": f'<w:numbering {NAMESPACES}><w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>',
        "word/footnotes.xml": f'<w:footnotes {NAMESPACES}><w:footnote w:id="1"><w:p>{run("A footnote.")}</w:p>'
        "</w:footnote></w:footnotes>",
    }
    targets = {
        "h": ("hyperlink", "https://example.org/"),
        "n": ("numbering", "numbering.xml"),
        "f": ("footnotes", "footnotes.xml"),
    }
    return docx(body, "", parts, **targets)


def an_excel_file() -> bytes:
    text = '<c t="inlineStr"><is><t>{}</t></is></c>'
    names = f"<row>{text.format('Name')}{text.format('Born')}</row>"
    rows = f"{names}<row>{text.format('Anna')}<c s='1'><v>37143</v></c></row>"
    styles = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
    return xlsx({"Ages": f"<sheetData>{rows}</sheetData>"}, styles=styles)


def a_powerpoint_file() -> bytes:
    slide = shape("Plans", place="title") + shape("first", line("deeper", '<a:pPr lvl="1"/>'), place="body")
    parts = {
        "ppt/slides/_rels/slide1.xml.rels": relations(n=("notesSlide", "../notesSlides/n.xml")),
        "ppt/notesSlides/n.xml": f"<p:notes {NAMESPACES}>{shape('Say hello.', place='body')}</p:notes>",
    }
    return pptx([slide], parts=parts)


def an_opendocument_file() -> bytes:
    note = "<text:note><text:note-body><text:p>The note.</text:p></text:note-body></text:note>"
    comment = "<office:annotation><dc:creator>Bob</dc:creator><text:p>Really?</text:p></office:annotation>"
    return odf("text", f"<text:h>Report</text:h><text:p>Text with a note.{note}{comment}</text:p>")


def a_pdf_file() -> bytes:
    lines = column(72, ["A sentence that is longer", "than its line, see the manual."], top=700)
    cells = [
        (left, 600 - 14 * at, 10, cell)
        for at, row in enumerate((("Anna", "7"), ("Bob", "12")))
        for left, cell in zip((72, 200), row, strict=True)
    ]
    link = pdf_link((146.8, 686, 196.6, 698), "https://example.org/")
    return pdf([(72, 740, 20, "Report"), *lines, *cells], annotations=[link])


AN_RTF_FILE = (
    rb"{\rtf1 Text with {\b bold} words and {\field{\*\fldinst HYPERLINK https://example.org/}{\fldrslt a link}}.\chftn"
    rb"{\footnote\chftn A note.}}"
)

MADE = {
    "a PDF file": a_pdf_file(),
    "an RTF file": AN_RTF_FILE,
    "a Word file": a_word_file(),
    "an Excel file": an_excel_file(),
    "a PowerPoint file": a_powerpoint_file(),
    "OpenDocument files": an_opendocument_file(),
    "a ZIP file": zipped({"notes/a.txt": "A note.", "photo.png": b"\x89PNG"}),
}


@pytest.mark.parametrize("section", MADE)
def test_what_is_shown_of_files_is_what_comes_out(section: str) -> None:
    ((_, expected),) = shown(section)
    assert document(MADE[section]).html == expected


def test_what_is_shown_of_a_book_is_what_comes_out() -> None:
    metadata = "<dc:title>The Book</dc:title><dc:creator>Ada</dc:creator>"
    ((_, expected),) = shown("a book")
    assert document(epub({"a": "<h1>One</h1><p>The first chapter.</p>"}, metadata=metadata)).text == expected


def test_the_programs_of_the_page_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(READERS, "text/x-shouting", raising=False)
    for program in re.findall(r"(?ms)^```python\n(.*?)^```$", PAGE):
        exec(compile(program, "docs/documents.md", "exec"), {})
    del READERS["text/x-shouting"]
