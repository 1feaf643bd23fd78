"""One IP address, many machines: whose turn is it there? Each address belongs to a shard, which lends it to one other.

Shards of one machine meet at a table in shared memory (`ip_leases`). Between machines there is none, and to ask for
every request would cost two messages a page. So an address is lent until somebody else wants it: a host that is
alone on its address costs two messages in all. Where several shards want it, it goes round: whoever has it gives it
back after one request, with the seconds that it has to rest, and stands in line again if it wants more.

A shard that dies holds nothing: by the time the others hear of its successor its lease is over, and what it held rests
for a whole delay, as it may just have been asked. A shard that begins does not know what it had lent, so it lends
nothing until every other one has said what it holds. What another one said before that was said to or by a shard that
is dead, and is not heard. While the owner of an address is away, nobody new gets it. All of that errs towards resting,
and no clocks are compared: messages carry seconds, and count from when they come.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import msgspec

from gossamer.frontier.polite.granted_pages import GrantedPages
from gossamer.frontier.polite.ip_leases import IpLeases
from gossamer.rows import decoder
from gossamer.urls import keys

HELD_MOST = 50_000
"""Addresses that a shard keeps though it does not use them."""
OWNED_MOST = 50_000
"""Addresses of ours that are remembered though nobody has them and they are rested."""
UNUSED = 1.0
"""Seconds for which it may be rested and not used where somebody else wants it."""


class Borrow(msgspec.Struct, tag=1, array_like=True, frozen=True):
    """I want to visit an address of yours."""

    address: str


class Lent(msgspec.Struct, tag=2, array_like=True, frozen=True):
    """It is yours after some seconds; if it is `wanted`, for one request."""

    address: str
    rest: float
    wanted: bool


class Recall(msgspec.Struct, tag=3, array_like=True, frozen=True):
    """Somebody else wants what you have."""

    address: str


class Return(msgspec.Struct, tag=4, array_like=True, frozen=True):
    """I have it no more. It rests for some seconds yet; `again`: I want more of it."""

    address: str
    rest: float
    again: bool


class Declare(msgspec.Struct, tag=5, array_like=True, frozen=True):
    """You have begun anew, or I have: of your addresses I hold these and no others."""

    addresses: list[str]


Word: TypeAlias = Borrow | Lent | Recall | Return | Declare
_encode = msgspec.msgpack.Encoder().encode
_word: Callable[[bytes], Word] = decoder(Word)  # type: ignore[arg-type]  # mypy: a union is no type


@dataclass(slots=True)
class Held:
    """An address that was lent to us."""

    rested: float
    out: int = 0
    wanted: bool = False


@dataclass(slots=True)
class Owned:
    """An address that is ours to lend."""

    holder: int | None = None
    rested: float = 0.0
    line: deque[int] = field(default_factory=deque)


class LentIps:
    """What a shard holds, and what it has lent. Called like `IpLeases`, which keeps order within this machine."""

    def __init__(
        self,
        leases: IpLeases,
        me: int,
        shards: int,
        send: Callable[[int, bytes], None],
        steady: Callable[[], float],
        pages: GrantedPages,
        *,
        delay: float,
        at_once: int,
    ) -> None:
        self._leases = leases
        self._steady = steady
        self._me, self._shards, self._send = me, shards, send
        self._delay, self._at_once = delay, at_once
        self._short = max(delay / 4, 0.05)
        self._held: dict[str, Held] = {}
        self._asked: set[str] = set()
        self._owned: dict[str, Owned] = {}
        self._silent = {shard for shard in range(shards) if shard != me}
        """Shards that have not said what they hold: nothing else is heard of them. Until all have, nothing is lent."""
        self.pages = pages
        self.begin, self.claim, self.settle, self.leave = pages.begin, pages.claim, pages.settle, pages.leave
        self.full, self.weigh, self.fetched, self.kept = pages.full, pages.weigh, pages.fetched, pages.kept

    def change(self, *, delay: float, at_once: int) -> None:
        """How long an address rests after this shard, and how many requests it may have at once."""
        self._delay, self._at_once = delay, at_once
        self._short = max(delay / 4, 0.05)
        self._leases.change(delay=delay, at_once=at_once)

    def take(self, address: str, now: float) -> float:
        """0.0 when the address is ours until `give`; else the steady time when it is worth asking again."""
        held = self._held.get(address)
        if held is None:
            self._ask(address)
            held = self._held.get(address)  # it may be our own
        if held is None or (held.out and (held.wanted or held.out >= self._at_once)):
            return now + self._short
        if held.rested > now:
            return held.rested
        again = self._leases.take(address, now)
        if again == 0.0:
            held.out += 1
        return again

    def give(self, address: str, now: float, *, visited: bool) -> None:
        """One request less is out; after a real one the address rests, and goes to whoever waits for it."""
        self._leases.give(address, now, visited=visited)
        held = self._held[address]
        held.out -= 1
        if visited:
            held.rested = max(held.rested, now + self._delay)
        if held.wanted and not held.out:
            self._give_back(address, again=True)
        elif len(self._held) > HELD_MOST:
            self._give_back_oldest()

    def tidy(self) -> None:
        """Every now and then: what we asked for and no longer want is for those who do."""
        self.pages.tidy()
        before = self._steady() - UNUSED
        late = [a for a, held in self._held.items() if held.wanted and not held.out and held.rested < before]
        for address in late:
            self._give_back(address, again=False)
        if len(self._owned) > OWNED_MOST and not self._silent:
            now = self._steady()
            used = ((a, owned) for a, owned in self._owned.items() if owned.holder is not None or owned.line)
            resting = ((a, owned) for a, owned in self._owned.items() if owned.rested > now)
            self._owned = dict((*used, *resting))

    # ------------------------------------------------------------------- others

    def heard(self, source: int, message: bytes) -> None:
        """Another shard says something."""
        word = _word(message)
        if source in self._silent and not isinstance(word, Declare):
            return  # one of us has died since
        match word:
            case Borrow(address):
                self._line_up(address, source)
            case Lent(address, rest, wanted):
                self._asked.discard(address)
                self._held[address] = Held(self._steady() + rest, wanted=wanted)
            case Recall(address):
                self._recalled(address)
            case Return(address, rest, again):
                self._returned(address, source, rest, again=again)
            case Declare(addresses):
                self._declared(source, addresses)

    def reborn(self, shard: int) -> None:
        """Another shard began anew, or we did: what it held is free and rests, and it must know what we hold."""
        self._asked = {address for address in self._asked if self._owner(address) != shard}
        for address, owned in self._owned.items():
            if shard in owned.line:
                owned.line.remove(shard)
            if owned.holder == shard:
                owned.holder, owned.rested = None, self._steady() + self._delay
                self._lend_next(address, owned)
        self._silent.add(shard)
        self._say(shard, Declare([address for address in self._held if self._owner(address) == shard]))

    # ----------------------------------------------------------- what we borrow

    def _ask(self, address: str) -> None:
        if address in self._asked:
            return
        self._asked.add(address)
        owner = self._owner(address)
        if owner == self._me:
            self._line_up(address, self._me)
        else:
            self._say(owner, Borrow(address))

    def _recalled(self, address: str) -> None:
        held = self._held.get(address)
        if held is None:
            return  # it is on its way back
        held.wanted = True
        if not held.out:
            self._give_back(address, again=False)

    def _give_back(self, address: str, *, again: bool) -> None:
        held, owner = self._held.pop(address), self._owner(address)
        if again:
            self._asked.add(address)
        rest = max(held.rested - self._steady(), 0.0)
        if owner == self._me:
            self._returned(address, self._me, rest, again=again)
        else:
            self._say(owner, Return(address, rest, again))

    def _give_back_oldest(self) -> None:
        idle = next((address for address, held in self._held.items() if not held.out), None)
        if idle is not None:
            self._give_back(idle, again=False)

    # ------------------------------------------------------------- what we lend

    def _line_up(self, address: str, shard: int) -> None:
        owned = self._owned.setdefault(address, Owned())
        if shard not in owned.line and owned.holder != shard:
            owned.line.append(shard)
        if owned.holder is None:
            self._lend_next(address, owned)
        elif owned.holder == self._me:
            self._recalled(address)
        elif owned.holder != shard:
            self._say(owned.holder, Recall(address))

    def _returned(self, address: str, source: int, rest: float, *, again: bool) -> None:
        owned = self._owned.setdefault(address, Owned())
        if owned.holder != source:
            return  # it has been freed since, and rests as it must
        owned.holder = None
        owned.rested = max(owned.rested, self._steady() + rest)
        if again:
            owned.line.append(source)
        self._lend_next(address, owned)

    def _declared(self, source: int, addresses: list[str]) -> None:
        for address in addresses:
            self._owned.setdefault(address, Owned()).holder = source
        self._silent.discard(source)
        if not self._silent:
            for address, owned in self._owned.items():
                self._lend_next(address, owned)
                if owned.holder is not None and owned.line and owned.holder != owned.line[0]:
                    self._line_up(address, owned.line[0])

    def _lend_next(self, address: str, owned: Owned) -> None:
        """To the first in line, if nobody has it and all others have said that they do not."""
        if self._silent or owned.holder is not None or not owned.line:
            return
        owned.holder = shard = owned.line.popleft()
        rest, wanted = max(owned.rested - self._steady(), 0.0), bool(owned.line)
        if shard == self._me:
            self._asked.discard(address)
            self._held[address] = Held(self._steady() + rest, wanted=wanted)
        else:
            self._say(shard, Lent(address, rest, wanted))

    def _owner(self, address: str) -> int:
        return keys.fingerprint(address) % self._shards

    def _say(self, to: int, word: Word) -> None:
        self._send(to, _encode(word))
