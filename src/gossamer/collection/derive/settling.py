"""Which pages tell what the template of a host is? Those that addresses and bytes choose, whatever came first.

While a crawl runs, a page is read with what is known of its host so far. A build goes through the pages host by host,
takes a sample of each, and reads what was not read with the template that the sample gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import nsmallest
from typing import NamedTuple

from gossamer.dedupe.blocks import PAGES_LEAST
from gossamer.model import HTML, URL
from gossamer.store.versions import Version
from gossamer.urls import keys

PAGES_MOST = 64
"""Of a sample: a block on three in ten of all pages is on 13 to 26 of these, nineteen times of twenty."""
_ROOM = 8 * PAGES_MOST
"""Pages that are held while a host is looked at."""


class Sampled(NamedTuple):
    """A page of a sample."""

    order: int
    url: URL
    version: Version


def has_template(version: Version) -> bool:
    """Is it a page whose blocks are looked at?"""
    return version.media_type in HTML


def sample(versions: Iterable[tuple[URL, Version]]) -> list[Sampled]:
    """Of the pages of a host, by their last versions; none where there are too few to tell. Copies count once."""
    found: dict[str, Sampled] = {}
    last = None
    for url, version in versions:
        if url == last or not has_template(version):
            continue
        last = url
        page = Sampled(keys.fingerprint(url), url, version)
        before = found.get(version.digest)
        if before is None or page.order < before.order:
            found[version.digest] = page
        if len(found) > _ROOM:
            found = {page.version.digest: page for page in nsmallest(PAGES_MOST, found.values())}
    chosen = nsmallest(PAGES_MOST, found.values())
    return chosen if len(chosen) >= PAGES_LEAST else []


def name_of(pages: Sequence[Sampled]) -> int:
    """Tells a sample from others; 0 for an empty one."""
    if not pages:
        return 0
    return keys.digest("\n".join(f"{page.url} {page.version.digest}" for page in pages).encode())
