"""A made web in which it is known which pages ought to be found: planted authorities, and farms that imitate them.

Each topic is two words. Its authority is a home page that does not use them at all; many sites link to it and call it
by them. Beside it lies a guide that does use them. Blogs mention topics in passing. A farm is a few sites whose pages
are stuffed with the words and link to each other, and to which nobody else links but one careless blog.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from gossamer.model import Capture, Kind, Visit
from gossamer.testing.prose import paragraphs, prose

AUTHORITY, GUIDE = 3.0, 2.0
"""Grades of pages; all others are worth nothing."""
_BLOGS, _POSTS, _FARMS, _FARMED = 24, 4, 3, 6


@dataclass(frozen=True)
class PlantedWeb:
    """Pages by address, questions by name, and for each question the grades of pages."""

    seed: str
    pages: dict[str, str] = field(default_factory=dict)
    questions: dict[str, str] = field(default_factory=dict)
    judgements: dict[str, dict[str, float]] = field(default_factory=dict)

    async def fetch(self, visit: Visit) -> Capture:
        """The answer of this web, without a network."""
        asked, began = b"GET / HTTP/1.1\r\n\r\n", 1_790_000_000.0
        if visit.kind is not Kind.PAGE or visit.url not in self.pages:
            return Capture(visit, began, 0.01, 404, (), asked, b"HTTP/1.1 404 Not Found\r\n\r\n")
        body = self.pages[visit.url].encode()
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"
        return Capture(visit, began, 0.01, 200, (("content-type", "text/html"),), asked, head, body, body)


def planted(topics: int = 12, seed: int = 5) -> PlantedWeb:
    """Make one; the same for the same numbers."""
    random, web = Random(seed), PlantedWeb("http://hub.test/")
    names = [f"{first} {second}" for first, second in _pairs(random, topics)]
    for number, name in enumerate(names):
        web.pages.update(_authority(number, name, seed))
        web.pages.update(_farm(number, name, random, seed))
        web.questions[f"t{number}"] = name
        web.judgements[f"t{number}"] = {_home(number): AUTHORITY, f"{_home(number)}guide": GUIDE}
    for blog in range(_BLOGS):
        web.pages.update(_blog(blog, names, random, seed))
    web.pages[web.seed] = _page("Hub", "All there is.", [(url, url) for url in web.pages])
    return web


def _pairs(random: Random, count: int) -> Iterator[tuple[str, str]]:
    nouns = random.sample(prose(0).nouns[:120], 2 * count)
    return zip(nouns[::2], nouns[1::2], strict=True)


def _home(number: int) -> str:
    return f"http://t{number}.test/"


def _authority(number: int, name: str, seed: int) -> dict[str, str]:
    guide = f"{_home(number)}guide"
    said = f"What is known of the {name}. {_text(30, seed, 'guide', number)} The {name} is described here in full."
    return {
        _home(number): _page("Welcome", "We are glad that you found us. Come in and look around.", [(guide, "Start")]),
        guide: _page(f"Guide to the {name}", said, [(_home(number), "Home")]),
    }


def _farm(number: int, name: str, random: Random, seed: int) -> dict[str, str]:
    """Every page links to the first of every site, and praises it."""
    sites = [f"http://farm{number}x{site}.test/" for site in range(_FARMS)]
    praised = [(site, name) for site in sites]
    stuffed = f"{name} " * 12
    return {
        f"{site}{page or ''}": _page(name.title(), f"{stuffed}{_text(20, seed, site, page)} {name}.", praised)
        for site in sites
        for page in range(_FARMED)
    }


def _blog(number: int, names: list[str], random: Random, seed: int) -> dict[str, str]:
    """Posts that mention a topic, some with a link to those who know about it."""
    home = f"http://blog{number}.test/"
    posts = {}
    for post in range(_POSTS):
        topic = random.randrange(len(names))
        links = [(_home(topic), random.choice((names[topic], f"the {names[topic]} society", "this")))]
        links += [(f"{_home(topic)}guide", f"{names[topic]} guide")] * (random.random() < 0.4)
        links += [(f"http://farm{topic}x0.test/", names[topic])] * (number == 0)
        said = f"{_text(60, seed, home, post)} Yesterday I saw a {names[topic]}. {_text(40, seed, home, post, 'end')}"
        posts[f"{home}{post}"] = _page(f"Day {post}", said, [*links, (home, "All days")])
    posts[home] = _page(f"Diary {number}", _text(40, seed, home), [(url, f"Day {url[-1]}") for url in posts])
    return posts


def _text(words: int, seed: int, *key: object) -> str:
    made = prose(seed)
    return " ".join(paragraphs(made.sentences(words, made.topic(0), *key)))


def _page(title: str, text: str, links: list[tuple[str, str]]) -> str:
    listed = " ".join(f'<a href="{url}">{words}</a>' for url, words in links)
    return f"<!DOCTYPE html><html lang=en><title>{title}</title><h1>{title}</h1><p>{text}</p><p>{listed}</p>"
