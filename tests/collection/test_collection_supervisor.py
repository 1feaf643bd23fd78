"""Who is in charge of several shards: what is given back for one that died, and for one that is given up."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gossamer.collection.crawl import supervisor as crews
from gossamer.collection.crawl.shard import IMPORTED, STOP, Job
from gossamer.collection.crawl.supervisor import CrawlSupervisor
from gossamer.collection.folder import Folder
from gossamer.collection.imports.import_source import Imported
from gossamer.errors import GossamerError
from gossamer.plan import Plan


class Spy:
    """Remembers what it was asked to do."""

    def __init__(self, *_: object, **named: Any) -> None:
        self.did: list[tuple[Any, ...]] = []
        self.named = named

    def __getattr__(self, name: str) -> Any:
        return lambda *told: self.did.append((name, *told))


class FakeCrew(Spy):
    """In the place of processes; it ends at once, or with an error."""

    error: BaseException | None = None

    async def run(self) -> None:
        if self.error is not None:
            raise self.error


@pytest.fixture
def supervisor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CrawlSupervisor:
    monkeypatch.setattr(crews, "Crew", FakeCrew)
    Folder(tmp_path).make_shards(2)
    return CrawlSupervisor(Job(tmp_path, Plan(shards=2)), 99, lambda look: None)


def test_the_delays_of_a_dead_shard_are_free_and_those_of_a_lost_one_for_good(supervisor: CrawlSupervisor) -> None:
    supervisor._leases.close()
    leases: Any = Spy()
    supervisor._leases = leases
    before = time.monotonic()
    supervisor._died(1, "was killed")
    supervisor._failed(0, GossamerError("so"))
    assert [each[:2] for each in leases.did] == [("free", 1), ("free", 0), ("leave", 0)]
    assert all(before <= each[2] <= time.monotonic() for each in leases.did[:2])
    crew: Any = supervisor._crew
    assert crew.did == [("send_all", STOP)]
    asyncio.run(supervisor.run(None))
    assert leases.did[-1] == ("close",)


def test_what_is_imported_is_told_only_to_who_asks_for_it(supervisor: CrawlSupervisor) -> None:
    supervisor._heard(0, IMPORTED + msgspec.msgpack.encode(Imported(5)))
    crew: Any = supervisor._crew
    assert crew.did == []
    asyncio.run(supervisor.run(None))


@pytest.mark.parametrize("error", [None, GossamerError("so"), KeyboardInterrupt()])
def test_whatever_ends_a_crawl_nothing_of_it_is_left(
    supervisor: CrawlSupervisor, tmp_path: Path, error: BaseException | None
) -> None:
    crew: Any = supervisor._crew
    crew.error = error
    closed: list[str] = []
    for name in ("_leases", "_reading"):
        part: Any = getattr(supervisor, name)
        close = part.close
        part.close = lambda name=name, close=close: (closed.append(name), close())

    async def main() -> int:
        try:
            await supervisor.run(asyncio.Event())
        except BaseException as raised:
            if raised is not error:
                raise
        await asyncio.sleep(0)
        return len(asyncio.all_tasks())

    assert asyncio.run(main()) == 1
    assert sorted(closed) == ["_leases", "_reading"]
    assert not Folder(tmp_path).leases.exists()
