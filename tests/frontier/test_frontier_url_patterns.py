"""Addresses of one kind have one template, however they vary; a trap has few of them."""

from __future__ import annotations

import random
import tracemalloc
from string import ascii_lowercase

import pytest

from gossamer.frontier.worth.url_patterns import script, template, wider_kinds

SITE = "http://a.example"


def kind(path: str) -> str:
    return template(SITE + path).full.removeprefix("a.example")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", "/"),
        ("/about", "/w"),
        ("/calendar/2024/05.html", "/calendar/0/0.html"),
        ("/2024/05/17/what-happened-then/", "/0/0/0/s/"),
        ("/p/12345-some-title", "/p/s"),
        ("/page17.html", "/page0.html"),
        ("/item/f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "/item/x"),
        ("/show.php?id=7&page=2", "/show.php?id&page"),
        ("/show.php?page=9&id=8", "/show.php?id&page"),
        ("/list?filter[12]=a&filter[7]=b", "/list?filter[0]"),
        ("/item;jsessionid=AB12CD?x=1", "/item;jsessionid?x"),
        ("/%C3%A4/%C3%B6", "/s/s"),
    ],
)
def test_what_varies_is_left_out(path: str, expected: str) -> None:
    assert kind(path) == expected


def test_names_of_programs_and_directories_are_told_apart() -> None:
    assert kind("/news/a") != kind("/events/a")
    assert kind("/cal.php?id=1") != kind("/item.php?id=1")
    assert kind("/a.html") != kind("/a.pdf")
    assert template("http://b.example/a").full != template("http://a.example/a").full


def test_a_path_that_repeats_itself_has_few_kinds_and_not_those_of_a_plain_one() -> None:
    draw = random.Random(1)
    words = ["news", "events", "about", "team", "press"]
    paths = ["/echo/" + "/".join(draw.choices(words, k=draw.randint(1, 18))) + "/" for _ in range(2_000)]
    assert len({kind(path) for path in paths}) <= 40
    assert kind("/blog/blog/post-1") != kind("/blog/post-1")


def test_endless_calendars_facets_and_sessions_have_few_kinds() -> None:
    draw = random.Random(2)
    calendar = {kind(f"/calendar/{draw.randint(0, 9999):04}/{draw.randint(1, 12):02}.html") for _ in range(500)}
    sessions = {kind(f"/visitor/{draw.randint(0, 4)}?sid={draw.getrandbits(64):016x}") for _ in range(500)}
    assert (len(calendar), len(sessions)) == (1, 1)
    facets = {
        template(f"{SITE}/shop?" + "&".join(f"{key}=1" for key in draw.sample("abcdefghijkl", k=6))).path
        for _ in range(500)
    }
    assert facets == {"a.example/shop"}


def test_sizes_are_within_each_other() -> None:
    sizes = template(f"{SITE}/shop/list?page=3&colour=red")
    assert (sizes.family, sizes.path, sizes.full) == (
        "a.example/shop*",
        "a.example/shop/list",
        "a.example/shop/list?colour&page",
    )


def test_a_page_without_its_keys_is_of_the_same_script() -> None:
    assert script(f"{SITE}/shop") == script(f"{SITE}/shop?sid=1") == script(f"{SITE}/shop;sid=1")
    assert script(f"{SITE}/shop") != script(f"{SITE}/blog?sid=1")


def test_memory_for_kinds_does_not_depend_on_how_deep_addresses_are() -> None:
    draw, names = random.Random("deep"), [a + b for a in ascii_lowercase for b in ascii_lowercase]
    template(SITE + "/warm/up")
    tracemalloc.start()
    try:
        for _ in range(300):
            template(f"{SITE}/{'/'.join(draw.sample(names, 600))}/name")
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert grown < 4_000_000


@pytest.mark.parametrize(
    "path", ["", "?q=1", "page", "page.html", "docs/", "docs/page", "docs/page/", "a/b/c/d/e", "a/x/a/y", "a/b;v=1?q=2"]
)
def test_a_kind_is_within_those_of_the_same_address_that_are_wider(path: str) -> None:
    kind = template(f"http://a.example/{path}")
    family, shape, full = (name.removeprefix("a.example") for name in (kind.family, kind.path, kind.full))
    assert set(wider_kinds(full)) == {family, shape} - {full}
    assert wider_kinds(family) == ()


def test_a_kind_names_eight_keys_and_that_there_are_more() -> None:
    eight, nine = ("&".join(f"{letter}=1" for letter in ascii_lowercase[:count]) for count in (8, 9))
    assert kind(f"/show?{eight}") == "/show?a&b&c&d&e&f&g&h"
    assert kind(f"/show?{nine}") == "/show?a&b&c&d&e&f&g&h&..."
