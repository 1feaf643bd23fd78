"""Where do the links of a page lead? Their columns are taken as they are: objects are made of what they lead to, each
once, and of the links themselves when somebody asks for them.

As browsers do, we write what is not ASCII in a query in the encoding of the page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from gossamer.convert.html.links import with_query_in
from gossamer.convert.html.pointers import NOFOLLOW, PLACES, Pointers, place_of
from gossamer.model import Link
from gossamer.outlinks import Links, Targets
from gossamer.urls import fragment
from gossamer.urls.distinct import Distinct, distinct

_link: Callable[[tuple[object, ...]], Link] = partial(tuple.__new__, Link)
"""The same as `Link` of its fields in a quarter of the time: a page has a hundred."""
_PLACES = [PLACES[place] if (place := place_of(mark)) < len(PLACES) else "" for mark in range(2 * NOFOLLOW)]
_FOLLOWED = bytes(not mark & NOFOLLOW for mark in range(256))


class LinkTargets(NamedTuple):
    """The links of a page, and what they lead to."""

    pointers: Pointers
    found: Distinct

    @property
    def urls(self) -> list[str | None]:
        """Where each link leads; None for what is no http or https address."""
        urls = (*self.found.urls, None)  # -1 is the last
        return [urls[number] for number in self._numbers]

    @property
    def places(self) -> list[str | None]:
        """The same with the place in the page there, for readers."""
        urls = self.urls
        for number, href in self.pointers.with_fragments():
            if (url := urls[number]) is not None:
                urls[number] = url + fragment(href)
        return urls

    @property
    def canonical(self) -> str | None:
        """How the page calls itself."""
        numbers = self._numbers
        return next((self.found.urls[numbers[each]] for each in self.pointers.canonical() if numbers[each] >= 0), None)

    def links(self, inside: Sequence[bool]) -> Links:
        """All links that lead somewhere; `inside` says which stand in the main content, if any do."""
        found = self.found
        targets = Targets(found.urls, [_PLACES[mark] for mark in found.last], found.common.translate(_FOLLOWED))
        count = len(self.pointers) - self._numbers.tolist().count(-1)
        return Links(count, targets, self.pointers.anchors, partial(self._made, inside))

    @property
    def _numbers(self) -> memoryview[int]:
        return memoryview(self.found.numbers).cast("i")

    def _made(self, inside: Sequence[bool]) -> tuple[Link, ...]:
        within = inside or (False,) * len(self.pointers)
        return tuple(
            _link((url, anchor, rel, place, None, 0.5, is_inside, None))
            for url, (_, anchor, rel, place), is_inside in zip(self.urls, self.pointers.made, within, strict=True)
            if url is not None
        )


def link_targets(pointers: Pointers, base: str, encoding: str) -> LinkTargets:
    """What the links of a page in that encoding mean."""
    hrefs, ends, *_, marks = pointers.columns
    spelled = None if encoding == "UTF-8" else partial(with_query_in, encoding=encoding)
    return LinkTargets(pointers, distinct(hrefs, ends, marks, base, spelled))
