from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st
from url_strategies import canonical

from gossamer.errors import Damaged, InvalidURL
from gossamer.urls import (
    authority,
    fingerprint,
    host,
    host_prefix,
    is_address,
    origin,
    row,
    shard,
    surt,
    url_of,
)
from gossamer.urls.keys import digest, row_prefix
from gossamer.urls.normalize import LONGEST


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.example.com/a/b?c", b"com,example,www)/a/b?c http"),
        ("https://www.example.com/a/b?c", b"com,example,www)/a/b?c https"),
        ("https://example.com:8080/", b"com,example):8080/ https"),
        ("http://1.2.3.4/a", b"1.2.3.4)/a http"),
        ("http://[::1]:81/a", b"[::1]):81/a http"),
        ("http://localhost/", b"localhost)/ http"),
        ("http://example.com./", b",com,example)/ http"),
        ("http://a,b.com/)", b"com,a%2Cb)/) http"),
    ],
)
def test_a_row_key_is_the_address_in_surt_order(url: str, key: bytes) -> None:
    assert row(url) == key
    assert url_of(key) == url


@given(canonical)
def test_an_address_comes_back_from_its_row_key(url: str) -> None:
    assert url_of(row(url)) == url


@given(st.lists(canonical, max_size=30, unique=True))
def test_sorted_row_keys_keep_the_pages_of_a_host_together(urls: list[str]) -> None:
    hosts = [name for name, _ in groupby(sorted(urls, key=row), key=host)]
    assert len(hosts) == len(set(hosts))
    for url in urls:
        for other in urls:
            assert row(other).startswith(host_prefix(host(url))) == (host(other) == host(url))


@given(st.lists(st.text("ab-+!*1", min_size=1, max_size=2), min_size=1, max_size=40))
def test_sorted_row_keys_keep_the_hosts_of_a_domain_together(names: list[str]) -> None:
    hosts = [f"{name}.com" for name in names] + [f"x.{name}.com" for name in names]
    ordered = sorted((f"http://{name}:81/" for name in hosts), key=row)
    domains = [domain for domain, _ in groupby(ordered, key=lambda url: host(url).split(".")[-2])]
    assert len(domains) == len(set(domains))


def test_the_two_schemes_of_a_page_are_neighbours() -> None:
    urls = ["http://example.com/a", "https://example.com/a", "http://example.com/a/", "http://example.com/a0"]
    assert [url_of(key) for key in sorted(map(row, urls))] == urls


@pytest.mark.parametrize(
    ("url", "name", "place"),
    [
        ("https://www.example.com/a@b:1", "www.example.com", "www.example.com"),
        ("https://www.example.com:8080/", "www.example.com", "www.example.com:8080"),
        ("https://www.example.com/a/b/c?d=/e", "www.example.com", "www.example.com"),
        ("http://[::1]/", "[::1]", "[::1]"),
        ("http://[::1]:8080/", "[::1]", "[::1]:8080"),
        ("http://1.2.3.4:8080/?x", "1.2.3.4", "1.2.3.4:8080"),
    ],
)
def test_host_authority_and_origin_are_cut_from_the_address(url: str, name: str, place: str) -> None:
    assert host(url) == name
    assert authority(url) == place
    assert origin(url) == f"{url.partition(':')[0]}://{place}"


@pytest.mark.parametrize(
    ("start", "begins"),
    [
        ("http://example.com/a/b/c?d=/e", b"com,example)/a/b/c?d=/e"),
        ("http://example.com/", b"com,example)/"),
        ("https://example.com:8080/a", b"com,example):8080/a"),
        ("http://1.2.3.4/a", b"1.2.3.4)/a"),
        ("http://example.com", b""),
        ("http://exam", b""),
        ("http:", b""),
        ("", b""),
    ],
)
def test_rows_of_all_that_begins_alike_begin_alike(start: str, begins: bytes) -> None:
    assert row_prefix(start) == begins
    assert row(f"{start if begins else 'http://example.com/'}more/x").startswith(begins)


def test_ip_literals_are_told_from_names() -> None:
    assert is_address("1.2.3.4")
    assert is_address("[::1]")
    assert not is_address("1.example")
    assert not is_address("localhost")


