"""A page that kills its reader is found out, and left alone before it can do so for ever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gossamer.frontier.answer import poison_pages as module
from gossamer.frontier.answer.poison_pages import PoisonPages
from gossamer.frontier.entries import META
from gossamer.store.table.table import Table

BAD = "http://a.example/bad"

READER = """
import os, signal, sys
from pathlib import Path
from gossamer.frontier.entries import META
from gossamer.frontier.answer.poison_pages import PoisonPages
from gossamer.store.table.table import Table

folder, *pages = sys.argv[1:]
table = Table.open(Path(folder) / "table", [META], writable=True)
suspects = PoisonPages(Path(folder) / "reading", table)
table.commit()
for page in pages:
    with suspects.reading(page):
        if "bad" in page:
            os.kill(os.getpid(), signal.SIGKILL)
    table.commit()
if "die" in sys.argv:
    os.kill(os.getpid(), signal.SIGKILL)
"""


def read(folder: Path, *pages: str) -> int:
    """Let another process read pages; a bad one kills it in the middle."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run([sys.executable, "-c", READER, folder, *pages], env=environment, check=False).returncode


@contextmanager
def opened(folder: Path) -> Iterator[PoisonPages]:
    with Table.open(folder / "table", [META], writable=True) as table:
        poison_pages = PoisonPages(folder / "reading", table)
        yield poison_pages
        table.commit()
        poison_pages.close()


def died(folder: Path, *pages: str) -> None:
    """Lives that ended in the middle of a page each."""
    for page in pages:
        with opened(folder) as poison_pages:
            poison_pages.reading(page)


def test_a_killed_shard_knows_the_page_it_died_on(tmp_path: Path) -> None:
    assert read(tmp_path, "http://a.example/1", BAD, "http://a.example/2") == -signal.SIGKILL
    with opened(tmp_path) as poison_pages:
        assert poison_pages.died_on() == BAD
        assert not poison_pages.quarantined(BAD)
    with opened(tmp_path) as poison_pages:
        assert poison_pages.died_on() is None


def test_the_third_death_on_a_page_puts_it_into_quarantine(tmp_path: Path) -> None:
    for _ in range(3):
        assert read(tmp_path, "http://a.example/1", BAD) == -signal.SIGKILL
    with opened(tmp_path) as poison_pages:
        assert poison_pages.quarantined(BAD)
        assert not poison_pages.quarantined("http://a.example/1")


def test_a_shard_that_was_killed_between_pages_suspects_none(tmp_path: Path) -> None:
    assert read(tmp_path, "http://a.example/1", "die") == -signal.SIGKILL
    with opened(tmp_path) as poison_pages:
        assert poison_pages.died_on() is None


def test_a_page_is_forgiven_when_all_was_made_of_it(tmp_path: Path) -> None:
    died(tmp_path, BAD, BAD)
    with opened(tmp_path) as poison_pages, poison_pages.reading(BAD):
        poison_pages.forgive(BAD)
    died(tmp_path, BAD, BAD)
    with opened(tmp_path) as poison_pages:
        assert not poison_pages.quarantined(BAD)


def test_a_page_that_is_read_well_and_kills_later_is_found_out(tmp_path: Path) -> None:
    for _ in range(3):
        with opened(tmp_path) as poison_pages:
            with poison_pages.reading(BAD):
                pass
            poison_pages.reading(BAD)  # what is made of it
    with opened(tmp_path) as poison_pages:
        assert poison_pages.quarantined(BAD)


def test_an_exception_is_no_death_and_no_acquittal(tmp_path: Path) -> None:
    died(tmp_path, BAD, BAD)
    with opened(tmp_path) as poison_pages, pytest.raises(ValueError, match="odd"), poison_pages.reading(BAD):
        raise ValueError("odd")
    died(tmp_path, BAD)
    with opened(tmp_path) as poison_pages:
        assert poison_pages.quarantined(BAD)


def test_a_short_address_after_a_long_one_is_whole(tmp_path: Path) -> None:
    with opened(tmp_path) as poison_pages:
        with poison_pages.reading("http://a.example/" + "x" * 500):
            pass
        poison_pages.reading("http://b.example/")
    with opened(tmp_path) as poison_pages:
        assert poison_pages.died_on() == "http://b.example/"


def test_an_address_without_end_is_still_told_apart(tmp_path: Path) -> None:
    endless = "http://a.example/" + "x" * 20_000
    died(tmp_path, endless, endless, endless)
    with opened(tmp_path) as poison_pages:
        assert poison_pages.died_on() == endless[: module.ROOM]
        assert poison_pages.quarantined(endless)


def test_what_is_remembered_is_bounded_and_the_worst_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 3)
    died(tmp_path, BAD, BAD, BAD)
    died(tmp_path, *(f"http://a.example/{number}" for number in range(5)))
    with opened(tmp_path) as poison_pages:
        assert poison_pages.quarantined(BAD)
        assert len(poison_pages._deaths) == 3


def test_a_page_that_is_read_for_too_many_looks_is_told_once(tmp_path: Path) -> None:
    with opened(tmp_path) as poison_pages:
        watch = module.Watch([tmp_path / "reading"], looks=3)
        with poison_pages.reading(BAD):
            assert [watch.stuck(0) for _ in range(6)] == [None, None, None, BAD, None, None]
        assert [watch.stuck(0) for _ in range(5)] == [None] * 5
        watch.close()


def test_pages_that_are_read_one_after_the_other_are_no_hang_even_if_they_have_one_address(tmp_path: Path) -> None:
    with opened(tmp_path) as poison_pages:
        watch = module.Watch([tmp_path / "reading"], looks=3)
        for _ in range(10):
            with poison_pages.reading(BAD):
                assert [watch.stuck(0) for _ in range(2)] == [None, None]
        watch.close()


def test_what_a_former_life_was_reading_is_no_hang(tmp_path: Path) -> None:
    """A shard may take long to begin; until then its file says what the last one died on."""
    died(tmp_path, BAD)
    watch = module.Watch([tmp_path / "reading"], looks=3)
    assert [watch.stuck(0) for _ in range(9)] == [None] * 9
    with opened(tmp_path) as poison_pages:
        assert poison_pages.died_on() == BAD
        assert [watch.stuck(0) for _ in range(9)] == [None] * 9
        with poison_pages.reading(BAD):
            assert [watch.stuck(0) for _ in range(4)] == [None, None, None, BAD]
    assert [watch.stuck(0) for _ in range(9)] == [None] * 9
    watch.close()


def test_a_new_life_is_another_turn_so_that_nothing_is_taken_to_hang_still(tmp_path: Path) -> None:
    turns = []
    with Table.open(tmp_path / "table", [META], writable=True) as table:
        for _ in range(3):
            PoisonPages(tmp_path / "reading", table).close()
            turns.append((tmp_path / "reading").read_bytes()[-8:])
    assert len(set(turns)) == 3
