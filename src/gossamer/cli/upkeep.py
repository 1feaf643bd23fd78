"""What is done to a collection that nobody crawls: build, verify, remove, prune."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, BinaryIO

import gossamer
from gossamer import printable
from gossamer.cli import answers, repair_output
from gossamer.cli.out import is_agreed, print_answer
from gossamer.cli.progress import BuildLine, VerifyLine
from gossamer.cli.transfer import new_file
from gossamer.errors import INTERRUPTED, Damaged, NotFound, UsageError
from gossamer.printable import pasted

if TYPE_CHECKING:
    from gossamer.collection import Collection
    from gossamer.store.repair.verify import Checked


def build(options: argparse.Namespace) -> int:
    """Make what is missing, or all of it, with a progress line; captures that cannot be read are damage."""
    line = BuildLine()
    try:
        with gossamer.open(options.dir) as collection:
            built = collection.build(convert=options.convert, compact=options.compact, report=line)
    finally:
        line.end()
    print_answer(options, asdict(built), pasted(answers.built(built), options.dir))
    return Damaged.exit_code if built.problems else 0


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
    print_answer(options, result, pasted(answers.verified(checked), options.dir))
    return Damaged.exit_code if checked.problems else 0


def _reported(collection: Collection, options: argparse.Namespace, line: VerifyLine) -> Checked:
    """The file is there when the check is over; that it can be is said before."""
    from gossamer.collection.ask.export import to_path

    found: list[Checked] = []

    def write(out: BinaryIO) -> int:
        checked, told = collection.verify_report(report=line)
        found.append(checked)
        return out.write(printable.json(told).encode() + b"\n")

    to_path(write, new_file(options.report, "--report", options.dir))
    return found[0]


def _repair(options: argparse.Namespace) -> int:
    if options.report:
        raise UsageError("--report says how a collection is, and not what a repair does; run it after --repair")
    with gossamer.open(options.dir) as collection:
        done = collection.repair()
    print_answer(options, done.as_json(), pasted(repair_output.repaired(options.dir, done), options.dir))
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
    print_answer(options, {**asdict(chosen), "archive": options.archive, "dry_run": options.dry_run}, told)
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
    print_answer(options, {**asdict(goes), "dry_run": options.dry_run}, told)
    return 0


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask on; --yes removes without asking, --dry-run says what would go")
    return is_agreed(f"{question}\nremove for good?")
