"""What comes out of archives."""

from __future__ import annotations

from office_files import docx, zipped

from gossamer.convert import document

ZIP = "application/zip"


def test_members_are_headings_with_what_they_say_and_the_others_are_listed() -> None:
    letter = docx("<w:p><w:r><w:t>Dear</w:t></w:r></w:p>")
    page = document(zipped({"a/": "", "a/letter.docx": letter, "p.png": b"\x89PNG\r\n\x1a\n", "n.txt": "Note"}), ZIP)
    assert (page.media_type, page.problem, page.title) == (ZIP, "", "")
    assert page.html == (
        "<h2>a/letter.docx</h2>\n<p>Dear</p>\n<h2>n.txt</h2>\n<p>Note</p>\n<ul>\n<li>p.png\n</li></ul>"
    )


def test_archives_in_archives_are_read_to_a_depth_of_three() -> None:
    data = zipped({"deep.txt": "bottom"})
    for depth in range(4):
        page = document(data)
        assert ("bottom" in page.text) == (depth < 3), depth
        data = zipped({f"{depth}.zip": data})
    assert "lies within more than 3 documents" in page.problem


def test_an_archive_without_members_is_empty_and_no_problem_of_ours() -> None:
    page = document(zipped({}))
    assert (page.media_type, page.text) == (ZIP, "")


def test_links_of_members_are_links() -> None:
    page = document(zipped({"a.html": '<html><a href="http://a.example/">x</a>'}))
    assert [link.url for link in page.links] == ["http://a.example/"]


def test_a_member_may_be_called_anything() -> None:
    page = document(zipped({"http://[x.csv": "a,b", "?#.txt": "c", "n\u00e4me": "d"}))
    assert "a\tb" in page.text
    assert page.text.endswith("näme\nd")
