"""The log: what it answers about gaps, overlaps, forbidden requests and early ones."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from made_webs import TimedWeb

from gossamer.model import Visit
from gossamer.testing import Entry, Errors, Log, WebSpec


def entry(began: float, ended: float, host: str = "a", **other: object) -> Entry:
    values: dict[str, object] = {"url": f"http://{host}/{began:g}", "address": "127.0.0.9", "status": 200}
    values |= {"method": "GET", "wall": began + 1000, "allowed": True, "finished": True}
    return Entry(host=host, began=began, ended=ended, **(values | other))  # type: ignore[arg-type]  # a table


def logged(*entries: Entry) -> Log:
    log = Log()
    for one in entries:
        log.add(one)
    return log


def test_gaps_run_from_the_end_to_the_next_beginning() -> None:
    log = logged(entry(0, 2), entry(3, 4), entry(9, 10), entry(5, 6, host="b"))
    assert log.gaps("a") == [1, 5]
    assert log.intervals("a") == [3, 6]
    assert log.gaps("b") == log.gaps("unknown") == []


def test_requests_are_ordered_by_their_beginning_not_their_end() -> None:
    log = logged(entry(5, 6), entry(0, 10))
    assert [one.began for one in log.of("a")] == [0, 5]
    assert log.gaps("a") == [-5]


def test_an_address_is_asked_for_like_a_host() -> None:
    log = logged(entry(0, 1, host="a"), entry(4, 5, host="b"), entry(6, 7, host="c", address="127.0.0.8"))
    assert log.gaps("127.0.0.9") == [3]


def test_overlaps_are_pairs_in_flight_together() -> None:
    long, first, second, after = entry(0, 10), entry(1, 2), entry(3, 12), entry(12, 13)
    log = logged(first, long, second, after)
    assert log.overlaps("a") == [(long, first), (long, second)]
    assert logged(entry(0, 1), entry(1, 2), entry(0.5, 3, host="b")).overlaps("a") == []


def test_counts_tell_whole_answers_from_cut_ones() -> None:
    log = logged(*(entry(1, 2, finished=finished) for finished in (True, False, True)), entry(3, 4))
    assert log.counts() == {"http://a/1": 3, "http://a/3": 1}
    assert log.counts(whole=True) == {"http://a/1": 2, "http://a/3": 1}


def test_early_requests_are_those_inside_a_window_of_their_host() -> None:
    busy = entry(0, 1, retry_after=10)
    early, in_time = entry(10.9, 11), entry(11, 12)
    log = logged(busy, early, in_time, entry(5, 6, host="b"))
    assert log.early() == [early]


def test_a_request_that_was_on_its_way_is_not_early() -> None:
    assert logged(entry(0, 1, retry_after=10), entry(0.5, 2)).early() == []


def test_a_shorter_window_does_not_end_a_longer_one() -> None:
    late = entry(8, 9)
    log = logged(entry(0, 1, retry_after=10), entry(2, 3, retry_after=1), late)
    assert [one.began for one in log.early()] == [2, 8]


def test_the_file_gives_back_the_log_and_leaves_out_half_a_line(tmp_path: Path) -> None:
    file = tmp_path / "asked.jsonl"
    entries = (entry(0, 2), entry(3, 4, finished=False, status=0, size=7))
    for one in entries:
        log = Log(file)
        log.add(one)
        log.close()
    with file.open("a") as half:
        half.write('{"url": "http://a/')
    assert Log.read(file).entries == entries


def test_requests_in_flight_overlap_and_those_in_turn_do_not() -> None:
    web = TimedWeb(WebSpec(pages=10, latency=(3.0, 3.0)))
    urls = list(web.pages())

    async def both() -> None:
        for url in urls[:5]:
            await web.fetch(Visit(url))
            await asyncio.sleep(1.5)
        assert web.log.overlaps("h0.example") == []
        await asyncio.gather(*(web.fetch(Visit(url)) for url in urls[5:]))

    web.clock.run(both())
    assert web.log.gaps("h0.example")[:5] == [1.5] * 5
    assert len(web.log.overlaps("h0.example")) == 4


def test_what_has_not_ended_is_in_flight_and_what_was_given_up_is_unfinished() -> None:
    web = TimedWeb(WebSpec(latency=(9.0, 9.0)))

    async def give_up() -> tuple[Entry, ...]:
        task = asyncio.create_task(web.fetch(Visit(web.seed)))
        await asyncio.sleep(4)
        seen = web.log.in_flight
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return seen

    (seen,) = web.clock.run(give_up())
    (ended,) = web.log.entries
    assert (seen.url, seen.finished, web.log.in_flight) == (web.seed, False, ())
    assert (ended.ended - ended.began, ended.finished, ended.status, ended.size) == (4.0, False, 0, 0)


def test_an_entry_tells_what_was_sent() -> None:
    web = TimedWeb(WebSpec(errors=Errors(missing=1.0)))
    (answer,) = web.ask(web.linked("/missing/")[0] + "?x#y")
    (only,) = web.log.entries
    assert (only.path, only.method, only.status) == (only.url.removeprefix("http://h0.example"), "GET", 404)
    assert only.path.endswith("?x")
    assert only.size == len(answer.head) + len(answer.wire)
    assert (only.wall, only.host, only.address) == (answer.began, "h0.example", "127.0.1.1")
