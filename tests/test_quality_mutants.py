"""`make mutants` finds a change that no test notices, and none where the tests are good."""

from __future__ import annotations

import ast
import random
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from mutation import changes, drawn
from witnesses import called_by_loading, marked, named

QUALITY = Path(__file__).resolve().parents[1] / "quality"
SOURCE = QUALITY.parent / "src" / "gossamer"
MODULE = '''
"""Words for people: 7."""
LIMIT: int = 7


def least(values: list[int], most: int = 20) -> int | None:
    """Not a 3 in sight."""
    if not values or most == 0:
        raise ValueError("at least 1 value")
    values.sort()
    return min(values[0] + 1, most)
'''


def run(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(QUALITY / "mutants.py"), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_every_place_where_a_hand_could_slip_is_changed_and_words_are_not() -> None:
    assert {str(change) for change in changes(MODULE)} == {
        "`7` -> `8`",
        "`20` -> `40`",
        "`not values or most == 0` -> `not (not values or most == 0)`",
        "`not values or most == 0` -> `(not values and most == 0)`",
        "`not values` -> `(values)`",
        "`most == 0` -> `most != 0`",
        "`0` -> `1`",
        '`raise ValueError("at least 1 value")` -> `pass`',
        "`values.sort()` -> `pass`",
        "`return min(values[0] + 1, most)` -> `return None`",
        "`min` -> `max`",
        "`values[0] + 1` -> `values[0] - 1`",
        "`1` -> `2`",
    }


def test_each_change_is_to_one_place() -> None:
    for change in changes(MODULE):
        changed = change.applied(MODULE)
        assert changed != MODULE
        assert changed.replace(change.instead, change.was, 1).count("\n") == MODULE.count("\n")


def test_every_survivor_that_was_judged_still_stands() -> None:
    judged = tomllib.loads((QUALITY / "mutants.toml").read_text("utf-8"))["survivor"]
    code = {name: (SOURCE / name).read_text("utf-8") for name in {each["module"] for each in judged}}
    lines = {name: {line.strip() for line in text.splitlines()} for name, text in code.items()}
    assert not [each for each in judged if each["code"] not in lines[each["module"]]]


def test_a_draw_is_the_same_for_the_same_seed_and_compiles() -> None:
    one, same, other = (drawn(MODULE, 5, random.Random(seed)) for seed in (1, 1, 2))
    assert one == same != other
    assert len(one) == 5
    assert drawn("x = [1 for _ in f()]", 9, random.Random(1)) != []
    for change in one:
        ast.parse(change.applied(MODULE))


def test_a_test_leaves_a_mark_for_each_statement_that_it_executes(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers: dict[str, int] = {}
    text = marked(MODULE, "made.py", numbers)
    table = ModuleType("gossamer_seen")
    seen = table.seen = bytearray(len(numbers))  # type: ignore[attr-defined]  # a module made here
    monkeypatch.setitem(sys.modules, "gossamer_seen", table)
    made: dict[str, object] = {}
    exec(text, made)  # our own
    with pytest.raises(ValueError, match="at least"):
        made["least"]([])  # type: ignore[operator]  # the function above
    executed = {key.removeprefix("made.py .least ") for key, number in numbers.items() if seen[number]}
    assert executed == {"if not values or most == 0: 1", 'raise ValueError("at least 1 value") 1'}


def test_a_statement_is_known_by_its_function_and_its_words_wherever_it_moves() -> None:
    moved = MODULE.replace("LIMIT: int = 7", "LIMIT: int = 7\nMORE = 8\n")
    keys = [[key for _, _, key in named(text, "made.py", ast.parse(text))] for text in (MODULE, moved)]
    assert keys[0] == keys[1]
    assert len(set(keys[0])) == 5


def test_a_function_that_is_called_as_its_module_is_imported_is_told_from_one_that_a_test_calls() -> None:
    calling = "TABLE = {1: _made(2)}\nclass A:\n    b = least([1])\ndef _made(a):\n    return _other(a)\n"
    assert called_by_loading(ast.parse(MODULE + calling)) == {"_made"}


def test_what_the_tests_notice_is_told_from_what_they_do_not(tmp_path: Path) -> None:
    tests = "tests/robots/test_robots_status.py"
    options = ("--each", "1", "--map", str(tmp_path / "map"), "--processes", "1", "--tests", tests)
    done = run(*options, "--", "robots/status.py", "robots/meta_robots.py")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "noticed: 1 of 2, 50.0%" in done.stdout
    assert "SURVIVED robots/meta_robots.py:" in done.stdout
    assert "SURVIVED robots/status.py:" not in done.stdout
    again = run(*options, "--", "robots/status.py")
    assert "noted:" in done.stdout
    assert "noted:" not in again.stdout, "the tests have not changed"
    assert "robots: 1 of 1, 100.0%" in again.stdout
