"""What is new? Changes of pages, for people, for programs and for feed readers."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.cli.answers import cut
from gossamer.cli.out import complain, say, say_bytes, say_json
from gossamer.collection.ask.reading import Reading
from gossamer.collection.ask.times import moment
from gossamer.errors import UsageError
from gossamer.printable import counted, line

if TYPE_CHECKING:
    from gossamer.collection import Collection
    from gossamer.collection.ask.changes import Change

_INDENT = " " * 11


def changes(options: argparse.Namespace) -> int:
    """Print what is not what it was, then the sums."""
    if options.atom and options.json:
        raise UsageError("--atom and --json are two forms; choose one")
    if options.atom and not options.number:
        raise UsageError("a feed has an end; say how many entries it may have with -n")
    begin = moment(options.since) if options.since is not None else None
    question = " ".join(options.question)
    with Reading(Path(options.dir)) as collection:
        collection.require_site(*filter(None, [options.site]))
        found = collection.changes(begin, query=question, site=options.site, newest=options.number)
        if options.atom:
            from gossamer.collection.ask.change_feed import Feed, atom

            entries, (first, *_) = list(found), (*collection.plan.seeds, "")
            name = collection.path.resolve().name
            say_bytes(atom(Feed(name, first, question, options.site or "", found.last), entries))
        else:
            for each in found:
                if options.json:
                    say_json(each.as_json())
                else:
                    say("\n".join(told(each)))
    left = found.number - options.number if options.number else 0
    if not options.json and not options.atom:
        say(found.words)
    if left > 0:
        complain(f"{counted(left, 'older change')} left out; -n names another number, -n 0 lists all")
    return 0


def changed(collection: Collection) -> str:
    """What the last crawl has found, on one line."""
    with collection:
        found = collection.changes(detailed=False)
        for _ in found:
            pass
    return found.words


def told(each: Change) -> Iterator[str]:
    """A change on a line, and below it what changed."""
    said = each.reason or each.title
    yield f"{each.kind:<9}  {line(each.url)}{f'  {cut(said)}' if said else ''}"
    if each.kind != "changed" or each.words is None:
        return
    if each.words == (0, 0):
        yield f"{_INDENT}the same words in another order or place"
    for sign, number, words in (("+", each.words.added, each.added), ("-", each.words.removed, each.removed)):
        if number:
            yield f"{_INDENT}{sign} {counted(number, 'word')}{f': {line(words)}' if words else ''}"
