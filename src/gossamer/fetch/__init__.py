"""How does it come here? DNS, guard, HTTP, limits, decoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.lazy import face

if TYPE_CHECKING:
    from gossamer.fetch.ares import Ares
    from gossamer.fetch.dns import Answer, Resolver
    from gossamer.fetch.guard import Guard
    from gossamer.fetch.http import Fetcher
    from gossamer.fetch.limits import Limits
    from gossamer.fetch.names import Found, Lookup, Names, Threads
    from gossamer.fetch.proxy import Route
    from gossamer.fetch.request import Identity

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

__getattr__ = face(
    __name__,
    {
        "Answer": "dns",
        "Ares": "ares",
        "Fetcher": "http",
        "Found": "names",
        "Guard": "guard",
        "Identity": "request",
        "Limits": "limits",
        "Lookup": "names",
        "Names": "names",
        "Resolver": "dns",
        "Route": "proxy",
        "Threads": "names",
    },
)
