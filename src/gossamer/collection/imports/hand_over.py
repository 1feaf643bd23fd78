"""How does a shard get what another has read? Each file is read by one shard, which hands on what belongs to others.

Nothing of that is durable, and need not be: every shard knows how far it has each file. Who reads one asks all others
for that first, and asks again a shard that was started anew; it begins where the one that is most behind is. So many
bytes may be on their way to a shard before it has taken them, and then reading waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, TypeAlias

import msgspec

from gossamer.rows import decoder
from gossamer.store.foreign.exchanges import Brought, Kept

WINDOW = 4 << 20
"""Bytes on their way to a shard. One capture that is larger may be on its way, too."""
AGAIN = 1.0
"""Seconds until a shard that has not answered is asked again: it may not have been there."""


class Shards(Protocol):
    """Our place among the shards."""

    @property
    def me(self) -> int:
        """Which one this is."""

    @property
    def count(self) -> int:
        """How many there are."""

    def owner(self, url: str) -> int:
        """The one that an address belongs to."""

    def hand(self, to: int, message: bytes) -> None:
        """To another one; lost when that dies."""


class Alone:
    """`Shards` where there is one."""

    me, count = 0, 1

    def owner(self, url: str) -> int:
        return 0

    def hand(self, to: int, message: bytes) -> None:
        raise AssertionError("there is nobody else")


class Ask(msgspec.Struct, tag=1, array_like=True, frozen=True):
    """How far do you have the files that I read?"""


class Has(msgspec.Struct, tag=2, array_like=True, frozen=True):
    """From which offset on each of them is to be read, and whether that is needed no more; in their order."""

    files: list[tuple[int, bool]]


class Given(msgspec.Struct, tag=3, array_like=True, frozen=True):
    """A capture of yours, from the file with this number."""

    file: int
    brought: Brought


class Laid(msgspec.Struct, tag=4, array_like=True, frozen=True):
    """A record of yours that is none."""

    file: int
    kept: Kept


class Over(msgspec.Struct, tag=5, array_like=True, frozen=True):
    """That was all of it. `lacking`: it could not be read to its end."""

    file: int
    lacking: bool


class Took(msgspec.Struct, tag=6, array_like=True, frozen=True):
    """So many bytes that were handed over are not waiting any more."""

    octets: int


Message: TypeAlias = Ask | Has | Given | Laid | Over | Took
_encode = msgspec.msgpack.Encoder().encode
_decode: Callable[[bytes], Message] = decoder(Message)  # type: ignore[arg-type]  # mypy: a union is no type


class HandOver:
    """What goes to the other shards, and how far they have come."""

    def __init__(self, shards: Shards) -> None:
        self.shards = shards
        self._has: dict[int, list[tuple[int, bool]]] = {}
        """What the others have said, by their numbers."""
        self._outstanding = [0] * shards.count
        self._told: set[int] = set()
        """Who knows how far we are: what others hand us was not meant for this life of ours."""
        self._changed = asyncio.Event()

    def decoded(self, source: int, message: bytes) -> Message | None:
        """What a message says; nothing of one that concerns nobody any more."""
        said = _decode(message)
        match said:
            case Took(octets):
                self._outstanding[source] = max(self._outstanding[source] - octets, 0)
                self._change()
                return None
            case Has(files):
                self._has.setdefault(source, files)
                self._change()
                return None
            case Ask():
                self._told.add(source)
        return said if source in self._told else None

    def answer(self, to: int, files: list[tuple[int, bool]]) -> None:
        """How far we are."""
        self._send(to, Has(files))

    def took(self, source: int, octets: int) -> None:
        """What was handed over waits no more."""
        self._send(source, Took(octets))

    def forget(self, shard: int) -> None:
        """It was started anew: what was sent is lost, and it is asked how far it is now."""
        self._outstanding[shard] = 0
        if shard != self.shards.me:
            self._has.pop(shard, None)
            self._send(shard, Ask())
        self._change()

    async def far(self) -> dict[int, list[tuple[int, bool]]]:
        """How far each of the others is; waits for those that have not said so."""
        while missing := {*range(self.shards.count)} - {self.shards.me, *self._has}:
            for shard in missing:
                self._send(shard, Ask())
            await self._wait(AGAIN)
        return self._has

    async def give(self, to: int, item: Given | Laid | Over) -> None:
        """Hand it over as soon as there is room."""
        while self._outstanding[to] >= WINDOW:
            await self._wait(None)
        message = _encode(item)
        self._outstanding[to] += len(message) if not isinstance(item, Over) else 0
        self.shards.hand(to, message)

    async def change(self) -> None:
        """Until another shard has said something."""
        await self._wait(None)

    async def _wait(self, seconds: float | None) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), seconds)

    def _change(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _send(self, to: int, message: Message) -> None:
        self.shards.hand(to, _encode(message))
