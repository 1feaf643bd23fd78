"""Start the server, say where it is, and end it in good order."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import shlex
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import uvicorn

from gossamer.collection import Collection
from gossamer.errors import UsageError
from gossamer.urls.keys import host
from gossamer.web import indexnow, websub_callback
from gossamer.web.app import MODEL_CONTEXT, make
from gossamer.web.connections import Connection, make_room
from gossamer.web.live import Pulse
from gossamer.web.receiver import Receiver, receiving
from gossamer.web.safety import Access, Password, local_names

PORT = 8360
LOCAL = "127.0.0.1"
EVERYWHERE = "0.0.0.0"
WAITING_MOST = 512
"""Connections that wait to be taken."""
GRACE = 1
"""Seconds that open answers have at the end."""
NICER = 5
"""A crawl beside the server comes first."""
_LOG = logging.getLogger("uvicorn.error")


@dataclass(frozen=True, slots=True)
class Wanted:
    """How it is to be served."""

    port: int | None = None
    public: bool = False
    read_only: bool = False
    password: str | None = None
    names: tuple[str, ...] = ()
    mcp: bool = False
    """For language models too."""
    callback: str = ""
    """Where hubs reach it; it hears from none without."""
    pinged: bool = False
    """Whoever has the key may say what has changed."""
    login: str = ""
    """What stands before the host in the address that is told."""

    def __post_init__(self) -> None:
        if self.public and not (self.password or self.read_only):
            cure = "set GOSSAMER_PASSWORD, or give --read-only"
            raise UsageError(f"--public lets everybody in who can reach this machine; {cure}")

    def for_files(self) -> Wanted:
        """Of a collection of somebody's own files: every user of this machine can reach the server, so there is a
        password, and one that is made up stands in the address that only who has started it is told."""
        if self.public and not self.password:
            raise UsageError("--public would let everybody read these files; set GOSSAMER_PASSWORD, or leave it out")
        password = self.password or os.environ.get("GOSSAMER_PASSWORD")
        made_up = secrets.token_urlsafe(16)
        return replace(self, password=password or made_up, login="" if password else f"me:{made_up}@")

    def access(self) -> Access:
        """Who may do what."""
        password = Password.of(self.password) if self.password else None
        called = (*self.names, *((host(self.callback),) if self.callback else ()))
        names = local_names((socket.gethostname(), *called) if self.public else called)
        questions = frozenset({MODEL_CONTEXT} if self.mcp else ())
        told = (*((websub_callback.PATH,) if self.callback else ()), *((indexnow.PATH,) if self.pinged else ()))
        return Access(names, self.read_only, password, self.public, questions, told)


def serve(
    path: Path, wanted: Wanted, say: Callable[[str, str], None], ended: Callable[[], object] | None = None
) -> None:
    """Until somebody stops it, or `ended` returns. `say` hears the address, and the key for pings if there is one."""
    with Collection(path) as collection:
        collection.status()  # what is no collection is said now, and not on every page
        wanted = wanted.for_files() if collection.plan.folders else wanted
    make_room()
    with (
        receiving(path, wanted.callback, pinged=wanted.pinged) as receiver,
        listening(EVERYWHERE if wanted.public else LOCAL, wanted.port) as listener,
    ):
        port = listener.getsockname()[1]
        with suppress(OSError):
            os.nice(NICER)
        say(f"http://{wanted.login}{LOCAL}:{port}/", receiver.key if receiver else "")
        running = server(path, wanted.access(), _last_words(path, with_crawl=ended is not None), receiver)
        if ended is not None:
            threading.Thread(target=_end, args=(running, ended), daemon=True).start()
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # it is stopped by both, and in good order by both
        with suppress(KeyboardInterrupt):
            running.run(sockets=[listener])


def _end(running: uvicorn.Server, ended: Callable[[], object]) -> None:
    ended()
    running.should_exit = True


def _last_words(path: Path, *, with_crawl: bool) -> str:
    """For who watches the crawl in a browser when the server ends."""
    again = f"`gossamer serve {shlex.quote(path.name or str(path))}` shows the collection again."
    return f"The crawl has ended, and this server with it. {again}" if with_crawl else f"The server has ended. {again}"


class _Server(uvicorn.Server):
    """Tells those who watch, and hubs, that it ends, before it waits for open answers."""

    def __init__(self, config: uvicorn.Config, pulse: Pulse, last_words: str, receiver: Receiver | None) -> None:
        super().__init__(config)
        self._pulse, self._last_words, self._receiver = pulse, last_words, receiver

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._pulse.end(self._last_words)
        if self._receiver is not None:  # hubs call back, so it still answers meanwhile
            await self._receiver.end()
        await super().shutdown(sockets)


def server(
    path: Path, access: Access, last_words: str = "The server has ended.", receiver: Receiver | None = None
) -> uvicorn.Server:
    """One that nobody has started yet."""
    application, pulse = make(path, access, receiver)
    config = uvicorn.Config(
        application,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
        proxy_headers=False,
        ws="none",
        http=Connection,
    )
    _LOG.addFilter(_is_fault)
    return _Server(config, pulse, last_words, receiver)


def _is_fault(record: logging.LogRecord) -> bool:
    """Whether it is worth a word. That an answer is cut off at the end, because its client takes no more, is not."""
    cut_off = record.exc_info is not None and isinstance(record.exc_info[1], asyncio.CancelledError)
    return not (cut_off or str(record.msg).startswith("Cancel %s running task"))


def listening(host: str, port: int | None, usual: int = PORT) -> socket.socket:
    """A socket that takes connections, at the port that is named; else at the usual one, or at a free one."""
    for each in (port,) if port is not None else (usual, 0):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, each))
            listener.listen(WAITING_MOST)
            return listener
        except (OSError, OverflowError) as error:
            listener.close()
            problem = error
    raise UsageError(f"port {port}: {problem}; name another with --port, or none to take a free one")
