"""The other shards: what is theirs goes to them, what is ours comes from them.

A site belongs to one shard, and with it its queues, its politeness, its budget and its rows. What a page of ours says
about the pages of others is posted through the durable outbox (`exchange`) and takes effect once. Questions about a
robots.txt that redirects to a site of another shard are not durable: whoever asked asks again when a shard was
reborn. What only one may have at a time, an IP address or one of the last pages, is asked for at the `leases`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Protocol, TypeAlias

import msgspec

from gossamer.engine import WorkerLink, termination
from gossamer.frontier.discover.discovery import Found, Recent
from gossamer.frontier.polite.ip_leases import IpLeases
from gossamer.frontier.polite.lent_ips import LentIps
from gossamer.frontier.shards.exchange import Exchange
from gossamer.frontier.shards.lag import Lag
from gossamer.frontier.worth.topic_rows import Promise
from gossamer.model import Capture, Failure, Kind, Visit
from gossamer.rows import Count, Natural, decoder
from gossamer.store.table.table import Table
from gossamer.urls import keys

_DURABLE, _VOLATILE, LENT, FILES = b"d", b"v", b"i", b"b"
"""What comes from another shard: a batch or a receipt, a question or its answer, a word about an IP address, something
of a file that is imported."""


class Linked(msgspec.Struct, tag=1, array_like=True, frozen=True):
    """An address of yours was found."""

    url: str
    depth: Count
    referrer: str | None
    kind: Kind
    hops: Count
    followed: bool
    hint: int = 0


class Credited(msgspec.Struct, tag=2, array_like=True, frozen=True):
    """A site of yours is linked to by another."""

    site: str
    by: str


class Met(msgspec.Struct, tag=3, array_like=True, frozen=True):
    """A page of ours has a body whose digest is yours to remember."""

    digest: str
    url: str


class Copied(msgspec.Struct, tag=4, array_like=True, frozen=True):
    """That body was met before, under an address of another shard."""

    digest: str
    url: str
    of: str


class Gift(msgspec.Struct, tag=5, array_like=True, frozen=True):
    """Cash for addresses of yours that a page of ours links to; see `opic`."""

    urls: list[str]
    amount: Natural


class Promised(msgspec.Struct, tag=6, array_like=True, frozen=True):
    """What a page of ours promises of addresses of yours, for the topic of the crawl; see `focus`."""

    promises: Sequence[tuple[str, Natural, Count]]


Item: TypeAlias = Linked | Credited | Met | Copied | Gift | Promised


class Hop(msgspec.Struct, tag=1, array_like=True, frozen=True):
    """A robots.txt of ours redirects to an address of yours: please ask there."""

    visit: Visit


class Told(msgspec.Struct, tag=2, array_like=True, frozen=True):
    """What a robots.txt that you asked for says."""

    visit: Visit
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    failure: Failure | None

    def capture(self, when: float) -> Capture:
        """As if it had been fetched here."""
        return Capture(self.visit, when, 0.0, self.status, self.headers, body=self.body, failure=self.failure)


_encode = msgspec.msgpack.Encoder().encode
item_of: Callable[[bytes], Item] = decoder(Item)  # type: ignore[arg-type]  # mypy: a union is no type
"""What is in a batch."""
_question: Callable[[bytes], Hop | Told] = decoder(Hop | Told)  # type: ignore[arg-type]  # likewise


class Hearer(Protocol):
    """What a frontier does with what comes."""

    def take(self, items: Iterable[Item]) -> None:
        """Items of one batch; all of it is done before the next commit."""

    def hop(self, visit: Visit) -> None:
        """Ask for a robots.txt on behalf of another shard."""

    def told(self, told: Told) -> None:
        """Another shard has asked for a robots.txt for us."""

    def ask_again(self) -> None:
        """A shard was reborn: questions may be lost."""

    def go_on(self) -> None:
        """Something has changed: see who can go."""


class Peers:
    """Our place among the shards."""

    def __init__(
        self,
        table: Table,
        link: WorkerLink,
        site: Callable[[str], str],
        leases: IpLeases | LentIps,
        *,
        publishes: bool = False,
    ) -> None:
        """With `publishes` what is for others travels after `published`, and not after a commit: see `exchange`."""
        self.leases = leases
        self._link = link
        self._exchange = Exchange(table, link.index, link.count, self._send, publishes=publishes)
        self._lag = Lag()
        self.marks = self._exchange.marks
        self.published = self._exchange.published
        self._stillness = termination.Stillness()
        self._hearer: Hearer | None = None
        self.owner_of_host = lru_cache(maxsize=65_536)(lambda host: keys.shard(site(f"http://{host}/"), link.count))
        self.prepare = self._exchange.prepare

    @property
    def me(self) -> int:
        """Which shard this is."""
        return self._link.index

    @property
    def count(self) -> int:
        """How many there are."""
        return self._link.count

    @property
    def leased_until(self) -> float:
        """Steady time until which nobody else is given this shard, and its hosts may be asked."""
        return self._link.leased_until

    def owner(self, url: str) -> int:
        """The shard that an address belongs to."""
        return self.owner_of_host(keys.host(url))

    # ----------------------------------------------------------------- outward

    def ours(self, found: Iterable[Found], recent: Recent) -> Iterator[Found]:
        """What belongs to us; the rest is posted, unless it was posted lately."""
        for each in found:
            owner = self.owner(each.url)
            mark = each.url if each.followed else f"nofollow {each.url}"
            if owner == self.me:
                yield each
            elif recent.unknown((mark,), each.depth):
                recent.add(mark, each.depth)
                self._post(owner, Linked(*each[:-1]))  # no guess: those are of the host of their page

    def credit(self, site: str, by: str) -> bool:
        """A page of ours links to a site. Is it one of another shard, which knows now?"""
        owner = keys.shard(site, self._link.count)
        if owner == self.me:
            return False
        self._post(owner, Credited(site, by))
        return True

    def split(self, urls: Iterable[str]) -> tuple[list[str], dict[int, list[str]]]:
        """Addresses of ours, and those of the other shards."""
        shards: dict[int, list[str]] = {}
        for url in urls:
            shards.setdefault(self.owner(url), []).append(url)
        return shards.pop(self.me, []), shards

    def gift(self, others: dict[int, list[str]], amount: int) -> None:
        """So much cash for each address of other shards."""
        for owner, urls in others.items():
            self._post(owner, Gift(urls, amount))

    def promised(self, promises: Iterable[Promise]) -> list[Promise]:
        """Those of addresses of ours; the other shards are told of theirs."""
        shards: dict[int, list[Promise]] = {}
        for each in promises:
            shards.setdefault(self.owner(each.url), []).append(each)
        ours = shards.pop(self.me, [])
        for owner, theirs in shards.items():
            self._post(owner, Promised(theirs))
        return ours

    def met(self, digest: str, url: str) -> None:
        """A body that this shard has not met: the shard that its digest belongs to knows whether another has."""
        self._post(int(digest[-8:], 16) % self._link.count, Met(digest, url))

    def copied(self, met: Met, of: str) -> None:
        """A body is known from another address."""
        self._post(self.owner(met.url), Copied(met.digest, met.url, of))

    def ask(self, hop: Visit) -> None:
        """The next hop of a robots.txt is not ours to make."""
        self._link.send(self.owner(hop.url), _VOLATILE + _encode(Hop(hop)))

    def answer(self, capture: Capture, most: int) -> None:
        """The last hop of a robots.txt that another shard wants to know."""
        visit = capture.visit
        told = Told(visit, capture.status, capture.headers, capture.body[:most], capture.failure)
        self._link.send(self.owner(visit.owner or visit.url), _VOLATILE + _encode(told))

    def hand(self, to: int, message: bytes) -> None:
        """Something of a file that another shard imports; it is lost should that die."""
        self._link.send(to, FILES + message)

    def committed(self) -> None:
        """After each commit: what it made durable may travel."""
        self._exchange.committed()

    def well(self) -> None:
        """Real progress was made, and is durable."""
        self._link.well()

    @property
    def waiting(self) -> bool:
        """Something was posted or applied that waits for a commit."""
        return self._exchange.open

    @property
    def unsent(self) -> int:
        """Links and more that are for other shards, and that these do not have for good yet."""
        return self._exchange.waiting

    def lag(self, now: float) -> float:
        """Seconds for which the oldest of these waits."""
        had = [self._exchange.acknowledged(shard) for shard in range(self.count)]
        return self._lag.at(now, self._exchange.sent(), had)

    @property
    def unpublished(self) -> bool:
        """Others wait for a checkpoint of this shard."""
        return self._exchange.unpublished

    # ------------------------------------------------------------------ inward

    def attach(self, hearer: Hearer) -> None:
        """Say who does something about what comes."""
        self._hearer = hearer

    def greet(self) -> None:
        """We are here; the others send again what may be lost."""
        for peer in range(self._link.count):
            if peer != self.me:
                self._exchange.reborn(peer)

    def heard(self, source: int, message: bytes) -> None:
        """A message from another shard."""
        hearer = self._hearer
        assert hearer is not None, "attach before anything is heard"
        if message[:1] == _DURABLE:
            hearer.take(map(item_of, self._exchange.receive(source, message[1:])))
            hearer.go_on()
            return
        if message[:1] == LENT:
            self._heard_of_address(source, message[1:])
            return
        question = _question(message[1:])
        if isinstance(question, Hop):
            hearer.hop(question.visit)
        else:
            hearer.told(question)

    def _heard_of_address(self, source: int, message: bytes) -> None:
        assert isinstance(self.leases, LentIps), "shards of one machine have nothing to say about that"
        self.leases.heard(source, message)

    def granted(self, message: bytes) -> None:
        """The bank of pages has answered."""
        assert isinstance(self.leases, LentIps), "shards of one machine have no bank"
        self.leases.pages.heard(message)

    def tidy(self) -> None:
        """Every now and then: what we hold and do not use goes to whoever wants it."""
        if isinstance(self.leases, LentIps):
            self.leases.tidy()

    def reborn(self, peer: int) -> None:
        """Another shard was started anew."""
        self._exchange.reborn(peer)
        if isinstance(self.leases, LentIps):
            self.leases.reborn(peer)
        assert self._hearer is not None, "attach before anything is heard"
        self._hearer.ask_again()

    def _post(self, to: int, item: Item) -> None:
        if to != self.me:
            self._exchange.post(to, _encode(item))
        else:
            assert self._hearer is not None, "attach before anything is posted"
            self._hearer.take([item])

    def _send(self, to: int, frame: bytes) -> None:
        self._link.send(to, _DURABLE + frame)

    # -------------------------------------------------------------- termination

    @property
    def over(self) -> bool:
        """All shards are done."""
        return self._stillness.over

    @property
    def held(self) -> bool:
        """Nothing may be begun now."""
        return self._stillness.held

    def order(self, order: termination.Order, *, idle: bool) -> None:
        """The supervisor asks or decides whether all is over."""
        answer = self._stillness.told(order, self._report(idle))
        if answer is not None:
            self._link.tell(termination.encode(answer))

    def report(self, *, idle: bool) -> None:
        """Tell the supervisor whether there is anything to do, when that has changed."""
        if idle and isinstance(self.leases, LentIps):
            self.leases.pages.give_back()
        report = self._stillness.changed(self._report(idle))
        if report is not None:
            self._link.tell(termination.encode(report))

    def _report(self, idle: bool) -> termination.Report:
        return termination.Report(idle, self._exchange.sent(), self._exchange.kept())
