"""The pages of the documentation, taken apart: blocks, tables, links and headings."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
GUIDE = [path for path in PAGES if path.parent.name == "docs"]


class Step(NamedTuple):
    """One command of a session, and what the page says it prints."""

    command: str
    printed: str


class Block(NamedTuple):
    """A fenced block, the mark in front of it, and whether only empty lines part it from the block before."""

    language: str
    text: str
    mark: str
    is_next: bool


FENCED = re.compile(r"(?ms)^( *)(`{3,})(\w*)\n(.*?)^\1\2$")
MARK = re.compile(r"<!-- (not run|needs|run by): (.+?) -->\s*\Z")


def every_block(text: str) -> list[Block]:
    """All fenced blocks, in their order. A comment in front may mark one:

    `not run: why`, `needs: modules`, without which it is not run, or `run by: a test of its own`.
    """
    found, end = [], 0
    for fence in FENCED.finditer(text):
        between = text[end : fence.start()]
        mark = MARK.search(between)
        said = f"{mark[1]}: {mark[2]}" if mark else ""
        is_next = end > 0 and not MARK.sub("", between).strip()
        found.append(Block(fence[3], textwrap.dedent(fence[4]), said, is_next))
        end = fence.end()
    return found


def page(name: str) -> str:
    """The text of a page, by its path from the root of the project."""
    return (ROOT / name).read_text("utf-8")


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks in a language."""
    return re.findall(rf"(?m)^ *```{language}\n(.*?)^ *```", text, re.DOTALL)


def steps(block: str) -> list[Step]:
    """The commands of a console block; comments behind them do not count."""
    parts = re.split(r"(?m)^\$ ", block)[1:]
    return [Step(part.partition("\n")[0].partition("  #")[0], part.partition("\n")[2]) for part in parts]


def table_rows(text: str) -> list[list[str]]:
    """The cells of every row of every table."""
    lines = re.findall(r"(?m)^\| (.*) \|$", text)
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)] for line in lines]


def links(text: str) -> list[str]:
    """The targets of links to other pages and places of the project."""
    prose = re.sub(r"(?ms)^ *```.*?^ *```", "", text)
    targets = re.findall(r"\]\(([^)\s]+)\)", prose)
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


def anchors(text: str) -> set[str]:
    """The names under which headings can be linked to."""
    headings = re.findall(r"(?m)^#+ (.*)$", text)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
