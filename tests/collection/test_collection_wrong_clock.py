"""A clock that was wrong once holds no host up until the date that it made."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import gossamer
from gossamer.collection import Outside
from gossamer.model import Capture, Kind, Visit
from gossamer.testing import VirtualClock

HOME, DAY, YEARS = "http://a.example/", 86_400.0, 20 * 365 * 86_400.0
LINKS = "".join(f'<a href="{number}">{number}</a>' for number in range(9)).encode()


@pytest.mark.parametrize("status", [503, 500])
def test_a_pause_until_another_year_is_one_of_a_day_at_most(tmp_path: Path, status: int) -> None:
    clock = VirtualClock()

    async def fetch(visit: Visit) -> Capture:
        await asyncio.sleep(0.1)
        wrong = clock.wall() > began + YEARS / 2 and visit.kind is Kind.PAGE and visit.url != HOME
        body = LINKS if visit.url == HOME else b"a page"
        headers = (("content-type", "text/html"), *([("retry-after", "80000")] if wrong and status == 503 else []))
        return Capture(visit, clock.wall(), 0.1, status if wrong else 200, headers, body=body, wire=body)

    began = clock.wall()
    clock.jump(YEARS)
    with gossamer.open(tmp_path) as web:
        clock.run(web.crawl_async(HOME, outside=Outside(clock, fetch), delay=1, time=60.0))
        assert web.status().queued
        clock.jump(-YEARS)
        waits = clock.run(web.crawl_async(outside=Outside(clock, fetch)))
        assert waits.queued == 9
        assert waits.next_time is not None
        assert waits.next_time - clock.wall() <= DAY + 60
        clock.advance(DAY)
        done = clock.run(web.crawl_async(outside=Outside(clock, fetch)))
        assert (done.pages, done.queued) == (10, 0)
