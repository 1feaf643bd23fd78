"""Verbs that report on all addresses: which are there, which are broken. A line for each."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import gossamer
from gossamer.cli.answers import cut, when
from gossamer.cli.out import complain, say, say_json
from gossamer.cli.progress import Line, Part
from gossamer.collection.ask.broken_table import BrokenTable
from gossamer.collection.ask.reading import Reading
from gossamer.errors import INTERRUPTED, UsageError
from gossamer.model import Fault as NoAnswer
from gossamer.printable import counted, line, pasted
from gossamer.urls import keys

if TYPE_CHECKING:
    from gossamer.collection import Collection
    from gossamer.collection.ask.addresses import Address
    from gossamer.collection.ask.broken import Broken, Source
    from gossamer.collection.crawl.link_check import External
    from gossamer.frontier.why import HostAnswer

SOURCES_MOST = 20
"""Links to one broken address that people are shown."""
ALIKE = 10
"""Hosts whose names cannot be found for one reason, from which on it may be no fault of theirs."""
THIS_MACHINE = "files of this machine"
FOUND = 1
"""The exit code when something is broken and --exit-code was given, as `diff` and link checkers have it."""


def list_(options: argparse.Namespace) -> int:
    """Print addresses or hosts as they are read: there may be millions."""
    from gossamer.frontier.why import HostAnswer

    nothing, what = True, "host" if options.hosts else "address"
    with Reading(Path(options.dir)) as collection:
        collection.require_site(*filter(None, [options.site]))
        for each in _listed(collection, options):
            nothing = False
            if options.json:
                say_json(each.as_json())
            else:
                say(_host(each) if isinstance(each, HostAnswer) else _address(each))
    if nothing:
        complain(pasted(f"no {what} matches; `gossamer status DIR` counts what there is", options.dir))
    return 0


def _listed(collection: Reading, options: argparse.Namespace) -> Iterator[Address] | Iterator[HostAnswer]:
    if not options.hosts:
        return collection.addresses(state=options.state, reason=options.reason, site=options.site)
    if options.state is not None or options.reason is not None:
        raise UsageError("--hosts counts all states of a host; leave --state and --reason out")
    return collection.hosts(site=options.site)


def _host(each: HostAnswer) -> str:
    """Its pages first, so that `sort -rn` puts the largest on top."""
    pages = f"{each.pages:>7} {'page ' if each.pages == 1 else 'pages'}"
    return f"{pages} {each.queued:>7} queued {each.failed:>6} failed  {line(each.host) or THIS_MACHINE}"


def _address(each: Address) -> str:
    """The state, what the server answered, the address, and the reason where it says more."""
    words = f"  {cut(each.reason)}" if each.reason not in ("", f"http {each.status}") else ""
    return f"{each.state:<8}  {each.status or '-':>3}  {line(each.url)}{words}"


def broken(options: argparse.Namespace) -> int:
    """Print what is broken, with the links to it."""
    if options.csv and options.json:
        raise UsageError("--csv and --json are two forms of the same; choose one")
    with gossamer.open(options.dir) as collection:
        collection.require_site(*filter(None, [options.site]))
        external, stopped = _external(collection, options) if options.external else (None, False)
        whole = external is None or external.asked == external.of
        count = _print(options, collection.broken(site=options.site, external=external or False), whole=whole)
        if external is None and not (options.site or options.csv or options.json):
            _say_unasked(collection.status().exclusions)
    if external is not None and not whole:
        complain(_unasked(external, shlex.quote(options.dir)))
    if external is not None and (words := _all_alike(external)):
        complain(words)
    if stopped:
        return INTERRUPTED
    return FOUND if options.exit_code and count else 0


def _say_unasked(exclusions: Mapping[str, int]) -> None:
    """How many addresses of other sites pages link to, where nobody wanted to know what became of them."""
    if outside := sum(number for reason, number in exclusions.items() if reason.startswith("outside ")):
        were = counted(outside, "address outside the scope was", "addresses outside the scope were")
        say(f"{were} not asked; --external asks")


def _all_alike(external: External) -> str:
    """That so many names cannot be found for the same reason that it is likelier to be ours; nothing otherwise."""
    hosts: dict[str, set[str]] = {}
    unknown = {keys.host(url) for url, each in external.faults.items() if each.reason.startswith(NoAnswer.NO_SUCH_HOST)}
    if len(unknown) >= ALIKE and unknown == {keys.host(url) for url in external.faults} and external.all_failed:
        return f"not one of {len(unknown):,} hosts exists: the network of this machine may be the cause, not they"
    for url, fault in external.faults.items():
        if fault.reason.startswith(f"{NoAnswer.DNS}:"):
            hosts.setdefault(fault.reason, set()).add(keys.host(url))
    reason, names = max(hosts.items(), key=lambda each: len(each[1]), default=("", set[str]()))
    if len(names) < ALIKE:
        return ""
    told = f"{len(names):,} hosts failed with {cut(reason)!r}"
    return f"{told}: the name server of this machine may be the cause (/etc/resolv.conf), not they"


def _unasked(external: External, folder: str) -> str:
    from gossamer.collection.crawl.link_check import PRIVATE

    left = f"{external.of - external.asked:,} of {counted(external.of, 'address')} outside the scope"
    why = (f"{reason} ({number:,})" for reason, number in external.unasked.items())
    opens = f"; `gossamer set {folder} allow_addresses=...` opens those that you name"
    return f"{left} could not be asked: {', '.join(why)}{opens if PRIVATE in external.unasked else ''}"


def _external(collection: Collection, options: argparse.Namespace) -> tuple[External, bool]:
    """Ask, with a progress line and two kinds of Ctrl-C; what is known then is printed."""
    import asyncio

    from gossamer.collection import fast_loop

    progress = ExternalLine()
    try:
        with asyncio.Runner(loop_factory=fast_loop()) as runner:
            return runner.run(_asked(collection, options, progress))
    finally:
        progress.end()


async def _asked(collection: Collection, options: argparse.Namespace, report: ExternalLine) -> tuple[External, bool]:
    from gossamer.cli.interrupts import listening

    with listening() as stopping:
        found = await collection.external_async(
            site=options.site, report=report, stop=stopping.stop, trust_plan=options.trust_plan
        )
    return found, stopping.asked


class ExternalLine:
    """How the asking is doing."""

    def __init__(self) -> None:
        self._line = Line(None)
        self.end = self._line.end

    def __call__(self, now: External) -> None:
        self._line.show([Part(f"asked {now.asked:,} of {counted(now.of, 'address')} outside the scope")])


def _print(options: argparse.Namespace, found: Iterable[Broken], *, whole: bool) -> int:
    gone, later = Sum(), Sum()
    table = BrokenTable(sys.stdout) if options.csv else None
    for each in found:
        (later if each.again else gone).add(each)
        if table:
            table.add(each)
        elif options.json:
            say_json(each.as_json())
        else:
            say("\n".join(_block(each)))
    if not options.csv and not options.json:
        none = "nothing is broken" if whole else "nothing that could be asked is broken"
        none += " for good" if later.addresses else ""
        say(f"{counted(gone.addresses, 'broken address')}, {gone}" if gone.addresses else none)
        if later.addresses:
            so_far = counted(later.addresses, "address has failed so far", "addresses have failed so far")
            say(f"{so_far} and may be broken, {later}: a later crawl asks again")
    return gone.addresses + later.addresses


class Sum:
    """How many addresses, and the links to them."""

    def __init__(self) -> None:
        self.addresses = self._links = 0
        self._pages: set[str] = set()

    def add(self, each: Broken) -> None:
        """One more."""
        self.addresses, self._links = self.addresses + 1, self._links + len(each.sources)
        self._pages.update(source.url for source in each.sources)

    def __str__(self) -> str:
        return f"{counted(self._links, 'link')} on {counted(len(self._pages), 'page')}"


def _block(each: Broken) -> Iterator[str]:
    later = f" so far; to be tried again from {when(each.again)} on" if each.again else ""
    yield f"{line(each.url)}  {cut(each.reason)}{later}"
    yield from (f"  {_source(source)}" for source in each.sources[:SOURCES_MOST])
    if len(each.sources) > SOURCES_MOST:
        yield f"  and {counted(len(each.sources) - SOURCES_MOST, 'link')} more; --json and --csv name them"
    if not each.sources:
        yield "  no page links to it; it is a seed"


def _source(source: Source) -> str:
    called = f'  "{cut(source.anchor)}"' if source.anchor else ""
    return f"{line(source.url)}{called}{f'  by way of {line(source.via)}' if source.via else ''}"
