"""Draws the rooms of the house from the code, for ARCHITECTURE.md.

    python tests/floor_plan.py       draw it again, after a module was added, moved or renamed

Each package with the first sentence of its docstring, and under it the names of its modules.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "gossamer"
PAGE = ROOT / "ARCHITECTURE.md"
BEGIN, END = "<!-- made by tests/floor_plan.py -->\n", "<!-- end -->\n"
WIDTH = 120
SIDE = 18


def drawn() -> str:
    """The rooms, as they stand between the marks on the page."""
    modules = [path for path in sorted(SOURCE.glob("*.py")) if not path.name.startswith("__")]
    lines = [f"{path.name:{SIDE - 1}} {question(path)}" for path in modules]
    for room in rooms(SOURCE):
        lines += room_lines(room, depth=0)
    return f"{BEGIN}```text\n" + "\n".join(lines) + f"\n```\n{END}"


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
    """The page with the rooms as they are."""
    return re.sub(f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: drawn(), page, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(placed(PAGE.read_text("utf-8")), "utf-8")
