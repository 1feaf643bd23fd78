"""Forms of the pages that come: which are sent, what with, and what have their answers brought?

An answer is a page like any other, with an address that can be asked for again: it goes through the same queues, under
the same rules, and its links are followed. What is here only names the next address of a form when the one before has
come. Rows are part of the same commits as the addresses they name, so a kill changes nothing.

A record is a link on an answer that does not stand on an answer without results; where there are none, a line of text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import blake2b
from urllib.parse import parse_qsl

from gossamer.convert.html.forms import Form, of_capture
from gossamer.frontier.discover.discovery import Discovery, Found
from gossamer.frontier.entries import FORMS, META, RECORDS, State, encode
from gossamer.frontier.forms.asking import PROBE, Asking, telling, words_of
from gossamer.frontier.forms.form_rows import SUMS, FormRow, FormSums, mark_of, stored, sums_of_one
from gossamer.frontier.forms.harmless import Wanted, free_fields, is_choice, refusal
from gossamer.frontier.ledger import Ledger
from gossamer.model import Capture, Link, Page
from gossamer.rows import number
from gossamer.store.table.table import Table
from gossamer.urls import keys

PER_HOST = 10
"""Forms of a host that are sent."""
_REFUSED_PER_HOST = 50
"""Those that are not sent and yet remembered, with the reason."""
_EMPTY_MOST = 5_000
"""Marks of an answer without results."""
_FEW_NEW = 0.1
"""The part of its records that must be new, or the further pages of an answer are left."""
_LINE_LEAST = 12
"""Characters of a line that may be a record."""
_LINES_MOST = 50_000
_PAGES_FOR_WORDS = 500
_WORDS_KEPT = 5_000
_FORM = re.compile(rb"<form\b.*?(?:</form\b|\Z)", re.IGNORECASE | re.DOTALL)
_ANY = re.compile(
    r"\W*(?:any|all|every|choose|select|please|alle|beliebig|bitte|tous|toutes|choisi|todos|todas|cualquier|elige|selec"
    r"|qualquer|tutti|tutte|scegli|kies|välj|wszystk|wybierz|любой|все|выбер|全部|すべて|전체|-+)",
    re.IGNORECASE,
)


class Forms:
    """The forms of one shard."""

    def __init__(
        self,
        table: Table,
        ledger: Ledger,
        discovery: Discovery,
        allows: Callable[[str], bool],
        wanted: Wanted,
        budget: int,
    ) -> None:
        """`allows` tells whether robots.txt lets an address be asked for, as far as it is known."""
        self._table, self._ledger, self._discovery, self._allows = table, ledger, discovery, allows
        self._wanted: Wanted = wanted
        self._budget = budget
        self._rows = dict(stored(table))
        self._counted = {mark: sums_of_one(row) for mark, row in self._rows.items()}
        self._sums = sum(self._counted.values(), FormSums())
        self._by_action: dict[str, list[bytes]] = {}
        for mark, row in self._rows.items():
            self._by_action.setdefault(row.action.partition("?")[0], []).append(mark)
        self._waiting = {row.waiting: mark for mark, row in self._rows.items() if row.waiting}
        self._changed: set[bytes] = set()
        self._met: set[bytes] = set()
        """Forms as they are written, that need not be read again."""
        self._lines: set[int] = set()
        self._words: dict[str, Counter[str]] = {}
        self._pages: Counter[str] = Counter()
        """Of each host."""

    def came(self, capture: Capture, page: Page) -> tuple[list[Found], Sequence[Link]]:
        """A page was kept: what is asked next because of it, and which of its links are followed."""
        url = capture.visit.url
        self._describe(url, page)
        found: list[Found] = []
        links: Sequence[Link] = page.links
        for mark in self._by_action.get(url.partition("?")[0], ()):
            row = self._rows[mark]
            if not row.refused and (key := row.key(url)) is not None and key in row.questions:
                links = self._answer(mark, key, page, links)
                if row.waiting == url:
                    found += self._ask(mark)
        for mark, form in self._new(capture):
            found += self._begin(mark, form, page, capture.visit.depth)
        return found, links

    def settled(self, url: str) -> list[Found]:
        """An address has its next state. Where it was asked with a form and brings no page, the next one is asked."""
        mark = self._waiting.get(url)
        if mark is None:
            return []
        entry, row = self._ledger.get(url), self._rows[mark]
        if entry is None or entry.state is State.QUEUED:
            return []
        if entry.target and self._expect(mark, entry.target):
            return []
        if row.requests == 0 and PROBE in row.arms:
            row.ended = f"its first answer did not come: {entry.reason}"
        if (key := row.key(url)) in row.questions and key is not None:
            Asking(row, self._budget).answered(key, records=0, new=0, first=True)
        return self._ask(mark)

    def save(self) -> None:
        """What has changed, into the next commit."""
        for mark in self._changed:
            row = self._rows[mark]
            self._table.put(FORMS, mark, encode(row))
            before, self._counted[mark] = self._counted.get(mark, FormSums()), sums_of_one(row)
            self._sums += self._counted[mark] - before
        if self._changed:
            self._table.put(META, SUMS, encode(self._sums))
        self._changed.clear()

    # ------------------------------------------------------------------- asking

    def _new(self, capture: Capture) -> list[tuple[bytes, Form]]:
        """Forms of a page that were not met before."""
        written = {blake2b(each, digest_size=8).digest() for each in _FORM.findall(capture.body)}
        if written <= self._met:
            return []
        if len(self._met) < _LINES_MOST:
            self._met |= written
        return [(mark, form) for form in of_capture(capture) if (mark := mark_of(form)) not in self._rows]

    def _begin(self, mark: bytes, form: Form, around: Page, depth: int) -> list[Found]:
        page = around.url or ""
        host = keys.host(page)
        others = [row for row in self._rows.values() if keys.host(row.page) == host]
        reason = refusal(form, page, self._wanted)
        if mark in self._rows or sum(bool(row.refused) == bool(reason) for row in others) >= (
            _REFUSED_PER_HOST if reason else PER_HOST
        ):
            return []
        row = self._rows[mark] = _row(form, page, depth + 1, reason)
        row.own = telling(self._words.get(host, Counter()), self._pages[host])
        row.empty = _marks(around, row, "")  # until an answer without results has come
        self._by_action.setdefault(row.action.partition("?")[0], []).append(mark)
        return self._ask(mark)

    def _ask(self, mark: bytes) -> list[Found]:
        """The next address of a form that may be asked for, and was not before."""
        row = self._rows[mark]
        self._changed.add(mark)
        self._waiting.pop(row.waiting, None)
        row.waiting = ""
        if row.refused:
            return []
        asking = Asking(row, self._budget)
        while (values := asking.next()) is not None:
            address = row.address(values)
            if address is None:
                continue
            found = self._discovery.as_asked_for(Found(address, row.depth, row.page))
            if reason := self._discovery.refusal(found):
                row.ended = f"its answers are left out: {reason}"
            elif not self._allows(found.url):
                row.ended = "robots.txt forbids its answers"
            elif self._expect(mark, found.url):
                return [found]
        return []

    def _expect(self, mark: bytes, url: str) -> bool:
        """Wait for an address, unless it has come already."""
        row, entry = self._rows[mark], self._ledger.get(url)
        if row.key(url) is None or (entry is not None and entry.state is not State.QUEUED):
            return False
        self._waiting.pop(row.waiting, None)
        row.waiting = url
        self._waiting[url] = mark
        self._changed.add(mark)
        return True

    # ------------------------------------------------------------------ answers

    def _answer(self, mark: bytes, key: str, page: Page, links: Sequence[Link]) -> Sequence[Link]:
        """Count what an answer has brought. Its links, without its further pages where these are not worth it."""
        row = self._rows[mark]
        self._changed.add(mark)
        question = row.questions[key]
        first = row.waiting == page.url
        records = _records(page, row, key)
        if question.arm == PROBE:
            row.empty = _marks(page, row, row.nonsense)
            Asking(row, self._budget).answered(key, records=0, new=0, first=True)
            return links
        new = self._note(mark, row, records, list(row.questions).index(key) + 1)
        asking = Asking(row, self._budget)
        asking.answered(key, records=len(records), new=new, first=first)
        if new:
            asking.learn(self._unread(page, row))
        worth = not records or new >= _FEW_NEW * len(records) or not asking.is_covered()
        if worth and row.requests < self._budget:
            return links
        return [link for link in links if row.key(link.url) != key]

    def _note(self, mark: bytes, row: FormRow, records: set[int], question: int) -> int:
        """Each record with how many questions have brought it, and the last of them. How many are new."""
        names = [mark + each.to_bytes(8, "big") for each in records]
        new = 0
        for name, known in zip(names, self._table.get_many(RECORDS, names), strict=True):
            last, times = divmod(number(known or b""), 1 << 16)
            if last == question:
                continue
            new += not times
            row.records += not times
            row.once += (times == 0) - (times == 1)
            row.twice += (times == 1) - (times == 2)
            now = (question << 16) + min(times + 1, 3)
            self._table.put(RECORDS, name, now.to_bytes(6, "big"))
        return new

    def _unread(self, page: Page, row: FormRow) -> list[str]:
        """Lines of an answer that were not met before, and do not stand on every answer."""
        if len(self._lines) > _LINES_MOST:
            self._lines.clear()
        empty = set(row.empty)
        found = []
        for line in page.text.split("\n"):
            each = _number(line)
            if each not in empty and each not in self._lines:
                self._lines.add(each)
                found.append(line)
        return found

    def _describe(self, url: str, page: Page) -> None:
        """Count the words of the pages of a host: a form of it is asked for them first."""
        host = keys.host(url)
        self._pages[host] += 1
        if self._pages[host] <= _PAGES_FOR_WORDS:
            counted = self._words.setdefault(host, Counter())
            counted.update(words_of(f"{page.title} {(page.content or page.text)[:5_000]}"))
            if len(counted) > _WORDS_KEPT:
                self._words[host] = Counter(dict(counted.most_common(_WORDS_KEPT // 2)))


def _row(form: Form, page: str, depth: int, reason: str) -> FormRow:
    pressed = next((control for control in form.controls if control.kind == "submit"), None)
    fixed = [
        (control.name, control.value)
        for control in form.controls
        if control.name and (control.sent or control is pressed) and control.kind not in ("checkbox",)
    ]
    fixed += [(each.name, each.value) for each in form.controls if each.kind == "checkbox" and each.sent and each.name]
    choices = []
    for control in filter(is_choice, form.controls):
        values = [value for value, label in control.options if value != control.value and not _is_any(value, label)]
        if not any(_is_any(value, label) for value, label in control.options) and control.value:
            values.insert(0, control.value)  # what the page has chosen is one of them
        choices.append((control.name, control.value, tuple(dict.fromkeys(values))))
    return FormRow(
        form.action,
        page,
        depth,
        form.encoding,
        tuple(fixed),
        tuple(control.name for control in free_fields(form)),
        tuple(choices),
        "qx" + "".join(chr(97 + int(digit, 16)) for digit in mark_of(form).hex()[:10]),
        reason,
    )


def _is_any(value: str, label: str) -> bool:
    """Does an option stand for all others?"""
    return not value or _ANY.match(label) is not None


def _records(page: Page, row: FormRow, key: str) -> set[int]:
    """What stands on an answer and not on one without results: where it leads, or else what it says."""
    empty = set(row.empty)
    asked = dict(parse_qsl(key)).get(row.text[0], "") if row.text else ""
    return (_links(page, row) - empty) or (_lines(page, asked) - empty)


def _marks(page: Page, row: FormRow, asked: str) -> tuple[int, ...]:
    return tuple(sorted({*_links(page, row), *_lines(page, asked)})[:_EMPTY_MOST])


def _links(page: Page, row: FormRow) -> set[int]:
    """Where a page leads to, but for other answers of the form and for itself."""
    bare = row.action.partition("?")[0]
    return {
        _number(link.url)
        for link in page.links
        if link.place == "a" and link.url not in (page.url, row.page) and link.url.partition("?")[0] != bare
    }


def _lines(page: Page, asked: str) -> set[int]:
    """The lines of a page, without the word that was asked for: many repeat it."""
    lines = (line.replace(asked, "").strip() if asked else line.strip() for line in page.text.split("\n"))
    return {_number(line) for line in lines if len(line) >= _LINE_LEAST}


def _number(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
