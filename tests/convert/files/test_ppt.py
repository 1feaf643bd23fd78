"""PowerPoint files of before 2007: slides in order, each with its notes, without masters."""

from __future__ import annotations

from struct import pack

import pytest
from compound_files import box, compound, notes, ppt, properties, record, slide

from gossamer.convert import document


def test_slides_come_in_the_order_of_the_presentation() -> None:
    slides = [slide(box(1, f"first of {at}\nsecond of {at}"), box(0, f"Title {at}")) for at in range(3)]
    page = document(ppt(slides, {0: notes(257, box(2, "Say hello."), box(4, "7"))}))
    assert page.media_type == "application/vnd.ms-powerpoint"
    assert page.text.split("\n") == [
        *("Title 0", "first of 0", "second of 0"),
        *("Title 1", "first of 1", "second of 1", "Say hello."),
        *("Title 2", "first of 2", "second of 2"),
    ]
    assert "<h2>Title 0</h2>\n<ul>\n<li>first of 0" in page.html
    assert "<blockquote><p>Say hello.</p></blockquote>" in page.html
    assert page.title == "Title 0"


def test_masters_are_not_read_and_footers_once() -> None:
    footer = record(0x0FD9, b"", record(0x0FBA, "Confidential".encode("utf-16-le"), instance=2))
    drawing = record(0x040C, b"", record(0xF002, b"", record(0xF003, b"", box(4, "Text"))))
    made = [record(0x03EE, b"", drawing, footer) for _ in range(2)]
    master = record(0x03F8, b"", record(0x040C, b"", box(0, "Click to edit")))
    page = document(ppt([*made, master]))
    assert page.text.split("\n") == ["Text", "Text", "Confidential"]


def test_links_are_links() -> None:
    target = record(0x0FBA, "http://example.org/deck".encode("utf-16-le"), instance=1)
    links = record(0x0409, b"", record(0x0FD7, b"", record(0x0FD3, pack("<I", 5)), target))
    click = record(0x0FF2, b"", record(0x0FF3, pack("<IIII", 0, 5, 0, 0)))
    page = document(ppt([slide(box(4, "see here now", click, record(0x0FDF, pack("<ii", 4, 8))))], links=links))
    assert page.html == '<p>see <a href="http://example.org/deck">here</a> now</p>'
    assert [link.url for link in page.links] == ["http://example.org/deck"]


def test_where_the_list_of_slides_is_lost_they_are_read_as_they_lie() -> None:
    stream = slide(box(0, "One")) + slide(box(0, "Two"))
    assert document(compound({"PowerPoint Document": stream})).text == "One\nTwo"


def test_properties_are_those_of_the_file() -> None:
    about = properties(title="Plans", author="Ada", created=1_000_000_000)
    page = document(ppt([slide(box(4, "x"))], **{"\x05SummaryInformation": about}))
    assert (page.title, page.author, page.published) == ("Plans", "Ada", 1_000_000_000)


def test_a_file_with_a_password_says_so() -> None:
    user = pack("<HHIIII", 0, 0x0FF6, 20, 20, 0xF3D1C4DF, 0)
    page = document(compound({"PowerPoint Document": b"x" * 100, "Current User": user}))
    assert page.problem == "encrypted: it can only be read with its password"


@pytest.mark.parametrize("depth", [10, 100_000])
def test_records_within_records_without_end_are_bounded(depth: int) -> None:
    inner = b""
    for _ in range(min(depth, 2_000)):
        inner = record(0x040C, b"", inner or record(0x0FA0, b"x"))
    assert document(compound({"PowerPoint Document": record(0x03EE, b"", inner)})).text == ""


def test_edits_that_point_at_themselves_end() -> None:
    edit = record(0x0FF5, pack("<IHBBIIIIHH", 256, 0, 0, 3, 0, 0, 1, 1, 1, 0))
    user = pack("<HHIIII", 0, 0x0FF6, 20, 20, 0xE391C05F, 0)
    assert document(compound({"PowerPoint Document": edit, "Current User": user})).text == ""
