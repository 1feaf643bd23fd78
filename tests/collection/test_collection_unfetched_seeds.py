"""A password in the address of a seed is warned of once, however many seeds have one."""

from __future__ import annotations

import logging

import pytest

from gossamer.collection.crawl.unfetched_seeds import warn_of_logins, warned_of_logins

SEEDS = ["http://a.test/", "http://me:hush@b.test/", "c.test", "http://me:hush@d.test/"]


def test_of_a_long_list_the_first_is_warned_of_as_it_is_gone_through(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    gone_through = warned_of_logins(SEEDS)
    assert next(gone_through) == SEEDS[0]
    assert not caplog.messages
    assert list(gone_through) == SEEDS[1:]
    (said,) = caplog.messages
    assert "b.test" in said
    assert "hush" not in said


def test_seeds_without_a_password_say_nothing(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    warn_of_logins([SEEDS[0], SEEDS[2]])
    assert list(warned_of_logins([SEEDS[0], SEEDS[2]])) == [SEEDS[0], SEEDS[2]]
    assert not caplog.messages
    warn_of_logins(SEEDS)
    assert len(caplog.messages) == 1
