"""Is every pattern of the package read alike by all versions of Python?

Up to 3.11.4, which Debian 12 has, a possessive repeat goes on from where its last attempt has failed, not from where
that began: `(?:ab?c)*+` takes all of `abca`. An alternative that fails at once, `(?:ab?c|(?!))*+`, puts it back.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from re import _constants as op  # type: ignore[attr-defined]  # it is not public
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

COLLECT = r"""
import json, pkgutil, re, sys, warnings
from importlib import import_module

warnings.simplefilter("ignore")
from gossamer import lazy

found = {}

def note(source, flags):
    frame = sys._getframe(2)
    if frame.f_globals.get("__name__", "").startswith("gossamer.") and isinstance(source, (str, bytes)):
        found[source, int(flags)] = f"{frame.f_globals['__name__']}, line {frame.f_lineno}"

def compiled(source, flags=0):
    note(source, flags)
    return compile_it(source, flags)

def pattern(source, flags=0):
    note(source, flags)
    return put_off(source, flags)

compile_it, re.compile = re.compile, compiled
put_off, lazy.pattern = lazy.pattern, pattern
import gossamer

for module in pkgutil.walk_packages(gossamer.__path__, "gossamer."):
    if module.name.endswith("__main__"):
        continue
    try:
        each = import_module(module.name)
    except Exception:  # of an extra that is not here, or of what has another name now
        continue
    for name, value in list(vars(each).items()):  # parts of patterns that are made later
        if isinstance(value, str) and compile_it(r"\)(?:[*+?]|\{[0-9,]+\})\+").search(value):
            try:
                compile_it(value)
            except re.error:  # other text
                continue
            found.setdefault((value, 0), f"{module.name}.{name}")
print(json.dumps([(source if isinstance(source, str) else list(source), flags, place)
                  for (source, flags), place in found.items()]))
"""

CHARACTERS = (op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY)
REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
Items = list[tuple[Any, Any]]


def flat(items: Sequence[tuple[Any, Any]]) -> Items:
    """Without the groups around some of them."""
    return [each for kind, of in items for each in (flat(of[3]) if kind is op.SUBPATTERN else [(kind, of)])]


def parts(kind: Any, of: Any) -> list[Any]:
    if kind in REPEATS:
        return [of[2]]
    if kind in (op.ASSERT, op.ASSERT_NOT):
        return [of[1]]
    if kind is op.BRANCH:
        return list(of[1])
    return [of] if kind is op.ATOMIC_GROUP else []


def all_of(items: Sequence[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    for kind, of in flat(items):
        yield kind, of
        for part in parts(kind, of):
            yield from all_of(part)


def of_one_character(of: Any) -> bool:
    inner = flat(of[2])
    return len(inner) == 1 and inner[0][0] in CHARACTERS


def never_fails(items: Items) -> bool:
    return all(
        (kind in REPEATS and of[0] == 0) or (kind is op.BRANCH and any(never_fails(flat(each)) for each in of[1]))
        for kind, of in items
    )


def fails_at_once(items: Items) -> bool:
    """Whether it is `(?!)`, which Python 3.11 reads as an assertion of nothing."""
    return [kind for kind, of in items if kind is op.FAILURE or (kind is op.ASSERT_NOT and not len(of[1]))] != []


def fails_further_on(items: Items) -> bool:
    """Whether an attempt may have noted a place behind its beginning before it fails."""
    moved = False
    for number, (kind, of) in enumerate(items):
        rest = items[number + 1 :]
        if kind in CHARACTERS:
            moved = True
        elif kind is op.AT:
            continue
        elif (kind is op.BRANCH and fails_at_once(flat(of[1][-1])) and not moved) or never_fails(items[number:]):
            return False
        elif kind is op.BRANCH and not moved:
            return any(fails_further_on(flat(each) + rest) for each in of[1])
        else:
            is_first_and_last = kind in REPEATS and of_one_character(of) and not moved and never_fails(rest)
            return not is_first_and_last
    return False


def read_differently(source: str | bytes, flags: int = 0) -> bool:
    return any(
        kind is op.POSSESSIVE_REPEAT and not of_one_character(of) and fails_further_on(flat(of[2]))
        for kind, of in all_of(parser.parse(source, flags))
    )


@pytest.mark.parametrize(
    ("source", "differs"),
    [
        (r"(?:ab?c)*+", True),
        (r"(?:ab?c|(?!))*+", False),
        (r"(?:x(?:aa|b))?+", True),
        (r"(?:x[ab])?+", False),
        (r"(?:(?!x)\w)++", True),
        (r'(?:[^"\\]|\\.)*+', False),
        (r'(?:[^"]++|"")*+', False),
        (r"(?:\s*+=)?+", True),
        (r"(?:a|b*+c)*+", True),
        (r"(?:;a*+)*+", False),
    ],
)
def test_the_test_knows_what_is_read_differently(source: str, differs: bool) -> None:
    assert read_differently(source) == differs


def test_no_pattern_is_read_differently_by_another_version_of_python() -> None:
    run = subprocess.run([sys.executable, "-c", COLLECT], capture_output=True, text=True, check=True)
    patterns = [(source if isinstance(source, str) else bytes(source), *of) for source, *of in json.loads(run.stdout)]
    assert len(patterns) > 400
    differ = [f"{place}: {source!r}" for source, flags, place in patterns if read_differently(source, flags)]
    assert not differ, "end the repeated group with `|(?!)`:\n" + "\n".join(differ)
