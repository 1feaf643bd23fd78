"""Query keys that change nothing are learned from pages, and only those."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier.entries import PARAMETERS
from gossamer.frontier.worth.parameters import RECENT, WATCHED, Parameters, dropped_keys, parted, without
from gossamer.store.table.table import Table

ITEM = "http://a.example/item"


class Site:
    """A site whose pages say what a function of their parameters says."""

    def __init__(self, table: Table, says: Callable[[dict[str, str]], object]) -> None:
        self.table = table
        self.parameters = Parameters(table)
        self.says = says
        self.trials = 0

    def fetch(self, url: str) -> None:
        """The page is taken in, and an address that is asked for is fetched at once."""
        trial = self.parameters.learn(url, str(self.says(parted(url)[1])))
        if trial is not None:
            self.trials += 1
            self.fetch(trial)

    def dropped(self, host: str = "a.example") -> dict[str, list[str]]:
        self.parameters.save()
        return dropped_keys(self.table, host)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Callable[[Callable[[dict[str, str]], object]], Site]]:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        yield lambda says: Site(table, says)


def junk(draw: random.Random, count: int = 30) -> str:
    values = "&".join(f"{key}={draw.getrandbits(32):08x}" for key in ("ref", "sid", "time"))
    return f"{ITEM}?id={draw.randrange(count)}&{values}"


def test_three_junk_keys_beside_a_real_one_are_learned_within_100_fetches(site: Callable[..., Site]) -> None:
    pages = site(lambda keys: keys["id"])
    draw = random.Random(1)
    for _ in range(99):
        pages.fetch(junk(draw))
    assert pages.dropped() == {"a.example/item": ["ref", "sid", "time"]}
    assert pages.trials >= 1
    assert pages.parameters.simpler(f"{ITEM}?time=1&id=7&sid=2") == f"{ITEM}?id=7"


def test_a_key_that_matters_for_one_value_in_ten_is_kept(site: Callable[..., Site]) -> None:
    pages = site(lambda keys: keys.get("lang") == "9")
    draw = random.Random(2)
    for _ in range(500):
        pages.fetch(f"{ITEM}?lang={draw.randrange(10)}")
    assert pages.dropped() == {}


def test_keys_that_only_change_together_are_kept(site: Callable[..., Site]) -> None:
    pages = site(lambda keys: keys["id"])
    for number in range(300):
        pages.fetch(f"{ITEM}?id={number}&name=n{number}")
    assert pages.dropped() == {}


def test_a_key_that_the_server_insists_on_is_kept(site: Callable[..., Site]) -> None:
    pages = site(lambda keys: keys["id"] if "sid" in keys else "please log in")
    draw = random.Random(3)
    for _ in range(300):
        pages.fetch(f"{ITEM}?id={draw.randrange(5)}&sid={draw.random()}")
    assert pages.dropped() == {}


def test_a_path_parameter_is_a_key_too(site: Callable[..., Site]) -> None:
    pages = site(lambda keys: keys.get("id"))
    draw = random.Random(4)
    for _ in range(99):
        pages.fetch(f"{ITEM};jsessionid={draw.getrandbits(64):X}?id={draw.randrange(9)}")
    assert pages.dropped() == {"a.example/item": [";jsessionid"]}
    assert pages.parameters.simpler(f"{ITEM};jsessionid=AB?id=3") == f"{ITEM}?id=3"


def test_a_rule_ends_when_it_no_longer_holds(site: Callable[..., Site]) -> None:
    pages = site(lambda keys: keys["id"])
    draw = random.Random(5)
    for _ in range(99):
        pages.fetch(junk(draw, 5))
    assert "sid" in pages.dropped()["a.example/item"]
    pages.says = lambda keys: (keys["id"], keys.get("sid"))
    for _ in range(20):
        pages.fetch(junk(draw, 5))
    assert pages.dropped() == {}


def test_one_address_in_a_hundred_keeps_its_keys_and_the_others_lose_them(site: Callable[..., Site]) -> None:
    pages = site(lambda keys: keys["id"])
    draw = random.Random(6)
    for _ in range(99):
        pages.fetch(junk(draw))
    kept = sum("sid" in pages.parameters.simpler(junk(draw)) for _ in range(5_000))
    assert 20 <= kept <= 100


def test_rules_hold_for_their_path_and_host_only(site: Callable[..., Site]) -> None:
    pages = site(lambda keys: keys["id"])
    draw = random.Random(7)
    for _ in range(99):
        pages.fetch(junk(draw))
    for other in ("http://a.example/list?id=1&sid=2", "http://b.example/item?id=1&sid=2"):
        assert pages.parameters.simpler(other) == other


def test_rows_are_bounded(site: Callable[..., Site]) -> None:
    pages = site(lambda keys: keys)
    for number in range(3 * WATCHED):
        name = "".join(random.Random(number).choices("abcdefghijklmnop", k=12))
        pages.fetch(f"http://a.example/{name}?{name}=1")
    for number in range(10 * RECENT):
        pages.fetch(f"{ITEM}?" + "&".join(f"k{number}x{key}={key}" for key in range(50)))
    pages.parameters.save()
    rows = list(pages.table.scan(PARAMETERS))
    assert len(rows) <= WATCHED + 1
    assert max(len(value) for _, value in rows) < 100_000


@pytest.mark.parametrize(
    ("url", "names", "expected"),
    [
        (f"{ITEM}?a=1&b=2&c=3", ["b"], f"{ITEM}?a=1&c=3"),
        (f"{ITEM}?a=1", ["a"], ITEM),
        (f"{ITEM};s=1;t=2?a=1", [";s"], f"{ITEM};t=2?a=1"),
        (f"{ITEM};s=1?s=1", ["s"], f"{ITEM};s=1"),
        (f"{ITEM}?a=1&a=2&b", ["a"], f"{ITEM}?b"),
    ],
)
def test_keys_are_taken_out_and_the_rest_stays_as_it_is(url: str, names: list[str], expected: str) -> None:
    assert without(url, names) == expected
