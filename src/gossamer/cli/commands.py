"""One function for each verb: ask the collection, print the answer, give the exit code.

What only one verb needs is loaded by that verb: a crawl would pay for the searcher and the plotter at every start.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import gossamer
from gossamer.cli import answers, search_output
from gossamer.cli.alerts import Heard
from gossamer.cli.alerts import alert as alert
from gossamer.cli.finding import history as history
from gossamer.cli.finding import search as search
from gossamer.cli.news import changed
from gossamer.cli.news import changes as changes
from gossamer.cli.opening import asked, settings
from gossamer.cli.out import complain, is_agreed, print_answer, print_each, say, say_bytes
from gossamer.cli.progress import ProgressLine
from gossamer.cli.reports import broken as broken
from gossamer.cli.reports import list_ as list_
from gossamer.cli.server import beside, shown_in_browser
from gossamer.cli.server import mcp as mcp
from gossamer.cli.server import replay as replay
from gossamer.cli.server import serve as serve
from gossamer.cli.steering import add as add
from gossamer.cli.steering import pause as pause
from gossamer.cli.steering import resume as resume
from gossamer.cli.steering import retry as retry
from gossamer.cli.steering import set_ as set_
from gossamer.cli.steering import stop as stop
from gossamer.cli.transfer import export as export
from gossamer.cli.transfer import fetch_collection as fetch_collection
from gossamer.cli.transfer import import_ as import_
from gossamer.cli.upkeep import build as build
from gossamer.cli.upkeep import prune as prune
from gossamer.cli.upkeep import remove as remove
from gossamer.cli.upkeep import verify as verify
from gossamer.collection.ask.times import moment
from gossamer.errors import INTERRUPTED, NotFound, UsageError
from gossamer.printable import pasted

if TYPE_CHECKING:
    from gossamer.collection import Collection, Status
    from gossamer.collection.documents import Document


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
    began = monotonic()
    try:
        with asyncio.Runner(loop_factory=fast_loop()) as runner, journal(options.log, options.dir) as note:
            note("begin", begun(options.dir, options.seeds))
            with ending(note):
                status, stopped, idle = runner.run(_crawl(collection, options, trusted, Talking(hint, note)))
            sums = answers.crawled(options.dir, status, stopped, collection.plan, verb=options.verb)
            note("end", sums.partition("\nnext: ")[0].replace("\n", "; "))
    except asyncio.CancelledError:
        complain(f"stopped; `gossamer {options.verb} {options.dir}` goes on")
        return INTERRUPTED
    seconds, news = monotonic() - began, changed(collection) if again and not options.json else ""
    told = answers.crawled(
        options.dir, status, stopped, collection.plan, seconds, changed=news, idle=idle, verb=options.verb
    )
    if not (options.json or options.quiet) and (shell := collection.needs_scripts()):
        told += (
            f"\nhint: {shell} says next to nothing without its scripts; `gossamer crawl {shlex.quote(options.dir)}"
            " --render auto --revisit` has a browser run them"
        )
    print_answer(options, status.as_json(), "" if options.quiet else told)
    options.heard.say(options)
    return INTERRUPTED if stopped else 0


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
    from gossamer.cli.interrupts import listening
    from gossamer.cli.talk import Talk

    progress = ProgressLine(hint=talking.hint)  # which says it when the crawl has begun: a mistake is said alone
    pipe, quiet, verbose = not sys.stderr.isatty(), options.quiet, options.verbose
    talk = Talk(progress, talking.note, pipe=pipe, quiet=quiet, verbose=verbose)
    with listening() as stopping, beside(options.dir, options.serve, talk) as report:
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
        finally:
            progress.end()
    return status, stopping.stop.is_set(), not talk.heard


def status(options: argparse.Namespace) -> int:
    """Print the sums."""
    with asked(options) as collection:
        now = collection.status()
    print_answer(options, now.as_json(), pasted(answers.status(now), options.dir))
    return 0


def top(options: argparse.Namespace) -> int:
    """The live view."""
    from gossamer.cli.top import top

    return top(options)


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
    print_answer(options, page.as_json(), "" if options.json else answers.page(page, form))
    return 0


def _no_page(page: Document) -> str:
    """What came in the place of a page."""
    target = page.entry.target if page.entry else None
    leads = f" and leads to {target}" if target else ""
    return f"{page.url}: is no page; the server answered {page.status}{leads}"


def similar(options: argparse.Namespace) -> int:
    """Print the copies of a page."""
    with asked(options) as collection:
        copies = collection.similar(options.url)
        titles = {url: collection.title_of(url) for url in (options.url, *(copy.url for copy in copies))}
    rows = (copy.as_json(titles[copy.url]) for copy in copies)
    print_each(options, rows, search_output.similar(options.url, copies, titles))
    return 0


def duplicates(options: argparse.Namespace) -> int:
    """Print all groups of copies, and hosts that serve the same site."""
    with asked(options) as collection:
        copies = collection.duplicates()
        titles = {group.url: collection.title_of(group.url) for group in copies.groups}
        for group in copies.groups:
            for copy in (*group.copies, *group.alike):  # the same bytes have the same title, and reading it takes time
                titles[copy.url] = titles[group.url] if copy.exact else collection.title_of(copy.url)
    print_each(options, search_output.each_as_json(copies, titles), search_output.duplicates(copies, titles))
    return 0


def links(options: argparse.Namespace) -> int:
    """Print who points to an address and what it points to."""
    with asked(options) as collection:
        around = collection.links(options.url)
    print_answer(options, around.as_json(), search_output.links(around))
    return 0


def rank(options: argparse.Namespace) -> int:
    """Print the pages or sites that rank highest by their links, or the hubs and authorities for a question."""
    with asked(options) as collection:
        if options.plot:
            from gossamer.cli import chart

            _write(options.plot, chart.of_ranks(collection.graph))
        if options.query is not None:
            around = collection.neighbours(options.query)
            hubs = sorted(around, key=lambda each: -each.hub)[: options.number]
            titles = {each.url: collection.title_of(each.url) for each in (*around[: options.number], *hubs)}
            best = search_output.neighbours(around, options.number, titles)
            rows = ({**asdict(each), "title": titles[each.url]} for each in around[: options.number])
            print_each(options, rows, best)
            return 0
        if options.sites:
            top = collection.rank_sites()[: options.number]
        elif options.trust:
            top = collection.trust(options.trust, options.number)
        else:
            top = collection.graph.top(options.number, by_links=options.by == "links")
        if options.sites:
            rows = ({"site": site, "rank": value} for site, value in top)
            print_each(options, rows, search_output.ranked_sites(top))
            return 0
        pages = [
            search_output.Ranked(url, value, collection.graph.linkers(url), collection.title_of(url))
            for url, value in top
        ]
    print_each(options, map(asdict, pages), search_output.ranked(pages))
    return 0


def evaluate(options: argparse.Namespace) -> int:
    """Print how good the ranking is by the judgements of people."""
    from gossamer.search.evaluation import read_judgements, read_questions

    questions = read_questions(_lines(options.queries))
    judgements = read_judgements(_lines(options.judgements))
    with asked(options) as collection:
        measures = collection.evaluate(questions, judgements)
    print_answer(options, asdict(measures), search_output.measures(measures))
    return 0


def _write(name: str, text: str) -> None:
    try:
        Path(name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{name}: cannot be written: {error.strerror}") from None


def _lines(name: str) -> list[str]:
    try:
        return Path(name).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{name}: cannot be read: it is no text in UTF-8") from None


def convert(options: argparse.Namespace) -> int:
    """Read documents that are in no collection."""
    from gossamer.cli.convert import run

    return run(options, settings(options))


def help_(options: argparse.Namespace) -> int:
    """Print the help of a command or of all, the manual page, or which plug-ins are installed."""
    from gossamer import plugins
    from gossamer.cli import guide
    from gossamer.cli.options import parser

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

    result = run(Path(options.dir), quiet=options.json)
    print_answer(options, result, "")
    if sys.stdout.isatty() and not options.json:
        shown_in_browser(Path(options.dir))
    return 0
