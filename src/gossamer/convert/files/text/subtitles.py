"""Subtitles (SubRip, WebVTT): what is said, in paragraphs, without the times. Who speaks stands before it."""

from __future__ import annotations

import re
from html import unescape

from gossamer import tagged
from gossamer.convert.files.page import About, Pointers
from gossamer.convert.files.text.inline import read_records
from gossamer.convert.source import Source
from gossamer.model import Page

_TIMES = re.compile(r"\s*(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,]\d{1,3} *--> *(?:(\d{1,3}):)?(\d{1,2}):(\d{2})").match
_VOICE = re.compile(r"<v(?:\.[^\s>]{0,60})?\s+([^<>]{1,100})>")
_TAG = re.compile(r"</?[A-Za-z0-9][^<>\n]{0,200}>|\{\\[^{}\n]{0,100}\}")
_UNSAID = ("WEBVTT", "NOTE", "STYLE", "REGION")
_PAUSE = 3.0
"""Seconds of silence after which a paragraph begins."""
_LONG = 600
"""Characters, after which one ends with the sentence."""


def read(source: Source) -> Page:
    """What is said in subtitles."""
    return read_records(source, _write)


def _write(text: str, writer: tagged.Writer, pointers: Pointers) -> About:
    said: list[str] = []
    length, before, ended, last = 0, "", 0.0, ""
    timed = skipped = False
    for line in text.removeprefix("\ufeff").split("\n"):
        if not (bare := line.strip()):
            timed = skipped = False
        elif times := _TIMES(line):
            begin, end = (_seconds(times, at) for at in (1, 4))
            if said and (begin - ended > _PAUSE or (length > _LONG and last.endswith((".", "!", "?", "。")))):
                writer.paragraph(tagged.words(" ".join(said)))
                said, length = [], 0
            timed, ended = True, end
        elif timed:
            last = _spoken(bare)
            if last != before:  # rolled captions say a line again
                said.append(last)
                length += len(last)
            before = last
        elif bare.startswith(_UNSAID) or skipped:
            skipped = True
    writer.paragraph(tagged.words(" ".join(said)))
    return About()


def _spoken(line: str) -> str:
    return unescape(_TAG.sub("", _VOICE.sub(r"\1: ", line))).strip()


def _seconds(times: re.Match[str], at: int) -> float:
    hours, minutes, seconds = times[at], times[at + 1], times[at + 2]
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
