"""What a frontier is made of: the parts that know nothing of the frontier itself, put together in one place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gossamer.frontier.discover.credit import Credit
from gossamer.frontier.discover.discovery import Discovery, Seeds
from gossamer.frontier.discover.requisites import Requisites
from gossamer.frontier.discover.seen import Seen
from gossamer.frontier.entries import LATER, META
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.polite.host_delays import Dates, Hosts
from gossamer.frontier.polite.limits import Slots
from gossamer.frontier.polite.outage import Outage
from gossamer.frontier.polite.robots_cache import RobotsCache
from gossamer.frontier.queue.agenda import Agenda
from gossamer.frontier.queue.back_queues import Queues
from gossamer.frontier.queue.waiting_origins import WaitingOrigins
from gossamer.frontier.rules import Rules
from gossamer.frontier.shards.peers import Peers
from gossamer.frontier.worth.budget import Budgets
from gossamer.frontier.worth.guessed_links import GuessedLinks
from gossamer.frontier.worth.worth import Worth
from gossamer.model import Clock
from gossamer.rows import number
from gossamer.store.table.table import Table
from gossamer.store.url_seen import Sieve


@dataclass(frozen=True, slots=True)
class Parts:
    """Shared by all that works on one frontier."""

    table: Table
    rules: Rules
    clock: Clock
    peers: Peers | None
    """The other shards, if there are any."""
    dates: Dates
    ledger: Ledger
    hosts: Hosts
    queues: Queues
    waiting_origins: WaitingOrigins
    retries: Agenda
    access: RobotsCache
    seen: Seen
    budgets: Budgets
    credit: Credit
    worth: Worth
    guessed_links: GuessedLinks
    requisites: Requisites | None
    """What pages need, where that is asked for."""
    discovery: Discovery
    seeds: Seeds
    outage: Outage
    slots: Slots

    def is_ours(self, origin: str) -> bool:
        """Does an origin belong to this shard?"""
        return self.peers is None or self.peers.owner(origin + "/") == self.peers.me

    def save(self) -> None:
        """What is counted in memory, into the next commit."""
        self.seen.prepare()
        self.hosts.save()
        self.budgets.save()
        self.waiting_origins.save()
        self.worth.save()
        self.table.put(META, b"sequence", self.queues.sequence.to_bytes(8, "big"))
        self.ledger.save()

    def settle(self) -> None:
        """The crawl ends in good order: with the next commit the clocks on disk are right."""
        self.table.delete(META, b"open")


def assemble(table: Table, rules: Rules, clock: Clock, peers: Peers | None, seen: Path) -> Parts:
    """All of them, as the last commit left them. `seen` is the folder of the files that tell what is known."""
    careful = table.get(META, b"open") is not None
    table.put(META, b"open", b"1")
    ledger, dates, budgets = Ledger(table), Dates(clock), Budgets(table)
    queues = Queues(table, number(table.get(META, b"sequence") or b""))
    known = Seen(Sieve(table, seen))
    worth = Worth(table, ledger, known, budgets, rules.site)
    requisites = Requisites(rules.requisites_per_host) if rules.requisites else None
    discovery = Discovery(
        rules.scope, rewrite=rules.rewrite, simpler=worth.simpler, signs_out=rules.signs_out, needs=requisites
    )
    return Parts(
        table=table,
        rules=rules,
        clock=clock,
        peers=peers,
        dates=dates,
        ledger=ledger,
        hosts=Hosts(table, clock, dates, rules.politeness, careful=careful),
        queues=queues,
        waiting_origins=WaitingOrigins(table, queues.next_position),
        retries=Agenda(table, LATER),
        access=RobotsCache(table, clock, rules.agent),
        seen=known,
        budgets=budgets,
        credit=Credit(table, budgets, rules.site, elsewhere=peers.credit if peers else None),
        worth=worth,
        guessed_links=GuessedLinks(table),
        requisites=requisites,
        discovery=discovery,
        seeds=Seeds(table, discovery),
        outage=Outage(clock, rules.patience),
        slots=Slots(clock, rules.at_once),
    )
