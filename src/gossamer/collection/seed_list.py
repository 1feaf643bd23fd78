"""Where are the seeds of a long list? In a file of the collection, beside the plan, which would be a burden with them.

One a line, as in the plan, in the order in which they came; the first line names the list. A further list is written
behind the seeds that are there: the new file is on the disk, whole, before it takes the place of the old one, and that
happens before the crawl begins. So a file that is there is whole, and the place up to which it was read stays right.

Each shard reads it in slices at its start (`crawl/start.py`), takes its own, and notes how far it is in the same commit
as what it took. After a kill it goes on there: no seed is lost, and none comes in twice.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

from gossamer import files
from gossamer.collection.folder import SEEDS as FILE
from gossamer.errors import Damaged, InvalidURL, UsageError
from gossamer.plan import Plan, texts
from gossamer.printable import counted, log
from gossamer.urls.keys import is_shaped
from gossamer.urls.scope import Scope
from gossamer.urls.seed_prints import Prints
from gossamer.urls.seeds import address, as_listed

SHORT = 1_000
"""Seeds that the plan takes at once; with more they come here."""
SLICE = 10_000
"""Seeds that come in with one commit."""
LONGEST = 65_536
"""Bytes of a line."""
_HEAD = re.compile(rb"# seeds ([0-9a-f]{16})\n")


class Slice(NamedTuple):
    """Some seeds, and what to note when they are taken in."""

    seeds: list[str]
    note: bytes


@dataclass(frozen=True, slots=True)
class SeedList:
    """The list of a collection; without a file it is empty."""

    folder: Path

    @property
    def path(self) -> Path:
        """Where it is, or would be."""
        return self.folder / FILE

    def slices(self, note: bytes = b"") -> Iterator[Slice]:
        """What comes after the slice with this note, or all where it is that of another list."""
        with _opened(self.path) as file:
            if file is None:
                return
            head = _head(file, self.path)
            name, _, place = note.partition(b" ")
            if name == head and place.isdigit():
                file.seek(int(place))
            while seeds := list(islice(_lines(file, self.path), SLICE)):
                yield Slice(seeds, b"%s %d" % (head, file.tell()))

    def __iter__(self) -> Iterator[str]:
        for each in self.slices():
            yield from each.seeds

    def __bool__(self) -> bool:
        return files.is_file(self.path)

    def mark(self) -> str:
        """Another one after each change."""
        return f"{files.size(self.path)}" if self else ""

    def add(self, texts: Iterable[str]) -> int:
        """Take in seeds as people write them, and how many are new. What is no address is counted and passed over."""
        known = Prints()
        for each in self.slices():
            known.update(each.seeds)
        written = _Written(texts, known)
        try:
            self._prepare(chain(self._pieces(), (seed.encode() + b"\n" for seed in written)))
            if written.new:
                self._replace()
            else:
                files.remove(self._partial)
        except OSError as error:
            raise files.told(error, self.path) from error
        written.complain()
        return written.new

    @property
    def _partial(self) -> Path:
        return self.path.with_name(FILE + files.PARTIAL)

    def _prepare(self, pieces: Iterable[bytes]) -> None:
        files.remove(self._partial)
        with files.open(self._partial, "wb") as out:
            for piece in pieces:
                out.write(piece)
            out.flush()
            os.fsync(out.fileno())

    def _replace(self) -> None:
        files.move(self._partial, self.path)
        files.sync_folder(self.folder)

    def _pieces(self) -> Iterator[bytes]:
        """All that is there, or the head of a new list."""
        with _opened(self.path) as file:
            if file is None:
                yield _new_head()
            else:
                yield from iter(lambda: file.read(1 << 20), b"")

    def check(self) -> Iterator[str]:
        """What is wrong with it. What stands in its place and is no file is named elsewhere: see `put_aside`."""
        try:
            for _ in self.slices():
                pass
        except Damaged as error:
            if files.kind(self.path) == files.A_FILE:
                yield str(error)

    def mend(self, aside: Path) -> tuple[list[str], Path | None]:
        """Keep the lines that are whole. What was wrong, and where the old file is."""
        wrong = list(self.check())
        if not wrong:
            return [], None
        self._prepare(self._whole_lines())
        moved = files.put_aside(self.path, aside)
        self._replace()
        return wrong, moved

    def _whole_lines(self) -> Iterator[bytes]:
        yield _new_head()  # another name, so that every shard reads it from the beginning
        with _opened(self.path) as file:
            if file is not None:
                yield from (line for line in iter(lambda: file.readline(LONGEST), b"") if _seed(line) is not None)

    def widen(self, scope: Scope) -> Scope:
        """A scope around these seeds too."""
        for each in self.slices():
            scope.load_seeds(map(address, each.seeds))
        return scope


class _Written:
    """Seeds as they are kept, each that is new."""

    def __init__(self, texts: Iterable[str], known: Prints) -> None:
        self._texts = texts
        self._known = known
        self.new = 0
        self._no_address = 0
        self._first = ""

    def __iter__(self) -> Iterator[str]:
        for text in self._texts:
            try:
                seed = as_listed(text)
            except InvalidURL as error:
                self._no_address += 1
                self._first = self._first or str(error)
                continue
            if self._known.add(seed):
                self.new += 1
                yield seed

    def complain(self) -> None:
        if self._no_address:
            passed = counted(self._no_address, "line")
            log.warning(
                "%s of the list passed over, because no address stands there; the first: %s", passed, self._first
            )


def scope_of(plan: Plan, folder: Path) -> Scope:
    """What a crawl is about, by its plan and its list."""
    return SeedList(folder).widen(plan.as_scope())


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO | None]:
    try:
        file = files.open(path)
    except FileNotFoundError:
        yield None
        return
    with file:
        yield file


def _new_head() -> bytes:
    return b"# seeds %s\n" % os.urandom(8).hex().encode()


def _head(file: BinaryIO, path: Path) -> bytes:
    head = _HEAD.fullmatch(file.readline(LONGEST))
    if head is None:
        raise _damaged(path, "begins as no list of ours does")
    return head[1]


def _lines(file: BinaryIO, path: Path) -> Iterator[str]:
    while line := file.readline(LONGEST):
        seed = _seed(line)
        if seed is None:
            raise _damaged(path, f"no seed stands before byte {file.tell():,}")
        yield seed


def _seed(line: bytes) -> str | None:
    """What a line of ours says."""
    try:
        seed = line.decode()
    except UnicodeDecodeError:
        return None
    return seed[:-1] if seed.endswith("\n") and is_shaped(address(seed)) and " " not in seed else None


def _damaged(path: Path, what: str) -> Damaged:
    return Damaged(f"{path}: {what}; `gossamer verify {path.parent} --repair` keeps the lines that are whole")


def named_seeds(seeds: Iterable[str | Iterable[str]]) -> list[str]:
    """Seeds, and lists of them."""
    named: list[str] = []
    for seed in seeds:
        some = texts(seed) if isinstance(seed, Iterable) and not isinstance(seed, bytes) else (seed,)
        if wrong := [each for each in some if not isinstance(each, str)]:
            raise UsageError(f"seed {wrong[0]!r}: is no text; a seed is an address, like 'https://example.org/'")
        named += some
    return named
