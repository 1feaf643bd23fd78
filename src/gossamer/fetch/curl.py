"""libcurl on an asyncio event loop; with `protocols/sftp.py` the only module that knows pycurl.

libcurl is the HTTP client most tested against hostile servers, it lets us refuse an address at
the moment a socket opens, and it costs half of what clients written in Python cost.

The sockets are watched by an epoll of our own, and the event loop watches that one descriptor:
a request then costs the loop nothing, whether it is asyncio's or uvloop's, and all that is ready
is handled in one go.

What is set, and why:

- HTTP/1.1 only. The archive keeps the bytes of the wire, which later versions do not have in
  that form, and one request at a time for a host has no use for many streams in a connection.
- Chunked bodies are handed over as they came; content codings are not touched. The one thing
  libcurl rewrites is a folded header line, which it joins to one line.
- The connection goes to the address that was checked (CONNECT_TO), never to a name. libcurl's own
  DNS cache is off: it is walked for every transfer and grows with every host.
- Time-outs are ours (`pace`): libcurl would count our own delay as the server's silence. Its own come much later.
- No redirects, cookies, credentials, netrc, proxies from the environment; http and https only.
"""

from __future__ import annotations

import asyncio
import math
import os
import select
import socket
from contextlib import suppress
from typing import NamedTuple

import pycurl  # type: ignore[import-untyped]  # its stub is empty

from gossamer.errors import shortage
from gossamer.fetch.limits import Limits
from gossamer.fetch.proxy import Route
from gossamer.fetch.request import Request
from gossamer.fetch.times import Times, times
from gossamer.fetch.transfer import OK, OVERDUE, Transfer

_SCHEMES = pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS
_PROXY_NAME_KEPT = 60
_IDLE_CONNECTION_KEPT = 60
_LATER = 3
"""So many times later than ours are libcurl's own time-outs, should ours ever fail."""
_AT_ONCE = (b"Expect:",)
"""A body is sent without asking first whether it is welcome."""
_STOP = 0
"""As the number of bytes that a callback took: libcurl ends the transfer."""
_BATCH = 64
"""Sockets handled before the event loop gets its turn."""
_TURNS = 64
"""Batches that are handled at most before somebody is given up."""
WAITS_MOST = 600.0
"""Seconds that an answer may wait for room."""


class Verdict(NamedTuple):
    """How a transfer ended: libcurl's number, 0 for success, its words, and when it was."""

    code: int
    words: str
    times: Times


class _Socket(socket.socket):
    """libcurl works on a duplicate; this one closes when it is let go."""

    def __del__(self) -> None:
        self.close()


