"""What does an answer cost? A collection of made pages on disk, and people who ask, one alone and eight at once.

    python bench/search.py --pages 200_000
    python bench/search.py --keep DIR --profile      where the time goes, by part of a search

The pages have 100 to 2,500 words each, and links; they are kept as a crawl keeps them: captures, texts, rows, log of
links, index, graph. Only the frontier is left out. Clients are processes, each with the next question when it has its
answer, ten hits with snippets. What counts is CPU, of all threads: waiting depends on who else is on the machine.
Words are those of one page, mostly beyond the 1,000 most frequent. `usual` is a mix: three quarters have two to four
words, others one, a phrase of two of which one is such a word, a site, or a dozen and more.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any, NamedTuple

import numpy as np
from zipf import Zipf

import gossamer
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.wiring import info_of, prefix_of
from gossamer.collection.derive import graph_making
from gossamer.collection.derive.indexer import Indexer
from gossamer.collection.folder import Folder
from gossamer.collection.sites import site_of
from gossamer.fetch.body import decoded
from gossamer.model import Capture, Link, Page, SystemClock, Visit
from gossamer.plan import Plan
from gossamer.search.retrieval import Retrieval
from gossamer.search.searcher import Searcher
from gossamer.search.shards import Shards
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.urls import keys

SITES = 997
CLIENTS = 8
COLD = 5
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
        findable.gather()


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
        graph_making.make(folder, tables, "en", graph_making.Copies([], []))


def words_of(made: Made, random: Random) -> tuple[int, list[str], list[str]]:
    """A page, its words, and those that people remember of it."""
    page = random.randrange(made.count)
    words = made.text(page).replace(".", "").split()
    return page, words, [word for word in words if made.zipf.ranks[word] > USUAL] or words


def usual(made: Made, random: Random) -> str:
    page, words, rare = words_of(made, random)
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


def some(number: int, made: Made, random: Random) -> str:
    _, _, rare = words_of(made, random)
    return " ".join(random.sample(rare, min(number, len(rare))))


def passage(made: Made, random: Random) -> str:
    _, words, _ = words_of(made, random)
    at = random.randrange(len(words) - 30)
    return " ".join(words[at : at + random.choice((12, 30))])


def frequent(number: int, made: Made, random: Random) -> str:
    return " ".join(random.sample(made.zipf.words[:USUAL].tolist(), number))


def misspelled(made: Made, random: Random) -> str:
    """A word of a title with two letters swapped."""
    long = [word for word in made.title(random.randrange(made.count)).split() if len(word) > 6]
    word = random.choice(long or ["bantra"])
    at = random.randrange(2, len(word) - 2)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


class Kind(NamedTuple):
    """Questions of one kind."""

    ask: Callable[[Made, Random], str]
    offset: int = 0
    target: str = ""
    """In ms of CPU for one client at 200,000 pages."""


KINDS = {
    "usual": Kind(usual, target="median 2.5, 99 of 100 in 12"),
    "one word": Kind(partial(some, 1)),
    "two words": Kind(partial(some, 2)),
    "long": Kind(passage, target="median 8"),
    "five frequent": Kind(partial(frequent, 5), target="median 10"),
    "misspelled": Kind(misspelled, target="median 3"),
    "offset 10,000": Kind(partial(frequent, 1), 10_000, "median 30"),
}
STAGES = {
    (Searcher, "_parsed"): "the question is taken apart",
    (Retrieval, "question"): "its words are looked up",
    (Retrieval, "_called"): "what others call pages",
    (Retrieval, "_windows"): "queries are made for the index",
    (Shards, "best"): "the index is asked",
    (Shards, "taken"): "columns of the pages",
    (Retrieval, "further"): "terms of the best answers",
    (Shards, "raised"): "the best are looked at again",
    (Retrieval, "weighed"): "links and age",
    (Archive, "hinted"): "texts are read",
    (Searcher, "_hits"): "snippets",
    (Searcher, "_suggestion"): "did you mean",
}
"""Methods, and what each does."""


def questions(made: Made, kind: str, number: int) -> list[str]:
    return [KINDS[kind].ask(made, Random(f"{kind} {each}")) for each in range(number)]


def asked(place: Path, some: list[str], offset: int, clients: int, number: int) -> list[float]:
    """CPU seconds for each answer of one of the clients."""
    collection, took = gossamer.open(place), []
    for text in some[:20]:
        collection.search(text, offset=offset)
    for text in some[number::clients]:
        began = time.process_time()
        collection.search(text, offset=offset)
        took.append(time.process_time() - began)
    return took


def percentiles(place: Path, some: list[str], offset: int, clients: int) -> str:
    with ProcessPoolExecutor(clients) as pool:
        each = pool.map(partial(asked, place, some, offset, clients), range(clients))
        took = [seconds for mine in each for seconds in mine]
    return " ".join(f"{1e3 * value:7.1f}" for value in np.percentile(took, (50, 90, 99)))


def cold(place: Path, some: list[str]) -> float:
    """CPU seconds of the command, from its start to its end, in the median."""
    took = []
    for text in some:
        before = getrusage(RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "gossamer", "search", place, text], check=True, capture_output=True)
        after = getrusage(RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return float(np.median(took))


class Clock:
    """What each stage of a search takes by itself, without those that it calls."""

    def __init__(self) -> None:
        self.took = dict.fromkeys(STAGES.values(), 0.0)
        self._running: list[float] = []

    def timed(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **named: Any) -> Any:
            began, called = time.process_time(), len(self._running)
            self._running.append(0.0)
            try:
                return method(*arguments, **named)
            finally:
                whole, within = time.process_time() - began, self._running.pop()
                self.took[name] += whole - within
                if called:
                    self._running[-1] += whole

        return run


def profile(place: Path, some: list[str], offset: int) -> Iterator[str]:
    """A line for each stage: its share of an answer."""
    clock = Clock()
    for (kind, name), stage in STAGES.items():
        setattr(kind, name, clock.timed(stage, getattr(kind, name)))
    whole = sum(asked(place, some, offset, 1, 0))
    for stage, seconds in sorted(clock.took.items(), key=lambda item: -item[1]):
        yield f"    {1e3 * seconds / (len(some) + 20):6.2f} ms {stage}"
    yield f"    {1e3 * whole / len(some):6.2f} ms all of it"


def profiled(place: Path, some: list[str], offset: int) -> list[str]:
    with ProcessPoolExecutor(1) as pool:  # the stages are timed in a process of their own
        return pool.submit(partial(_lines, place, some, offset)).result()


def _lines(place: Path, some: list[str], offset: int) -> list[str]:
    return list(profile(place, some, offset))


def table(place: Path, made: Made, number: int, kinds: Sequence[str], *, stages: bool) -> Iterator[str]:
    yield f"search  {made.count:,} pages, ms of CPU for an answer: half, nine tenths and 99 of 100 take at most"
    yield f"{'':14} {'1 client':>23}    {f'{CLIENTS} clients at once':>23}    target"
    for name in kinds:
        some, offset = questions(made, name, number), KINDS[name].offset
        alone, all_at_once = (percentiles(place, some, offset, clients) for clients in (1, CLIENTS))
        yield f"{name:14} {alone}    {all_at_once}    {KINDS[name].target}"
        yield from profiled(place, some, offset) if stages else ()
    seconds = cold(place, questions(made, "usual", COLD))
    yield f"{'cold':14} {seconds:.2f} s of CPU for `gossamer search`; target 0.3"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=5_000)
    parser.add_argument("--questions", type=int, default=200, help="of each kind")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only this; may be repeated")
    parser.add_argument("--shards", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="make the collection here, or use the one that is there")
    parser.add_argument("--profile", action="store_true", help="where the time goes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = options.keep or Path(folder) / "web"
        if not place.exists():
            collect(place, options.pages, options.shards)
        made = Made(options.pages)
        for line in table(place, made, options.questions, options.kind or tuple(KINDS), stages=options.profile):
            print(line, flush=True)


if __name__ == "__main__":
    main()
