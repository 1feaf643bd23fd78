"""Of a small page all that it says is kept, whatever its shape, and nothing of what stands around it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from content_of import outline_of
from small_pages import AROUND, PAGES, Small

from gossamer.convert import document
from gossamer.convert.content.blocks import split
from gossamer.convert.content.records import with_records

URL = "http://a.example/page"
MENU = "<ul><li><a href=/>Home</a></li><li><a href=/shop>Shop</a></li><li><a href=/about>About us</a></li></ul>"
SIDE = "<h3>Categories</h3><ul><li><a href=/k1>Wool</a></li><li><a href=/k2>Linen</a></li></ul>"
LEGAL = "<p>Copyright 2025 Wren. All rights reserved.</p><a href=/privacy>Privacy</a> <a href=/imprint>Imprint</a>"


def content(html: bytes) -> str:
    return " ".join(document(html, "text/html", URL).content.split())


def missing(page: Small, found: str) -> list[str]:
    """What is said and not found, in its order."""
    place, lost = 0, []
    for part in page.said:
        at = found.find(part, place)
        if at < 0:
            lost.append(part)
        else:
            place = at + len(part)
    return lost


@pytest.mark.parametrize("name", PAGES)
def test_a_small_page_says_all_and_nothing_around_it(name: str) -> None:
    page = PAGES[name]
    found = content(page.html)
    assert missing(page, found) == []
    assert [part for part in (*AROUND, *page.around) if part in found] == []


@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if page.main.startswith(("<main", "<article"))])
def test_it_does_so_where_nothing_but_its_main_part_is_marked(name: str) -> None:
    page = PAGES[name]
    html = f"<div id=header>{MENU}</div>{page.main}<div class=sidebar>{SIDE}</div><div class=footer>{LEGAL}</div>"
    found = content(html.encode())
    assert missing(page, found) == []
    assert [part for part in (*AROUND, "Categories", "Linen") if part in found] == []


@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if page.main.startswith("<main>")])
def test_it_does_so_where_roles_say_what_is_what(name: str) -> None:
    page = PAGES[name]
    main = page.main.replace("<main>", "<div role=main>").replace("</main>", "</div>")
    menus = f"<div role=navigation>{MENU}</div>"
    found = content(f"<div>{menus}{main}<div role=complementary>{SIDE}</div><div>{LEGAL}</div></div>".encode())
    assert missing(page, found) == []
    assert [part for part in (*AROUND, "Categories", "Linen") if part in found] == []


@pytest.mark.parametrize("around", ["{}", "<div>{}</div>", "<div id=content>{}</div>", "<section>{}</section>"])
def test_a_list_of_a_small_page_is_kept_whole_or_not_at_all(around: str) -> None:
    page = PAGES["list"]
    inner = page.main.removeprefix("<main>").removesuffix("</main>")
    found = content(Small(around.format(inner), ()).html)
    birds = page.said[2:]
    assert sum(bird in found for bird in birds) in (0, len(birds))
    assert found.startswith("Birds of the valley")


def test_pictures_first_and_last_in_the_main_part_are_kept() -> None:
    picture = '<p><a href=/big><img src="/{0}.jpg" alt="The {0} picture"></a></p>'
    body = f"<main>{picture.format('first')}<h1>Boats</h1><p>Two of them.</p>{picture.format('last')}</main>"
    logo = '<header><a href=/><img src=/logo.png alt="Our logo"></a></header>'
    found = document(f"<body>{logo}{body}<footer>{LEGAL}</footer>".encode(), "text/html", URL).markdown
    assert re.findall(r"!\[(.*?)\]", found) == ["The first picture", "The last picture"]


@pytest.mark.parametrize(
    ("gallery", "picture"),
    [
        ("<ul>{}</ul>", "<li><img src=/{0}.jpg alt='Bird {0}'></li>"),
        ("<div>{}</div>", "<a href=/{0}><img src=/{0}.jpg alt='Bird {0}'></a> "),
        ("<div><div>{}</div></div>", "<p><a href=/{0}><img src=/{0}.jpg alt='Bird {0}'></a>"),
    ],
)
def test_a_gallery_without_words_is_kept_where_the_text_before_it_is(gallery: str, picture: str) -> None:
    menu, foot = "<nav><a href=/>Home</a> <a href=/b>Blog</a></nav>", "<footer>Copyright 2020 Example</footer>"
    made = gallery.format("".join(map(picture.format, range(5))))
    page = f"<body>{menu}<h1>Birds of the garden</h1>{made}{foot}"
    found = document(page.encode(), "text/html", URL).markdown
    assert re.findall(r"!\[(.*?)\]", found) == [f"Bird {number}" for number in range(5)]
    signs = page.replace(made, f"{foot[:-9]}{made}</footer>").replace(foot, "")
    assert "![" not in document(signs.encode(), "text/html", URL).markdown


def records(html: str, content: str, score: float = -3.0) -> str:
    """The blocks that are kept with their records, if those in `content` are so far, and others have that score."""
    outline = outline_of(html.encode())
    numbers = split(outline).numbers
    bounds = zip(outline.starts[:-1].tolist(), outline.starts[1:].tolist(), strict=True)
    parts = [outline.text[begin:end].decode().strip() for begin, end in bounds]
    some = np.array([part in content for part in parts])
    found = with_records(outline, numbers, some, np.where(some, 3, score).astype(np.float32))
    return "".join(part for part, is_kept in zip(parts, found.tolist(), strict=True) if is_kept)


def test_parts_that_stand_once_in_every_record_are_kept_with_it() -> None:
    post = "<div class=post><div class=author>{}</div><p>{}</p></div>"
    posts = "".join(post.format(*pair) for pair in ("aA", "bB", "cC"))
    assert records(posts, "ABC") == "aAbBcC"
    assert records(posts, "bABC") == "aAbBcC", "one of them may be kept already"
    assert records(posts, "ABC", score=-6) == "ABC"
    assert records(posts, "AB") == "AB", "there is one without anything that is kept"


def test_parts_that_share_a_record_or_look_different_are_left() -> None:
    assert records("<div><p>A</p><div class=left>a</div><div class=left>b</div></div>", "A") == "A"
    assert (
        records("<div><p>A</p><div class=left>a</div></div><div><p>B</p><div class=right>b</div></div>", "AB") == "AB"
    )
    assert records("<div><p>A</p><nav>a</nav></div><div><p>B</p><nav>b</nav></div>", "AB") == "AB"


@pytest.mark.parametrize("around", [("", ""), ("<nav><a href=/>Home</a></nav>", "<footer>Wren, 2025</footer>")])
@pytest.mark.parametrize(("name", "remark"), [("Ridge walk", "- 5 km, easy"), ("Bridge opened", "2026-11-01")])
def test_a_list_of_links_with_remarks_is_kept_whole(around: tuple[str, str], name: str, remark: str) -> None:
    """To the scores all of it is a menu: one item of three was kept, or none."""
    items = "".join(f"<li><a href=/{number}>{name} {number}</a> {remark}</li>" for number in range(3))
    before, behind = around
    found = content(f"<title>T</title><body>{before}<h1>What there is</h1><ul>{items}</ul>{behind}".encode())
    assert found == " ".join(["What there is", *(f"{name} {number} {remark}" for number in range(3))])
