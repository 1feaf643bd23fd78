"""What comes out of books."""

from __future__ import annotations

from office_files import epub, zipped

from gossamer.convert import document

METADATA = (
    "<dc:title>The Book</dc:title><dc:creator>Ada</dc:creator><dc:creator>Bob</dc:creator>"
    "<dc:date>2001-09-09T01:46:40Z</dc:date><dc:description>About &lt;b&gt;much&lt;/b&gt;.</dc:description>"
    '<meta property="dcterms:modified">2001-09-09T01:46:41Z</meta>'
)


def test_a_book_is_its_chapters_in_the_order_of_the_spine() -> None:
    chapters = {"b": "<h1>Two</h1><p>Later.</p>", "a": "<h1>One</h1><p>First.</p>"}
    page = document(epub(chapters, spine=["a", "b"], metadata=METADATA))
    assert (page.media_type, page.problem) == ("application/epub+zip", "")
    assert (page.title, page.author, page.published, page.modified) == ("The Book", "Ada, Bob", 1e9, 1e9 + 1)
    assert page.text.split("\n") == ["The Book", "Authors: Ada, Bob", "About much.", "One", "First.", "Two", "Later."]


def test_the_table_of_contents_is_not_repeated_and_a_chapter_comes_once() -> None:
    chapters = {"nav": "<nav><ol><li>One</li></ol></nav>", "a": "<h1>One</h1>"}
    assert document(epub(chapters, spine=["nav", "a", "a", "gone"])).text == "One"


def test_only_links_out_of_the_book_are_links() -> None:
    page = document(epub({"a": '<p><a href="b.xhtml">in</a> <a href="http://a.example/">out</a></p>'}))
    assert [(link.url, link.anchor) for link in page.links] == [("http://a.example/", "out")]


def test_a_book_without_a_list_of_chapters_has_a_problem() -> None:
    page = document(zipped({"mimetype": "application/epub+zip", "x.xhtml": "<p>x"}))
    assert (page.text, page.problem) == ("", "there is no list of its chapters")
