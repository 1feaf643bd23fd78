"""Draws the rooms of the house and their layers, for ARCHITECTURE.md.

    python tests/floor_plan.py       draw both again, after a module was added, moved or renamed

The rooms come from the code: each package with the first sentence of its docstring, and under it the names of its
modules. The layers are those that `test_layers.py` holds.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from test_layers import LAYERS

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "gossamer"
PAGE = ROOT / "ARCHITECTURE.md"
BEGIN, END = "<!-- {}: made by tests/floor_plan.py -->\n", "<!-- end -->\n"
WIDTH = 120
SIDE = 18


def drawn() -> dict[str, str]:
    """The rooms and the layers, as they stand between their marks on the page."""
    lines = {"rooms": list(room_plan()), "layers": list(layer_plan())}
    return {name: f"{BEGIN.format(name)}```text\n" + "\n".join(each) + f"\n```\n{END}" for name, each in lines.items()}


def layer_plan() -> Iterator[str]:
    """The highest first."""
    for number, rooms in reversed([*enumerate(LAYERS)]):
        yield f"{number:2}  {'  '.join(rooms)}"


def room_plan() -> Iterator[str]:
    """Modules at the top, then every package."""
    for path in sorted(SOURCE.glob("*.py")):
        if not path.name.startswith("__"):
            yield f"{path.name:{SIDE - 1}} {question(path)}"
    for room in rooms(SOURCE):
        yield from room_lines(room, depth=0)


def room_lines(room: Path, depth: int) -> Iterator[str]:
    """A room, what is in it, and the rooms within."""
    name = "  " * depth + room.name + "/"
    yield f"{name:{SIDE - 1}} {question(room / '__init__.py')}"
    names = [path.stem for path in sorted(room.glob("*.py")) if path.name != "__init__.py"]
    yield from (" " * SIDE + line for line in textwrap.wrap(" · ".join(names), WIDTH - SIDE))
    for inner in rooms(room):
        yield from room_lines(inner, depth + 1)


def rooms(place: Path) -> list[Path]:
    """The packages directly within one."""
    return sorted(init.parent for init in place.glob("*/__init__.py"))


def question(module: Path) -> str:
    """What a module answers, in the first sentences of its docstring that fit on a line."""
    first = (ast.get_docstring(ast.parse(module.read_text("utf-8"))) or "").partition("\n")[0]
    while len(first) > WIDTH - SIDE:
        first = first[: max(first.rfind(". ", 0, -1), first.rfind("? ", 0, -1)) + 1]
    return first


def placed(page: str) -> str:
    """The page with both as they are."""
    for name, plan in drawn().items():
        pattern = f"{re.escape(BEGIN.format(name))}.*?{re.escape(END)}"
        page = re.sub(pattern, lambda _, plan=plan: plan, page, flags=re.DOTALL)
    return page


if __name__ == "__main__":
    PAGE.write_text(placed(PAGE.read_text("utf-8")), "utf-8")
