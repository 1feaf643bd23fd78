"""What does the past cost? A made site is visited again and again; a share of its pages has changed each time.

    python bench/past.py --pages 5_000 --rounds 12 --changed 0.1

For each round it says how large the index of now and that of the past are, and how many texts each has. Then what an
answer takes, in CPU: of now before anything had changed and after all rounds, at a date in the middle, over all
versions. A page that changes says a tenth of its words otherwise. Visits that find the same bytes are kept too, as a
crawl keeps them. Pages and questions are those of `bench/search.py`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import gossamer
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.wiring import info_of, prefix_of
from gossamer.collection.derive import graph_making
from gossamer.collection.derive.indexer import Indexer
from gossamer.collection.folder import INDEX, PAST, Folder
from gossamer.collection.sites import site_of
from gossamer.fetch.body import decoded
from gossamer.model import Capture, Page, SystemClock
from gossamer.plan import Plan
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from search import HEAD, Made, batches, questions

MONTH = 30 * 86_400.0
EDITED = 0.1
"""Of the words of a page that changes."""


class Changing(Made):
    """Pages that change from round to round."""

    def __init__(self, count: int, changed: float) -> None:
        super().__init__(count)
        self._changed = changed

    def edition(self, number: int, visit: int) -> int:
        """Which text a page has at a visit: it has changed so often."""
        return sum(Random(f"{number} {each}").random() < self._changed for each in range(1, visit + 1))

    def visited(self, number: int, visit: int) -> tuple[Capture, Page]:
        """What comes back from it."""
        capture, page = self.page(number)
        edition, words = self.edition(number, visit), page.text.split(" ")
        for each in range(1, edition + 1):
            random, others = Random(f"{number} edition {each}"), self.zipf.text(number + each * self.count, 50).split()
            for place in random.sample(range(len(words)), int(EDITED * len(words))):
                words[place] = random.choice(others)
        text = " ".join(words)
        body = f"<title>{page.title}</title><p>{text}</p>".encode()
        digest = f"sha256:{sha256(body).hexdigest()}"
        page = replace(page, text=text, content=text, html=f"<p>{text}</p>", digest=digest)
        return replace(capture, began=capture.began + visit * MONTH, head=HEAD, wire=body, body=body), page


def visit_all(path: Path, plan: Plan, made: Changing, visit: int) -> int:
    """One round, as a crawl would do it; how many pages have said something new."""
    folder, site, fresh = Folder(path), site_of(plan), 0
    with ExitStack() as stack:
        table = stack.enter_context(Table.open(folder.table(0), FAMILIES, writable=True))
        archive = stack.enter_context(
            closing(Archive(table, folder.shard(0), partial(decoded, limits=plan.as_limits())))
        )
        for part in (archive.texts, archive):
            part.open(info_of(plan), SystemClock(), prefix=prefix_of(None), max_bytes=plan.warc_bytes)
        findable = stack.enter_context(closing(Indexer(folder.shard(0), table, archive, site)))
        for batch in batches(iter(range(made.count))):
            for number in batch:
                capture, page = made.visited(number, visit)
                if version := archive.append(capture, page):
                    findable.keep(capture, page, version)
                    fresh += 1
            archive.prepare()
            findable.prepare()
            table.commit()
            findable.committed()
        findable.finish()
        table.commit()
    return fresh


def octets(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.iterdir()) if folder.is_dir() else 0


def took(path: Path, some: list[str], **asked: Any) -> str:
    """Milliseconds of CPU for an answer: half and nine tenths take at most."""
    with gossamer.open(path) as web:
        for text in some[:20]:
            web.search(text, **asked)
        each = []
        for text in some:
            began = time.process_time()
            web.search(text, **asked)
            each.append(1e3 * (time.process_time() - began))
    return " ".join(f"{value:7.2f}" for value in np.percentile(each, (50, 90)))


def table(path: Path, made: Changing, rounds: int, number: int) -> Iterator[str]:
    plan, folder = Plan(seeds=("http://www.site0.test/",), shards=1), Folder(path)
    folder.create()
    folder.save_plan(plan)
    folder.make_shards(1)
    some, first = questions(made, "usual", number), ""
    yield f"past  {made.count:,} pages, {rounds} rounds"
    yield f"{'':9} {'visits':>10} {'said new':>10} {'index kB':>10} {'past kB':>10}"
    for visit in range(rounds):
        fresh = visit_all(path, plan, made, visit)
        sizes = [octets(folder.shard(0) / part) / 1e3 for part in (INDEX, PAST)]
        yield f"round {visit + 1:<3} {made.count:>10,} {fresh:>10,} {sizes[0]:>10,.0f} {sizes[1]:>10,.0f}"
        if visit == 0:
            with Table.open(folder.table(0), FAMILIES, writable=False) as rows:
                graph_making.make(folder, [rows], "en", graph_making.Copies([], []))
            first = took(path, some)
    middle = datetime.fromtimestamp(1.79e9 + made.count + (rounds // 2) * MONTH, UTC)
    yield "answer, ms of CPU: half and nine tenths take at most"
    yield f"  now, after the first round {first}"
    yield f"  now, after all rounds      {took(path, some)}"
    yield f"  at a date in the middle    {took(path, some, at=middle)}"
    yield f"  over all versions          {took(path, some, all_versions=True)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--changed", type=float, default=0.1, help="share of the pages that change between two rounds")
    parser.add_argument("--questions", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = Changing(options.pages, options.changed)
        for line in table(Path(folder) / "web", made, options.rounds, options.questions):
            print(line, flush=True)


if __name__ == "__main__":
    main()
