"""What was asked of a web, and when: the truth in tests. In memory and, if wanted, in a file."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

from gossamer.testing.wire import split_url


@dataclass(frozen=True, slots=True)
class Entry:
    """One request and what became of it."""

    url: str
    host: str
    """Name or address, without a port."""
    address: str
    """The IP address of that host."""
    method: str
    wall: float
    """When it came, in seconds since 1970."""
    began: float
    """When it came, on the server's steady clock."""
    allowed: bool
    """Whether the host's robots.txt, as it was then, lets robots ask for this."""
    ended: float = float("inf")
    """When the last byte was sent or the connection was lost, on the steady clock."""
    status: int = 0
    """0 when not even a head was sent."""
    size: int = 0
    """Bytes sent, head included; 0 when the client left before the end."""
    finished: bool = False
    """Whether the whole answer was sent."""
    retry_after: int = 0
    """Seconds for which the answer asked to be left alone."""

    @property
    def path(self) -> str:
        """Path and query."""
        return split_url(self.url)[1]


class Log:
    """Every request in the order they ended, and the questions a test asks of them."""

    def __init__(self, file: Path | None = None) -> None:
        self._entries: list[Entry] = []
        self._open: dict[int, Entry] = {}
        self._tries: Counter[str] = Counter()
        self._file = file.open("a", buffering=1, encoding="utf-8") if file else None

    @classmethod
    def read(cls, file: Path) -> Log:
        """The log that a server wrote, perhaps still writes; half a line at its end is left out."""
        log = cls()
        for line in file.read_text("utf-8").splitlines(keepends=True):
            if line.endswith("\n"):
                log.add(Entry(**json.loads(line)))
        return log

    def close(self) -> None:
        if self._file:
            self._file.close()

    def begin(self, entry: Entry) -> int:
        """A request came. Gives how often its address has been asked for by now, this time included."""
        self._open[id(entry)] = entry
        self._tries[entry.url] += 1
        return self._tries[entry.url]

    def end(self, begun: Entry, entry: Entry) -> None:
        """What was begun has ended as `entry` tells."""
        del self._open[id(begun)]
        self._entries.append(entry)
        if self._file:
            self._file.write(json.dumps(asdict(entry)) + "\n")

    def tries(self, url: str) -> int:
        """How often an address has been asked for, answered or not."""
        return self._tries[url]

    def add(self, entry: Entry) -> None:
        """A request that has ended already."""
        self.begin(entry)
        self.end(entry, entry)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All that have ended, in that order."""
        return tuple(self._entries)

    @property
    def in_flight(self) -> tuple[Entry, ...]:
        """All that have begun and not ended."""
        return tuple(self._open.values())

    def of(self, host: str) -> list[Entry]:
        """The requests to a host or to an IP address, in the order they came."""
        found = (entry for entry in self._entries if host in (entry.host, entry.address))
        return sorted(found, key=lambda entry: entry.began)

    def counts(self, *, whole: bool = False) -> Counter[str]:
        """How often each address was asked for; with `whole`, only answers that were sent to their end."""
        return Counter(entry.url for entry in self._entries if entry.finished or not whole)

    def gaps(self, host: str) -> list[float]:
        """Seconds from the end of each answer to the next request; below 0 where that came before the end."""
        return [after.began - before.ended for before, after in pairwise(self.of(host))]

    def intervals(self, host: str) -> list[float]:
        """Seconds from the beginning of each request to the beginning of the next."""
        return [after.began - before.began for before, after in pairwise(self.of(host))]

    def overlaps(self, host: str) -> list[tuple[Entry, Entry]]:
        """Pairs of requests that were in flight together: none when a host is asked one thing at a time."""
        found: list[tuple[Entry, Entry]] = []
        last: Entry | None = None
        for entry in self.of(host):
            if last and entry.began < last.ended:
                found.append((last, entry))
            if last is None or entry.ended > last.ended:
                last = entry
        return found

    def disallowed(self) -> list[Entry]:
        """Requests that robots.txt forbade."""
        return [entry for entry in self._entries if not entry.allowed]

    def early(self) -> list[Entry]:
        """Requests that came while their host had asked, by Retry-After, to be left alone."""
        found: list[Entry] = []
        until: defaultdict[str, float] = defaultdict(lambda: float("-inf"))
        for moment, asked in _in_order(self._entries):
            if asked:
                if moment.began < until[moment.host]:
                    found.append(moment)
            elif moment.retry_after:
                until[moment.host] = max(until[moment.host], moment.ended + moment.retry_after)
        return found


def _in_order(entries: Iterable[Entry]) -> list[tuple[Entry, bool]]:
    """Beginnings (True) and ends (False) as they happened; at the same moment the end comes first."""
    moments = [(entry.began, 1, entry) for entry in entries] + [(entry.ended, 0, entry) for entry in entries]
    moments.sort(key=lambda moment: moment[:2])
    return [(entry, bool(kind)) for _, kind, entry in moments]
