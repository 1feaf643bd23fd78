"""A document that yields nothing says why; one that yields something is not blamed."""

from __future__ import annotations

import pytest

from gossamer.convert import document
from gossamer.frontier.answer.transitions import remark
from gossamer.model import Capture, Page, Visit

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
SILENT = [
    (b"", None, "empty: there are no bytes of it"),
    (b"", "application/json", "empty: there are no bytes of it"),
    (b" \n", "text/plain", "no text in it"),
    (b"{}", "application/json", "no text in it"),
    (b"<rss><channel></channel></rss>", "application/rss+xml", "no text in it"),
    (PNG, None, "a picture, which has no words to read"),
    (b"ID3\3\0", "audio/mpeg", "sound, which has no words to read"),
    (b"\0\1\2\3" * 9, None, "nothing tells what kind of file it is"),
    (b"Rar!\x1a\x07\x00", None, "nothing here reads application/x-rar-compressed"),
    (b"words", "application/x-unheard-of", "nothing here reads application/x-unheard-of"),
    (b"<html><body></body></html>", "text/html", "no words in it"),
    (b'<html><IMG src="a.png">', "text/html", "only pictures, no words"),
    (b"<html><script>draw()</script>", "text/html", "no words in it; its scripts may write them"),
]


@pytest.mark.parametrize(("data", "media_type", "why"), SILENT)
def test_a_document_without_words_says_why(data: bytes, media_type: str | None, why: str) -> None:
    page = document(data, media_type, "https://example.org/")
    assert page.text == ""
    assert page.problem.startswith(why)


@pytest.mark.parametrize(
    "html", [b'<a href="/next"><img src="a.png"></a>', b"<p>words", b"<frameset><frame src=/left></frameset>"]
)
def test_words_or_links_are_enough(html: bytes) -> None:
    assert document(html, "text/html", "https://example.org/").problem == ""


def test_of_what_was_not_downloaded_it_is_said_that_it_was_not() -> None:
    visit, page = Visit("https://example.org/a.png"), Page(problem="empty: there are no bytes of it")
    assert remark(Capture(visit, 0.0, 0.0, 200, truncated="length"), page) == "cut: length"
    assert remark(Capture(visit, 0.0, 0.0, 200), page) == page.problem
