"""Small collections that are made for the views, and a browser without windows that asks for them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

import gossamer
from docs_web import START, DocsWeb
from gossamer.collection import Outside
from gossamer.testing import VirtualClock
from gossamer.web.app import make
from gossamer.web.safety import Access, local_names

SITE = "https://example.org"


def heron(folder: Path) -> Path:
    """The site of the documentation, crawled on two days."""
    clock = VirtualClock(START)
    web = DocsWeb(clock)
    collection = gossamer.open(folder)
    outside = Outside(clock, web.fetch)
    clock.run(collection.crawl_async(f"{SITE}/", outside=outside, shards=1))
    web.pass_a_day()
    clock.run(collection.crawl_async(outside=outside, revisit=True))
    collection.close()
    return folder


@contextmanager
def client(path: Path) -> Iterator[TestClient]:
    """Asks the server of a collection, without a socket."""
    with TestClient(make(path, Access(local_names()))[0], base_url="http://localhost") as asking:
        yield asking


def elements(html: str) -> Counter[tuple[str, ...]]:
    """How often each element is there, with the names of its attributes, as an HTML5 parser sees it."""
    tree = LexborHTMLParser(html)
    assert tree.root is not None
    return Counter((node.tag or "", *sorted(node.attributes)) for node in tree.root.traverse(include_text=False))


def words(html: str) -> str:
    """What a person reads in the main part of a view."""
    found = LexborHTMLParser(html).css_first("main")
    assert found is not None
    return re.sub(" +([.,:;])", r"\1", " ".join(found.text(separator=" ").split()))