class Handle:
    """One reusable libcurl handle. What never changes is set once."""

    def __init__(self, limits: Limits, route: Route) -> None:
        self.easy = pycurl.Curl()
        self._absolute = bool(route.proxy) and not str(route.proxy).startswith("socks")
        self._transfer: Transfer | None = None
        self.is_spent = False
        """It has sent something, and would do so again."""
        for option, value in self._fixed(limits, route).items():
            self.easy.setopt(option, value)

    def _fixed(self, limits: Limits, route: Route) -> dict[int, object]:
        options = {
            pycurl.PROTOCOLS: _SCHEMES,
            pycurl.FOLLOWLOCATION: 0,
            pycurl.HTTP_VERSION: pycurl.CURL_HTTP_VERSION_1_1,
            pycurl.HTTP_TRANSFER_DECODING: 0,
            pycurl.NOSIGNAL: 1,
            pycurl.NOPROXY: "",
            pycurl.PROXY: route.proxy or "",
            pycurl.HEADEROPT: pycurl.HEADER_SEPARATE,  # a proxy that only passes bytes on sees no field of the request
            pycurl.DNS_CACHE_TIMEOUT: _PROXY_NAME_KEPT if route.proxy else 0,
            pycurl.SSL_VERIFYPEER: 1,
            pycurl.SSL_VERIFYHOST: 2,
            pycurl.CONNECTTIMEOUT_MS: round(limits.connect * 1000 * _LATER),
            pycurl.TIMEOUT_MS: round((limits.total + WAITS_MOST) * 1000 * _LATER),
            pycurl.MAX_RECV_SPEED_LARGE: limits.bandwidth,
            pycurl.MAXAGE_CONN: _IDLE_CONNECTION_KEPT,
            pycurl.OPENSOCKETFUNCTION: self._open,
            pycurl.PREREQFUNCTION: self._ready,
            pycurl.WRITEFUNCTION: self._write,
        }
        if route.authorities:
            file = os.fsencode(route.authorities)  # of text pycurl takes ASCII alone
            options |= {pycurl.CAINFO: file, pycurl.PROXY_CAINFO: file}
        return options

    def aim(self, request: Request, transfer: Transfer, address: str | None, *, fresh: bool = False) -> None:
        """Prepare for one request to one address; None leaves the address to the proxy. `fresh`: use no connection
        that was used before."""
        self._transfer = transfer
        set_option = self.easy.setopt
        set_option(pycurl.URL, request.origin)
        set_option(pycurl.REQUEST_TARGET, self._target(request))
        at_once = _AT_ONCE if request.body is not None else ()
        set_option(pycurl.HTTPHEADER, [*request.fields, *request.login, *at_once])
        set_option(pycurl.NOBODY, request.method == "HEAD")
        if request.body is not None:
            set_option(pycurl.POSTFIELDS, request.body)
            self.is_spent = True
        set_option(pycurl.HEADERFUNCTION, transfer.lines.append)
        set_option(pycurl.FRESH_CONNECT, fresh)
        if address:
            set_option(pycurl.CONNECT_TO, [f"::[{address}]:" if ":" in address else f"::{address}:"])

    def release(self) -> None:
        """Let go of what was brought; the handle itself waits for its next use."""
        if self._transfer:
            self._transfer.lines.clear()
            self._transfer.socket = None
            self._transfer = None

    def _target(self, request: Request) -> str:
        absolute = self._absolute and request.origin.startswith("http:")
        return request.origin + request.target if absolute else request.target

    def _open(self, _purpose: int, address: tuple[int, int, int, tuple[str, int]]) -> object:
        family, kind, protocol, name = address
        if self._transfer and self._transfer.admits(name[0]):
            try:
                self._transfer.socket = _Socket(family, kind, protocol)
                return self._transfer.socket
            except OSError as error:
                self._transfer.mistake = shortage(error)  # ours, not the host's
        return pycurl.SOCKET_BAD

    def _ready(self, peer: str, _local: str, _peer_port: int, _local_port: int) -> int:
        admitted = self._transfer is not None and self._transfer.ready(peer)
        return int(pycurl.PREREQFUNC_OK if admitted else pycurl.PREREQFUNC_ABORT)

    def _write(self, data: bytes) -> int | None:
        if self._transfer is None:
            return _STOP
        if not self._transfer.fits(data):
            return int(pycurl.WRITEFUNC_PAUSE)
        return None if self._transfer.wrote(data) else _STOP

    def times(self) -> Times:
        """When the request went out and the last byte came in, as the kernel saw it."""
        own = self._transfer.socket if self._transfer else None
        return times(own.fileno() if own is not None else self.easy.getinfo(pycurl.ACTIVESOCKET), new=own is not None)


