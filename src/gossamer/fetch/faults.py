"""What libcurl's error numbers mean in our words."""

from __future__ import annotations

from gossamer.fetch.limits import Limits
from gossamer.model import Failure, Fault

OK = 0
STOPPED_BY_US = 23
"""A callback wanted no more."""
OVERDUE = -1
"""Not libcurl's: we gave up waiting."""

_TIMED_OUT = 28
_RECEIVE = 56

_FAULTS = {
    1: Fault.PROTOCOL,  # unsupported: HTTP/0.9, a version that does not exist, another scheme
    3: Fault.PROTOCOL,  # malformed URL
    5: Fault.CONNECT,  # the proxy's name
    6: Fault.DNS,
    7: Fault.CONNECT,
    8: Fault.PROTOCOL,  # a strange head
    16: Fault.PROTOCOL,
    18: Fault.INCOMPLETE,
    35: Fault.TLS,
    42: Fault.BLOCKED_ADDRESS,
    45: Fault.CONNECT,  # no local address or port left
    52: Fault.RESET,  # closed without a word
    55: Fault.RESET,
    _RECEIVE: Fault.RESET,
    59: Fault.TLS,
    60: Fault.TLS,
    66: Fault.TLS,
    77: Fault.TLS,
    80: Fault.TLS,
    83: Fault.TLS,
    90: Fault.TLS,
    91: Fault.TLS,
    97: Fault.CONNECT,  # the proxy's handshake
    98: Fault.TLS,
    100: Fault.HEADERS_TOO_LARGE,
}


def explain(code: int, message: str, *, asked: bool, limits: Limits) -> Failure:
    """`asked`: the connection stood and the request was sent when it happened."""
    if code == _TIMED_OUT:
        what = "not finished" if asked else "no connection"
        return Failure(Fault.TIMEOUT, f"{what} within {limits.total if asked else limits.connect:g} s")
    if code == _RECEIVE and not asked:
        return Failure(Fault.CONNECT, _clean(message))  # a proxy that refuses the tunnel
    return Failure(_FAULTS.get(code, Fault.PROTOCOL), _clean(message) or f"libcurl error {code}")


def _clean(message: str) -> str:
    """Servers have a say in some messages, and terminals must not obey them."""
    return "".join(c if c.isprintable() else "?" for c in message[:200])
