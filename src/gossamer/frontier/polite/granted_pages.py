"""A limit of pages, many machines: how many may each shard still fetch? A bank grants them in small blocks.

On one machine all shards count in one table in shared memory (`ip_leases`). Between machines the supervisor has the
bank. A shard asks for a block, uses it up, and says with each word how many it has kept and holds. One that has nothing
to do gives back what it holds before it says so, so that nothing is over while another one waits for pages. What a dead
shard held stays with it until it is back and knows what it has kept. So there are never more pages than were asked for.

Bytes are told and added up twice a second, so a limit of bytes is passed by what comes in a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from gossamer.rows import decoder

BLOCK = 64
"""Most pages of one grant."""
LOW = 8
"""A shard that has fewer asks for more."""


class Say(msgspec.Struct, array_like=True, frozen=True):
    """From a shard to the bank."""

    kept: int
    held: int
    """Pages of its grants that it has out or has not begun."""
    granted: int
    """All that it was granted, as far as it has heard."""
    fetched: int
    """Bytes."""
    wants: bool = False
    begins: bool = False
    """It is new, and knows nothing of grants before."""
    weighs: bool = False
    """It wants to hear how many bytes all have fetched."""


class Grant(msgspec.Struct, array_like=True, frozen=True):
    """From the bank to a shard. No pages: there are none now, and it is told when there are."""

    pages: int
    kept: int
    """Pages that all shards have."""
    fetched: int
    answers: bool = True
    """Whether pages were asked for."""


_encode = msgspec.msgpack.Encoder().encode
_say = decoder(Say)
_grant = decoder(Grant)


class GrantedPages:
    """The shard's half. Called like the part of `IpLeases` that counts pages; its shard is the only one it knows."""

    def __init__(self, tell: Callable[[bytes], None]) -> None:
        self._tell = tell
        self._left = self._out = self._kept = self._granted = 0
        self._fetched = self._told = 0
        self._asked = self._denied = False
        self._begins = True
        self._all_kept = self._all_fetched = 0

    def begin(self, shard: int, kept: int, out: int = 0) -> None:
        """It starts, or begins to count, and knows what it has kept."""
        self._kept, self._out = kept, out
        self._say()

    def claim(self, shard: int, limit: int) -> bool:
        """One page more may be fetched."""
        if self._left <= LOW and not (self._asked or self._denied):
            self._asked = True
            self._say(wants=True)
        if not self._left:
            return False
        self._left -= 1
        self._out += 1
        return True

    def settle(self, shard: int, *, kept: bool) -> None:
        """A page that was claimed is kept, or is free for another."""
        self._out -= 1
        self._kept += kept
        self._left += not kept

    def leave(self, shard: int) -> None:
        """The bank knows by itself."""

    def full(self, limit: int) -> bool:
        """Nothing is left here, and the bank has nothing now. What others hold may yet come back."""
        return self._denied and not self._left

    def give_back(self) -> None:
        """There is nothing to do here: others may have what we hold."""
        if self._left:
            self._left = 0
            self._say()

    def weigh(self, shard: int, fetched: int) -> None:
        """The shard has fetched so many bytes by now."""
        self._fetched = fetched

    def fetched(self) -> int:
        """Bytes that all shards together have fetched, as far as is known."""
        return self._all_fetched + self._fetched - self._told

    def kept(self) -> int:
        """Pages that all shards together have kept, likewise."""
        return max(self._all_kept, self._kept)

    def tidy(self) -> None:
        """Twice a second."""
        if self._fetched != self._told:
            self._say(weighs=True)

    def heard(self, message: bytes) -> None:
        """The bank has answered."""
        grant = _grant(message)
        self._all_kept, self._all_fetched = grant.kept, grant.fetched
        if grant.answers:
            self._asked, self._denied = False, not grant.pages
            self._left += grant.pages
            self._granted += grant.pages

    def _say(self, *, wants: bool = False, weighs: bool = False) -> None:
        held = self._left + self._out
        self._tell(_encode(Say(self._kept, held, self._granted, self._fetched, wants, self._begins, weighs)))
        self._told, self._begins = self._fetched, False


class PageBank:
    """The supervisor's half. Each method gives what to send to whom."""

    def __init__(self, limit: int, shards: int) -> None:
        self.limit = limit
        self._shards = shards
        self._kept: dict[int, int] = {}
        self._held = [0] * shards
        self._granted = [0] * shards
        self._fetched = [0] * shards
        self._waiting: dict[int, bool] = {}
        """Shards that want pages, in order, and whether they know that there are none now."""

    def told(self, shard: int, message: bytes) -> Iterator[tuple[int, bytes]]:
        """A shard says how it stands."""
        say = _say(message)
        if say.begins:
            self._granted[shard] = 0
        self._kept[shard], self._fetched[shard] = say.kept, say.fetched
        self._held[shard] = say.held + self._granted[shard] - say.granted
        if say.wants:
            self._waiting.setdefault(shard, False)
        if say.weighs:
            yield shard, self._answer(0, answers=False)
        yield from self._serve()

    def died(self, shard: int) -> None:
        """It asks again when it is back. What it held it may have kept."""
        self._waiting.pop(shard, None)

    def _serve(self) -> Iterator[tuple[int, bytes]]:
        if len(self._kept) < self._shards:
            return  # nobody knows what is left
        for shard, knows in [*self._waiting.items()]:
            free = self.limit - sum(self._kept.values()) - sum(self._held)
            pages = min(BLOCK, max(free // (2 * self._shards), 1), max(free, 0)) if self.limit else BLOCK
            if pages:
                del self._waiting[shard]
                self._held[shard] += pages
                self._granted[shard] += pages
                yield shard, self._answer(pages)
            elif not knows:
                self._waiting[shard] = True
                yield shard, self._answer(0)

    def _answer(self, pages: int, *, answers: bool = True) -> bytes:
        return _encode(Grant(pages, sum(self._kept.values()), sum(self._fetched), answers))
