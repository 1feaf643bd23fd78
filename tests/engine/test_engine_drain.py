"""A node that is drained: its places go elsewhere in good order, and it gets no others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import pytest
import toy_workers

from gossamer.engine.protocols import Reports
from gossamer.engine.ray import calls
from gossamer.engine.ray.calls import Node
from gossamer.engine.ray.crew import RayCrew, Seat
from gossamer.engine.ray.station import Kit

ONE, TWO, THREE = (Node(name, name, 1) for name in ("one", "two", "three"))


class Station:
    """As far as a crew looks at it."""

    def __init__(self, number: int, node: Node) -> None:
        self.number, self.node, self.actor = number, node, None


class Crew(RayCrew):
    """With stations that have places, and what they are called for in the place of calls."""

    def __init__(self, where: list[int | None], *nodes: Node) -> None:
        nobody: Callable[..., None] = lambda *_: None  # noqa: E731  # one line for three
        kit = Kit(len(where), partial(toy_workers.Unattended, cast(Any, None)))
        super().__init__("ray", kit, Reports(nobody, nobody, nobody))
        self._where, self._adopted = where, {*range(len(where))}
        self._seats = {number: cast(Seat, Station(number, node)) for number, node in enumerate(nodes, 1)}
        self.asked: list[tuple[str, int]] = []
        self.told: list[tuple[str, str]] = []
        self.deaf = asyncio.Event()
        """Until then TWO does not answer."""
        self.deaf.set()

    async def _try(self, seat: Seat, method: str, *told: object) -> bool:
        if seat.node == TWO:
            await self.deaf.wait()
        self.told.append((seat.node.name, method))
        if method == "release":
            self.asked.append((seat.node.name, cast(int, told[0])))
        return True

    def drained(self, *nodes: Node) -> list[tuple[str, int]]:
        """What is moved when these are to go."""

        async def look() -> None:
            self.asked.clear()
            self._going = {node.id for node in nodes}
            self._drain()
            await asyncio.sleep(0)

        asyncio.run(look())
        return self.asked


def test_what_is_on_a_drained_node_moves_once() -> None:
    crew = Crew([1, 2, 1, 2], ONE, TWO)
    assert crew.drained(ONE) == [("one", 0), ("one", 2)]
    assert crew.drained(ONE) == [], "they are on their way"


def test_it_gets_nothing_more_while_another_stays() -> None:
    crew = Crew([1, 2, 2, 2], ONE, TWO)
    crew._going = {"one"}
    assert crew._load() == {2: 3}
    crew._going = {"one", "two"}
    assert crew._load() == {1: 1, 2: 3}, "where all are to go, somebody has to do it"


def test_nothing_moves_while_there_is_nowhere_to_go() -> None:
    crew = Crew([1, 2], ONE, TWO)
    assert crew.drained(ONE, TWO) == []
    crew._seats[3] = cast(Seat, Station(3, THREE))
    assert crew.drained(ONE, TWO) == [("one", 0), ("two", 1)]


def test_what_is_over_stays_where_it_is() -> None:
    crew = Crew([1, 1, 2], ONE, TWO)
    crew._over.add(0)
    assert crew.drained(ONE) == [("one", 1)]


def test_a_node_that_is_drained_is_not_free() -> None:
    crew = Crew([1, 1], ONE)
    assert crew._is_free(TWO)
    assert not crew._is_free(TWO._replace(going=True))


def test_nodes_are_told_apart_by_what_ray_says(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"Alive": True, "Resources": {"CPU": 2.0}, "NodeManagerHostname": "h", "NodeManagerAddress": "127.0.0.1"}
    monkeypatch.setattr(calls.ray, "nodes", lambda: [{**told, "NodeID": "a"}, {**told, "NodeID": "b"}])
    monkeypatch.setattr(calls, "_drained", lambda: {"b": 0})
    assert calls.nodes() == [Node("a", "h", 2), Node("b", "h", 2, going=True)]


def test_where_ray_cannot_be_asked_nobody_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(calls.ray, "_private")
    assert list(calls._drained()) == []


def test_nobody_begins_before_all_stations_know_where() -> None:
    async def test() -> None:
        crew = Crew([None, 2], ONE, TWO)
        crew.deaf.clear()
        crew._place([0])
        await asyncio.sleep(0.05)
        assert crew.told == [("one", "connect")], "an answer of the second would go where the first worker was"
        assert not crew._may_move(0)
        crew.deaf.set()
        await asyncio.sleep(0.05)
        assert crew.told == [("one", "connect"), ("two", "connect"), ("one", "adopt")]
        assert crew._may_move(0)

    asyncio.run(test())


def test_places_are_shared_out_with_who_joins_and_none_is_moved_twice() -> None:
    async def test() -> None:
        crew = Crew([1, 1, 1, 1, 2], ONE, TWO, THREE)
        crew._balance()
        await asyncio.sleep(0)
        assert crew.asked == [("one", 0), ("one", 1)]
        crew._balance()
        await asyncio.sleep(0)
        assert crew.asked == [("one", 0), ("one", 1)], "these are on their way"

    asyncio.run(test())
