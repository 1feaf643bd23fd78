"""Where does a page point? All of its links in order, and what they lead to, each address once.

A crawl asks for the second: which addresses are new, whom a page recommends, what the archive notes. A page of
documentation has ninety links to twenty addresses, so its links become objects only for whoever looks at one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, overload

from gossamer.model import URL, Link


class Targets(NamedTuple):
    """The addresses that links lead to, in the order in which they are first met."""

    urls: Sequence[URL]
    places: Sequence[str]
    """Where the last link to each stood."""
    followed: Sequence[int]
    """1 for what one link at least may be followed to; 0 where all say nofollow."""


class Links(Sequence[Link]):
    """The links of a page, made when one of them is asked for. Equal to a tuple of the same links."""

    __slots__ = ("_all", "_count", "_make", "anchors", "targets")

    def __init__(self, count: int, targets: Targets, anchors: str, make: Callable[[], tuple[Link, ...]]) -> None:
        self._count = count
        self._make = make
        self._all: tuple[Link, ...] | None = None
        self.targets = targets
        self.anchors = anchors
        """All of them in one piece, and perhaps others: clean if this is."""

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Link]:
        return iter(self.made)

    @overload
    def __getitem__(self, index: int) -> Link: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Link, ...]: ...

    def __getitem__(self, index: int | slice) -> Link | tuple[Link, ...]:
        return self.made[index]

    @property
    def made(self) -> tuple[Link, ...]:
        """All of them, as objects."""
        if self._all is None:
            self._all = self._make()
        return self._all

    def __eq__(self, other: object) -> bool:
        return self.made == (other.made if isinstance(other, Links) else other)

    def __hash__(self) -> int:
        return hash(self.made)

    def __repr__(self) -> str:
        return repr(self.made)

    def __reduce__(self) -> tuple[type[tuple[Link, ...]], tuple[tuple[Link, ...]]]:
        """Elsewhere it is a tuple."""
        return tuple, (self.made,)


def targets(links: Sequence[Link]) -> Targets:
    """What links lead to, however they came."""
    if isinstance(links, Links):
        return links.targets
    places = {link[0]: link[3] for link in links}
    followed = {link[0] for link in links if "nofollow" not in link[2]}
    return Targets(tuple(places), tuple(places.values()), bytes(url in followed for url in places))
