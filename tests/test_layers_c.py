"""Headers of C: whose they are, who includes them, and what a module is compiled again for."""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from test_layers import LAYER, SOURCE, room_of

ROOT = SOURCE.parents[1]
MODULES = sorted(SOURCE.rglob("*.c"))
FILES = sorted([*MODULES, *SOURCE.rglob("*.h")])


def included(path: Path) -> Iterator[Path]:
    """Headers of ours: beside the file, or by their path from the root of the package."""
    for name in re.findall(r'^#include "(.+)"', path.read_text(), re.MULTILINE):
        assert ".." not in name, f"{path}: write {name} from the root of the package"
        beside = path.parent / name
        yield beside if beside.exists() else SOURCE / name


def all_included(path: Path) -> set[Path]:
    direct = set(included(path))
    return direct.union(*map(all_included, direct))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_a_file_of_c_includes_only_headers_of_its_room_and_of_those_below(path: Path) -> None:
    for header in included(path):
        assert header.is_file(), f"{path} includes {header}, which is not there"
        here, there = room_of(path), room_of(header)
        assert here == there or LAYER[there] < LAYER[here], f"{path}: {here} includes {there}"


def test_headers_go_one_way() -> None:
    """A function that is named before it is written stands further up: that is a cycle, too."""
    TopologicalSorter({path: set(included(path)) for path in FILES}).prepare()
    for path in FILES:
        named = re.findall(r"^static [^={;]*?(\w+)\([^{};]*\);$", path.read_text(), re.MULTILINE)
        assert not named, f"{path} names {named}, which a header above it defines"


def extensions(monkeypatch: pytest.MonkeyPatch) -> dict[Path, set[Path]]:
    """What setup.py says each module is made of."""
    told: list[Any] = []

    def extension(name: str, sources: list[str], **more: Any) -> tuple[str, list[str], dict[str, Any]]:
        return name, sources, more

    fake = SimpleNamespace(Extension=extension, setup=lambda ext_modules, **_: told.extend(ext_modules))
    monkeypatch.setitem(sys.modules, "setuptools", fake)
    monkeypatch.chdir(ROOT)
    runpy.run_path("setup.py")
    return {ROOT / sources[0]: {ROOT / each for each in more["depends"]} for _, sources, more in told}


def test_a_module_is_compiled_again_when_one_of_its_headers_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    told = extensions(monkeypatch)
    assert sorted(told) == MODULES
    for module, headers in told.items():
        assert all_included(module) <= headers, module


def test_modules_of_python_that_c_names_are_there() -> None:
    """Twins are named in words: a name that has moved sends a reader to nothing."""
    ours = {path.name for path in SOURCE.rglob("*.py")}
    named = {(path.name, name) for path in FILES for name in re.findall(r"\b[a-z_0-9]+\.py\b", path.read_text())}
    assert [(path, name) for path, name in sorted(named) if name not in ours] == []
