"""Do we read feeds as feedparser does? Its own test cases, as far as they ask for something that we keep.

    python quality/feeds.py FOLDER

FOLDER is a set of cases in the form of feedparser's corpus: cases.jsonl with checks of a path, an operation and a
value. We keep addresses, titles, texts, dates, people, identifiers, language and ttl; a check of anything else
(well-formedness, encodings, itunes, geography, tags, rights, contributors) is not counted. Both sides are compared as
words: HTML is read by our own reader, dates are moments, and addresses are in canonical form.
"""

from __future__ import annotations

import calendar
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gossamer.convert import feed
from gossamer.convert.dates import seconds
from gossamer.convert.feed import Entry, Feed
from gossamer.convert.feed.feed import line
from gossamer.convert.type import mime
from gossamer.errors import InvalidURL
from gossamer.urls import normalize

SERVER = "http://127.0.0.1:8097/"
"""Where the cases are served from, as they expect."""
TEXTS = ("title", "summary", "description", "subtitle", "tagline", "title_detail.value", "summary_detail.value")
TEXTS += ("subtitle_detail.value", "tagline_detail.value", "content.0.value")
DATES = ("published", "updated", "created")
DATES += tuple(f"{name}_parsed" for name in DATES)
PEOPLE = ("author", "author_detail.name", "author_detail.email", "authors.0.name", "authors.0.email")
KEPT = frozenset({*TEXTS, *DATES, *PEOPLE, "link", "id", "language", "ttl"})


@dataclass(frozen=True)
class Score:
    """How many checks hold, of how many that are counted and how many there are."""

    right: int
    counted: int
    total: int
    wrong: tuple[str, ...]
    milliseconds: float
    """CPU time for one feed, the mean."""


def score(folder: Path) -> Score:
    """All cases of a folder."""
    right = counted = total = feeds = 0
    wrong: list[str] = []
    spent = 0.0
    for case in map(json.loads, (folder / "cases.jsonl").read_text("utf-8").splitlines()):
        checks = list(_counted(case))
        total += len(case.get("checks") or ())
        if not checks:
            continue
        data = (folder / case["file"]).read_bytes()
        began = time.process_time()
        found = feed.read(data, *_served(case))
        spent += time.process_time() - began
        feeds += 1
        for name, entry, check in checks:
            if _holds(found, entry, name, check):
                right += 1
            else:
                wrong.append(f"{case['file']}: {check['path']} {check['op']} {check.get('value')!r}")
        counted += len(checks)
    return Score(right, counted, total, tuple(wrong), 1000 * spent / max(feeds, 1))


def _counted(case: dict[str, Any]) -> Iterator[tuple[str, int | None, dict[str, Any]]]:
    """(Name of the value, number of the entry or None for the feed, check)."""
    for check in case.get("checks") or ():
        place, *rest = check["path"]
        entry = rest.pop(0) if place == "entries" and rest else None
        name = ".".join(map(str, rest))
        if place in ("feed", "entries") and name in KEPT:
            yield name, entry, check


def _served(case: dict[str, Any]) -> tuple[str, mime.MimeType | None]:
    """The address and the type that a case is served with."""
    headers = {name.lower(): value for name, value in (case.get("http_headers") or {}).items()}
    url = SERVER + case["file"].split("/", 1)[1]
    location = headers.get("content-location", "")
    return (location if location.startswith("http") else url), mime.extract((headers.get("content-type", ""),))


def _holds(found: Feed, number: int | None, name: str, check: dict[str, Any]) -> bool:
    entry = found.about if number is None else found.entries[number] if number < len(found.entries) else Entry()
    got, wanted = _ours(found, entry, name), check.get("value")
    same = got in (wanted, _meant(name, wanted))  # a text may be meant as it stands
    return {"eq": same, "ne": not same, "true": bool(got), "false": not got}[check["op"]]


def _ours(found: Feed, entry: Entry, name: str) -> object:
    """What we have for a name of feedparser's."""
    if name.startswith("title"):
        return entry.title
    if name in TEXTS:
        return line(entry.content if name.startswith("content") else entry.summary)
    if name in DATES:
        return entry.updated if name.startswith("updated") else entry.published
    if name == "author":
        both = f"{entry.author} ({entry.email})" if entry.email else entry.author
        return both if entry.author else entry.email
    every = found.update_every
    others = {"link": entry.url, "id": entry.id, "language": found.language, "ttl": every and str(int(every / 60))}
    return others[name] if name in others else entry.email if name.endswith("email") else entry.author


def _meant(name: str, value: Any) -> object:
    """The value that a check expects, as we would write it."""
    if name in DATES:
        return seconds(value) if isinstance(value, str) else value and float(calendar.timegm(tuple(value)))
    if name == "link":
        try:
            return normalize(value)
        except (InvalidURL, TypeError):
            return value
    return line(value) if name in TEXTS and isinstance(value, str) else value


def main(folder: str) -> None:
    """Print one line, and one for each check that does not hold."""
    found = score(Path(folder))
    share = f"{found.right}/{found.counted} ({found.right / found.counted:.1%})"
    print(f"feeds: {share} of the checks on what is kept, of {found.total}; {found.milliseconds:.2f} ms a feed")
    print("\n".join(found.wrong))


if __name__ == "__main__":
    main(*sys.argv[1:2])
