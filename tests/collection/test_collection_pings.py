"""Addresses that somebody has told a collection of stand there for a day."""

from __future__ import annotations

from pathlib import Path

import pytest

from gossamer.collection.signal import pings
from gossamer.collection.signal.pings import FILE, told

A, B, C = "http://a.test/", "http://b.test/", "http://c.test/"
DAY = 86_400.0


def test_what_was_told_stands_there_for_a_day_and_the_newest_last(tmp_path: Path) -> None:
    assert told(tmp_path) == {}
    pings.tell(tmp_path, [A, B], 1_000.0)
    pings.tell(tmp_path, [A], 1_001.0)
    assert list(told(tmp_path).items()) == [(B, 1_000.0), (A, 1_001.0)]
    pings.tell(tmp_path, [C], 1_000.0 + DAY)
    assert list(told(tmp_path)) == [A, C], "what was told a day ago is over"
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


def test_what_is_told_of_the_future_is_dropped_with_the_next_ping(tmp_path: Path) -> None:
    pings.tell(tmp_path, [A], 5_000.0)
    pings.tell(tmp_path, [B], 4_000.0)
    assert list(told(tmp_path)) == [B]


def test_of_too_many_the_oldest_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pings, "MOST", 2)
    pings.tell(tmp_path, [A], 1.0)
    pings.tell(tmp_path, [B, C], 1.0)
    assert list(told(tmp_path)) == [B, C]


@pytest.mark.parametrize("said", [b"", b"[]", b'{"http://a.test/": "x"}', b"\xff", b"[" * 100_000])
def test_a_file_that_says_something_else_counts_as_none_and_starts_anew(tmp_path: Path, said: bytes) -> None:
    (tmp_path / FILE).write_bytes(said)
    assert told(tmp_path) == {}
    pings.tell(tmp_path, [A], 1.0)
    assert told(tmp_path) == {A: 1.0}
