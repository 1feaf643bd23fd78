"""What did the crawl before send of its user's own, and does this one too? The kinds and the sites, never what it was.

A secret is kept nowhere, so a later crawl without the option asks as a stranger does, and what it gets takes the place
of what was there. The first one that does so says it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

import msgspec

from gossamer.errors import Damaged
from gossamer.fetch.logins import Login, Logins
from gossamer.frontier.entries import META
from gossamer.rows import decoder
from gossamer.store.table.table import Table

_KEY = b"sent"
_SITES_MOST = 3
sent_of = decoder(tuple[tuple[str, str], ...])


def kinds(logins: Logins) -> set[tuple[str, str]]:
    """Which kind goes to which site."""
    return {
        (kind, (place.host or place.sites[0]) + place.port)
        for login in logins.each
        for place in login.places
        for kind in _kinds(login)
    }


def _kinds(login: Login) -> list[str]:
    more = ["cookies"] * bool(login.cookies) + ["a password"] * bool(login.accounts)
    return [*(_kind(*each) for each in login.fields), *more]


def _kind(name: str, value: str) -> str:
    if name.lower() == "cookie":
        return "cookies"
    return "a password" if name.lower() == "authorization" and value.startswith("Basic ") else "a header"


def note(table: Table, logins: Logins) -> None:
    """What this crawl sends; part of the next commit."""
    row = msgspec.msgpack.encode(sorted(found)) if (found := kinds(logins)) else None
    if row is None:
        table.delete(META, _KEY)
    elif row != table.get(META, _KEY):
        table.put(META, _KEY, row)


def of(table: Table) -> tuple[tuple[str, str], ...]:
    """What the last crawl of a shard has sent. A row that is spoilt stops nobody: this crawl writes another."""
    stored = table.get(META, _KEY)
    with suppress(Damaged):
        return sent_of(stored) if stored else ()
    return ()


def missing(tables: Iterable[Table], logins: Logins) -> str:
    """What the crawl before sent and this one does not, in words; nothing where it sends the same."""
    gone = {each for table in tables for each in of(table)} - kinds(logins)
    if not gone:
        return ""
    what, sites = sorted({kind for kind, _ in gone}), sorted({site for _, site in gone})
    more = [f"{len(sites) - _SITES_MOST:,} more"] if len(sites) > _SITES_MOST else []
    where = _joined([*sites[:_SITES_MOST], *more])
    return (
        f"the crawl before sent {_joined(what)} to {where}, and this one does not: pages come as anybody sees them;"
        " --header, --cookie, --auth and --login are given with each crawl, or stand in [logins] of plan.toml"
    )


def _joined(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
