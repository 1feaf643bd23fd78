"""How much of the main content of pages is found, and at what cost?

Each set is scored as its makers do: shingles of four words for article-extraction-benchmark (F1 of the mean precision
and the mean recall); sentences that must be there and others that must not for trafilatura-eval; for the others the
words, however often each stands there (F1, the mean over all pages).
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from material import cases, folder, unpacked
from table import Row, failures, milliseconds

from gossamer import convert

SETS = ("article-extraction-benchmark", "trafilatura-eval", "wcxb-dev", "cleanportaleval", "l3s-gn1")
_WORD = re.compile(r"\w+")

Extract = Callable[[bytes, str], str]


class Case(NamedTuple):
    """A page and what is known of its content."""

    html: bytes
    url: str
    known: dict[str, Any]


class Found(NamedTuple):
    """What came of a set."""

    f1: float
    milliseconds: list[float]
    """CPU time for each page."""
    kinds: tuple[str, ...] = ()
    """F1 by the kind of page, where a set knows it."""


class Score(NamedTuple):
    """Precision and recall."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def rows() -> Iterator[Row]:
    """One for each set, then empty pages and time over all of them."""
    other = _other()
    spent: list[float] = []
    spent_there: list[float] = []
    for name in SETS:
        pages = list(_cases(name))
        found = _scored(pages, ours)
        spent += found.milliseconds
        measured = ""
        if other:
            there = _scored(pages, other)
            spent_there += there.milliseconds
            measured = f"trafilatura {there.f1:.3f}"
        value = round(found.f1, 3)
        yield Row(f"content: {name}", value, f"{value:.3f}", measured=measured, remarks=found.kinds)
    yield failures("content: pages left empty", [name for name, html in _articles() if not ours(html, "")])
    median = statistics.median(spent)
    measured = f"trafilatura {statistics.median(spent_there):.1f}" if spent_there else ""
    yield milliseconds("content: ms a page, median", median, measured)


def ours(html: bytes, url: str) -> str:
    """The words of the main content."""
    return convert.document(html, "text/html", url or None).content


def _other() -> Extract | None:
    """trafilatura, where it is installed, for the ratio in the same run."""
    if importlib.util.find_spec("trafilatura") is None:
        return None
    library = importlib.import_module("trafilatura")
    return lambda html, _: library.extract(html, include_comments=False, with_metadata=False) or ""


def _cases(name: str) -> Iterator[Case]:
    home = folder(name)
    truth = home / "ground-truth.json"
    if truth.exists():
        known = [{"id": key, **value} for key, value in json.loads(truth.read_text("utf-8")).items()]
    else:
        known = list(cases(name))
    for case in known:
        yield Case(unpacked(home / "html" / f"{case['id']}.html.gz"), case.get("url") or "", case)


def _articles() -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder("readability-pages").glob("*/source.html.gz")):
        yield path.parent.name, unpacked(path)


def _scored(pages: Sequence[Case], extract: Extract) -> Found:
    extract(pages[0].html, pages[0].url)  # what is loaded once is loaded now
    texts, spent = [], []
    for page in pages:
        began = time.process_time()
        texts.append(extract(page.html, page.url))
        spent.append(1000 * (time.process_time() - began))
    known = [page.known for page in pages]
    return Found(_f1(known, texts), spent, tuple(_kinds(known, texts)))


def _kinds(known: Sequence[dict[str, Any]], texts: Sequence[str]) -> Iterator[str]:
    names = sorted({case["page_type"] for case in known if "page_type" in case})
    for name in names:
        chosen = [number for number, case in enumerate(known) if case["page_type"] == name]
        yield f"{name} {_f1([known[number] for number in chosen], [texts[number] for number in chosen]):.3f}"


def _f1(known: Sequence[dict[str, Any]], texts: Sequence[str]) -> float:
    both = list(zip(known, texts, strict=True))
    if "articleBody" in known[0]:
        scores = [_overlap(_grams(case["articleBody"], 4), _grams(text, 4)) for case, text in both]
        return Score(*(statistics.fmean(column) for column in zip(*scores, strict=True))).f1
    if "main_content" not in known[0] and "with" in known[0]:
        return _segments(both).f1
    return statistics.fmean(_overlap(_grams(_gold(case), 1), _grams(text.lower(), 1)).f1 for case, text in both)


def _gold(case: dict[str, Any]) -> str:
    parts = [case[name] for name in ("main_content", "gold_text") if name in case]
    parts = parts or [case.get(name) or "" for name in ("headline", "fulltext", "supplemental")]
    return "\n".join(parts).lower()


def _grams(text: str, size: int) -> Counter[tuple[str, ...]]:
    """Stretches of so many words; a shorter text is one of its own."""
    words = _WORD.findall(text)
    count = max(len(words) - size + 1, 1) if words else 0
    return Counter(tuple(words[start : start + size]) for start in range(count))


def _overlap(gold: Counter[tuple[str, ...]], got: Counter[tuple[str, ...]]) -> Score:
    return _score((gold & got).total(), got.total(), gold.total())


def _segments(both: Sequence[tuple[dict[str, Any], str]]) -> Score:
    """Over all pages together."""
    right = wrong = wanted = 0
    for case, text in both:
        flat = " ".join(text.split())
        right += sum(_flat(segment) in flat for segment in case["with"])
        wrong += sum(_flat(segment) in flat for segment in case["without"])
        wanted += len(case["with"])
    return _score(right, right + wrong, wanted)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _score(right: int, got: int, wanted: int) -> Score:
    """Nothing found where nothing is wanted is all right."""
    return Score(right / got if got else float(not wanted), right / wanted if wanted else float(not got))
