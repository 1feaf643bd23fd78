"""Versions and differences as people read them. On a terminal what came is green and what went is red."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gossamer.cli.answers import when
from gossamer.cli.out import GREEN, PLAIN, RED
from gossamer.cli.terminal import is_coloured
from gossamer.printable import counted, size, text

if TYPE_CHECKING:
    from gossamer.collection.ask.differences import Line, Piece
    from gossamer.collection.ask.history import Diff, Edition

_COLOURS = {"-": RED, "+": GREEN, "=": ""}
_BRACKETS = {"-": ("[-", "-]"), "+": ("{+", "+}"), "=": ("", "")}
"""As `git diff --word-diff` has them, where there is no colour."""
DIGEST_SHOWN = 12


def history(editions: Sequence[Edition]) -> str:
    """A line for each: number, date, status, digest, size, and what changed."""
    return "\n".join(map(_edition, editions))


def saying(found: Sequence[Edition], editions: Sequence[Edition]) -> str:
    """The same for those that say something, and how many they are."""
    versions = sum(1 for each in editions if each.number and 200 <= each.status < 300)
    many = f"{len(found):,} of {counted(versions, 'version')}" if found else "no version"
    return "\n".join([*map(_edition, found), f"{many} {'has' if len(found) < 2 else 'have'} all of these words"])


def diff(found: Diff) -> str:
    """Two lines for the versions, then those that changed, and some around them."""
    head = [f"--- {_named(found.old)}", f"+++ {_named(found.new)}"]
    if found.gone:
        head.append(
            f"gone since {when(found.gone.fetched.timestamp())}: {found.gone.status}; this is what it said last"
        )
    if not found.lines:
        return "\n".join([*head, "the same bytes" if found.old.digest == found.new.digest else _same(found)])
    return "\n".join([*head, *map(_line, found.lines)])


def _same(found: Diff) -> str:
    if found.full:
        return "the same words; the bytes differ elsewhere: in markup, scripts, styles or data"
    versions = f"{found.old.number} {found.new.number}"
    cure = f"`gossamer history DIR {shlex.quote(found.url)} --diff {versions} --full` compares what is around it, too"
    return f"the main content is the same; {cure}"


def _edition(each: Edition) -> str:
    if not each.number:
        return f"     {when(each.fetched.timestamp())}  304  {'':12}  {'':>9}  unchanged, said the server"
    digest = each.digest.partition(":")[2][:DIGEST_SHOWN]
    told = f"{each.number:4} {when(each.fetched.timestamp())}  {each.status}  {digest:12}  {size(each.size):>9}"
    return f"{told}  {_change(each)}"


def _change(each: Edition) -> str:
    kept = " (revisit record)" if each.revisit else ""
    if each.words is None:
        return f"{each.change}{kept}"
    if each.words == (0, 0):
        return f"changed, but no word of its main content{kept}"
    words = counted(each.words.added + each.words.removed, "word")
    return f"changed by {words}: {each.words.added:,} new, {each.words.removed:,} gone{kept}"


def _named(each: Edition) -> str:
    return f"version {each.number}, {when(each.fetched.timestamp())}"


def _line(line: Line) -> str:
    sign = line.sign
    if sign == "~":
        return f"~ {''.join(map(_piece, line.pieces))}"
    said = f"{' ' if sign == '=' else sign} {text(line.pieces[0].text)}"
    return f"{_COLOURS[sign]}{said}{PLAIN}" if sign != "=" and is_coloured() else said


def _piece(piece: Piece) -> str:
    said = text(piece.text)
    if piece.sign == "=":
        return said
    if is_coloured():
        return f"{_COLOURS[piece.sign]}{said}{PLAIN}"
    opening, closing = _BRACKETS[piece.sign]
    return f"{opening}{said}{closing}"
