"""What does it cost to index a page? Made pages of 15,000 characters, all threads of the engine counted.

    python bench/index.py --pages 20_000

Pages go in as a crawl brings them: their headings are found, their words reduced to terms, a commit for every 5,000
pages, and whatever the engine merges meanwhile. Beside it the same pages in the engine alone, in the same run, for
absolute times mean little on a shared machine. Target: 1,500 pages for each second of CPU.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import tantivy
from zipf import Zipf

from gossamer.collection.derive.indexer import COMMIT_EVERY, entry
from gossamer.index.shard_index import MEMORY, ShardIndex
from gossamer.model import Page

Take: TypeAlias = Callable[[int, Page], None]

WORDS = 2_150
HEADING_EVERY = 1_250


def made(count: int) -> Iterator[Page]:
    """Pages with a title, a heading for every paragraph, and text."""
    zipf = Zipf()
    for number in range(count):
        text = zipf.text(number, WORDS)
        parts = [text[at : at + HEADING_EVERY] for at in range(0, len(text), HEADING_EVERY)]
        html = "".join(f"<h2>{part[:30]}</h2><p>{part[30:]}</p>" for part in parts)
        url = f"http://www.site{number % 997}.test/{number // 997}/page"
        title = zipf.phrase(number, 5, 10_000)
        yield Page(url, "text/html", title=title, text=text, content=text, html=html, language="en")


def ours(folder: Path) -> tuple[Take, Callable[[], None]]:
    """As a crawl does it."""
    shard_index = ShardIndex(folder)

    def take(number: int, page: Page) -> None:
        shard_index.add(entry(str(page.url), page, 1.79e9, "site.test"))
        if number % COMMIT_EVERY == 0:
            shard_index.commit(number)

    def end() -> None:
        shard_index.commit(1)
        shard_index.close()

    return take, end


def plain(folder: Path) -> tuple[Take, Callable[[], None]]:
    """The engine with its own English words, title and text only, one commit: what people write who start with it."""
    builder = tantivy.SchemaBuilder().add_text_field("url", stored=True, tokenizer_name="raw")
    builder.add_text_field("title", stored=True, tokenizer_name="en_stem").add_text_field(
        "body", tokenizer_name="en_stem"
    )
    folder.mkdir()
    index = tantivy.Index(builder.build(), path=str(folder))
    writer = index.writer(MEMORY, 1)

    def take(number: int, page: Page) -> None:
        writer.add_document(tantivy.Document(url=page.url, title=page.title, body=page.content))

    def end() -> None:
        writer.commit()
        writer.wait_merging_threads()

    return take, end


def cost(count: int, take: Take, end: Callable[[], None]) -> float:
    """CPU seconds of the whole process without the making of pages, which is in this thread."""
    pages, making = made(count), 0.0
    began = time.process_time()
    for number in range(1, count + 1):
        start = time.thread_time()
        page = next(pages)
        making += time.thread_time() - start
        take(number, page)
    end()
    return time.process_time() - began - making


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=5_000)
    count = parser.parse_args().pages
    length = sum(len(page.content) for page in made(100)) / 100
    for name, way in (("gossamer", ours), ("tantivy", plain)):
        with tempfile.TemporaryDirectory() as folder:
            cpu = cost(count, *way(Path(folder) / "index"))
            disk = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        print(
            f"{name:<9} {count / cpu:6,.0f} pages for each second of CPU, {1e6 * cpu / count:.0f} us a page of"
            f" {length:,.0f} characters, {disk / count / 1024:.1f} KiB on disk"
        )


if __name__ == "__main__":
    main()
