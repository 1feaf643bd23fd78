"""A cluster without Ray: stations of this process, whose shards are processes as on any node. Faults can be timed."""

from __future__ import annotations

import asyncio
import random
import signal
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from gossamer.engine.ray import calls, crew, station
from gossamer.engine.ray.calls import Node, Unreachable
from gossamer.engine.ray.station import Station

SOON = 0.2
"""Seconds between looks for nodes that have joined."""


@dataclass
class Actor:
    """A station, and what has become of its node."""

    node: Node
    station: Station = field(default_factory=Station)
    dead: bool = False
    thawed: asyncio.Event = field(default_factory=asyncio.Event)


class ClusterHere:
    """Stands in for Ray: who is a node now, calls that come late or fail, nodes that die."""

    def __init__(self, nodes: int, *, seed: int = 0, lost: float = 0.0) -> None:
        """Of the calls between stations that share is `lost`: half of them before they are heard."""
        self.nodes = [Node(name, name, 1) for name in map(str, range(nodes))]
        self.actors: list[Actor] = []
        self.moved = threading.Event()
        """A shard that was taken from a station was given to another."""
        self.sleeps = 0.0
        """Seconds for which nothing happens here from the next call on, with the supervisor and all stations."""
        self._released = False
        self._draw, self._lost = random.Random(seed), lost

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(calls, "connect", lambda engine: None)
        monkeypatch.setattr(calls, "nodes", lambda: [*self.nodes])
        monkeypatch.setattr(calls, "start", self._start)
        monkeypatch.setattr(calls, "end", self._end)
        monkeypatch.setattr(crew, "call", self._call)
        monkeypatch.setattr(station, "call", self._call)
        monkeypatch.setattr(crew, "LOOK", SOON)

    def join(self) -> Node:
        """One node more."""
        self.nodes.append(node := Node(name := str(len(self.nodes)), name, 1))
        return node

    def lose(self, node: Node) -> None:
        """It is gone, with all that runs there."""
        self.nodes.remove(node)
        for actor in self.actors:
            if actor.node == node:
                self._end(actor)

    def freeze(self, node: Node) -> None:
        """Its station does nothing until `thaw`; its shards go on as long as they may."""
        for actor in self.actors:
            if actor.node == node:
                actor.thawed.clear()

    def thaw(self, node: Node) -> None:
        for actor in self.actors:
            if actor.node == node:
                actor.thawed.set()

    def _start(self, kind: type[Station], node: Node) -> Actor:
        self.actors.append(actor := Actor(node))
        actor.thawed.set()
        return actor

    def _end(self, actor: Actor) -> None:
        if not actor.dead:
            actor.dead = True
            here: Any = actor.station
            if hasattr(here, "_crew"):  # it has begun
                here._crew._ending = True  # nobody there starts anything again
                here._crew._signal(signal.SIGKILL)
                here._crew._over.set()
                here._watch.cancel()

    async def _call(self, actor: Actor, method: str, *told: object) -> Any:
        await asyncio.sleep(self._draw.uniform(0.0, 0.01))
        self._sleep()
        await actor.thawed.wait()
        lot = self._draw.random()
        if actor.dead or lot < self._lost / 2:
            raise Unreachable("it was not heard")
        answer = await getattr(actor.station, method)(*told)
        await actor.thawed.wait()
        self._note(method)
        if actor.dead or lot < self._lost:
            raise Unreachable("its answer was lost")
        return answer

    def _sleep(self) -> None:
        seconds, self.sleeps = self.sleeps, 0.0
        time.sleep(seconds)

    def _note(self, method: str) -> None:
        self._released = self._released or method == "release"
        if self._released and method == "adopt":
            self.moved.set()
