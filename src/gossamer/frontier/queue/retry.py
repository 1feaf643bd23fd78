"""What follows a failure? One table: the waits before each new try, and whether the host is to blame.

The waits are 1 minute, 10 minutes, 2 hours and a day for what may pass by itself. What cannot change by waiting
is not tried again.

What is tried again later waits in an `agenda`.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from gossamer.model import Fault

MINUTE, HOUR, DAY = 60.0, 3_600.0, 86_400.0
LADDER = (MINUTE, 10 * MINUTE, 2 * HOUR, DAY)
JITTER = 0.25
"""A wait is longer by up to this share of it, so that retries spread."""
PUT_OFF_MOST = (1 + JITTER) * DAY + MINUTE
"""Nothing is put off for longer, retries and lists that could not be read."""


class Rule(NamedTuple):
    """How often to come back, and whether it counts towards the circuit breaker."""

    waits: tuple[float, ...]
    blames_host: bool


FAULTS: dict[Fault, Rule] = {
    Fault.NO_SUCH_HOST: Rule((2 * HOUR, DAY), True),
    Fault.DNS: Rule(LADDER, True),
    Fault.BLOCKED_ADDRESS: Rule((), False),
    Fault.CONNECT: Rule(LADDER, True),
    Fault.TLS: Rule((2 * HOUR, DAY), True),
    Fault.TIMEOUT: Rule(LADDER, True),
    Fault.TOO_SLOW: Rule(LADDER, True),
    Fault.RESET: Rule(LADDER, True),
    Fault.INCOMPLETE: Rule((MINUTE,), False),
    Fault.PROTOCOL: Rule((2 * HOUR,), False),
    Fault.HEADERS_TOO_LARGE: Rule((), False),
    Fault.UNREADABLE: Rule((), False),
}

THROTTLED = frozenset({429, 503})
STATUSES: dict[int, Rule] = {
    408: Rule(LADDER, True),
    425: Rule(LADDER, False),
    429: Rule((MINUTE, *LADDER, DAY), False),
    500: Rule(LADDER, True),
    502: Rule(LADDER, True),
    503: Rule((MINUTE, *LADDER, DAY), False),
    504: Rule(LADDER, True),
    520: Rule(LADDER, True),
    521: Rule(LADDER, True),
    522: Rule(LADDER, True),
    523: Rule(LADDER, True),
    524: Rule(LADDER, True),
}
NEVER = Rule((), False)

ROBOTS_WAITS = (
    5 * MINUTE,
    10 * MINUTE,
    20 * MINUTE,
    40 * MINUTE,
    80 * MINUTE,
    160 * MINUTE,
    320 * MINUTE,
    12 * HOUR,
)
"""An unreachable robots.txt closes its origin; it is asked for again at these intervals, the last one for good."""


def rule(fault: Fault | None, status: int) -> Rule:
    """The rule for a visit that brought no document."""
    return FAULTS[fault] if fault else STATUSES.get(status, NEVER)


def wait(waits: tuple[float, ...], attempt: int, jitter: random.Random) -> float | None:
    """Seconds until the next try; None when there is none."""
    if attempt >= len(waits):
        return None
    return waits[attempt] * (1 + JITTER * jitter.random())


def robots_wait(tries: int) -> float:
    """Seconds until an unreachable robots.txt is asked for again."""
    return ROBOTS_WAITS[min(tries, len(ROBOTS_WAITS) - 1)]
