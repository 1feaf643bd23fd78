from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from url_strategies import canonical

from gossamer.errors import InvalidPattern, InvalidPlan
from gossamer.urls import Scope

SEED = "https://www.example.com/docs/start.html?a=1"
SEEDS = frozenset({SEED})


@pytest.mark.parametrize(
    ("kind", "inside", "outside"),
    [
        ("page", [SEED], ["https://www.example.com/docs/start.html", "http://www.example.com/docs/start.html?a=1"]),
        (
            "path",
            [
                SEED,
                "http://www.example.com/docs/",
                "https://www.example.com/docs/a/b?c=/x/",
                "https://www.example.com/docs//b",
            ],
            [
                "https://www.example.com/docs",
                "https://www.example.com/docs2/",
                "https://www.example.com/?/docs/",
                "https://example.com/docs/",
            ],
        ),
        (
            "host",
            [SEED, "http://www.example.com/", "https://www.example.com/else"],
            ["https://example.com/", "https://a.www.example.com/", "https://www.example.com:8443/docs/"],
        ),
        (
            "domain",
            [SEED, "http://example.com/", "https://a.b.example.com:8443/"],
            ["https://example.org/", "https://notexample.com/", "https://example.com.evil.example/"],
        ),
        ("any", [SEED, "http://elsewhere.example/"], []),
    ],
)
def test_a_scope_is_a_place_around_its_seeds(kind: str, inside: list[str], outside: list[str]) -> None:
    scope = Scope(kind=kind, seeds=SEEDS)
    assert [scope.check(url, 1) for url in inside] == [None] * len(inside)
    assert all(scope.check(url, 1) for url in outside)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("page", "not one of the seeds"),
        ("path", "outside the directories of the seeds"),
        ("host", "outside the hosts of the seeds"),
        ("domain", "outside the domains of the seeds"),
    ],
)
def test_the_reason_names_the_place(kind: str, reason: str) -> None:
    assert Scope(kind=kind, seeds=SEEDS).check("https://other.example/", 1) == reason


def test_a_seed_on_a_port_is_its_own_host() -> None:
    scope = Scope(seeds=frozenset({"http://127.0.0.1:8001/"}))
    assert scope.check("http://127.0.0.1:8001/a", 1) is None
    assert scope.check("http://127.0.0.1:8002/a", 1) == "outside the hosts of the seeds"


def test_suffixes_of_one_s_own_part_domains() -> None:
    scope = Scope("domain", frozenset({"http://wiki.corp.example/"}), suffixes=frozenset({"corp.example"}))
    assert scope.check("http://a.wiki.corp.example/", 1) is None
    assert scope.check("http://shop.corp.example/", 1) == "outside the domains of the seeds"


def test_many_seeds_are_many_places() -> None:
    scope = Scope("path", frozenset(f"http://example.com/{number}/x" for number in range(1000)))
    assert scope.check("http://example.com/999/y/z", 1) is None
    assert scope.check("http://example.com/1000/y", 1)


def test_limits_hold_everywhere_and_for_seeds() -> None:
    long = "http://example.com/" + "a" * 2030
    deep = "http://example.com/" + "/".join(map(str, range(21)))
    scope = Scope("any", frozenset({long, deep}))
    assert scope.check(long, 0) == "address longer than 2048 bytes"
    assert scope.check(long[:2048], 0) is None
    assert scope.check(deep, 0) == "more than 20 path segments"
    assert scope.check(deep.removesuffix("/20"), 0) is None
    assert scope.check(deep.removesuffix("/20") + "/?" + "/" * 50, 0) is None
    assert scope.check("http://example.com/", 20) is None
    assert scope.check("http://example.com/", 21) == "deeper than 20 links"


@pytest.mark.parametrize(
    ("path", "trap"),
    [
        ("/a/b/a/b/a/b/", True),
        ("/a/b/a/b/a/b", True),
        ("/a/b/a/b/", False),
        ("/a/a/a/", True),
        ("/a/a/", False),
        ("/x/1/y/1/z/1/", False),
        ("/a/b/a/c/a/d", False),
        ("/2024/01/01/x", False),
        ("/start/a/b/c/a/b/c/a/b/c/end", True),
        ("/a/b/b/a/a/b/b/a/a/b/b/a/", True),
        ("/x//////y", True),
        ("/", False),
        ("/a/b?c=/a/a/a/a/", False),
    ],
)
def test_the_same_segments_three_times_in_a_row_are_a_trap(path: str, trap: bool) -> None:
    reason = Scope("any").check(f"http://example.com{path}", 1)
    assert reason == ("the same path segments three times in a row" if trap else None)


