"""Verbs for a crawl that runs, in this terminal or another: pause, go on, stop, other settings, more seeds, retries."""

from __future__ import annotations

import argparse
from typing import Any

import gossamer
from gossamer.cli.assignments import assigned
from gossamer.cli.out import say, say_json
from gossamer.plan import public, toml
from gossamer.printable import counted, pasted
from gossamer.settings import SETTINGS

_RUNS, _RESTS = "the crawl that runs", "the next crawl"


def pause(options: argparse.Namespace) -> int:
    """Nothing is fetched until `resume`."""
    with gossamer.open(options.dir) as collection:
        collection.pause()
    return _said(options, {"paused": True}, "paused; `gossamer resume DIR` goes on")


def resume(options: argparse.Namespace) -> int:
    """It goes on."""
    with gossamer.open(options.dir) as collection:
        collection.resume()
    return _said(options, {"paused": False}, "goes on")


def stop(options: argparse.Namespace) -> int:
    """It ends as soon as what is under way is done."""
    with gossamer.open(options.dir) as collection:
        collection.stop()
    return _said(options, {"stopped": True}, "it ends as soon as what is under way is done")


def set_(options: argparse.Namespace) -> int:
    """Say what has changed, and who goes by it."""
    given = assigned(options.assigned, "set")
    with gossamer.open(options.dir) as collection:
        before, runs = collection.plan, collection.is_busy
        after = collection.change(**given)
    old, new = public(before), public(after)
    names = [*given, *(name for name in SETTINGS if name not in given and getattr(old, name) != getattr(new, name))]
    changed = {name: (getattr(old, name), getattr(new, name)) for name in names}
    lines = [
        f"{name} = {toml(now)} (was {toml(then)})" if now != then else f"{name} = {toml(now)}, as it was"
        for name, (then, now) in changed.items()
    ]
    who = f"{_RUNS} goes by it within a second" if runs else f"{_RESTS} goes by it"
    if "on_page" in given and not runs:
        who += "; `gossamer build DIR --convert` calls it with the pages that are there"
    settings = {name: now for name, (_, now) in changed.items()}
    return _said(options, {"settings": settings, "running": runs}, "\n".join([*lines, who]))


def add(options: argparse.Namespace) -> int:
    """Say how many are new, and who takes them in."""
    with gossamer.open(options.dir) as collection:
        runs = collection.is_busy
        count = collection.add(*options.seeds)
    known = len(options.seeds) - count
    words = f"{counted(count, 'new seed')}{f', {known:,} known' if known else ''}; {_taken(options, runs)}"
    return _said(options, {"new": count, "running": runs}, words)


def retry(options: argparse.Namespace) -> int:
    """Say how many failed, and who tries them again."""
    with gossamer.open(options.dir) as collection:
        runs = collection.is_busy
        collection.require_site(*filter(None, [options.site]))
        count = collection.retry(site=options.site)
    return _said(options, {"failed": count, "running": runs}, f"{counted(count, 'failure')}; {_taken(options, runs)}")


def _taken(options: argparse.Namespace, runs: bool) -> str:
    who = f"{_RUNS} takes them within a second" if runs else f"{_RESTS} takes them: `gossamer crawl DIR`"
    return pasted(who, options.dir)


def _said(options: argparse.Namespace, for_machines: dict[str, Any], for_people: str) -> int:
    if options.json:
        say_json(for_machines)
    else:
        say(pasted(for_people, options.dir))
    return 0
