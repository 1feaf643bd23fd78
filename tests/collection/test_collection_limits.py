"""Which limit keeps what is queued from being fetched, and the command that goes on."""

from __future__ import annotations

import pytest

from gossamer.collection.held_up import held_by
from gossamer.plan import Plan


@pytest.mark.parametrize(
    ("plan", "pages", "octets", "over", "said"),
    [
        (Plan(), 1_000_000, 1 << 50, False, ""),
        (Plan(pages=3), 2, 0, False, ""),
        (Plan(pages=3), 3, 0, False, "the limit of 3 pages is reached, and `gossamer crawl DIR --pages 6` goes on"),
        (Plan(pages=1), 1, 0, False, "the limit of 1 page is reached, and `gossamer crawl DIR --pages 2` goes on"),
        (Plan(bytes=500), 9, 499, False, ""),
        (Plan(bytes=500), 9, 500, False, "the limit of 500 B is reached, and `gossamer crawl DIR --bytes 1k` goes on"),
        (Plan(bytes=500), 9, 499_999, False, "--bytes 1M` goes on"),
        (Plan(bytes=500), 9, 499, True, "is over, and `gossamer crawl DIR` goes on for as long again"),
        (Plan(bytes=1), 9, 1, False, "--bytes 2` goes on"),
        (Plan(bytes=1), 9, 501, False, "--bytes 2k` goes on"),
        (Plan(bytes=1), 9, 10**12, False, "--bytes 2000G` goes on"),
    ],
)
def test_a_limit_is_reached_when_so_much_has_come(plan: Plan, pages: int, octets: int, over: bool, said: str) -> None:
    found = held_by(plan, pages, octets, time_over=over)
    assert said in found
    assert bool(found) == bool(said)


def test_the_limit_of_pages_is_named_first_and_with_the_verb_that_goes_on() -> None:
    found = held_by(Plan(pages=1, bytes=1), 1, 1, time_over=True, verb="watch")
    assert found.startswith("the limit of 1 page is reached, and `gossamer watch DIR --pages 2`")


def test_who_reads_files_is_told_a_command_that_there_is() -> None:
    """`gossamer files` has no option of its own for a limit."""
    assert "`gossamer files DIR --set pages=2`" in held_by(Plan(pages=1), 1, 0, time_over=False, verb="files")
    assert "`gossamer files DIR --set bytes=2`" in held_by(Plan(bytes=1), 1, 1, time_over=False, verb="files")
    assert "`gossamer files DIR --set time=0` to the end" in held_by(Plan(time=1), 1, 1, time_over=True, verb="files")
