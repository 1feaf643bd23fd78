"""What comes out of mail."""

from __future__ import annotations

import base64
from email.message import EmailMessage

import pytest
from office_files import docx, zipped

from gossamer.convert import document
from gossamer.model import Page

MAIL = "message/rfc822"


def letter(text: str = "Hello\n", *, subject: str = "Greetings") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Ada <ada@example.com>"
    message["To"] = "bob@example.com"
    message["Subject"] = subject
    message["Date"] = "Sun, 09 Sep 2001 01:46:40 +0000"
    message.set_content(text)
    return message


def read(message: EmailMessage | bytes) -> Page:
    return document(message if isinstance(message, bytes) else message.as_bytes(), MAIL)


def test_a_letter_is_its_fields_and_its_text() -> None:
    page = read(letter(subject="Grüße, 世界"))
    assert (page.media_type, page.problem) == (MAIL, "")
    assert (page.title, page.author, page.published) == ("Grüße, 世界", "Ada <ada@example.com>", 1e9)
    assert page.html == (
        "<p><strong>From:</strong> Ada &lt;ada@example.com&gt;</p>\n<p><strong>To:</strong> bob@example.com</p>\n"
        "<p><strong>Subject:</strong> Grüße, 世界</p>\n<p><strong>Date:</strong> Sun, 09 Sep 2001 01:46:40 +0000</p>\n"
        "<p>Hello</p>"
    )


def body_of(page: Page) -> list[str]:
    return page.text.split("\n")[4:]


def test_of_a_text_in_two_forms_the_better_is_taken() -> None:
    message = letter("plain")
    message.add_alternative('<p>rich <a href="http://a.example/">x</a> é</p>', subtype="html")
    page = read(message)
    assert body_of(page) == ["rich x é"]
    assert [link.url for link in page.links] == ["http://a.example/"]


def test_attachments_are_named_and_read() -> None:
    message = letter()
    made = docx("<w:p><w:r><w:t>Attached words</w:t></w:r></w:p>")
    message.add_attachment(made, maintype="application", subtype="octet-stream", filename="Brief für Bob.docx")
    message.add_attachment(b"\x00\x01", maintype="application", subtype="octet-stream", filename="x.bin")
    message.add_attachment(letter("Inner", subject="Older"))
    assert body_of(read(message)) == [
        "Hello",
        "Brief für Bob.docx",
        "Attached words",
        "x.bin",
        "Older",
        *read(letter("Inner", subject="Older")).text.split("\n"),
    ]


def test_letters_in_letters_end_at_a_depth_of_three() -> None:
    message = letter("innermost")
    for depth in range(6):
        outer = letter(f"around {depth}")
        outer.add_attachment(message)
        message = outer
    page = read(message)
    assert ("around 5" in page.text, "innermost" in page.text) == (True, False)
    assert "lies within more than 3 documents" in page.problem


def test_an_archive_that_is_attached_is_read() -> None:
    message = letter()
    message.add_attachment(zipped({"n.txt": "Note"}), maintype="application", subtype="zip", filename="n.zip")
    assert body_of(read(message))[-3:] == ["n.zip", "n.txt", "Note"]


def test_an_attached_text_is_read_in_its_encoding() -> None:
    message = letter()
    message.add_attachment("Жизнь", charset="koi8-r", filename="n.txt")
    assert body_of(read(message))[-1] == "Жизнь"


def test_pictures_of_a_page_are_not_attachments() -> None:
    message = letter()
    message.set_content("<p>See <img src=cid:x></p>", subtype="html")
    message.add_related(b"\x89PNG", maintype="image", subtype="png", cid="<x>")
    assert body_of(read(message)) == ["See"]


def test_a_letter_is_known_without_a_type() -> None:
    assert document(letter().as_bytes()).media_type == MAIL
    assert document(letter().as_bytes(), "text/plain", "https://example.com/a.eml").media_type == MAIL
    assert document(letter().as_bytes(), "text/plain").media_type == "text/plain"


@pytest.mark.parametrize(
    ("coding", "encoded", "text"),
    [
        ("base64", base64.b64encode("Straße".encode())[:-3], "Straß"),
        ("quoted-printable", b"Stra=C3=9Fe=\n!=zz", "Straße!=zz"),
        ("8bit", "Straße".encode(), "Straße"),
        ("x-unknown", b"as it is", "as it is"),
    ],
)
def test_codings_are_undone_as_far_as_they_go(coding: str, encoded: bytes, text: str) -> None:
    head = f"From: a\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: {coding}\n\n"
    assert read(head.encode() + encoded).text.split("\n")[1:] == [text]


def test_what_was_cut_off_is_read_to_its_end() -> None:
    message = letter("first part")
    message.add_attachment("second part\n" * 100, filename="n.txt")
    data = message.as_bytes()
    for percent in range(0, 100, 7):
        page = read(data[: len(data) * percent // 100])
        assert page.media_type == MAIL
    assert "first part" in page.text
    assert "second part" in page.text


def test_parts_without_end_are_bounded() -> None:
    head = b"From: a\nContent-Type: multipart/mixed; boundary=b\n\n"
    assert "From" in read(head + b"--b\n\nx\n" * 20_000).text
    nested = b"Content-Type: multipart/mixed; boundary=b\n\n--b\n"
    assert "From" in read(b"From: a\n" + nested * 5_000 + b"\nx").text


def test_fields_that_nobody_should_write_are_fields_all_the_same() -> None:
    page = read(b"From: caf\xc3\xa9 \xff\nSubject: =?utf-8?b?!!!?= =?nope?q?x?=\nContent-Type: ;;;=\n\ntext")
    assert page.text.split("\n")[0] == "From: café \ufffd"
    assert page.text.endswith("text")
