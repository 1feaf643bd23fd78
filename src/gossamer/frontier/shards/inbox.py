"""What other shards found for this one: links, credit and cash for its sites, and bodies that were met before."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.discover.intake import Intake
from gossamer.frontier.entries import FIRSTS
from gossamer.frontier.parts import Parts
from gossamer.frontier.shards.peers import Copied, Credited, Gift, Item, Linked, Met, Promised
from gossamer.frontier.worth.topic_rows import Promise
from gossamer.model import Kind
from gossamer.urls import keys


class Inbox:
    """Makes each item count as if it had been found here."""

    def __init__(self, parts: Parts, intake: Intake, copied: Callable[[str, str, str], bool]) -> None:
        """`copied` is told when another shard had the body of a page of ours before; False when it has changed."""
        self._parts = parts
        self._intake = intake
        self._copied = copied

    def take(self, items: Iterable[Item]) -> None:
        """All of it is in the books with the next commit."""
        links = []
        for item in items:
            match item:
                case Linked():
                    links.append(self._linked(item))
                case Credited(site, by):
                    self._parts.credit.count({site}, by)
                case Gift(urls, amount):
                    if self._intake.flow is not None:
                        self._intake.flow.receive(urls, amount)
                case Promised(promises):
                    if self._intake.focus is not None:
                        self._intake.focus.promise(Promise(*each) for each in promises)
                case Met():
                    self._met(item)
                case Copied(digest, url, of):
                    self._mark_copy(url, digest, of)
        self._intake.add(links)

    def _linked(self, item: Linked) -> Found:
        if item.hops and item.depth == 0 and item.kind is Kind.PAGE:
            self._parts.seeds.widen(item.url)  # a seed of another shard redirects here
        return Found(item.url, item.depth, item.referrer, item.kind, item.hops, item.followed, item.hint)

    def _met(self, met: Met) -> None:
        table, peers = self._parts.table, self._parts.peers
        first = table.get(FIRSTS, met.digest.encode())
        if first is None:
            table.put(FIRSTS, met.digest.encode(), met.url.encode())
        elif keys.url_in(first) != met.url and peers:
            peers.copied(met, keys.url_in(first))

    def _mark_copy(self, url: str, digest: str, of: str) -> None:
        ledger = self._parts.ledger
        entry = ledger.get(url)
        if entry is not None and not entry.copy and self._copied(url, digest, of):
            ledger.put(url, replace(entry, copy=True, near=False), entry)
