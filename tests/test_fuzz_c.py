"""Hostile bytes break no compiled module: each reads spoilt pages in a build that aborts at the first wrong step."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz import checked_build
from reference import ROOT

MISSING = checked_build.missing()
pytestmark = pytest.mark.skipif(MISSING is not None, reason=f"the checked build cannot be made: {MISSING}")
CORPUS = ("wcxb-dev-sample/html/*", "cleanportaleval/html/*", "wivet-pages/pages/*", "wpt-charset-pages/pages/*")
"""Pages of the web that are spoilt, where they are beside the project; there are always some of our own."""
MODULES = 11
FAST_SEEDS, SOAK_SEEDS = range(1, 2), range(2, 42)
NO_GRAPHS = """
import numpy as np
from gossamer.graph._sweep import sweep
for starts, source in ([0, 1 << 62], 0), ([0, -1], 0), ([-1, 1], 0), ([0, 2], 0), ([0, 1], 1):
    ranks = np.full(1, 1.0)
    arcs = np.array(starts), np.array([source], np.uint32), np.array([1], np.uint32)
    try:
        sweep(*arcs, ranks, ranks, 0.85, ranks, ranks)
    except ValueError as error:
        print(error)
"""


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return checked_build.build(tmp_path_factory.mktemp("checked"))


def corpus(each: int) -> list[Path]:
    """So many pages of every set that is there, spread over it."""
    sets = [sorted(ROOT.glob(pattern)) for pattern in CORPUS]
    return [path for paths in sets for path in paths[:: max(len(paths) // each, 1)][:each]]


@pytest.mark.parametrize("seed", FAST_SEEDS)
def test_spoilt_pages_break_no_compiled_module(build: Path, seed: int) -> None:
    done = checked_build.run(build, seed=seed, count=150, size=500, pages=corpus(each=2))
    assert done.stdout == f"150 pages were read by {MODULES} modules\n", done.stderr[:5_000]


@pytest.mark.soak
@pytest.mark.parametrize("seed", SOAK_SEEDS)
def test_hours_of_spoilt_pages_break_no_compiled_module(tmp_path: Path, seed: int) -> None:
    build = checked_build.build(tmp_path, optimized=True)
    size = 20_000 if seed % 8 == 2 else 0
    done = checked_build.run(build, seed=seed, count=20_000, size=size, pages=corpus(each=30))
    case = (build / "case").read_bytes()[:5_000]
    assert done.stdout == f"20000 pages were read by {MODULES} modules\n", (done.stderr[:5_000], case)


def test_a_wrong_step_is_noticed(build: Path) -> None:
    """Otherwise a run that finds nothing says nothing."""
    wrong = "import ctypes; ctypes.memset(ctypes.create_string_buffer(64), 0, 65)"
    assert "heap-buffer-overflow" in checked_build.python(build, "-c", wrong).stderr


def test_a_stem_of_no_letters_is_copied_nowhere(build: Path) -> None:
    code = "from gossamer.index._words import Stems; print(Stems(lambda word: '', 9).joined('a b'), 'is all')"
    done = checked_build.checked(build, code)
    assert done.stdout == " is all\n", done.stderr[:5_000]


def test_arcs_that_are_nowhere_are_not_followed(build: Path) -> None:
    done = checked_build.checked(build, NO_GRAPHS)
    assert done.stdout == "the arrays do not belong to one graph\n" * 5, done.stderr[:5_000]
