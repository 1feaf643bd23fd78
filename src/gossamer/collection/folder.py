"""A directory is a database: what lies where in it, and whether it is one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from gossamer import plan as plans
from gossamer.errors import NotACollection, StorageError
from gossamer.plan import Plan

SHARDS = "shards"


@dataclass(frozen=True, slots=True)
class Folder:
    """The directory of a collection."""

    path: Path

    def shard(self, index: int) -> Path:
        """The whole system for a slice of the sites."""
        return self.path / SHARDS / f"{index:02}"

    def table(self, index: int) -> Path:
        """The rows of a shard."""
        return self.shard(index) / "table"

    @property
    def graph(self) -> Path:
        """Ranks and anchors over all shards."""
        return self.path / "graph"

    @property
    def gate(self) -> Path:
        """What the processes of a crawl share while it runs."""
        return self.path / "gate"

    @property
    def plan_file(self) -> Path:
        """What was asked for."""
        return self.path / plans.FILE

    def exists(self) -> bool:
        """Is it a collection?"""
        return self.plan_file.is_file() and self.table(0).is_dir()

    def require(self) -> None:
        """Say clearly why it is none."""
        if self.exists():
            return
        if self.path.is_file():
            raise NotACollection(f"{self.path}: is a file; a collection is a directory")
        if not self.path.exists():
            raise NotACollection(f"{self.path}: no such directory; `gossamer crawl {self.path} SEED` makes one")
        raise NotACollection(f"{self.path}: not a collection; `gossamer crawl DIR SEED` makes one in a new directory")

    def create(self, shards: int) -> None:
        """Make it, unless something else is there."""
        if self.path.is_file():
            raise NotACollection(f"{self.path}: is a file; name a new or empty directory")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            occupied = not self.plan_file.exists() and any(name != "lock" for name in os.listdir(self.path))
            if occupied:
                raise NotACollection(f"{self.path}: holds other files; name a new or empty directory")
            for index in range(shards):
                self.shard(index).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(
                f"{self.path}: cannot be made ({error.strerror}); check the owner, mode and disk"
            ) from error

    def load_plan(self) -> Plan:
        """The plan as it stands on disk."""
        return plans.load(self.plan_file) if self.plan_file.exists() else Plan()

    def save_plan(self, plan: Plan) -> None:
        """Replace it at once or not at all."""
        partial = self.plan_file.with_suffix(".partial")
        try:
            partial.write_text(plans.dump(plan))
            partial.replace(self.plan_file)
        except OSError as error:
            raise StorageError(f"{self.plan_file}: cannot be written ({error.strerror})") from error
