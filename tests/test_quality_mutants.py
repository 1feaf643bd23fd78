"""`make mutants` finds a change that no test notices, and none where the tests are good."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

from mutation import changes

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


def test_what_the_tests_notice_is_told_from_what_they_do_not() -> None:
    done = run(
        *("--each", "1", "--tests", "tests/robots/test_robots_verdict.py"),
        *("--", "robots/verdict.py", "robots/directives.py"),
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "noticed: 1 of 2 (50.0%" in done.stdout
    assert done.stdout.count("robots/directives.py:") == 1
    assert "robots/verdict.py:" not in done.stdout
