"""The pages for which people said what their main content is, and how an answer is scored, as each set asks.

The sets lie outside of the project; `folder` is the one that holds them all. They differ in what they give: the whole
text (word or 4-gram overlap), or segments that must be in an answer and others that must not.
"""

from __future__ import annotations

import collections
import gzip
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from gossamer.convert.charset.charset import encoding_of
from gossamer.convert.charset.decode import utf8
from gossamer.convert.html.outline import Outline, by_tree
from gossamer.convert.html.page import LITTLE, closed, opened
from gossamer.convert.html.scan import scan
from gossamer.convert.type.sniff import media_type
from gossamer.errors import InvalidURL
from gossamer.urls import site

SETS = ("article-extraction-benchmark", "trafilatura-eval", "wcxb-dev", "cleanportaleval", "l3s-gn1")
EXTRA = "readability-pages"
"""Not by people: what one tool found. Good enough to learn from, but not to be judged by."""
_WORD = re.compile(r"\w+")
_HOST = re.compile(rb"https?://([A-Za-z0-9.-]+)")
_OWN_HOST = re.compile(rb"(?:canonical|og:url|x-url)[^>]*?https?://([A-Za-z0-9.-]+)")


@dataclass(frozen=True)
class Case:
    """A page and what its content is."""

    set: str
    id: str
    kind: str
    """The type of page, if the set tells."""
    page: bytes
    """In UTF-8."""
    site: str
    """Pages of one site are never on both sides of a division."""
    text: str | None
    """All of its content; None where there are only segments."""
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()


def cases(folder: Path, name: str) -> Iterator[Case]:
    """All pages of a set."""
    if name == EXTRA:
        yield from _extra(folder / name)
        return
    for row in _rows(folder / name):
        with gzip.open(folder / name / "html" / f"{row['id']}.html.gz") as file:
            data = file.read()
        yield Case(
            name,
            str(row["id"]),
            str(row.get("page_type") or ""),
            _page(data),
            _site(str(row.get("url") or ""), data) or f"{name} {row['id']}",
            _text(row),
            *((tuple(row["with"]), tuple(row["without"])) if "with" in row and "main_content" not in row else ()),
        )


def outline_of(page: bytes) -> Outline | None:
    """As a page is read."""
    found = by_tree(opened(page))
    if found is None or found.counts[:, 1].sum() < LITTLE:
        more = closed(page)
        return found if more is None else by_tree(more)
    return found


def score(answered: Sequence[tuple[Case, str]]) -> float:
    """How good answers to the cases of one set are."""
    name = answered[0][0].set
    if name == "trafilatura-eval":
        return _segments(answered)
    if name == "article-extraction-benchmark":
        pairs = [_precision_recall(_grams(case.text or "", 4), _grams(text, 4)) for case, text in answered]
        return _f1(*(sum(values) / len(pairs) for values in zip(*pairs, strict=True)))
    rows = (_precision_recall(_grams((case.text or "").lower()), _grams(text.lower())) for case, text in answered)
    return sum(_f1(*row) for row in rows) / len(answered)


def squashed(text: str) -> str:
    """White space made one space."""
    return " ".join(text.split())


def _segments(answered: Sequence[tuple[Case, str]]) -> float:
    right = wrong = wanted = 0
    for case, text in answered:
        flat = squashed(text)
        right += sum(squashed(segment) in flat for segment in case.wanted)
        wrong += sum(squashed(segment) in flat for segment in case.unwanted)
        wanted += len(case.wanted)
    return _f1(right / max(right + wrong, 1), right / max(wanted, 1))


def _grams(text: str, size: int = 1) -> collections.Counter[tuple[str, ...]]:
    words = _WORD.findall(text)
    return collections.Counter(tuple(words[at : at + size]) for at in range(max(1, len(words) - size + 1)) if words)


def _precision_recall(
    gold: collections.Counter[tuple[str, ...]], got: collections.Counter[tuple[str, ...]]
) -> tuple[float, float]:
    common = (gold & got).total()
    precision = common / got.total() if got else float(not gold)
    return precision, common / gold.total() if gold else float(not got)


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _rows(folder: Path) -> list[dict[str, object]]:
    truth = folder / "ground-truth.json"
    if truth.exists():
        return [{**row, "id": name} for name, row in json.loads(truth.read_text("utf-8")).items()]
    packed, plain = folder / "cases.jsonl.gz", folder / "cases.jsonl"
    data = gzip.decompress(packed.read_bytes()) if packed.exists() else plain.read_bytes()
    return [json.loads(line) for line in data.split(b"\n") if line.strip()]


def _text(row: dict[str, object]) -> str | None:
    for name in ("articleBody", "main_content", "gold_text"):
        if name in row:
            return str(row[name] or "")
    if "with" in row:
        return None
    return "\n".join(str(row.get(name) or "") for name in ("headline", "fulltext", "supplemental"))


def _page(data: bytes) -> bytes:
    return utf8(data, encoding_of(data, media_type(data, ("text/html",), nosniff=False)))


def _site(url: str, data: bytes) -> str:
    """By the address, or else by what the page says of itself, or else by the host it points to most."""
    host = (urlsplit(url).hostname if "://" in url else "") or ""
    if not host and (said := _OWN_HOST.search(data)):
        host = said[1].decode()
    if not host and (named := _HOST.findall(data)):
        host = collections.Counter(named).most_common(1)[0][0].decode()
    try:
        return site(host) if host else ""
    except InvalidURL:
        return host


def _extra(folder: Path) -> Iterator[Case]:
    for source in sorted(folder.glob("*/source.html.gz")):
        data = gzip.decompress(source.read_bytes())
        expected = gzip.decompress(source.with_name("expected.html.gz").read_bytes())
        name = source.parent.name
        yield Case(EXTRA, name, "", _page(data), _site("", data) or name, scan(expected, "UTF-8").text)
