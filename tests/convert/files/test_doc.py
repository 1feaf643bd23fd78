"""Word files of before 2007: text as it is read, with the numbers of its lists, its notes, tables and links."""

from __future__ import annotations

from struct import pack

from compound_files import (
    BOLD,
    DELETED,
    HIDDEN,
    IN_TABLE,
    ITALIC,
    ROW_ENDS,
    SPECIAL,
    Level,
    Paragraph,
    Word,
    compound,
    in_list,
    paragraph,
    properties,
)

from gossamer.convert import document
from gossamer.model import Page


def read(*main: Paragraph, **more: object) -> Page:
    page = document(Word(main, **more).packed(), url="https://example.com/a.doc")  # type: ignore[arg-type]
    assert page.media_type == "application/msword"
    return page


def test_paragraphs_headings_and_looks() -> None:
    mixed = Paragraph([("plain ", b""), ("bold", BOLD), (" and ", b""), ("slanted", ITALIC)])
    page = read(paragraph("Title", style=1), mixed, paragraph("End & <end>"), headings={1: 1})
    assert page.html == (
        "<h1>Title</h1>\n<p>plain <strong>bold</strong> and <em>slanted</em></p>\n<p>End &amp; &lt;end&gt;</p>"
    )
    assert page.text == page.content == "Title\nplain bold and slanted\nEnd & <end>"
    assert (page.title, page.problem) == ("Title", "")


def test_what_is_hidden_or_deleted_is_not_read() -> None:
    assert read(Paragraph([("seen", b""), (" secret", HIDDEN), (" gone", DELETED), (" too", b"")])).text == "seen too"


def test_fields_are_read_as_their_results_and_links_are_links() -> None:
    field = '\x13 HYPERLINK "http://example.org/x?a=1" \x14the link\x15 and \x13 PAGE \x147\x15 \x13 TOC \\o \x15.'
    page = read(paragraph(field))
    assert page.html == '<p><a href="http://example.org/x?a=1">the link</a> and 7 .</p>'
    assert [(link.url, link.anchor) for link in page.links] == [("http://example.org/x?a=1", "the link")]


def test_fields_in_fields_and_links_to_places_within() -> None:
    inner = '\x13 HYPERLINK "http://example.org/\x13 REF name \x14value\x15" \x14shown\x15'
    assert read(paragraph(inner)).text == "shown"
    assert read(paragraph('\x13 HYPERLINK \\l "chapter" \x14below\x15')).links == ()


def test_numbers_of_lists_are_counted() -> None:
    levels = [Level("\x00)", 0), Level("\x00.\x01", 4), *[Level("")] * 7]
    texts = [("one", 0), ("a of one", 1), ("b of one", 1), ("two", 0), ("a of two", 1)]
    page = read(*(paragraph(text, in_list(1, level)) for text, level in texts), lists=[levels])
    assert page.text.split("\n") == ["1) one", "1.a a of one", "1.b b of one", "2) two", "2.a a of two"]


def test_bullets_are_items_without_a_number() -> None:
    page = read(paragraph("first", in_list(1)), paragraph("second", in_list(1)), lists=[[Level("\uf0b7", 23)]])
    assert page.html == "<ul>\n<li>first\n</li>\n<li>second\n</li></ul>"


def test_tables_have_rows_and_cells() -> None:
    cells = [paragraph(text, IN_TABLE, end="\x07") for text in ("a", "b", "c", "d")]
    end = paragraph("", ROW_ENDS, end="\x07")
    page = read(paragraph("before"), *cells[:2], end, *cells[2:], end, paragraph("after"))
    table = "<table>\n<tr><td>a</td><td>b</td></tr>\n<tr><td>c</td><td>d</td></tr>\n</table>"
    assert page.html == f"<p>before</p>\n{table}\n<p>after</p>"


def test_notes_and_headers_follow_the_text() -> None:
    main = Paragraph([("Text", b""), ("\x02", SPECIAL), (" goes on", b"")])
    note = [Paragraph([("\x02", SPECIAL), (" The note", b"")])]
    separators = [[paragraph("")] for _ in range(6)]
    around = [[], [paragraph("Header")], [], [paragraph("Page 1")], [], []]
    page = read(main, footnotes=[note], headers=[*separators, *around])
    assert page.text.split("\n") == ["Text[1] goes on", "[1] The note", "Header", "Page 1"]


def test_characters_beyond_the_first_plane_keep_their_place() -> None:
    page = read(Paragraph([("𐌲𐌿𐍄", b""), ("bold", BOLD), ("日本", b"")]))
    assert page.html == "<p>𐌲𐌿𐍄<strong>bold</strong>日本</p>"


def test_words_with_their_reading_are_read_so() -> None:
    assert read(paragraph("\x13 EQ \\* jc2 \\o\\ad(\\s\\up 10(とうきょう),東京)\x15")).text == "東京(とうきょう)"


def test_title_author_and_dates_are_those_of_its_properties() -> None:
    about = properties(title="Bericht über Ä", author="Ada", created=1_000_000_000, saved=1_000_000_001)
    page = document(Word([paragraph("x")]).packed(**{"\x05SummaryInformation": about}))
    assert (page.title, page.author) == ("Bericht über Ä", "Ada")
    assert (page.published, page.modified) == (1_000_000_000, 1_000_000_001)


def test_a_file_with_a_password_says_so() -> None:
    page = read(paragraph("secret"), flags=0x0100)
    assert (page.text, page.problem) == ("", "encrypted: it can only be read with its password")


def test_word_95_is_read() -> None:
    text = "Grüße aus 1995\rzweiter Absatz\r".encode("cp1252")
    head = pack("<HHHHHH", 0xA5DC, 104, 0, 0x407, 0, 0).ljust(0x18, b"\0") + pack("<II", 0x300, 0x300 + len(text))
    stream = head.ljust(0x34, b"\0") + pack("<8i", len(text), *[0] * 7)
    page = document(compound({"WordDocument": stream.ljust(0x300, b"\0") + text}))
    assert page.text == "Grüße aus 1995\nzweiter Absatz"


def test_pieces_are_read_in_the_order_of_the_table() -> None:
    streams = Word([paragraph("AAAABBBB")]).streams()
    where = streams["WordDocument"].index("AAAA".encode("utf-16-le"))
    pieces = pack("<IIII", 0, 4, 8, 9) + b"".join(pack("<HIH", 0, where + at, 0) for at in (8, 0, 16))
    table = streams["1Table"]
    clx = b"\x02" + pack("<I", len(pieces)) + pieces
    stream = bytearray(streams["WordDocument"])
    stream[0x1A2:0x1AA] = pack("<II", len(table), len(clx))
    assert document(compound({"WordDocument": bytes(stream), "1Table": table + clx})).text == "BBBBAAAA"


def test_pieces_that_repeat_the_file_without_end_are_refused() -> None:
    streams = Word([paragraph("x" * 10_000)]).streams()
    count = 2_000
    pieces = pack(f"<{count + 1}I", *(at * 10_000 for at in range(count + 1)))
    pieces += pack("<HIH", 0, 2048, 0) * count
    table = streams["1Table"]
    clx = b"\x02" + pack("<I", len(pieces)) + pieces
    stream = bytearray(streams["WordDocument"])
    stream[0x1A2:0x1AA] = pack("<II", len(table), len(clx))
    stream[0x4C:0x50] = pack("<i", count * 10_000)
    page = document(compound({"WordDocument": bytes(stream), "1Table": table + clx}))
    assert page.problem == "its text is longer than the file"
