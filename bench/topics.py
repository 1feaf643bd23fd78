"""How much of what is fetched is on topic? A crawl with a topic beside breadth-first and best-first by plain cosine.

    python bench/topics.py FOLDER [--part 0.1] [--learn] [--picture]

FOLDER has a folder of HTML pages for each site, as documentation packages have them. Each becomes a host, whose first
page leads to its pages and to three other hosts. Nothing is sent: the crawler gets the files in the place of answers.
Whether a page is on topic is decided by key phrases, which no crawler knows: at least four, and one in a hundred words.
`--picture` draws docs/pictures/topic-recall.svg.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heappop, heappush
from html import escape
from itertools import accumulate
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote, urlsplit

import gossamer
from gossamer import convert
from gossamer.collection.crawl.outside import Outside
from gossamer.model import Capture, Page, SystemClock, Visit
from gossamer.topic.features import words

SEED = "http://seed.test/"
PAGES_MOST = 4_000
"""Pages of a site that count."""
BYTES_MOST = 400_000
PICTURE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "topic-recall.svg"
LEFT, TOP, WIDE, HIGH, GAP, POINTS = 50, 40, 240, 200, 60, 60
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"
REQUEST = b"GET / HTTP/1.1\r\n\r\n"


@dataclass(frozen=True)
class Topic:
    """What is looked for: as a user describes it, and as it is counted."""

    name: str
    sentence: str
    examples: tuple[str, ...]
    phrases: str


TOPICS = (
    Topic(
        "transactions",
        "Database transactions: isolation levels, commit and rollback, savepoints, locks and deadlocks.",
        (
            "postgresql-doc-15.test/mvcc-intro.html",
            "postgresql-doc-15.test/sql-set-transaction.html",
            "sqlite3-doc.test/lang_transaction.html",
            "python-django-doc.test/topics/db/transactions.html",
            "python-sqlalchemy-doc.test/orm/session_transaction.html",
        ),
        r"transaction|rollback|savepoint|isolation level|deadlock",
    ),
    Topic(
        "unicode",
        "Unicode text: character sets and encodings such as UTF-8, code points, normalization, collation.",
        (
            "python3.11-doc.test/howto/unicode.html",
            "postgresql-doc-15.test/multibyte.html",
            "postgresql-doc-15.test/collation.html",
            "libglib2.0-doc.test/glib/glib-Unicode-Manipulation.html",
            "python3.11-doc.test/library/unicodedata.html",
        ),
        r"unicode|utf-?(?:8|16|32)|code ?points?|character (?:set|encoding)|collation",
    ),
    Topic(
        "sound",
        "Playing and recording sound: audio devices, sample rates, volume, music streams.",
        (
            "qtmultimedia5-doc-html.test/audiooverview.html",
            "qtmultimedia5-doc-html.test/qaudiooutput.html",
            "libsfml-doc.test/classsf_1_1Sound.html",
            "libsfml-doc.test/classsf_1_1SoundBuffer.html",
            "python3.11-doc.test/library/wave.html",
        ),
        r"audio|sound|volume|music|sample rate|speaker|microphone",
    ),
)


class FileWeb:
    """Folders as hosts."""

    def __init__(self, folder: Path) -> None:
        self._roots = {each.name: each.resolve() for each in sorted(folder.iterdir()) if each.is_dir()}
        self._homes = {f"http://{name}.test/": self._home(name) for name in self._roots}
        self._homes[SEED] = _listed("seed", [(f"http://{name}.test/", name) for name in [*self._roots][:5]])

    def body(self, url: str) -> bytes | None:
        """What is there, if it is a page of this web."""
        if url in self._homes:
            return self._homes[url]
        parts = urlsplit(url)
        root = self._roots.get((parts.hostname or "").removesuffix(".test"))
        path = (
            root / unquote(parts.path).lstrip("/")
            if root and parts.path.endswith((".html", ".htm", ".xhtml"))
            else None
        )
        if path is None or not path.is_file() or path.stat().st_size > BYTES_MOST:
            return None
        return path.read_bytes()

    async def fetch(self, visit: Visit) -> Capture:
        """As if a server had answered."""
        body = self.body(visit.url)
        if body is None:
            return Capture(visit, 1e9, 0.001, 404, (), REQUEST, b"HTTP/1.1 404 Not Found\r\n\r\n")
        return Capture(visit, 1e9, 0.001, 200, (("content-type", "text/html"),), REQUEST, HEAD, body, body)

    def _home(self, name: str) -> bytes:
        root, names = self._roots[name], [*self._roots]
        pages = sorted((each for each in root.rglob("index.*htm*")), key=lambda each: (len(each.parts), each))
        pages = [each for each in pages if len(each.parts) == len(pages[0].parts)] or sorted(root.glob("*.html"))
        links = [(f"/{each.relative_to(root)}", each.name) for each in pages[:40]]
        place = names.index(name)
        others = {names[each % len(names)] for each in (place + 1, place + 2, 7 * place + 3)} - {name}
        return _listed(name, links + [(f"http://{other}.test/", other) for other in sorted(others)])


def _listed(title: str, links: Iterable[tuple[str, str]]) -> bytes:
    items = "".join(f'<li><a href="{escape(url)}">{escape(words)}</a></li>' for url, words in links)
    return f"<!doctype html><title>{escape(title)}</title><h1>{escape(title)}</h1><ul>{items}</ul>".encode()


def read_all(web: FileWeb) -> dict[str, Page]:
    """All pages that can be reached, in the order of breadth-first."""
    found, queue, seen = dict[str, Page](), deque([SEED]), {SEED}
    each: Counter[str] = Counter()
    while queue:
        url = queue.popleft()
        body = web.body(url)
        host = urlsplit(url).hostname or ""
        if body is None or each[host] >= PAGES_MOST:
            continue
        each[host] += 1
        found[url] = page = convert.document(body, media_type="text/html", url=url)
        for link in page.links:
            if link.url not in seen:
                seen.add(link.url)
                queue.append(link.url)
    return found


def on_topic(pages: dict[str, Page], topic: Topic) -> set[str]:
    """Pages with enough key phrases, but for the examples."""
    phrases, found = re.compile(topic.phrases, re.I), set()
    for url, page in pages.items():
        text = f"{page.title}\n{page.text}"
        count = len(phrases.findall(text))
        if count >= 4 and count >= len(text.split()) / 100:
            found.add(url)
    return found - {f"http://{each}" for each in topic.examples}


def by_cosine(pages: dict[str, Page], topic: Topic, most: int) -> list[str]:
    """Best-first: a link is worth as much as its page is like the description and the examples."""
    texts = (pages[url].text for each in topic.examples if (url := f"http://{each}") in pages)
    wanted = Counter(words(topic.sentence) + [word for text in texts for word in words(text)])
    heap, best, visited = [(0.0, 0, SEED)], dict[str, float](), dict[str, None]()
    while heap and len(visited) < most:
        url = heappop(heap)[2]
        if url in visited or url not in pages:
            continue
        visited[url] = None
        alike = _cosine(Counter(words(pages[url].text)), wanted)
        for link in pages[url].links:
            if alike > best.get(link.url, -1.0):
                best[link.url] = alike
                heappush(heap, (-alike, len(best), link.url))
    return list(visited)


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    both = sum(count * other[word] for word, count in one.items())
    return both / sqrt(sum(c * c for c in one.values()) * sum(c * c for c in other.values()) or 1)


async def crawled(web: FileWeb, topic: Topic | None, most: int, *, learn: bool = False) -> list[str]:
    """The pages that Gossamer fetches first, with the topic or breadth-first, in their order."""
    order: list[str] = []

    async def fetch(visit: Visit) -> Capture:
        capture = await web.fetch(visit)
        if capture.status == 200 and visit.kind == "page":
            order.append(visit.url)
        return capture

    with TemporaryDirectory() as folder, gossamer.open(Path(folder) / "web") as collection:
        settings: dict[str, object] = {
            "scope": "any",
            "delay": 0,
            "shards": 1,
            "pages": most,
            "workers": 4,
        }
        if topic is not None:
            path = Path(folder) / "topic.txt"
            path.write_text("\n".join([topic.sentence, *(f"+ http://{each}" for each in topic.examples)]))
            settings |= {"topic": str(path), "topic_learn": learn}
        await collection.crawl_async(SEED, outside=Outside(SystemClock(), fetch), **settings)  # type: ignore[arg-type]  # settings are Any
    return order[-most:]  # without the examples, which are read before


def harvested(order: Iterable[str], truth: set[str]) -> list[int]:
    """How many pages on topic there are among the first ones, however many those are."""
    return list(accumulate(url in truth for url in dict.fromkeys(order)))


def told(name: str, hits: list[int], truth: set[str]) -> str:
    """Harvest and recall."""
    return f"{name} {hits[-1] / len(hits):.1%} ({hits[-1] / max(len(truth), 1):.0%})"


def picture(measured: dict[str, dict[str, list[float]]]) -> str:
    """Recall over what was fetched: a field for each topic, a line for each way to crawl."""
    fields = [_field(number, topic, lines) for number, (topic, lines) in enumerate(measured.items())]
    names = [*next(iter(measured.values()))]
    legend = [
        f'<line class="way{number}" x1="{LEFT + 180 * number}" x2="{LEFT + 180 * number + 24}" y1="16" y2="16"/>'
        f'<text x="{LEFT + 180 * number + 30}" y="20">{escape(name)}</text>'
        for number, name in enumerate(names)
    ]
    width = LEFT + len(fields) * (WIDE + GAP)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {TOP + HIGH + 50}" role="img">',
            "<title>Which part of the pages on topic has been fetched, over the part of the web that has been</title>",
            "<style>",
            "  .ground { fill: #ffffff } text { font: 12px sans-serif; fill: #24292f }",
            "  line, polyline { fill: none; stroke-width: 2 } .frame { stroke: #afb8c1; stroke-width: 1 }",
            "  .way0 { stroke: #0969da } .way1 { stroke: #9a6700 } .way2 { stroke: #8250df } .way3 { stroke: #afb8c1 }",
            "  @media (prefers-color-scheme: dark) {",
            "    .ground { fill: #0d1117 } text { fill: #e6edf3 } .frame { stroke: #484f58 }",
            "    .way0 { stroke: #58a6ff } .way1 { stroke: #d29922 }",
            "    .way2 { stroke: #bc8cff } .way3 { stroke: #8b949e }",
            "  }",
            "</style>",
            f'<rect class="ground" width="{width}" height="{TOP + HIGH + 50}"/>',
            *legend,
            *fields,
            "</svg>\n",
        ]
    )


def _field(number: int, topic: str, lines: dict[str, list[float]]) -> str:
    left, bottom = LEFT + number * (WIDE + GAP), TOP + HIGH
    drawn = []
    for part in (0, 0.25, 0.5, 0.75, 1):
        at = round(bottom - part * HIGH)
        drawn.append(f'<line class="frame" x1="{left}" x2="{left + WIDE}" y1="{at}" y2="{at}"/>')
        drawn.append(f'<text text-anchor="end" x="{left - 6}" y="{at + 4}">{part:.0%}</text>')
    for way, line in enumerate(lines.values()):
        points = (
            f"{left + WIDE * at / POINTS:.0f},{bottom - HIGH * line[-1 + len(line) * at // POINTS]:.0f}"
            for at in range(1, POINTS + 1)
        )
        drawn.append(f'<polyline class="way{way}" points="{left},{bottom} {" ".join(points)}"/>')
    drawn.append(f'<text text-anchor="middle" x="{left + WIDE // 2}" y="{bottom + 36}">{escape(topic)}</text>')
    drawn.append(f'<text x="{left}" y="{bottom + 18}">0</text>')
    drawn.append(f'<text text-anchor="end" x="{left + WIDE}" y="{bottom + 18}">a tenth of the web</text>')
    return "\n".join(drawn)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--part", type=float, default=0.1, help="how much of the web is fetched (0.1)")
    parser.add_argument("--learn", action="store_true", help="with --topic-learn")
    parser.add_argument("--picture", action="store_true", help="draw the recall")
    options = parser.parse_args()
    web = FileWeb(options.folder)
    pages = read_all(web)
    most = int(len(pages) * options.part)
    print(f"{len(pages):,} pages, {most:,} are fetched; harvest (recall)", flush=True)
    untold = asyncio.run(crawled(web, None, most))
    measured: dict[str, dict[str, list[float]]] = {}
    for topic in TOPICS:
        truth = on_topic(pages, topic)
        orders = {
            "with a topic": asyncio.run(crawled(web, topic, most, learn=options.learn)),
            "best-first by cosine": by_cosine(pages, topic, most),
            "Gossamer without": untold,
            "breadth-first": [*pages][:most],
        }
        hits = {name: harvested(order, truth) for name, order in orders.items()}
        each = ", ".join(told(name, found, truth) for name, found in hits.items())
        print(f"{topic.name}: {len(truth):,} pages are on topic; {each}", flush=True)
        measured[topic.name] = {name: [one / len(truth) for one in found] for name, found in hits.items()}
    if options.picture:
        PICTURE.write_text(picture(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
