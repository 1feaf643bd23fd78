"""How long, how many machines, and what do they cost? `plan-cluster`: the sums in words, and what they rest on."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import gossamer
from gossamer import toml_text
from gossamer.cli.out import say, say_json
from gossamer.collection.ask.cluster_size import (
    ANSWER,
    DAY,
    EXAMPLE,
    LOAD,
    PAGES_LEAST,
    USUAL_DELAY,
    Figures,
    Machine,
    Need,
    hosts_at_work,
    machine_of,
    turn,
)
from gossamer.collection.ask.crawl_time import Duration, Politely, Spread, machine_rate, machines_for, politely
from gossamer.errors import UsageError
from gossamer.plan import Plan
from gossamer.printable import counted, size, span

_DIGITS = 3
MANY_DAYS = 2
"""Below this, hours say more."""
ASSUMED = "the days are assumed: --days says how many, and --hosts N (with --delay) asks how long it takes"


def run(options: argparse.Namespace) -> int:
    """Count, and say what came out."""
    if options.example:
        say(EXAMPLE.rstrip("\n"))
        return 0
    if options.largest_host and not options.hosts:
        raise UsageError("--largest-host is the largest of several: say --hosts, how many there are")
    if options.pages is None or (options.dir is None and options.hosts is None):
        raise UsageError("name a collection that was crawled, and --pages: `gossamer plan-cluster my-web --pages 1e9`")
    spread = Spread(options.hosts, options.largest_host or 0) if options.hosts else None
    if options.dir is None and spread is not None:
        return _alone(options, spread)
    machine = _machine(options.machine)
    with gossamer.open(options.dir) as web:
        figures, needed, lasts = web.plan_cluster(
            options.pages, options.days, machine, machines=options.machines, spread=spread, delay=options.delay
        )
    if options.json:
        found = {"figures": asdict(figures), "machine": asdict(machine), "needs": asdict(needed), "time": asdict(lasts)}
        say_json(found)
    else:
        say(told(figures, needed, lasts, options.pages, machine))
    return 0


def _alone(options: argparse.Namespace, spread: Spread) -> int:
    """Nothing was crawled: politeness is all that can be counted."""
    plan = Plan() if options.delay is None else Plan().changed(delay=options.delay)
    polite = politely(options.pages, spread, turn(plan, ANSWER))
    if options.json:
        say_json({"time": {"polite": asdict(polite)}})
        return 0
    say(_row("politeness", _politely(polite)))
    small = f"`gossamer plan-cluster my-web --pages {options.pages:.0f} --hosts {spread.hosts}`"
    say(f"\nThis is for hosts that answer within {ANSWER:g} s. What machines allow comes from the figures of a small")
    say(f"crawl: name its directory, as in {small}.")
    return 0


def _machine(name: str | None) -> Machine:
    if name is None:
        return Machine()
    try:
        return machine_of(toml_text.loads(Path(name).read_text(encoding="utf-8")), name)
    except (OSError, UnicodeDecodeError, toml_text.InvalidTOML) as error:
        cure = "`gossamer plan-cluster --example > FILE` writes one to begin with"
        raise UsageError(f"{name}: cannot be read as TOML ({error}); {cure}") from error


def told(figures: Figures, needed: Need, lasts: Duration, pages: float, machine: Machine) -> str:
    """A table, and what it rests on."""
    one = needed.machines == 1
    rows = [
        *_lasts(figures, lasts, machine),
        ("machines", f"{needed.machines:,} of {machine.cores:g} cores, {size(machine.memory)}, {size(machine.disk)}"),
        ("", f"{needed.because} decide{'s' if needed.because != 'cores' else ''} that"),
        ("shards", f"{needed.shards:,}: --shards {needed.shards}"),
        ("pages", f"{_rounded(needed.rate)} a second, for {_days(lasts.days)}"),
        *([("", ASSUMED)] if lasts.is_assumed else []),
        ("cores", f"{_cores(needed.cores)}, busy for {LOAD:.0%} of the time"),
        ("memory", f"{size(needed.memory)} {'in all' if one else 'on all of them'}"),
        ("disk", f"{size(needed.disk)} {'in all' if one else 'on all of them'}, and as much in the store"),
        ("from the web", f"{size(needed.network)} a second"),
        ("to the store", f"{size(needed.travels)}, {_rounded(needed.requests)} requests"),
        (
            "hosts",
            f"{needed.hosts:,} at work at any time, each asked every {_rounded(figures.turn)} s: fewer take longer",
        ),
        *([("", f"{_usually(figures)}: {hosts_at_work(needed.rate, figures.usual_turn):,}")] * figures.is_hurried),
        *([("price", _price(needed))] if needed.price else []),
    ]
    few = f"Fewer than {PAGES_LEAST} pages tell mostly what an empty collection takes: crawl more of them first."
    first = [few, ""] if figures.pages < PAGES_LEAST else []
    return "\n".join([*first, *(_row(*each) for each in rows), "", *_rests(figures, pages)])


def _row(name: str, words: str) -> str:
    return f"{name:<13}{words}".rstrip()


def _lasts(figures: Figures, lasts: Duration, machine: Machine) -> Iterator[tuple[str, str]]:
    """How long it takes, and what holds it, where that was not given."""
    polite = lasts.polite
    if lasts.held_by:
        yield "takes", f"{_days(lasts.days)} at least: {lasts.held_by} hold{'s' * (lasts.held_by == 'politeness')} it"
    if polite is not None:
        yield "politeness", _politely(polite)
        if figures.is_hurried:
            yield "", f"{_usually(figures)}: {_days(polite.days * figures.usual_turn / figures.turn)}"
    if lasts.machines is not None and lasts.machine_days is not None:
        those = "one machine" if lasts.machines == 1 else f"{lasts.machines:,} machines"
        words = f"{those}: {_days(lasts.machine_days)} alone, {_rounded(_rate(figures, lasts, machine))} pages a second"
        yield "CPU", words
        if polite is not None and lasts.held_by == "machines":
            yield "", f"{machines_for(figures, polite.rate, machine):,} would be as fast as politeness allows"


def _rate(figures: Figures, lasts: Duration, machine: Machine) -> float:
    return (lasts.machines or 1) * machine_rate(figures, machine)


def _politely(polite: Politely) -> str:
    which = f"{polite.hosts:,} hosts" if polite.hosts > 1 else "1 host"
    pages = f"the largest with {counted(polite.largest, 'page')}, each asked every {_rounded(polite.turn)} s"
    return f"{_days(polite.days)} alone: {which}, {pages}; {_rounded(polite.rate)} pages a second at most"


def _days(days: float) -> str:
    """A time that people can read; days from two of them on."""
    if days < MANY_DAYS:
        return "1 day" if days == 1 else span(days * DAY)
    return f"{_rounded(days)} days"


def _usually(figures: Figures) -> str:
    """The small crawl was of servers that bear more, or are nearer, than those of the web."""
    delay, answer = max(figures.delay, USUAL_DELAY), max(figures.answer, ANSWER)
    return f"on the web, with a delay of {delay:g} s and answers within {answer:.2g} s"


def _cores(number: float) -> str:
    """A part of one is no more than a part of one."""
    return _rounded(number) if number >= 1 else "less than 1"


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
        f" {figures.known:.1f} addresses known a page, {size(figures.memory)} of memory a shard, answers within"
        f" {figures.answer:.2g} s.",
        f"This is {_rounded(pages / figures.pages)} times as many, so take it for what it is: other sites have other"
        " pages, a wider scope finds more addresses a page, and the graph of links is made on one machine.",
    ]


def _rounded(number: float) -> str:
    """To three digits."""
    near = float(f"{number:.{_DIGITS}g}")
    return f"{near:,.0f}" if near >= 10**_DIGITS else f"{near:g}"