@given(st.lists(st.sampled_from("abc"), max_size=18))
def test_repeats_are_found_wherever_they_stand(segments: list[str]) -> None:
    size = len(segments)
    expected = any(
        segments[start : start + run] * 3 == segments[start : start + 3 * run]
        for run in range(1, size // 3 + 1)
        for start in range(size - 3 * run + 1)
    )
    assert (Scope("any").check("http://example.com/" + "/".join(segments), 1) is not None) == expected


def test_patterns_choose_within_the_place_and_are_named() -> None:
    scope = Scope(seeds=SEEDS, include=("/docs/", "/blog/"), exclude=(r"\.pdf$", "print=1"))
    assert scope.check("https://www.example.com/docs/a", 1) is None
    assert scope.check("https://www.example.com/shop/a", 1) == "matches no include pattern"
    assert scope.check("https://www.example.com/docs/a.pdf", 1) == r"excluded by pattern \.pdf$"
    assert scope.check("https://www.example.com/docs/a?print=1", 1) == "excluded by pattern print=1"


def test_a_seed_need_not_be_included_but_may_be_excluded() -> None:
    assert Scope(seeds=SEEDS, include=("/blog/",)).check(SEED, 0) is None
    assert Scope(seeds=SEEDS, exclude=("start",)).check(SEED, 0) == "excluded by pattern start"


def test_a_redirected_seed_widens_the_scope() -> None:
    scope = Scope(seeds=frozenset({"http://example.com/"}))
    assert scope.check("https://www.example.com/a", 1) == "outside the hosts of the seeds"
    assert not scope.is_start("https://www.example.com")
    assert scope.add_seed("https://www.example.com/")
    assert scope.check("https://www.example.com/a", 1) is None
    assert scope.check("http://example.com/a", 1) is None
    assert scope.is_start("https://www.example.com")
    assert scope.is_start("http://example.com")
    assert not scope.add_seed("https://www.example.com/")
    assert not scope.add_seed("http://example.com/")
    assert Scope(seeds=frozenset({"http://example.com/"})).check("https://www.example.com/a", 1) is not None


@pytest.mark.parametrize("kind", ["page", "path", "host", "domain", "any"])
def test_seeds_of_a_list_reach_as_far_as_those_of_the_plan(kind: str) -> None:
    seeds = ("http://a.example.com/docs/start.html", "https://b.example.org/guide", "http://c.example.net:81/x/?q=1")
    found = (*seeds, "https://a.example.com/docs/x", "http://a.example.com/", "http://www.example.org/")
    found += ("http://b.example.org/guide/x", "http://c.example.net/x/", "http://d.example.net/", "http://e.test/")
    planned, listed, loaded = (Scope(kind, frozenset(each), include=("x",)) for each in (seeds, (), ()))
    loaded.load_seeds((*seeds, *seeds))
    for seed in seeds:
        assert listed.add_seed(seed)
        assert not loaded.add_seed(seed)
    for url in found:
        for depth in (0, 1):
            if url not in seeds or depth == 0:
                assert planned.check(url, depth) == listed.check(url, depth) == loaded.check(url, depth)


def test_a_scope_that_cannot_be_is_refused_at_once() -> None:
    with pytest.raises(InvalidPlan, match="unknown scope 'site'; choose one of page, path, host, domain, any"):
        Scope(kind="site")
    with pytest.raises(InvalidPattern):
        Scope(exclude=("(",))


@given(canonical, st.sampled_from(["page", "path", "host", "domain", "any"]))
def test_a_seed_is_always_in_its_own_place(url: str, kind: str) -> None:
    reason = Scope(kind=kind, seeds=frozenset({url})).check(url, 0)
    assert reason is None or "path segments" in reason


@pytest.mark.parametrize("most", [0, 1, 2, 3])
@pytest.mark.parametrize("path", ["", "a", "a/", "a/b", "a/b/", "a/b/c", "a/b/c/d", "a?x=/b/c/d/e"])
def test_path_segments_are_counted_also_where_few_are_allowed(path: str, most: int) -> None:
    segments = len([part for part in path.partition("?")[0].split("/") if part])
    told = Scope(kind="any", max_segments=most).check(f"http://example.com/{path}", 0)
    assert (told is None) == (segments <= most)


@pytest.mark.parametrize(
    ("seed", "inside", "outside"),
    [
        ("http://example.com/guide", "http://example.com/guide/a", "http://example.com/news"),
        ("http://example.com/guide/", "http://example.com/guide/a", "http://example.com/guided"),
        ("http://example.com/index.html", "http://example.com/news", "http://example.org/news"),
        ("http://example.com/docs/intro", "http://example.com/docs/next", "http://example.com/news"),
        ("http://example.com/guide?page=2", "http://example.com/guide/a?x", "http://example.com/news/a"),
        ("http://example.com/", "http://example.com/news", "http://example.org/"),
    ],
)
def test_a_directory_that_is_asked_for_without_its_slash_is_not_the_whole_host(
    seed: str, inside: str, outside: str
) -> None:
    scope = Scope("path", frozenset({seed}))
    assert scope.check(seed, 0) is None
    assert scope.check(inside, 1) is None
    assert scope.check(outside, 1) == "outside the directories of the seeds"
