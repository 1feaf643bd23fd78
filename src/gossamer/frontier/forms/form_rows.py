"""What is kept of a form: how it is filled in, what was asked with it, and what that has brought.

Apart from what asks, so that who only reads it loads nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

import msgspec
from msgspec.structs import astuple

from gossamer.errors import InvalidURL
from gossamer.frontier.entries import FORMS, META
from gossamer.printable import counted
from gossamer.rows import Count, Natural, decoder
from gossamer.store.table.table import Table
from gossamer.urls import normalize

if TYPE_CHECKING:
    from gossamer.convert.html.forms import Form

SUMS = b"forms"
"""The row of `META` with what all forms have brought."""
CHOICE = "choice "
"""How the name of an arm begins that asks for the options of a field."""
Values = tuple[tuple[str, str], ...]
"""What is filled in where it is not as the page has it: name and value."""


class Arm(msgspec.Struct, array_like=True):
    """One way to fill a form in: words, the options of a field, or pairs of them."""

    requests: Count = 0
    new: Natural = 0
    """Records that it was the first to bring."""
    mean: float = -1.0
    """New records for a request, of late; below 0 as long as nothing was asked."""
    dry: Count = 0
    """Questions in a row that brought nothing new."""
    place: Count = 0
    """How many of its values were asked."""
    ended: bool = False
    whole: bool = False
    """It has ended because all of its values were asked."""


class Question(msgspec.Struct, array_like=True):
    """What was asked, and what has come."""

    arm: str
    records: Natural = 0
    new: Natural = 0


class FormRow(msgspec.Struct, array_like=True):
    """A form."""

    action: str
    page: str
    """Where it was found first."""
    depth: Count
    encoding: str
    fixed: Values
    """What is always sent, as the page has it."""
    text: tuple[str, ...] = ()
    """Names of the fields for words."""
    choices: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    """Each field to choose from: its name, what it has when nobody touches it, and what else it may have."""
    nonsense: str = ""
    """The word that stands nowhere, by which it is seen how an answer without results looks."""
    refused: str = ""
    """Why it is not sent; nothing where it is."""
    ended: str = ""
    """Why nothing more is asked; nothing as long as it goes on."""
    waiting: str = ""
    """The address that was asked last, until it has come."""
    requests: Natural = 0
    records: Natural = 0
    once: Natural = 0
    """Records that one question has brought, and that two have: what the others are estimated from."""
    twice: Natural = 0
    empty: tuple[int, ...] = ()
    """Marks of what stands on an answer without results."""
    arms: dict[str, Arm] = msgspec.field(default_factory=dict)
    questions: dict[str, Question] = msgspec.field(default_factory=dict)
    """By what was filled in, as in the address."""
    words: dict[str, int] = msgspec.field(default_factory=dict)
    """In how many records each stands that were read."""
    own: tuple[str, ...] = ()
    """Words that describe the pages of the site, the most telling first."""

    def address(self, values: Values) -> str | None:
        """Where it leads when it is filled in so; None where that is no address."""
        given = dict(values)
        pairs = [(name, given.pop(name, value)) for name, value in self.fixed]
        try:
            query = urlencode([*pairs, *given.items()], encoding=self.encoding, errors="xmlcharrefreplace")
            return normalize(f"{self.action.partition('?')[0]}?{query}")
        except (InvalidURL, LookupError):
            return None

    def key(self, url: str) -> str | None:
        """What was filled in to come to an address; None where it is no answer of this form."""
        bare, _, query = url.partition("?")
        if bare != self.action.partition("?")[0]:
            return None
        free = {*self.text, *(name for name, _, _ in self.choices)}
        said = {name: value for name, value in parse_qsl(query, keep_blank_values=True) if name in free}
        usual = dict(self.fixed)
        asked = sorted((name, value) for name, value in said.items() if value != usual.get(name, ""))
        return urlencode(asked) if said else None

    def shown_most(self) -> int | None:
        """So many results the site shows at most: several questions have brought as many, and none more."""
        counts = Counter(question.records for question in self.questions.values() if question.records)
        most = max(counts, default=0)
        return most if counts[most] >= 2 and most >= 10 else None

    def estimate(self) -> float:
        """How many records there are. All, where each option of a field was asked and nothing was cut off; else Chao's
        lower bound, from the records that one question has brought, and two have."""
        whole = any(arm.whole for name, arm in self.arms.items() if name.startswith(CHOICE))
        if whole and self.shown_most() is None:
            return self.records
        return self.records + self.once * max(self.once - 1, 0) / (2 * (self.twice + 1))

    def covered(self) -> float:
        """The part of them that was reached, 0 to 1."""
        return self.records / self.estimate() if self.records else 0.0

    def __str__(self) -> str:
        """How it goes, in words."""
        if self.refused:
            return f"{self.action}: not sent, {self.refused}"
        known = f"{counted(self.requests, 'request')} have brought {counted(self.records, 'record')}"
        part = f", about {self.covered():.0%} of what there is" if self.records else ""
        return f"{self.action}: {known}{part}; {self.ended or 'it goes on'}"


class FormSums(msgspec.Struct, array_like=True, frozen=True):
    """What some forms have brought, all together."""

    sent: Natural = 0
    refused: Natural = 0
    """Those that are not sent."""
    going: Natural = 0
    """Of those that are sent, those that are still asked."""
    requests: Natural = 0
    records: Natural = 0
    estimate: Natural = 0
    """Records that there are, by the estimates of all."""

    def __add__(self, other: FormSums) -> FormSums:
        return FormSums(*(mine + its for mine, its in zip(astuple(self), astuple(other), strict=True)))

    def __sub__(self, other: FormSums) -> FormSums:
        return FormSums(*(mine - its for mine, its in zip(astuple(self), astuple(other), strict=True)))


def sums_of_one(row: FormRow) -> FormSums:
    """What one form adds."""
    if row.refused:
        return FormSums(refused=1)
    return FormSums(1, 0, not row.ended, row.requests, row.records, round(row.estimate()))


form_of = decoder(FormRow)
_sums_of = decoder(FormSums)


def mark_of(form: Form) -> bytes:
    """By which a form is known: on another page it is the same."""
    said = form.action.partition("?")[0], form.method, *sorted(f"{each.kind} {each.name}" for each in form.controls)
    return blake2b("\0".join(said).encode("utf-8", "surrogatepass"), digest_size=8).digest()


def stored(table: Table) -> Iterator[tuple[bytes, FormRow]]:
    """All forms of a shard."""
    for key, row in table.scan(FORMS):
        yield key, form_of(row)


def stored_sums(table: Table) -> FormSums:
    """What all forms of a shard have brought, as of the last commit."""
    data = table.get(META, SUMS)
    return _sums_of(data) if data else FormSums()


def about_forms(table: Table, url: str) -> tuple[FormRow, ...]:
    """Those that stand on a page, or whose answer it is."""
    bare = url.partition("?")[0]
    return tuple(
        row for _, row in stored(table) if row.page == url or (row.action.partition("?")[0] == bare and row.key(url))
    )
