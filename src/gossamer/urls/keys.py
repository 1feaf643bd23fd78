"""The names an address has inside: its host, its row, its fingerprint, its shard.

All of these take canonical addresses (see `normalize`), so that plain string cuts are enough and
no parser is needed. A host is written as it stands in the address: an IPv6 literal keeps its
brackets, a port is not part of it.

A row key is the address in SURT order, `com,example,www)/path?query https`: host labels from right
to left, so that a sorted table keeps the pages of a host together, and the hosts of a domain. Other
writers of SURT put a port before the bracket; then `www1` would stand between `www` and `www:8080`.
We put it after the bracket. The characters up to the comma sort before it and may stand in a host
name, so there they are escaped: nothing foreign comes between a domain and its subdomains.

Hashes are XXH3 by xxhash: the fastest of good quality, and the same on every machine.
"""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import unquote

import xxhash

from gossamer import rows
from gossamer.errors import Damaged
from gossamer.lazy import pattern
from gossamer.model import URL

_BELOW_COMMA = pattern(r"[!-,]")
_SHAPE = pattern(r"(?:(?:file|data|zip|tar)://|[a-z][a-z0-9+.-]*://[^/]+)/")


def is_shaped(text: str) -> bool:
    """Can it be cut as all here is? For what comes from files that a stranger may have made."""
    return _SHAPE.match(text) is not None


def host(url: URL) -> str:
    """The host of a canonical address, without the port."""
    try:
        place = url.split("/", 3)[2]
    except IndexError:
        raise _no_address(url) from None
    return _split_port(place)[0] if ":" in place else place


def authority(url: URL) -> str:
    """The host of a canonical address, with the port where it is not the default one."""
    try:
        return url.split("/", 3)[2]
    except IndexError:
        raise _no_address(url) from None


def origin(url: URL) -> str:
    """Scheme, host and port: what one robots.txt speaks for."""
    try:
        scheme, _, place, _ = url.split("/", 3)
    except ValueError:
        raise _no_address(url) from None
    return f"{scheme}//{place}"


def is_address(host: str) -> bool:
    """Whether a host is an IP literal. Only IPv4 addresses end in a number: the parser sees to it."""
    return host.startswith("[") or host.rpartition(".")[2].isdecimal()


def row(url: URL) -> bytes:
    """The row key of a canonical address; no two addresses share one."""
    try:
        scheme, _, place, rest = url.split("/", 3)
    except ValueError:
        raise _no_address(url) from None
    return f"{_row_place(place)}/{rest} {scheme[:-1]}".encode()


def url_of(row: bytes) -> URL:
    """The address whose row key this is."""
    place_and_path, _, scheme = rows.text(row).rpartition(" ")
    labels, _, rest = place_and_path.partition(")")
    url = f"{scheme}://{_from_labels(labels)}{rest}"
    if _SHAPE.match(url) is None:
        raise _no_address(url)
    return url


def url_in(row: bytes) -> URL:
    """An address that stands in a row as it is."""
    url = rows.text(row)
    if _SHAPE.match(url) is None:
        raise _no_address(url)
    return url


def origin_in(row: bytes) -> str:
    """The same for scheme, host and port."""
    return url_in(row + b"/")[:-1]


def host_prefix(host: str) -> bytes:
    """What the row keys of this host begin with, on every port, and those of no other host."""
    return f"{_to_labels(host)})".encode()


def row_prefix(start: str) -> bytes:
    """What the row keys of all addresses begin with that begin like this; nothing when it ends before the path."""
    parts = start.split("/", 3)
    return f"{_row_place(parts[2])}/{parts[3]}".encode() if len(parts) == 4 else b""


def fingerprint(url: URL) -> int:
    """64 bits that stand for the address where millions are remembered."""
    return xxhash.xxh3_64_intdigest(url.encode())


def digest(data: bytes) -> int:
    """64 bits that stand for bytes of any length."""
    return xxhash.xxh3_64_intdigest(data)


def shard(site: str, shards: int) -> int:
    """Which of `shards` slices a site belongs to; the same in every process and every year."""
    return xxhash.xxh3_64_intdigest(site.encode()) % shards


def _no_address(text: str) -> Damaged:
    """Addresses of people and of pages are parsed before they come here, so it is a row that somebody else has made."""
    return rows.damaged("address", repr(text[:100]))


@lru_cache(maxsize=65_536)
def _row_place(authority: str) -> str:
    host, port = _split_port(authority)
    return f"{_to_labels(host)}){port}"


def _split_port(authority: str) -> tuple[str, str]:
    if ":" not in authority or authority.endswith("]"):
        return authority, ""
    host, colon, port = authority.rpartition(":")
    return host, colon + port


def _to_labels(host: str) -> str:
    if is_address(host):
        return host
    escaped = _BELOW_COMMA.sub(lambda found: f"%{ord(found[0]):02X}", host)
    return ",".join(reversed(escaped.split(".")))


def _from_labels(labels: str) -> str:
    return unquote(".".join(reversed(labels.split(","))))
