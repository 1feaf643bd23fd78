"""One function for each verb: ask the collection, print the answer, give the exit code.

Here are those that have no module of their own (`main.HOMES`). What only one verb needs is loaded by that verb.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.cli import answers
from gossamer.cli.opening import asked, settings
from gossamer.cli.out import complain, print_answer, say, say_bytes
from gossamer.errors import NotFound, UsageError
from gossamer.printable import pasted

if TYPE_CHECKING:
    from gossamer.collection.documents import Document


def status(options: argparse.Namespace) -> int:
    """Print the sums."""
    with asked(options) as collection:
        now = collection.status()
    print_answer(options, now.as_json(), pasted(answers.status(now), options.dir))
    return 0


def why(options: argparse.Namespace) -> int:
    """Print where an address or host stands."""
    with asked(options) as collection:
        answer = collection.why(options.subject)
    print_answer(options, asdict(answer), pasted(answers.why(answer), options.dir))
    return 0


def show(options: argparse.Namespace) -> int:
    """Print a page in one of its forms."""
    if options.full and options.form != "text":
        raise UsageError("--full is for --as text; the other forms are of the main content")
    from gossamer.collection.ask.times import moment

    with asked(options) as collection:
        at = moment(options.at, end=True) if options.at is not None else None
        try:
            page = collection.page(options.url, at)
        except NotFound:  # an error or a redirect says something, too
            page = collection.answer(options.url, at)
            complain(_no_page(page))
    if page.page.problem:
        complain(f"{page.url}: {page.page.problem}")
    if options.form in ("raw", "screenshot") and not options.json:
        say_bytes(page.capture.body if options.form == "raw" else page.picture())
        return 0
    form = "full" if options.full else options.form
    print_answer(options, page.as_json() if options.json else {}, "" if options.json else answers.page(page, form))
    return 0


def _no_page(page: Document) -> str:
    """What came in the place of a page."""
    target = page.entry.target if page.entry else None
    leads = f" and leads to {target}" if target else ""
    return f"{page.url}: is no page; the server answered {page.status}{leads}"


def convert(options: argparse.Namespace) -> int:
    """Read documents that are in no collection."""
    from gossamer.cli.convert import run

    return run(options, settings(options))


def help_(options: argparse.Namespace) -> int:
    """Print the help of a command or of all, the manual page, an empty plan, or which plug-ins are installed."""
    from gossamer import plan, plugins
    from gossamer.cli import guide
    from gossamer.cli.options import parser

    if options.plan:
        say(plan.dump(plan.Plan()).rstrip("\n"))
        return 0
    if options.plugins:
        say("\n".join(plugins.listed()))
        return 0
    top = parser()
    verbs = guide.verbs_of(top)
    about = next(iter(options.about), "")  # `help alert add` is about `alert`
    if about and about not in verbs:
        raise UsageError(guide.no_command(about, verbs))
    say(guide.manual(top) if options.man else (verbs.get(about) or top).format_help().rstrip("\n"))
    return 0


def completion(options: argparse.Namespace) -> int:
    """Print what a shell completes by."""
    from gossamer.cli.completion import SHELLS, script
    from gossamer.cli.options import parser

    shell = options.shell or os.path.basename(os.environ.get("SHELL", ""))
    if shell not in SHELLS:
        raise UsageError(f"which shell? name one of {', '.join(SHELLS)}, as in `gossamer completion bash`")
    say(script(shell, parser()).rstrip("\n"))
    return 0


def simulate(options: argparse.Namespace) -> int:
    """Try a budget on a made web."""
    from gossamer.cli.simulation import run

    return run(options)


def plan_cluster(options: argparse.Namespace) -> int:
    """How many machines a crawl takes."""
    from gossamer.cli.cluster_plan import run

    return run(options)


def demo(options: argparse.Namespace) -> int:
    """Crawl a made web and find a page in it."""
    from gossamer.cli.demo import run
    from gossamer.cli.server import shown_in_browser

    result = run(Path(options.dir), quiet=options.json)
    print_answer(options, result, "")
    if sys.stdout.isatty() and not options.json:
        shown_in_browser(Path(options.dir))
    return 0
