"""A site that is written to waste a crawler's time: real pages among calendars, filters, echoes and session ids.

Unlike the made web it looks like a shop: every page has the menu, lists show goods that exist, and session ids are
in the addresses of the real pages, too. It serves itself, without sockets.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from html import escape
from itertools import count
from urllib.parse import parse_qsl, urlencode, urlsplit

from gossamer.model import Capture, Visit

HOME = "http://shop.example/"
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
FACETS = {
    "colour": ["red", "green", "blue", "black", "white"],
    "size": ["small", "medium", "large"],
    "maker": ["acme", "zorg", "ikarus"],
    "order": ["price", "name", "newest"],
    "material": ["wood", "steel"],
}
SECTIONS = ["intro", "guide", "faq", "about", "team"]
GOODS = 200


@cache
def prose(seed: str, words: int) -> str:
    """Words that no other seed has in this order."""
    draw = random.Random(seed)
    return " ".join("".join(draw.choices("bdfgklmnprst", k=2)) + draw.choice("aeiou") for _ in range(words))


@dataclass
class TrapSite:
    """Counts which of its real pages were shown at which request."""

    real: int = 500
    path: str = "/articles/{}-{}"
    sessions: bool = False
    inventive: bool = False
    """Its traps say something new every time."""
    shown: dict[int, int] = field(default_factory=dict)
    """When each real page was shown first."""
    requests: int = 0
    _ids: Iterable[int] = field(default_factory=count)

    async def fetch(self, visit: Visit) -> Capture:
        """Takes the place of a real fetcher."""
        await asyncio.sleep(0.01)
        self.requests += 1
        page = self._page("/" + visit.url.split("/", 3)[3])
        body = (page or "<title>Not found</title>").encode()
        headers = (("content-type", "text/html; charset=utf-8"),)
        return Capture(visit, 0.0, 0.01, 200 if page else 404, headers, body=body, wire=body)

    def within(self, requests: int) -> int:
        """Real pages that were shown among the first so many requests."""
        return sum(first <= requests for first in self.shown.values())

    def address(self, number: int) -> str:
        return self.path.format(prose(f"slug {number}", 3).replace(" ", "-"), number) if number else "/"

    def _page(self, target: str) -> str | None:
        parts = urlsplit(target)
        chosen = {key: value for key, value in parse_qsl(parts.query) if key != "sid"}
        if parts.path == "/calendar":
            return self._calendar(chosen)
        if parts.path == "/shop":
            return self._shop(chosen)
        if parts.path.startswith("/docs/"):
            return self._docs(parts.path)
        return self._article(parts.path + (f"?{urlencode(chosen)}" if chosen else ""))

    def _article(self, target: str) -> str | None:
        number = 0 if target == "/" else int(target.rpartition("-")[2]) if target[-1:].isdigit() else -1
        if not 0 <= number < self.real or self.address(number) != target:
            return None
        self.shown.setdefault(number, self.requests)
        near = [*range(4 * number + 1, min(4 * number + 5, self.real)), number * 7 % self.real]
        links = [(f"Article {other}", self.address(other)) for other in near]
        return self._html(f"Article {number}", [prose(f"article {number}", 120)], links)

    def _calendar(self, chosen: dict[str, str]) -> str:
        year, month, day = (int(chosen.get(key, 1)) for key in ("year", "month", "day"))
        steps = ((0, 0, 1), (0, 1, 0), (1, 0, 0), (-1, 0, 0))
        links = [
            ("more", f"/calendar?year={year + y}&month={(month - 1 + m) % 12 + 1}&day={(day - 1 + d) % 28 + 1}")
            for y, m, d in steps
        ]
        said = prose(f"{year} {month} {day}", 80) if self.inventive else "Nothing happens."
        return self._html(f"{MONTHS[(month - 1) % 12]} {day}, {year}", [*map(str, range(1, 29)), said], links)

    def _shop(self, chosen: dict[str, str]) -> str:
        draw = random.Random(str(sorted((key, value) for key, value in chosen.items() if key != "order")))
        goods = [prose(f"goods {number}", 3) for number in sorted(draw.sample(range(GOODS), 12))]
        links = [
            (value, "/shop?" + urlencode({**chosen, name: value}))
            for name, values in FACETS.items()
            if name not in chosen
            for value in values
        ]
        links.append(("next", "/shop?" + urlencode({**chosen, "page": str(int(chosen.get("page", "1")) + 1)})))
        said = [prose(str(chosen), 80)] if self.inventive else []
        return self._html("Shop " + " ".join(chosen.values()), goods + said, links)

    def _docs(self, path: str) -> str:
        base = path if path.endswith("/") else f"{path}/"
        last = base.split("/")[-2]
        said = prose(path if self.inventive else last, 80)
        return self._html(
            f"About {last}", [said, f"You are at {path}"], [(name, f"{base}{name}/") for name in SECTIONS]
        )

    def _html(self, title: str, said: list[str], links: list[tuple[str, str]]) -> str:
        menu = [
            ("Home", "/"),
            ("Shop", "/shop"),
            ("Calendar", "/calendar?year=2024&month=5&day=1"),
            ("Docs", "/docs/intro/"),
        ]
        frame = "".join(f"<div>{prose(f'frame {line}', 6)}</div>" for line in range(20))
        told = "".join(f"<p>{escape(text)}</p>" for text in said)
        shown = "".join(f'<li><a href="{escape(self._link(to))}">{text}</a></li>' for text, to in menu + links)
        return f"<title>{title}</title>{frame}<h1>{title}</h1>{told}<ul>{shown}</ul>"

    def _link(self, to: str) -> str:
        if not self.sessions:
            return to
        session = random.Random(next(iter(self._ids))).getrandbits(64)
        return f"{to}{'&' if '?' in to else '?'}sid={session:016x}"
