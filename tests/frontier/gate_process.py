"""A shard that does nothing but pass the gate, until its share is done or it is killed."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

from gossamer.frontier.polite.ip_leases import IpLeases

ADDRESSES = [f"192.0.2.{number}" for number in range(4)]
DELAY = 0.002


def visit(leases: IpLeases, me: int, visits: int) -> None:
    """Each visit is told as address, start and end."""
    chance = random.Random(me)
    while visits:
        address = chance.choice(ADDRESSES)
        if leases.take(address, time.monotonic()) > 0:
            continue
        start = time.monotonic()
        visited = chance.random() < 0.9
        end = time.monotonic()
        leases.give(address, end, visited=visited)
        if visited:
            print(address, start, end)
            visits -= 1


def hold(leases: IpLeases, me: int, addresses: int) -> None:
    """Take some and die with them."""
    for address in ADDRESSES[:addresses]:
        assert leases.take(address, time.monotonic()) == 0.0
    print("held", flush=True)
    sys.stdin.read()


def rush(leases: IpLeases, me: int, _: int) -> None:
    """Take and give without end, as fast as it goes."""
    print("running", flush=True)
    while True:
        for address in ADDRESSES:
            if leases.take(address, time.monotonic()) == 0.0:
                leases.give(address, time.monotonic(), visited=False)


def collect(leases: IpLeases, me: int, limit: int) -> None:
    """Keep pages until all shards together have the limit. Tells how many it kept."""
    chance = random.Random(me)
    leases.begin(me, 0)
    kept = 0
    while leases.kept() < limit:
        if leases.claim(me, limit):
            wanted = chance.random() < 0.5
            kept += wanted
            leases.settle(me, kept=wanted)
    print(kept)


if __name__ == "__main__":
    work = {"visit": visit, "hold": hold, "rush": rush, "collect": collect}[sys.argv[2]]
    opened = IpLeases(Path(sys.argv[1]), int(sys.argv[3]), delay=DELAY, at_once=int(sys.argv[5]))
    work(opened, int(sys.argv[3]), int(sys.argv[4]))
