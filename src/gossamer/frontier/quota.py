"""Is there room for one more page? A page limit counts what was kept and what is out, in all shards together."""

from __future__ import annotations

from gossamer.frontier.ledger import Ledger
from gossamer.frontier.peers import Peers


class Quota:
    """The page limit of a crawl."""

    def __init__(self, ledger: Ledger, pages: int, peers: Peers | None, *, closed: bool = False) -> None:
        """`pages` is the limit; 0 for none. One that is `closed` has room for nothing."""
        self._closed = closed
        self._ledger = ledger
        self._pages = pages
        self._peers = peers if pages else None
        self._out = 0

    def full(self) -> bool:
        """Nothing more may be asked for."""
        if self._closed:
            return True
        if self._peers:
            return self._peers.gate.full(self._pages)
        return 0 < self._pages <= self._ledger.counts.pages + self._out

    def claim(self) -> bool:
        """Is there room for one more page? Nobody else has it from now on. Give it back with `settle`."""
        if self._closed:
            return False
        if self._peers:
            return self._peers.gate.claim(self._peers.me, self._pages)
        if self.full():
            return False
        self._out += 1
        return True

    def settle(self, *, kept: bool) -> None:
        """What was claimed has become a page of ours, or may become another one."""
        if self._peers:
            self._peers.gate.settle(self._peers.me, kept=kept)
        else:
            self._out -= 1
