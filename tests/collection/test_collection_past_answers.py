"""Does a search of the past find what a collection found that was made at that date alone?

A made site changes from crawl to crawl: pages are edited, go, come back and are new. One collection sees all of it; for
each date another one is made that has seen the site of that date only. Both are asked the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

import gossamer
from gossamer.search.answer import Answer
from gossamer.testing.prose import paragraphs, prose
from harness.dated_site import DatedSite

WORDS = prose(24)
HITS, ALL = 10, 1_000
CHANGED, GONE, BACK, EDITED = 0.2, 0.03, 0.3, 0.3
"""Shares: of pages that change between two crawls, of those that go, of those gone that come back; of the words of a
page that changes."""


class Made(NamedTuple):
    """A date, and what was found by a collection that was made then."""

    at: datetime
    answers: dict[str, Answer]
    """All pages that answer, by question."""


class Site:
    """So many pages, of some topics."""

    def __init__(self, pages: int, seed: int) -> None:
        self._random = Random(seed)
        self._pages = pages
        lengths = [int(60 * 6 ** self._random.random()) for _ in range(pages)]
        self._said = [WORDS.sentences(length, WORDS.topic(number % 9), number) for number, length in enumerate(lengths)]
        self._there = {number for number in range(pages) if self._random.random() < 0.9}

    def passes(self, crawl: int) -> None:
        """A month goes by."""
        for number in range(self._pages):
            if self._random.random() < CHANGED:
                self._said[number] = WORDS.edited(self._said[number], EDITED, crawl, number)
            if number in self._there and number and self._random.random() < GONE:
                self._there.remove(number)
            elif number not in self._there and self._random.random() < BACK:
                self._there.add(number)

    def texts(self) -> dict[str, str]:
        """What its pages say now, by path."""
        return {f"/{number}": "\n\n".join(paragraphs(self._said[number])) for number in sorted(self._there)}

    def pages(self) -> dict[str, str]:
        """The same as they are served: each links to some others."""
        return {path: _html(path, text, self._pages) for path, text in self.texts().items()}


def _html(path: str, text: str, pages: int) -> str:
    number = int(path[1:])
    links = "".join(f'<a href="/{(number * step) % pages}">{step}</a> ' for step in (2, 3, 7))
    title = " ".join(text.split()[1:4])
    body = "".join(f"<p>{each}</p>" for each in text.split("\n\n"))
    return f"<title>{title}</title><h1>{title}</h1>{body}<p>{links}</p>"


def questions(texts: dict[str, str], random: Random, count: int) -> Iterator[str]:
    """Two or three words that stand together in a page, mostly not the most frequent ones."""
    for _ in range(count):
        words = texts[random.choice(sorted(texts))].replace(".", " ").split()
        rare = [word for word in words if len(word) > 5]
        yield " ".join(random.sample(rare, random.choice((1, 2, 2, 3))))


def compared(folder: Path, pages: int, crawls: int, asked: int, seed: int = 7) -> list[float]:
    """For each question, the share of the first hits that are those of the collection of its date. All pages that are
    found must be pages that it has found too."""
    random, site = Random(seed), Site(pages, seed)
    server, dates = DatedSite({}), []
    with gossamer.open(folder / "all") as web:
        for crawl in range(crawls):
            server.pages = site.pages()
            at = server.crawl(web)
            dates.append(_made(folder / f"{crawl}", site, at, random, -(-asked // crawls)))
            server.later(30)
            site.passes(crawl)
        return [
            _alike(web.search(text, ALL, at=made.at), made.answers[text]) for made in dates for text in made.answers
        ]


def _made(folder: Path, site: Site, at: datetime, random: Random, asked: int) -> Made:
    """Of that date alone."""
    server = DatedSite(site.pages(), at.timestamp() - 3_600)
    with gossamer.open(folder) as alone:
        server.crawl(alone)
        return Made(at, {text: alone.search(text, ALL) for text in questions(site.texts(), random, asked)})


def _alike(found: Answer, made: Answer) -> float:
    assert {hit.url for hit in found} == {hit.url for hit in made}
    wanted, first = ({hit.url for hit in answer.hits[:HITS]} for answer in (made, found))
    return len(wanted & first) / max(len(wanted), 1)


def require_alike(shares: list[float]) -> None:
    """Nine of the first ten: links and the ages of pages are others, which turns those around that stand close."""
    assert sum(shares) / len(shares) >= 0.9


def test_the_past_answers_as_a_collection_of_that_date(tmp_path: Path) -> None:
    require_alike(compared(tmp_path, pages=40, crawls=3, asked=60))


@pytest.mark.soak
def test_twelve_crawls_of_five_hundred_pages_answer_as_collections_of_their_dates(tmp_path: Path) -> None:
    require_alike(compared(tmp_path, pages=500, crawls=12, asked=200))
