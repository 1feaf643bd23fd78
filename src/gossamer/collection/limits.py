"""Which limit of the plan keeps what is queued from being fetched, and which command goes on?"""

from __future__ import annotations

from gossamer.plan import Plan
from gossamer.printable import counted, size, span


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
