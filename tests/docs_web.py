"""The web of the documentation: example.org and its neighbours, without sockets, on a clock that can be moved.

It has what the pages talk about: a guide, news, a copy, a near copy, broken links, a PDF file, what robots.txt forbids,
and a tomorrow on which some pages are other ones.
"""

# ruff: noqa: E501  # a sentence of a page is a line

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from convert.files.pdf_files import pdf
from gossamer.model import Capture, Failure, Fault, Visit
from gossamer.testing import VirtualClock

LATENCY = 0.08
DAY = 86_400.0
START = 1793507778.0
"""1 November 2026, 04:36:18 UTC: when the readers of the documentation begin."""


class Reply(NamedTuple):
    """What a server says."""

    body: bytes = b""
    status: int = 200
    media_type: str = "text/html; charset=utf-8"
    location: str = ""


MENU = '<nav><a href="/">Home</a> <a href="/guide/">Guide</a> <a href="/news/">News</a></nav>'


def html(title: str, *paragraphs: str, links: Mapping[str, str] | None = None, menu: str = MENU) -> Reply:
    items = "".join(f'<li><a href="{url}">{anchor}</a></li>' for url, anchor in (links or {}).items())
    text = "".join(f"<p>{each}</p>" for each in paragraphs) + (f"<ul>{items}</ul>" if items else "")
    head = f'<!doctype html><html lang="en"><head><title>{title}</title></head>'
    return Reply(f"{head}<body>{menu}<main><h1>{title}</h1>{text}</main></body></html>".encode())


KEYS = (
    "A foreign key is a column whose values are the primary keys of another table, and the database refuses a row that points to nothing.",
    "Write <code>REFERENCES parent (id)</code> behind the column. An index on it makes deletes in the parent table fast, because each of them must look for children.",
    "Decide what a delete does to the children: <b>on delete cascade</b> removes them, on delete restrict refuses, and on delete set null forgets the parent.",
    "Keys that point in a circle are checked when the transaction ends, if they were declared as deferrable, and otherwise at once.",
)
FOREIGN_KEYS = html("Foreign keys", *KEYS, links={"/guide/cascade": "cascades", "/guide/indexes": "indexes"})
PRINTED = html("Foreign keys", *KEYS[:3], KEYS[3].replace("ends", "is over"), links={"/guide/cascade": "cascades"})

EXAMPLE: dict[str, Reply] = {
    "/robots.txt": Reply(b"User-agent: *\nDisallow: /private/\n", media_type="text/plain"),
    "/": html(
        "Heron, a small database",
        "Heron keeps tables in one file and speaks SQL. It is meant for programs that want a database and no server.",
        "Read the guide first; the news tell what has changed since the last release of the library and its tools.",
        links={
            "/guide/": "the guide",
            "/news/": "news",
            "/about": "about us",
            "/private/diary": "diary",
            "/missing": "the old page",
            "/diary.html": "the diary of a release",
            "https://example.net/": "a friend",
            "https://example.net/gone": "a friend who left",
        },
    ),
    "/about": html(
        "About",
        "Heron is made by three people in their evenings. Write to us if you find a mistake, or if you want to help.",
        links={"/moved": "more", "/guide/foreign-keys": "what we are proud of"},
    ),
    "/moved": Reply(status=301, location="/missing"),
    "/diary.html": html(
        "Diary of a release",
        "On the first day we wrote the notes. On the second day we found a mistake in them, and on the third we released it.",
    ),
    "/guide/": html(
        "Guide",
        "The guide has a page for each thing that a table can do, and one book with all of them to print.",
        links={
            "/guide/foreign-keys": "foreign keys",
            "/guide/cascade": "cascades",
            "/guide/indexes": "indexes",
            "/guide/handbook.pdf": "the handbook",
            "/guide/keys": "keys",
            "/print/foreign-keys": "print",
        },
    ),
    "/guide/foreign-keys": FOREIGN_KEYS,
    "/guide/keys": FOREIGN_KEYS,
    "/print/foreign-keys": PRINTED,
    "/guide/cascade": html(
        "Cascades",
        "With on delete cascade a delete in one table removes the rows that point to it, and the rows that point to those.",
        "A cascade is one transaction: either all rows go, or none of them, and a restrict on the way stops all of it.",
        links={"/guide/foreign-keys": "foreign keys", "/guide/triggers": "triggers"},
    ),
    "/guide/indexes": html(
        "Indexes",
        "An index is a sorted copy of some columns. It makes reading fast and writing slower, so make few and measure them.",
    ),
    "/guide/handbook.pdf": Reply(
        pdf([(72, 700, 18, "The handbook of Heron"), (72, 660, 11, "All chapters of the guide, to be printed.")]),
        media_type="application/pdf",
    ),
    "/news/": html(
        "News", "What has happened, the newest first; older years are in the diary.", links={"/news/6": "Six"}
    ),
    "/news/6": html(
        "Heron 6", "The sixth release has cascades, and deletes ten thousand rows in the time of one before."
    ),
}
TOMORROW: dict[str, Reply] = {
    **EXAMPLE,
    "/news/": html(
        "News",
        "What has happened, the newest first; older years are in the diary.",
        links={"/news/7": "Seven", "/news/6": "Six"},
    ),
    "/news/7": html(
        "Heron 7", "The seventh release sorts twice as fast, and its index takes half of the room on the disk."
    ),
    "/guide/indexes": html(
        "Indexes",
        "An index is a sorted copy of some columns. It makes reading fast and writing slower, so make few and measure all.",
        "Since the seventh release an index may leave out rows.",
    ),
}
del TOMORROW["/diary.html"]

