"""A crew run to its end, with everything its owner was told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from gossamer.engine import Crew, Outfit, Reports, Work

LONGEST = 240.0
"""Seconds after which a test has failed; all of them take less than one on an idle machine."""


@dataclass
class Told:
    """What the owner of a crew heard, and what it does about it."""

    heard: list[tuple[int, bytes]] = field(default_factory=list)
    died: list[tuple[int, str]] = field(default_factory=list)
    failed: list[tuple[int, Exception]] = field(default_factory=list)
    crew: Crew | None = None
    on_heard: Callable[[Crew, int, bytes], None] = lambda crew, index, message: None
    on_failed: Callable[[Crew, int, Exception], None] = lambda crew, index, error: None

    def hear(self, index: int, message: bytes) -> None:
        self.heard.append((index, message))
        assert self.crew is not None
        self.on_heard(self.crew, index, message)

    def bury(self, index: int, words: str) -> None:
        self.died.append((index, words))

    def fail(self, index: int, error: Exception) -> None:
        self.failed.append((index, error))
        assert self.crew is not None
        self.on_failed(self.crew, index, error)

    def from_worker(self, index: int) -> list[bytes]:
        return [message for source, message in self.heard if source == index]


def make(work: Work, count: int, told: Told, outfit: Outfit | None = None) -> Crew:
    told.crew = Crew(work, count, Reports(told.hear, told.bury, told.fail), outfit=outfit or Outfit())
    return told.crew


async def run(work: Work, count: int, told: Told | None = None, outfit: Outfit | None = None) -> Told:
    """Run it, and give what the owner was told."""
    told = told or Told()
    async with asyncio.timeout(LONGEST):
        await make(work, count, told, outfit).run()
    return told
