"""A crawl has as many open files as it needs, or says at once that it cannot."""

from __future__ import annotations

import resource
from collections.abc import Callable

import pytest

from gossamer.collection.crawl import network
from gossamer.errors import StorageError

Limits = tuple[int, int]


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], list[Limits]]:
    def set_to(soft: int, hard: int) -> list[Limits]:
        raised: list[Limits] = []
        monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
        monkeypatch.setattr(resource, "setrlimit", lambda _, limits: raised.append(limits))
        return raised

    return set_to


def test_the_soft_limit_is_raised_to_the_hard_one(limited: Callable[[int, int], list[Limits]]) -> None:
    raised = limited(256, 4_096)
    network.make_room(10)
    assert raised == [(4_096, 4_096)]


@pytest.mark.parametrize("hard", [1 << 30, resource.RLIM_INFINITY])
def test_it_is_raised_no_further_than_anybody_needs(hard: int, limited: Callable[[int, int], list[Limits]]) -> None:
    raised = limited(1_024, hard)
    network.make_room(10)
    assert raised == [(65_536, hard)]


@pytest.mark.parametrize("soft", [resource.RLIM_INFINITY, 1 << 20, 65_536])
def test_a_limit_that_is_high_enough_is_left_alone(soft: int, limited: Callable[[int, int], list[Limits]]) -> None:
    raised = limited(soft, resource.RLIM_INFINITY)
    network.make_room(10)
    assert raised == []


def test_a_hard_limit_that_is_just_enough_is_enough_and_one_file_less_is_not(
    limited: Callable[[int, int], list[Limits]],
) -> None:
    limited(256, 384 + 2 * 100)
    network.make_room(100)
    with pytest.raises(StorageError, match=r"only 584 files .* 101 workers need 586"):
        network.make_room(101)