class Multi:
    """Runs handles side by side on the event loop it was made on, and keeps their connections."""

    def __init__(self, kept_connections: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[pycurl.Curl, tuple[Handle, asyncio.Future[Verdict]]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._due = math.inf
        self._soon: asyncio.Handle | None = None
        self._watched: set[int] = set()
        self._epoll = select.epoll()
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, kept_connections)
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._remind)
        self._loop.add_reader(self._epoll.fileno(), self._on_sockets)

    async def run(self, handle: Handle) -> Verdict:
        """How it ended. Cancelling ends the transfer."""
        if asyncio.get_running_loop() is not self._loop:
            raise RuntimeError("a fetcher works on the event loop of its first call only")
        easy = handle.easy
        self._multi.add_handle(easy)
        future: asyncio.Future[Verdict] = self._loop.create_future()
        self._waiting[easy] = handle, future
        try:
            return await future
        finally:
            self._end(easy)

    def give_up(self, handle: Handle) -> None:
        """End a transfer that takes too long, if it has not ended by itself."""
        self._end(handle.easy, OVERDUE)

    def catch_up(self) -> None:
        """Take in all that has come, before anybody is judged by what has not."""
        for _ in range(_TURNS):
            if self._on_sockets() < _BATCH:
                return

    def resume(self, handle: Handle) -> None:
        """There may be room for what a transfer waits with."""
        if handle.easy in self._waiting:
            try:
                handle.easy.pause(pycurl.PAUSE_CONT)
            except pycurl.error as error:
                self._end(handle.easy, *error.args[:2])

    def close(self) -> None:
        """Cancel all transfers and close all connections."""
        for easy, (_, future) in list(self._waiting.items()):
            future.cancel()
            self._end(easy)
        for timer in (self._timer, self._soon):
            if timer:
                timer.cancel()
        self._loop.remove_reader(self._epoll.fileno())
        self._multi.close()
        self._epoll.close()

    def _end(self, easy: pycurl.Curl, code: int = OK, words: str = "") -> None:
        handle, future = self._waiting.pop(easy, (None, None))
        if handle and future:
            ended = Verdict(code, words, handle.times())
            self._multi.remove_handle(easy)
            if not future.done():
                future.set_result(ended)

    def _watch(self, events: int, fd: int, _multi: object, _data: object) -> None:
        """libcurl wants to hear of a socket, or no longer."""
        if events == pycurl.POLL_REMOVE:
            self._watched.discard(fd)
            with suppress(OSError):  # it may be closed already
                self._epoll.unregister(fd)
            return
        mask = select.EPOLLIN if events & pycurl.POLL_IN else 0
        mask |= select.EPOLLOUT if events & pycurl.POLL_OUT else 0
        if fd in self._watched:
            with suppress(FileNotFoundError):  # closed, and its number given out again
                self._epoll.modify(fd, mask)
                return
        self._watched.add(fd)
        self._epoll.register(fd, mask)

    def _on_sockets(self) -> int:
        """Handle those that are ready; how many they were."""
        ready = self._epoll.poll(0, _BATCH)
        try:
            for fd, events in ready:
                mask = pycurl.CSELECT_OUT if events & select.EPOLLOUT else 0
                mask |= pycurl.CSELECT_IN if events & ~select.EPOLLOUT else 0
                self._multi.socket_action(fd, mask)
        finally:
            self._reap()
        return len(ready)

    def _remind(self, milliseconds: int) -> None:
        """libcurl wants to be called after a while; -1 takes that back.

        It changes its mind several times in a request. A timer that is set too early is left
        alone, and set again when it rings.
        """
        if milliseconds < 0:
            self._due = math.inf
        elif milliseconds == 0:
            self._soon = self._soon or self._loop.call_soon(self._on_time)
        else:
            self._due = self._loop.time() + milliseconds / 1000
            self._set_timer()

    def _set_timer(self) -> None:
        if self._timer:
            if self._timer.when() <= self._due:
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(self._due, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        if self._due <= self._loop.time():
            self._on_time()
        elif self._due < math.inf:
            self._set_timer()

    def _on_time(self) -> None:
        self._soon = None
        self._due = math.inf
        try:
            self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)
        finally:
            self._reap()
        if self._due == math.inf and self._waiting:  # libcurl keeps silent when nothing has changed
            self._remind(self._multi.timeout())

    def _reap(self) -> None:
        queued = 1
        while queued:
            queued, good, bad = self._multi.info_read()
            for easy in good:
                self._end(easy)
            for easy, code, message in bad:
                self._end(easy, code, message)
