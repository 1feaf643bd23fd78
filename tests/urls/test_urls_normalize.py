from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from url_strategies import absolute, canonical_or_none, hrefs

from gossamer.errors import InvalidURL
from gossamer.urls import fragment, host, normalize, resolve
from gossamer.urls.normalize import LONGEST, is_too_long, to_ascii, to_unicode


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ("http://example.com", "http://example.com/"),
        ("HTTP://EXAMPLE.COM/A", "http://example.com/A"),
        ("http://example.com:80/", "http://example.com/"),
        ("https://example.com:443/", "https://example.com/"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("http://example.com/a/./b/../c", "http://example.com/a/c"),
        ("http://example.com/a/%2e%2E/c", "http://example.com/c"),
        ("http://example.com/%7Euser/%41", "http://example.com/~user/A"),
        ("http://example.com/a%2fb%3d", "http://example.com/a%2Fb%3D"),
        ("http://example.com/?q=%7e%e9", "http://example.com/?q=~%E9"),
        ("http://example.com/a#b", "http://example.com/a"),
        ("http://user:secret@example.com/@a", "http://example.com/@a"),
        ("http://user@example.com:8080/", "http://example.com:8080/"),
        (" \t http://example.com/a\n ", "http://example.com/a"),
        ("http://exa\nmple.com/a\tb", "http://example.com/ab"),
        ("http:\\\\example.com\\a", "http://example.com/a"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://[2001:DB8:0::1]/", "http://[2001:db8::1]/"),
        ("http://example.com/?", "http://example.com/?"),
        ("http://example.com//a//", "http://example.com//a//"),
        ("http://example.com/\ud800", "http://example.com/%EF%BF%BD"),
        ("http://example.com/\ud83d\ude00", "http://example.com/%F0%9F%98%80"),
    ],
)
def test_spellings_of_one_resource_become_one(given: str, canonical: str) -> None:
    assert normalize(given) == canonical


@pytest.mark.parametrize("path", ["%%41", "%4%31", "%%32e", "%25%32%65", "%2%65%2%65/x"])
def test_decoding_makes_no_new_escape(path: str) -> None:
    once = normalize(f"http://example.com/a/{path}")
    assert normalize(once) == once
    assert "/." not in once


@pytest.mark.parametrize(
    ("href", "base", "url"),
    [
        ("b", "http://example.com/a/x?y", "http://example.com/a/b"),
        ("/b", "http://example.com/a/x", "http://example.com/b"),
        ("//other.example/b", "https://example.com/a", "https://other.example/b"),
        ("?z=1", "http://example.com/a/x?y", "http://example.com/a/x?z=1"),
        ("#z", "http://example.com/a/x?y", "http://example.com/a/x?y"),
        ("", "http://example.com/a/x?y#z", "http://example.com/a/x?y"),
        ("../../../b", "http://example.com/a/x/", "http://example.com/b"),
        ("../page.html", "http://example.com/guide/part/x.html", "http://example.com/guide/page.html"),
        ("../../api/page.html?q=1", "http://example.com/guide/part/x.html", "http://example.com/api/page.html?q=1"),
        ("../", "http://example.com/guide/part/x.html", "http://example.com/guide/"),
        ("../page.html", "http://example.com/x.html", "http://example.com/page.html"),
        ("../b/./c", "http://example.com/a/x/y", "http://example.com/a/b/c"),
        ("../b/../c", "http://example.com/a/x/y", "http://example.com/a/c"),
        ("../b", "http://example.com/a//x", "http://example.com/a/b"),
        ("../b", "http://example.com/a/b/c", "http://example.com/a/b"),
        ("../?q", "http://example.com/a/x/y", "http://example.com/a/?q"),
        ("../..", "http://example.com/a/x/y", "http://example.com/"),
        ("/b/../c", "http://example.com/a/x", "http://example.com/c"),
        ("b/./c", "http://example.com/a/x", "http://example.com/a/b/c"),
        ("b/.", "http://example.com/a/x", "http://example.com/a/b/"),
        ("//other.example/b/../c", "https://example.com/a", "https://other.example/c"),
        ("http://other.example/b/../c", "https://example.com/a", "http://other.example/c"),
        ("http://example.com", "http://other.example/", "http://example.com/"),
        ("http:b", "http://example.com/a/x", "http://example.com/a/b"),
        ("b:c", "http://example.com/", None),
        ("b", "http://user:secret@example.com/a/", "http://example.com/a/b"),
    ],
)
def test_a_link_is_read_from_its_base(href: str, base: str, url: str | None) -> None:
    assert resolve([href], base) == [url]
    assert canonical_or_none(href, base) == url


