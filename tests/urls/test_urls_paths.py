"""Every path has one address, and every address one path, whatever bytes a name is made of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import InvalidURL
from gossamer.urls import keys, normalize, paths, resolve
from gossamer.urls.scope import Scope

NAMES = st.binary(min_size=1, max_size=40).filter(lambda name: not {0, 47} & set(name) and name not in (b".", b".."))


@given(st.lists(NAMES, max_size=5))
def test_a_path_comes_back_from_its_address_and_from_its_row(names: list[bytes]) -> None:
    path = b"/" + b"/".join(names)
    url = paths.address_of(path)
    assert url.isascii()
    assert " " not in url
    assert paths.path_of(url) == path
    assert paths.canonical(url) == url
    assert keys.url_of(keys.row(url)) == url
    assert keys.host(url) == ""
    assert keys.origin(url) == paths.ORIGIN


def test_an_address_that_somebody_writes_gets_its_one_form() -> None:
    assert paths.canonical("file:///home/me/../you//a b%41.txt#top") == "file:///home/you/a%20bA.txt"
    assert paths.canonical("HTTP://Example.org:80/") == "http://example.org/"
    with pytest.raises(InvalidURL):
        paths.canonical("mailto:me@example.org")


def test_no_link_of_a_page_leads_to_a_file() -> None:
    hrefs = ["file:///etc/passwd", "/etc/passwd", "passwd", "FILE:///etc/passwd", "file:/etc/passwd"]
    assert resolve(hrefs, "file:///home/me/page.html") == [None] * len(hrefs)
    assert resolve(hrefs[:1], "http://example.org/") == [None]
    with pytest.raises(InvalidURL):
        normalize("file:///etc/passwd")


def test_the_scope_of_folders_is_what_was_named_and_what_lies_below() -> None:
    scope = Scope("folders", frozenset({"file:///home/me/notes", "file:///srv/a.txt"}), max_length=16_384)
    inside = ("file:///home/me/notes/a", "file:///home/me/notes/a/a/a/a/a", "file:///srv/a.txt")
    assert [scope.check(url, 0) for url in inside] == [None] * 3
    outside = ("file:///home/me/notes2", "file:///home/me", "file:///srv/b.txt", "http://example.org/home/me/notes/a")
    assert {scope.check(url, 0) for url in outside} == {"outside the folders that were named"}
    assert Scope("folders", frozenset({"file:///"})).check("file:///etc/hosts", 0) is None
