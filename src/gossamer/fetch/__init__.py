"""How does it come here? DNS, guard, HTTP, limits, decoding."""

from gossamer.fetch.ares import Ares
from gossamer.fetch.dns import Answer, Resolver
from gossamer.fetch.guard import Guard
from gossamer.fetch.http import Fetcher
from gossamer.fetch.limits import Limits
from gossamer.fetch.names import Found, Lookup, Names, Threads
from gossamer.fetch.request import Identity
from gossamer.fetch.route import Route

__all__ = [
    "Answer",
    "Ares",
    "Fetcher",
    "Found",
    "Guard",
    "Identity",
    "Limits",
    "Lookup",
    "Names",
    "Resolver",
    "Route",
    "Threads",
]
