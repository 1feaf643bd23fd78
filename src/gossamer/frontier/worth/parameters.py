"""Which query keys change nothing? Session ids and the like are learned from what pages say, and left out of addresses.

The question of DUST (Bar-Yossef, Keidar, Schonfeld, WWW 2007): which parts of an address can be dropped without
changing the page? Their rules are mined from lists of addresses; ours are about keys only, and are learned as the crawl
goes. For every kind of path the last pages are compared. Two pages with the same text speak for all keys in which they
differ. Two with another text speak against a key when they differ in nothing else but keys that are under suspicion
already. A key is dropped when nearly all pairs speak for it and a page without it has been seen to say the same.

One address in a hundred keeps its keys, and its page is compared again; a rule that no longer holds ends. A path
parameter (`;jsessionid=`) is a key like any other; its name begins with the semicolon.
"""

from __future__ import annotations

from collections.abc import Collection
from zlib import crc32

import msgspec

from gossamer.frontier.entries import PARAMETERS
from gossamer.frontier.rows import Rows, host_key
from gossamer.frontier.worth.url_patterns import script
from gossamer.rows import decoder
from gossamer.store.table.table import Table
from gossamer.urls import keys

PAIRS = 10
"""Pairs that must speak for a key before it is dropped."""
AGAINST = 20
"""One pair in so many may speak against it."""
SUSPECTED = 2
"""Pairs that make a key suspicious."""
REMEMBERED = 40
"""Pairs of a key that count; with more of them the older count less."""
RECENT = 64
"""Pages of a kind that the next one is compared with."""
MOST_KEYS = 24
"""Keys of one kind that are watched."""
WATCHED = 500
"""Kinds of path of one host."""
TRIALS = 8
"""Addresses without their suspicious keys that are asked for, until one shows that it works."""
EXPLORED = 100
"""One address in so many keeps all its keys."""
SHORTEST = 32
"""Characters of a text that can be told from another."""


class Key(msgspec.Struct, array_like=True):
    """What is known of a key."""

    same: int = 0
    """Pairs of pages that differ in it and say the same."""
    other: int = 0
    """Pairs that differ in it, as far as it counts, and do not."""
    bare: bool = False
    """A page without it was seen to say the same."""

    @property
    def suspected(self) -> bool:
        return self.same >= SUSPECTED and self.same > 4 * self.other

    @property
    def idle(self) -> bool:
        """It changes nothing, as far as pairs can tell."""
        return self.same >= PAIRS and self.other * AGAINST <= self.same

    def count(self, *, same: bool) -> None:
        self.same += same
        self.other += not same
        if self.same + self.other > REMEMBERED:
            self.same, self.other = self.same // 2, self.other // 2


class Seen(msgspec.Struct, array_like=True, frozen=True):
    """A page that was fetched, in numbers."""

    content: int
    path: int
    values: dict[str, int]


class KeysRow(msgspec.Struct, array_like=True):
    """What is known of the keys of one kind of path."""

    keys: dict[str, Key] = {}
    seen: list[Seen] = []
    dropped: list[str] = []
    trials: int = 0


class HostKeys(msgspec.Struct, array_like=True):
    """What is known of a host that has query keys at all."""

    kinds: dict[str, list[str]] = {}
    """The keys to drop, by kind of path."""
    watched: int = 0
    """Kinds of path whose keys are watched."""


keys_of = decoder(KeysRow)
host_keys_of = decoder(HostKeys)


