"""One function for each verb: ask the collection, print the answer, give the exit code.

What only one verb needs is loaded by that verb: a crawl would pay for the searcher and the plotter at every start.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import gossamer
from gossamer import shown
from gossamer.cli import answers, history_output, repair_output, search_output
from gossamer.cli.alerts import Heard
from gossamer.cli.alerts import alert as alert
from gossamer.cli.assignments import assigned
from gossamer.cli.news import changed
from gossamer.cli.news import changes as changes
from gossamer.cli.out import complain, pasted, require_no_terminal, say, say_bytes, say_json
from gossamer.cli.progress import BuildLine, ExportLine, ImportLine, ProgressLine, VerifyLine
from gossamer.cli.reports import broken as broken
from gossamer.cli.reports import list_ as list_
from gossamer.cli.server import beside, shown_in_browser
from gossamer.cli.server import mcp as mcp
from gossamer.cli.server import serve as serve
from gossamer.cli.steering import add as add
from gossamer.cli.steering import pause as pause
from gossamer.cli.steering import resume as resume
from gossamer.cli.steering import retry as retry
from gossamer.cli.steering import set_ as set_
from gossamer.cli.steering import stop as stop
from gossamer.collection.ask.formats import FORMATS as UNITS
from gossamer.collection.ask.times import moment
from gossamer.errors import INTERRUPTED, Damaged, DamagedInput, NotFound, UsageError
from gossamer.settings import SETTINGS

if TYPE_CHECKING:
    from gossamer.collection import Collection, Imported, Status
    from gossamer.collection.ask.reading import Reading
    from gossamer.collection.documents import Document
    from gossamer.store.repair.verify import Checked

TEXTUAL = ("jsonl", "cdxj", "graph")
"""Formats of an export that escape what pages say, so that they may be looked at."""


def _asked(options: argparse.Namespace) -> Reading:
    """The collection for a question: what writes is not loaded for it, which would take longer than most answers."""
    from gossamer.collection.ask.reading import Reading

    return Reading(Path(options.dir))


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
    again = options.revisit or (options.verb == "files" and Path(options.dir, "plan.toml").exists())
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
    _print(options, status.as_json(), "" if options.quiet else told)
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
    return _answered(f"{collection.path} was made by somebody else or elsewhere, and its plan has {words}. Use that?")


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


def settings(options: argparse.Namespace) -> dict[str, Any]:
    """The settings of the plan that were given; lists become tuples."""
    named = [name for name, setting in SETTINGS.items() if setting.option]
    given = {name: getattr(options, name) for name in named if getattr(options, name, None) is not None}
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    return given | assigned(getattr(options, "assigned", None) or ())


def status(options: argparse.Namespace) -> int:
    """Print the sums."""
    with _asked(options) as collection:
        now = collection.status()
    _print(options, now.as_json(), pasted(answers.status(now), options.dir))
    return 0


def top(options: argparse.Namespace) -> int:
    """The live view."""
    from gossamer.cli.top import top

    return top(options)


def why(options: argparse.Namespace) -> int:
    """Print where an address or host stands."""
    with _asked(options) as collection:
        answer = collection.why(options.subject)
    _print(options, asdict(answer), pasted(answers.why(answer), options.dir))
    return 0


def show(options: argparse.Namespace) -> int:
    """Print a page in one of its forms."""
    if options.full and options.form != "text":
        raise UsageError("--full is for --as text; the other forms are of the main content")
    with _asked(options) as collection:
        at = moment(options.at, end=True) if options.at else None
        try:
            page = collection.page(options.url, at)
        except NotFound:  # an error or a redirect says something, too
            page = collection.answer(options.url, at)
            complain(_no_page(page))
    if options.form == "raw" and not options.json:
        say_bytes(page.capture.body)
        return 0
    form = "full" if options.full else options.form
    _print(options, page.as_json(), "" if options.json else answers.page(page, form))
    return 0


def _no_page(page: Document) -> str:
    """What came in the place of a page."""
    target = page.entry.target if page.entry else None
    leads = f" and leads to {target}" if target else ""
    return f"{page.url}: is no page; the server answered {page.status}{leads}"


def history(options: argparse.Namespace) -> int:
    """Print the versions of a page, or what changed between two."""
    with _asked(options) as collection:
        if options.diff is None:
            editions = collection.history(options.url)
            if not editions:
                collection.page(options.url)  # says what is known of it
            _print_each(options, (each.as_json() for each in editions), history_output.history(editions))
            return 0
        if len(options.diff) > 2:
            raise UsageError("--diff takes two versions at most, by number or time")
        diff = collection.diff(options.url, *map(_version, options.diff))
    _print(options, diff.as_json(), pasted(history_output.diff(diff), options.dir))
    return 0


def search(options: argparse.Namespace) -> int:
    """Print the pages that answer a question."""
    question, most, offset = " ".join(options.question), options.number, options.offset
    if options.explain and options.sort != "relevance":
        raise UsageError("--explain says what a score is made of; ask without --sort")
    with _asked(options) as collection:
        found = collection.search(question, most, offset, sort=options.sort, facets=options.facets or options.json)
        explained = collection.explain(question, most + offset) if options.explain else []
        signs = {hit.url: signs for hit, signs in explained}
        waiting = collection.not_indexed if collection.is_built else None
        busy = waiting != 0 and collection.is_busy
        empty = not found.total and not collection.status().pages
    _print(
        options,
        found.as_json(question, waiting, signs),
        search_output.answer(question, found, signs, offset, options.dir),
    )
    for hint in (*found.hints, *search_output.options_taken_as_words(options.question, found=found.total > 0)):
        complain(hint)
    if empty:
        complain(pasted(search_output.NO_PAGE, options.dir))
    elif waiting != 0:  # without some pages it is not the whole answer
        complain(pasted(search_output.waiting(waiting, busy=busy), options.dir))
    return 0


def similar(options: argparse.Namespace) -> int:
    """Print the copies of a page."""
    with _asked(options) as collection:
        copies = collection.similar(options.url)
        titles = {url: collection.title_of(url) for url in (options.url, *(copy.url for copy in copies))}
    rows = (copy.as_json(titles[copy.url]) for copy in copies)
    _print_each(options, rows, search_output.similar(options.url, copies, titles))
    return 0


def duplicates(options: argparse.Namespace) -> int:
    """Print all groups of copies, and hosts that serve the same site."""
    with _asked(options) as collection:
        copies = collection.duplicates()
        titles = {group.url: collection.title_of(group.url) for group in copies.groups}
        for group in copies.groups:
            for copy in (*group.copies, *group.alike):  # the same bytes have the same title, and reading it takes time
                titles[copy.url] = titles[group.url] if copy.exact else collection.title_of(copy.url)
    _print_each(options, search_output.each_as_json(copies, titles), search_output.duplicates(copies, titles))
    return 0


def links(options: argparse.Namespace) -> int:
    """Print who points to an address and what it points to."""
    with _asked(options) as collection:
        around = collection.links(options.url)
    _print(options, around.as_json(), search_output.links(around))
    return 0


def rank(options: argparse.Namespace) -> int:
    """Print the pages or sites that rank highest by their links, or the hubs and authorities for a question."""
    with _asked(options) as collection:
        if options.plot:
            from gossamer.cli import chart

            _write(options.plot, chart.of_ranks(collection.graph))
        if options.query is not None:
            around = collection.neighbours(options.query)
            hubs = sorted(around, key=lambda each: -each.hub)[: options.number]
            titles = {each.url: collection.title_of(each.url) for each in (*around[: options.number], *hubs)}
            best = search_output.neighbours(around, options.number, titles)
            rows = ({**asdict(each), "title": titles[each.url]} for each in around[: options.number])
            _print_each(options, rows, best)
            return 0
        if options.sites:
            top = collection.rank_sites()[: options.number]
        elif options.trust:
            top = collection.trust(options.trust, options.number)
        else:
            top = collection.graph.top(options.number)
        titles = {} if options.sites else {url: collection.title_of(url) for url, _ in top}
    name = "site" if options.sites else "url"
    rows = ({name: each, "rank": value} | ({"title": titles[each]} if titles else {}) for each, value in top)
    _print_each(options, rows, search_output.ranked(top, titles))
    return 0


def evaluate(options: argparse.Namespace) -> int:
    """Print how good the ranking is by the judgements of people."""
    from gossamer.search.measures import read_judgements, read_questions

    questions = read_questions(_lines(options.queries))
    judgements = read_judgements(_lines(options.judgements))
    with _asked(options) as collection:
        measures = collection.evaluate(questions, judgements)
    _print(options, asdict(measures), search_output.measures(measures))
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


def build(options: argparse.Namespace) -> int:
    """Make what is missing, or all of it, with a progress line; captures that cannot be read are damage."""
    line = BuildLine()
    try:
        with gossamer.open(options.dir) as collection:
            built = collection.build(convert=options.convert, report=line)
    finally:
        line.end()
    _print(options, asdict(built), pasted(answers.built(built), options.dir))
    return Damaged.exit_code if built.problems else 0


def import_(options: argparse.Namespace) -> int:
    """Take files in, with a progress line and two kinds of Ctrl-C; damaged files have an exit code of their own."""
    import asyncio

    from gossamer.collection import fast_loop

    collection = gossamer.open(options.dir)
    try:
        with asyncio.Runner(loop_factory=fast_loop()) as runner:
            done, stopped = runner.run(_import(collection, options))
    except asyncio.CancelledError:
        stopped, done = True, None
    if done is not None:
        _print(options, asdict(done), pasted(answers.imported(done), options.dir))
    if stopped:
        complain("stopped; the same command goes on")
        return INTERRUPTED
    return DamagedInput.exit_code if done and done.problems else 0


async def _import(collection: Collection, options: argparse.Namespace) -> tuple[Imported, bool]:
    from gossamer.cli.interrupts import listening

    progress = ImportLine()
    with listening() as stopping:
        try:
            done = await collection.import_async(
                *options.files, report=progress, stop=stopping.stop, **settings(options)
            )
        finally:
            progress.end()
    return done, stopping.asked


def export(options: argparse.Namespace) -> int:
    """Write to a file that appears when it is whole, or to standard output."""
    chosen = _part(options)
    with _asked(options) as collection:
        collection.require_site(*(options.site or ()))
        if options.output == "-":
            if options.form not in TEXTUAL:
                require_no_terminal(options.form)
            collection.export(options.form, sys.stdout.buffer, **chosen)
            sys.stdout.flush()
            return 0
        path = _output(options)
        count = _export(collection, options.form, path, chosen)
    result = {"format": options.form, "path": str(path), "count": count}
    joined = options.form == "warc" and not os.path.isdir(path)
    done = (
        f"joined {shown.counted(count, 'file')} into"
        if joined
        else f"wrote {shown.counted(count, UNITS[options.form].removesuffix('s'))} to"
    )
    _print(options, result, f"{done} {path}")
    return 0


def _output(options: argparse.Namespace) -> Path:
    if not options.output:
        raise UsageError("--output is empty; name a file, or - for standard output")
    return _new_file(options.output, "--output", options.dir)


def _new_file(name: str, option: str, folder: str) -> Path:
    path = Path(name)
    if not os.path.isdir(path.parent):
        raise UsageError(f"{path.parent}: no such directory; make it or choose another {option}")
    if Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise UsageError(f"{path}: lies in the collection, which holds nothing but its own files; choose another place")
    return path


def _part(options: argparse.Namespace) -> dict[str, Any]:
    from gossamer.collection.ask.part import Part

    part = Part(tuple(options.site or ()), tuple(options.include or ()), options.query)
    part.require_sense(options.form)
    if options.without_links and options.form not in ("jsonl", "markdown", "parquet"):
        raise UsageError(f"--without-links is for jsonl, markdown and parquet; {options.form} is what it is")
    return {"part": part, "links": not options.without_links}


def _export(collection: Reading, form: str, path: Path, chosen: dict[str, Any]) -> int:
    if form == "warc" and os.path.isdir(path):
        return collection.export_files(path)
    if form == "bagit":
        return collection.export_bag(path)
    from gossamer.collection.ask.export import to_path

    line = ExportLine()
    try:
        if form == "markdown":
            return collection.export_markdown(path, line, **chosen)
        return to_path(lambda out: collection.export(form, out, line, **chosen), path)
    finally:
        line.end()


def verify(options: argparse.Namespace) -> int:
    """Print every problem; any problem is damage."""
    if options.repair:
        return _repair(options)
    line = VerifyLine()
    try:
        with gossamer.open(options.dir) as collection:
            checked = _reported(collection, options, line) if options.report else collection.verify(report=line)
    finally:
        line.end()
    result = {name: getattr(checked, name) for name in ("records", "rows", "problems", "unread", "notes")}
    _print(options, result, pasted(answers.verified(checked), options.dir))
    return Damaged.exit_code if checked.problems else 0


def _reported(collection: Collection, options: argparse.Namespace, line: VerifyLine) -> Checked:
    """The file is there when the check is over; that it can be is said before."""
    from gossamer.collection.ask.export import to_path

    found: list[Checked] = []

    def write(out: BinaryIO) -> int:
        checked, told = collection.verify_report(report=line)
        found.append(checked)
        return out.write(shown.json(told).encode() + b"\n")

    to_path(write, _new_file(options.report, "--report", options.dir))
    return found[0]


def _repair(options: argparse.Namespace) -> int:
    if options.report:
        raise UsageError("--report says how a collection is, and not what a repair does; run it after --repair")
    with gossamer.open(options.dir) as collection:
        done = collection.repair()
    _print(options, done.as_json(), pasted(repair_output.repaired(options.dir, done), options.dir))
    return Damaged.exit_code if done.left else 0


def remove(options: argparse.Namespace) -> int:
    """Say what would go, ask, and take it out."""
    with gossamer.open(options.dir) as collection:
        chosen = collection.removable(options.pattern)
        if not chosen.urls:
            raise NotFound(f"no address in the collection matches {options.pattern!r}; patterns are RE2")
        if not options.dry_run:
            if not options.yes and not _agreed(repair_output.removing(chosen, options.archive)):
                return INTERRUPTED
            chosen = collection.remove(options.pattern, archive=options.archive)
    told = repair_output.removed(chosen, options.archive, dry=options.dry_run)
    _print(options, {**asdict(chosen), "archive": options.archive, "dry_run": options.dry_run}, told)
    return 0


def prune(options: argparse.Namespace) -> int:
    """Say how much would go, ask, and let it go."""
    with gossamer.open(options.dir) as collection:
        goes = collection.prunable(options.keep)
        if not options.dry_run:
            if goes.versions and not options.yes and not _agreed(repair_output.pruning(goes)):
                return INTERRUPTED
            goes = collection.prune(options.keep)
    told = repair_output.pruned(goes, dry=options.dry_run)
    _print(options, {**asdict(goes), "dry_run": options.dry_run}, told)
    return 0


def fetch_collection(options: argparse.Namespace) -> int:
    """Bring all shards here."""
    from gossamer.collection.stored import fetch

    fetch(options.dir, Path(options.to))
    with gossamer.open(options.to) as collection:
        now = collection.status()
    _print(options, now.as_json(), f"{options.to}: {shown.counted(now.pages, 'page')}, {now.queued:,} queued")
    return 0


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise UsageError("nobody is there to be asked; --yes removes without asking, --dry-run says what would go")
    return _answered(f"{question}\nremove for good?")


def _answered(question: str) -> bool:
    print(f"{shown.text(question)} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def help_(options: argparse.Namespace) -> int:
    """Print the help of a command or of all, or the manual page."""
    from gossamer.cli import guide
    from gossamer.cli.options import parser

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


def demo(options: argparse.Namespace) -> int:
    """Crawl a made web and find a page in it."""
    from gossamer.cli.demo import run

    result = run(Path(options.dir), quiet=options.json)
    _print(options, result, "")
    if sys.stdout.isatty() and not options.json:
        shown_in_browser(Path(options.dir))
    return 0


def _version(text: str) -> int | datetime:
    return int(text) if text.isdecimal() and len(text) < 8 else moment(text, end=True)


def _print_each(options: argparse.Namespace, for_machines: Iterable[Mapping[str, Any]], for_people: str) -> None:
    """One object a line."""
    if options.json:
        for each in for_machines:
            say_json(each)
    elif for_people:
        say(for_people)


def _print(options: argparse.Namespace, for_machines: Mapping[str, Any], for_people: str) -> None:
    if options.json:
        say_json(for_machines)
    elif for_people:
        say(for_people)
