"""What was asked for besides going on is asked for until every shard has done it."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from gossamer import files
from gossamer.collection.crawl.requests import FILE, CrawlRequest, ask, settle, undone
from gossamer.errors import StorageError


def test_an_errand_asks_for_nothing_that_was_not_said() -> None:
    assert CrawlRequest("a") == CrawlRequest("a", (), False, False)


def test_going_on_asks_for_nothing_and_writes_nothing(tmp_path: Path) -> None:
    assert ask(tmp_path, [], revisit=False) == ()
    assert list(tmp_path.iterdir()) == []


def test_what_is_asked_is_on_the_disk_until_it_is_settled(tmp_path: Path) -> None:
    (first,) = ask(tmp_path, ["http://a.test/"], revisit=False)
    assert (first.seeds, first.revisit, first.begins) == (("http://a.test/",), False, False)
    assert ask(tmp_path, [], revisit=False) == (first,)
    before, second = ask(tmp_path, [], revisit=True)
    assert before == first
    assert (second.seeds, second.revisit, second.begins) == ((), True, True)
    assert second.mark != first.mark
    third = ask(tmp_path, [], revisit=False, begins=True)[-1]
    assert (third.revisit, third.begins) == (False, True)
    settle(tmp_path)
    assert not (tmp_path / FILE).exists()
    assert ask(tmp_path, [], revisit=False) == ()


def test_a_shard_does_what_came_after_the_mark_that_it_has_noted() -> None:
    one, two, three = (CrawlRequest(mark) for mark in "abc")
    assert undone((one, two, three), "a") == (two, three)
    assert undone((one, two, three), "c") == ()
    assert undone((one, two, three), "") == (one, two, three)
    assert undone((one, two, three), "of a request that was settled") == (one, two, three)


@pytest.mark.parametrize("nonsense", [b"", b"[", b"\xff", b'[{"mark": 7}]', b"[" * 100_000])
def test_a_file_that_cannot_be_read_is_passed_over_with_a_warning(
    tmp_path: Path, nonsense: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / FILE).write_bytes(nonsense)
    assert ask(tmp_path, [], revisit=False) == ()
    assert "cannot be read" in caplog.text
    assert len(ask(tmp_path, ["http://a.test/"], revisit=False)) == 1
    assert len(ask(tmp_path, [], revisit=False)) == 1


def test_what_cannot_be_written_down_is_not_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "replace", full)
    with pytest.raises(StorageError, match="the disk is full"):
        ask(tmp_path, [], revisit=True)