class Parameters:
    """Learns which keys do not matter, and rewrites addresses without them."""

    def __init__(self, table: Table) -> None:
        self._rows = Rows(table, PARAMETERS, keys_of, KeysRow)
        self._hosts = Rows(table, PARAMETERS, host_keys_of, HostKeys)

    def simpler(self, url: str) -> str:
        """The address without the keys that do not matter; most addresses as they are."""
        if "?" not in url and ";" not in url:
            return url
        host = self._hosts.peek(host_key(keys.authority(url)))
        if host is None or not host.kinds:
            return url
        dropped = host.kinds.get(script(url))
        return without(url, dropped) if dropped and keys.fingerprint(url) % EXPLORED else url

    def learn(self, url: str, text: str) -> str | None:
        """Take in what a page says. Gives an address that would show whether it can be asked for more simply."""
        bare, here = "?" not in url and ";" not in url, host_key(keys.authority(url))
        if bare and self._hosts.peek(here) is None:
            return None
        kind = script(url)
        known = self._rows.peek(kind) is not None
        host = self._hosts.use(here)
        if not known and (bare or host.watched >= WATCHED):
            return None
        host.watched += not known
        core, values = parted(url)
        row = self._rows.use(kind)
        numbers = {name: crc32(value.encode()) for name, value in values.items()}
        page = Seen(keys.fingerprint(text), keys.fingerprint(core), numbers)
        for name in page.values:
            if name not in row.keys and len(row.keys) < MOST_KEYS:
                row.keys[name] = Key()
        _compare(row, page)
        row.seen = [*row.seen[1 - RECENT :], page]
        self._decide(kind, here, row)
        return _trial(row, url)

    def _decide(self, kind: str, here: str, row: KeysRow) -> None:
        dropped = sorted(name for name, key in row.keys.items() if key.idle and key.bare)
        if dropped == row.dropped:
            return
        row.dropped = dropped
        host = self._hosts.use(here)
        if dropped:
            host.kinds[kind] = dropped
        else:
            host.kinds.pop(kind, None)

    def save(self) -> None:
        """What was learned becomes part of the next commit."""
        self._rows.save()
        self._hosts.save()


def _compare(row: KeysRow, page: Seen) -> None:
    """Each key is counted once for and once against at most, by the latest page that has something to say."""
    against: set[str] = set()
    agreed = False
    for other in reversed(row.seen):
        if other.path != page.path:
            continue
        differing = _differing(page.values, other.values) & row.keys.keys()
        if other.content != page.content:
            rest = {name for name in differing if not row.keys[name].suspected}
            if len(rest) <= 1:
                against |= rest or differing
        elif differing and not agreed:
            agreed = True
            for name in differing:
                row.keys[name].count(same=True)
                row.keys[name].bare |= name not in page.values or name not in other.values
    for name in against:
        row.keys[name].count(same=False)


def _differing(one: dict[str, int], other: dict[str, int]) -> set[str]:
    return {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}


def _trial(row: KeysRow, url: str) -> str | None:
    idle = [name for name, key in row.keys.items() if key.idle]
    if row.trials >= TRIALS or all(row.keys[name].bare for name in idle):
        return None
    simple = without(url, idle)
    row.trials += simple != url
    return simple if simple != url else None


def parted(url: str) -> tuple[str, dict[str, str]]:
    """An address without its parameters, and the parameters by name; the values of one name together."""
    head, _, query = url.partition("?")
    core, _, path_query = head.partition(";")
    found: dict[str, str] = {}
    for mark, pieces in ((";", path_query.split(";")), ("", query.split("&"))):
        for piece in filter(None, pieces):
            name, _, value = piece.partition("=")
            found[mark + name] = f"{found[mark + name]}&{value}" if mark + name in found else value
    return core, found


def without(url: str, names: Collection[str]) -> str:
    """An address without the parameters of these names."""
    head, _, query = url.partition("?")
    core, *parameters = head.split(";")
    kept = [piece for piece in parameters if ";" + piece.partition("=")[0] not in names]
    rest = "&".join(piece for piece in query.split("&") if piece.partition("=")[0] not in names)
    return ";".join((core, *kept)) + (f"?{rest}" if rest else "")


def dropped_keys(table: Table, host: str) -> dict[str, list[str]]:
    """The keys that do not matter on a host, on any of its ports, by kind of path."""
    found: dict[str, list[str]] = {}
    for prefix in (f"{host}\0", f"{host}:"):
        for key, data in table.scan(PARAMETERS, prefix=prefix.encode()):
            found |= host_keys_of(data).kinds if key.endswith(b"\0") else {}
    return found
