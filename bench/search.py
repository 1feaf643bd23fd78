"""How long does an answer take? A collection of made pages on disk, and eight clients that ask at the same time.

    python bench/search.py --pages 200_000

The pages have 100 to 2,500 words each, and links; they are kept as a crawl keeps them: captures, texts, rows, log of
links, index, graph. Only the frontier is left out. Clients are processes, each with the next question when it has its
answer, ten hits with snippets. A question is words of one page, mostly beyond the 1,000 most frequent: three quarters
have two to four of them, others one, a phrase of two of which one is such a word, a site, or a dozen and more. Target
at 200,000 pages: median below 15 ms, 99th percentile below 60 ms.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from zipf import Zipf

import gossamer
from gossamer.collection.crawl.wiring import info_of, prefix_of
from gossamer.collection.derive import graphs
from gossamer.collection.derive.indexer import Indexer
from gossamer.collection.families import FAMILIES
from gossamer.collection.folder import Folder
from gossamer.collection.sites import site_of
from gossamer.fetch.body import decoded
from gossamer.model import Capture, Link, Page, SystemClock, Visit
from gossamer.plan import Plan
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.urls import keys

SITES = 997
CLIENTS = 8
BATCH = 500
LINKS = 10
USUAL = 1_000
"""The most frequent words, which few people ask for."""
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"


class Made:
    """Pages by number."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.zipf = Zipf()

    def url(self, number: int) -> str:
        return f"http://www.site{number % SITES}.test/{number // SITES}/"

    def text(self, number: int) -> str:
        return self.zipf.text(number, int(100 * 25 ** Random(number).random()))

    def title(self, number: int) -> str:
        return self.zipf.phrase(number, 5, 10_000)

    def page(self, number: int) -> tuple[Capture, Page]:
        text, url = self.text(number), self.url(number)
        body = f"<title>{self.title(number)}</title><p>{text}</p>".encode()
        targets = (self.count ** np.random.default_rng(number).random(LINKS)).astype(int).tolist()
        page = Page(
            url,
            "text/html",
            "utf-8",
            self.title(number),
            text,
            tuple(Link(self.url(target), self.title(target)) for target in targets),
            text,
            f"<p>{text}</p>",
            language="en",
            digest=f"sha256:{sha256(body).hexdigest()}",
        )
        capture = Capture(Visit(url), 1.79e9 + number, 0.1, 200, (), b"GET / HTTP/1.1\r\n\r\n", HEAD, body, body)
        return capture, page


def fill(path: Path, plan: Plan, count: int, index: int) -> None:
    """One shard, as a crawl would leave it."""
    folder, made, site = Folder(path), Made(count), site_of(plan)
    numbers = (n for n in range(count) if keys.shard(site(made.url(n)), plan.shards) == index)
    with ExitStack() as stack:
        table = stack.enter_context(Table.open(folder.table(index), FAMILIES, writable=True))
        archive = stack.enter_context(
            closing(Archive(table, folder.shard(index), partial(decoded, limits=plan.as_limits())))
        )
        for part in (archive.texts, archive):
            part.open(info_of(plan), SystemClock(), prefix=prefix_of(index), max_bytes=plan.warc_bytes)
        findable = stack.enter_context(closing(Indexer(folder.shard(index), table, archive, site)))
        for batch in batches(numbers):
            for number in batch:
                capture, page = made.page(number)
                version = archive.append(capture, page)
                assert version is not None, "each page is new"
                findable.keep(capture, page, version)
            archive.prepare()
            findable.prepare()
            table.commit()
            findable.committed()
        findable.finish()


def batches(numbers: Iterator[int]) -> Iterator[list[int]]:
    batch: list[int] = []
    for number in numbers:
        batch.append(number)
        if len(batch) == BATCH:
            yield batch
            batch = []
    yield batch


def collect(path: Path, count: int, shards: int) -> None:
    """All shards and the graph."""
    plan = Plan(seeds=("http://www.site0.test/",), shards=shards)
    folder = Folder(path)
    folder.create()
    folder.save_plan(plan)
    folder.make_shards(shards)
    with ProcessPoolExecutor(shards) as pool:
        list(pool.map(partial(fill, path, plan, count), range(shards)))
    with ExitStack() as stack:
        tables = [stack.enter_context(Table.open(folder.table(i), FAMILIES, writable=False)) for i in range(shards)]
        graphs.make(folder, tables, "en", graphs.Copies([], []))


def question(made: Made, number: int) -> str:
    """Words that someone remembers of a page."""
    random = Random(f"question {number}")
    page = random.randrange(made.count)
    words = made.text(page).replace(".", "").split()
    rare = [word for word in words if made.zipf.ranks[word] > USUAL] or words
    at = random.randrange(len(words) - 30)
    told = next((n for n in range(at, len(words) - 1) if made.zipf.ranks[words[n]] > USUAL), at)
    kinds = {
        "words": " ".join(random.sample([*rare, random.choice(words)], min(len(rare), random.choice((2, 2, 3, 3, 4))))),
        "word": random.choice(rare),
        "phrase": f'"{" ".join(words[told : told + 2])}"',
        "site": f"{random.choice(rare)} site:site{page % SITES}.test",
        "long": " ".join(words[at : at + random.choice((12, 30))]),
    }
    return kinds[random.choices(list(kinds), (75, 10, 5, 5, 5))[0]]


def asked(place: Path, questions: list[str], number: int) -> tuple[list[float], float]:
    """Seconds for each answer that one client waits for, and seconds of CPU for all of them."""
    collection, took = gossamer.open(place), []
    for text in questions[:20]:
        collection.search(text)
    cpu = time.process_time()
    for text in questions[number::CLIENTS]:
        began = time.perf_counter()
        collection.search(text)
        took.append(time.perf_counter() - began)
    return took, time.process_time() - cpu


def measure(place: Path, questions: list[str]) -> dict[str, Any]:
    with ProcessPoolExecutor(CLIENTS) as pool:
        clients = list(pool.map(partial(asked, place, questions), range(CLIENTS)))
    took = [each for some, _ in clients for each in some]
    half, most, worst = np.percentile(took, (50, 99, 100)) * 1e3
    return {"median": half, "p99": most, "worst": worst, "cpu": sum(cpu for _, cpu in clients) / len(took) * 1e3}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=5_000)
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--shards", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="make the collection here, or use the one that is there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = options.keep or Path(folder) / "web"
        made = Made(options.pages)
        if not place.exists():
            collect(place, options.pages, options.shards)
        found = measure(place, [question(made, number) for number in range(options.questions)])
    print(
        f"search  {options.pages:,} pages, {CLIENTS} clients at once: median {found['median']:.1f} ms, 99th percentile"
        f" {found['p99']:.1f} ms, slowest {found['worst']:.1f} ms, {found['cpu']:.1f} ms of CPU for an answer"
    )


if __name__ == "__main__":
    main()
