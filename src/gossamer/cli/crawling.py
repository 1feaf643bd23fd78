"""The verbs that fetch: ask the collection to, say how it goes, and what it came to."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import gossamer
from gossamer.cli import answers
from gossamer.cli.alerts import Heard
from gossamer.cli.news import changed
from gossamer.cli.opening import settings
from gossamer.cli.out import complain, is_agreed, print_answer
from gossamer.cli.progress import ProgressLine
from gossamer.cli.server import beside
from gossamer.errors import INTERRUPTED

if TYPE_CHECKING:
    from gossamer.collection import Collection, Status

SEEDS_MOST = 20
"""Seeds that failed, of which it is said why."""
COUNTED_MOST = 10_000
"""Pages among which changes are counted at an end that somebody waits for: it takes half a second."""


def crawl(options: argparse.Namespace) -> int:
    """Crawl, with a progress line and two kinds of Ctrl-C."""
    from gossamer.cli.seeds import named

    options.seeds, options.seed_list = named(options.dir, options.seeds, options.lists or ())
    with gossamer.open(options.dir) as collection:
        return _crawled(collection, options)


def watch(options: argparse.Namespace) -> int:
    """The same, and it does not end."""
    return crawl(options)


def files(options: argparse.Namespace) -> int:
    """The same for files of this machine, after everybody else who wants the processor or the disk."""
    from gossamer.fetch.local.priority import step_back

    step_back()
    with gossamer.open(options.dir) as collection:
        return _crawled(collection, options)


def _crawled(collection: Collection, options: argparse.Namespace) -> int:
    import asyncio

    from gossamer.cli.login import credentials
    from gossamer.cli.talk import begun, ending, journal
    from gossamer.collection import fast_loop

    hint = _hint(options)
    trusted = _trusted(collection, options)
    options.credentials = credentials(options) if options.verb != "files" else None
    options.heard = Heard()
    again = options.revisit or (options.verb in ("files", "watch") and Path(options.dir, "plan.toml").exists())
    there, began = Path(options.dir, "shards").is_dir(), monotonic()
    try:
        with asyncio.Runner(loop_factory=fast_loop()) as runner, journal(options.log, options.dir) as note:
            note("begin", begun(options.dir, options.seeds))
            with ending(note):
                status, stopped, idle = runner.run(_crawl(collection, options, trusted, Talking(hint, note)))
            sums = answers.crawled(options.dir, status, stopped, collection.plan, verb=options.verb)
            note("end", sums.partition("\nnext: ")[0].replace("\n", "; "))
    except asyncio.CancelledError:
        if not options.quiet:
            complain(f"stopped; `gossamer {options.verb} {shlex.quote(options.dir)}` goes on")
        return INTERRUPTED
    seconds, news = monotonic() - began, ""
    if again and not options.json:
        news = _news(collection, options, hurried=stopped and status.pages > COUNTED_MOST)
    told = answers.crawled(
        options.dir, status, stopped, collection.plan, seconds, changed=news, idle=idle, verb=options.verb
    )
    if not (options.json or options.quiet):
        told = "\n".join([told, *_hints(collection, options, status, there)])
    print_answer(options, status.as_json(), "" if options.quiet else told)
    if options.verb != "files":
        _complain_of_seeds(collection, options.seeds)
    options.heard.say(options)
    return INTERRUPTED if stopped else 0


def _news(collection: Collection, options: argparse.Namespace, *, hurried: bool) -> str:
    """How many pages are new, changed and gone. All are looked at for that, so whoever waits for the end is told who
    counts them."""
    words = f"`gossamer changes {shlex.quote(options.dir)}` counts what is new, changed and gone"
    return words if hurried else changed(collection)


def _hints(collection: Collection, options: argparse.Namespace, status: Status, there: bool) -> Iterator[str]:
    """What else would bring what was perhaps meant; whether the collection was `there` before."""
    folder = shlex.quote(options.dir)
    if shell := collection.needs_scripts():
        yield (
            f"hint: {shell} says next to nothing without its scripts; `gossamer crawl {folder} --render auto --revisit`"
            " has a browser run them"
        )
    if there and options.verb != "files" and options.on_page:
        yield f"hint: `gossamer build {folder} --convert` gives the page function the pages that were here before"
    elif collection.plan.on_page and status.pages and not (status.fields or status.fields_failed):
        yield (
            "hint: no page has fields: the page function gave None or nothing for each; `page.source` is all that"
            f" came, `page.html` its main content alone, and `gossamer build {folder} --convert` calls it again"
        )


def _complain_of_seeds(collection: Collection, seeds: Sequence[str]) -> None:
    """Of those that this command names, one that failed is lost among all other failures."""
    from gossamer.collection.crawl.unfetched_seeds import failed

    with collection:
        for words in islice(failed(collection, seeds), SEEDS_MOST):
            complain(words)


def _hint(options: argparse.Namespace) -> str:
    """Whoever is crawled for the first time should be able to ask who it is."""
    if options.verb == "files":
        return ""
    known = options.contact or options.allow_addresses or Path(options.dir).exists()
    return "" if known else "hint: --contact you@example.org tells site owners whom to ask"


def _trusted(collection: Collection, options: argparse.Namespace) -> bool:
    """Whether the plan may open what it does, also where a stranger wrote it: who sits at a terminal is asked."""
    if options.trust_plan or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return bool(options.trust_plan)
    opened = collection.unconfirmed(**settings(options))
    if not opened:
        return False
    words = ", ".join(f"{name} = {value}" for name, value in opened.items())
    return is_agreed(f"{collection.path} was made by somebody else or elsewhere, and its plan has {words}. Use that?")


class Talking(NamedTuple):
    """What a crawl says besides its sums."""

    hint: str
    note: Callable[[str, str], None]


async def _crawl(
    collection: Collection, options: argparse.Namespace, trusted: bool, talking: Talking
) -> tuple[Status, bool, bool]:
    """What it came to, whether somebody has stopped it, and whether there was nothing to do."""
    import asyncio

    from gossamer.cli.interrupts import listening
    from gossamer.cli.talk import Talk

    progress = ProgressLine(options.dir, hint=talking.hint)  # said when it has begun: a mistake is said alone
    pipe, quiet, verbose = not sys.stderr.isatty(), options.quiet, options.verbose
    talk = Talk(progress, talking.note, pipe=pipe, quiet=quiet, verbose=verbose)
    with listening(talk.so_far, quiet=quiet) as stopping, beside(options.dir, options.serve, talk) as report:
        try:
            told = talk.fetched if verbose or options.log is not None else None
            common: dict[str, Any] = {"report": report, "stop": stopping.stop, "trust_plan": trusted, "told": told}
            common |= {"news": options.heard.add, **settings(options)}
            if options.verb == "files":
                status = await collection.files_async(*options.paths, watch=options.watch, **common)
            else:
                status = await collection.crawl_async(
                    *options.seeds,
                    revisit=options.revisit,
                    credentials=options.credentials,
                    seed_list=options.seed_list,
                    keep_fresh=options.keep_fresh,
                    **common,
                )
        except asyncio.CancelledError:
            if not (stopping.asked and talk.heard):
                raise
            status = collection.status()  # what was in flight is dropped; all else is counted as ever
        finally:
            progress.end()
    return status, stopping.stop.is_set(), not talk.heard
