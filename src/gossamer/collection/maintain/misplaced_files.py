"""Is every shard in the folder of its number, and every file of captures in its shard?

Somebody has renamed folders, or put files back into the wrong ones. A shard remembers its number (`imprint`), and where
a capture belongs is told by its site. What has strayed is put back, a rename at a time; what a kill leaves half done
has strayed too, and the next repair goes on with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

from gossamer import files
from gossamer.collection.column_families import FAMILIES, only
from gossamer.collection.crawl import shard_identity
from gossamer.collection.crawl.shard_identity import Imprint
from gossamer.collection.folder import SHARDS, Folder
from gossamer.collection.sites import owner_of
from gossamer.errors import GossamerError
from gossamer.frontier.entries import META
from gossamer.model import URL
from gossamer.plan import Plan
from gossamer.store.archive import Archive
from gossamer.store.repair.verify import is_capture, row_of
from gossamer.store.table.table import Table
from gossamer.store.versions import FOLDER as CAPTURES
from gossamer.store.warc.reader import records
from gossamer.store.warc.warc import warc_files


def rename_shards(folder: Folder) -> list[str]:
    """Give folders their names back, as far as their tables say which shard they are. What was done."""
    final = _final(folder)
    beyond = max((*folder.numbers(), *final.values()), default=0) + 1  # two may have changed places
    for number, here in enumerate(final, beyond):
        files.move_folder(folder.shard(here), folder.shard(number))
    for number, there in enumerate(final.values(), beyond):
        files.move_folder(folder.shard(number), folder.shard(there))
    if final:
        files.sync_folder(folder.path / SHARDS)
    return [f"shards/{here:02}: was shard {there}, and is shards/{there:02} again" for here, there in final.items()]


def _final(folder: Folder) -> dict[int, int]:
    """By their numbers now, what folders should have. One whose table says nothing takes a place that is left."""
    known = {number: _imprint(folder, number) for number in folder.numbers()}
    shards = {number: found.shard for number, found in known.items() if found is not None}
    count = next((found.shards for found in known.values() if found is not None), 0)
    claimed = Counter(shards.values())
    final = {number: shard for number, shard in shards.items() if shard != number and claimed[shard] == 1}
    unnamed = (number for number, found in known.items() if found is None)
    homeless = [number for number in unnamed if number >= count or number in final.values()]
    taken = {*(known.keys() - final.keys() - set(homeless)), *final.values()}
    free = (number for number in range(count) if number not in taken)
    return final | dict(zip(homeless, free, strict=False))


def _imprint(folder: Folder, number: int) -> Imprint | None:
    with suppress(GossamerError), Table.open_alone(folder.table(number), only(META)) as table:
        return shard_identity.of(table)
    return None


def move_captures(folder: Folder, plan: Plan) -> Iterator[str]:
    """Move files of captures that no row of their shard knows to the shard that they belong to. What was done."""
    owner = owner_of(plan)
    for index in range(plan.shards):
        for path in list(_unknown(folder, index)):
            there = _owner(path, owner)
            target = folder.shard(index if there is None else there) / CAPTURES / path.name
            if there not in (None, index) and not files.kind(target):
                files.make_folder(target.parent)
                files.move(path, target)
                files.sync_folder(target.parent)
                files.sync_folder(path.parent)
                yield f"{path}: has captures of shards/{there:02}, and is there now"


def _unknown(folder: Folder, index: int) -> Iterator[Path]:
    """Files that have no capture with a row."""
    with ExitStack() as stack:
        archive: Archive | None = None
        with suppress(GossamerError):  # a table that is damaged knows no file
            table = stack.enter_context(Table.open_alone(folder.table(index), FAMILIES))
            archive = Archive(table, folder.shard(index), lambda capture: capture)
        for path in warc_files(folder.shard(index) / CAPTURES):
            if archive is None or not _is_known(archive, path):
                yield path


def _is_known(archive: Archive, path: Path) -> bool:
    with suppress(GossamerError):  # neither does a row that cannot be read
        return any(row_of(archive, each) for each in filter(is_capture, records(path)))
    return False


def _owner(path: Path, owner: Callable[[URL], int]) -> int | None:
    """The shard that all captures of a file belong to, if it is one."""
    found = {owner(each.url) for each in filter(is_capture, records(path)) if "://" in (each.url or "") and each.url}
    return found.pop() if len(found) == 1 else None
