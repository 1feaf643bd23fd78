"""Hosts that serve the same site are found by what they say at the same paths."""

from __future__ import annotations

from collections.abc import Sequence

from gossamer.dedupe.mirrors import LEAST, Mirrors, Places, mirrors
from gossamer.urls import keys


def found(
    pages: Sequence[str], groups: Sequence[Sequence[str]], ranks: dict[str, float] | None = None
) -> list[Mirrors]:
    known = set(pages)
    places = Places(
        lambda origin: [url.split("/", 3)[3] for url in pages if keys.origin(url) == origin],
        known.__contains__,
        lambda origin: (ranks or {}).get(origin, 0.0),
    )
    return mirrors(groups, places)


def pages(host: str, count: int) -> list[str]:
    return [f"http://{host}/page{number}" for number in range(count)]


def pairs(one: str, other: str, count: int) -> list[list[str]]:
    return [list(pair) for pair in zip(pages(one, count), pages(other, count), strict=True)]


def test_hosts_that_agree_at_nearly_all_paths_are_mirrors() -> None:
    every = [*pages("a.test", 20), *pages("mirror.test", 20)]
    assert found(every, pairs("a.test", "mirror.test", 18)) == [
        Mirrors("http://a.test", ("http://mirror.test",), 20, 18)
    ]


def test_the_main_one_is_that_which_links_lead_to_then_the_shorter_name() -> None:
    every, groups = [*pages("a.test", 9), *pages("mirror.test", 9)], pairs("a.test", "mirror.test", 9)
    assert found(every, groups)[0].main == "http://a.test"
    assert found(every, groups, {"http://mirror.test": 2.0})[0].main == "http://mirror.test"


def test_a_few_pages_in_common_make_no_mirror() -> None:
    every = [*pages("a.test", 100), *pages("b.test", 100)]
    assert found(every, pairs("a.test", "b.test", 30)) == []
    few = LEAST - 1
    assert found([*pages("a.test", few), *pages("b.test", few)], pairs("a.test", "b.test", few)) == []


def test_the_same_text_at_other_paths_makes_no_mirror() -> None:
    groups = [[f"http://a.test/{number}", f"http://b.test/other/{number}"] for number in range(50)]
    assert found([url for group in groups for url in group], groups) == []


def test_http_and_https_of_one_host_need_no_mirror() -> None:
    groups = [[f"http://a.test/{number}", f"https://a.test/{number}"] for number in range(50)]
    assert found([url for group in groups for url in group], groups) == []


def test_three_hosts_that_serve_one_site_are_told_together() -> None:
    names = ("a.test", "bb.test", "ccc.test")
    groups = [[f"http://{name}/{number}" for name in names] for number in range(12)]
    (hosts,) = found([url for group in groups for url in group], groups)
    assert hosts == Mirrors("http://a.test", ("http://bb.test", "http://ccc.test"), 24, 24)
