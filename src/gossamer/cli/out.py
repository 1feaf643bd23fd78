"""The only way to standard output and standard error: nothing that a stranger wrote gets there as it is."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from gossamer import printable
from gossamer.errors import UsageError
from gossamer.lazy import pattern

BOLD, RED, GREEN, PLAIN = "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[0m"
_FOREIGN = pattern(r"[^\x00-\x7f]+")
_ENDLESS = pattern(r"\S{2500,}")
_OURS = pattern("(" + "|".join(map(re.escape, (BOLD, RED, GREEN, PLAIN))) + ")")


def say(answer: str) -> None:
    """An answer for people. What pages say was made harmless before colours came in; this is the net below that."""
    print("".join(part if _OURS.fullmatch(part) else printable.text(part) for part in _OURS.split(answer)))


def say_json(answer: object) -> None:
    """An answer for machines, which a terminal may show all the same."""
    said = printable.json(answer)
    try:
        said.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # in JSON there is another way to write it
        said = _FOREIGN.sub(lambda found: json.dumps(found[0])[1:-1], said)
    print(said)


def complain(words: str) -> None:
    """One line on standard error. A word that is longer than any address of a crawl is cut, whoever repeats it."""
    print(f"gossamer: {printable.line(_ENDLESS.sub(lambda found: printable.cut(found[0]), words))}", file=sys.stderr)


def say_bytes(body: bytes) -> None:
    """What was fetched, as it is; on a terminal, what of it can be shown."""
    if sys.stdout.isatty():
        print(printable.text(body.decode("utf-8", "replace")))  # no colour in it is ours
    else:
        sys.stdout.buffer.write(body)


def require_no_terminal(form: str) -> None:
    """A file of that format is for programs: on a terminal it would do whatever its pages say."""
    if sys.stdout.isatty():
        raise UsageError(f"{form} is not written to a terminal; name a file with --output, or pass it on with a pipe")


def print_answer(options: argparse.Namespace, for_machines: Mapping[str, Any], for_people: str) -> None:
    """What a verb has to say."""
    if options.json:
        say_json(for_machines)
    elif for_people:
        say(for_people)


def print_each(options: argparse.Namespace, for_machines: Iterable[Mapping[str, Any]], for_people: str) -> None:
    """One object a line."""
    if options.json:
        for each in for_machines:
            say_json(each)
    elif for_people:
        say(for_people)


def is_agreed(question: str) -> bool:
    """Ask whoever sits there."""
    print(f"{printable.text(question)} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
