"""The scope has changed while millions of addresses are known: which may come in now, and which have to go?

All rows are gone through in slices, so that the crawl goes on in between. How far it has come is noted in the same
commit as what a slice has changed: after a kill it goes on there. What is queued and was not looked at yet is judged
when its turn comes, so nothing is fetched that the new scope leaves out.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from gossamer.frontier.answer.transitions import Settlement
from gossamer.frontier.discover.discovery import as_found
from gossamer.frontier.discover.intake import Intake
from gossamer.frontier.entries import META, Entry, State
from gossamer.frontier.holding import was_fetched
from gossamer.frontier.parts import Parts
from gossamer.frontier.queue.requeue import admitted
from gossamer.urls import keys
from gossamer.urls.paths import is_path

SLICE = 200
"""Rows that are looked at without a break: some milliseconds."""
_NEXT = b"reconsidered"
"""A row of `META`, while it is under way: the key of the row that is next."""


class Reconsideration:
    """Holds what is known against the scope as it is now."""

    def __init__(self, parts: Parts, intake: Intake, settle: Settlement) -> None:
        self._table, self._ledger, self._seen = parts.table, parts.ledger, parts.seen
        self._discovery = parts.discovery
        self._intake, self._settle = intake, settle
        self._next = self._table.get(META, _NEXT)

    @property
    def under_way(self) -> bool:
        """Some rows were not looked at yet."""
        return self._next is not None

    def begin(self) -> None:
        """From the first row on, also where it was under way."""
        self._note(b"")

    def go_on(self, is_out: Callable[[str], bool]) -> list[str]:
        """One slice. The addresses that are queued no more; what is out is finished."""
        if self._next is None:
            return []
        rows = list(islice(self._ledger.all(start=self._next), SLICE))
        self._intake.requeue(admitted(rows, self._discovery))
        gone = [
            url
            for url, entry in rows
            if entry.state is State.QUEUED and not is_out(url) and self.leaves_out(url, entry)
        ]
        self._note(keys.row(rows[-1][0]) + b"\0" if len(rows) == SLICE else None)
        return gone

    def leaves_out(self, url: str, entry: Entry) -> bool:
        """Must an address go that is queued? Then it has gone. When all were looked at, only what was done by then and
        is queued again may have to: by a pattern, not by the way that leads to it.

        A document that we have stays as it is.
        """
        if was_fetched(entry):
            # A file is left to the reader of files, which refuses it, so that it leaves the index.
            spared = not is_path(url) and self._discovery.excluded(url) is not None
            if spared:
                self._settle.spare(url, entry)
            return spared
        refusal = self._refusal(url, entry)
        if refusal is None:
            return False
        excluded = self._settle.end(url, entry, State.EXCLUDED, refusal)
        self._seen.note(url, self._discovery.mark(excluded))
        return True

    def _refusal(self, url: str, entry: Entry) -> str | None:
        """Whoever was never visited was found by the scope of now, once all were looked at."""
        if self.under_way:
            return self._discovery.refusal(as_found(url, entry))
        return self._discovery.excluded(url) if entry.visited else self._discovery.leaves(url)

    def _note(self, following: bytes | None) -> None:
        self._next = following
        if following is None:
            self._table.delete(META, _NEXT)
        else:
            self._table.put(META, _NEXT, following)
