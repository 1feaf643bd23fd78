"""How far do we believe the dates that sitemaps and feeds of a host give, and the validators that it sends with pages?
By what visits found; see `signals`."""

from __future__ import annotations

from gossamer.freshness import signals
from gossamer.freshness.signals import Trust, heard, unsaid
from gossamer.frontier.entries import TRUST, encode
from gossamer.rows import decoder
from gossamer.store.table.table import Table
from gossamer.urls import keys

trust_of = decoder(Trust)
SURE = 0.05
"""Validators are trusted where the chance is not larger that a page has changed which came with the same ones."""
_VALIDATORS = b"\0validators"


def trust(table: Table, url: str) -> Trust:
    """In the host of an address."""
    row = table.get(TRUST, keys.host(url).encode())
    return trust_of(row) if row is not None else Trust()


def tells(table: Table, url: str) -> bool:
    """Whether the dates of a host are worth a look, as far as that is known."""
    return signals.tells(trust(table, url))


def learn(table: Table, url: str, *, moved: bool, changed: bool) -> None:
    """A page was visited: had its date moved since the visit before, and had it changed? Part of the next commit."""
    table.put(TRUST, keys.host(url).encode(), encode(heard(trust(table, url), moved, changed)))


def learn_validator(table: Table, url: str, *, changed: bool) -> None:
    """A page came with the validator of before: had it changed? Part of the next commit."""
    key = keys.host(url).encode() + _VALIDATORS
    table.put(TRUST, key, encode(heard(_validators(table, url), moved=False, changed=changed)))


def are_trusted(table: Table, url: str) -> bool:
    """Do pages of this host that come with the same validators say the same?"""
    return unsaid(_validators(table, url)) <= SURE


def _validators(table: Table, url: str) -> Trust:
    row = table.get(TRUST, keys.host(url).encode() + _VALIDATORS)
    return trust_of(row) if row is not None else Trust()
