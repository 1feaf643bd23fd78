"""Are feeds, sitemaps and robots.txt read as the suites of others ask?"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

from material import cases, folder
from table import Row, counted

from gossamer.convert.feed import sitemap
from gossamer.robots import parse


def feed_rows() -> Iterator[Row]:
    """The checks of feedparser's own cases that ask for something we keep."""
    from feeds import score

    found = score(folder("feedparser-feeds"))
    yield counted("feeds: feedparser-feeds, what we keep", found.right, found.counted)


def sitemap_rows() -> Iterator[Row]:
    """Is it an index, and how many pages and sitemaps does it name?"""
    found = [_as_expected(case) for case in cases("sitemaps-crawler-commons")]
    yield counted("sitemaps: crawler-commons", sum(found), len(found))


def robots_rows() -> Iterator[Row]:
    """May that agent fetch that address? All cases count, also those on which the suites contradict each other."""
    for name in ("google", "temoto", "protego"):
        asked = json.loads((folder(f"robots-{name}") / "cases.json").read_text("utf-8"))
        right = sum(parse(_body(case)).allows(case["user_agent"], case["url"]) is case["allowed"] for case in asked)
        yield counted(f"robots.txt: {name}", right, len(asked))


def _as_expected(case: dict[str, Any]) -> bool:
    home = folder("sitemaps-crawler-commons")
    body = (home / case["file"]).read_bytes() if "file" in case else case["content"].encode()
    found = sitemap.read(body, case.get("url") or "", case.get("content_type"))
    seen = {"is_index": found.is_index, "url_count": len(found.links), "sitemap_count": len(found.sitemaps)}
    return all(case["expected"].get(name, value) == value for name, value in seen.items())


def _body(case: dict[str, Any]) -> bytes:
    if "robots_base64" in case:
        return base64.b64decode(case["robots_base64"])
    return case["robots"].encode("utf-8", "surrogateescape")
