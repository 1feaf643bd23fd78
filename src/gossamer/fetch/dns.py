"""Which addresses has this host? A cache in front of whoever looks names up: `ares`, or the system in `names`.

An answer is believed for its time to live, within bounds. A name that does not exist is told apart from a name server
that does not answer: the first is the host's fault, the second is not, and is asked again soon. Any number of names
is looked up at once, so that a slow one holds up nobody else.
"""

from __future__ import annotations

import asyncio
import math
import socket
from dataclasses import dataclass
from ipaddress import ip_address

from gossamer.fetch.ares import Ares
from gossamer.fetch.names import Found, Names
from gossamer.model import Clock, Failure, Fault

_SHORTEST, _LONGEST = 300.0, 3600.0
"""Bounds on how long an answer is believed, whatever its time to live."""
_NO_SUCH_HOST_KEPT = 60.0
_OUTAGE_KEPT = 10.0
_ENTRIES = 10_000
_ADDRESSES = 16
"""Of a host with more, the first ones count."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Addresses, or why there are none; good until `expires` on the steady clock."""

    addresses: tuple[str, ...] = ()
    failure: Failure | None = None
    expires: float = math.inf


class Resolver:
    """The cache. Of many who ask for one name at once, one asks outside."""

    def __init__(self, clock: Clock, names: Names | None = None) -> None:
        """`names` looks up what is not known here: the name servers of the system, unless something else is given."""
        self._clock = clock
        self._names = names or Ares()
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
        """Forget the questions that are not answered."""
        for task in self._asking.values():
            task.cancel()
        self._names.close()

    async def _ask(self, host: str) -> Answer:
        task = self._asking.get(host)
        if task is None:
            task = self._asking[host] = asyncio.create_task(self._outside(host))
            task.add_done_callback(lambda _: self._asking.pop(host, None))
        return await asyncio.shield(task)

    async def _outside(self, host: str) -> Answer:
        found = await self._names.find(host)
        addresses, failure, keep = _judged(host, found)
        answer = Answer(addresses, failure, self._clock.steady() + keep)
        self._answers[host] = answer
        if len(self._answers) > _ENTRIES:
            del self._answers[next(iter(self._answers))]
        return answer


def _judged(host: str, found: Found | Failure) -> tuple[tuple[str, ...], Failure | None, float]:
    if isinstance(found, Failure):
        return (), found, _NO_SUCH_HOST_KEPT if found.fault is Fault.NO_SUCH_HOST else _OUTAGE_KEPT
    if not found.addresses:
        return (), Failure(Fault.NO_SUCH_HOST, f"{host} has no address"), _NO_SUCH_HOST_KEPT
    return found.addresses[:_ADDRESSES], None, min(max(found.ttl or 0.0, _SHORTEST), _LONGEST)


def is_address(text: str) -> bool:
    """Is it an IP address in its usual form?"""
    try:
        return bool(ip_address(text))
    except ValueError:
        return False


def literal(host: str) -> str | None:
    """The address that a host names by itself, in any spelling: `127.1`, `0x7f000001`, `localhost`."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return "127.0.0.1"
    try:
        return str(ip_address(name)) if ":" in name else socket.inet_ntoa(socket.inet_aton(name))
    except (ValueError, OSError):
        return None
