"""When did an answer come? The kernel knows, whatever we were busy with meanwhile.

A busy event loop sees an answer late, and ten times that would be added to the rest of its host. TCP_INFO says how long
ago the last byte went out and the last one came in; Linux counts both in ticks of a few milliseconds.
"""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from struct import Struct, error
from typing import NamedTuple

_TCP_INFO = Struct("<44xI4xI")
"""The milliseconds since data was last sent and last received, in `struct tcp_info`."""


class Times(NamedTuple):
    """On the steady clock of the machine."""

    came: float
    """When the last byte came in."""
    sent: float | None = None
    """When the request went out, where only the request did: on a connection that stood before."""

    def taken(self, seconds: float) -> float:
        """How long the answer took, when `seconds` have passed by our own clock until now."""
        late = time.monotonic() - self.came
        return max(seconds - late if self.sent is None else self.came - self.sent, 0.0)


def times(handle: int, *, new: bool) -> Times:
    """Of the socket with this descriptor; without one it is now."""
    now = time.monotonic()
    if handle < 0:
        return Times(now)
    with suppress(OSError, error):  # a system that only looks like Linux tells less
        end = socket.socket(fileno=handle)
        try:
            sent, came = _TCP_INFO.unpack(end.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size))
        finally:
            end.detach()
        return Times(now - came / 1000, None if new or sent < came else now - sent / 1000)
    return Times(now)
