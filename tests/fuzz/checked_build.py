"""The compiled modules, built to check themselves: the sanitizers of gcc abort at the first wrong step."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "src"
TESTS = Path(__file__).resolve().parents[1]
CHECKS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g1")


def missing() -> str | None:
    """What such a build lacks here; None if it lacks nothing."""
    if shutil.which("gcc") is None:
        return "there is no gcc"
    if not Path(_library()).is_file():
        return "gcc has no libasan"
    if not (Path(sysconfig.get_path("include")) / "Python.h").is_file():
        return "Python has no headers"
    return None


def build(folder: Path, *, optimized: bool = False) -> Path:
    """All modules, named by their full names, in a folder of their own. Nothing of the package is touched."""
    level = "-O1" if optimized else "-O0"
    for source in sorted((ROOT / "gossamer").rglob("*.c")):
        name = ".".join(source.relative_to(ROOT).with_suffix("").parts)
        words = ("gcc", "-shared", "-fPIC", level, *CHECKS)
        paths = (f"-I{sysconfig.get_path('include')}", f"-I{ROOT / 'gossamer'}")
        subprocess.run([*words, *paths, str(source), "-o", str(folder / f"{name}.so"), "-lm"], check=True)
    return folder


def run(
    folder: Path, *, seed: int, count: int, size: int = 0, pages: Sequence[Path] = ()
) -> subprocess.CompletedProcess[str]:
    """Read that many pages that come from a seed."""
    asked = (folder, seed, count, size, *pages)
    return python(folder, str(TESTS / "fuzz" / "fuzz_child.py"), *map(str, asked))


def checked(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run a few lines of Python that import the modules."""
    found = f"import sys, pathlib, fuzz.fuzz_child as child; child.use(pathlib.Path({str(folder)!r}))"
    return python(folder, "-c", f"{found}\n{code}")


def python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A process that can load the modules. Every piece of memory is one that is watched."""
    environment = {
        **os.environ,
        "LD_PRELOAD": _library(),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(TESTS),
    }
    return subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, check=False)


def _library() -> str:
    """What must be loaded before Python is, for it watches the memory of the whole process."""
    asked = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    return asked.stdout.strip()
