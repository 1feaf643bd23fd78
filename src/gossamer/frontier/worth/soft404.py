"""Is that a page, or an error that does not say so? Ask for nonsense, and compare.

Bar-Yossef, Broder, Kumar and Tomkins (WWW 2004): ask for a name that cannot exist, in the same directory. A 404 settles
it: the server is honest there. If it answers with a page or a redirect instead, whatever gets the same answer is a
soft 404. Where we differ: two nonsense names are asked for where the answer is a page. What both answers say is the
error, and what only one of them says is how much such answers vary; a page is taken for an error only if it says all of
the first and no more than that of its own. A kind of directory (see `url_patterns`) stands for all that are like it.

Home pages are never errors. A host is asked when it has shown some pages, and left alone when it has been honest
a few times, unless its pages look alike. Where an error in disguise comes again, it is asked anew: it may have another
error page by now, or be honest. So it is where two pages come again that differed and now say the same: it may be
honest no more.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from enum import IntEnum
from math import inf
from string import ascii_lowercase
from typing import NamedTuple

import msgspec

from gossamer.frontier.entries import PROBES, Entry
from gossamer.frontier.queue.retry import THROTTLED
from gossamer.frontier.rows import Rows, host_key
from gossamer.frontier.worth.new_text import MARKS, Sketch, marks
from gossamer.frontier.worth.url_patterns import Template, template
from gossamer.model import Page
from gossamer.rows import decoder, text
from gossamer.store.table.table import Table

LETTERS = 25
PAGES = 10
"""Pages of a host before it is asked."""
ALIKE = 3
"""Pages of a host that say what others said: then it is asked sooner."""
HONEST = 2
"""Honest answers after which a host is asked only about pages that look like others."""
RATE = 10
"""One question for so many pages at most, after the first few."""
FIRST = 3
ANSWERS = 2
"""Answers to nonsense that show what they have in common."""
TRIES = 3
"""Questions about one kind of directory, those without an answer included."""
RECENT = 16
"""Answers from a kind of directory that wait for the verdict."""
AGAIN = 2 * RECENT
"""One question for so many errors that come again: so a server whose errors always differ has each page asked for twice
as often at most, and not without end."""

PLACES = 500
"""Kinds of directory of a host that are watched."""
CAME_MOST = 10_000
"""Pages that have come again, and are compared with those that come after them."""

SAME_PAGE = "soft 404: a made-up name in the same place gets the same page"
SAME_TARGET = "soft 404: a made-up name in the same place is redirected to the same address"


def is_soft(entry: Entry) -> bool:
    """Is the page that we have of an address an error in disguise? Rows of older versions say so by their reason."""
    return bool(entry.soft) or is_soft_reason(entry.reason)


def is_soft_reason(reason: str) -> bool:
    """Do these words say that a page is an error in disguise?"""
    return reason.startswith((SAME_PAGE, SAME_TARGET))


class Verdict(IntEnum):
    """How a kind of directory answers to nonsense."""

    OPEN = 0
    HONEST = 1
    SOFT = 2


class Answer(NamedTuple):
    """What was said, or where a redirect leads."""

    text: Sketch | None
    target: str = ""


class Correction(NamedTuple):
    """What was kept turns out to be something else than it was taken for."""

    url: str
    page: Page | None
    """What it says; None where it is an error in disguise."""


class Nonsense(msgspec.Struct, array_like=True, frozen=True):
    """The answer to a made-up name, in few numbers."""

    plain: int
    """See `Sketch.plain`."""
    marks: tuple[int, ...]
    target: str


class PlaceRow(msgspec.Struct, array_like=True):
    """What is known of a kind of directory."""

    verdict: Verdict = Verdict.OPEN
    asked: int = 0
    nonsense: list[Nonsense] = []
    recent: list[tuple[str, int, str]] = []
    """Addresses that were answered before there was a verdict: what they said, and where they led."""


class HostPlaces(msgspec.Struct, array_like=True):
    """What is known of a host."""

    pages: int = 0
    alike: int = 0
    asked: int = 0
    honest: int = 0
    places: int = 0
    nonsense: list[Nonsense] = []
    """Answers to made-up names in the first place where two were asked for: most likely the same everywhere."""


place_of = decoder(PlaceRow)
host_of = decoder(HostPlaces)


class _Came:
    """What the last pages said that have come again, since the process began."""

    def __init__(self) -> None:
        self._said: dict[str, tuple[str, int]] = {}
        """By address: the kind of directory, and what was said."""
        self._who: dict[tuple[str, int], str] = {}

    def among(self, directory: str, url: str, said: int) -> str | None:
        """Take a page in. Gives another one there that says the same."""
        self._forget(url)
        other = self._who.setdefault((directory, said), url)
        if other != url:
            return other
        self._said[url] = directory, said
        if len(self._said) > CAME_MOST:
            self._forget(next(iter(self._said)))
        return None

    def _forget(self, url: str) -> None:
        if (key := self._said.pop(url, None)) is not None:
            del self._who[key]


class Soft404:
    """Knows how servers answer to nonsense, and which pages are such answers."""

    def __init__(self, table: Table) -> None:
        self._places = Rows(table, PROBES, place_of, PlaceRow)
        self._hosts = Rows(table, PROBES, host_of, HostPlaces)
        self._out: set[str] = set()
        """Kinds of directory about which a question is out; lost with the process, and asked again."""
        self._again: Counter[str] = Counter()
        """Errors that have come again, by kind of directory, since the process began."""
        self._came = _Came()

    def judge(self, kind: Template, url: str, answer: Answer) -> str:
        """Why an answer is an error in disguise; nothing when it is not, or when that is not known yet."""
        place = self._places.peek(kind.directory)
        if place is not None and place.verdict is not Verdict.OPEN:
            return _disguised(place.nonsense, answer) if place.verdict is Verdict.SOFT else ""
        host = self._hosts.use(host_key(kind.host))
        if not _is_home(kind) and host.honest < HONEST and host.places < PLACES:
            host.places += place is None
            place = self._places.use(kind.directory)
            _remember(place, url, answer.text.plain if answer.text else 0, answer.target)
        return ""

    def question(self, kind: Template, url: str, *, alike: bool) -> str | None:
        """A made-up address to ask for, now that one of that kind has been answered; mostly none."""
        host = self._hosts.use(host_key(kind.host))
        host.pages += 1
        host.alike += alike
        place = self._places.peek(kind.directory) or PlaceRow()
        if _is_home(kind) or kind.directory in self._out or not _is_worth_it(host, place, alike=alike):
            return None
        return _made_up(url, place.asked)

    def question_again(self, kind: Template, url: str) -> str | None:
        """The same, now that an error in disguise has come again; it waits for the answer."""
        place = self._places.use(kind.directory)
        if place.verdict is not Verdict.SOFT:
            return None
        _remember(place, url)
        return self._now_and_then(kind, url, place)

    def question_alike(self, kind: Template, url: str, text: Sketch) -> str | None:
        """The same, now that a page has come again that was a page of its own. If it says what another one says, both
        wait for the answer."""
        place = self._places.peek(kind.directory)
        if place is not None and any(each == url for each, *_ in place.recent):
            _remember(self._places.use(kind.directory), url, text.plain)
        other = self._came.among(kind.directory, url, text.plain)
        if other is None or _is_home(kind):
            return None
        if place is None:
            host = self._hosts.use(host_key(kind.host))
            if host.places >= PLACES:
                return None
            host.places += 1
        place = self._places.use(kind.directory)
        for each in (other, url):
            _remember(place, each, text.plain)
        return self._now_and_then(kind, url, place)

    def _now_and_then(self, kind: Template, url: str, place: PlaceRow) -> str | None:
        if kind.directory in self._out:
            return None
        self._again[kind.directory] += 1
        lacks = place.verdict is Verdict.SOFT and not _is_known(place)
        return _made_up(url, place.asked) if lacks or self._again[kind.directory] % AGAIN == 1 else None

    def asks(self, url: str) -> None:
        """A question goes out."""
        kind = template(url)
        self._out.add(kind.directory)
        self._places.use(kind.directory).asked += 1
        self._hosts.use(host_key(kind.host)).asked += 1

    def learn(self, url: str, status: int, answer: Answer) -> Iterator[tuple[str, str]]:
        """Take in the answer to a question. Gives addresses that turn out to be errors, each with the reason; without
        one those that were errors and have to be looked at again."""
        kind = template(url)
        self._out.discard(kind.directory)
        place, host = self._places.use(kind.directory), self._hosts.use(host_key(kind.host))
        verdict = _verdict(url, status, answer)
        if verdict is Verdict.OPEN:
            return
        recent, place.recent = place.recent, []
        was_known = place.verdict is Verdict.SOFT and _is_known(place)
        if was_known and verdict is Verdict.SOFT and _disguised(place.nonsense, answer):
            return
        if was_known:
            place.nonsense, host.nonsense = [], []
            yield from ((page, "") for page, said, target in recent if not (said or target))
        place.verdict = verdict
        if verdict is Verdict.HONEST:
            host.honest += 1
            place.nonsense = []
            return
        place.nonsense = self._nonsense(kind, place, _told(answer))
        for page, said, target in recent:
            if reason := _equal(place.nonsense, said, target):
                yield page, reason

    def _nonsense(self, kind: Template, place: PlaceRow, answer: Nonsense) -> list[Nonsense]:
        """With what the host said elsewhere, if this is more of it: then it need not be asked twice here."""
        host = self._hosts.use(host_key(kind.host))
        answers = [*place.nonsense, answer]
        if len(answers) < ANSWERS and host.nonsense and _alike([each.marks for each in host.nonsense], answer.marks):
            return host.nonsense
        if len(answers) == ANSWERS and not host.nonsense:
            host.nonsense = answers
        return answers

    def save(self) -> None:
        """What was learned becomes part of the next commit."""
        self._places.save()
        self._hosts.save()


def disguised_places(table: Table, host: str) -> list[str]:
    """The kinds of directory of a host in which errors look like pages."""
    rows = (row for mark in "/:" for row in table.scan(PROBES, prefix=f"{host}{mark}".encode()))
    return [text(key) for key, data in rows if key[-1:] != b"\0" and place_of(data).verdict is Verdict.SOFT]


def _is_home(kind: Template) -> bool:
    return kind.path == f"{kind.host}/"


def _is_worth_it(host: HostPlaces, place: PlaceRow, *, alike: bool) -> bool:
    if host.asked >= FIRST + host.pages // RATE or place.asked >= TRIES:
        return False
    if place.verdict is Verdict.SOFT:
        return not _is_known(place)
    known = host.pages >= PAGES or host.alike >= ALIKE
    return place.verdict is Verdict.OPEN and known and (alike or host.honest < HONEST)


def _remember(place: PlaceRow, url: str, said: int = 0, target: str = "") -> None:
    """It waits for the answer to a question."""
    others = [each for each in place.recent if each[0] != url]
    place.recent = [*others[1 - RECENT :], (url, said, target)]


def _is_known(place: PlaceRow) -> bool:
    """Have errors there been heard as often as they have to be?"""
    return len(place.nonsense) == ANSWERS or any(each.target for each in place.nonsense)


def _made_up(url: str, number: int) -> str:
    """The address with a name that nobody has given; the same in every run."""
    path = url.partition("?")[0].partition(";")[0]
    above = path.removesuffix("/").rpartition("/")[0]
    letters = random.Random(f"{above} {number}").choices(ascii_lowercase, k=LETTERS)
    return f"{above}/{''.join(letters)}{template(path).directory.rpartition('*')[2]}"


def _verdict(url: str, status: int, answer: Answer) -> Verdict:
    """What an answer to nonsense tells: OPEN is nothing, as silence. A redirect that carries the name along is no
    error."""
    if 200 <= status < 300:
        return Verdict.SOFT if answer.text else Verdict.HONEST
    if answer.target:
        name = url.rstrip("/").rpartition("/")[2].partition(".")[0]
        return Verdict.HONEST if name in answer.target else Verdict.SOFT
    return Verdict.HONEST if 400 <= status < 500 and status not in THROTTLED else Verdict.OPEN


def _told(answer: Answer) -> Nonsense:
    text = answer.text
    return Nonsense(text.plain, marks(text), "") if text else Nonsense(0, (), answer.target)


def _equal(nonsense: list[Nonsense], said: int, target: str) -> str:
    """Why an answer that is known by its digest only is an error."""
    if (said, target) not in {(each.plain, each.target) for each in nonsense}:
        return ""
    return SAME_TARGET if target else SAME_PAGE


def _disguised(nonsense: list[Nonsense], answer: Answer) -> str:
    told = _told(answer)
    if reason := _equal(nonsense, told.plain, told.target):
        return reason
    pages = [each.marks for each in nonsense if not each.target]
    return SAME_PAGE if pages and told.marks and _alike(pages, told.marks) else ""


def _alike(nonsense: list[tuple[int, ...]], page: tuple[int, ...]) -> bool:
    """Does a page say all that answers to nonsense have in common, and no more of its own than they do?

    Only the smallest hashes of the words are known, so all are compared up to where all are known.
    """
    bound = min((marks[-1] for marks in (*nonsense, page) if len(marks) == MARKS), default=inf)
    said = [{mark for mark in marks if mark <= bound} for marks in nonsense]
    common = set.intersection(*said)
    own = max(len(each - common) for each in said)
    words = {mark for mark in page if mark <= bound}
    return bool(common) and 2 * own <= len(common) and common <= words and len(words - common) <= own
