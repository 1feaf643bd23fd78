"""Does it pay to have pages of a kind rendered by a browser? A few are, and what they say is compared.

To render a page takes a hundred times what it takes to read it, so most pages should not be. A page without scripts
never is. Of each kind of address (see `url_patterns`) the first pages with scripts are looked at: one that says little
as it was sent, or nearly what another of its kind says (a menu and a footer around nothing), or links to nothing of its
site, is rendered. If that brought nothing, the next is tried after eight pages and the third after 64; if it did, at
once. When three were, it is known whether it pays; from then on all of the kind are rendered, or now and then one, to
see whether it still holds. As long as that brings nothing, each such trial is followed by the next after four times as
many pages. Of a kind whose pages say enough one is rendered only when there are so many that this costs next to
nothing beside them. One in many pages is looked at all the same, and rendered if it says little: the site may have
been made anew.

To try one page takes what it takes to read some hundred, and every site has kinds of short pages. So one that says a
little and leads somewhere is tried only where half of the pages of its host that were looked at say little; and where
trials brought nothing for any kind of the host, the next comes after eight times as many. To look at a page takes as
long as to read it: where most pages of a host say enough, only those that lead nowhere are looked at, and one in 64.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from gossamer.frontier.entries import RENDERS
from gossamer.frontier.worth.new_text import MARKS, marks, sketch
from gossamer.frontier.worth.url_patterns import template
from gossamer.model import Page
from gossamer.rows import Natural, decoder
from gossamer.store.table.table import Table
from gossamer.urls import keys

TRIALS = 3
"""Pages of a kind that are rendered before it is known whether that pays."""
SEEN_ENOUGH = 8
"""Pages of a kind that say enough as they were sent, after which no more of them are looked at."""
SELDOM = 64
"""Of so many pages of a kind for which it does not pay one is looked at all the same."""
SELDOMER = 256
"""The same for a kind whose pages say enough: to look at one takes a third of what it takes to read it."""
LATE = SELDOM * 4**5
"""Pages of a kind that all say enough, after which one is rendered all the same."""
SAME = 0.9
"""Two pages that have such a part of their words in common say nearly the same."""
ENOUGH_SHARE = 0.75
"""Such a part of the pages of a host that were looked at says enough: most do."""
LEADING = 3
"""Links by which a page is taken for one that leads somewhere."""
RARER = 8
"""A trial that brought nothing is followed by the next after so many times as many pages."""
HALVED_AT = 16
"""Rendered pages after which the older ones count for less."""
FEW_WORDS = 100
SHELL_WORDS = 20
MORE_WORDS, MORE_SHARE = 20, 0.1
"""It pays if so many words come that were not sent, and such a part of them; or a link within the site."""
LEAST_WORDS = 3
"""And where little is sent: if so many words more than as many again come."""

_WORD = re.compile(r"\w+")
_SCRIPT = re.compile(
    rb"<script(?![^>]{0,300}(?:ld\+json|application/json|speculationrules|text/(?:x-)?template))", re.IGNORECASE
)
_NEAR_ENDS = 32 << 10
"""Bytes at each end of a page in which scripts are looked for: one that needs them says little else."""


class RenderRow(msgspec.Struct, array_like=True, frozen=True):
    """What was learned of the pages of a kind that have scripts."""

    met: Natural = 0
    enough: Natural = 0
    """Those that were looked at and said enough as they were sent."""
    rendered: Natural = 0
    gained: Natural = 0
    """Those that said more when they were rendered."""
    marks: tuple[Natural, ...] = ()
    """The words of the last that said enough; see `sketch.marks`."""
    poor: Natural = 0
    """Those that were looked at, said little and were left so."""

    @property
    def looked(self) -> int:
        return self.enough + self.poor + self.rendered

    @property
    def pays(self) -> bool:
        """Are they worth it?"""
        return self.rendered >= TRIALS and 2 * self.gained >= self.rendered


render_row = decoder(RenderRow)


class Said(NamedTuple):
    """What is compared of a page."""

    words: int
    links: frozenset[str]
    """Those within its host."""
    marks: tuple[int, ...] = ()
    """Its words, see `sketch.marks`."""


def has_scripts(body: bytes) -> bool:
    """Is there anything that a browser would run? A matter of microseconds, and that is all most pages cost."""
    ends = body if len(body) <= 2 * _NEAR_ENDS else body[:_NEAR_ENDS] + body[-_NEAR_ENDS:]
    written = b"<script" in ends or b"<SCRIPT" in ends  # in any other way it is hardly ever
    return written and _SCRIPT.search(ends) is not None


def leads_on(body: bytes) -> bool:
    """Are there links? As quick as `has_scripts`."""
    at = 0
    for _ in range(LEADING):
        at = body.find(b"<a ", at) + 1
        if not at:
            return False
    return True


def said(page: Page) -> Said:
    """What a page says, as far as it is compared."""
    host = keys.host(page.url or "")
    inside = (link.url for link in page.links if link.place != "redirect" and keys.host(link.url) == host)
    text = sketch(page.url or "", page.title, page.text)
    return Said(len(_WORD.findall(page.text)), frozenset(inside) - {page.url or ""}, marks(text))


def is_poor(plain: Said, row: RenderRow) -> bool:
    """Does it say little as it was sent, or nothing that another of its kind does not say?"""
    return plain.words < FEW_WORDS or not plain.links or _is_same(plain.marks, row.marks)


def _is_same(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    words = sorted({*one, *other})[:MARKS]  # only the smallest are known of both
    return bool(one and other) and len({*words} & {*one} & {*other}) >= SAME * len(words)


def is_shell(plain: Said) -> bool:
    """Does it say next to nothing as it was sent, and lead nowhere?"""
    return plain.words < SHELL_WORDS and not plain.links


def gained(plain: Said, rendered: Said) -> bool:
    """Did it say more when it was rendered?"""
    more = rendered.words - plain.words
    enough = min(max(MORE_WORDS, MORE_SHARE * plain.words), plain.words + LEAST_WORDS)
    return more >= enough or not rendered.links <= plain.links


class Renders:
    """What is known of each kind, in the rows of the table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def pays(self, url: str) -> bool:
        """Are all pages of its kind rendered?"""
        row = about_rendering(self._table, url)
        return row is not None and row.pays

    def meets(self, url: str) -> RenderRow:
        """A page with scripts has come. What is known of its kind, with this one."""
        row = about_rendering(self._table, url) or RenderRow()
        return self._put(url, msgspec.structs.replace(row, met=row.met + 1))

    def learn(self, url: str, *, gained: bool) -> None:
        """A page was rendered."""
        row = about_rendering(self._table, url) or RenderRow()
        rendered, more = row.rendered + 1, row.gained + gained
        if rendered >= HALVED_AT:
            rendered, more = rendered // 2, more // 2
        self._put(url, msgspec.structs.replace(row, rendered=rendered, gained=more))
        host = self._host(url)
        self._put_host(url, msgspec.structs.replace(host, rendered=host.rendered + 1, gained=host.gained + gained))

    def says_enough(self, url: str, plain: Said) -> None:
        """A page was looked at and need not be rendered."""
        row, host = about_rendering(self._table, url) or RenderRow(), self._host(url)
        self._put(url, msgspec.structs.replace(row, enough=row.enough + 1, marks=plain.marks))
        self._put_host(url, msgspec.structs.replace(host, enough=host.enough + 1))

    def is_tried(self, url: str, plain: Said) -> bool:
        """A page says little: is it rendered to see whether that brings more? If not, it is left so."""
        row, host = about_rendering(self._table, url) or RenderRow(), self._host(url)
        if is_shell(plain) or row.gained or _is_worth_a_trial(host):
            return True
        self._put(url, msgspec.structs.replace(row, poor=row.poor + 1))
        self._put_host(url, msgspec.structs.replace(host, poor=host.poor + 1))
        return False

    def is_left(self, url: str, row: RenderRow, body: bytes) -> bool:
        """Is a page not even looked at, because most pages of its host say enough?"""
        if row.gained or row.met % SELDOM == 0:
            return False
        host = self._host(url)
        most_say = host.looked >= SEEN_ENOUGH and host.enough >= ENOUGH_SHARE * host.looked
        return most_say and leads_on(body)

    def _host(self, url: str) -> RenderRow:
        """Of all kinds of a host together."""
        stored = self._table.get(RENDERS, template(url).host.encode())
        return render_row(stored) if stored else RenderRow()

    def _put_host(self, url: str, row: RenderRow) -> None:
        self._table.put(RENDERS, template(url).host.encode(), msgspec.msgpack.encode(row))

    def _put(self, url: str, row: RenderRow) -> RenderRow:
        self._table.put(RENDERS, _key(url), msgspec.msgpack.encode(row))
        return row


