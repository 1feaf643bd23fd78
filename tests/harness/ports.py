"""Ports for servers that must be told theirs: nobody else gets one between the asking and the taking.

They lie below those that the system gives to connections and to servers that take any. What keeps a port is a socket on
another address of loopback, which stays until this process ends: other processes of the tests find it taken there.
"""

from __future__ import annotations

import socket
from random import SystemRandom

KEEPER = "127.77.77.77"
PORTS = range(10_000, 22_000)
_KEPT: list[socket.socket] = []


def free_port(*beside: int) -> int:
    """One that nobody listens to, nor to those that are so much higher."""
    while True:
        port = SystemRandom().choice(PORTS)
        if all(_keep(port + higher) for higher in (0, *beside)):
            return port


def _keep(port: int) -> bool:
    """Whether it was free here, and is ours now."""
    kept = socket.socket()
    try:
        with socket.socket() as tried:
            tried.bind(("127.0.0.1", port))
        kept.bind((KEEPER, port))
    except OSError:
        kept.close()
        return False
    _KEPT.append(kept)
    return True
