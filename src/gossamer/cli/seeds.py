"""Which seeds does a command name? What is no address gets a word about what it may be, and is never asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from gossamer.errors import UsageError

MOST = 10_000
"""Seeds of a list: they stand in the plan, which is read at every start."""
_LONGEST = 65_536


def named(folder: str, seeds: Sequence[str], lists: Sequence[str]) -> tuple[str, ...]:
    """All seeds of a command, those of its lists last."""
    if folder.startswith(("http://", "https://")):
        raise UsageError(
            f"{folder}: is an address, and the directory comes first, as in `gossamer crawl my-web {folder}`"
        )
    for seed in seeds:
        _require_address(seed)
    every = (seed for name in lists for seed in _listed(name))
    listed = tuple(islice(every, MOST + 1))  # a device or a pipe may never end
    if len(listed) > MOST:
        raise UsageError(
            f"--seeds {', '.join(lists)}: more than the {MOST:,} seeds that lists may have; give a part of them"
        )
    return (*seeds, *listed)


def _require_address(seed: str) -> None:
    if seed == "-":
        raise UsageError("-: is no address; `--seeds -` reads seeds from standard input")
    if seed.startswith("@"):
        raise UsageError(f"{seed}: is no address; `--seeds {seed[1:]}` reads seeds from that file")
    if "://" not in seed and os.path.exists(seed):
        cure = (
            f"`--seeds {seed}` reads seeds from it" if os.path.isfile(seed) else "the directory comes first, and once"
        )
        raise UsageError(f"{seed}: is a file or directory here; {cure}; the host of that name is http://{seed}/")


def _listed(name: str) -> Iterator[str]:
    try:
        if name == "-":
            yield from _lines(sys.stdin.buffer, "standard input")
        else:
            with Path(name).open("rb") as file:
                yield from _lines(file, name)
    except OSError as error:
        raise UsageError(f"--seeds {name}: cannot be read: {error.strerror}") from None


def _lines(file: BinaryIO, name: str) -> Iterator[str]:
    """One a line; what follows a # at its beginning or after a space is a comment."""
    number = 0
    while line := file.readline(_LONGEST):
        number += 1
        if len(line) == _LONGEST:
            raise UsageError(f"--seeds {name}: line {number} is longer than any address; is it a list of addresses?")
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise UsageError(f"--seeds {name}: line {number} is no text in UTF-8") from None
        seed = text.partition(" #")[0].strip()
        if seed and not seed.startswith("#"):
            yield seed
