"""Workers on the nodes of a Ray cluster: the same promises as on one machine. One cluster for all of these tests."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent / "engine"))

import toy_workers
from crews import LONGEST, Told

from gossamer.engine import Work
from gossamer.engine.protocols import Unattended
from gossamer.engine.ray.crew import RayCrew
from gossamer.engine.ray.station import Leasing
from gossamer.errors import StorageError
from ray_cluster import ray_cluster

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own, of which there are many
NODES = 3
BALLS = 200


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with ray_cluster(NODES) as made:
        yield made


async def run(work: Work, count: int, told: Told) -> Told | Exception:
    """What its owner was told, or what was raised."""
    attend = partial(Unattended, work)
    crew = RayCrew("ray", attend, count, heard=told.hear, died=told.bury, failed=told.fail, leasing=Leasing(4.0))
    told.crew = crew  # type: ignore[assignment]  # it does what `Crew` does
    try:
        async with asyncio.timeout(LONGEST):
            await crew.run()
    except StorageError as error:
        return error
    return told


def terminate_when_ready(told: Told, workers: int) -> Callable[[Any, int, bytes], None]:
    def heard(crew: Any, index: int, message: bytes) -> None:
        if len(told.heard) == workers:
            crew.terminate()

    return heard


@pytest.fixture(scope="module")
def outcomes(cluster: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Some crews side by side: to start their stations takes longest."""
    folder = tmp_path_factory.mktemp("lives")
    ended = Told()
    ended.on_heard = terminate_when_ready(ended, 2)
    crews: dict[str, tuple[Work, int, Told]] = {
        "balls": (partial(toy_workers.ping_pong, balls=BALLS), 2, Told()),
        "stream": (partial(toy_workers.stream, count=50_000), 2, Told()),
        "large": (partial(toy_workers.exchange_large, count=3), 3, Told()),
        "deaths": (partial(toy_workers.die_young, folder=folder, times=2), 4, Told()),
        "error": (toy_workers.fail, 2, Told(on_failed=lambda crew, *_: crew.send_all(toy_workers.STOP))),
        "ended": (toy_workers.clean_up_when_cancelled, 2, ended),
    }

    async def all_of_them() -> list[Told | Exception]:
        return await asyncio.gather(*(run(*crew) for crew in crews.values()))

    return dict(zip(crews, asyncio.run(all_of_them()), strict=True))


def test_messages_go_to_and_fro_between_nodes_in_order(outcomes: dict[str, Told]) -> None:
    assert sorted(outcomes["balls"].heard) == [(0, b"%d" % BALLS), (1, b"%d" % (BALLS - 1))]
    assert outcomes["balls"].died == []


def test_a_stream_of_messages_arrives_whole_and_in_order_in_few_calls(outcomes: dict[str, Told]) -> None:
    assert outcomes["stream"].heard == [(1, b"49999")]
    crew: Any = outcomes["stream"].crew
    assert 0 < crew.calls < 500


def test_large_messages_arrive_unchanged_from_every_node_at_every_node(outcomes: dict[str, Told]) -> None:
    whole = hashlib.sha256(b"".join(map(toy_workers.large_message, range(3)))).hexdigest().encode()
    assert sorted(outcomes["large"].heard) == [(index, whole) for index in range(3) for _ in range(2)]


def test_a_killed_worker_comes_back_at_its_node_and_all_others_hear_of_it(outcomes: dict[str, Told]) -> None:
    told = outcomes["deaths"]
    assert told.died == [(0, "was killed by SIGKILL")] * 2
    for other in (1, 2, 3):
        assert told.from_worker(other)[-3:] == [b"reborn 0"] * 2 + [b"heard 0"]


def test_an_error_of_ours_ends_its_worker_for_good_and_is_raised(outcomes: dict[str, Any]) -> None:
    assert isinstance(outcomes["error"], StorageError)
    assert str(outcomes["error"]) == "the disk is full; buy another"


def test_terminated_workers_clean_up_and_are_not_restarted(outcomes: dict[str, Told]) -> None:
    assert sorted(outcomes["ended"].heard) == [(0, b"clean"), (0, b"ready"), (1, b"clean"), (1, b"ready")]
    assert outcomes["ended"].died == []
