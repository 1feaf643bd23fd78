"""The hosts of a made web: their names, addresses, sizes and speeds, each computed from its number alone."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from gossamer.testing.draw import between, fraction
from gossamer.testing.spec import WebSpec

_NAME = re.compile(r"h(0|[1-9]\d{0,8})\.example")
_ADDRESS = re.compile(r"127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})")
_PER_BLOCK = 250


def loopback(number: int) -> str:
    """127.0.1.1, 127.0.1.2 ... 127.0.1.250, 127.0.2.1 and so on: on Linux all of 127/8 is this machine."""
    block, rest = divmod(number, _PER_BLOCK)
    return f"127.{(block + 1) >> 8}.{(block + 1) & 255}.{rest + 1}"


@dataclass(frozen=True, slots=True)
class Hosts:
    """Host number to everything about it, and its name back to the number."""

    spec: WebSpec

    def name(self, number: int) -> str:
        return f"h{number}.example" if self.spec.names == "name" else self.address(number)

    def address(self, number: int) -> str:
        return loopback(number // self.spec.hosts_per_address)

    def origin(self, number: int) -> str:
        port = "" if self.spec.port == 80 else f":{self.spec.port}"
        return f"http://{self.name(number)}{port}"

    def number(self, name: str) -> int | None:
        """The host of that name (a port after it is ignored), or None when this web has no such host."""
        name = name.rpartition(":")[0] or name
        number = _named(name) if self.spec.names == "name" else _addressed(name)
        return number if 0 <= number < self.spec.hosts and self.name(number) == name else None

    def size(self, number: int) -> int:
        """How many plain pages it has."""
        return max(1, round(self.spec.pages * math.pow(self.served(number) + 1, -self.spec.zipf)))

    def served(self, number: int) -> int:
        """The host whose pages a host serves: its own, unless it is a mirror."""
        last = self.spec.hosts - 1
        return last - number if number > last - self.spec.copies.mirrors else number

    def latency(self, number: int) -> float:
        low, high = self.spec.latency
        return between(low, high, fraction(self.spec.seed, "latency", number)) if high else 0.0

    def chosen(self, number: int, trait: str, share: float) -> bool:
        """Whether a host belongs to the share of hosts with that trait."""
        return share > 0 and fraction(self.spec.seed, "host", trait, number) < share


def _named(name: str) -> int:
    match = _NAME.fullmatch(name)
    return int(match[1]) if match else -1


def _addressed(name: str) -> int:
    match = _ADDRESS.fullmatch(name)
    if match is None:
        return -1
    high, low, rest = (int(part) for part in match.groups())
    return ((high << 8) + low - 1) * _PER_BLOCK + rest - 1
