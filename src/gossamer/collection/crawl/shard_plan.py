"""What does the plan mean for one shard? Which addresses are its own, and how its files are named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.shards.peers import Peers
from gossamer.model import Clock
from gossamer.plan import Plan
from gossamer.store.archive import Archive
from gossamer.store.warc.records import Info


@dataclass(frozen=True, slots=True)
class ShardPlan:
    """The plan, and the place of a shard among its peers; one that is alone has none."""

    plan: Plan
    peers: Peers | None = None

    @property
    def number(self) -> int:
        """Which shard it is."""
        return self.peers.me if self.peers else 0

    def owns(self, url: str) -> bool:
        """Is an address of this shard?"""
        return self.peers is None or self.peers.owner(url) == self.peers.me

    def seeds(self) -> Iterator[Found]:
        """The seeds of the plan that are its own."""
        return (Found(seed) for seed in self.plan.seeds if self.owns(seed))

    def open_captures(self, archive: Archive, clock: Clock) -> None:
        """From now on captures are appended, to files with the name of this shard."""
        archive.open(info_of(self.plan), clock, prefix=self._prefix, max_bytes=self.plan.warc_bytes)

    def open_texts(self, archive: Archive, clock: Clock) -> None:
        """The same for texts, unless the crawl only collects."""
        if self.plan.build:
            archive.texts.open(info_of(self.plan), clock, prefix=self._prefix, max_bytes=self.plan.warc_bytes)

    @property
    def _prefix(self) -> str:
        return prefix_of(self.peers.me if self.peers else None)


def info_of(plan: Plan) -> Info:
    """Who made the files of the archive."""
    identity = plan.as_identity()
    return Info(f"{identity.product}/{identity.version}", agent=identity.agent, operator=identity.contact or None)


def prefix_of(shard: int | None) -> str:
    """How the names of the files of a shard begin; one that is alone has no number."""
    return "gossamer" if shard is None else f"gossamer-{shard:02}"
