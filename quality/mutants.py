"""Would the tests notice? Seeded one-line changes to the core, each run against the tests that execute its line.

    python quality/mutants.py                                  the core, three changes to a module
    python quality/mutants.py --seed 7 store/commits.py        one module, another draw
    python quality/mutants.py --each 20 robots urls

First the tests run once and note who executes which line (`coverage`, with the test as context). Then every change is
made in a copy of the source, and the quickest of the tests that execute its line run until one fails. A change that
none of them notices has survived. `mutants.toml` holds the survivors that were looked at and make no difference to a
user, each with the reason; they do not count. All others are printed, and each is a test that is missing.

A test that runs the program as a process of its own is not followed there, so a line that only such tests reach counts
as one that nothing executes.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate, count
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

import msgspec
from mutation import Change, changes

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "gossamer"
JUDGED = Path(__file__).with_suffix(".toml")
CORE = ("robots", "runs", "frontier", "fetch", "store", "urls", "collection")
WITNESSES = tuple(f"tests/{room}" for room in CORE)
"""The tests that are asked: those that run in this process."""
ENOUGH = 20.0
"""Seconds of tests that one change is run against."""
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


@dataclass(frozen=True)
class Witnesses:
    """Which tests execute a line, and how long each test takes."""

    lines: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]

    def of(self, mutant: Mutant) -> list[str]:
        """As many that execute its line as there is time for: those named after the module, then the quickest."""
        tests = self.lines.get(mutant.module, {}).get(mutant.change.line, [])
        about = f"_{Path(mutant.module).stem}.py"
        ordered = sorted(tests, key=lambda test: (about not in test, self.seconds.get(test, 0.0)))
        spent = accumulate(self.seconds.get(test, 0.0) for test in ordered)
        return [test for test, so_far in zip(ordered, spent, strict=True) if so_far <= ENOUGH] or ordered[:1]


def main() -> int:
    """Draw, run, and print what survived. 1 where too much did."""
    asked = _asked()
    modules = sorted(_modules(asked.modules))
    drawn = list(_draw(modules, asked.seed, asked.each))
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        witnesses = _witnesses(Path(asked.map) if asked.map else Path(folder) / "map", asked.tests)
        survivors = list(_survivors(drawn, witnesses, Path(folder)))
    return _tell(drawn, survivors, asked.floor)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", default=CORE, help="folders or files below src/gossamer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=3, help="changes to a module")
    parser.add_argument("--tests", nargs="*", default=WITNESSES, help="the tests that are asked")
    parser.add_argument("--map", help="keep here which test executes which line, and use it again")
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
        lines, possible = source.splitlines(), changes(source)
        picked = random.Random(f"{seed} {name}").sample(possible, min(each, len(possible)))
        for change in sorted(picked, key=lambda one: one.start):
            yield Mutant(name, change, lines[change.line - 1].strip())


# ------------------------------------------------------------------ who executes what


class _Noting:
    """A pytest plugin: coverage learns which test is running, and we how long it took."""

    def __init__(self, coverage: object) -> None:
        self._switch = coverage.switch_context  # type: ignore[attr-defined]  # imported where it is used
        self.seconds: dict[str, float] = {}

    def pytest_runtest_setup(self, item: object) -> None:
        """Before its fixtures."""
        self._switch(item.nodeid)  # type: ignore[attr-defined]  # pytest is imported where it is used

    def pytest_runtest_logreport(self, report: object) -> None:
        """After each phase."""
        name: str = report.nodeid  # type: ignore[attr-defined]
        self.seconds[name] = self.seconds.get(name, 0.0) + report.duration  # type: ignore[attr-defined]


def _witnesses(kept: Path, tests: Sequence[str]) -> Witnesses:
    if not kept.exists():
        files = sorted(_test_files(tests), key=lambda path: path.stat().st_size)
        workers = min(os.cpu_count() or 1, len(files))
        parts = [kept.with_name(f"{kept.name}.{number}") for number in range(workers)]
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(_note_apart, parts, (files[number::workers] for number in range(workers))))
        kept.write_bytes(msgspec.json.encode(_joined(parts)))
    return msgspec.json.decode(kept.read_bytes(), type=Witnesses)


def _test_files(tests: Sequence[str]) -> Iterator[Path]:
    for place in (ROOT / test for test in tests):
        yield from place.rglob("test_*.py") if place.is_dir() else [place]


def _note_apart(kept: Path, files: Sequence[Path]) -> None:
    """Each core runs its share of the tests."""
    names = [str(path.relative_to(ROOT)) for path in files]
    subprocess.run([sys.executable, __file__, "--note", str(kept), *names], cwd=ROOT, check=False)


def _joined(parts: Iterable[Path]) -> Witnesses:
    """What the parts noted; their files are of no use any more."""
    lines: dict[str, dict[int, list[str]]] = {}
    seconds: dict[str, float] = {}
    for part in parts:
        if not part.exists():
            raise SystemExit("the tests could not be run; run them by `make test` first")
        noted = msgspec.json.decode(part.read_bytes(), type=Witnesses)
        seconds.update(noted.seconds)
        for module, by_line in noted.lines.items():
            for line, tests in by_line.items():
                lines.setdefault(module, {}).setdefault(line, []).extend(tests)
        part.unlink()
    return Witnesses(_at_import(lines, seconds), seconds)


def _note(kept: Path, tests: Sequence[str]) -> None:
    """Run tests once. In a process of its own, because it has to begin before the modules are imported."""
    import coverage
    import pytest

    measured = coverage.Coverage(data_file=None, source=[str(SOURCE)], config_file=False)
    measured.start()
    noting = _Noting(measured)
    pytest.main(["-q", "-p", "no:cacheprovider", *tests], plugins=[noting])
    measured.stop()
    data = measured.get_data()
    lines = {
        str(Path(file).relative_to(SOURCE)): {
            line: [test for test in contexts if test] for line, contexts in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    kept.write_bytes(msgspec.json.encode(Witnesses(lines, noting.seconds)))


def _at_import(lines: dict[str, dict[int, list[str]]], tests_run: Iterable[str]) -> dict[str, dict[int, list[str]]]:
    """What runs when a module is imported has no test of its own: all tests of the module and of its room are asked.

    A test may look at a constant, or at the default of a field, and execute no line of the module.
    """
    for module, by_line in lines.items():
        room = f"tests/{module.partition('/')[0]}/"
        of_room = {test for test in tests_run if test.startswith(room)}
        everyone = sorted(of_room.union(*by_line.values()))
        for line, tests in by_line.items():
            by_line[line] = tests or everyone
    return lines


# ------------------------------------------------------------------ who survives


def _survivors(drawn: Sequence[Mutant], witnesses: Witnesses, folder: Path) -> Iterator[tuple[Mutant, bool]]:
    """Those that no test notices, and whether any test executes them."""
    copies: SimpleQueue[Path] = SimpleQueue()
    workers = os.cpu_count() or 1
    for number in range(workers):
        copy = folder / str(number)
        shutil.copytree(SOURCE, copy / "gossamer", ignore=shutil.ignore_patterns("__pycache__"))
        copies.put(copy)

    def noticed(mutant: Mutant) -> bool:
        tests = witnesses.of(mutant)
        if not tests:
            return False
        copy = copies.get()
        try:
            return _fails(copy, mutant, tests)
        finally:
            copies.put(copy)

    with ThreadPoolExecutor(workers) as pool:
        for mutant, seen in zip(drawn, pool.map(noticed, drawn), strict=True):
            print("." if seen else "S", end="", flush=True)
            if not seen:
                yield mutant, bool(witnesses.of(mutant))
    print()


def _fails(copy: Path, mutant: Mutant, tests: Sequence[str]) -> bool:
    """Does any of the tests fail with this change?"""
    path, sound = copy / "gossamer" / mutant.module, (SOURCE / mutant.module).read_text()
    _put(path, mutant.change.applied(sound))
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    with tempfile.TemporaryDirectory(prefix="mutant-") as scratch:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--basetemp", scratch, *tests]
        try:
            ended = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, timeout=PATIENCE, check=False
            )
        except subprocess.TimeoutExpired:
            return True
        finally:
            _put(path, sound)
    return ended.returncode != 0


def _put(path: Path, source: str) -> None:
    """Compiled code is known by the second and the size of its source, so each change gets a second of its own."""
    path.write_text(source)
    second = next(_SECONDS)
    os.utime(path, (second, second))


# ------------------------------------------------------------------ what it comes to


def _judged() -> set[tuple[str, str, str]]:
    rows = tomllib.loads(JUDGED.read_text())["survivor"] if JUDGED.exists() else []
    return {(row["module"], row["code"], row["change"]) for row in rows}


def _tell(drawn: Sequence[Mutant], survivors: Sequence[tuple[Mutant, bool]], floor: float) -> int:
    judged = _judged()
    missed = [(mutant, executed) for mutant, executed in survivors if mutant.key not in judged]
    for mutant, executed in missed:
        print(f"{mutant.module}:{mutant.change.line}: {mutant.change}{'' if executed else '   (no test executes it)'}")
        print(f"    {mutant.code}")
    counted = len(drawn) - len(survivors) + len(missed)
    part = 1 - len(missed) / counted if counted else 1.0
    print(f"{len(drawn)} changes, {len(survivors) - len(missed)} of them judged to make no difference")
    print(f"noticed: {counted - len(missed)} of {counted} ({part:.1%}, {floor:.0%} wanted)")
    return 0 if part >= floor else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--note"]:
        _note(Path(sys.argv[2]), sys.argv[3:])
    else:
        sys.exit(main())
