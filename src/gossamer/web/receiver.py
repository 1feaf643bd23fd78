"""What does a server hear from other machines? Hubs, and whoever has the key, say what has changed; a watch is told."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from starlette.routing import BaseRoute, Route

from gossamer.collection import Collection, trust
from gossamer.collection.folder import Folder, settled
from gossamer.collection.posting import Posting
from gossamer.collection.signal import listening, pings
from gossamer.collection.signal.listening import Listening
from gossamer.collection.signal.websub_subscriber import Subscriber
from gossamer.errors import GossamerError, UsageError
from gossamer.printable import log
from gossamer.urls import normalize
from gossamer.web import indexnow, websub_callback

EVERY = 5.0
"""Seconds between two looks at which hubs are named, and which leases end."""
GATHERED = 0.2
"""Seconds in which what is told is gathered: the file is written once for all of it."""

Ask: TypeAlias = Callable[[Callable[[Collection], Any]], Awaitable[Any]]


class Receiver:
    """All that a server hears."""

    def __init__(self, folder: Path, state: Listening, callback: str, *, pinged: bool) -> None:
        self._folder = folder
        self._posting = Posting(Folder(folder).load_plan())
        self._subscriber = Subscriber(folder, state, callback, self._posting) if callback else None
        self.key = state.key if pinged else ""
        """What pings must have; empty where nobody may send any."""
        self._told: dict[str, None] = {}
        self._telling: asyncio.Task[None] | None = None
        self._keeping: asyncio.Task[None] | None = None

    def routes(self) -> list[BaseRoute]:
        """Where it is told."""
        told: list[BaseRoute] = []
        if self._subscriber is not None:
            callback = websub_callback.Callback(self._subscriber, self.tell).__call__
            told.append(Route(websub_callback.PATH + "{token}", callback, methods=["GET", "POST"]))
        if self.key:
            ping = indexnow.IndexNow(self.key, self.tell).__call__
            told.append(Route(indexnow.PATH, ping, methods=["GET", "POST"]))
        return told

    @asynccontextmanager
    async def running(self, ask: Ask) -> AsyncIterator[None]:
        """While the server answers. `ask` asks the collection."""
        async with self._posting:
            if self._subscriber is not None:
                self._keeping = asyncio.create_task(self._keep_up(self._subscriber, ask))
            try:
                yield
            finally:
                await self.end()

    async def end(self) -> None:
        """Nothing more is wanted. While hubs call back, somebody has to answer them."""
        if self._keeping is not None and self._subscriber is not None:
            keeping, self._keeping = self._keeping, None
            while not keeping.done():  # `wait_for` of Python 3.11 may swallow one, when what it waits for comes with it
                keeping.cancel()
                await asyncio.wait({keeping}, timeout=0.1)
            with _warned("hubs were not told of the end"):
                await self._subscriber.end()
        if self._telling is not None:
            await self._telling

    def tell(self, urls: Iterable[str]) -> None:
        """These have changed."""
        self._told.update(dict.fromkeys(urls))
        if self._telling is None:
            self._telling = asyncio.create_task(self._pass_on())

    async def _pass_on(self) -> None:
        await asyncio.sleep(GATHERED)
        told, self._told, self._telling = self._told, {}, None
        with _warned("the watch was not told of what has changed"):
            await asyncio.to_thread(pings.tell, self._folder, told, time.time())

    async def _keep_up(self, subscriber: Subscriber, ask: Ask) -> None:
        while True:
            with _warned("hubs were not asked"):
                await subscriber.keep_up(await ask(lambda web: web.hubs()))
            await asyncio.sleep(EVERY)


@contextmanager
def receiving(path: Path, callback: str, *, pinged: bool = False) -> Iterator[Receiver | None]:
    """What a server hears at this address, and from whoever has the key, while no other does; None without either.

    A key that there is stays: it was given to others.
    """
    if not (callback or pinged):
        yield None
        return
    folder = Folder(settled(path))
    trust.require(folder, folder.load_plan(), {}, trusted=False)
    with listening.alone(folder.path):
        state = listening.load(folder.path)
        if pinged and not state.key:
            state.key = listening.new_key()
            listening.save(folder.path, state)
        yield Receiver(folder.path, state, callback, pinged=pinged)


def callback_of(text: str) -> str:
    """The public address of a server, as it is written with a slash at its end."""
    address, parts = normalize(text), urlsplit(text)
    if parts.query or parts.fragment or "@" in parts.netloc:
        raise UsageError(f"--callback {text}: name the address of this server alone, as https://me.example/")
    return address if address.endswith("/") else f"{address}/"


@contextmanager
def _warned(what: str) -> Iterator[None]:
    """The server goes on whatever goes wrong here."""
    try:
        yield
    except (GossamerError, OSError) as error:
        log.warning("%s: %s", what, error)
