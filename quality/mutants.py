"""Would the tests notice? Seeded one-line changes to the core, each run against the tests that execute its line.

    python quality/mutants.py                                  the core, three changes to a module
    python quality/mutants.py --seed 7 store/commits.py        one module, another draw
    python quality/mutants.py --each 20 robots urls
    python quality/mutants.py --seed 7 --most 150              150 of that draw

First the tests run once and note who executes which statement (`witnesses.py`); what they noted is kept, and only test
files that are new or changed run again. Then every change is made in a copy of the source, and the tests that execute
its line run until one fails: first the nearest few, then as many as there is time for. A change that none of them
notices has survived. `mutants.toml` holds changes that were looked at and make no difference to a user, each with the
reason; they are not tried. All others are printed, and each is a test that is missing.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, count
from math import sqrt
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from mutation import Change, drawn
from witnesses import CORE, ROOT, SOURCE, Witnesses, known, test_files

JUDGED = Path(__file__).with_suffix(".toml")
KEPT = ROOT / "build" / "mutants.map"
WITNESSES = tuple(f"tests/{room}" for room in CORE)
"""The tests that are asked."""
NEAREST = 12
"""Tests that are asked first: a process that has only them to load is quick."""
ENOUGH = 10.0
"""Seconds of CPU of tests that one change is run against."""
PATIENCE = 180.0
"""A change that makes its tests hang is noticed after so many seconds."""
_SECONDS = count(1_000_000_000)


class Mutant(NamedTuple):
    """A change to a module."""

    module: str
    change: Change
    code: str
    """The line it begins in."""

    @property
    def key(self) -> tuple[str, str, str]:
        """What stays the same when lines move."""
        return self.module, self.code, str(self.change)


class Tried(NamedTuple):
    """What came of a change."""

    mutant: Mutant
    noticed_by: str
    """The first test that failed; nothing where it survived."""
    executed: bool


def main() -> int:
    """Draw, run, and print what survived. 1 where too much did."""
    asked = _asked()
    mutants = list(_draw(sorted(_modules(asked.modules)), asked.seed, asked.each))
    if asked.most:
        mutants = random.Random(asked.seed).sample(mutants, min(asked.most, len(mutants)))
    judged = _judged()
    open_ones = [mutant for mutant in mutants if mutant.key not in judged]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        witnesses = known(Path(asked.map), asked.tests, Path(folder), asked.processes)
        files = {str(path.relative_to(ROOT)) for path in test_files(asked.tests)}
        tried = list(_tried(open_ones, witnesses, files, Path(folder), asked.processes))
    return _tell(len(mutants), tried, asked.floor)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", default=CORE, help="folders or files below src/gossamer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=3, help="changes to a module")
    parser.add_argument("--most", type=int, help="no more changes than these, drawn among all")
    parser.add_argument("--tests", nargs="*", default=WITNESSES, help="the tests that are asked")
    parser.add_argument("--map", default=KEPT, help="where it is kept which test executes which statement")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="at the same time")
    parser.add_argument("--floor", type=float, default=0.95, help="the part that must be noticed")
    return parser.parse_args()


def _modules(names: Iterable[str]) -> Iterator[Path]:
    for name in names:
        place = SOURCE / name
        if not place.exists():
            raise SystemExit(f"{place}: no such module; name a folder or file below {SOURCE}")
        yield from place.rglob("*.py") if place.is_dir() else [place]


def _draw(modules: Sequence[Path], seed: int, each: int) -> Iterator[Mutant]:
    for path in modules:
        source, name = path.read_text(), str(path.relative_to(SOURCE))
        lines = source.splitlines()
        for change in drawn(source, each, random.Random(f"{seed} {name}")):
            yield Mutant(name, change, lines[change.line - 1].strip())


# ------------------------------------------------------------------ who survives


def _tried(
    mutants: Sequence[Mutant], witnesses: Witnesses, files: Iterable[str], folder: Path, processes: int
) -> Iterator[Tried]:
    copies: SimpleQueue[Path] = SimpleQueue()
    for number in range(processes):
        copy = folder / str(number)
        shutil.copytree(SOURCE, copy / "gossamer", ignore=shutil.ignore_patterns("__pycache__"))
        copies.put(copy)

    def try_it(mutant: Mutant) -> Tried:
        tests = _chosen(mutant, witnesses, files)
        copy = copies.get()
        try:
            found = next(
                filter(None, (_noticed(copy, mutant, part) for part in (tests[:NEAREST], tests[NEAREST:]))), ""
            )
        finally:
            copies.put(copy)
        return Tried(mutant, found, bool(tests))

    with ThreadPoolExecutor(processes) as pool:
        for each in pool.map(try_it, mutants):
            print(_said(each), flush=True)
            yield each


def _chosen(mutant: Mutant, witnesses: Witnesses, files: Iterable[str]) -> list[str]:
    """As many that execute its line as there is time for: those named after the module, then the quickest."""
    about = f"_{Path(mutant.module).stem}.py"
    tests = witnesses.of(mutant.module, mutant.change.line, files)
    ordered = sorted(tests, key=lambda test: (about not in test, witnesses.seconds(test), test))
    spent = accumulate(map(witnesses.seconds, ordered))
    return [test for test, so_far in zip(ordered, spent, strict=True) if so_far <= ENOUGH] or ordered[:1]


def _noticed(copy: Path, mutant: Mutant, tests: Sequence[str]) -> str:
    """Which of the tests fails with this change?"""
    if not tests:
        return ""
    path, sound = copy / "gossamer" / mutant.module, (SOURCE / mutant.module).read_text()
    _put(path, mutant.change.applied(sound))
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    with tempfile.TemporaryDirectory(prefix="mutant-") as scratch:
        options = ("-x", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider", "--basetemp", scratch)
        command = [sys.executable, "-m", "pytest", *options, *tests]
        try:
            ended = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
            )
        except subprocess.TimeoutExpired:
            return "a test that hangs"
        finally:
            _put(path, sound)
    failed = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - |$)", ended.stdout, re.MULTILINE)
    return (failed[1] if failed else "all of them: nothing runs") if ended.returncode else ""


def _put(path: Path, source: str) -> None:
    """Compiled code is known by the second and the size of its source, so each change gets a second of its own."""
    path.write_text(source)
    second = next(_SECONDS)
    os.utime(path, (second, second))


# ------------------------------------------------------------------ what it comes to


def _judged() -> set[tuple[str, str, str]]:
    rows = tomllib.loads(JUDGED.read_text())["survivor"] if JUDGED.exists() else []
    return {(row["module"], row["code"], row["change"]) for row in rows}


def _said(tried: Tried) -> str:
    mutant = tried.mutant
    place = f"{mutant.module}:{mutant.change.line}: {mutant.change}"
    if tried.noticed_by:
        return f"{place}   noticed by {tried.noticed_by}"
    return f"SURVIVED {place}{'' if tried.executed else '   (no test executes its function)'}\n    {mutant.code}"


def _tell(mutants: int, tried: Sequence[Tried], floor: float) -> int:
    survivors = [each for each in tried if not each.noticed_by]
    print(f"\n{len(survivors)} survived", *map(_said, survivors), sep="\n")
    print(f"{mutants} changes, {mutants - len(tried)} of them judged to make no difference")
    for room in sorted({each.mutant.module.partition("/")[0] for each in tried}):
        print(_figure(room, [each for each in tried if each.mutant.module.startswith(f"{room}/")]))
    print(_figure("noticed", tried), f"({floor:.0%} wanted)")
    return 0 if len(survivors) <= (1 - floor) * len(tried) else 1


def _figure(name: str, tried: Sequence[Tried]) -> str:
    noticed, all_ = sum(bool(each.noticed_by) for each in tried), len(tried)
    part = noticed / all_ if all_ else 1.0
    return f"{name}: {noticed} of {all_}, {part:.1%} \N{PLUS-MINUS SIGN} {sqrt(part * (1 - part) / max(all_, 1)):.1%}"


if __name__ == "__main__":
    sys.exit(main())
