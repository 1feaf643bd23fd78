"""What can be done without a collection."""

from __future__ import annotations

import argparse

from gossamer.cli.options.verb_parts import (
    Verbs,
    add_setting,
    add_verb,
)
from gossamer.printable import cut
from gossamer.setting_text import visits


def convert(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "convert",
        "read any documents, without a collection",
        "gossamer convert report.pdf page.html --as markdown\n"
        "  gossamer convert https://example.org/ --as text --contact me@example.org\n"
        "  gossamer convert - --type html --as json < page",
    )
    verb.add_argument(
        "inputs", metavar="FILE|URL|-", nargs="+", help="a file, an http address, or - for standard input"
    )
    verb.add_argument(
        "--as",
        dest="form",
        choices=("html", "markdown", "text", "json", "links"),
        default="markdown",
        help="the main content as HTML, Markdown or text; an object with all of it; or the links (markdown)",
    )
    verb.add_argument("--json", action="store_const", const="json", dest="form", help="the same as --as json")
    verb.add_argument("--full", action="store_true", help="with --as text: all words, not only the main content")
    verb.add_argument(
        "--type", metavar="TYPE", help="what the files are, as text/html or html; otherwise it is found out"
    )
    group = verb.add_argument_group("for addresses")
    for name in ("contact", "allow_addresses", "proxy", "ca_file"):
        add_setting(group, name)


def simulate(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "simulate",
        "try a budget of visits on a made web, before you spend it. Each policy keeps the same pages fresh as well as"
        " it can, for some weeks that pass in seconds: an ideal schedule that knows every change rate (best), the one"
        " that `watch` uses (learning), and five published ones (azar, lambdacrawl, uniform, proportional, nutch). A"
        " table says which part of the copies is fresh, and how old they are",
        "gossamer simulate plan.toml --budget 2000 --plot plan.svg",
    )
    verb.add_argument(
        "plan",
        metavar="PLAN",
        nargs="?",
        help="a file in TOML that says how many pages there are, how often they change, and how many visits a day there"
        " are; or the directory of a collection, which has as many pages, and the rest is assumed",
    )
    verb.add_argument("--example", action="store_true", help="print a plan with every line explained, to begin with")
    verb.add_argument(
        "--budget", metavar="N", type=_visits, help="visits, like 10000/day, in the place of those of the plan"
    )
    verb.add_argument(
        "--goal",
        choices=("freshness", "age"),
        help="what visits are for, in the place of the plan's (age, as in `watch`)",
    )
    verb.add_argument("--plot", metavar="FILE", help="draw freshness and age over the days, as SVG, into a file")
    verb.add_argument("--json", action="store_true", help="answer as JSON, with the figures of every day")


def _visits(text: str) -> float:
    found = visits(text)
    if found < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is less than one visit a day")
    return found


def plan_cluster(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "plan-cluster",
        "how long a crawl of so many pages takes, how many machines, and what they cost, from the figures of a small"
        " one: crawl a thousand pages or more of what it is to be, and name that collection",
        "gossamer plan-cluster my-web --pages 5M --hosts 2000 --delay 1\n"
        "  gossamer plan-cluster my-web --pages 1e9 --days 30",
    )
    verb.add_argument(
        "dir", metavar="DIR", nargs="?", help="a collection that was crawled; none: what politeness alone allows"
    )
    verb.add_argument("--pages", metavar="N", type=_amount, help="pages that the crawl is to have, like 5M or 1e9")
    verb.add_argument(
        "--hosts", metavar="N", type=_whole, help="on so many hosts: how long politeness makes it last, at least"
    )
    verb.add_argument(
        "--largest-host", metavar="N", type=_whole, help="pages of the largest of them (all have as many as each other)"
    )
    verb.add_argument("--delay", metavar="S", type=float, help="seconds that a host rests (as in the collection)")
    verb.add_argument(
        "--days", metavar="N", type=_amount, help="in so many days (30, where neither hosts nor machines are given)"
    )
    verb.add_argument("--machines", metavar="N", type=_whole, help="with so many machines (1, with --hosts)")
    verb.add_argument(
        "--machine", metavar="FILE", help="a file in TOML with cores, memory, disk and prices (8 cores, 32 GB, 1 TB)"
    )
    verb.add_argument("--example", action="store_true", help="print such a file, to begin with")
    verb.add_argument("--json", action="store_true", help="answer as JSON")


_LETTERS = "kmgt"
_AMOUNT_MOST = 1e18


def _amount(text: str) -> float:
    """With a letter for thousands or more of them, as `--bytes` has it."""
    power = _LETTERS.find(text[-1:].lower()) + 1 if text[-1:] else 0
    try:
        found = float((text[:-1] if power else text).replace(",", "")) * 1e3**power
    except ValueError:
        found = 0.0
    if not 0 < found <= _AMOUNT_MOST:
        raise argparse.ArgumentTypeError(
            f"{cut(text, 40)!r} is no number above 0, like 5000, 5M or 1e9, and at most 1e18"
        )
    return found


def _whole(text: str) -> int:
    """The same, of things that there are no parts of."""
    found = _amount(text)
    if not found.is_integer():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    return int(found)


def demo(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "demo",
        "crawl a made web on this machine and find a page in it",
        "gossamer demo",
    )
    verb.add_argument("dir", metavar="DIR", nargs="?", default="demo-web", help="where to keep it (demo-web)")
    verb.add_argument("--json", action="store_true", help="answer as JSON")


def help_(verbs: Verbs) -> None:
    verb = add_verb(verbs, "help", "all commands, or the options of one", "gossamer help search")
    verb.add_argument("about", metavar="COMMAND", nargs="*", default=[], help="one of the commands; none: list them")
    verb.add_argument("--man", action="store_true", help="write the manual page: `gossamer help --man | man -l -`")
    verb.add_argument(
        "--plan", action="store_true", help="write a plan.toml to begin with: all settings, and what each does"
    )
    verb.add_argument("--plugins", action="store_true", help="list the protocols and converters that packages add")


def completion(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "completion",
        "write what completes commands and options in a shell. Put `source <(gossamer completion bash)` into ~/.bashrc,"
        " the same with zsh into ~/.zshrc, or the output for fish into ~/.config/fish/completions/gossamer.fish",
        "gossamer completion bash",
    )
    verb.add_argument("shell", nargs="?", choices=("bash", "zsh", "fish"), help="the shell (that of $SHELL)")
