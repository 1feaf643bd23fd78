"""All pairs of copies are found, and cost does not grow with their square."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.dedupe import pairs as module
from gossamer.dedupe import print_of
from gossamer.dedupe.column_families import FAMILIES
from gossamer.dedupe.lookup import Lookup, Met
from gossamer.dedupe.pairs import grouped, near_prints, pairs
from gossamer.runs.growing import Shape
from gossamer.store.table.table import Table

SMALL = Shape(generation=16, fan=2, at_once=500)
VOCABULARY = [f"word{number}" for number in range(5_000)]


def flipped(rng: random.Random, simhash: int, bits: int) -> int:
    for bit in rng.sample(range(64), bits):
        simhash ^= 1 << bit
    return simhash


def with_neighbours(rng: random.Random, count: int) -> list[int]:
    prints = [rng.getrandbits(64) for _ in range(count // 2)]
    return prints + [flipped(rng, rng.choice(prints), rng.randrange(7)) for _ in range(count // 2)]


def found_by(prints: list[int], most: int) -> set[tuple[int, int]]:
    found = set()
    for one, other in near_prints(np.array(prints, np.uint64), most):
        found |= {(min(pair), max(pair)) for pair in zip(one.tolist(), other.tolist(), strict=True)}
    return found


def brute_force(prints: list[int], most: int) -> set[tuple[int, int]]:
    column = np.array(prints, np.uint64)
    found = set()
    for at in range(len(column) - 1):
        near = np.flatnonzero(np.bitwise_count(column[at + 1 :] ^ column[at]) <= most) + at + 1
        found |= {(at, other) for other in near.tolist()}
    return found


@pytest.mark.parametrize("most", range(7))
def test_near_prints_are_all_pairs_that_brute_force_finds(most: int) -> None:
    prints = with_neighbours(random.Random(most), 3_000)
    assert found_by(prints, most) == brute_force(prints, most)


@pytest.mark.soak
def test_near_prints_are_all_pairs_of_a_hundred_thousand() -> None:
    prints = with_neighbours(random.Random(99), 100_000)
    expected = brute_force(prints, 3)
    assert len(expected) > 10_000
    assert found_by(prints, 3) == expected


@given(st.lists(st.integers(0, 2**64 - 1), max_size=40), st.integers(0, 3))
def test_near_prints_of_any_prints(prints: list[int], most: int) -> None:
    assert found_by(prints, most) == brute_force(prints, most)


# ------------------------------------------------------------------ of pages


@contextmanager
def shelf(folder: Path, met: list[Met]) -> Iterator[Lookup]:
    with Table.open(folder / "table", FAMILIES, writable=True) as table:
        lookup = Lookup(table, folder / "prints", shape=SMALL)
        for start in range(0, len(met), 7):
            lookup.meet(met[start : start + 7])
            lookup.prepare()
            table.commit()
        yield lookup


def page(name: str, text: list[str], site: str = "") -> Met:
    return Met(f"https://{site or name}.test/{name}", site or name, print_of(" ".join(text)))


def text_of(rng: random.Random, length: int = 120) -> list[str]:
    return rng.choices(VOCABULARY, k=length)


def edited(rng: random.Random, text: list[str], count: int) -> list[str]:
    text = list(text)
    for at in rng.sample(range(len(text)), count):
        text[at] = rng.choice(VOCABULARY)
    return text


def as_sets(found: list[module.Pair]) -> set[frozenset[str]]:
    assert len({frozenset(pair[:2]) for pair in found}) == len(found)
    return {frozenset(pair[:2]) for pair in found}


def test_planted_copies_are_found_and_nothing_else(tmp_path: Path) -> None:
    rng = random.Random(1)
    texts = [text_of(rng) for _ in range(200)]
    met = [page(f"p{at}", text) for at, text in enumerate(texts)]
    met += [page(f"q{at}", edited(rng, texts[at], at % 4)) for at in range(60)]
    with shelf(tmp_path, met) as lookup:
        found = list(pairs([lookup]))
    assert as_sets(found) == {frozenset((met[at].url, met[200 + at].url)) for at in range(60)}
    equal = {met[at].url for at in range(0, 60, 4)}
    assert {pair.one for pair in found if pair.resemblance == 1.0} == equal


def test_pages_of_several_shards_are_paired(tmp_path: Path) -> None:
    rng = random.Random(2)
    texts = [text_of(rng) for _ in range(90)]
    shards: list[list[Met]] = [[], [], []]
    for at, text in enumerate(texts):
        shards[at % 3].append(page(f"p{at}", text))
        shards[(at + at // 3) % 3].append(page(f"q{at}", edited(rng, text, at % 2)))
    with (
        shelf(tmp_path / "0", shards[0]) as one,
        shelf(tmp_path / "1", shards[1]) as two,
        shelf(tmp_path / "2", shards[2]) as three,
        shelf(tmp_path / "3", []) as empty,
    ):
        found = as_sets(list(pairs([one, empty, two, three])))
        assert list(pairs([empty])) == list(pairs([])) == []
    assert found == {frozenset((f"https://p{at}.test/p{at}", f"https://q{at}.test/q{at}")) for at in range(90)}


def test_changed_and_removed_pages_are_in_no_pair(tmp_path: Path) -> None:
    rng = random.Random(3)
    text = text_of(rng)
    met = [page("a", text), page("b", text), page("c", text), page("b", text_of(rng))]
    with shelf(tmp_path, met) as lookup:
        lookup.remove(met[2].url)
        assert list(pairs([lookup])) == []


def test_a_crowd_of_equal_pages_makes_one_pair_for_each(tmp_path: Path) -> None:
    text = text_of(random.Random(4))
    with shelf(tmp_path, [page(f"p{at}", text) for at in range(300)]) as lookup:
        found = list(pairs([lookup]))
    assert len(found) == 299
    assert {pair.one for pair in found} == {"https://p0.test/p0"}
    assert len(grouped(pair[:2] for pair in found)) == 1


def test_a_crowd_of_near_copies_is_one_group_without_all_pairs(tmp_path: Path) -> None:
    rng = random.Random(5)
    text = text_of(rng, 300)
    with shelf(tmp_path, [page(f"p{at}", edited(rng, text, 3)) for at in range(400)]) as lookup:
        found = list(pairs([lookup]))
    [group] = grouped(pair[:2] for pair in found)
    assert len(group) == 400
    assert len(as_sets(found)) < 400 * 399 // 3


def test_pages_that_share_a_template_are_in_no_pair(tmp_path: Path) -> None:
    rng = random.Random(6)
    template = text_of(rng, 300)
    with shelf(tmp_path, [page(f"p{at}", template + text_of(rng, 100), "site") for at in range(200)]) as lookup:
        assert list(pairs([lookup])) == []


# ----------------------------------------------------------------- in groups


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=40))
def test_groups_are_what_is_linked(linked: list[tuple[int, int]]) -> None:
    groups = grouped(linked)
    names = [name for group in groups for name in group]
    assert sorted(names) == sorted({name for pair in linked for name in pair})
    where = {name: at for at, group in enumerate(groups) for name in group}
    assert all(where[one] == where[other] for one, other in linked)
    for group in groups:
        reached = {group[0]}
        for _ in group:
            reached |= {b for pair in linked for a, b in (pair, pair[::-1]) if a in reached}
        assert reached == set(group)
    assert not any(set(one) & set(other) for one, other in combinations(groups, 2))
