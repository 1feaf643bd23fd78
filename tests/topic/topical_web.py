"""A made web with topics that lie together: a page on topic links to others on topic far more often than others do."""

from __future__ import annotations

import heapq
import random
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import sqrt

from gossamer.frontier.worth.focus import FAR_LESS
from gossamer.model import Link, Page
from gossamer.topic.features import words
from gossamer.topic.judge import Judge, text_of
from gossamer.topic.link_score import standing

TOPIC = [
    "hive",
    "honey",
    "nectar",
    "queen",
    "swarm",
    "pollen",
    "drone",
    "brood",
    "comb",
    "beekeeper",
    "apiary",
    "wax",
    "larva",
    "forage",
]
OTHERS = [a + b for a in ("car", "tax", "film", "ship", "code", "song", "game") for b in ("ing", "ed", "land", "s")]
COMMON = ["time", "page", "people", "year", "work", "part", "place", "thing", "world", "point", "number", "group"]
DESCRIPTION = "Keeping bees: the hive and its queen, swarms, honey and wax."
SEED = "http://host0.test/0"


@dataclass(frozen=True)
class TopicalWeb:
    """Pages and which of them are on topic."""

    pages: dict[str, Page]
    on_topic: frozenset[str]


def made(
    seed: int, size: int, *, share: float = 0.03, near: float = 0.5, far: float = 0.02, out: int = 8
) -> TopicalWeb:
    """A web of so many pages. Of the links of a page on topic `near` lead to such, of those of others `far`."""
    rng = random.Random(seed)
    urls = [f"http://host{number % 40}.test/{number}" for number in range(size)]
    on = [url for url in urls[1:] if rng.random() < share]
    on_topic = frozenset(on)
    off = [url for url in urls if url not in on_topic]
    pages = {}
    for url in urls:
        targets = [rng.choice(on if rng.random() < (near if url in on_topic else far) else off) for _ in range(8)]
        links = tuple(Link(target, _anchor(rng, target in on_topic)) for target in targets)
        text = " ".join(_words(rng, url in on_topic, 80))
        pages[url] = Page(url=url, title=f"page {url[-4:]}", text=text, links=links)
    return TopicalWeb(pages, on_topic)


def _words(rng: random.Random, on: bool, count: int) -> Iterable[str]:
    for _ in range(count):
        draw = rng.random()
        yield rng.choice(TOPIC if draw < (0.15 if on else 0.02) else COMMON if draw < 0.5 else OTHERS)


def _anchor(rng: random.Random, on: bool) -> str:
    return rng.choice(TOPIC) if on and rng.random() < 0.4 else rng.choice((*COMMON, *OTHERS))


def harvest(web: TopicalWeb, visited: Iterable[str]) -> float:
    """The part of the pages visited that are on topic."""
    visited = list(visited)
    return sum(url in web.on_topic for url in visited) / len(visited)


def breadth_first(web: TopicalWeb, most: int) -> list[str]:
    seen, queue, visited = {SEED}, deque([SEED]), list[str]()
    while queue and len(visited) < most:
        visited.append(url := queue.popleft())
        for link in web.pages[url].links:
            if link.url not in seen:
                seen.add(link.url)
                queue.append(link.url)
    return visited


def best_first(
    web: TopicalWeb,
    most: int,
    scores: Callable[[str], Iterable[tuple[str, float]]],
    again: Callable[[str], float | None] = lambda url: None,
) -> list[str]:
    """Visit what has the best score so far; `scores` gives what a page says of those that it links to, and `again` what
    is known by now of one whose turn it is."""
    heap, best, visited, number = [(0.0, 0, SEED)], {SEED: 1.0}, dict[str, None](), 0
    while heap and len(visited) < most:
        score, _, url = heapq.heappop(heap)
        if url in visited:
            continue
        now = again(url)
        if now is not None and FAR_LESS * now < -score:
            number += 1
            heapq.heappush(heap, (-now, number, url))
            continue
        visited[url] = None
        for target, score in scores(url):
            if target not in visited and score > best.get(target, -1.0):
                number += 1
                best[target] = score
                heapq.heappush(heap, (-score, number, target))
    return list(visited)


def by_cosine(web: TopicalWeb, most: int, topic: str) -> list[str]:
    """Each link is worth as much as its page is like the topic."""
    wanted = Counter(words(topic))

    def scores(url: str) -> Iterable[tuple[str, float]]:
        page = web.pages[url]
        alike = _cosine(Counter(words(page.text)), wanted)
        return ((link.url, alike) for link in page.links)

    return best_first(web, most, scores)


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    both = sum(count * other[word] for word, count in one.items())
    return both / sqrt(sum(c * c for c in one.values()) * sum(c * c for c in other.values()))


def by_judge(web: TopicalWeb, most: int, judge: Judge) -> list[str]:
    """As a crawl with a topic does it, without hosts that have to rest."""
    promised = {SEED: (0.1, 0)}

    def scores(url: str) -> Iterable[tuple[str, float]]:
        page = web.pages[url]
        score, _ = judge.page(page)
        judge.learn(page, score)
        stands = standing(score, *promised[url])
        for link in page.links:
            promise = judge.link(link, stands)
            if promise > promised.get(link.url, (0.0, 0))[0]:
                promised[link.url] = promise, stands.steps
            yield link.url, promise

    return best_first(web, most, scores, judge.links.again)


def examples(web: TopicalWeb, count: int = 5) -> list[str]:
    """What some pages on topic say."""
    return [text_of(web.pages[url]) for url in sorted(web.on_topic)[:count]]