@pytest.mark.parametrize(
    ("url", "cure"),
    [
        ("ftp://example.com/a", "only addresses that begin with http:// or https://"),
        ("mailto:someone@example.com", "only addresses that begin with http:// or https://"),
        ("example.com/a", "write https:// or http:// before it"),
        ("/a/b", "write https:// or http:// before it"),
        ("http://", "check its host name and port"),
        ("http://exa mple.com/", "check its host name and port"),
        ("http://example.com:99999/", "check its host name and port"),
        ("http://1.2.3.4.5/", "check its host name and port"),
        ("", "check its host name and port"),
        ("http://example.com/" + "a" * (LONGEST - len("http://example.com/") + 1), f"the limit is {LONGEST}"),
        ("http://exa mple.com/" + "a" * (LONGEST - len("http://exa mple.com/")), "check its host name and port"),
        ("http://example.com/" + "é" * (LONGEST // 2), "shorten it"),
    ],
)
def test_what_is_no_address_is_refused_with_the_cure(url: str, cure: str) -> None:
    with pytest.raises(InvalidURL, match=cure) as caught:
        normalize(url)
    assert len(str(caught.value)) < 250, "of a long address the beginning is shown"


def test_a_page_without_a_usable_base_still_has_absolute_links() -> None:
    links = ["http://example.com/a", "b", "//c.example/", "mailto:x"]
    assert resolve(links, "about:blank") == ["http://example.com/a", None, None, None]
    assert resolve(links, "not an address") == ["http://example.com/a", None, None, None]
    assert resolve(["../b", "../../b"], "not an address") == [None, None]


def test_links_come_back_in_their_order_and_repeated_ones_too() -> None:
    assert resolve(iter(["b", "javascript:void(0)", "b", "c"]), "http://example.com/") == [
        "http://example.com/b",
        None,
        "http://example.com/b",
        "http://example.com/c",
    ]


def test_a_page_without_links_has_none() -> None:
    assert resolve([], "http://example.com/") == []


def test_a_link_that_grows_too_long_is_none() -> None:
    base = "http://example.com/" + "a" * (LONGEST - 100) + "/"
    assert resolve(["b" * 50, "b" * 200, "#" + "c" * LONGEST], base) == [base + "b" * 50, None, None]


def test_the_longest_link_is_a_link_and_one_octet_more_is_none() -> None:
    root = "http://example.com/"
    most = "b" * (LONGEST - len(root))
    assert resolve([most, f"{most}b", f"/{most}", f"/{most}b"], root) == [root + most, None, root + most, None]
    assert resolve([f"../{most}", f"../{most}b"], root) == [root + most, None]
    assert resolve([root + most, f"{root}{most}b"], root) == [root + most, None]
    assert [normalize(root + most), canonical_or_none(f"{root}{most}b")] == [root + most, None]
    for plain, written_out in (
        (f"HTTP://example.com/{most}", root + most),
        (f"{root}{most[6:]}é", f"{root}{most[6:]}%C3%A9"),
    ):
        assert len(written_out) == LONGEST
        assert [normalize(plain), canonical_or_none(f"{plain}b")] == [written_out, None]
    assert resolve([f"{root}{most[2:]}#b", f"{root}{most[1:]}#b"], root) == [root + most[2:], None]


def test_only_what_would_be_an_address_if_it_were_shorter_is_too_long() -> None:
    root = "http://example.com/"
    most = root + "b" * (LONGEST - len(root))
    assert [is_too_long(each) for each in (most, f"{most}b", root + "é" * (LONGEST // 2))] == [False, True, True]
    assert [is_too_long("b" * LONGEST), is_too_long("b" * LONGEST, root)] == [False, True]


def test_a_link_that_climbs_is_measured_before_and_after() -> None:
    root = "http://example.com/"
    climb = "../" * ((LONGEST - 1) // 3)
    assert len(climb) + 1 == LONGEST
    assert resolve([f"{climb}b", f"{climb}bb"], f"{root}a/") == [f"{root}b", None]
    deep = f"{root}{'a' * (LONGEST - len(root) - 5)}/x/"
    assert resolve(["../bbbb", "../bbbbb"], deep) == [deep.removesuffix("x/") + "bbbb", None]


@given(absolute)
@example("http://example.com/%%32e")
@example("http://a@b@example.com/")
def test_the_canonical_form_of_a_canonical_form_is_itself(url: str) -> None:
    once = canonical_or_none(url)
    if once is not None:
        assert normalize(once) == once


@given(absolute)
def test_a_canonical_form_is_plain(url: str) -> None:
    once = canonical_or_none(url)
    if once is not None:
        assert once.isascii()
        assert once.isprintable()
        assert not set(once) & set(' #"<>')
        assert "@" not in once.split("/")[2]
        assert "%" not in host(once)


@given(st.lists(hrefs, max_size=8), absolute)
def test_many_links_at_once_mean_what_each_means_alone(links: list[str], base: str) -> None:
    usable = canonical_or_none(base)
    assert resolve(links, base) == [canonical_or_none(link, usable) for link in links]


@given(hrefs, absolute)
def test_a_base_and_its_canonical_form_give_the_same_link(href: str, base: str) -> None:
    if (usable := canonical_or_none(base)) is not None:
        assert canonical_or_none(href, base) == canonical_or_none(href, usable)


@given(st.text(max_size=40), st.none() | st.text(max_size=20))
def test_any_text_is_an_address_or_refused(url: str, base: str | None) -> None:
    assert canonical_or_none(url, base) is None or normalize(url, base).startswith(("http://", "https://"))


def test_host_names_go_to_ascii_and_back() -> None:
    assert to_ascii("食狮.公司.cn") == "xn--85x722f.xn--55qx5d.cn"
    assert to_unicode("xn--85x722f.xn--55qx5d.cn") == "食狮.公司.cn"
    assert to_unicode("xn--a.example") == "xn--a.example"
    assert to_unicode("xn--bcher-kva.食狮") == "xn--bcher-kva.食狮"
    assert to_unicode("食狮") == "食狮"
    assert to_ascii("\ud800") == ""


@pytest.mark.parametrize(
    ("href", "place"),
    [
        ("a#b", "#b"),
        ("#b#c", "#b#c"),
        ("a#", ""),
        ("a", ""),
        ("a#b c<d>\"`'", "#b%20c%3Cd%3E%22%60'"),
        ("a#\u00e9\n%41%", "#%C3%A9%41%"),
        ("a#\ud800", "#?"),
        *(("a#" + sign * 500, "#" + written * 500) for sign, written in (("x", "x"), (" ", "%20"))),
        *(("a#" + sign * 501, "") for sign in "x "),
    ],
)
def test_the_place_that_a_link_names_can_stand_behind_an_address(href: str, place: str) -> None:
    assert fragment(href) == place
