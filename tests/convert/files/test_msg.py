"""Letters of Outlook: who wrote to whom, the best form of the text, what is attached."""

from __future__ import annotations

from struct import pack

import pytest
from compound_files import filetime, message, message_streams

from gossamer.convert import document
from gossamer.convert.files.mail.lzfu import unpacked
from gossamer.convert.files.rtf.html import html_within

LETTER = {0x0037: "Plans", 0x0C1A: "Ada", 0x0C1F: "ada@example.org", 0x0E04: "bob@example.org"}


def test_fields_and_plain_text() -> None:
    page = document(message({**LETTER, 0x1000: "Hello Bob!\r\n\r\nBye."}, dates={0x0039: filetime(1_000_000_000)}))
    assert page.media_type == "application/vnd.ms-outlook"
    assert page.text.split("\n") == [
        "From: ada@example.org (Ada)",
        "To: bob@example.org",
        "Subject: Plans",
        "Date: 2001-09-09 01:46:40 UTC",
        "Hello Bob!",
        "Bye.",
    ]
    assert (page.title, page.author, page.published) == ("Plans", "ada@example.org (Ada)", 1_000_000_000)


def test_html_is_better_than_plain_text() -> None:
    html = b'<html><body><p>Hello <a href="http://example.org/x">there</a></p></body></html>'
    page = document(message({**LETTER, 0x1000: "plain", 0x1013: html}))
    assert "Hello" in page.text
    assert "plain" not in page.text
    assert [link.url for link in page.links] == ["http://example.org/x"]


def test_html_within_rtf_is_taken_out_again() -> None:
    rtf = (
        rb"{\rtf1\ansi\ansicpg1252\fromhtml1 {\fonttbl{\f0 Arial;}}"
        rb"{\*\htmltag64 <p>}Gr\'fc\'dfe \htmlrtf {\b \htmlrtf0 {\*\htmltag84 <b>}an"
        rb"{\*\htmltag92 </b>}\htmlrtf }\htmlrtf0"
        rb"{\*\htmltag84 &nbsp;}\u8364?{\*\htmltag72 </p>}}"
    )
    assert html_within(rtf) == "<p>Grüße <b>an</b>&nbsp;€</p>"
    assert html_within(rb"{\rtf1 no html}") == ""
    packed = pack("<II4sI", len(rtf) + 12, len(rtf), b"MELA", 0) + rtf
    assert "Grüße an" in document(message({**LETTER, 0x1000: "plain", 0x1009: packed})).text


def test_rtf_is_unpacked_as_the_standard_shows() -> None:
    """The two examples of [MS-OXRTFCP] section 4."""
    simple = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
    )
    assert unpacked(simple, 1_000) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    crossing = bytes.fromhex("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0")
    assert unpacked(crossing, 1_000) == b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}"
    assert unpacked(simple, 10) == b"{\\rtf1\\ans"


def test_recipients_and_attachments() -> None:
    parts: dict[str, bytes] = {}
    for at, (kind, name) in enumerate(((1, "Bob"), (2, "Carl"))):
        texts = {0x3001: name, 0x39FE: f"{name.lower()}@example.org"}
        parts |= message_streams(texts, dates={0x0C15: kind}, path=f"__recip_version1.0_#{at:08X}/")
    parts |= message_streams({0x3707: "a.csv", 0x3701: b"x;y\n1;2\n"}, path="__attach_version1.0_#00000000/")
    picture = {0x3707: "logo.png", 0x370E: "image/png", 0x3712: "cid1", 0x3701: b"\x89PNG"}
    parts |= message_streams(picture, path="__attach_version1.0_#00000001/")
    page = document(message({**LETTER, 0x1000: "See below"}, parts=parts))
    assert "To: bob@example.org (Bob)\nCc: carl@example.org (Carl)" in page.text
    assert page.text.endswith("See below\na.csv\nx\ty\n1\t2")


def test_a_letter_within_a_letter_is_read() -> None:
    inner = "__attach_version1.0_#00000000/__substg1.0_3701000D/"
    parts = message_streams({0x3001: "Fwd"}, path="__attach_version1.0_#00000000/")
    parts |= message_streams({0x0037: "Inner subject", 0x1000: "Inner text"}, header=24, path=inner)
    text = document(message({**LETTER, 0x1000: "Outer text"}, parts=parts)).text
    assert text.index("Outer text") < text.index("Inner subject") < text.index("Inner text")


def test_letters_within_letters_end_somewhere() -> None:
    path, parts = "", {}
    for _ in range(30):
        path += "__attach_version1.0_#00000000/"
        parts |= message_streams({0x3001: "Fwd"}, path=path)
        path += "__substg1.0_3701000D/"
        parts |= message_streams({0x1000: "deep"}, header=24, path=path)
    assert document(message(LETTER, parts=parts)).text.count("deep") <= 5


@pytest.mark.parametrize("packed", [b"", b"\0" * 15, pack("<II4sI", 9, 1 << 31, b"LZFu", 0) + b"\xff" * 1_000])
def test_rtf_that_is_no_rtf_is_bounded(packed: bytes) -> None:
    assert len(unpacked(packed, 1 << 20)) <= 1 << 20
    assert document(message({**LETTER, 0x1009: packed, 0x1000: "text"})).text.startswith("From")
