"""A table that cannot be read is made again from the archive: every capture is taken in as if it had just been fetched.

The archive is its own redo log, so a table that is lost is an archive of which nothing is committed yet. The damaged
table is put aside first. The new one is marked as unfinished until the last capture is in it; a repair that was killed
goes on from its last commit. In a collection of several shards the others say again what they have found for this one:
their links to its sites are posted again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from gossamer import files
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl import shard_identity
from gossamer.collection.crawl.outside import Outside
from gossamer.collection.crawl.session import Session
from gossamer.collection.derive import graphs
from gossamer.collection.folder import INDEX, PAST, Folder
from gossamer.collection.maintain import writable_shard
from gossamer.collection.maintain.verifying import damage
from gossamer.collection.maintain.writable_shard import WritableShard
from gossamer.collection.sites import owner_of, site_of
from gossamer.errors import Damaged, GossamerError
from gossamer.fetch.redirects import target
from gossamer.frontier.answer.removal import is_removed, tidy_turns
from gossamer.frontier.discover.discovery import Found, Recent
from gossamer.frontier.entries import URLS, Entry, entry
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.polite.ip_leases import IpLeases
from gossamer.frontier.shards.exchange import rejoin
from gossamer.frontier.shards.peers import Peers
from gossamer.index.opening import discard
from gossamer.model import URL, Capture, Page, SystemClock, Visit
from gossamer.plan import Plan
from gossamer.printable import counted
from gossamer.store.repair.swaps import DAMAGED
from gossamer.store.table.table import Table
from gossamer.store.versions import Version
from gossamer.urls import keys

_UNKNOWN = "tries without an answer, rests of hosts and revisits that were due are not known any more"
_BACK = "; addresses that were removed but for their records may be back"
_KILLED = "a repair of its table was killed"
BATCH = 500
"""Pages for each commit."""


@dataclass(frozen=True, slots=True)
class Remade:
    """What was done about tables that were lost."""

    problems: list[str] = field(default_factory=list)
    aside: list[Path] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    """What they held and no capture is left of."""


def remake(folder: Folder, plan: Plan) -> Remade:
    """Make the tables again that cannot be read. No other process may use the collection."""
    count, done = plan.shards or 1, Remade()
    lost = {index: words for index in range(count) if (words := lack(folder, index))}
    if not lost:
        return done
    with closing(_Gates(folder, plan)) as gates:
        for index, words in lost.items():
            shard, removed = folder.shard(index), _Removed(folder, index)
            if words != _KILLED:
                done.aside.extend(_begin(folder, index))
            taken = _remade(folder, plan, index, gates, removed)
            more = removed.words if done.aside else ""
            done.problems.append(f"{shard}: {words}; made again from {counted(taken, 'capture')}; {_UNKNOWN}{more}")
            done.gone.extend(_gone(folder, plan, index, wholly=not taken))
        for index in set(range(count)) - set(lost):
            with writable_shard.opened(folder, plan, index) as bench:
                repost(bench, gates.peers(bench.table, index), lost)
    return done


def lack(folder: Folder, index: int) -> str | None:
    """Why the table of a shard has to be made again; None when it need not."""
    if not files.is_folder(folder.table(index)):
        return (
            "its table is missing" if files.is_folder(folder.shard(index)) else "is missing, and its captures with it"
        )
    if words := damage(folder.table(index)):
        return f"its table is damaged ({words})"
    with suppress(GossamerError), Table.open_alone(folder.table(index), FAMILIES) as table:
        if shard_identity.is_blank(table, folder.shard(index)):
            return "its table is empty"
        return _KILLED if shard_identity.is_unfinished(table) else None
    return None


def _begin(folder: Folder, index: int) -> Iterator[Path]:
    """Room for an empty table. The indexes would not fit it; other files that no row names are swept away later."""
    shard = folder.shard(index)
    files.make_folder(shard)
    if aside := files.put_aside(folder.table(index), shard / DAMAGED):
        yield aside
    discard(shard / INDEX)
    discard(shard / PAST)
    files.sync_folder(shard)


class _Removed:
    """Addresses that somebody had taken out, as far as the table that is lost can still tell."""

    def __init__(self, folder: Folder, index: int) -> None:
        self.entries: dict[URL, Entry] = {}
        self.words = ""
        try:
            with Table.open_alone(folder.table(index), [URLS]) as table:
                for key, data in table.scan(URLS):
                    self._add(key, data)
        except (GossamerError, OSError):
            self.words = _BACK

    def _add(self, key: bytes, data: bytes) -> None:
        try:
            if is_removed(found := entry(data)):
                self.entries[keys.url_of(key)] = found
        except Damaged:
            self.words = _BACK


def _gone(folder: Folder, plan: Plan, index: int, *, wholly: bool) -> Iterator[str]:
    """What a shard held and holds no more: the graph of the last build still names its pages."""
    graph, shard, count = graphs.current(folder), folder.shard(index), 0
    with writable_shard.opened(folder, plan, index) as bench:
        for url in _of(index, plan, graph) if graph else ():
            count += bench.archive.versions.current(url) is None and not writable_shard.is_removed(bench.table, url)
    if count:
        yield f"{shard}: {counted(count, 'page')} of which no capture is left"
    elif wholly and graph is None:
        yield f"{shard}: all that it held; how many pages that were is not known"


def _of(index: int, plan: Plan, graph: graphs.Graph) -> Iterator[URL]:
    owner = owner_of(plan)
    return (url for _, url in graph.names.items() if owner(url) == index)


def _remade(folder: Folder, plan: Plan, index: int, gates: _Gates, removed: _Removed) -> int:
    with Table.open(folder.table(index), FAMILIES, writable=True) as table:
        if shard_identity.of(table) is None:
            shard_identity.set_unfinished(table, True)
            rejoin(table, index, [_other(folder, index, other) for other in range(plan.shards or 1)])
            table.commit()
        peers = gates.peers(table, index) if plan.shards > 1 else None
        clock = _Then()
        outside = Outside(clock, fetch=_nothing)
        session = Session(folder.shard(index), plan, table, outside, peers, collection=folder.path)
        taken = session.remake(removed.entries, clock.stand)
        tidy_turns(table)
        shard_identity.set_unfinished(table, False)
        table.commit()
        return taken


class _Then(SystemClock):
    """Its date is that of the capture that is taken in: nothing becomes younger than it is."""

    _date: float | None = None

    def stand(self, date: float) -> None:
        """Now it is then."""
        self._date = date

    def wall(self) -> float:
        return super().wall() if self._date is None else self._date


async def _nothing(visit: Visit) -> Capture:
    raise AssertionError(f"{visit.url}: nothing is fetched while a table is made again")


def _other(folder: Folder, me: int, other: int) -> Callable[[], Table] | None:
    if other == me or lack_of_rows(folder, other):
        return None
    return lambda: Table.open_alone(folder.table(other), FAMILIES)


def lack_of_rows(folder: Folder, index: int) -> bool:
    """Can nothing be learned from a table?"""
    try:
        Table.open_alone(folder.table(index), FAMILIES).close()
    except Damaged:
        return True
    return False


class _Gates:
    """Peers that hear nothing: what is posted waits in the outbox for the next crawl."""

    def __init__(self, folder: Folder, plan: Plan) -> None:
        self._path, self._plan = folder.leases, plan
        self._open: list[IpLeases] = []
        if plan.shards > 1:
            IpLeases.create(self._path, plan.shards)

    def peers(self, table: Table, index: int) -> Peers:
        leases = IpLeases(self._path, index, delay=self._plan.ip_delay)
        self._open.append(leases)
        return Peers(table, _Seat(index, self._plan.shards), site_of(self._plan), leases)

    def close(self) -> None:
        for leases in self._open:
            leases.close()
        files.remove(self._path)


@dataclass(frozen=True, slots=True)
class _Seat:
    """A place among shards that are not there."""

    index: int
    count: int
    term: int = 0
    leased_until: float = inf

    def listen(self, heard: object, reborn: object, orphaned: object) -> None:
        """Nobody speaks."""

    def send(self, to: int, message: bytes) -> None:
        """Nobody hears."""

    def tell(self, message: bytes) -> None:
        """Nobody hears."""

    def well(self) -> None:
        """Nobody minds."""


def repost(bench: WritableShard, peers: Peers, lost: Collection[int]) -> None:
    """Post all that pages of this shard say about the shards that are lost. Sent by the next crawl."""
    recent = Recent()
    for number, (url, version) in enumerate(bench.archive.versions.pages(), 1):
        wanted = (each for each in _found(bench, url, version) if peers.owner(each.url) in lost)
        for _ in peers.ours(wanted, recent):
            pass
        if version.digest and version.copy_of is None and int(version.digest[-8:], 16) % peers.count in lost:
            peers.met(version.digest, url)
        if number % BATCH == 0:
            _commit(bench, peers)
    _commit(bench, peers)


def _commit(bench: WritableShard, peers: Peers) -> None:
    peers.prepare()
    bench.table.commit()


def _found(bench: WritableShard, url: URL, version: Version) -> Iterator[Found]:
    entry = Ledger(bench.table).get(url)
    depth = entry.depth if entry else 0
    try:
        if 300 <= version.status < 400:
            yield from _target(bench.archive.capture(url, version), depth)
        elif 200 <= version.status < 300:
            page = bench.archive.page(url, version) or bench.read(bench.archive.capture(url, version))
            yield from _links(url, page, depth)
    except Damaged:
        return  # named by the check of the archive


def _target(capture: Capture, depth: int) -> Iterator[Found]:
    if led_to := target(capture):
        yield Found(led_to, depth, capture.visit.url, hops=1)


def _links(url: URL, page: Page, depth: int) -> Iterator[Found]:
    for link in page.links:
        yield Found(link.url, depth + 1, url, followed=not page.nofollow and "nofollow" not in link.rel)
