"""Which files are passed over? Hidden ones, what version control keeps for itself, and what ignore files name.

`.gitignore` and `.ignore` mean what git says of them (gitignore(5)): they hold for their folder and what lies below it,
the last line that fits decides, a deeper file decides before one above it, and nothing in a folder that is ignored can
be had back. Of two files in one folder `.ignore` decides. Files above the folder that was named are not read.

The patterns are read by pathspec, which knows all corners of git's language and hands the matching to RE2: a pattern
that a stranger wrote cannot take long.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

import re2  # type: ignore[import-untyped]  # the package ships no types
from pathspec import GitIgnoreSpec

from gossamer.fetch.local.opening import read_small
from gossamer.printable import log

NAMES = (b".ignore", b".gitignore")
"""In the order in which they decide."""
INTERNAL = frozenset({b".git", b".hg", b".svn", b".bzr", b"CVS"})
LONGEST = 1 << 20
"""Bytes of an ignore file that are read."""
LINES_MOST, LINE_MOST = 2_000, 1_024
"""Lines that are heeded, and bytes of one."""
HIDDEN = "hidden"


class _Rules(NamedTuple):
    """What one ignore file says."""

    file: bytes
    base: bytes
    """Its folder, with a slash at the end."""
    spec: GitIgnoreSpec


class Ignoring:
    """Knows the ignore files of the folders that were asked about. It is made anew for each run."""

    def __init__(self, roots: tuple[bytes, ...], *, hidden: bool = False, heed: bool = True) -> None:
        """With `hidden`, names that begin with a dot are like others; without `heed`, ignore files are files."""
        self._roots = roots
        self._hidden = hidden
        self._heed = heed
        self._known: dict[bytes, tuple[_Rules, ...]] = {}

    def reason(self, folder: bytes, name: bytes, *, is_folder: bool) -> str | None:
        """Why an entry of a folder is passed over, the folder being none; None when it is not."""
        if is_folder and name in INTERNAL:
            return "kept by version control for itself"
        if name.startswith(b".") and not self._hidden:
            return HIDDEN
        path = os.path.join(folder, name) + (b"/" if is_folder else b"")
        for rules in self._rules(folder):
            fits = rules.spec.check_file(_octets(path[len(rules.base) :])).include
            if fits is not None:
                return f"ignored by {_text(rules.file)}" if fits else None
        return None

    def reason_for(self, root: bytes, path: bytes, *, is_folder: bool = False) -> str | None:
        """Why a file, or a folder, below a root is passed over, by itself or with a folder above it."""
        folder, steps = root, path[len(root) :].strip(b"/").split(b"/")
        for depth, name in enumerate(steps, 1):
            if path != root and (reason := self.reason(folder, name, is_folder=is_folder or depth < len(steps))):
                return reason
            folder = os.path.join(folder, name)
        return None

    def _rules(self, folder: bytes) -> tuple[_Rules, ...]:
        """Those that hold in a folder, the one that decides first."""
        if not self._heed or not folder.startswith(b"/"):  # of this machine: elsewhere each would take a request
            return ()
        found = self._known.get(folder)
        if found is None:
            above = () if folder in self._roots or folder == b"/" else self._rules(os.path.dirname(folder))
            found = self._known[folder] = (*self._own(folder), *above)
        return found

    def _own(self, folder: bytes) -> Iterator[_Rules]:
        for name in NAMES:
            text = read_small(os.path.join(folder, name), LONGEST)
            if text:
                file, base = os.path.join(folder, name), folder.rstrip(b"/") + b"/"
                yield from (_Rules(file, base, spec) for spec in _specs(_lines(file, text)))


def _lines(file: bytes, text: bytes) -> list[str]:
    """As git ends them, and within bounds."""
    lines = text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    kept = [_octets(line.removesuffix(b"\r")) for line in lines if len(line) <= LINE_MOST][:LINES_MOST]
    if len(kept) < len(lines):
        log.warning("%s: has lines that are too long, or too many; those are not heeded", _text(file))
    return kept


def _specs(lines: list[str]) -> Iterator[GitIgnoreSpec]:
    """The last lines first, because those decide. What is too much for RE2 at once is halved, and a line that means
    nothing to git means nothing here."""
    try:
        yield GitIgnoreSpec.from_lines(lines, backend="re2")
    except (ValueError, re2.error):
        if len(lines) > 1:
            half = len(lines) // 2
            yield from _specs(lines[half:])
            yield from _specs(lines[:half])


def _octets(text: bytes) -> str:
    """A letter for each byte: names of files are bytes, and git compares them so."""
    return text.decode("latin-1")


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")
