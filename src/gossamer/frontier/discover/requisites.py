"""What does a page need besides itself, and how far is that followed?

Pictures, styles and scripts are entries like pages, of a kind of their own, so that all that holds for pages holds for
them: one queue for each origin and its delay, robots.txt, retries, shards, kills. They come before pages, because a
page is not whole without them, and they are asked for where a limit of pages is reached. A browser that renders a page
wants its scripts at once and cannot wait for a queue: see `polite/browser_requests`. What it was given is kept in the
same way.

They may be anywhere on the web, one hop from the page. What a stylesheet or a frame asks for belongs to the page as
well, so that hop counts by level: the depth of such an entry is how many documents lie between it and its page. Each
level may ask for less than the one before, and a host is asked for so much: a chain of stylesheets that are made up as
they are asked for ends soon.

An address may be both, what a link leads to and what a page needs: a picture, and the link around it. What was fetched
as a page stays one, since all of it is there; what waits is no page any more, unless a frame shows it. Should it turn
out to be a document, it is fetched once more as a page: nobody can hide a page by showing it as a picture.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from gossamer.frontier.discover.discovery import Found, Recent
from gossamer.frontier.entries import REMOVED, Entry, State
from gossamer.frontier.holding import was_fetched
from gossamer.model import Kind, Page, Visit
from gossamer.urls import keys

LEVEL_MOST = (1_000, 300, 100, 30, 10)
"""How many addresses a document of each level may need: a page, its stylesheets, what these import, and so on."""
DEEPER = f"what pages need, more than {len(LEVEL_MOST)} documents deep"
CUT = "cut: length"
"""The reason of a page whose body was not downloaded; see `transitions`, `remark`."""
HOSTS_COUNTED = 50_000
FRAMES = frozenset({"frame", "iframe", "object", "embed"})
_FRAME = 1
"""The hint of what a frame shows, which is a document and may be a page."""
_CODE = frozenset(("css", "js", "mjs", "map", "wasm"))
_PICTURES = (
    "apng",
    "avif",
    "bmp",
    "cur",
    "gif",
    "ico",
    "jfif",
    "jpe",
    "jpeg",
    "jpg",
    "jxl",
    "png",
    "svg",
    "tif",
    "tiff",
)
_SOUND = ("aac", "flac", "m4a", "mid", "mp3", "oga", "ogg", "opus", "wav", "weba")
_FILM = ("3gp", "avi", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "ogv", "webm")
_FONTS = ("eot", "otf", "ttf", "woff", "woff2")
MEDIA = frozenset((*_PICTURES, "webp", *_SOUND, *_FILM, *_FONTS))
ENDINGS = MEDIA | _CODE
"""How the names of files end that are no pages."""


class Requisites:
    """Says which of them are wanted."""

    def __init__(self, per_host: int) -> None:
        self.recent = Recent()
        """Those that were met lately."""
        self._per_host = per_host
        self._asked: dict[str, int] = {}

    def found(self, visit: Visit, page: Page) -> Iterator[Found]:
        """What a page needs, or what that needs, without what was met lately."""
        level = visit.depth if visit.kind is Kind.RESOURCE else 0
        if level >= len(LEVEL_MOST):
            return
        links = page.requisites[: LEVEL_MOST[level]]
        new = self.recent.unknown((link.url for link in links), level + 1)
        for link in links:
            if link.url in new:
                yield Found(link.url, level + 1, visit.url, Kind.RESOURCE, hint=_FRAME if link.place in FRAMES else 0)

    def refusal(self, found: Found) -> str | None:
        """Why something is left out; None when it may be asked for."""
        if found.depth > len(LEVEL_MOST):
            return DEEPER
        if self._per_host and self._asked.get(keys.host(found.url), 0) >= self._per_host:
            return f"more than {self._per_host:,} requisites of its host"
        return None

    def met_again(self, found: Found, known: Entry) -> Entry:
        """A page needs an address that is known, or a link leads to one that a page needs."""
        return _met_again(found, known)

    def queued(self, url: str) -> None:
        """One more of a host."""
        host = keys.host(url)
        if host not in self._asked and len(self._asked) >= HOSTS_COUNTED:
            self._asked.clear()
        self._asked[host] = self._asked.get(host, 0) + 1


def ending(url: str) -> str:
    """How the name of a file ends, in lower case."""
    name = url.partition("?")[0].rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""


def is_media(url: str) -> bool:
    """Is it a picture, sound or film, by its name?"""
    return ending(url) in MEDIA


def _met_again(found: Found, known: Entry) -> Entry:
    if found.kind is not Kind.RESOURCE:
        return _linked(found, known)
    if known.kind is Kind.RESOURCE:
        return _needed(found, known) if known.state is State.EXCLUDED and known.reason == DEEPER else known
    left_out = known.state is State.EXCLUDED and not known.reason.startswith(REMOVED)
    waits = known.state is State.QUEUED and known.depth > 0 and not was_fetched(known) and found.hint != _FRAME
    unread = known.state is State.DONE and known.depth > 0 and known.reason == CUT and ending(found.url) in ENDINGS
    return _needed(found, known) if known.kind is Kind.PAGE and (left_out or waits or unread) else known


def _needed(found: Found, known: Entry) -> Entry:
    linked = known.linked or (known.kind is Kind.PAGE and known.state is State.QUEUED)
    return replace(
        known,
        state=State.QUEUED,
        kind=Kind.RESOURCE,
        reason="",
        depth=found.depth,
        hops=found.hops,
        referrer=found.referrer,
        attempt=0,
        guess="",
        linked=linked,
        rank=0,
        position=0,
    )


def _linked(found: Found, known: Entry) -> Entry:
    """A link leads to what a page needs."""
    if ending(found.url) in ENDINGS:
        return known
    if known.state is State.QUEUED:
        return known if known.linked else replace(known, linked=True)
    again = known.state is State.EXCLUDED or (known.state is State.DONE and known.document)
    return as_page(known, found.depth, found.referrer) if again else known


def as_page(known: Entry, depth: int, referrer: str | None) -> Entry:
    """It is fetched once more, as the page that it is."""
    return replace(
        known,
        state=State.QUEUED,
        kind=Kind.PAGE,
        reason="",
        depth=depth,
        referrer=referrer,
        attempt=0,
        headed=False,
        status=0,
        etag=None,
        modified=None,
        linked=False,
        document=False,
        rank=0,
        position=0,
    )
