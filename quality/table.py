"""The rows of the table: what was measured, what is wanted, and what others reach."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BASELINES: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("baselines.toml").read_text("utf-8"))
HEAD = ("what", "ours", "target", "", "others")


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that was measured; `name` is that of its baseline."""

    name: str
    value: float
    """What is compared with the target."""
    shown: str
    at_most: bool = False
    """Less is better."""
    measured: str = ""
    """What another library reaches in this run."""
    remarks: tuple[str, ...] = ()
    """What is told below the table."""

    @property
    def target(self) -> float:
        return float(BASELINES[self.name]["target"])

    @property
    def met(self) -> bool:
        return self.value <= self.target if self.at_most else self.value >= self.target

    def cells(self) -> tuple[str, ...]:
        """What is printed."""
        sign = "<=" if self.at_most else ">="
        known = [f"{who} {figure}" for who, figure in BASELINES[self.name]["known"].items()]
        others = ", ".join([*([f"here: {self.measured}"] if self.measured else []), *known])
        return self.name, self.shown, f"{sign} {self.target:g}", "met" if self.met else "MISSED", others


@dataclass(frozen=True, slots=True)
class Absent:
    """A row that could not be measured, and why."""

    name: str
    reason: str

    def cells(self) -> tuple[str, ...]:
        """What is printed."""
        return self.name, "-", "", "-", self.reason


def failures(name: str, failed: Sequence[str]) -> Row:
    """How many went wrong, and which; the first ten are named."""
    return Row(name, len(failed), str(len(failed)), at_most=True, remarks=tuple(failed[:10]))


def counted(name: str, right: int, total: int) -> Row:
    """So many of so many; the target is a number of cases, or below 1 a share of them."""
    share = BASELINES[name]["target"] < 1
    shown = f"{right}/{total} ({right / total:.1%})" if share else f"{right}/{total}"
    return Row(name, right / total if share else right, shown)


def milliseconds(name: str, value: float, measured: str = "") -> Row:
    """A time; less is better."""
    return Row(name, value, f"{value:.2f}", at_most=True, measured=measured)


def printed(rows: Sequence[Row | Absent]) -> str:
    """All rows below each other, in columns, then the remarks."""
    cells = [HEAD, *(row.cells() for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(HEAD) - 1)]
    lines = ("  ".join([*(c.ljust(w) for c, w in zip(row, widths, strict=False)), row[-1]]).rstrip() for row in cells)
    remarks = [f"{row.name}: {remark}" for row in rows if isinstance(row, Row) for remark in row.remarks]
    return "\n".join([*lines, *(["", *remarks] if remarks else [])])