FILES = {
    "my-archive/plan.toml": b"disk_pause = 0\ndisk_pause_share = 0\nshards = 1\n",
    "report.pdf": pdf([(72, 700, 18, "Report"), (72, 660, 11, "A year with few mistakes.")]),
    "page.html": b"<title>A page</title><p>Some words of a page that was saved.",
    "cookies.txt": b"# Netscape HTTP Cookie File\nwiki.example.org\tFALSE\t/\tTRUE\t0\tsession\t123\n",
    "questions.txt": b"q1 foreign key cascade\nq2 what is an index\n",
    "judgements.txt": b"q1 0 https://example.org/guide/cascade 2\nq2 0 https://example.org/guide/indexes 2\n",
}
"""What a reader has beside the collection."""


def slow(delay: int, pages: int) -> dict[str, Reply]:
    """A site that asks for a pause between two requests."""
    names = {f"/{number}": str(number) for number in range(1, pages)}
    words = "The page with the number {}, and not much else."
    found = {path: html(f"Page {name}", words.format(name), menu="") for path, name in names.items()}
    rules = Reply(f"User-agent: *\nCrawl-delay: {delay}\n".encode(), media_type="text/plain")
    return {"/robots.txt": rules, "/": html("Numbers", "A page for each number.", links=names, menu=""), **found}


WIKI = {"/": html("wiki.example.org", "The pages of the members.", links={"/logout": "Log out"}, menu="")}
BIRDS = (
    "heron",
    "crane",
    "stork",
    "plover",
    "curlew",
    "avocet",
    "egret",
    "bittern",
    "dunlin",
    "godwit",
    "ruff",
    "snipe",
)
FIND = '<form action="/find"><input type="search" name="q"><select name="order"><option value="">Any order<option>waders<option>herons<option>others</select><button>Search</button></form>'
BASKET = '<form action="/basket"><select name="bird"><option>heron<option>crane</select></form>'


def birds(path: str, query: str) -> Reply:
    """A small database: the birds have no links, one has to ask."""
    asked = dict(parse_qsl(query))
    if path == "/find":
        order = asked.get("order", "")
        found = [
            name
            for number, name in enumerate(BIRDS)
            if (not order or ("waders", "herons", "others")[number % 3] == order) and asked.get("q", "") in name
        ]
        return html(
            "Results",
            FIND,
            links={f"/bird/{name}": f"The {name}" for name in found if any(asked.values())},
            menu="",
        )
    if path.removeprefix("/bird/") in BIRDS:
        return html(path.removeprefix("/bird/"), f"All about the {path.removeprefix('/bird/')}.", menu="")
    if path == "/":
        return Reply(
            html("Birds", "A book of birds that wade, with a heron on its cover.", menu="").body
            + (FIND + BASKET).encode()
        )
    return Reply(b"<title>Not found</title><p>There is nothing here.", 404)


OTHERS = {"example.net": slow(20, 12), "example.com": slow(10, 12), "wiki.example.org": WIKI}


@dataclass
class DocsWeb:
    """Answers for example.org and its neighbours; other hosts have one page each."""

    clock: VirtualClock
    is_tomorrow: bool = False

    def pass_a_day(self) -> None:
        self.is_tomorrow = True
        self.clock.advance(DAY)

    def reply(self, url: str) -> Reply:
        parts = urlsplit(url)
        example = TOMORROW if self.is_tomorrow else EXAMPLE
        host = parts.hostname or ""
        if host == "birds.example.com":
            return birds(parts.path, parts.query)
        site = (
            example
            if host == "example.org"
            else OTHERS.get(host) or {"/": html(host, f"The only page of {host}.", menu="")}
        )
        return site.get(parts.path, Reply(b"<title>Not found</title><p>There is nothing here.", 404))

    async def fetch(self, visit: Visit) -> Capture:
        began = self.clock.wall()
        await asyncio.sleep(LATENCY)
        if (urlsplit(visit.url).hostname or "").endswith(".invalid"):
            return Capture(visit, began, LATENCY, failure=Failure(Fault.NO_SUCH_HOST))
        reply = self.reply(visit.url)
        fields = [("content-type", reply.media_type), ("content-length", str(len(reply.body)))]
        fields += [("location", reply.location)] if reply.location else []
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
        head = f"HTTP/1.1 {reply.status} X\r\n{lines}\r\n".encode()
        request = f"{visit.method} / HTTP/1.1\r\n\r\n".encode()
        body = b"" if visit.method == "HEAD" else reply.body
        return Capture(
            visit, began, LATENCY, reply.status, tuple(fields), request, head, body, body, address="192.0.2.1"
        )
