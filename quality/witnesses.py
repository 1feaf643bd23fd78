"""Which tests execute which statement: noted once, and kept, so that only test files that are new or changed run again.

Every statement within a function leaves a mark in a table that the processes of a test share, so what its children run
is noted too. Marks cost less than tracing: a run with them takes little longer than one without. A statement is known
by its words and its function, so what was noted still holds when lines move.
"""

from __future__ import annotations

import ast
import hashlib
import mmap
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "gossamer"
CORE = ("robots", "runs", "frontier", "fetch", "store", "urls", "collection")
"""What is marked, and the tests that are asked."""
BATCH = 12
"""Test files that are run in one go: so many are noted again after an interruption."""
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
_TABLE = """import mmap
with open({path!r}, "r+b") as table:
    seen = mmap.mmap(table.fileno(), 0)
"""


class Test(msgspec.Struct):
    """What one test executed, a bit for each statement, and the seconds of CPU that it took."""

    seconds: float
    marks: bytes

    def executed(self, number: int) -> bool:
        """Whether it did this statement."""
        return number >> 3 < len(self.marks) and bool(self.marks[number >> 3] & (1 << (number & 7)))


class Noted(msgspec.Struct):
    """What the tests of one file executed; those that failed are no witnesses."""

    digest: str
    tests: dict[str, Test]


@dataclass
class Witnesses:
    """All that is known, and the numbers of all statements there have ever been."""

    numbers: dict[str, int] = field(default_factory=dict)
    files: dict[str, Noted] = field(default_factory=dict)

    def seconds(self, test: str) -> float:
        """What it takes to ask a test."""
        return self.files[test.partition("::")[0]].tests[test].seconds

    def of(self, module: str, line: int, allowed: Iterable[str]) -> set[str]:
        """The tests in these files that execute a line of a module.

        Of a statement that has changed since, all who execute its function. What runs when a module is imported, and
        the functions that are called then, have no test of their own, and a test may look at a constant, or at the
        default of a field, and execute no line of the module: all tests of the module and of its room are asked.
        """
        tests = {name: test for file in allowed if file in self.files for name, test in self.files[file].tests.items()}
        for numbers in self._ever_wider(module, line):
            if found := {name for name, test in tests.items() if any(map(test.executed, numbers))}:
                break
        else:
            found = set()
        room = f"tests/{module.partition('/')[0]}/"
        return found if self._within(module, line) else found.union(name for name in tests if name.startswith(room))

    def _within(self, module: str, line: int) -> list[tuple[ast.stmt, str]]:
        """The statements around a line, the innermost last, with what each is known by."""
        source = (SOURCE / module).read_text("utf-8")
        tree = ast.parse(source)
        loading = called_by_loading(tree)
        statements = [each for each in named(source, module, tree) if _function(each[2]) not in loading]
        around = [(each, key) for _, each, key in statements if each.lineno <= line <= (each.end_lineno or 0)]
        return sorted(around, key=lambda pair: pair[0].lineno)

    def _ever_wider(self, module: str, line: int) -> Iterator[list[int]]:
        around = [key for _, key in self._within(module, line)]
        if around:
            yield [self.numbers[around[-1]]] if around[-1] in self.numbers else []
            begin = " ".join(around[-1].split(" ", 2)[:2]) + " "
        else:
            begin = f"{module} "
        yield [number for key, number in self.numbers.items() if key.startswith(begin)]


def known(kept: Path, tests: Sequence[str], folder: Path, processes: int) -> Witnesses:
    """Who executes what: read from the file where it is kept, and brought up to date there."""
    witnesses = msgspec.json.decode(kept.read_bytes(), type=Witnesses) if kept.exists() else Witnesses()
    files = {str(path.relative_to(ROOT)): hashlib.sha256(path.read_bytes()).hexdigest() for path in test_files(tests)}
    stale = [
        name for name, digest in files.items() if name not in witnesses.files or witnesses.files[name].digest != digest
    ]
    if not stale:
        return witnesses
    marked_copy(folder / "marked", witnesses.numbers)
    places = [_with_table(folder, number, len(witnesses.numbers)) for number in range(processes)]
    with ThreadPoolExecutor(processes) as pool:
        for begin in range(0, len(stale), BATCH * processes):
            batch = stale[begin : begin + BATCH * processes]
            shares = [batch[number::processes] for number in range(processes)]
            for tests_of in pool.map(_run, places, shares):
                for file in batch:
                    of_file = {name: test for name, test in tests_of.items() if name.startswith(f"{file}::")}
                    if of_file or file not in witnesses.files:
                        witnesses.files[file] = Noted(files[file], of_file)
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(msgspec.json.encode(witnesses))
            print(f"noted: {min(begin + len(batch), len(stale))} of {len(stale)} test files", flush=True)
    return witnesses


def test_files(tests: Sequence[str]) -> Iterator[Path]:
    """The files of tests in these folders."""
    for place in (ROOT / test for test in tests):
        yield from sorted(place.rglob("test_*.py")) if place.is_dir() else [place]


# ------------------------------------------------------------------ marks


def named(source: str, name: str, module: ast.Module) -> list[tuple[list[ast.stmt], ast.stmt, str]]:
    """Every statement within a function, the block it stands in, and what it is known by."""
    lines = source.splitlines()
    turns: Counter[str] = Counter()
    found = []
    for function, block in list(_blocks(module, "", inside=False)):
        for statement in block:
            key = f"{name} {function} {lines[statement.lineno - 1].strip()}"
            turns[key] += 1
            found.append((block, statement, f"{key} {turns[key]}"))
    return found


