"""What belongs to the content that was found: the rest of tables and lists, and nearly all of a small page."""

from __future__ import annotations

import numpy as np
import pytest
from content_of import kept, outline_of
from made_pages import SENTENCES, page

from gossamer.convert import document
from gossamer.convert.content.blocks import split
from gossamer.convert.content.completion import SMALL, completed

MENU = "<header><nav><a href=/>Home</a> <a href=/blog>Blog</a></nav></header>"
LINKS = "<ul><li><a href=/a>Install</a></li><li><a href=/b>Configure</a></li><li><a href=/c>Deploy</a></li></ul>"
FOOTER = "<footer><p>Copyright 2024</p></footer>"
TABLE = "<table><tr><th>Item<th>Price<tr><td>Apple<td>1.20<tr><td>Pear<td>1.50</table>"


@pytest.mark.parametrize("tag", ["main", "article"])
def test_a_list_of_links_in_the_part_that_a_small_page_calls_its_own_is_kept(tag: str) -> None:
    body = f"{MENU}<{tag}><h1>My post</h1><p>By Ann, 3 May</p><p>Short.</p><h2>See also</h2>{LINKS}</{tag}>{FOOTER}"
    found = kept(body.encode(), "learned")
    assert found == "My post By Ann, 3 May Short. See also Install Configure Deploy"


def test_a_table_behind_a_long_paragraph_is_kept_with_all_its_cells() -> None:
    found = kept(f"<h1>Prices</h1><p>{' '.join(SENTENCES * 2)}</p>{TABLE}".encode(), "learned")
    assert found.startswith("Prices ")
    assert found.endswith("Item Price Apple 1.20 Pear 1.50")


def test_a_large_page_is_left_to_the_scores() -> None:
    found = kept(page(f"<div class=article-content>{f'<p>{SENTENCES[0]}</p>' * 30}</div>{LINKS}"), "learned")
    assert "Imprint" not in found


def chosen(html: str, content: str, scores: float = -1.0, words: int = SMALL + 1) -> str:
    """The blocks of a page of so many words that are kept, if the scores chose those in `content`."""
    outline = outline_of(html.encode())
    numbers = split(outline).numbers
    bounds = zip(outline.starts[:-1].tolist(), outline.starts[1:].tolist(), strict=True)
    parts = [outline.text[begin:end].decode().strip() for begin, end in bounds]
    some = np.array([part in content for part in parts])
    sizes = np.full(len(parts), words / len(parts), np.float32)
    found = completed(outline, numbers, some, np.where(some, 3, scores).astype(np.float32), sizes)
    return "".join(part for part, is_kept in zip(parts, found.tolist(), strict=True) if is_kept)


def test_what_a_small_page_says_twice_is_added_once_and_cells_as_often_as_they_stand_there() -> None:
    wide, narrow = (f"<div class={name}><p>{SENTENCES[0]}</p></div>" for name in ("desktop", "mobile"))
    cells = "<table><tr><td>yes<td>no<td>yes</table>"
    html = f"<main><h1>Mug</h1>{wide}{narrow}{cells}</main>"
    assert chosen(html, "Mug", scores=-3, words=50) == f"Mug{SENTENCES[0]}yesnoyes"
    assert chosen(html, "Mug", scores=-3) == "Mug"


def test_the_title_of_a_small_page_is_kept_where_it_is_the_only_one() -> None:
    assert chosen("<h1>t</h1><p>a</p><h2>u</h2>", "a", scores=-3, words=50) == "ta"
    assert chosen("<h1>t</h1><p>a</p><h1>u</h1>", "a", scores=-3, words=50) == "a"


def test_what_is_said_again_in_another_place_is_left_out() -> None:
    sentence = SENTENCES[0]
    wide, narrow = (f"<div class={name}><p>{sentence}</p></div>" for name in ("desktop", "mobile"))
    assert chosen(wide + narrow, sentence) == sentence
    assert chosen(wide + wide, sentence) == 2 * sentence, "in the same place it was meant"
    assert chosen(f"{wide}<table><tr><td>{sentence}</table>", sentence) == 2 * sentence
    assert chosen(f"{wide}<pre>{sentence}</pre>", sentence) == 2 * sentence


def test_a_list_of_which_a_part_is_kept_is_kept_whole() -> None:
    assert chosen("<p>a</p><ul><li>b<li>c<li>d<li>e<li>f</ul><p>g</p>", "ac") == "abcdef"


