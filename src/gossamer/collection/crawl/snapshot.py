"""What does a shard consist of at one commit? All that has to lie on another disk for it to go on there.

First the table: RocksDB makes a copy of links to its sorted files. Then links to whatever a later commit may remove.
Then the lengths of the files that grow, as that copy of the table has them. What is read is the copy and not the table,
so that all of it is of one commit; and the copy is opened, so that no checkpoint is kept that could not be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import asdict

from gossamer import files
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.derive.index_state import committed_length, log_mark
from gossamer.collection.folder import INDEX, LINKS, PAST, PRINTS, TABLE
from gossamer.dedupe.print_runs import FORM as PRINTS_FORM
from gossamer.depot.parts import Fixed, Growing, Part, Small, Snapshot
from gossamer.errors import Damaged
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.shards.exchange import kept_marks
from gossamer.index.soundness import META, names
from gossamer.store.archive_files import ArchiveFiles
from gossamer.store.table.opening import CHECKPOINT
from gossamer.store.table.table import Table
from gossamer.store.url_seen import FORM as SEEN_FORM
from gossamer.store.versions import FOLDER as CAPTURES
from gossamer.store.versions import STATE
from gossamer.store.versions import TEXTS_FOLDER as TEXTS
from gossamer.store.warc.texts import Texts

LOOKS_MOST = 20
"""How often the index is looked at, which merges its files on its own."""
_MANAGED = ".managed.json"
_SORTED = re.compile(r"[0-9]+\.sst|OPTIONS-[0-9]+")
_LIST = re.compile(r"MANIFEST-[0-9]+")
_ANY = re.compile(r"[^/]+")


@contextmanager
def taken(shard: Path, table: Table, claim: str) -> Iterator[Snapshot]:
    """A shard as of its last commit; its parts can be read until this ends.

    `claim` is drawn by each process: the list of files of a table is another one after it was opened anew.
    """
    place = shard / CHECKPOINT
    files.remove_tree(place)
    files.make_folder(place)
    try:
        table.checkpoint(place / TABLE)
        parts = [*_linked(shard, place), *_table_parts(place / TABLE, claim)]
        with Table.open_alone(place / TABLE, FAMILIES) as copy:
            parts += _grown(shard, copy)
            marks, counts = kept_marks(copy), asdict(Ledger(copy).counts)
        numbers = {name: value for name, value in counts.items() if isinstance(value, int | float)}
        yield Snapshot(tuple(parts), table.sequence, marks, numbers)
    finally:
        files.remove_tree(place)


def _table_parts(copy: Path, claim: str) -> Iterator[Part]:
    for name in files.names(copy, _ANY):
        path, named = copy / name, f"{TABLE}/{name}"
        if _SORTED.fullmatch(name):
            yield Fixed(named, path)
        elif _LIST.fullmatch(name):
            yield Growing(named, path, files.size(path), claim)
        else:
            yield Small(named, files.read(path))


def _linked(shard: Path, place: Path) -> Iterator[Part]:
    """Runs, and the files of the indexes."""
    for part, form in (("seen", SEEN_FORM), (PRINTS, PRINTS_FORM)):
        finished = [name for name in files.names(shard / part, form.name) if name.endswith(form.endings)]
        yield from _links(shard, place, part, finished)
    for part in (INDEX, PAST):
        if files.is_file(shard / part / META):
            yield from _index_parts(shard, place, part)


def _links(shard: Path, place: Path, part: str, some: list[str]) -> Iterator[Fixed]:
    files.make_folder(place / part)
    for name in some:
        files.link(shard / part / name, place / part / name)
        yield Fixed(f"{part}/{name}", place / part / name)


def _index_parts(shard: Path, place: Path, part: str) -> list[Part]:
    """Those of its last commit. It merges files while nobody asks it to, and removes what it has merged."""
    folder = shard / part
    for left in reversed(range(LOOKS_MOST)):
        meta = files.read(folder / META)
        try:
            found: list[Part] = [
                *_links(shard, place, part, [each for each in names(meta) if files.is_file(folder / each)])
            ]
            complete = len(found) == len(names(meta))
        except FileNotFoundError:
            complete = False
        if complete and files.read(folder / META) == meta:
            small = [name for name in (_MANAGED,) if files.is_file(folder / name)]
            return [
                *found,
                Small(f"{part}/{META}", meta),
                *(Small(f"{part}/{n}", files.read(folder / n)) for n in small),
            ]
        files.remove_tree(place / part)
        if not left:
            break
    raise Damaged(f"{folder}: its files are not all there; `gossamer verify DIR --repair` makes the index again")


def _grown(shard: Path, table: Table) -> Iterator[Part]:
    archive, texts = ArchiveFiles(table, shard / CAPTURES), Texts(table, STATE, shard)
    if missing := archive.missing():
        raise Damaged(f"{shard / CAPTURES / missing[0]}: is missing; `gossamer verify DIR --repair` forgets it")
    for path, length in archive.all():
        yield Growing(f"{CAPTURES}/{path.name}", path, length)
    for path, length in texts.files():
        yield Growing(f"{TEXTS}/{path.name}", path, length)
    if length := committed_length(table):
        yield Growing(LINKS, shard / LINKS, length, log_mark(table))
