"""Which addresses of the collection may be meant by one that is not in it?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import chain, islice, product
from urllib.parse import urlsplit, urlunsplit

from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.errors import InvalidURL
from gossamer.frontier.ledger import Ledger
from gossamer.model import URL
from gossamer.urls import keys
from gossamer.urls.paths import canonical
from gossamer.urls.seeds import address, as_seed

ABOVE_MOST = 5
"""Folders above an address that are tried."""
BESIDE_MOST = 1_000
"""Addresses in the same folder that are looked at."""
NAME_MOST = 200
"""Characters of a name that may be a slip for another."""
SEEDS_MOST = 20
"""Whose hosts may be meant."""
_ALIKE = 0.7
_ALIKE_HOST = 0.85
_NAMED = 3
"""Of those, and in a message."""


def near(readers: ShardReaders, url: URL, seeds: Iterable[str] = ()) -> list[URL]:
    """Those that are there, the likeliest first."""
    same = (*_there(readers, _variants(url)), *_beside(readers, url))
    found = dict.fromkeys((*same, *_of_seeds(readers, url, seeds), *_there(readers, _above(url))))
    found.pop(url, None)
    return list(found)


def below(readers: ShardReaders, path: str, seeds: Iterable[str]) -> list[URL]:
    """Those with a path on the hosts of some seeds."""
    origins = dict.fromkeys(keys.origin(url) for url in map(_as_url, islice(seeds, SEEDS_MOST)) if url)
    wanted = (_variants(f"{origin}/{path.lstrip('/')}") for origin in origins)
    return list(_there(readers, chain.from_iterable(wanted)))


def _of_seeds(readers: ShardReaders, url: URL, seeds: Iterable[str]) -> list[URL]:
    """The same path where the name of the host is a slip for that of a seed; or the host is no host but a folder."""
    place, rest = (urlsplit(url).netloc, url.partition("://")[2])
    path = rest[len(place) :]
    hosts = {urlsplit(known).netloc: known for known in map(_as_url, islice(seeds, SEEDS_MOST)) if known}
    if place in hosts:
        return []
    alike = [hosts[each] for each in get_close_matches(place, hosts, 1, _ALIKE_HOST)]
    return [*below(readers, path, alike), *below(readers, rest, hosts.values())]


def _as_url(seed: str) -> URL | None:
    with suppress(InvalidURL):
        return address(as_seed(seed))
    return None


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
    folder = url.partition("?")[0].rstrip("/").rpartition("/")[0] + "/"
    name = url[len(folder) :].rstrip("/")
    if len(name) > NAME_MOST:
        return []
    rows = islice(Ledger(readers.of(url).table).all(keys.row_prefix(folder)), BESIDE_MOST)
    place = folder.partition("://")[2]
    names = {each.partition("://")[2].removeprefix(place).rstrip("/"): each for each, _ in rows}
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
