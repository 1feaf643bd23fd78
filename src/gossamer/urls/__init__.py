"""What is an address? Canonical form, keys, sites, scope, patterns."""

from __future__ import annotations

from gossamer.urls.keys import (
    authority,
    fingerprint,
    host,
    host_prefix,
    is_address,
    origin,
    row,
    shard,
    url_of,
)
from gossamer.urls.normalize import fragment, normalize, resolve
from gossamer.urls.rules import RULES, Rule, Safety, apply
from gossamer.urls.safe_regex import Patterns
from gossamer.urls.scope import Scope
from gossamer.urls.sites import registrable, site
from gossamer.urls.surt_key import surt

__all__ = [
    "RULES",
    "Patterns",
    "Rule",
    "Safety",
    "Scope",
    "apply",
    "authority",
    "fingerprint",
    "fragment",
    "host",
    "host_prefix",
    "is_address",
    "normalize",
    "origin",
    "registrable",
    "resolve",
    "row",
    "shard",
    "site",
    "surt",
    "url_of",
]
