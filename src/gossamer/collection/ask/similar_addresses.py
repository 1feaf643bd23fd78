"""Which addresses of the collection may be meant by one that is not in it?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import islice, product
from urllib.parse import urlsplit, urlunsplit

from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.errors import InvalidURL
from gossamer.frontier.ledger import Ledger
from gossamer.model import URL
from gossamer.urls import keys
from gossamer.urls.paths import canonical

ABOVE_MOST = 5
"""Folders above an address that are tried."""
BESIDE_MOST = 1_000
"""Addresses in the same folder that are looked at."""
NAME_MOST = 200
"""Characters of a name that may be a slip for another."""
_ALIKE = 0.7
_NAMED = 3
"""Of those, and in a message."""


def near(readers: ShardReaders, url: URL) -> list[URL]:
    """Those that are there, the likeliest first."""
    found = dict.fromkeys((*_there(readers, _variants(url)), *_beside(readers, url), *_there(readers, _above(url))))
    found.pop(url, None)
    return list(found)


def question(urls: Sequence[URL]) -> str:
    """What a message says of them, at its end."""
    meant = [url for url in urls if urlsplit(url).path != "/"]  # the top of a site is above everything
    return f"; is {' or '.join(meant[:_NAMED])} meant?" if meant else ""


def _there(readers: ShardReaders, urls: Iterable[str]) -> Iterator[URL]:
    for each in dict.fromkeys(urls):
        with suppress(InvalidURL):
            url = canonical(each)
            if Ledger(readers.of(url).table).get(url) is not None:
                yield url


def _beside(readers: ShardReaders, url: URL) -> list[URL]:
    """Names in the same folder that are nearly the same."""
    folder = url.partition("?")[0].rpartition("/")[0] + "/"
    name = url[len(folder) :]
    if len(name) > NAME_MOST:
        return []
    rows = islice(Ledger(readers.of(url).table).all(keys.row_prefix(folder)), BESIDE_MOST)
    place = folder.partition("://")[2]
    names = {each.partition("://")[2].removeprefix(place): each for each, _ in rows}
    longer = [each for each in names if name and each.startswith(f"{name}.")]  # `page` for `page.html`
    return [names[each] for each in (*longer[:_NAMED], *get_close_matches(name, names, _NAMED, _ALIKE))]


def _variants(url: str) -> Iterator[str]:
    """By another scheme, with and without `www.`, a slash at the end and a query."""
    parts = urlsplit(url)
    for scheme, host in _places(parts.netloc):
        for path in _paths(parts.path):
            yield urlunsplit((scheme, host, path, parts.query, ""))
            yield urlunsplit((scheme, host, path, "", ""))


def _above(url: str) -> Iterator[str]:
    """The folders above it."""
    parts = urlsplit(url)
    for scheme, host in _places(parts.netloc):
        for path in _folders(parts.path):
            yield urlunsplit((scheme, host, path, "", ""))


def _places(host: str) -> Iterator[tuple[str, str]]:
    other = host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"
    return product(("https", "http"), (host, other))


def _paths(path: str) -> Iterable[str]:
    return (path, path.rstrip("/") or "/", f"{path.rstrip('/')}/")


def _folders(path: str) -> list[str]:
    steps = path.rstrip("/").split("/")[:-1]
    return ["/".join(steps[:number]) + "/" for number in range(len(steps), 0, -1)][:ABOVE_MOST]
