"""Which addresses has this host?

The system resolver answers, in a few threads of its own, so that a slow name server holds up
nothing else. We keep the answers, because it tells no time to live and asks the network each
time. A name that does not exist is told apart from a name server that does not answer: the first
is the host's fault, the second is not, and is asked again soon.
"""

from __future__ import annotations

import asyncio
import math
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from ipaddress import ip_address
from typing import NamedTuple

from gossamer.model import Clock, Failure, Fault

_SHORTEST, _LONGEST = 300.0, 3600.0
"""Bounds on how long an answer is believed, whatever its time to live."""
_NO_SUCH_HOST_KEPT = 60.0
_OUTAGE_KEPT = 10.0
_PATIENCE = 30.0
"""Seconds one visit waits for an answer; the question itself goes on and fills the cache."""
_ENTRIES = 10_000
_THREADS = 32

_NO_SUCH_NAME = frozenset(
    getattr(socket, name) for name in ("EAI_NONAME", "EAI_NODATA", "EAI_ADDRFAMILY") if hasattr(socket, name)
)


class Found(NamedTuple):
    """What a lookup brings: the addresses in the order to try them, and for how many seconds."""

    addresses: tuple[str, ...]
    ttl: float | None = None


Lookup = Callable[[str], Found]
"""Blocks, and runs in a thread. Raises `socket.gaierror` as `socket.getaddrinfo` does."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Addresses, or why there are none; good until `expires` on the steady clock."""

    addresses: tuple[str, ...] = ()
    failure: Failure | None = None
    expires: float = math.inf


def system_lookup(host: str) -> Found:
    """Ask the operating system, for both families: one bad address condemns the host."""
    rows = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return Found(tuple(dict.fromkeys(str(row[4][0]) for row in rows)))


class Resolver:
    """A cache in front of a lookup. Of many who ask for one name at once, one asks outside."""

    def __init__(self, clock: Clock, lookup: Lookup = system_lookup) -> None:
        self._clock = clock
        self._lookup = lookup
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="dns")
        self._answers: dict[str, Answer] = {}
        self._asking: dict[str, asyncio.Task[Answer]] = {}

    async def resolve(self, host: str) -> Answer:
        """The addresses of a host name, or of an address as it stands in a URL, without brackets."""
        known = self._answers.pop(host, None)
        if known and known.expires > self._clock.steady():
            self._answers[host] = known  # now the youngest: the eldest is dropped first
            return known
        written_out = literal(host)
        return Answer((written_out,)) if written_out else await self._ask(host)

    def close(self) -> None:
        """Forget the questions that still wait for a thread."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _ask(self, host: str) -> Answer:
        task = self._asking.get(host)
        if task is None:
            task = self._asking[host] = asyncio.create_task(self._outside(host))
            task.add_done_callback(lambda _: self._asking.pop(host, None))
        try:
            async with asyncio.timeout(_PATIENCE):
                return await asyncio.shield(task)
        except TimeoutError:
            return Answer((), Failure(Fault.DNS, f"no answer for {host} within {_PATIENCE:g} s"))

    async def _outside(self, host: str) -> Answer:
        loop = asyncio.get_running_loop()
        addresses, failure, keep = await loop.run_in_executor(self._threads, self._look, host)
        answer = Answer(addresses, failure, self._clock.steady() + keep)
        self._answers[host] = answer
        if len(self._answers) > _ENTRIES:
            del self._answers[next(iter(self._answers))]
        return answer

    def _look(self, host: str) -> tuple[tuple[str, ...], Failure | None, float]:
        try:
            found = self._lookup(host)
        except socket.gaierror as error:
            return (), *_explained(host, error)
        except (ValueError, OSError) as error:  # ValueError: a name that cannot be asked for
            fault = Fault.DNS if isinstance(error, OSError) else Fault.NO_SUCH_HOST
            return (), Failure(fault, f"{host}: {error}"), _OUTAGE_KEPT
        if not found.addresses:
            return (), Failure(Fault.NO_SUCH_HOST, f"{host} has no address"), _NO_SUCH_HOST_KEPT
        return found.addresses, None, min(max(found.ttl or 0.0, _SHORTEST), _LONGEST)


def _explained(host: str, error: socket.gaierror) -> tuple[Failure, float]:
    if error.errno in _NO_SUCH_NAME:
        return Failure(Fault.NO_SUCH_HOST, f"{host} does not exist"), _NO_SUCH_HOST_KEPT
    return Failure(Fault.DNS, f"{host}: {error.strerror or error}"), _OUTAGE_KEPT


def literal(host: str) -> str | None:
    """The address that a host names by itself, in any spelling: `127.1`, `0x7f000001`, `localhost`."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return "127.0.0.1"
    try:
        return str(ip_address(name)) if ":" in name else socket.inet_ntoa(socket.inet_aton(name))
    except (ValueError, OSError):
        return None
