"""What a shard has found for others that have lost it: its links to their sites are posted again."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from gossamer.collection.maintain.writable_shard import WritableShard
from gossamer.errors import Damaged
from gossamer.frontier.discover.discovery import Found, Recent
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.shards.peers import Peers
from gossamer.model import URL, Capture, Page
from gossamer.store.versions import Version
from gossamer.urls import resolve

BATCH = 500
"""Pages for each commit."""


def repost(bench: WritableShard, peers: Peers, lost: Collection[int]) -> None:
    """Post all that pages of this shard say about the shards that are lost. Sent by the next crawl."""
    recent = Recent()
    for number, (url, version) in enumerate(bench.archive.versions.pages(), 1):
        wanted = (each for each in _found(bench, url, version) if peers.owner(each.url) in lost)
        for _ in peers.ours(wanted, recent):
            pass
        if version.digest and version.copy_of is None and int(version.digest[-8:], 16) % peers.count in lost:
            peers.met(version.digest, url)
        if number % BATCH == 0:
            _commit(bench, peers)
    _commit(bench, peers)


def _commit(bench: WritableShard, peers: Peers) -> None:
    peers.prepare()
    bench.table.commit()


def _found(bench: WritableShard, url: URL, version: Version) -> Iterator[Found]:
    entry = Ledger(bench.table).get(url)
    depth = entry.depth if entry else 0
    try:
        if 300 <= version.status < 400:
            yield from _target(bench.archive.capture(url, version), depth)
        elif 200 <= version.status < 300:
            page = bench.archive.page(url, version) or bench.read(bench.archive.capture(url, version))
            yield from _links(url, page, depth)
    except Damaged:
        return  # named by the check of the archive


def _target(capture: Capture, depth: int) -> Iterator[Found]:
    if said := capture.header("location"):
        yield from (
            Found(target, depth, capture.visit.url, hops=1) for target in resolve([said], capture.visit.url) if target
        )


def _links(url: URL, page: Page, depth: int) -> Iterator[Found]:
    for link in page.links:
        yield Found(link.url, depth + 1, url, followed=not page.nofollow and "nofollow" not in link.rel)
