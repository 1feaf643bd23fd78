"""Mailboxes in one file (mbox): the letters one after another, each under its subject.

A letter begins at a line `From ` behind an empty one; a line of a letter that begins so was written with a `>` before
it (RFC 4155, and what programs have always done).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from gossamer.convert.files.bundle import MEMBER_MOST, Bundle
from gossamer.convert.source import Source
from gossamer.model import Page

_LETTERS_MOST = 20_000
_BEGIN = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\n")
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)


def read(source: Source) -> Page:
    """What the letters say."""
    bundle, problem = Bundle(source, read_most=_LETTERS_MOST, called="letters"), ""
    for number, letter in enumerate(_letters(source.data)):
        if number >= _LETTERS_MOST:
            problem = f"more than {_LETTERS_MOST:,} letters; the others were not read"
            break
        bundle.add("", partial(_QUOTED.sub, rb"\1", letter), "message/rfc822")
    return bundle.page(problem)


def _letters(data: bytes) -> Iterator[bytes]:
    begin = -1
    for mark in _BEGIN.finditer(data):
        if begin >= 0:
            yield data[begin : min(mark.start(), begin + MEMBER_MOST)]
        begin = mark.end()
    if begin >= 0:
        yield data[begin : begin + MEMBER_MOST]
