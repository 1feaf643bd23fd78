"""What do near copies cost at scale, and does the cost grow? Made pages, three in ten of them copies.

    python bench/duplicates.py --sizes 100_000 300_000 1_000_000

Every page is made text of about 200 words. Copies are exact, or have one or three words in a hundred replaced, of any
page that came before. Each size is a process of its own, so that its peak of memory is its own. CPU is that of the
whole process, RocksDB's threads included, without the making of pages.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from gossamer.dedupe import print_of
from gossamer.dedupe.column_families import FAMILIES
from gossamer.dedupe.lookup import Lookup, Met
from gossamer.dedupe.pairs import grouped, pairs
from gossamer.store.table.table import Table
from gossamer.testing.prose import prose

WORDS = 200
COPIES = 0.3
EDITS = (0.0, 0.01, 0.03)
SITES = 997
BATCH = 100
ASKED = 200
SEED = 5


@dataclass(frozen=True, slots=True)
class Result:
    """What one size cost."""

    pages: int
    copies: int
    print_us: float
    """CPU for the print of a page."""
    meet_us: float
    """CPU to look a page up among those before it, and to keep it, commits included."""
    similar_ms: float
    """Wall time of one question, asked alone."""
    pairs_s: float
    """CPU for all pairs."""
    memory_mb: float
    disk_mb: float
    found: float
    """Share of the copies that are in the group of their original."""
    wrong: int
    """Groups that hold pages of more than one original."""


def origin(rng: random.Random, number: int) -> int:
    """The page that this one is a copy of; itself when it is none."""
    return rng.randrange(number) if number and rng.random() < COPIES else number


class MadePages:
    """Pages and what they are copies of: a page is its number, so that none has to be kept."""

    def __init__(self, count: int) -> None:
        self.origins: list[int] = []
        rng = random.Random(SEED)
        for number in range(count):
            self.origins.append(self.origins[at] if (at := origin(rng, number)) != number else number)
        self._words = prose(SEED)

    def text(self, number: int) -> str:
        first = self.origins[number]
        sentences = self._words.sentences(WORDS, self._words.topic(first % SITES), first)
        if first != number:
            sentences = self._words.edited(sentences, EDITS[number % len(EDITS)], number)
        return ". ".join(map(" ".join, sentences))

    def url(self, number: int) -> str:
        return f"https://www.site{number % SITES}.test/{number}"

    def met(self, number: int, text: str) -> Met:
        return Met(self.url(number), f"site{number % SITES}.test", print_of(text))


def measured(count: int, folder: Path) -> Result:
    made = MadePages(count)
    with Table.open(folder / "table", FAMILIES, writable=True) as table:
        lookup = Lookup(table, folder / "prints")
        printing, meeting = fill(lookup, table, made)
        similar = ask(lookup, made)
        began = time.process_time()
        groups = grouped((pair.one, pair.other) for pair in pairs([lookup]))
        pairing = time.process_time() - began
        lookup.close()
    copies = sum(origin != number for number, origin in enumerate(made.origins))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    disk = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
    costs = printing / count * 1e6, meeting / count * 1e6, similar * 1e3, pairing
    return Result(count, copies, *costs, memory, disk, *judged(made, groups))


def fill(lookup: Lookup, table: Table, made: MadePages) -> tuple[float, float]:
    """CPU seconds for prints, and for everything else."""
    printing = meeting = 0.0
    for start in range(0, len(made.origins), BATCH):
        texts = [(number, made.text(number)) for number in range(start, min(start + BATCH, len(made.origins)))]
        began = time.process_time()
        batch = [made.met(number, text) for number, text in texts]
        printed = time.process_time()
        lookup.meet(batch)
        lookup.prepare()
        table.commit()
        printing += printed - began
        meeting += time.process_time() - printed
    return printing, meeting


def ask(lookup: Lookup, made: MadePages) -> float:
    """Seconds for one question, on average."""
    rng = random.Random(SEED)
    numbers = [rng.randrange(len(made.origins)) for _ in range(ASKED)]
    asked = [made.met(number, made.text(number)) for number in numbers]
    began = time.perf_counter()
    for page in asked:
        lookup.similar([page])
    return (time.perf_counter() - began) / ASKED


def judged(made: MadePages, groups: list[list[str]]) -> tuple[float, int]:
    """Share of copies that are in one group with their original, and groups of several originals."""
    where = {int(url.rpartition("/")[2]): at for at, group in enumerate(groups) for url in group}
    copies = [(number, first) for number, first in enumerate(made.origins) if first != number]
    found = sum(where.get(number, -1) == where.get(first, -2) for number, first in copies)
    mixed = {at: set[int]() for at in range(len(groups))}
    for number, at in where.items():
        mixed[at].add(made.origins[number])
    return found / max(len(copies), 1), sum(len(origins) > 1 for origins in mixed.values())


HEAD = """\
| pages | copies | print | look up, keep | `similar` | all pairs | each | memory | disk | found | wrong |
|---|---|---|---|---|---|---|---|---|---|---|"""


def row_of(each: Result) -> str:
    return (
        f"| {each.pages:,} | {each.copies:,} | {each.print_us:.0f} us | {each.meet_us:.0f} us "
        f"| {each.similar_ms:.2f} ms | {each.pairs_s:.1f} s | {each.pairs_s / each.pages * 1e6:.0f} us "
        f"| {each.memory_mb:.0f} MB | {each.disk_mb:.0f} MB | {each.found:.4f} | {each.wrong} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 300_000, 1_000_000])
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(asdict(measured(options.sizes[0], Path(folder)))))
        return
    print(HEAD, flush=True)
    for size in options.sizes:
        command = [sys.executable, __file__, "--one", "--sizes", str(size)]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        print(row_of(Result(**json.loads(said))), flush=True)


if __name__ == "__main__":
    main()