def is_decided(row: RenderRow) -> bool | None:
    """Is a page of this kind to be rendered? None: it has to be looked at first."""
    if row.pays:
        return True
    says_enough = not row.rendered and row.enough + row.poor >= SEEN_ENOUGH
    if row.met % (SELDOMER if says_enough else SELDOM) == 0:
        is_time = row.met >= (SELDOM if row.rendered else LATE) and _is_power_of_four(row.met // SELDOM)
        return True if row.gained or is_time else None
    if row.rendered >= TRIALS:
        return False
    if row.gained:
        return True
    is_time = row.met >= RARER**row.rendered
    return None if is_time and row.enough + row.poor < SEEN_ENOUGH else False


def _is_worth_a_trial(host: RenderRow) -> bool:
    """May scripts fill the pages of a host that say a little? Not where most say enough. The third in a row may."""
    if host.gained or (host.looked == host.poor == 2):
        return True
    return host.looked >= SEEN_ENOUGH * RARER**host.rendered and 2 * (host.poor + host.rendered) >= host.looked


def _is_power_of_four(number: int) -> bool:
    return number & (number - 1) == 0 and number.bit_length() % 2 == 1


def about_rendering(table: Table, url: str) -> RenderRow | None:
    """What is known of the kind of an address; None when no page of it had scripts, or nobody asked."""
    stored = table.get(RENDERS, _key(url))
    return render_row(stored) if stored else None


def _key(url: str) -> bytes:
    return template(url).full.encode()
