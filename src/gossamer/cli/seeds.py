"""Which seeds does a command name? What is no address gets a word about what it may be, and is never asked for."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

from gossamer.cli.out import complain
from gossamer.collection.seed_list import SHORT
from gossamer.errors import InvalidURL, UsageError
from gossamer.printable import counted
from gossamer.urls.seeds import as_listed

_LONGEST = 65_536
_NAMED = 10
"""Lines that are no addresses and are named; more are counted."""
_SHOWN = 60
"""Characters of a line."""
_HOST = re.compile(r"(?:[\w-]+\.)+[^\W\d_][\w-]+(?::\d+)?(?:/.*)?|localhost(?::\d+)?(?:/.*)?")
"""What looks like a host, with or without a path."""
_TABLE = re.compile(r'"|(?!data:)(?:[^/?#]*://)?[^/?#]*,|.*\t')
"""The beginning of a row of a table. A comma stands in no host; in a path it may."""
_COMMENT = re.compile(r"\s#")
_COLUMN = re.compile(r'"?(?:url|address|link|loc|href|host|domain|site|website)"?', re.IGNORECASE)
"""What the column of addresses is called."""


class Seeds(NamedTuple):
    """Where a crawl begins."""

    named: tuple[str, ...]
    """Those that the plan takes."""
    listed: Iterator[str] | tuple[str, ...] = ()
    """Those of long lists, which are read as they are needed."""


def named(folder: str, seeds: Sequence[str], lists: Sequence[str]) -> Seeds:
    """All seeds of a command. Those of short lists stand in the plan like those that are named."""
    if not seeds and not lists and _HOST.fullmatch(folder) and not os.path.exists(folder):
        raise UsageError(
            f"{folder}: no such directory, and no seed; if it is the site that is meant, the directory comes first:"
            f" `gossamer crawl my-web {folder}`"
        )
    for seed in seeds:
        _require_address(seed)
    listed = (seed for name in lists for seed in _Addresses(name))
    first = tuple(islice(listed, SHORT + 1))
    return Seeds((*seeds, *first)) if len(first) <= SHORT else Seeds(tuple(seeds), chain(first, listed))


def _require_address(seed: str) -> None:
    if seed == "-":
        raise UsageError("-: is no address; `--seeds -` reads seeds from standard input")
    if seed.startswith("@"):
        raise UsageError(f"{seed}: is no address; `--seeds {seed[1:]}` reads seeds from that file")
    if "://" not in seed and os.path.exists(seed):
        cure = (
            f"`--seeds {seed}` reads seeds from it" if os.path.isfile(seed) else "the directory comes first, and once"
        )
        host = f"; the host of that name is https://{seed}/" if _HOST.fullmatch(seed) else ""
        raise UsageError(f"{seed}: is a file or directory here; {cure}{host}")


class _Addresses:
    """The seeds of a file. A line that is no address is named and passed over; a file without any is refused."""

    def __init__(self, name: str) -> None:
        self._name = f"--seeds {name}"
        self._lines = _listed(name)
        self._wrong: list[str] = []
        self._passed = 0

    def __iter__(self) -> Iterator[str]:
        good = False
        for number, seed in self._lines:
            if _TABLE.match(seed):
                row = f"line {number}: {seed[:_SHOWN]!r} is a row of a table"
                if number == 1:
                    raise UsageError(f"{self._name}: {row}; {_cut(seed, self._name)}")
                self._note(row)
                continue
            try:
                as_listed(seed)
            except InvalidURL as error:
                self._note(f"line {number}: {error}")
            else:
                good = True
                yield seed
        self._complain(good)

    def _note(self, words: str) -> None:
        self._passed += 1
        if self._passed <= _NAMED:
            self._wrong.append(words)

    def _complain(self, good: bool) -> None:
        if self._wrong and not good:
            raise UsageError(f"{self._name}: no address stands there; {self._wrong[0]}")
        for words in self._wrong:
            complain(f"{self._name}: {words}; passed over")
        if more := self._passed - len(self._wrong):
            complain(f"{self._name}: and {counted(more, 'line')} more that {'is' if more == 1 else 'are'} no address")


def _listed(name: str) -> Iterator[tuple[int, str]]:
    try:
        if name == "-":
            yield from _lines(sys.stdin.buffer, "standard input")
        else:
            with Path(name).open("rb") as file:
                yield from _lines(file, name)
    except OSError as error:
        raise UsageError(f"--seeds {name}: cannot be read: {error.strerror}") from None


def _lines(file: BinaryIO, name: str) -> Iterator[tuple[int, str]]:
    """One a line, with its number; what follows a # at its beginning or after a space is a comment."""
    number = 0
    while line := file.readline(_LONGEST):
        number += 1
        if len(line) == _LONGEST:
            raise UsageError(f"--seeds {name}: line {number} is longer than any address; is it a list of addresses?")
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise UsageError(f"--seeds {name}: line {number} is no text in UTF-8") from None
        seed = _COMMENT.split(text, maxsplit=1)[0].strip()
        if seed and not seed.startswith("#"):
            yield number, seed


def _cut(row: str, option: str) -> str:
    """How a list is made of the table that begins with this row, for the option that names it."""
    tab = "\t" in row
    cells = row.split("\t" if tab else ",")
    own = (
        place for place, cell in enumerate(cells, 1) if "://" in cell or _HOST.match(cell) or _COLUMN.fullmatch(cell)
    )
    quotes = "tr -d '\"' | " if '"' in row else ""
    file = "" if (name := option.removeprefix("--seeds ")) == "-" else f" {shlex.quote(name)}"
    cut = f"cut {'' if tab else '-d, '}-f{next(own, 1)}{file} | {quotes}gossamer crawl DIR --seeds -"
    return f"a list of seeds has one address a line: `{cut}`"
