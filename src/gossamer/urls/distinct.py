"""What do the links of a page lead to, each address once? A page of documentation names each four times.

Links come as columns, one after the other, and only what they lead to becomes objects. The look at them is compiled, in
`_distinct.c`: it does what `normalize.resolve` does with plain links, and asks that about all others. `one_by_one` is
its twin.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import NamedTuple

from gossamer.urls.normalize import Resolved


class Distinct(NamedTuple):
    """The addresses, in the order in which they are first met."""

    urls: tuple[str, ...]
    numbers: bytes
    """For each link the number of its address, of 32 bits; -1 where it is no http or https address."""
    last: bytes
    """For each address the mark of the last link that leads there."""
    common: bytes
    """For each address the bits that the marks of all these links have."""


def distinct(
    hrefs: bytes, ends: bytes, marks: bytes, base: str, spelled: Callable[[str], str] | None = None
) -> Distinct:
    """What links lead to: `hrefs` in UTF-8, where each of them ends (64 bits), and a byte that is known of each.

    `spelled` is how an address is to be read that is not all ASCII.
    """
    resolved = Resolved(base)
    lead = resolved.__getitem__ if spelled is None else lambda href: resolved[spelled(href)]
    return Distinct(*_distinct(hrefs, ends, marks, resolved.page or "", lead))


def one_by_one(
    hrefs: bytes, ends: bytes, marks: bytes, page: str, lead: Callable[[str], str | None], /
) -> tuple[tuple[str, ...], bytes, bytes, bytes]:
    """The same as the compiled part, which is handed the address of the page to spare itself most questions."""
    numbers = array("i")
    last: dict[str, int] = {}
    common: dict[str, int] = {}
    places: dict[str, int] = {}
    at = 0
    for end, mark in zip(memoryview(ends).cast("q"), marks, strict=True):
        url = lead(hrefs[at:end].decode("utf-8", "replace"))
        at = end
        if url is not None:
            last[url], common[url] = mark, common.get(url, mark) & mark
        numbers.append(-1 if url is None else places.setdefault(url, len(places)))
    return tuple(last), numbers.tobytes(), bytes(last.values()), bytes(common.values())


try:
    from gossamer.urls._distinct import distinct as _distinct
except ImportError:
    _distinct = one_by_one
