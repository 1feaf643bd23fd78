"""Links that are made late are like a tuple of them, and what they lead to is known before."""

from __future__ import annotations

import pickle
from dataclasses import replace

from gossamer.convert import document
from gossamer.model import Link
from gossamer.outlinks import Links, Targets, targets

HERE = "http://a.example/b/"
PAGE = (
    b"<link rel=canonical href=/b/><a href=c>one</a><a href=d rel='nofollow ugc'>two</a><a href=mailto:x>post</a>"
    b"<a href=c#x rel=nofollow>three</a><area href=d rel=nofollow><a href=e rel=nofollow>four</a><a href=./e>five</a>"
)


def page_links() -> Links:
    links = document(PAGE, "text/html; charset=utf-8", HERE).links
    assert isinstance(links, Links)
    return links


def test_links_are_those_of_a_tuple() -> None:
    links, made = page_links(), tuple(page_links())
    assert made[1] == Link(f"{HERE}c", "one", content=made[1].content)
    assert (links, len(links), links[0], links[-2:]) == (made, len(made), made[0], made[-2:])
    assert links == page_links()
    assert links != made[1:]
    assert (hash(links), repr(links)) == (hash(made), repr(made))
    assert pickle.loads(pickle.dumps(links)) == made


def test_each_address_is_known_once_with_its_last_place_and_whether_one_may_follow() -> None:
    urls = (HERE, f"{HERE}c", f"{HERE}d", f"{HERE}e")
    links = page_links()
    for found in (targets(links), targets(tuple(links))):
        assert Targets(tuple(found.urls), tuple(found.places), tuple(found.followed)) == Targets(
            urls, ("link", "a", "area", "a"), (1, 1, 0, 1)
        )


def test_a_page_that_is_changed_keeps_its_links() -> None:
    page = document(PAGE, "text/html; charset=utf-8", HERE)
    assert replace(page, title="other").links is page.links
    assert page.canonical == HERE
    assert page == document(PAGE, "text/html; charset=utf-8", HERE)


def test_anchors_that_are_not_clean_are_made_so() -> None:
    page = document("<a href=c>so\u00adft</a><a href=d>e\u0301</a><a href=e>é</a>".encode(), "text/html", HERE)
    assert [link.anchor for link in page.links] == ["soft", "é", "é"]
    assert list(targets(page.links).urls) == [f"{HERE}c", f"{HERE}d", f"{HERE}e"]