def test_fingerprints_and_shards_never_change() -> None:
    assert fingerprint("http://example.com/") == 0xB97A010E03AF1E2B
    assert digest(b"http://example.com/") == fingerprint("http://example.com/")
    assert digest(b"") == 0x2D06800538D394C2
    assert [shard("example.com", count) for count in (1, 2, 16, 1000)] == [0, 1, 3, 347]


def test_fingerprints_fill_64_bits() -> None:
    prints = {fingerprint(f"http://example.com/{number}") for number in range(2000)}
    assert len(prints) == 2000
    assert max(prints).bit_length() == 64


def test_shards_share_the_sites_evenly() -> None:
    shares = [0] * 8
    for number in range(8000):
        shares[shard(f"site-{number}.example", 8)] += 1
    assert min(shares) > 850
    assert max(shares) < 1150


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://www.Example.com:443/A/./b/?Z=1&a=2#c", "com,example)/a/b?a=2&z=1"),
        ("http://user:secret@example.com/%2541", "com,example)/a"),
        ("http://[2001:DB8::1]:8080/x", "2001:db8::1:8080)/x"),
        ("http://example.com/?foo=1&jsessionid=0123456789abcdef0123456789ABCDEF&bar", "com,example)/?bar&foo=1"),
        ("http://example.com/?CFID=1&CFTOKEN=2", "com,example)/"),
        ("http://example.com/?a=%2526", "com,example)/?&a="),
        ("http://example.com/%", "com,example)/%25"),
        ("http://0300.1/", "1,0,0,192)/"),
        ("http://256.1.1.1/", "1,1,1,256)/"),
        ("http://089.1.1.1/", "1,1,1,089)/"),
        ("http://255.255.255.255/", "255,255,255,255)/"),
        ("http://4294967295/", "255,255,255,255)/"),
        ("http://255.0x1/", "0x1,255)/"),
        ("http://1.2.3.256/", "256,3,2,1)/"),
        ("http://1.2.3.300/", "300,3,2,1)/"),
        ("http://1.2.300/", "44,1,2,1)/"),
        ("http://1.300.3/", "3,300,1)/"),
        ("http://255.1/", "1,0,0,255)/"),
        ("http://1.2.3.0377/", "255,3,2,1)/"),
        ("http://256.2/", "2,256)/"),
        ("http://1.2.3.4.5/", "5,4,3,2,1)/"),
        ("http://example.com:65535/", "com,example:65535)/"),
        ("http://example.com:0/", "com,example)/"),
        ("http://example.com/a/", "com,example)/a"),
        ("urn:a/", "urn:a"),
        ("http://xwww.example.com/", "com,example,xwww)/"),
        ("http://a.www2.example.com/", "com,example,www2,a)/"),
        ("http://example.com/http://https://x.example/", "com,example)/http:/https:/x.example"),
        ("https:example.com", "com,example)/"),
        ("://example.com/x", "com,example)/x"),
        ("screenshot:http://www.example.com/A/", "screenshot:http://www.example.com/a"),
    ],
)
def test_a_cdx_key_is_the_one_that_replay_tools_look_for(url: str, key: str) -> None:
    assert surt(url) == key


@pytest.mark.parametrize(
    "url", ["http://a:b/", "http://a:65536/", "http://a:1:2/", "http://a/" + "b" * (LONGEST - len("http://a/") + 1)]
)
def test_a_cdx_key_of_nonsense_is_refused(url: str) -> None:
    with pytest.raises(InvalidURL):
        surt(url)


def test_the_longest_address_has_a_cdx_key() -> None:
    path = "b" * (LONGEST - len("http://a/"))
    assert surt(f"http://a/{path}") == f"a)/{path}"


@given(st.text(max_size=30) | canonical)
def test_any_text_has_a_cdx_key_or_is_refused(url: str) -> None:
    try:
        key = surt(url)
    except InvalidURL:
        return
    assert key


@given(canonical)
def test_a_cdx_key_fits_on_a_line_of_an_index(url: str) -> None:
    assert surt(url).isascii()
    assert not set(surt(url)) & set(" \t\n#")


@pytest.mark.parametrize("text", ["", "nothing", "http:/", "http://host"])
def test_what_is_no_address_has_no_row_and_is_damage(text: str) -> None:
    with pytest.raises(Damaged, match="--repair"):
        row(text)
