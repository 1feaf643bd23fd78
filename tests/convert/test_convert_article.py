"""What a page says without what is around it, and which of its links stand there."""

from __future__ import annotations

import pytest

from gossamer.convert import document
from gossamer.convert.content import METHODS
from gossamer.convert.document import read
from gossamer.convert.html.page import closed, opened
from gossamer.model import Capture, Visit

WORDS = "This sentence has many words in it, because nothing that is short is taken for an article by anybody. "
PAGE = (
    "<link rel=canonical href=/page><body><nav><ul><li><a href=/home>Home</a><li><a href=/news>News</a>"
    "<li><a href=/about>About us</a></ul></nav><article><h2>Part one</h2>"
    f"<p>{WORDS * 3}<a href=/inside>with a link</a> {WORDS}</p><p>{WORDS * 4}</p><a href=/picture><img src=x></a>"
    f"<p>{WORDS * 4}</p></article><footer><a href=/terms>Terms of use</a></footer>"
)
URL = "http://site.example/"


def test_content_is_the_words_of_tagged_text() -> None:
    page = document(PAGE.encode(), "text/html", URL)
    assert WORDS.strip() in page.content
    assert f'<a href="{URL}inside">with a link</a>' in page.html
    assert "News" not in page.content
    assert "News" in page.text


def test_links_tell_whether_they_stand_in_the_content() -> None:
    links = document(PAGE.encode(), "text/html", URL).links
    inside = {link.url.removeprefix(URL): link.content for link in links}
    assert inside == {
        "page": False,
        "home": False,
        "news": False,
        "about": False,
        "terms": False,
        "inside": True,
        "picture": True,
    }


@pytest.mark.parametrize("method", METHODS)
def test_the_method_is_the_one_that_is_asked_for(method: str) -> None:
    capture = Capture(Visit(URL), 0.0, 0.0, 200, (("content-type", "text/html"),), body=PAGE.encode())
    assert WORDS.strip() in read(capture, "Gossamer", content=method).content


@pytest.mark.parametrize(
    "page", [b"", b"<html>", b"<frameset><frame src=/a></frameset>", b"<script>1</script>", b"<img src=a>"]
)
def test_a_page_without_words_has_no_content(page: bytes) -> None:
    found = document(page, "text/html", URL)
    assert (found.content, found.html, found.text) == ("", "", "")


def test_posts_for_readers_without_scripts_are_read() -> None:
    posts = "".join(f"<div class=post><p>{WORDS * 2}</p><a href=/post{n}>Post {n}</a></div>" for n in range(5))
    around = "<ul><li>Home<li>About</ul>" * 30
    page = document(f"<body><div id=app>{around}</div><noscript>{posts}</noscript>".encode(), "text/html", URL)
    assert page.content.count(WORDS.strip()) >= 5
    assert page.text.count(WORDS.strip()) >= 5


def test_small_noscript_elements_stay_shut() -> None:
    for small in ("Please enable JavaScript", "<img src=x>" * 200, "<p>one</p>" + "a{color:red}" * 200):
        page = f"<body><noscript>{small}</noscript>{WORDS}".encode()
        assert opened(page) == page


def test_a_title_that_is_not_closed_swallows_nothing() -> None:
    page = document(f"<head><title>Story</titel></head><body><p>{WORDS * 3}</p>".encode(), "text/html", URL)
    assert WORDS.strip() in page.content
    assert closed(b"<title>Good</title><p>x") is None


@pytest.mark.parametrize("handle", ["¶", "#", "§", "🔗", "\uf0c1"])
def test_handles_behind_headings_are_left_out(handle: str) -> None:
    head = f'<h2>Part one<a class=headerlink href="#one">{handle}</a></h2>'
    page = document(PAGE.replace("<h2>Part one</h2>", head).encode(), "text/html;charset=utf-8", URL)
    assert "<h2>Part one</h2>" in page.html
    assert handle not in page.content
    assert handle in page.text


def test_short_links_that_say_something_stay() -> None:
    page = document(PAGE.replace("with a link", "№ 1").encode(), "text/html;charset=utf-8", URL)
    assert f'<a href="{URL}inside">№ 1</a>' in page.html


def test_a_link_keeps_the_place_that_it_names_for_readers_and_not_for_the_crawl() -> None:
    markup = (
        "<h1>T</h1><p>Enough words stand here, for a paragraph: <a href='b.html#part two'>one</a>,"
        " <a href='/c?d=1#x\"><script>`'>two</a>, <a href='e#'>three</a> and <a href='f'>four</a>.</p>"
    )
    page = document(markup.encode(), media_type="text/html", url="http://a.test/d/")
    assert [link.url for link in page.links] == [
        "http://a.test/d/b.html",
        "http://a.test/c?d=1",
        "http://a.test/d/e",
        "http://a.test/d/f",
    ]
    for href in ("b.html#part%20two", "c?d=1#x%22%3E%3Cscript%3E%60", "e", "f"):
        assert f'{href}"' in page.html
        assert f"{href})" in page.markdown


DOXYGEN = (
    "<title>A library</title><body><div id=top><ul><li><a href=/>Main Page</a><li><a href=/classes>Classes</a></ul>"
    "</div><div class=header><div class=summary><a href=#m>Public Member Functions</a> | <a href=/all>All</a></div>"
    "<div class=headertitle><div class=title>sf::Clock Class Reference<div class=ingroups><a href=/system>System module"
    f"</a></div></div></div></div><div class=contents><h2>Detailed Description</h2><p>{WORDS * 2}</p>"
    "<div class=fragment><div class=line><a class=code href=/clock>sf::Clock</a> clock;</div>\n"
    "<div class=line><span class=keywordflow>if</span> (clock)</div>\n"
    "<div class=line>    clock.<a class=code href=/clock>restart</a>();</div>\n"
    "<div class=ttc><div class=ttname><a href=/clock>sf::Clock</a></div><div class=ttdoc>Measures the time.</div></div>"
    f"</div><p>{WORDS * 2}</p></div>"
)


def test_the_heading_of_a_page_may_be_a_division() -> None:
    page = document(DOXYGEN.encode(), "text/html", URL)
    assert page.html.startswith("<h1>sf::Clock Class Reference</h1>\n<h2>Detailed Description</h2>")
    assert page.content.startswith("sf::Clock Class Reference\n")
    assert "System module" not in page.content


def test_code_may_be_a_division_for_each_line() -> None:
    page = document(DOXYGEN.encode(), "text/html", URL)
    assert "<pre>sf::Clock clock;\nif (clock)\n    clock.restart();</pre>" in page.html
    assert "Measures the time" not in page.content


def test_a_division_that_is_only_called_title_or_line_is_none_of_both() -> None:
    banner = "<body><div class=header><div class=title>My site</div></div><div class=fragment><div>A</div></div>"
    poem = "<div class=stanza><div class=line>A line of a poem</div><div class=line>and one more</div></div>"
    page = document(f"{banner}{poem}<p>{WORDS * 3}</p>".encode(), "text/html", URL)
    assert "<h1>" not in page.html
    assert "<pre>" not in page.html
