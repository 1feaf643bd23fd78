"""What the links of a page lead to: the compiled look at them says what they say one by one."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import reduce
from itertools import accumulate
from operator import and_

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from url_strategies import absolute, hrefs

from gossamer.urls import resolve
from gossamer.urls.distinct import Distinct, distinct, one_by_one
from gossamer.urls.normalize import LONGEST

HERE = "http://example.com/a/b/page.html?x=1"


def columns(links: Sequence[str], marks: Sequence[int] = ()) -> tuple[bytes, bytes, bytes]:
    texts = [link.encode("utf-8", "replace") for link in links]
    return b"".join(texts), array("q", accumulate(map(len, texts))).tobytes(), bytes(marks or [0] * len(texts))


def numbers(found: Distinct) -> list[int]:
    return array("i", found.numbers).tolist()


def check(links: Sequence[str], base: str, marks: Sequence[int] = ()) -> None:
    """It leads where `resolve` leads, and marks are those of the links to an address."""
    links = [link.encode("utf-8", "replace").decode() for link in links]
    marks = marks or range(len(links))
    found, urls = distinct(*columns(links, [mark % 256 for mark in marks]), base), resolve(links, base)
    assert [found.urls[number] if number >= 0 else None for number in numbers(found)] == urls
    assert found.urls == tuple(dict.fromkeys(url for url in urls if url is not None))
    for url, last, common in zip(found.urls, found.last, found.common, strict=True):
        here = [mark % 256 for mark, each in zip(marks, urls, strict=True) if each == url]
        assert (last, common) == (here[-1], reduce(and_, here))


PLAIN = [
    "", "b", "b.html#c", "b.html", "/b", "/b?c=d#e", "//other.example/b", "https://other.example/b?c", "?y=2",
    "c/../d", "./b", "../b", "../../b", "../../../../b", "../", "../.b", "..", "../b/.", "../b/../c",
    "../http://x.example/", ".b", "b/.c", "a:b", "b/a:b", "'b", "b'c", "?b'c", "b%2Fc", "b%2fc", "b%2E", "b%2D",
    "b%41", "b%5F", "b%5B", "b%60", "b%61", "b%7E", "b%7F", "b%3A", "b%39", "b%40", "b%00", "b%FF", "b%F", "b%",
    "b%4", "b%G0", "b c", "b\tc", "b\nc", "é", "b?é", "b#é", "//", "///b", "http://x.example", "http://x.example/",
    "HTTP://x.example/", "http://X.example/", "http://xn--x.example/", "http://axn--.example/", "http://1.2.3.4/",
    "http://a.b2/", "http://.com/", "http://com/", "http://a.c/", "http:/b", "http:b", "https:b", "httpb",
    "http://u@x.example/", "http://x.example:80/", "http://x_y.example/b//c", "mailto:b", "javascript:void(0)",
    "b\\c", "b|c", "b?c?d", "b?c#d?e", "b?c=/.d", "/.b", "\ud800", "b" * 300, "//a.example", "//a.example/%7Eb",
    "~b", "@b", "b;c=d,e",
]  # fmt: skip


@pytest.mark.parametrize("base", [HERE, "https://example.com/", "http://example.com:8080/x/", "http://[::1]/a?b/c"])
def test_plain_links_and_others_lead_where_they_lead_one_by_one(base: str) -> None:
    check(PLAIN, base)
    check(PLAIN * 2, base)
    for link in PLAIN:
        check([link], base)


def test_an_address_counts_once_with_the_last_of_its_marks_and_what_all_have_in_common() -> None:
    links = ["b", "c", "/a/b/b#x", "mailto:x", "http://example.com/a/b/b", "./c"]
    found = distinct(*columns(links, [3, 1, 7, 9, 6, 4]), HERE)
    assert found.urls == ("http://example.com/a/b/b", "http://example.com/a/b/c")
    assert numbers(found) == [0, 1, 0, -1, 0, 1]
    assert (found.last, found.common) == (bytes([6, 4]), bytes([2, 0]))


def test_nothing_leads_nowhere() -> None:
    assert distinct(b"", b"", b"", HERE) == ((), b"", b"", b"")


@pytest.mark.parametrize("base", ["", "about:blank", "not an address", "file:///home/me/page.html"])
def test_without_a_page_only_whole_addresses_lead_anywhere(base: str) -> None:
    check(["http://x.example/a", "b", "/b", "//x.example/a"], base)


def test_what_is_too_long_is_no_address() -> None:
    root = "http://example.com/"
    room = LONGEST - len(root)
    for size in (room - 1, room, room + 1):
        check(["b" * size, "/" + "b" * size, "../" + "b" * size, root + "b" * size, "?" + "b" * size], root)
    check(["b#" + "c" * (LONGEST - 2), "b#" + "c" * (LONGEST - 1), "b#" + "é" * (LONGEST - 2)], root)
    check(["b", "?c", ""], root + "d" * room)


def test_a_spelling_is_for_what_is_not_plain_and_asked_about_once() -> None:
    asked: list[str] = []

    def spelled(href: str) -> str:
        asked.append(href)
        return href.replace("é", "%E9")

    found = distinct(*columns(["b", "é", "?é", "é", "b#é"]), HERE, spelled)
    assert [url.rpartition("/")[2] for url in found.urls] == ["b", "%E9", "page.html?%E9"]
    assert [href for href in asked if not href.isascii() and "#" not in href][:2] == ["é", "?é"]


@pytest.mark.parametrize(
    ("text", "ends", "marks"),
    [
        (b"ab", [1, 3], b"\0\0"),
        (b"ab", [2, 1], b"\0\0"),
        (b"ab", [-1, 2], b"\0\0"),
        (b"ab", [1 << 62], b"\0"),
        (b"ab", [1, 2], b"\0"),
        (b"ab", [1], b"\0\0"),
    ],
)
def test_columns_that_do_not_fit_are_refused(text: bytes, ends: list[int], marks: bytes) -> None:
    compiled = pytest.importorskip("gossamer.urls._distinct", reason="the compiled twin was not built")
    with pytest.raises(ValueError, match=r"columns|in order"):
        compiled.distinct(text, array("q", ends).tobytes(), marks, HERE, lambda href: None)


def test_a_mistake_on_the_way_is_not_lost() -> None:
    def broken(href: str) -> str:
        raise LookupError(href)

    with pytest.raises(LookupError, match="é"):
        distinct(*columns(["b", "é"]), HERE, broken)


plain = st.text("ab/.?%2F:'#", max_size=12)


@given(st.lists(hrefs | plain, max_size=12), absolute | st.just(HERE))
@example(["../b", "b", "../", "..", "b/../c", "/..//b"], "http://example.com/a//b/")
def test_any_links_lead_where_they_lead_one_by_one(links: list[str], base: str) -> None:
    check(links, base)
    text, ends, marks = columns(links, [number * 37 % 256 for number in range(len(links))])
    by_python = one_by_one(text, ends, marks, "", lambda href: resolve([href], base)[0])
    assert distinct(text, ends, marks, base) == by_python
