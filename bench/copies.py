"""Which copies are found, and what is taken for a copy that is none? Planted copies of made pages, by kind.

    python bench/copies.py --pages 1000

Every kind of change is made to as many pages, of 60, 200 and 600 words, half of them on the site of the original and
half on another. All pages are looked up together. "Folded" is the share of what was found that says the same to a
reader, so that a search finds it under its original. The table is the one in docs/duplicates.md.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gossamer.dedupe import print_of
from gossamer.dedupe.column_families import FAMILIES
from gossamer.dedupe.entries import BLOCKS, entries
from gossamer.dedupe.lookup import Lookup, Met
from gossamer.dedupe.pairs import pairs
from gossamer.dedupe.subjects import Said, Subject, say_the_same
from gossamer.store.table.table import Table
from gossamer.testing.prose import prose

LENGTHS = (60, 200, 600)
SITES = 50
BATCH = 200
WORDS = prose(11)


class Written(NamedTuple):
    """A page, and what it says."""

    met: Met
    text: str

    @property
    def url(self) -> str:
        return self.met.url

    @property
    def subject(self) -> Subject:
        return Subject(Said(self.url, "", self.text))


@dataclass(frozen=True, slots=True)
class Planted:
    """A page that was made from another."""

    kind: str
    original: Written
    page: Written
    is_copy: bool = True


def text_of(length: int, site: int, *key: object) -> list[str]:
    sentences = WORDS.sentences(length, WORDS.topic(site), *key)
    return [word for sentence in sentences for word in sentence][:length]


def in_one_place(share: float) -> Callable[[random.Random, list[str]], list[str]]:
    def edit(rng: random.Random, text: list[str]) -> list[str]:
        count = max(1, round(share * len(text)))
        start = rng.randrange(len(text) - count + 1)
        return [*text[:start], *rng.choices(WORDS.nouns, k=count), *text[start + count :]]

    return edit


def all_over(share: float) -> Callable[[random.Random, list[str]], list[str]]:
    def edit(rng: random.Random, text: list[str]) -> list[str]:
        edited = list(text)
        for place in rng.sample(range(len(text)), max(1, round(share * len(text)))):
            edited[place] = rng.choice(WORDS.nouns)
        return edited

    return edit


COPIES: dict[str, Callable[[random.Random, list[str]], list[str]]] = {
    "the same words": lambda _, text: [word.upper() + "!" for word in text],
    "1 % edited in one place": in_one_place(0.01),
    "1 % edited all over": all_over(0.01),
    "3 % edited in one place": in_one_place(0.03),
    "3 % edited all over": all_over(0.03),
    "5 % edited all over": all_over(0.05),
    "10 % edited in one place": in_one_place(0.1),
    "10 % edited all over": all_over(0.1),
}
TEMPLATES = (0.5, 0.7, 0.8)
QUOTED = 0.25


def written(name: str, site: int, words: list[str]) -> Written:
    text = " ".join(words)
    return Written(Met(f"https://www.site{site}.test/{name}", f"site{site}.test", print_of(text)), text)


def copies(count: int) -> Iterator[Planted]:
    for number, (kind, edit) in enumerate(COPIES.items()):
        for at in range(count):
            rng = random.Random(f"{kind} {at}")
            site = at % SITES
            text = text_of(LENGTHS[at % len(LENGTHS)], site, kind, at)
            elsewhere = site + SITES * (at // len(LENGTHS) % 2)
            original = written(f"{number}/{at}", site, text)
            yield Planted(kind, original, written(f"{number}/{at}/copy", elsewhere, edit(rng, text)))


def templates(count: int) -> Iterator[Planted]:
    """Pages of one site that have most words in common, and their own content."""
    for share in TEMPLATES:
        first: dict[int, Written] = {}
        for at in range(count):
            length, site = LENGTHS[at % len(LENGTHS)], 1000 + round(100 * share)
            shared = text_of(round(share * length), site, "template", length)
            page = written(f"{at}", site, shared + text_of(length - len(shared), site, "own", at))
            yield Planted(f"template, {share:.0%} shared", first.setdefault(length, page), page, is_copy=False)


def quotations(count: int) -> Iterator[Planted]:
    """Pages that quote another at length."""
    for at in range(count):
        length, site = LENGTHS[at % len(LENGTHS)], at % SITES
        text, own = (text_of(length, site, "quoted", at, name) for name in "ab")
        passage = text[: round(QUOTED * length)]
        original = written(f"quoted/{at}", site, text)
        page = written(f"quoting/{at}", site + SITES, own[: length - len(passage)] + passage)
        yield Planted(f"{QUOTED:.0%} quoted", original, page, is_copy=False)


def found_pairs(planted: list[Planted], folder: Path) -> set[frozenset[str]]:
    pages = list({page.url: page.met for each in planted for page in (each.original, each.page)}.values())
    with Table.open(folder / "table", FAMILIES, writable=True) as table:
        lookup = Lookup(table, folder / "prints")
        for start in range(0, len(pages), BATCH):
            lookup.meet(pages[start : start + BATCH])
            lookup.prepare()
            table.commit()
        return {frozenset((pair.one, pair.other)) for pair in pairs([lookup])}


def meetings(each: Planted) -> tuple[bool, bool]:
    """Whether two pages are near by simhash, and whether they meet in a band."""
    one, other = each.original.met.print, each.page.met.print
    columns = [
        entries(np.array([page.simhash], np.uint64), np.frombuffer(page.sketch, np.uint8)[None])[0]
        for page in (one, other)
    ]
    return (one.simhash ^ other.simhash).bit_count() < BLOCKS, bool((columns[0] == columns[1])[BLOCKS:].any())


def report(planted: list[Planted], found: set[frozenset[str]]) -> Iterator[str]:
    wanted = {frozenset((each.original.url, each.page.url)) for each in planted if each.is_copy}
    kinds = {page.url: each.kind for each in planted for page in (each.original, each.page)}
    false = Counter(kind for pair in found - wanted for kind in {kinds[url] for url in pair})
    yield "| kind | pages | found | recall | folded | taken for copies by mistake | simhash alone | bands alone |"
    yield "|---|---|---|---|---|---|---|---|"
    for kind in dict.fromkeys(each.kind for each in planted):
        mine = [each for each in planted if each.kind == kind]
        pairs = [each for each in mine if each.is_copy and frozenset((each.original.url, each.page.url)) in found]
        same = sum(say_the_same(each.original.subject, each.page.subject) for each in pairs) / max(len(pairs), 1)
        near, banded = (sum(each) / len(mine) for each in zip(*map(meetings, mine), strict=True))
        told = f"{len(pairs):,} | {len(pairs) / len(mine):.3f} | {same:.3f}" if mine[0].is_copy else "- | - | -"
        yield f"| {kind} | {len(mine):,} | {told} | {false[kind]} | {near:.3f} | {banded:.3f} |"
    yield f"\nPrecision over all kinds: {len(found & wanted) / max(len(found), 1):.4f}, of {len(found):,} pairs."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000, help="of each kind")
    count = parser.parse_args().pages
    planted = [*copies(count), *templates(count), *quotations(count)]
    with tempfile.TemporaryDirectory() as folder:
        found = found_pairs(planted, Path(folder))
    print(*report(planted, found), sep="\n")


if __name__ == "__main__":
    main()
