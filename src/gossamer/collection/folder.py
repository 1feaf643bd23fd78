"""A directory is a database: what lies where in it, and whether it is one."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from gossamer import files
from gossamer import plan as plans
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.plan_text import edited
from gossamer.errors import Damaged, InvalidPlan, NotACollection, StorageError, UsageError
from gossamer.files import anchors
from gossamer.plan import Plan
from gossamer.printable import counted
from gossamer.store.table.manifest import is_born
from gossamer.store.versions import FOLDER as CAPTURES

SHARDS, TABLE, ID = "shards", "table", "id"
LINKS, INDEX, PAST, PRINTS = "links/log", "index", "past", "prints"
"""Where the log of links, the indexes of now and of the past, and the sorted files of prints lie in a shard."""
SEEDS = "seeds"
BEFORE = frozenset({"lock", SHARDS, ID, SEEDS, *(f"{name}{files.PARTIAL}" for name in (ID, SEEDS, plans.FILE))})
"""What a first crawl that was killed at once may leave where there is no plan yet."""
PARTS = (TABLE, CAPTURES, "texts", "seen", PRINTS, "links", INDEX, PAST)
_NUMBER = re.compile(r"[0-9]{2,}")


@dataclass(frozen=True, slots=True)
class Folder:
    """The directory of a collection."""

    path: Path

    def shard(self, index: int) -> Path:
        """The whole system for a slice of the sites."""
        return self.path / SHARDS / f"{index:02}"

    def table(self, index: int) -> Path:
        """The rows of a shard."""
        return self.shard(index) / TABLE

    @property
    def graph(self) -> Path:
        """Ranks and anchors over all shards."""
        return self.path / "graph"

    @property
    def leases(self) -> Path:
        """What the processes of a crawl share while it runs."""
        return self.path / "gate"

    @property
    def plan_file(self) -> Path:
        """What was asked for."""
        return self.path / plans.FILE

    def numbers(self) -> list[int]:
        """The shards that hold anything. A folder alone is none: it is made before its table."""
        found = map(int, files.folders(self.path / SHARDS, _NUMBER))
        return [each for each in found if any(files.is_folder(self.shard(each) / part) for part in (TABLE, CAPTURES))]

    def require_no_links(self) -> None:
        """Say before anything is done that a part is somewhere else, and not after a crawl of days."""
        shards = [self.path / SHARDS / name for name in files.folders(self.path / SHARDS, _NUMBER)]
        for part in (self.graph, *(shard / name for shard in shards for name in PARTS)):
            if files.kind(part) == files.A_LINK:
                files.is_folder(part)

    def is_there(self) -> bool:
        """Is there a directory? One that is being written to is, by whatever name."""
        return anchors.is_anchored(self.path) or self.path.is_dir()

    def has_plan(self) -> bool:
        """Was anything asked for here?"""
        return self.is_there() and files.kind(self.plan_file) != ""

    def exists(self) -> bool:
        """Is it a collection? A damaged one is one too."""
        return self.is_there() and bool(self.numbers())

    def require(self) -> None:
        """Say clearly why it is none, or that it is somebody else's."""
        self._require_name()
        try:
            if self.exists():
                self.require_no_links()
                return
        except PermissionError as error:
            raise StorageError(f"{self.path}: cannot be read ({error.strerror}); check its owner and mode") from error
        if self.path.is_file():
            raise NotACollection(f"{self.path}: is a file; a collection is a directory")
        if not self.path.exists():
            raise NotACollection(f"{self.path}: no such directory; `gossamer crawl {self.path} SEED` makes one")
        if files.is_file(self.plan_file) and files.kind(self.graph):
            again = f"`gossamer crawl {self.path}` fetches again what is still on the web"
            raise Damaged(f"{self.path}: its shards are missing, and all captures with them; {again}")
        if files.is_file(self.plan_file):
            raise NotACollection(f"{self.path}: holds a plan and nothing else yet; `gossamer crawl {self.path}` begins")
        raise NotACollection(f"{self.path}: not a collection; `gossamer crawl NEW-DIR SEED` makes one")

    def create(self, *, private: bool = False) -> None:
        """Make it, unless something else is there. What a run has left that was killed at once is ours.

        Into one that is `private` nobody else may look, whatever it was before.
        """
        self._require_name()
        if self.path.is_file():
            raise NotACollection(f"{self.path}: is a file; name a new or empty directory")
        try:
            files.make_folder(self.path)
            self.require_no_links()
            occupied = not files.is_file(self.plan_file) and not BEFORE.issuperset(files.entries(self.path))
            if occupied:
                raise NotACollection(f"{self.path}: holds other files; name a new or empty directory")
            if private:
                files.close_to_others(self.path)
        except OSError as error:
            raise StorageError(
                f"{self.path}: cannot be made ({error.strerror}); check the owner, mode and disk"
            ) from error

    def make_shards(self, shards: int) -> None:
        """Their folders. The plan is there before, so that nobody takes them for something else's."""
        try:
            for index in range(shards):
                files.make_folder(self.shard(index))
        except OSError as error:
            raise files.told(error, self.path / SHARDS) from error

    def require_all(self, plan: Plan) -> None:
        """Are all shards there, and no others? Once anything was fetched, all of them had a table."""
        count, found = plan.shards or 1, self.numbers()
        if found and found[-1] >= count:
            raise Damaged(
                f"{self.plan_file}: has {counted(count, 'shard')}, but there is shards/{found[-1]:02}; {self._cure}"
            )
        lacking = self._without_table(plan)
        if lacking and any(files.is_folder(self.shard(index) / CAPTURES) for index in found):
            raise Damaged(f"{self.table(lacking[0])}: is missing; {self._cure}")

    def is_begun(self, plan: Plan) -> bool:
        """Has every shard its table? A first crawl that was killed in its first moments may have left some without."""
        return not self._without_table(plan)

    def _without_table(self, plan: Plan) -> list[int]:
        return [index for index in range(plan.shards or 1) if not is_born(self.table(index), FAMILIES)]

    @property
    def _cure(self) -> str:
        return f"`gossamer verify {self.path} --repair` mends what can be mended"

    def _require_name(self) -> None:
        """The libraries that write the table and the index take names in UTF-8 only."""
        try:
            str(self.path).encode()
        except UnicodeEncodeError:
            raise UsageError(f"{self.path}: the name of a collection has to be UTF-8; rename the directory") from None

    def load_plan(self) -> Plan:
        """The plan as it stands on disk."""
        if not self.exists():
            here = self.is_there() and files.is_file(self.plan_file)
            return plans.load(self.plan_file) if here else Plan()
        cure = f"`gossamer verify {self.path} --repair` puts back the settings of the last crawl"
        if damage := self.damage_of_plan():
            raise Damaged(f"{self.plan_file}: {damage}; {cure}")
        try:
            return plans.load(self.plan_file)
        except InvalidPlan as error:
            raise InvalidPlan(f"{error}; mend it, or {cure}" if error.__cause__ else str(error)) from error

    def plan_stamp(self) -> tuple[int, int, int] | None:
        """Another one after each change of the plan; None where there is none that can be read."""
        try:
            found = files.about(self.plan_file)
        except (OSError, Damaged):
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def damage_of_plan(self) -> str | None:
        """Why nobody can have meant the plan to be as it is; None when somebody may."""
        try:
            if files.kind(self.plan_file) == files.A_FOLDER:
                return "is a directory"
            text = files.read(self.plan_file).decode("utf-8-sig")
            if not text.strip() or not plans.is_whole(text):
                return "is cut short" if text.strip() else "is empty"
            plans.load(self.plan_file)
        except FileNotFoundError:
            return "is missing"
        except OSError as error:
            raise files.unreadable(error, self.plan_file) from None
        except UnicodeDecodeError:
            return "is no text"
        except InvalidPlan as error:  # a slip of who has edited it is no damage
            return "is no plan" if error.__cause__ and not plans.is_meant(text) else None
        return None

    def save_plan(self, plan: Plan) -> None:
        """Replace it at once or not at all; it lasts through a power cut. What its user wrote besides stays."""
        try:
            before = (
                files.read(self.plan_file).decode("utf-8-sig", "replace") if files.is_file(self.plan_file) else None
            )
            text = plans.dump(plan) if before is None else edited(before, plan, self.plan_file)
            if text != before:
                files.replace(self.plan_file, text.encode(), 0o600 if plans.public(plan) != plan else 0o666)
        except OSError as error:
            cure = "is there room on the disk, and may we write there?"
            raise StorageError(f"{self.plan_file}: cannot be written ({error.strerror}); {cure}") from error


def settled(path: Path) -> Path:
    """Where a collection really is. DIR may be a link, or lie behind one; nothing within it may: see `files`."""
    real = os.path.realpath(path)
    return path if os.path.abspath(path) == real and ".." not in path.parts else Path(real)
