"""While nothing can be reached a crawl waits, and says so to whoever asks."""

from __future__ import annotations

from pathlib import Path

import gossamer
from gossamer.cli import answers
from gossamer.collection import Outside, Progress
from gossamer.collection.progress import together
from gossamer.collection.status import Status
from gossamer.model import Capture, Failure, Fault, Visit
from gossamer.testing import MadeWeb, VirtualClock, WebSpec


def test_a_crawl_of_one_site_waits_for_it_and_status_says_so(tmp_path: Path) -> None:
    clock = VirtualClock()
    web, began = MadeWeb(WebSpec(seed=4, hosts=1, pages=40, latency=(0.1, 0.2)), clock=clock), clock.steady()
    told: list[Status] = []

    async def fetch(visit: Visit) -> Capture:
        if 15 < clock.steady() - began < 75:
            return Capture(visit, clock.wall(), 0.1, failure=Failure(Fault.CONNECT, "no route"))
        return await web.fetch(visit)

    def report(now: Progress) -> None:
        if 30 < now.seconds < 70:
            with gossamer.open(tmp_path) as reader:
                told.append(reader.status())

    with gossamer.open(tmp_path) as collection:
        outside = Outside(clock, fetch)
        done = clock.run(collection.crawl_async(web.seed, scope="any", outside=outside, report=report))
        assert {page.url for page in collection.pages()} == web.reachable()
    assert {(status.network_gone, status.left) for status in told} == {(True, None)}
    assert "nothing can be reached" in answers.status(told[0])
    assert done.queued == 0
    assert not done.network_gone


def test_the_network_is_there_while_one_of_the_shards_reaches_anything() -> None:
    def shard(*, gone: bool, queued: int = 5) -> Progress:
        return Progress(1, 0, queued, 0, 0, 0, 1.0, network_gone=gone)

    def gone(*shards: Progress) -> bool:
        now = together(shards)
        return now is not None and now.network_gone

    assert gone(shard(gone=True), shard(gone=True))
    assert gone(shard(gone=True), shard(gone=False, queued=0))
    assert not gone(shard(gone=True), shard(gone=False))
    assert not gone(shard(gone=False), shard(gone=False))
