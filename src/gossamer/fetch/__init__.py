"""Bring it here."""

from gossamer.fetch.dns import Answer, Found, Lookup, Resolver
from gossamer.fetch.guard import Guard
from gossamer.fetch.http import Fetcher
from gossamer.fetch.identity import Identity
from gossamer.fetch.limits import Limits
from gossamer.fetch.route import Route

__all__ = ["Answer", "Fetcher", "Found", "Guard", "Identity", "Limits", "Lookup", "Resolver", "Route"]
