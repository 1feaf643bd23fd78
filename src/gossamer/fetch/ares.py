"""Which addresses do the name servers give? c-ares on the event loop; the only module that knows pycares.

c-ares asks for both families at once, follows aliases, falls back to TCP, reads the hosts file, the search list and
the name servers of the system, and tells times to live; no thread waits for an answer.

Each question has a channel of its own. A channel that is shared lets one name break others: an answer that cannot be
read closes its socket, and with it all questions that wait there (of 37 names beside one with a garbled answer, 16
failed that were all right alone).
A new channel costs 0.1 to 0.3 ms, which is little for what is asked once for a host. It has a port of its own, which is
harder to guess for a forger, and sees the name servers that the system has now.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence

import pycares

from gossamer.errors import shortage
from gossamer.fetch.names import PATIENCE, Found
from gossamer.model import Failure, Fault

_TIMEOUT, _TRIES = 3.0, 3
"""Each try has twice the time of the one before: 3, 6 and 12 seconds."""
_NEVER = pycares.ARES_SOCKET_BAD
_NOTHING = frozenset({pycares.errno.ARES_ENOTFOUND, pycares.errno.ARES_ENODATA})
_NO_NAME = frozenset({pycares.errno.ARES_EBADNAME, pycares.errno.ARES_ENONAME})


class Ares:
    """Asks the name servers of the system, or those it is given as `192.0.2.1` or `192.0.2.1:53`."""

    def __init__(self, servers: Sequence[str] = ()) -> None:
        self._servers = tuple(servers)
        self._open: set[_Question] = set()

    async def find(self, host: str) -> Found | Failure:
        """The addresses of a host, or why there are none."""
        if not host.isascii() or "\0" in host or not host.strip("."):
            return Failure(Fault.NO_SUCH_HOST, f"{host} is not a name")
        try:
            async with asyncio.timeout(PATIENCE):
                found = await self._both(host)
        except TimeoutError:
            return Failure(Fault.DNS, f"no answer for {host} within {PATIENCE:g} s")
        except (pycares.AresError, OSError) as error:
            if lack := shortage(error):
                raise lack from error  # no descriptor: no name can be asked for, and none is to blame
            return Failure(Fault.DNS, f"{host} could not be asked for: {error}")
        return _explained(host, found) if isinstance(found, int) else found

    def close(self) -> None:
        """Forget what is being asked."""
        for question in tuple(self._open):
            question.close()
        self._open.clear()

    async def _both(self, host: str) -> Found | int:
        """Of two families of which one has nothing and the other failed, c-ares reports the one that answered last."""
        found = await self._ask(host, socket.AF_UNSPEC)
        return await self._ask(host, socket.AF_INET) if found in _NOTHING else found

    async def _ask(self, host: str, family: socket.AddressFamily) -> Found | int:
        question = _Question(self._servers)
        self._open.add(question)
        try:
            return await question.ask(host, family)
        finally:
            self._open.discard(question)
            question.close()


class _Question:
    """One channel, its sockets and its timer, until the answer is there."""

    def __init__(self, servers: Sequence[str]) -> None:
        self._loop = asyncio.get_running_loop()
        self._answer: asyncio.Future[Found | int] = self._loop.create_future()
        self._timer: asyncio.TimerHandle | None = None
        self._watched: set[int] = set()
        self._channel: pycares.Channel | None = pycares.Channel(
            timeout=_TIMEOUT,
            tries=_TRIES,
            servers=servers or None,
            sock_state_cb=self._watch,
        )

    async def ask(self, host: str, family: socket.AddressFamily) -> Found | int:
        """What c-ares found, or its number for what went wrong."""
        assert self._channel is not None
        self._channel.getaddrinfo(host, None, family=family, type=socket.SOCK_STREAM, callback=self._answered)
        self._remind()
        return await self._answer

    def close(self) -> None:
        """The channel is destroyed by a thread of pycares, which must find no socket watched."""
        channel, self._channel = self._channel, None
        if self._timer is not None:
            self._timer.cancel()
        for handle in tuple(self._watched):
            self._watch(handle, readable=False, writable=False)
        if not self._answer.done():
            self._answer.cancel()
        if channel is not None:
            channel.close()

    def _answered(self, result: pycares.AddrInfoResult | None, error: int | None) -> None:
        if self._channel is None or self._answer.done():
            return
        if result is None:
            self._answer.set_result(error or pycares.errno.ARES_ENODATA)
            return
        addresses = (str(node.addr[0], "ascii") for node in result.nodes)
        ttls = [node.ttl for node in result.nodes] + [alias.ttl for alias in result.cnames]
        self._answer.set_result(Found(tuple(dict.fromkeys(addresses)), float(min(ttls, default=0))))

    def _watch(self, handle: int, readable: bool, writable: bool) -> None:
        if self._channel is None and (readable or writable):
            return
        if handle in self._watched:
            self._watched.discard(handle)
            self._loop.remove_reader(handle)
            self._loop.remove_writer(handle)
        if readable or writable:
            self._watched.add(handle)
        if readable:
            self._loop.add_reader(handle, self._process, handle, _NEVER)
        if writable:
            self._loop.add_writer(handle, self._process, _NEVER, handle)

    def _process(self, read: int, write: int) -> None:
        if self._channel is not None and not self._answer.done():
            self._channel.process_fd(read, write)
            self._remind()

    def _remind(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._channel is not None and not self._answer.done():
            due: float = self._channel.timeout(_TIMEOUT)  # type: ignore[no-untyped-call]  # as pycares has it
            wait = max(due, 0.001)
            self._timer = self._loop.call_later(wait, self._process, _NEVER, _NEVER)


def _explained(host: str, error: int) -> Failure:
    if error in _NOTHING:
        return Failure(Fault.NO_SUCH_HOST, f"{host} does not exist")
    if error in _NO_NAME:
        return Failure(Fault.NO_SUCH_HOST, f"{host} is not a name")
    return Failure(Fault.DNS, f"{host}: {_words(error)}")


def _words(error: int) -> str:
    words = pycares.errno.strerror(error)
    return words.decode("ascii", "replace") if isinstance(words, bytes) else words
