"""What would a budget keep fresh? `simulate`: a plan or a collection, every policy, a table and a picture."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from gossamer.cli.chart import Line as Curve
from gossamer.cli.chart import Panel, draw
from gossamer.cli.out import say, say_json
from gossamer.cli.progress import Line, Part
from gossamer.errors import UsageError
from gossamer.freshness.revisit import Goal
from gossamer.freshness.simulation import Outcome, Plan, read, simulate
from gossamer.freshness.simulation.plan import EXAMPLE, MOST_PAGES, MOST_VISITS, Kind
from gossamer.freshness.simulation.run import POLICIES
from gossamer.printable import counted

_HEAD = ("policy", "knows rates", "freshness", "age", "to the best", "visits a day")
_FEW = "a few pages matter much more than the rest"
_RIGHT = 2
"""Columns from here on are numbers."""


def run(options: argparse.Namespace) -> int:
    """Simulate, and say what came out."""
    if options.example:
        say(EXAMPLE.rstrip("\n"))
        return 0
    plan, assumed = _plan(options)
    line = Line(None)

    def done(policy: str, part: float) -> None:
        line.show([Part(f"{policy}: {part:.0%}"), Part(f"{POLICIES.index(policy)} of {len(POLICIES)} done", 1)])

    try:
        outcomes = list(simulate(plan, done=done))
    finally:
        line.clear()
    if options.plot:
        _write(options.plot, picture(plan, outcomes))
    if options.json:
        say_json({"plan": asdict(plan), "assumed": assumed, "policies": [asdict(each) for each in outcomes]})
    else:
        say("\n".join([*assumed, told(plan, outcomes)]))
    return 0


def _plan(options: argparse.Namespace) -> tuple[Plan, list[str]]:
    """What is simulated, and what of it is only assumed."""
    if options.plan is None:
        raise UsageError("name a plan or a collection; `gossamer simulate --example > plan.toml` writes a plan")
    path = Path(options.plan)
    if options.plot and path.is_file() and Path(options.plot).exists() and path.samefile(options.plot):
        raise UsageError(f"{options.plot}: is the plan, and a picture would take its place; name another file")
    plan, assumed = _of_collection(path) if path.is_dir() else (read(_text(path), str(path)), [])
    if options.goal is not None:
        plan = replace(plan, goal=options.goal)
    if options.budget is not None:
        if options.budget > MOST_VISITS:
            raise UsageError(f"--budget is {options.budget:g} visits a day; it is at most {MOST_VISITS:,.0f}")
        plan = replace(plan, budget=float(options.budget))
    elif assumed:
        assumed.append(f"assumed: {plan.budget:,.0f} visits a day; --budget N says how many")
    return plan, assumed


def _of_collection(path: Path) -> tuple[Plan, list[str]]:
    from gossamer.collection.ask.reading import Reading

    with Reading(path) as collection:
        pages, rates, asked = collection.status().pages, collection.change_rates(), collection.plan
    if not pages:
        raise UsageError(f"{path}: no page in it yet; crawl first, or simulate a plan: `gossamer simulate --example`")
    usual = Plan()
    goal: Goal = "freshness" if asked.goal == "freshness" else "age"
    budget = asked.budget or float(pages)  # as a watch has it
    plan = replace(usual, pages=min(pages, MOST_PAGES), budget=max(budget, 1.0), goal=goal)
    if rates:
        known = sum(rates.values())
        classes = tuple(Kind(count / known, rate) for rate, count in rates.items())
        assumed = f"assumed: {_FEW}; how often they change is known by the visits of {known:,}"
        return replace(plan, rates=replace(usual.rates, law="classes", classes=classes)), [assumed]
    law = f"half of the pages change less than once in {1 / usual.rates.median:g} days (lognormal)"
    return plan, [f"assumed, as it is not known: {law}; {_FEW}"]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        cure = "`gossamer simulate --example > FILE` writes a plan to begin with"
        raise UsageError(f"{path}: there is no such plan or collection; {cure}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as a plan: {error}") from None


def _write(name: str, text: str) -> None:
    try:
        Path(name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{name}: cannot be written: {error.strerror}") from None


def told(plan: Plan, outcomes: Sequence[Outcome]) -> str:
    """The figures as a table, and what they are about."""
    best = outcomes[0]
    rows = [_HEAD, *(_row(each, best, plan.goal) for each in outcomes)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    lines = ["  ".join(_cell(*each) for each in zip(range(len(row)), row, widths, strict=True)) for row in rows]
    about = f"{counted(plan.pages, 'page')}, {plan.budget:,.0f} visits a day, for {plan.goal}"
    measured = f"days {plan.days // 2 + 1} to {plan.days}, by importance; `learning` is what `gossamer watch` does"
    return "\n".join([f"{about}; {measured}:", *(line.rstrip() for line in lines)])


def _row(outcome: Outcome, best: Outcome, goal: Goal) -> tuple[str, ...]:
    return (
        outcome.policy,
        "yes" if outcome.knows else "no",
        f"{outcome.freshness:.1%}",
        f"{outcome.age:.2f} days",
        _compared(getattr(outcome, goal), getattr(best, goal), goal),
        f"{outcome.visits:,.0f}",
    )


def _compared(value: float, best: float, goal: Goal) -> str:
    """In the measure that the best is the best for: in the other one it may be the worst."""
    if best < 1e-9:
        return "-"
    return f"{value / best:.1%}" if goal == "freshness" else f"{value / best:.2f} x"


def _cell(column: int, text: str, width: int) -> str:
    return text.rjust(width) if column >= _RIGHT else text.ljust(width)


def picture(plan: Plan, outcomes: Sequence[Outcome]) -> str:
    """Freshness over the days, and age, a line for each policy."""
    days = [float(day + 1) for day in range(plan.days)]
    fresh = [Curve(each.policy, days, [100 * value for value in each.fresh_by_day]) for each in outcomes]
    old = [Curve(each.policy, days, list(each.age_by_day)) for each in outcomes]
    about = f"{counted(plan.pages, 'page')}, {counted(round(plan.budget), 'visit')} a day"
    least = 10.0 * int(min(min(line.up) for line in fresh) // 10)
    return draw(
        Panel(f"fresh copies: {about}", "days", "per cent", fresh, least),
        Panel("age of copies", "days", "days", old),
    )
