"""A page as a Markdown file: what stands in its front matter, and what becomes of a disk that is full."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from gossamer.cli.forms import markdown
from gossamer.collection.ask import markdown_files
from gossamer.collection.documents import Document
from gossamer.errors import StorageError
from gossamer.model import Capture, Page, Visit


def document(url: str = "http://a.test/x", **more: Any) -> Document:
    """As much of one as is written."""
    told = {"title": "A title", "html": '<p>W<a href="http://a.test/y">or</a>ds</p>', "text": "All words"}
    told |= {"language": "en", "page": said(), "version": SimpleNamespace(began=86_400.0), "capture": answered()}
    return cast(Document, SimpleNamespace(url=url, **(told | more)))


def said(published: float | None = None, modified: float | None = None) -> SimpleNamespace:
    return SimpleNamespace(published=published, modified=modified)


def answered(*headers: tuple[str, str]) -> Capture:
    return Capture(Visit("http://a.test/x"), 86_400.0, 0.1, 200, headers)


def test_what_is_not_known_of_a_page_is_left_out() -> None:
    assert markdown_files.text_of(document(language=None)) == (
        '---\nurl: "http://a.test/x"\ntitle: "A title"\nfetched: "1970-01-02T00:00:00.000Z"\n---\n\n'
        "# A title\n\nW[or](http://a.test/y)ds\n"
    )
    assert markdown_files.text_of(document(), links=False).endswith("---\n\n# A title\n\nWords\n")


def test_a_page_has_its_own_heading_or_its_title_as_it_is_shown() -> None:
    headed = document(html="<h1>Words</h1>\n<p>More.</p>")
    assert markdown_files.text_of(headed).endswith("---\n\n# Words\n\nMore.\n")
    for each in (headed, document()):
        shown = markdown(Page(each.url, html=each.html, title=each.title))
        assert markdown_files.text_of(each).endswith(f"---\n\n{shown}")


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (said(0.0, 60.0), 'date: "1970-01-01T00:00:00Z"\n'),
        (said(None, 60.0), 'date: "1970-01-01T00:01:00Z"\n'),
        (said(), ""),
    ],
)
def test_its_date_is_what_the_page_says_and_what_its_server_says_has_a_name_of_its_own(
    page: SimpleNamespace, expected: str
) -> None:
    capture = answered(("last-modified", "Thu, 01 Jan 1970 12:00:00 GMT"))
    written = markdown_files.text_of(document(page=page, capture=capture, html=""))
    served = 'last_modified: "1970-01-01T12:00:00Z"\nfetched: "1970-01-02T00:00:00.000Z"'
    assert f'title: "A title"\n{expected}{served}\nlanguage: "en"\n---\n\nAll words\n' in written


def test_a_date_that_a_server_made_up_is_none() -> None:
    written = markdown_files.text_of(document(capture=answered(("last-modified", "yesterday"))))
    assert "\ndate:" not in written
    assert "last_modified" not in written


def test_nothing_in_a_title_ends_its_line_or_its_quotes() -> None:
    title = 'a"b\\c\nd\x85e\u2028f\ud800g\U0001f600\u200b'
    quoted = 'a\\"b\\\\c\\U0000000ad\\U00000085e\\U00002028f\ufffdg\U0001f600\\U0000200b'
    assert f'title: "{quoted}"\n' in markdown_files.text_of(document(title=title))


def test_a_disk_that_is_full_leaves_nothing_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **more: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(StorageError, match="No space left on device; nothing was left there"):
        markdown_files.write([document()], tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_what_an_export_has_made_and_nothing_else_is_gone_after_an_error(tmp_path: Path) -> None:
    (tmp_path / "out.partial").mkdir()
    assert markdown_files.write([document()], tmp_path / "out") == 1
    assert {each.name for each in tmp_path.iterdir()} == {"out", "out.partial"}
    with pytest.raises(StorageError, match="cannot be written"):
        markdown_files.write([], tmp_path / "none" / "out")
    (tmp_path / "empty").mkdir()
    assert markdown_files.write([document(), document("http://a.test/y")], tmp_path / "empty") == 2
    assert len(list((tmp_path / "empty" / "a.test").iterdir())) == 2
