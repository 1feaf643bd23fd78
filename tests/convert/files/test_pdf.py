"""PDF: text in the order in which people read it, as paragraphs, headings, tables and links."""

from __future__ import annotations

from itertools import chain

import pytest
from pdf_files import PdfFile, column, drawn, link, pdf

from gossamer.convert import document

LEFT = [f"left column line {word} goes on and on" for word in ("one", "two", "three", "four", "five", "six")]
RIGHT = [f"right column line {word} goes on too" for word in ("one", "two", "three", "four", "five", "six")]


def test_lines_become_paragraphs() -> None:
    lines = [
        "The first paragraph has several lines that are",
        "all as wide as the column in which they stand,",
        "but for the last.",
    ]
    other = ["The second paragraph begins after a gap that is", "wider than that between the lines."]
    page = document(pdf([*column(72, lines), *column(72, other, top=640)]))
    assert page.media_type == "application/pdf"
    assert page.html == f"<p>{' '.join(lines)}</p>\n<p>{' '.join(other)}</p>"
    assert page.problem == ""


def test_words_that_were_divided_are_whole_again() -> None:
    lines = [
        "It is well known that a docu-",
        "ment may be hyphenated in a self-",
        "made way, and self-made it was at the end.",
    ]
    text = document(pdf(column(72, lines))).text
    assert "a document may be hyphenated in a self-made way" in text


@pytest.mark.parametrize("by_rows", [False, True], ids=["by columns", "by rows"])
def test_columns_do_not_interleave(by_rows: bool) -> None:
    left, right = column(50, LEFT), column(330, RIGHT)
    texts = list(chain.from_iterable(zip(left, right, strict=True))) if by_rows else [*left, *right]
    assert document(pdf(texts)).text.replace("\n", " ") == " ".join([*LEFT, *RIGHT])


def test_short_cells_beside_each_other_are_a_table() -> None:
    rows = [("Name", "Age", "Town"), ("Anna", "7", "Ulm"), ("Bob", "12", "Bonn")]
    texts = [(72 + 150 * at, 700 - 14 * line, 10, cell) for line, row in enumerate(rows) for at, cell in enumerate(row)]
    page = document(pdf([(72, 760, 10, "Before the table."), *texts]))
    cells = ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    assert (
        page.html == "<p>Before the table.</p>\n<table>\n" + "".join(f"<tr>{row}</tr>\n" for row in cells) + "</table>"
    )


def test_large_lines_are_headings() -> None:
    body = column(72, ["Body text that is long enough to be usual in this file, and more of it"] * 4)
    page = document(pdf([(72, 770, 24, "The Title"), (72, 740, 16, "A part"), *body]))
    assert page.html.startswith("<h1>The Title</h1>\n<h2>A part</h2>\n<p>Body")
    assert page.title == "The Title"


def test_the_outline_tells_headings_of_the_same_size() -> None:
    texts = [(72, 700, 10, "1 Introduction"), *column(72, ["Text of the chapter."], top=670)]
    assert "<h1>1 Introduction</h1>" in document(pdf(texts, outline=["Introduction"])).html


def test_links_that_lie_on_words_and_addresses_in_the_text() -> None:
    texts = [
        (72, 700, 10, "Please see the manual for more."),
        (72, 600, 10, "Or go to http://example.org/direct today."),
    ]
    page = document(pdf(texts, annotations=[link((124.5, 698, 175, 710), "http://example.org/manual")]))
    assert '<a href="http://example.org/manual">the manual</a>' in page.html
    assert {link.url for link in page.links} == {"http://example.org/manual", "http://example.org/direct"}


def test_items_lose_their_bullets_and_stay_items() -> None:
    page = document(pdf(column(72, ["• first of them", "• second of them"])))
    assert page.html == "<ul>\n<li>first of them\n</li>\n<li>second of them\n</li></ul>"


def test_what_stands_at_the_edge_of_all_pages_is_said_once() -> None:
    pages = [
        [(72, 780, 8, "Annual Report"), (300, 20, 8, f"Page {number} of 4"), (72, 500, 10, f"Text {number}.")]
        for number in range(1, 5)
    ]
    assert document(pdf(*pages)).text.split("\n") == [
        "Text 1.",
        "Text 2.",
        "Text 3.",
        "Text 4.",
        "Annual Report",
    ]


def test_a_sentence_goes_on_on_the_next_page() -> None:
    first = column(
        72, ["This sentence begins on the first page of the", "file and is so long that it does not"], top=200
    )
    second = column(72, ["end before the second."], top=700)
    assert document(pdf(first, second)).text.count("\n") == 0


def test_notes_that_people_put_on_pages_are_read() -> None:
    note = b"<</Type/Annot/Subtype/Text/Rect[10 10 20 20]/Contents(Is this right?)>>"
    page = document(pdf([(72, 700, 10, "Text.")], annotations=[note]))
    assert page.html == "<p>Text.</p>\n<blockquote><p>Is this right?</p></blockquote>"


def test_title_author_and_dates() -> None:
    info = b"/Title(The Title)/Author(Ada)/CreationDate(D:20010909014640Z)/ModDate(D:20010909034641+02'00')"
    page = document(pdf([(72, 700, 10, "x")], info=info))
    assert (page.title, page.author) == ("The Title", "Ada")
    assert (page.published, page.modified) == (1_000_000_000, 1_000_000_001)


def test_pages_that_are_pictures_are_said_to_be_so() -> None:
    picture = b"q 600 0 0 800 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \xff EI Q"
    assert document(pdf([], contents=picture)).problem == "its pages are pictures, without text"
    assert document(pdf([])).problem == "no text in it"


def test_a_file_with_a_password_says_so() -> None:
    file = PdfFile([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 0/Kids[]>>"])
    key = b"<%s>" % (b"ab" * 32)
    lock = b"/ID[<00><00>]/Encrypt<</Filter/Standard/V 2/R 3/Length 128/P -4/O %s/U %s>>" % (key, key)
    assert document(file.packed(lock)).problem == "encrypted: it can only be read with its password"


def test_what_is_no_pdf_file_is_said_so() -> None:
    assert document(b"%PDF-1.4\nnothing of the kind", "application/pdf").problem == "not a PDF file, or damaged"


def test_a_mark_that_comes_late_is_found() -> None:
    made = pdf([(72, 700, 10, "Late.")])
    assert document(b"junk before it\n" + made, "application/pdf").text == "Late."


def test_many_pages_are_cut_and_said_so() -> None:
    file = PdfFile()
    content = file.stream(drawn([(72, 700, 10, "Again.")]))
    resources = b"/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    page = file.add(b"<</Type/Page/Parent 4 0 R/MediaBox[0 0 600 800]%s/Contents %d 0 R>>" % (resources, content))
    file.add(b"<</Type/Pages/Count 3500/Kids[%s]>>" % (b"%d 0 R " % page * 3_500))
    file.objects[0] = b"<</Type/Catalog/Pages 4 0 R>>"
    found = document(file.packed())
    assert found.problem == "only the first 3,000 of 3,500 pages were read"
    assert found.text.count("Again.") == 3_000
