"""What do the examples of a topic say? Files are read here; pages are taken from the collection, or fetched beside it.

A page that is fetched for its words alone is fetched as any other, with its robots.txt, its delay and the guard.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from gossamer import convert
from gossamer.collection.ask.reading import Reading
from gossamer.errors import GossamerError, NotFound, UsageError
from gossamer.plan import Plan
from gossamer.topic.judge import text_of
from gossamer.urls.seeds import address

Beside = Callable[[list[str], dict[str, Any]], AbstractAsyncContextManager[Reading]]
"""Fetches pages by some settings into a collection of their own, which is gone afterwards."""
FILE_MOST = 32 << 20
"""Bytes of an example."""
HOPS = 10
"""Redirects that are followed to an example."""
ALONE: dict[str, Any] = {"scope": "page", "shards": 1, "build": False, "sitemaps": "never", "patience": 5.0}
"""Settings with which examples are fetched: they alone, and nobody waits for what does not answer."""
_LIKE = ("allow_addresses", "proxy", "ca_file", "contact", "delay", "ip_delay", "names")
"""Settings of the crawl that hold for its examples too."""


def file_text(path: Path) -> str:
    """What a file says that is an example; a folder has no words."""
    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: an example of the topic is a file")
    try:
        with path.open("rb") as file:
            data = file.read(FILE_MOST)
    except OSError as error:
        raise UsageError(f"{path}: an example of the topic cannot be read ({error.strerror})") from error
    return text_of(convert.document(data, media_type=mimetypes.guess_type(path.name)[0]))


async def page_texts(collection: Reading, urls: list[str], beside: Beside, plan: Plan) -> Mapping[str, str]:
    """What pages say that are examples: those of the collection as they are there, the others as they are now."""
    known = {url: text for url in urls if (text := _text(collection, url))}
    missing = [url for url in urls if url not in known]
    if not missing:
        return known
    settings = {name: getattr(plan, name) for name in _LIKE}
    try:
        async with beside(missing, {**ALONE, **settings}) as fetched:
            return known | {url: text for url in missing if (text := _text(fetched, url))}
    except GossamerError:
        return known  # each that is missing is counted by who asked


def _text(collection: Reading, url: str) -> str:
    try:
        where = address(url)
        for _ in range(HOPS):
            target = getattr(collection.why(where), "target", None)
            if not target:
                break
            where = target
        return text_of(collection.page(where).page)
    except (NotFound, GossamerError):
        return ""