def test_a_list_between_kept_blocks_is_kept_if_they_stand_where_it_stands() -> None:
    items = "<ul><li>b<li>c<li>d<li>e<li>f</ul>"
    assert chosen(f"<div><p>a</p>{items}<p>g</p></div>", "ag") == "abcdefg"
    assert chosen(f"<div><p>a</p></div><div>{items}</div><div><p>g</p></div>", "ag") == "ag"


def test_a_list_with_a_block_that_is_surely_none_stays_cut_if_less_than_half_is_kept() -> None:
    assert chosen("<p>a</p><ul><li>b<li>c<li>d</ul><p>g</p>", "ab", scores=-3) == "ab"
    assert chosen("<p>a</p><ul><li>b<li>c<li>d</ul><p>g</p>", "abc", scores=-3) == "abcd"
    assert chosen("<p>a</p><ul><li>b<li>c<li>d</ul><p>g</p>", "abc", scores=-7) == "abc"
    assert chosen("<p>a</p><ul><li>b<li>c<li>d</ul><p>g</p>", "ab", scores=-3, words=50) == "abcd", "it is small"
    assert chosen("<p>a</p><table><tr><td>b<td>c<td>d</table><p>g</p>", "abc", scores=-3) == "abc"


def test_a_list_in_a_menu_or_footer_is_not_completed() -> None:
    assert chosen("<p>a</p><nav><ul><li>b<li>c</ul></nav>", "ab") == "ab"


def test_a_list_of_terms_of_which_a_part_is_kept_is_kept_whole_whatever_the_terms_look_like() -> None:
    terms = "<dl><dt>b<dd>c<dt>d<dd>e</dl>"
    assert chosen(f"<p>a</p>{terms}<p>g</p>", "ac", scores=-5) == "abcde"
    assert chosen(f"<p>a</p>{terms}<p>g</p>", "ac", scores=-7) == "ac"


def test_a_heading_over_what_is_kept_stays_where_others_of_its_kind_do() -> None:
    body = "<div><h2>b</h2><p>c</p></div><div><h2>d</h2><p>e</p></div>"
    assert chosen(f"<h1>a</h1>{body}", "bce") == "bcde"
    assert chosen(f"<h1>a</h1>{body}", "ce") == "ce", "no heading is kept that would tell"
    assert chosen(f"<h1>a</h1>{body}", "bce", scores=-4) == "bce"
    assert chosen("<h2>b</h2><p>c</p><aside><h2>d</h2><p>e</p></aside>", "bce") == "bce"
    assert chosen("<h2>b</h2><p>c</p><div><div><div><h2>d</h2></div></div></div>e", "bce") == "bce"


def test_code_right_under_a_heading_that_is_kept_stays() -> None:
    body = "<p>a</p><h2>b</h2><pre><code><span>c</span></code></pre><h2>d</h2><p>e</p>"
    assert chosen(body, "ab") == "abc"
    assert chosen(body, "a") == "a", "its heading is not kept"
    assert chosen(body, "ab", scores=-4) == "ab", "it is none for sure"
    assert chosen("<p>a</p><h2>b</h2><p>c</p>", "ab") == "ab", "words say more of themselves"


def test_sections_before_the_first_block_that_is_kept_belong_to_it() -> None:
    front = "<h1>a</h1><div><h2>b</h2><p>c</p></div>"
    body = "<div><div><h2>d</h2><pre>e</pre></div><div><h2>f</h2><p>g</p></div></div><p>h</p>"
    assert chosen(front + body, "fg") == "bcdefg"
    assert chosen(front + body, "fg", scores=-4) == "fg"
    assert chosen(f"<nav><h2>b</h2><p>c</p></nav>{body}", "fg") == "defg"
    assert chosen(body, "g") == "g"


def test_lists_in_lists_are_completed_a_few_deep() -> None:
    depth = 50
    html = "<p>a</p>" + "<ul><li>x" * depth + "b" + "</ul>" * depth
    assert chosen(html, "a") == "a"


def test_links_of_the_list_stand_in_the_content() -> None:
    found = document(
        f"{MENU}<main><h1>Guide</h1><p>Read this.</p>{LINKS}</main>".encode(), "text/html", "http://a.example/"
    )
    assert {link.anchor for link in found.links if link.content} == {"Install", "Configure", "Deploy"}
