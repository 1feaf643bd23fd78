"""The documentation of the testing room: its programs run, and it leaves out no setting and no name."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from gossamer import testing
from gossamer.testing import Entry, Log, MadeWeb, Reach, WebSpec
from gossamer.testing.spec import from_settings, settings

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "testing.md").read_text("utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
PARTS = {"Changes", "Copies", "Errors", "Marks", "Redirects", "RobotsFiles", "Sitemaps", "Traps"}
"""Named by their settings in the table."""
ROOM = "from gossamer.store import disk; disk.room = lambda folder: disk.Room(1 << 40, 1 << 40)\n"
"""A crawl would wait on a machine whose disk is nearly full."""


@pytest.mark.parametrize("program", PROGRAMS, ids=["a plan over loopback", "hours of politeness"])
def test_the_programs_run_as_printed(program: str) -> None:
    ran = subprocess.run([sys.executable, "-c", ROOM + program], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_every_setting_is_documented_with_its_default() -> None:
    documented = dict(re.findall(r"(?m)^\| `([\w.]+)` \| (.*?) \|", PAGE))
    defaults = settings(WebSpec())
    assert documented.keys() == defaults.keys()
    for name, default in defaults.items():
        assert eval(documented[name]) == default, name


@pytest.mark.parametrize("name", sorted(set(testing.__all__) - PARTS))
def test_every_public_name_is_documented(name: str) -> None:
    assert re.search(rf"\b{name}\b", PAGE)


@pytest.mark.parametrize("kind", [Entry, Log, MadeWeb, Reach])
def test_every_member_of_the_public_types_is_documented(kind: type) -> None:
    members = {name for name in (*vars(kind), *vars(kind).get("__annotations__", ())) if not name.startswith("_")}
    internal = {"begin", "end", "add"} if kind is Log else set()
    for name in members - internal:
        assert re.search(rf"\b{name}\b", PAGE), f"{kind.__name__}.{name}"


def test_a_spec_can_be_taken_apart_and_put_together() -> None:
    spec = WebSpec(hosts=4, words=(1, 2), errors=testing.Errors(busy=0.5), traps=testing.Traps(echo=1.0))
    assert from_settings(settings(spec)) == spec
