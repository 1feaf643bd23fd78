"""What is said of each fetch, how it gets to whoever runs a crawl, and when crawls began."""

from __future__ import annotations

import asyncio
import logging
import threading
from pathlib import Path

import pytest
from made_shard import BEGAN, A, came

from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl import news, runs
from gossamer.collection.crawl.news import Batches, fetched, fetches_of, passing_warnings, repeat, telling
from gossamer.collection.progress import Fetched
from gossamer.model import Capture, Failure, Fault, Kind, Visit
from gossamer.printable import log
from gossamer.store.table.table import Table


def test_a_fetch_is_told_with_its_status_size_and_time() -> None:
    assert fetched(came(A, b"four")) == Fetched(A, Kind.PAGE, "GET", 200, 4, BEGAN, 0.1, "")


@pytest.mark.parametrize(
    ("capture", "reason"),
    [
        (came(A, status=301, fields=(("location", "/there"),)), "to /there"),
        (came(A, status=302, fields=(("location", "http://me:pw@b@c.example/x@y"),)), "to http://c.example/x@y"),
        (came(A, status=302, fields=(("location", "\\\\me:pw@c.example\\x"),)), "to \\\\c.example\\x"),
        (came(A, status=302, fields=(("location", "/caf\xc3\xa9"),)), "to /café"),
        (came(A, status=399, fields=(("location", "/there"),)), "to /there"),
        (came(A, status=300, fields=(("location", "/there"),)), "to /there"),
        (came(A, status=301), ""),
        (came(A, status=400, fields=(("location", "/there"),)), ""),
        (came(A, status=200, fields=(("location", "/there"),)), ""),
        (came(A, truncated="length"), "cut: length"),
        (came(A, status=301, fields=(("location", "/there"),), truncated="time"), "cut: time"),
        (
            Capture(Visit(A), BEGAN, 0.1, failure=Failure(Fault.CONNECT, "refused")),
            str(Failure(Fault.CONNECT, "refused")),
        ),
    ],
)
def test_what_should_be_known_of_a_fetch_is_its_reason(capture: Capture, reason: str) -> None:
    assert fetched(capture).reason == reason


def test_whoever_wants_to_hear_of_a_fetch_hears_of_it_and_it_is_the_same_fetch() -> None:
    heard: list[Fetched] = []

    async def fetch(visit: Visit) -> Capture:
        return came(visit.url)

    capture = asyncio.run(telling(fetch, heard.append)(Visit(A)))  # type: ignore[arg-type]  # a coroutine
    assert capture == came(A)
    assert heard == [fetched(capture)]


def test_fetches_are_sent_in_batches_and_none_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news, "BATCH", 3)
    sent: list[bytes] = []
    batches, one = Batches(sent.append), fetched(came(A))
    batches.flush()
    assert sent == []
    for count in (1, 2, 3, 4):
        batches.add(one)
        assert len(sent) == count // 3
    batches.flush()
    batches.flush()
    assert [fetches_of(message) for message in sent] == [[one] * 3, [one]]


def test_warnings_are_passed_on_while_a_shard_runs_from_any_thread(caplog: pytest.LogCaptureFixture) -> None:
    sent: list[bytes] = []

    async def shard() -> None:
        with passing_warnings(sent.append):
            log.warning("one %d", 1)
            assert len(sent) == 1, "at once: what is wrong may end the process"
            log.info("nobody asked")
            thread = threading.Thread(target=log.error, args=("two",))
            thread.start()
            thread.join()
            await asyncio.sleep(0)
        log.warning("three")

    asyncio.run(shard())
    caplog.clear()
    for message in sent:
        repeat(message)
    assert [(each.levelno, each.getMessage()) for each in caplog.records] == [
        (logging.WARNING, "one 1"),
        (logging.ERROR, "two"),
    ]


def test_the_last_beginnings_of_crawls_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        assert runs.of(table) == ()
        runs.begin(table, 1.0)
        runs.begin(table, 2.0)
        assert runs.of(table) == (1.0, 2.0)
        monkeypatch.setattr(runs, "KEPT", 3)
        for now in (3.0, 4.0):
            runs.begin(table, now)
        assert runs.of(table) == (2.0, 3.0, 4.0)
