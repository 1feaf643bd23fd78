"""What goes into a collection from files, and out of it into files: import, export, fetch-collection."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gossamer
from gossamer import printable
from gossamer.cli import answers
from gossamer.cli.opening import asked, settings
from gossamer.cli.out import complain, print_answer, require_no_terminal
from gossamer.cli.progress import ExportLine, ImportLine
from gossamer.collection.ask.formats import FORMATS as UNITS
from gossamer.errors import INTERRUPTED, DamagedInput, UsageError
from gossamer.printable import pasted

if TYPE_CHECKING:
    from gossamer.collection import Collection, Imported
    from gossamer.collection.ask.reading import Reading

TEXTUAL = ("jsonl", "passages", "cdxj", "graph")
"""Formats of an export that escape what pages say, so that they may be looked at."""


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
        print_answer(options, asdict(done), pasted(answers.imported(done), options.dir))
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
    with asked(options) as collection:
        collection.require_site(*(options.site or ()))
        if options.output == "-":
            if options.form not in TEXTUAL:
                require_no_terminal(options.form)
            _stream(collection, options.form, chosen)
            return 0
        path = _output(options)
        count = _export(collection, options.form, path, chosen)
    result = {"format": options.form, "path": str(path), "count": count}
    joined = options.form == "warc" and not os.path.isdir(path)
    done = (
        f"joined {printable.counted(count, 'file')} into"
        if joined
        else f"wrote {printable.counted(count, UNITS[options.form].removesuffix('s'))} to"
    )
    packed = " (packed with gzip; .warc.gz is the usual name)" if joined and path.suffix != ".gz" else ""
    print_answer(options, result, f"{done} {path}{packed}")
    return 0


def _output(options: argparse.Namespace) -> Path:
    if not options.output:
        raise UsageError("--output is empty; name a file, or - for standard output")
    return new_file(options.output, "--output", options.dir)


def new_file(name: str, option: str, folder: str) -> Path:
    """A place outside of the collection where a file can be made."""
    path = Path(name)
    if not os.path.isdir(path.parent):
        raise UsageError(f"{path.parent}: no such directory; make it or choose another {option}")
    if Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise UsageError(f"{path}: lies in the collection, which holds nothing but its own files; choose another place")
    return path


def _part(options: argparse.Namespace) -> dict[str, Any]:
    from gossamer.collection.ask.selection import Part, named

    fields = named(*(options.fields or ()))
    part = Part(
        tuple(options.site or ()), tuple(options.include or ()), options.query, fields, not options.without_copies
    )
    part.require_sense(options.form)
    if options.without_links and options.form not in ("jsonl", "markdown", "parquet"):
        raise UsageError(f"--without-links is for jsonl, markdown and parquet; {options.form} is what it is")
    if options.words is None:
        return {"part": part, "links": not options.without_links}
    if UNITS[options.form] != "passages":
        raise UsageError(f"--words is for passages and passages-parquet; {options.form} is not cut")
    return {"part": part, "words": options.words}


def _stream(collection: Reading, form: str, chosen: dict[str, Any]) -> None:
    """To standard output. A terminal that shows the pages has no place for a progress line."""
    line = None if sys.stdout.isatty() else ExportLine()
    try:
        collection.export(form, sys.stdout.buffer, line, **chosen)
        sys.stdout.flush()
    finally:
        if line:
            line.end()


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
        if form == "files":
            return collection.export_bytes(path, line, part=chosen["part"])
        return to_path(lambda out: collection.export(form, out, line, **chosen), path)
    finally:
        line.end()


def fetch_collection(options: argparse.Namespace) -> int:
    """Bring all shards here."""
    from gossamer.collection.stored import fetch

    fetch(options.dir, Path(options.to))
    with gossamer.open(options.to) as collection:
        now = collection.status()
    words = f"{options.to}: {printable.counted(now.pages, 'page')}, {now.queued:,} queued"
    print_answer(options, now.as_json(), f"{words}\nnext: gossamer search {options.to} 'words'")
    return 0
