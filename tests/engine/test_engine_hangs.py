"""A worker that hangs in a page is noticed, ended and started again, and the page is left alone in the end."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest
import toy_workers
from crews import LONGEST, Told, make

from gossamer.collection.crawl import supervisor as charge
from gossamer.frontier.answer.poison_pages import Watch

PAGE = b"http://a.example/endless"


async def hung(folder: Path) -> Told:
    """What its owner is told of a crew whose first worker hangs."""
    told = Told()
    crew = make(partial(toy_workers.hang_in_a_page, folder=folder), 2, told)
    reading = Watch([folder / "0", folder / "1"], looks=5)
    watcher = asyncio.get_running_loop().create_task(charge.look_after(crew, reading, 2))
    async with asyncio.timeout(LONGEST):
        await crew.run()
    watcher.cancel()
    reading.close()
    return told


def test_a_worker_that_hangs_in_a_page_is_started_again_until_the_page_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(charge, "LOOK", 0.02)
    told = asyncio.run(hung(tmp_path))
    assert [index for index, _ in told.died] == [0, 0, 0]
    assert told.from_worker(0) == [b"None False", PAGE + b" False", PAGE + b" False", PAGE + b" True"]
