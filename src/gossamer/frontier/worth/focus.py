"""What does an address promise for the topic of a crawl, and how far was it on topic when it came?

A page that has come is judged (`topic/judge.py`), and each of its links promises something. An address keeps the best
that was ever promised of it, and gets a better place when a better link is found: best-first, as Chakrabarti, van den
Berg and Dom (WWW 1999) and those after them, but within what a host may be asked for. For each half that is missing of
a whole promise an address is a round farther away (see `budget`).

What is promised is counted after every answer, and what was found is sifted then, so that the next visit is the best of
all that is known: other crawls gather both and have less to do. A crawl without a topic has none of this, and no rows.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence

from msgspec.structs import replace

from gossamer.frontier.entries import META, TOPICS, Entry, State, encode
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.queue.rank import distance, promised, rank, topic_rounds
from gossamer.frontier.worth.topic_rows import SUMS, WHOLE, Promise, Sums, TopicRow, stored_sums, topic_row
from gossamer.model import Kind, Link, Page, Visit
from gossamer.store.table.table import Table
from gossamer.topic.judge import Judge
from gossamer.topic.link_score import ON_TOPIC, standing
from gossamer.urls import keys

UNKNOWN = 0.1
"""What is promised of an address that nobody has linked to with words: a seed, or one of a sitemap."""
BETTER = 1.25
"""By how much a promise must be better before an address moves: to move it is to write three rows."""
FAR_LESS = 1.5
"""By how much it must be worse before an address is put back when its turn has come."""
_KEPT = 50_000
"""Rows in each of two generations; the older one is dropped when the newer is full."""


class Focus:
    """Keeps what is promised, and says which addresses are to move because of it."""

    def __init__(self, table: Table, ledger: Ledger, judge: Judge, keep: Callable[[Judge], None]) -> None:
        """`keep` writes down what the judge has learned, with the next commit."""
        self._table = table
        self._ledger = ledger
        self._judge = judge
        self._keep = keep
        self.sums = stored_sums(table)
        self._met: dict[str, Promise] = {}
        self._new: dict[str, TopicRow] = {}
        self._old: dict[str, TopicRow] = {}

    @property
    def full(self) -> bool:
        """Something was promised: it may be better than all that waits."""
        return bool(self._met)

    def came(self, visit: Visit, page: Page, links: Sequence[Link]) -> list[Promise]:
        """A document was kept: how far it is on topic, and what its links promise."""
        row = self._row(visit.url)
        promise, score = row.promise / WHOLE, 0.0
        if visit.kind is Kind.PAGE and not page.problem:
            score, words = self._judge.page(page)
            if row.score < 0:
                self.sums = Sums(self.sums.pages + 1, self.sums.score + score, self.sums.on_topic + (score >= ON_TOPIC))
                if self._judge.learn(page, score):
                    self._keep(self._judge)
            self._put(visit.url, replace(row, score=round(score, 4), words=tuple((w, round(v, 2)) for w, v in words)))
        lists = visit.kind is Kind.SITEMAP
        stands = standing(score, UNKNOWN if lists or visit.depth == 0 else promise, row.steps - lists)
        judged = self._judge.link
        return [Promise(link.url, int(judged(link, stands) * WHOLE), stands.steps) for link in links]

    def moved(self, url: str, target: str) -> list[Promise]:
        """An address leads to another, of which the same is promised."""
        row = self._row(url)
        return [Promise(target, row.promise, row.steps)]

    def promise(self, promises: Iterable[Promise]) -> None:
        """Links to addresses of this shard were found; the best promise of each counts."""
        met = self._met
        for each in promises:
            before = met.get(each.url)
            if before is None or before.promise < each.promise:
                met[each.url] = each

    def weighed(self, url: str, entry: Entry) -> Entry:
        """An entry that is about to be queued, with what is promised of it."""
        row, met = self._row(url), self._met.pop(url, None)
        if met is not None and (met.promise > row.promise or not row.promise):
            row = replace(row, promise=met.promise, steps=met.steps)
            self._put(url, row)
        known = met is not None or row != TopicRow()
        return replace(entry, cash=row.promise if known else int(UNKNOWN * WHOLE))

    def gained(self, out: Container[str]) -> Iterator[tuple[str, Entry, Entry]]:
        """Count what was promised. Gives what has another rank by it: an address, its entry with that rank and without.

        What is `out` has had its turn and must not get another.
        """
        met, self._met = self._met, {}
        better = [each for each in met.values() if each.promise > BETTER * self._row(each.url).promise]
        entries = self._ledger.get_many([each.url for each in better])
        for each, entry in zip(better, entries, strict=True):
            if entry is None or entry.state is not State.QUEUED or entry.due or each.url in out:
                continue
            self._put(each.url, replace(self._row(each.url), promise=each.promise, steps=each.steps))
            moved = _moved(each.url, entry, each.promise)
            if moved.rank != entry.rank:
                yield each.url, moved, entry

    def less(self, url: str, entry: Entry) -> Entry | None:
        """An address whose turn it is promises far less by what is known now: its entry with its new place."""
        now = None if entry.depth == 0 else self._judge.links.again(url)
        if now is None or FAR_LESS * now * WHOLE >= entry.cash:
            return None
        promise = int(now * WHOLE)
        self._put(url, replace(self._row(url), promise=promise))
        return _moved(url, entry, promise)

    def save(self) -> None:
        """The sums become part of the next commit."""
        self._table.put(META, SUMS, encode(self.sums))

    def _put(self, url: str, row: TopicRow) -> None:
        self._new[url] = row
        self._table.put(TOPICS, keys.row(url), encode(row))

    def _row(self, url: str) -> TopicRow:
        row = self._new.get(url) or self._old.get(url)
        if row is None:
            data = self._table.get(TOPICS, keys.row(url))
            row = topic_row(data) if data else TopicRow()
        if len(self._new) >= _KEPT:
            self._old, self._new = self._new, {}
        self._new[url] = row
        return row


def _moved(url: str, entry: Entry, promise: int) -> Entry:
    """An entry with another promise, and the rank that belongs to it."""
    weighed = replace(entry, cash=promise)
    away = max(distance(entry.rank) - topic_rounds(entry), 0) + topic_rounds(weighed)
    return replace(weighed, rank=rank(away, promised(url, weighed)))
