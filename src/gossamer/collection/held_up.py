"""What keeps what is queued from being fetched: this machine, the network, or a limit of the plan? And how does it go
on?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gossamer.plan import Plan
from gossamer.printable import counted, size, span

if TYPE_CHECKING:
    from gossamer.frontier.ledger import Counts


def waits_for(disk_free: int, disk_wanted: int, store_away: str, network_gone: bool) -> str:
    """What a crawl waits for that is no limit of its own, in words; nothing when it does not wait."""
    if disk_wanted:
        return f"the disk is nearly full: {size(disk_free)} free, goes on at {size(disk_wanted)}"
    if store_away:
        return store_away
    return "nothing can be reached; goes on by itself as soon as something answers" if network_gone else ""


def standstill(plan: Plan, counts: Sequence[Counts], *, time_over: bool) -> str:
    """The limit that keeps what is queued from being fetched, where no crawl runs; `counts` are those of all shards."""
    if not any(each.queued for each in counts):
        return ""
    pages, octets = sum(each.kept for each in counts), sum(each.bytes for each in counts)
    if all(each.queued <= each.besides for each in counts):
        pages = 0  # no limit of pages keeps this away
    verb = "files" if plan.folders else "crawl"
    return held_by(plan, pages, octets, time_over=bool(plan.time) and time_over, verb=verb)


def held_by(plan: Plan, pages: int, octets: int, *, time_over: bool, verb: str = "crawl") -> str:
    """In words, with the command that goes on; nothing where no limit is reached."""
    again = f"`gossamer {verb} DIR"
    if 0 < plan.pages <= pages:
        reached = f"the limit of {counted(plan.pages, 'page')} is reached"
        return f"{reached}, and {again} {_option(verb, 'pages', 2 * plan.pages)}` goes on (0: no limit)"
    if 0 < plan.bytes <= octets:
        reached = f"the limit of {size(plan.bytes)} is reached"
        return f"{reached}, and {again} {_option(verb, 'bytes', _more(octets))}` goes on (0: no limit)"
    if time_over:
        longer = f"{again} {_option(verb, 'time', 0)}` to the end; the time is remembered"
        return f"the time of {span(plan.time)} is over, and {again}` goes on for as long again, {longer}"
    return ""


def _option(verb: str, name: str, value: object) -> str:
    """How the limit is given: those who read files seldom need one, and it has no option of its own there."""
    return f"--set {name}={value}" if verb == "files" else f"--{name} {value}"


def _more(octets: int) -> str:
    """Twice as much or a little more, as one writes it: what came may be far beyond the limit."""
    number, units = 2 * octets, ["", "k", "M", "G"]
    while number >= 1_000 and len(units) > 1:
        number = -(-number // 1_000)
        del units[0]
    return f"{number}{units[0]}"
