"""Which blocks of a host are its template is learned while a crawl goes, in little room."""

from __future__ import annotations

import numpy as np
import pytest

from gossamer.dedupe.blocks import KEPT, PAGES_MOST, ROOM, SETTLED, Blocks, Hashes

URL = "http://example.org/page"


class Rows(dict[bytes, bytes]):
    """The rows of a table."""

    def blocks(self) -> Blocks:
        return Blocks(self.get, self.__setitem__)


def made(number: int, *, seed: int) -> Hashes:
    return np.random.default_rng(seed).integers(0, 1 << 64, number, dtype=np.uint64)


TEMPLATE = made(40, seed=1)


def page(seed: int, template: Hashes = TEMPLATE, own: int = 60) -> Hashes:
    return np.concatenate((template[:20], made(own, seed=1_000 + seed), template[20:]))


def is_template(found: np.ndarray) -> bool:
    """All of the template was known, and nothing else."""
    return bool(found[:20].all() and found[-20:].all() and not found[20:-20].any())


def test_a_block_is_template_from_its_fifth_page_on() -> None:
    blocks = Rows().blocks()
    found = [blocks.met(URL)(page(number)) for number in range(6)]
    assert not any(each.any() for each in found[:4])
    assert is_template(found[4])
    assert is_template(found[5])


def test_a_block_on_few_pages_is_none() -> None:
    blocks = Rows().blocks()
    sometimes = made(1, seed=3)
    for number in range(30):
        here = np.concatenate((page(number), sometimes)) if number % 4 == 0 else page(number)
        found = blocks.met(URL)(here)
        assert number % 4 or not found[-1]
        assert number < 5 or is_template(found[: len(page(number))])


def test_a_block_that_is_there_twice_counts_once() -> None:
    blocks = Rows().blocks()
    twice = np.repeat(made(1, seed=3), 2)
    for _ in range(4):
        assert not blocks.met(URL)(twice).any()
    assert blocks.met(URL)(twice).all()


def test_hosts_know_nothing_of_each_other() -> None:
    blocks = Rows().blocks()
    for number in range(9):
        blocks.met(URL)(page(number))
    assert not blocks.met("http://example.com/")(page(9)).any()
    assert is_template(blocks.met("https://example.org/other")(page(9)))


def test_asking_without_meeting_counts_nothing() -> None:
    rows = Rows()
    blocks = rows.blocks()
    for _ in range(9):
        assert not blocks.known(URL)(page(1)).any()
    blocks.save()
    assert rows == {}
    for number in range(5):
        blocks.met(URL)(page(number))
    assert is_template(blocks.known(URL)(page(7)))


def test_what_was_learned_survives_and_what_was_not_saved_is_learned_again() -> None:
    rows = Rows()
    first = rows.blocks()
    for number in range(5):
        first.met(URL)(page(number))
        if number == 3:
            first.save()
    again = rows.blocks()
    assert not again.known(URL)(page(9)).any(), "the fifth page was not saved"
    assert is_template(again.met(URL)(page(9)))


@pytest.mark.parametrize("own", [60, 400, 2_000])
def test_a_host_takes_little_room_however_much_it_says(own: int) -> None:
    rows = Rows()
    blocks = rows.blocks()
    for number in range(SETTLED + 20):
        blocks.met(URL)(page(number, own=own))
        blocks.save()
    assert all(len(row) <= 5 * ROOM + 32 for row in rows.values())
    assert own > 400 or is_template(blocks.known(URL)(page(999)))


def test_a_host_that_is_known_is_seldom_written() -> None:
    rows = Rows()
    blocks = rows.blocks()
    writes = 0
    for number in range(SETTLED + 400):
        before = rows.get(b"example.org")
        blocks.met(URL)(page(number))
        blocks.save()
        writes += rows.get(b"example.org") != before and number >= SETTLED
    assert 20 <= writes <= 100


def test_a_new_design_is_learned_and_the_old_one_forgotten() -> None:
    blocks = Rows().blocks()
    for number in range(PAGES_MOST):
        blocks.met(URL)(page(number))
    new = made(40, seed=2)
    for number in range(40 * PAGES_MOST):
        blocks.met(URL)(page(number, new))
    assert is_template(blocks.known(URL)(page(5, new)))
    assert not blocks.known(URL)(page(5)).any()


def test_memory_is_bounded_by_the_hosts_that_are_visited() -> None:
    rows = Rows()
    blocks = rows.blocks()
    for number in range(KEPT + 50):
        blocks.met(f"http://h{number}.example/")(made(3, seed=number))
    blocks.save()
    assert len(rows) == KEPT + 50
    assert len(blocks._hosts) == KEPT


def test_a_page_without_blocks_is_no_page() -> None:
    rows = Rows()
    blocks = rows.blocks()
    assert blocks.met(URL)(np.zeros(0, np.uint64)).tolist() == []
    blocks.save()
    assert rows == {}
