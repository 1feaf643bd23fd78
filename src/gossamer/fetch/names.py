"""Who looks names up? Anybody who can find a host's addresses or say why there are none; here the system does.

The functions of the operating system know what no name server does: mDNS, LDAP, whatever nsswitch.conf lists. But they
block, so each takes a thread until it is answered, and they tell no time to live. A question that waits for a thread
has not been asked yet: its time begins with the thread, so slow names cost others a wait and no blame.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, Protocol

from gossamer.fetch.threads import DaemonThreads
from gossamer.model import Failure, Fault

PATIENCE = 30.0
"""Seconds that a name server has for an answer."""
_THREADS = 32
_NO_SUCH_NAME = frozenset(
    getattr(socket, name) for name in ("EAI_NONAME", "EAI_NODATA", "EAI_ADDRFAMILY") if hasattr(socket, name)
)


class Found(NamedTuple):
    """What a look-up brings: the addresses in the order to try them, and for how many seconds."""

    addresses: tuple[str, ...]
    ttl: float | None = None


class Names(Protocol):
    """Finds addresses. A fault of the web is a value, here as elsewhere."""

    async def find(self, host: str) -> Found | Failure:
        """The addresses of a host, or why there are none."""

    def close(self) -> None:
        """Nobody will ask again."""


Lookup = Callable[[str], Found]
"""Blocks, and runs in a thread. Raises `socket.gaierror` as `socket.getaddrinfo` does."""


def system_lookup(host: str) -> Found:
    """Ask the operating system, for both families: one bad address condemns the host."""
    rows = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return Found(tuple(dict.fromkeys(str(row[4][0]) for row in rows)))


class Threads:
    """A look-up that blocks, in a few threads."""

    def __init__(self, lookup: Lookup = system_lookup) -> None:
        self._lookup = lookup
        self._threads = DaemonThreads(_THREADS, "dns")

    async def find(self, host: str) -> Found | Failure:
        """What the look-up brings, within the time that it has once it has begun."""
        loop, begun = asyncio.get_running_loop(), asyncio.Event()
        begin = lambda: loop.call_soon_threadsafe(begun.set)  # noqa: E731  # short
        found = loop.run_in_executor(self._threads, self._look, host, begin)
        await begun.wait()
        try:
            async with asyncio.timeout(PATIENCE):
                return await found
        except TimeoutError:
            return Failure(Fault.DNS, f"no answer for {host} within {PATIENCE:g} s")

    def close(self) -> None:
        """Forget the questions that still wait for a thread."""
        self._threads.shutdown()

    def _look(self, host: str, begin: Callable[[], object]) -> Found | Failure:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            begin()
        try:
            return self._lookup(host)
        except socket.gaierror as error:
            if error.errno in _NO_SUCH_NAME:
                return Failure(Fault.NO_SUCH_HOST, f"{host} does not exist")
            return Failure(Fault.DNS, f"{host}: {error.strerror or error}")
        except (ValueError, OSError) as error:  # ValueError: a name that cannot be asked for
            fault = Fault.DNS if isinstance(error, OSError) else Fault.NO_SUCH_HOST
            return Failure(fault, f"{host}: {error}")
