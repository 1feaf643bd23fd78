from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from url_strategies import canonical

import gossamer.urls
from gossamer.errors import InvalidURL
from gossamer.urls import host, registrable, site
from gossamer.urls.sites import LONGEST_RULE

LIST = Path(gossamer.urls.__file__).with_name("public_suffix_list.dat")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("http://www.example.com/a", "example.com"),
        ("https://a.b.example.co.uk:8080/", "example.co.uk"),
        ("HTTPS://WWW.EXAMPLE.COM", "example.com"),
        ("www.example.com", "example.com"),
        ("WWW.Example.COM.", "example.com"),
        ("alice.github.io", "alice.github.io"),
        ("x.city.kobe.jp", "city.kobe.jp"),
        ("x.y.other.kobe.jp", "y.other.kobe.jp"),
        ("http://shop.食狮.公司.cn/", "xn--85x722f.xn--55qx5d.cn"),
        ("http://1.2.3.4:8080/", "1.2.3.4"),
        ("http://[::1]/", "[::1]"),
        ("com", "com"),
        ("github.io", "github.io"),
        ("localhost", "localhost"),
        ("a.b.intranet", "b.intranet"),
    ],
)
def test_hosts_of_one_owner_are_one_site(given: str, expected: str) -> None:
    assert site(given) == expected


def test_a_name_is_told_in_the_script_it_is_written_in_if_its_dots_are_ours() -> None:
    assert registrable("shop.食狮.公司.cn") == "食狮.公司.cn"
    assert registrable("shop.xn--85x722f.xn--55qx5d.cn") == "xn--85x722f.xn--55qx5d.cn"
    assert registrable("shop.食狮。公司。cn") == "xn--85x722f.xn--55qx5d.cn"


def test_suffixes_of_one_s_own_part_an_intranet_into_sites() -> None:
    own = ["corp.example", ".lab.corp.example"]
    assert site("http://wiki.corp.example/a", own) == "wiki.corp.example"
    assert site("a.wiki.corp.example", own) == "wiki.corp.example"
    assert site("x.y.lab.corp.example", own) == "y.lab.corp.example"
    assert site("corp.example", own) == "corp.example"
    assert site("wiki.corp.example") == "corp.example"


def test_a_suffix_of_one_s_own_may_be_longer_than_any_of_the_list() -> None:
    deep = ".".join("abcdefghij") + ".example"
    assert registrable(f"y.x.{deep}", [deep]) == f"x.{deep}"


def test_an_address_that_is_none_has_no_site() -> None:
    with pytest.raises(InvalidURL):
        site("ftp://example.com/")


@pytest.mark.parametrize(
    "name", ["", ".", "..", ".com", "a..com", "1.2.3.4", "1.2.3.4.", "[::1]", "com.", "\ud800.com"]
)
def test_a_broken_name_has_no_registrable_domain(name: str) -> None:
    assert registrable(name) in (None, "\ud800.com")


@given(canonical)
def test_the_site_of_an_address_is_the_site_of_its_host(url: str) -> None:
    assert site(url) == site(host(url))
    assert site(site(url)) == site(url)
    assert host(url).removesuffix(".").endswith(site(url))


def test_the_list_is_shipped_whole_with_its_licence() -> None:
    text = LIST.read_text("utf-8")
    rules = [line for line in text.splitlines() if line and not line.startswith("//")]
    assert "Mozilla Public" in text[:200]
    assert len(rules) > 9000
    assert all(rule == rule.strip() for rule in rules)
    assert max(rule.count(".") for rule in rules) < LONGEST_RULE
