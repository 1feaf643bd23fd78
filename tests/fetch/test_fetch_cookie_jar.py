"""Which cookies does a site get back? RFC 6265, and nothing to anybody else."""

from __future__ import annotations

import pytest

from gossamer.fetch.cookie_jar import MOST, PER_DOMAIN, Jar
from gossamer.fetch.logins import Cookie

NOW = 1_800_000_000.0
HOME = "https://www.example.org/shop/cart"


def back(value: str, url: str, *, said_by: str = HOME, now: float = NOW) -> str:
    jar = Jar()
    jar.heard(said_by, [value], NOW)
    return jar.field(url, now)


@pytest.mark.parametrize(
    ("value", "url", "expected"),
    [
        ("a=1", HOME, "a=1"),
        ("a=1", "https://www.example.org/shop/other", "a=1"),  # the path of the page that set it
        ("a=1", "https://www.example.org/", ""),
        ("a=1; Path=/", "https://www.example.org/", "a=1"),
        ("a=1; Path=nonsense", "https://www.example.org/shop/", "a=1"),
        ("a=1; Path=/sho", "https://www.example.org/shop", ""),
        ("a=1; Path=/", "https://example.org/", ""),  # host-only
        ("a=1; Path=/", "https://x.www.example.org/", ""),
        ("a=1; Path=/; Domain=example.org", "https://example.org/", "a=1"),
        ("a=1; Path=/; Domain=.Example.ORG", "https://other.example.org/", "a=1"),
        ("a=1; Path=/; Domain=example.net", "https://example.net/", ""),
        ("a=1; Path=/; Domain=org", "https://example.org/", ""),
        ("a=1; Path=/; Domain=evil.www.example.org", HOME, ""),
        ("a=1; Path=/; Secure", "http://www.example.org/", ""),
        ("a=1; Path=/; Secure", "https://www.example.org/", "a=1"),
        ("a=1; Path=/", "http://www.example.org/", "a=1"),
        ("a=1; Max-Age=0", HOME, ""),
        ("a=1; Max-Age=-5", HOME, ""),
        ("a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", HOME, "a=1"),
        ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", HOME, ""),
        ("a=1; Expires=Wednesday, 01-Jan-70 00:00:00 GMT", HOME, ""),
        ("a=1; Expires=Fri Jan  1 00:00:00 2100", HOME, "a=1"),
        ("a=1; Expires=soon", HOME, "a=1"),
        ("  a = 1 2  ; HttpOnly", HOME, "a=1 2"),
        ("a=", HOME, "a="),
        ("nothing", HOME, ""),
        ("=1", HOME, ""),
        ("a=1\x00", HOME, ""),
        ("a=" + "x" * 5_000, HOME, ""),
        ("__Host-a=1; Secure; Path=/", HOME, "__Host-a=1"),
        ("__Host-a=1; Secure; Path=/; Domain=example.org", HOME, ""),
        ("__Host-a=1; Path=/", HOME, ""),
        ("__Secure-a=1; Path=/", HOME, ""),
    ],
)
def test_a_cookie_goes_back_where_it_may(value: str, url: str, expected: str) -> None:
    assert back(value, url) == expected


def test_nobody_speaks_for_a_public_suffix_but_the_host_of_that_name() -> None:
    for said_by, domain in (("https://mine.co.uk/", "co.uk"), ("https://alice.github.io/", "github.io")):
        assert not back(f"a=1; Domain={domain}; Path=/", said_by, said_by=said_by)
    assert back("a=1; Domain=github.io; Path=/", "https://github.io/", said_by="https://github.io/") == "a=1"
    assert not back("a=1; Domain=github.io; Path=/", "https://bob.github.io/", said_by="https://github.io/")
    own = Jar(suffixes=frozenset({"corp.example"}))
    own.heard("https://wiki.corp.example/", ["a=1; Domain=corp.example; Path=/"], NOW)
    assert not own.field("https://wiki.corp.example/", NOW)


def test_plain_http_neither_sets_nor_replaces_what_is_secure() -> None:
    plain = "http://www.example.org/shop/"
    assert not back("a=1; Secure", HOME, said_by=plain)
    jar = Jar()
    jar.heard(HOME, ["a=1; Secure; Path=/"], NOW)
    jar.heard(plain, ["a=2; Path=/"], NOW)
    assert jar.field(HOME, NOW) == "a=1"


