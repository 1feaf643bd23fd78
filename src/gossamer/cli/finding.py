"""Pages that answer a question, now or before, and the versions of a page."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from gossamer.cli import history_output, search_output
from gossamer.cli.opening import asked
from gossamer.cli.out import complain, print_answer, print_each
from gossamer.collection.ask.times import moment
from gossamer.errors import NotFound, UsageError
from gossamer.printable import pasted

if TYPE_CHECKING:
    from gossamer.collection.ask.history import Edition
    from gossamer.collection.ask.reading import Reading


def history(options: argparse.Namespace) -> int:
    """Print the versions of a page, or what changed between two."""
    if options.diff is not None and options.search is not None:
        raise UsageError("--search names versions, --diff compares two; ask for one after the other")
    if options.full and options.diff is None:
        raise UsageError("--full is for --diff: all words of both versions are compared")
    with asked(options) as collection:
        if options.diff is None:
            editions = collection.history(options.url)
            if not editions:
                collection.page(options.url)  # says what is known of it
            if options.search is not None:
                return _saying(options, collection, editions)
            print_each(options, (each.as_json() for each in editions), history_output.history(editions))
            return 0
        if len(options.diff) > 2:
            raise UsageError("--diff takes two versions at most, by number or time")
        diff = collection.diff(options.url, *map(_version, options.diff), full=options.full)
    print_answer(options, diff.as_json(), pasted(history_output.diff(diff), options.dir))
    return 0


def _saying(options: argparse.Namespace, collection: Reading, editions: Sequence[Edition]) -> int:
    """The versions that say something."""
    found = collection.history(options.url, options.search)
    print_each(options, (each.as_json() for each in found), history_output.saying(found, editions))
    if not found and (original := _stands_for(collection, options.url)):
        complain(f"{options.url}: is a copy, and is found as {original}; ask for the history of that")
    return 0


def _stands_for(collection: Reading, url: str) -> str | None:
    """The page that a copy is found as."""
    with suppress(NotFound):
        version = collection.page(url).version
        return version.copy_of or version.near_copy_of
    return None


def search(options: argparse.Namespace) -> int:
    """Print the pages that answer a question."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy would begin more, and no question has work for them
    question, most, offset = " ".join(options.question), options.number, options.offset
    at = moment(options.at, end=True) if options.at is not None else None
    if options.explain and options.all_versions:
        raise UsageError("--explain says what a score is made of now, or with --at at a time; ask so")
    if options.explain and options.sort != "relevance":
        raise UsageError("--explain says what a score is made of; ask without --sort")
    with asked(options) as collection:
        found = collection.search(
            question,
            most,
            offset,
            sort=options.sort,
            facets=options.facets or (options.json and not options.all_versions),
            at=at,
            all_versions=options.all_versions,
        )
        explained = collection.explain(question, most + offset, at) if options.explain else []
        signs = {hit.url: signs for hit, signs in explained}
        waiting = collection.not_indexed if collection.is_built else None
        busy = waiting != 0 and collection.is_busy
        empty = not found.total and not collection.status().pages
        once = 0 if found.total or empty or options.all_versions else collection.ever_said(question)
    print_answer(
        options,
        found.as_json(question, waiting, signs),
        search_output.answer(question, found, signs, offset, options.dir),
    )
    for hint in (*found.hints, *search_output.options_taken_as_words(options.question, found=found.total > 0)):
        complain(pasted(hint, options.dir))
    if once:
        complain(search_output.said_once(question, once, options.dir, then=at is not None))
    if empty:
        complain(pasted(search_output.NO_PAGE, options.dir))
    elif waiting != 0:  # without some pages it is not the whole answer
        complain(pasted(search_output.waiting(waiting, busy=busy), options.dir))
    return 0


def _version(text: str) -> int | datetime:
    return int(text) if text.isdecimal() and len(text) < 8 else moment(text, end=True)
