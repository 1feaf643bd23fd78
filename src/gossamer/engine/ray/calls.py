"""Ray, as far as it is used: which nodes there are, an actor on one of them, and calls to it.

Ray is what people already run as a cluster, on bare machines, Kubernetes and Slurm. It places actors and carries calls.
It keeps nothing for us, and repeats nothing: who calls hears that a call failed, and knows what that means. No other
module imports Ray, and this one is loaded only where a crawl is to run on it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from gossamer.errors import GossamerError, UsageError

try:
    import ray
    from ray.exceptions import RayError
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
except ImportError as error:
    cure = "`pip install '.[cluster]'` where you cloned Gossamer brings it, here and on every node"
    raise UsageError(f"a cluster needs Ray ({error}): {cure}") from error

SCHEME = "ray://"
KNOCK = 10.0
"""Seconds in which a cluster answers at all."""
AT_ONCE = 64
"""Calls that a station may have open: one from each other station, those of the supervisor, its long poll."""


def is_name(engine: str) -> bool:
    """Does it name a cluster?"""
    return engine == "ray" or (engine.startswith(SCHEME) and len(engine) > len(SCHEME))


class Unreachable(GossamerError):
    """A call did not come back: the node is gone, or the way to it is cut. Whether it was heard is not known."""


class Ended(Unreachable):
    """A station has ended all that was there, because nobody asked it for too long: its places may be given away."""


class Node(NamedTuple):
    """A machine of the cluster."""

    id: str
    name: str
    cores: int
    going: bool = False
    """It is being drained: it will end soon, and is to get no more work."""


def connect(engine: str) -> None:
    """Join the cluster that `ray` or `ray://HOST:PORT` means. One that this process has joined already stays."""
    if ray.is_initialized():
        return
    address = engine if engine.startswith(SCHEME) else os.environ.get("RAY_ADDRESS") or "auto"
    try:
        _knock(address)
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, RuntimeError, ValueError, RayError) as error:
        cure = "`ray start --head` begins one on this machine, and RAY_ADDRESS names another"
        where = "on this machine" if address == "auto" else f"at {address}"
        raise UsageError(f"no Ray cluster {where} ({_first_line(error)}); {cure}") from error


def _knock(address: str) -> None:
    """Is anybody there? Ray itself asks for minutes."""
    host, _, port = address.removeprefix(SCHEME).rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), KNOCK).close()


def nodes() -> list[Node]:
    """Those that live and may have work: a node that was started with no CPUs has none."""
    found: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]  # Ray has no type for it
    return [*_working(found, _drained())]


def _drained() -> Collection[str]:
    """Nodes that `ray drain-node`, an autoscaler or Kubernetes is about to take away. Ray has no public question for
    it; through its client server, where this one cannot be asked, nobody is known to go."""
    with suppress(Exception):  # what is not public may be another thing in the next version
        return ray._private.state.state.get_draining_nodes()
    return ()


def _working(found: list[dict[str, Any]], going: Collection[str]) -> Iterator[Node]:
    for each in found:
        if each["Alive"] and each["Resources"].get("CPU"):
            name = each["NodeManagerHostname"] or each["NodeManagerAddress"]
            yield Node(each["NodeID"], name, int(each["Resources"]["CPU"]), each["NodeID"] in going)


def start(actor: type, node: Node) -> Any:
    """An actor on a node. It is never started again, nor a call repeated: its successor is another one."""
    remote: Any = ray.remote(num_cpus=0, max_restarts=0, max_task_retries=0)(actor)
    place = NodeAffinitySchedulingStrategy(node.id, soft=False)
    return remote.options(scheduling_strategy=place, max_concurrency=AT_ONCE).remote()


async def call(actor: Any, method: str, *told: object) -> Any:
    """What a method of an actor answers. Who gives up waiting does not take the call back: Ray's client breaks then."""
    answer: asyncio.Future[Any] = asyncio.wrap_future(getattr(actor, method).remote(*told).future())
    answer.add_done_callback(_hear)
    try:
        return await asyncio.shield(answer)
    except RayError as error:
        raise _cause(error) from error
    except (ConnectionError, RuntimeError) as error:  # Ray's client has lost the cluster
        raise Unreachable(_first_line(error)) from error


def _hear(answer: asyncio.Future[Any]) -> None:
    """Nobody may be waiting for it any more."""
    if not answer.cancelled():
        answer.exception()


def end(actor: Any) -> None:
    """The process of an actor ends now, if it can be reached."""
    ray.kill(actor, no_restart=True)


def _cause(error: RayError) -> GossamerError:
    """An error of ours that the actor raised, or that it cannot be reached."""
    own = getattr(error, "cause", None)
    return own if isinstance(own, GossamerError) else Unreachable(_first_line(error))


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