def test_an_address_is_a_host_and_no_domain() -> None:
    url = "http://127.0.0.1:8080/"
    assert back("a=1; Domain=127.0.0.1; Path=/", url, said_by=url) == "a=1"
    assert not back("a=1; Domain=0.0.1; Path=/", url, said_by=url)


def test_cookies_end_and_are_replaced_in_their_place() -> None:
    jar = Jar([Cookie("www.example.org", False, "/", False, "given", "0")])
    jar.heard(HOME, ["a=1; Path=/; Max-Age=60", "b=2; Path=/shop", "c=3; Path=/"], NOW)
    assert jar.field(HOME, NOW) == "b=2; given=0; a=1; c=3"  # the longest path first, then the oldest
    jar.heard(HOME, ["a=9; Path=/", "given=; Path=/; Max-Age=0"], NOW)
    assert jar.field(HOME, NOW) == "b=2; a=9; c=3"
    jar.heard(HOME, ["a=1; Path=/; Max-Age=60"], NOW)
    assert jar.field(HOME, NOW + 61) == "b=2; c=3"


LONG_AGO, LONG_AFTER = -1e11, 1e11


@pytest.mark.parametrize(
    ("expires", "ends"),
    [
        ("Mon, 01 Jan 1601 00:00:00 GMT", -11_644_473_600),
        ("Thu, 01-Jan-70 00:00:00 GMT", 0),
        ("01 Jan 99 00:00:00", 915_148_800),
        ("Fri Dec 31 23:59:59 1999", 946_684_799),
        ("01 Jan 00 00:00:00", 946_684_800),
        ("01 Jan 69 00:00:00", 3_124_224_000),
    ],
)
def test_a_cookie_ends_at_its_date_in_whichever_form_it_is_written(expires: str, ends: float) -> None:
    jar = Jar()
    jar.heard(HOME, [f"a=1; Expires={expires}"], LONG_AGO)
    assert [jar.field(HOME, ends - 1), jar.field(HOME, ends)] == ["a=1", ""]


@pytest.mark.parametrize(
    "expires",
    [
        "31 Dec 1600 23:59:59",
        "00 Jan 2000 00:00:00",
        "32 Jan 2000 00:00:00",
        "01 Jan 2000 24:00:00",
        "01 Jan 2000 00:60:00",
        "01 Jan 2000 00:00:60",
    ],
)
def test_a_date_that_there_is_not_ends_no_cookie(expires: str) -> None:
    jar = Jar()
    jar.heard(HOME, [f"a=1; Expires={expires}"], LONG_AGO)
    assert jar.field(HOME, LONG_AFTER) == "a=1"


def test_an_age_counts_before_a_date_and_up_to_400_days() -> None:
    jar = Jar()
    jar.heard(HOME, ["a=1; Max-Age=9999999999; Expires=Thu, 01-Jan-70 00:00:00 GMT"], NOW)
    assert [jar.field(HOME, NOW + 400 * 86_400 - 1), jar.field(HOME, NOW + 400 * 86_400)] == ["a=1", ""]


def test_a_cookie_of_4096_octets_is_kept_and_a_larger_one_is_not() -> None:
    jar = Jar()
    jar.heard(HOME, ["most=" + "x" * 4_092, "more=" + "x" * 4_093], NOW)
    assert jar.field(HOME, NOW) == "most=" + "x" * 4_092


def test_a_jar_has_a_bottom() -> None:
    jar = Jar()
    jar.heard(HOME, [f"n{number}=1; Path=/" for number in range(PER_DOMAIN + 5)], NOW)
    kept = jar.field(HOME, NOW).split("; ")
    assert len(kept) == PER_DOMAIN
    assert "n0=1" not in kept
    for number in range(MOST + 10):
        jar.heard(f"https://h{number}.example.org/", ["a=1"], NOW)
    assert sum(bool(jar.field(f"https://h{number}.example.org/", NOW)) for number in range(MOST + 10)) <= MOST
