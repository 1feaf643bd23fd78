"""A site that says what attackers write wherever a site says something: as titles, addresses, anchors, text, fields of
forms, headers, media types and robots.txt."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

from payloads import PAYLOADS

import gossamer
from gossamer.collection import Outside
from gossamer.model import Capture, Visit
from gossamer.testing import VirtualClock

HARMLESS = [f"harmless{number}" for number in range(len(PAYLOADS))]
HOST = "http://hostile.example"
LANGUAGE = "the harbour has ships and boats that wait for a good wind in the morning while people walk along the water"


def prose(number: int) -> str:
    draw = random.Random(number)
    return " ".join(draw.choice((*LANGUAGE.split(), f"word{number}x{draw.randrange(50)}")) for _ in range(60))


@dataclass
class Site:
    """A page for each payload, with a picture that is none, a file of such a type, and a broken link beside them."""

    clock: VirtualClock
    payloads: Sequence[str]

    def page(self, number: int) -> str:
        said = escape(self.payloads[number])
        nearby = ((number + step) % len(self.payloads) for step in (1, 2, 3))
        links = "".join(f'<p><a href="{escape(self.address(each))}">name {said}</a>' for each in nearby)
        gone = f'<p><a href="/gone/{number}?q={said}">gone {said}</a>'
        head = f'<title>{said}</title><meta name=author content="Ann {said}">'
        main = f"<main><p>{prose(number)} {said} {prose(number + 1_000)}</p></main>"
        control = f'<input name="{said}" value="{said}"><select name="of {said}"><option value="{said}">{said}</select>'
        form = f'<form action="/find?of={said}">{control}<button name="{said}">{said}</button></form>'
        return f"<!doctype html><html lang=en>{head}{main}<nav>{links}{gone}</nav>{form}"

    def home(self) -> str:
        links = (
            f'<li><a href="{escape(self.address(each))}">to {each}</a> <a href="/typed/{each}">typed</a>'
            for each in range(len(self.payloads))
        )
        return f"<title>Home</title><ul>{''.join(links)}"

    def address(self, number: int) -> str:
        return f"/p/{number}?q={self.payloads[number].replace('#', '%23')}"

    async def fetch(self, visit: Visit) -> Capture:
        await asyncio.sleep(0.01)
        path = urlsplit(visit.url).path
        numbered = re.fullmatch("/(p|gone|typed)/([0-9]+)", path)
        kind, number = (numbered[1], int(numbered[2])) if numbered else (path, 0)
        said = self.payloads[number]
        status, media_type, body = self._answer(kind, number)
        fields = (("content-type", media_type), ("x-said", said), ("server", said))
        data = body.encode()
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
        head = f"HTTP/1.1 {status} {said}\r\n{lines}\r\n".encode()
        sent = tuple((name, value.encode().decode("latin-1")) for name, value in fields)
        came = Capture(visit, self.clock.wall(), 0.01, status, sent, b"GET /", head, data, data)
        return replace(came, rendered=data, screenshot=data) if kind == "p" else came

    def _answer(self, kind: str, number: int) -> tuple[int, str, str]:
        """Status, media type and body."""
        said = self.payloads[number]
        answers = {
            "p": (200, f"text/html; x={said}", self.page),
            "typed": (200, said, prose),
            "/": (200, f"text/html; x={said}", lambda _: self.home()),
            "/robots.txt": (200, said, lambda _: self.robots()),
        }
        status, media_type, body = answers.get(kind, (404, said, lambda _: said))
        return status, media_type, body(number)

    def robots(self) -> str:
        return "User-agent: *\n" + "".join(f"# {each}\nDisallow: /x/{each}\n" for each in self.payloads)


def made(folder: Path, payloads: Sequence[str]) -> Path:
    clock = VirtualClock()
    site = Site(clock, payloads)
    collection = gossamer.open(folder)
    clock.run(collection.crawl_async(f"{HOST}/", outside=Outside(clock, site.fetch), shards=1, delay=0.1))
    collection.close()
    return folder
