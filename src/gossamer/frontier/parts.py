"""What a frontier is made of: the parts that know nothing of the frontier itself, put together in one place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gossamer.frontier.access import Access
from gossamer.frontier.budget import Budgets
from gossamer.frontier.credit import Credit
from gossamer.frontier.dates import Dates
from gossamer.frontier.discovery import Discovery
from gossamer.frontier.entries import META
from gossamer.frontier.hosts import Hosts
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.origins import Queues
from gossamer.frontier.outage import Outage
from gossamer.frontier.peers import Peers
from gossamer.frontier.retries import Retries
from gossamer.frontier.rules import Rules
from gossamer.frontier.seeds import Seeds
from gossamer.frontier.seen import Seen
from gossamer.frontier.slots import Slots
from gossamer.frontier.turns import Turns
from gossamer.frontier.waste import Waste
from gossamer.model import Clock
from gossamer.rows import number
from gossamer.store.sieve import Sieve
from gossamer.store.table import Table


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
    turns: Turns
    retries: Retries
    access: Access
    seen: Seen
    budgets: Budgets
    credit: Credit
    waste: Waste
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
        self.budgets.save()
        self.turns.save()
        self.waste.save()
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
    waste = Waste(table, ledger, known, budgets, rules.site)
    discovery = Discovery(ledger, known, rules.scope, rewrite=rules.rewrite, simpler=waste.simpler)
    return Parts(
        table=table,
        rules=rules,
        clock=clock,
        peers=peers,
        dates=dates,
        ledger=ledger,
        hosts=Hosts(table, clock, dates, rules.politeness, careful=careful),
        queues=queues,
        turns=Turns(table, queues.next_position),
        retries=Retries(table),
        access=Access(table, clock, rules.agent),
        seen=known,
        budgets=budgets,
        credit=Credit(table, budgets, rules.site, elsewhere=peers.credit if peers else None),
        waste=waste,
        discovery=discovery,
        seeds=Seeds(table, discovery),
        outage=Outage(clock, rules.patience),
        slots=Slots(clock, rules.at_once),
    )
