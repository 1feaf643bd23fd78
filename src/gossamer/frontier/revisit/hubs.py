"""Which hubs tell of changes, by the documents that name them? A row for each of these; see `convert.websub_hub`."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gossamer.frontier.entries import HUBS, URLS, Entry, State, encode, entry
from gossamer.model import Page
from gossamer.rows import decoder
from gossamer.store.table.table import Table
from gossamer.store.versions import GONE
from gossamer.urls import keys


class Subscribable(msgspec.Struct, array_like=True, frozen=True):
    """What a document says of itself."""

    hub: str
    topic: str
    feed: bool = False
    """It is a list of what is new."""


row_of = decoder(Subscribable)


def note(table: Table, url: str, page: Page) -> None:
    """A document came. Part of the next commit."""
    if page.hub is None and table.is_bare(HUBS):  # as it is with most collections
        return
    key = keys.row(url)
    if page.hub is not None:
        is_feed = any(link.place == "feed" for link in page.links)
        table.put(HUBS, key, encode(Subscribable(page.hub, page.topic, is_feed)))
    elif table.get(HUBS, key) is not None:
        table.delete(HUBS, key)


def named(table: Table) -> Iterator[tuple[str, Subscribable]]:
    """Those of the documents that are there, in the order of their addresses."""
    for key, data in table.scan(HUBS):
        row = table.get(URLS, key)
        if row is not None and _is_there(entry(row)):
            yield keys.url_of(key), row_of(data)


def _is_there(found: Entry) -> bool:
    """Who does not answer today may tomorrow; who is gone, was left out or removed will not."""
    return found.state is not State.EXCLUDED and not (found.state is State.FAILED and found.status in GONE)