def called_by_loading(module: ast.Module) -> set[str]:
    """The functions of a module that are called as it is imported."""
    outside = [each for each in module.body if not isinstance(each, (*_FUNCTION, ast.ClassDef))]
    calls = [each.func for statement in outside for each in ast.walk(statement) if isinstance(each, ast.Call)]
    return {each.id for each in calls if isinstance(each, ast.Name)}


def _function(key: str) -> str:
    """The outermost function or class that a statement stands in, from what it is known by."""
    return key.split(" ", 2)[1].split(".")[1]


def _blocks(node: ast.AST, path: str, *, inside: bool) -> Iterator[tuple[str, list[ast.stmt]]]:
    inside = isinstance(node, _FUNCTION) or (inside and not isinstance(node, ast.ClassDef))
    for _, value in ast.iter_fields(node):
        children = value if isinstance(value, list) else [value]
        if inside and children and isinstance(children[0], ast.stmt):
            yield path, children
        for child in children:
            if isinstance(child, ast.AST):
                name = (
                    f"{path}.{child.name}"
                    if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
                    else path
                )
                yield from _blocks(child, name, inside=inside)


def marked_copy(folder: Path, numbers: dict[str, int]) -> None:
    """The package with a mark before every statement."""
    shutil.copytree(SOURCE, folder / "gossamer", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (path for room in CORE for path in sorted((SOURCE / room).rglob("*.py"))):
        name = str(path.relative_to(SOURCE))
        (folder / "gossamer" / name).write_text(marked(path.read_text("utf-8"), name, numbers), "utf-8")


def _with_table(folder: Path, number: int, statements: int) -> Path:
    """A copy for one process, with the table that its marks are left in."""
    place = folder / f"marked-{number}"
    shutil.copytree(folder / "marked", place)
    (place / "table").write_bytes(bytes(statements))
    (place / "gossamer_seen.py").write_text(_TABLE.format(path=str(place / "table")))
    return place


def marked(source: str, name: str, numbers: dict[str, int]) -> str:
    """A module that leaves marks; statements without a number get the next."""
    module = ast.parse(source)
    before: dict[int, int] = {}
    blocks: dict[int, list[ast.stmt]] = {}
    for block, statement, key in named(source, name, module):
        before[id(statement)] = numbers.setdefault(key, len(numbers))
        blocks[id(block)] = block
    for block in blocks.values():
        block[:] = [part for each in block for part in (*_mark(each, before[id(each)]), each)]
    at = next(
        (place for place, each in enumerate(module.body) if not isinstance(each, ast.Expr) and not _future(each)),
        len(module.body),
    )
    module.body[at:at] = ast.parse("from gossamer_seen import seen as _seen_").body
    return ast.unparse(ast.fix_missing_locations(module))


def _future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _mark(statement: ast.stmt, number: int) -> list[ast.stmt]:
    wordless = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return [] if wordless else ast.parse(f"_seen_[{number}] = 1").body


# ------------------------------------------------------------------ the run


class _Noting:
    """Reads the table after each test. What a fixture for many tests does counts for each of them."""

    def __init__(self, table: mmap.mmap) -> None:
        self._table = table
        self._shared: dict[str, bytes] = {}
        self._failed: set[str] = set()
        self.tests: dict[str, Test] = {}

    def _taken(self) -> bytes:
        marks = self._table[:]
        self._table[:] = bytes(len(marks))
        return marks

    def noting(self, item: Any) -> Iterator[None]:
        """All of a test."""
        self._taken()
        began = sum(os.times()[:4])
        yield
        marks = self._taken()
        for name in item.fixturenames:
            marks = _either(marks, self._shared.get(name, b""))
        self.tests[item.nodeid] = Test(round(sum(os.times()[:4]) - began, 3), _packed(marks))

    def sharing(self, fixture: Any) -> Iterator[None]:
        """What is made once for many tests."""
        before = self._taken()
        yield
        marks = self._taken()
        if fixture.scope != "function":
            self._shared[fixture.argname] = marks
        self._table[:] = _either(before, marks)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """After each phase."""
        if report.failed:
            self._failed.add(report.nodeid)

    def good(self) -> dict[str, Test]:
        """Those that do not fail without a change."""
        return {name: test for name, test in self.tests.items() if name not in self._failed}


def _either(one: bytes, other: bytes) -> bytes:
    return (int.from_bytes(one, "little") | int.from_bytes(other, "little")).to_bytes(len(one), "little")


def _packed(marks: bytes) -> bytes:
    import numpy as np

    return np.packbits(np.frombuffer(marks, np.uint8), bitorder="little").tobytes()


def _run(place: Path, files: Sequence[str]) -> dict[str, Test]:
    """A process of its own, because it has to begin before the modules are imported."""
    if not files:
        return {}
    into = place / "noted"
    into.unlink(missing_ok=True)
    environment = {**os.environ, "PYTHONPATH": str(place)}
    subprocess.run([sys.executable, __file__, str(place), *files], cwd=ROOT, env=environment, check=False)
    if not into.exists():
        raise SystemExit("the tests could not be run; run them by `make test` first")
    return msgspec.json.decode(into.read_bytes(), type=dict[str, Test])


def _note(place: Path, files: Sequence[str]) -> None:
    import pytest
    from gossamer_seen import seen

    noting = _Noting(seen)

    class Plugin:
        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
            yield from noting.noting(item)

        @pytest.hookimpl(hookwrapper=True)
        def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
            yield from noting.sharing(fixturedef)

    pytest.main(["-q", "--tb=line", "-p", "no:cacheprovider", *files], plugins=[noting, Plugin()])
    (place / "noted").write_bytes(msgspec.json.encode(noting.good()))


if __name__ == "__main__":
    _note(Path(sys.argv[1]), sys.argv[2:])
