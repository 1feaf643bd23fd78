"""Was https the right guess? A seed without a scheme is queued as https, and its origin is noted as a guess.

The first answer to the robots.txt of the origin tells. If there is an answer, whatever it says, the guess was right. If
there is none, because no connection came about or it broke, the http address takes the place of the seed: both happen
in one commit, so that a kill loses neither. The https address is left out with the reason, but a link or redirect to it
lets it in: that http leads to https is what most sites do, and https may only have been away for a moment.
"""

from __future__ import annotations

from collections.abc import Iterable

from gossamer.frontier.answer.transitions import Settlement
from gossamer.frontier.discover.discovery import HTTPS_SILENT, Found, depth_to_beat
from gossamer.frontier.discover.intake import Intake
from gossamer.frontier.entries import META, State
from gossamer.frontier.parts import Parts
from gossamer.frontier.queue.back_queues import Origin
from gossamer.model import Capture, Fault
from gossamer.urls import keys
from gossamer.urls.seeds import in_place_of

GUESS = b"guess\0"
"""Rows of `META`, by origin: seeds that are https by a guess, a line each."""
_ELSEWHERE = frozenset({Fault.NO_SUCH_HOST, Fault.DNS, Fault.BLOCKED_ADDRESS})
"""Faults that http would meet, too."""


class Guesses:
    """Seeds whose scheme was guessed, until it is known."""

    def __init__(self, parts: Parts, intake: Intake, settle: Settlement) -> None:
        self._parts = parts
        self._intake = intake
        self._settle = settle

    def note(self, urls: Iterable[str]) -> list[str]:
        """Those that are new, and guesses from now on. What is known is what it has turned out to be."""
        urls = list(urls)
        self._intake.sift()
        known = self._parts.ledger.get_many(urls)
        new = [url for url, entry in zip(urls, known, strict=True) if entry is None]
        for url in new:
            key = GUESS + keys.origin(url).encode()
            there = (self._parts.table.get(META, key) or b"").split()
            self._parts.table.put(META, key, b"\n".join([*there, url.encode()]))
        return new

    def learn(self, origin: Origin, capture: Capture) -> None:
        """Its robots.txt was asked for."""
        key = GUESS + origin.name.encode()
        failure = capture.failure
        if not origin.name.startswith("https:") or (failure is not None and failure.fault in _ELSEWHERE):
            return
        guessed = self._parts.table.get(META, key)
        if guessed is None:
            return
        here = keys.origin(capture.visit.url) == origin.name
        if failure is not None and not capture.status and here:
            for url in guessed.split():
                self._replace(keys.url_in(url), f"{HTTPS_SILENT}, so http is asked in its place: {failure}")
        self._parts.table.delete(META, key)

    def _replace(self, url: str, reason: str) -> None:
        entry, instead = self._parts.ledger.get(url), in_place_of(url)
        if entry is None or entry.state is not State.QUEUED:
            return
        left_out = self._settle.end(url, entry, State.EXCLUDED, reason)
        self._parts.seen.note(url, depth_to_beat(left_out))
        self._parts.seeds.widen(instead)
        self._intake.add([Found(instead, entry.depth, url)])
