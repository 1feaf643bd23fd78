"""How many machines, and what do they cost? `plan-cluster`: the sums in words, and what they rest on."""

from __future__ import annotations

import argparse
import tomllib
from dataclasses import asdict
from pathlib import Path

import gossamer
from gossamer.cli.out import say, say_json
from gossamer.collection.ask.cluster_size import (
    EXAMPLE,
    LOAD,
    PAGES_LEAST,
    USUAL_DELAY,
    Figures,
    Machine,
    Need,
    hosts_at_work,
    machine_of,
)
from gossamer.errors import UsageError
from gossamer.shown import counted, size

_DIGITS = 3


def run(options: argparse.Namespace) -> int:
    """Count, and say what came out."""
    if options.example:
        say(EXAMPLE.rstrip("\n"))
        return 0
    if options.dir is None or options.pages is None:
        raise UsageError("name a collection that was crawled, and --pages: `gossamer plan-cluster my-web --pages 1e9`")
    machine = _machine(options.machine)
    with gossamer.open(options.dir) as web:
        figures, needed = web.plan_cluster(options.pages, options.days, machine)
    if options.json:
        say_json({"figures": asdict(figures), "machine": asdict(machine), "needs": asdict(needed)})
    else:
        say(told(figures, needed, options.pages, options.days, machine))
    return 0


def _machine(name: str | None) -> Machine:
    if name is None:
        return Machine()
    try:
        return machine_of(tomllib.loads(Path(name).read_text(encoding="utf-8")), name)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        cure = "`gossamer plan-cluster --example > FILE` writes one to begin with"
        raise UsageError(f"{name}: cannot be read as TOML ({error}); {cure}") from error


def told(figures: Figures, needed: Need, pages: float, days: float, machine: Machine) -> str:
    """A table, and what it rests on."""
    one = needed.machines == 1
    rows = [
        ("machines", f"{needed.machines:,} of {machine.cores:g} cores, {size(machine.memory)}, {size(machine.disk)}"),
        ("", f"{needed.because} decide{'s' if needed.because != 'cores' else ''} that"),
        ("shards", f"{needed.shards:,}: --shards {needed.shards}"),
        ("pages", f"{_rounded(needed.rate)} a second, for {days:g} days"),
        ("cores", f"{_rounded(needed.cores)}, busy for {LOAD:.0%} of the time"),
        ("memory", f"{size(needed.memory)} {'in all' if one else 'on all of them'}"),
        ("disk", f"{size(needed.disk)} {'in all' if one else 'on all of them'}, and as much in the store"),
        ("from the web", f"{size(needed.network)} a second"),
        ("to the store", f"{size(needed.travels)}, {_rounded(needed.requests)} requests"),
        ("hosts", f"{needed.hosts:,} at work at any time, each at rest for {figures.delay:g} s: fewer take longer"),
        *([("price", _price(needed))] if needed.price else []),
    ]
    if figures.delay < USUAL_DELAY:
        rows.insert(-1 if needed.price else len(rows), ("", _hurried(figures, needed)))
    few = f"Fewer than {PAGES_LEAST} pages tell mostly what an empty collection takes: crawl more of them first."
    first = [few, ""] if figures.pages < PAGES_LEAST else []
    return "\n".join([*first, *(f"{name:<13}{words}".rstrip() for name, words in rows), "", *_rests(figures, pages)])


def _hurried(figures: Figures, needed: Need) -> str:
    """The small crawl was of servers that bear more than those of the web do."""
    hosts = hosts_at_work(needed.rate, USUAL_DELAY)
    return f"{figures.delay:g} s is the delay of this collection; with {USUAL_DELAY:g} s, which is usual, {hosts:,}"


def _price(needed: Need) -> str:
    parts = ", ".join(f"{name} {_rounded(price)}" for name, price in needed.prices.items() if price)
    return f"{_rounded(needed.price)} ({parts})"


def _rests(figures: Figures, pages: float) -> list[str]:
    """What the sums come from, and what they do not know."""
    kept = figures.archive + figures.index + figures.rest
    cpu = f"{figures.cpu * 1000:.2f} s of CPU for 1,000 pages"
    return [
        f"From {counted(figures.pages, 'page')}: {cpu}, {size(figures.wire)} fetched and {size(kept)} kept a page"
        f" (archive {size(figures.archive)}, index {size(figures.index)}, rows and links {size(figures.rest)}),"
        f" {figures.known:.1f} addresses known a page, {size(figures.memory)} of memory a shard.",
        f"This is {_rounded(pages / figures.pages)} times as many, so take it for what it is: other sites have other"
        " pages, a wider scope finds more addresses a page, and the graph of links is made on one machine.",
    ]


def _rounded(number: float) -> str:
    """To three digits."""
    near = float(f"{number:.{_DIGITS}g}")
    return f"{near:,.0f}" if near >= 10**_DIGITS else f"{near:g}"
