"""The text of a document that is text."""

from __future__ import annotations

from typing import NamedTuple

from gossamer.convert.charset.charset import judged
from gossamer.convert.charset.decode import decode
from gossamer.convert.source import Source

_MOST = 32 << 20
"""Bytes."""


class Decoded(NamedTuple):
    """Text, the encoding it was in and the one that was named, and why some of it is missing, if it is."""

    text: str
    encoding: str
    declared: str | None
    problem: str


def decoded(source: Source) -> Decoded:
    """The text without NULs, and with line feeds alone at the ends of lines."""
    encoding, declared = judged(source.data, source.kind)
    text = decode(source.data[:_MOST], encoding).replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
    problem = f"only the first {_MOST:,} bytes were read" if len(source.data) > _MOST else ""
    return Decoded(text, encoding, declared, problem)
