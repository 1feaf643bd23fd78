"""Which blocks of a host are its template is learned while a crawl goes, in little room."""

from __future__ import annotations

import numpy as np
import pytest

from gossamer.dedupe.blocks import BARE, KEPT, PAGES_MOST, ROOM, SETTLED, Blocks, Hashes

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


def known(blocks: Blocks, hashes: Hashes) -> np.ndarray:
    """What is template by what was learned, without counting the page."""
    return blocks._host("example.org").template(hashes)


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
        assert not known(blocks, page(1)).any()
    blocks.save()
    assert rows == {}
    for number in range(5):
        blocks.met(URL)(page(number))
    assert is_template(known(blocks, page(7)))


def test_what_was_learned_survives_and_what_was_not_saved_is_learned_again() -> None:
    rows = Rows()
    first = rows.blocks()
    for number in range(5):
        first.met(URL)(page(number))
        if number == 3:
            first.save()
    again = rows.blocks()
    assert not known(again, page(9)).any(), "the fifth page was not saved"
    assert is_template(again.met(URL)(page(9)))


@pytest.mark.parametrize("own", [60, 400, 2_000])
def test_a_host_takes_little_room_however_much_it_says(own: int) -> None:
    rows = Rows()
    blocks = rows.blocks()
    for number in range(SETTLED + 20):
        blocks.met(URL)(page(number, own=own))
        blocks.save()
    assert all(len(row) <= 5 * ROOM + 32 for row in rows.values())
    assert own > 400 or is_template(known(blocks, page(999)))


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
    assert is_template(known(blocks, page(5, new)))
    assert not known(blocks, page(5)).any()


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


# ------------------------------------------------------------------------------------ settled


def test_a_sample_settles_it_whatever_was_learned_before() -> None:
    rows, other = Rows(), Rows()
    for number in range(40):
        other.blocks().met(URL)(page(number, made(40, seed=2)))
    pages = [page(number) for number in range(20)]
    found = [each.blocks().settle("example.org", 7, order) for each, order in ((rows, pages), (other, pages[::-1]))]
    assert is_template(found[0](page(99)))
    assert found[0].name == found[1].name != BARE.name
    assert not found[0](page(99, made(40, seed=2))).any()


def test_pages_are_read_once_for_a_sample_and_a_crawl_goes_on_from_there() -> None:
    rows = Rows()
    blocks = rows.blocks()
    settled = blocks.settle("example.org", 7, [page(number) for number in range(20)])
    blocks.save()
    again = rows.blocks()
    assert again.settle("example.org", 7, iter(lambda: pytest.fail("read again"), None)).name == settled.name
    assert again.settled("example.org").name == settled.name
    assert is_template(again.met(URL)(page(50)))
    assert again.settle("example.org", 7, [], anew=True).name == BARE.name


def test_few_pages_settle_nothing_and_no_row_is_written_for_them() -> None:
    rows = Rows()
    blocks = rows.blocks()
    assert blocks.settle("example.org", 0, ()).name == BARE.name
    assert not blocks.learned("example.org")
    blocks.save()
    assert rows == {}
    for number in range(5):
        blocks.met(URL)(page(number))
    assert blocks.learned("example.org")
    assert blocks.settle("example.org", 7, [page(number) for number in range(9)]).name != BARE.name
    assert blocks.settle("example.org", 0, ()).name == BARE.name, "most of its pages were removed"


def test_a_settled_template_takes_little_room_too() -> None:
    rows = Rows()
    blocks = rows.blocks()
    same = made(50_000, seed=5)
    blocks.settle("example.org", 7, [same] * 10)
    blocks.save()
    assert len(rows[b"example.org"]) <= 9 * ROOM + 64
