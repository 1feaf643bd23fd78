"""The versions of a page, and what each changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gossamer.collection.ask.change_details import other_fields
from gossamer.collection.ask.differences import Line, Words, difference, words_changed
from gossamer.collection.ask.times import in_utc
from gossamer.errors import Damaged, NotFound
from gossamer.frontier.ledger import Ledger
from gossamer.model import HTML, URL, Capture, Page
from gossamer.store.archive import Archive
from gossamer.store.versions import NOT_MODIFIED, Version

if TYPE_CHECKING:
    from gossamer.search.past import Span

GONE = (404, 410)
"""Statuses that say so."""
_CONFIRMED = "not modified"
"""What the history of an address says of a 304."""


@dataclass(frozen=True, slots=True)
class Edition:
    """A version, and how it differs from the one before it."""

    number: int
    """The first is 1. 0 for a 304, which is no version: the server said that the last one still holds."""
    fetched: datetime
    status: int
    change: str
    """first, unchanged, changed, redirect or error"""
    digest: str = ""
    size: int = 0
    title: str = ""
    revisit: bool = False
    """Only the head was kept, because the payload is stored already."""
    words: Words | None = None
    """Words of the main content that came and went; None where nothing was compared."""

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "number": self.number or None,
            "fetched": self.fetched.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "status": self.status,
            "change": self.change,
            "digest": self.digest or None,
            "size": self.size,
            "title": self.title,
            "revisit": self.revisit,
            "words_added": self.words.added if self.words else None,
            "words_removed": self.words.removed if self.words else None,
        }


@dataclass(frozen=True, slots=True)
class Diff:
    """What changed between two versions of a page."""

    url: URL
    old: Edition
    new: Edition
    lines: tuple[Line, ...]
    gone: Edition | None = None
    """Where the page is there no more: the first answer after its last version that said so."""
    full: bool = False
    """All words were compared, not only the main content."""

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        lines = [{"sign": line.sign, "pieces": [list(piece) for piece in line.pieces]} for line in self.lines]
        gone = self.gone.as_json() if self.gone else None
        return {"url": self.url, "old": self.old.as_json(), "new": self.new.as_json(), "lines": lines, "gone": gone}


class Past:
    """What is known of one address."""

    def __init__(self, archive: Archive, ledger: Ledger, url: URL, read: Callable[[Capture], Page]) -> None:
        self._archive = archive
        self._url = url
        self._again = lru_cache(maxsize=2)(lambda version: read(archive.capture(url, version)))
        """Each version is compared with the one before it, and then with the one after it."""
        self._versions = list(archive.versions.of(url))[::-1]
        entry = ledger.get(url)
        self._confirmed = [moment for moment, what in entry.history if what == _CONFIRMED] if entry else []

    def editions(self) -> list[Edition]:
        """The oldest first. Of the answers that were 304, those that the address still remembers."""
        confirmed = [Edition(0, _time(moment), NOT_MODIFIED, "unchanged", revisit=True) for moment in self._confirmed]
        return sorted([*self._editions(), *confirmed], key=lambda each: each.fetched)

    def diff(self, old: Edition, new: Edition, *, full: bool = False) -> Diff:
        """Between two of them; `full` has all words of both, also those around the main content."""
        one, other = (self._versions[each.number - 1] for each in (old, new))
        return Diff(self._url, old, new, tuple(difference(*self._compared(one, other, full=full))), full=full)

    def _editions(self) -> Iterator[Edition]:
        before = None
        for number, version in enumerate(self._versions, 1):
            change = _kind(before, version)
            words = words_changed(*self._compared(before, version)) if before and change == "changed" else None
            if 200 <= version.status < 300:
                before = version
            yield Edition(
                number,
                _time(version.began),
                version.status,
                change,
                version.digest,
                version.size,
                version.title,
                version.original is not None,
                words,
            )

    def _compared(self, old: Version, new: Version, *, full: bool = False) -> tuple[str, str]:
        """What two versions say, found in the same way, so that they differ only in what the page says. After it stands
        what the page function found in the one and not in the other.

        Texts are made by what was known of the site at the time: what many pages share is left out once that is known,
        and is still there. So pages whose texts differ are read again, both without what others taught.
        """
        one, other = self._kept(old), self._kept(new)
        went, came = other_fields(one.fields, other.fields)
        if full:
            return _all_said(one) + went, _all_said(other) + came
        if _said(one) != _said(other) and all(each.media_type in HTML for each in (one, other)):
            with suppress(Damaged):
                one, other = self._again(old), self._again(new)
        return _said(one) + went, _said(other) + came

    def _kept(self, version: Version) -> Page:
        return self._archive.page(self._url, version) or self._again(version)


def gone(editions: Sequence[Edition]) -> Edition | None:
    """Where the page is there no more: the first answer after its last version that said so."""
    for number, each in enumerate(editions):
        if each.status in GONE and not any(200 <= later.status < 300 for later in editions[number:]):
            return each
    return None


def saying(editions: Sequence[Edition], spans: Sequence[Span]) -> list[Edition]:
    """Those of the times in which the page said something."""
    return [
        each
        for each in editions
        if 200 <= each.status < 300 and any(_reaches(span, round(each.fetched.timestamp(), 3)) for span in spans)
    ]


def _reaches(span: Span, moment: float) -> bool:
    return span.since <= moment and (span.until is None or moment < span.until)


def _said(page: Page) -> str:
    """As `show` prints it: the title, then the main content, or all words where there is none."""
    return _titled(page, page.content or page.text)


def _all_said(page: Page) -> str:
    """As `show --full` prints it."""
    return _titled(page, page.text)


def _titled(page: Page, text: str) -> str:
    return text if text.partition("\n")[0] == page.title else f"{page.title}\n{text}"


def chosen(
    editions: Sequence[Edition], url: URL, old: int | datetime | None, new: int | datetime | None
) -> tuple[Edition, Edition]:
    """The two versions that are meant; without any, the last change."""
    pages = [each for each in editions if each.number and 200 <= each.status < 300]
    if len(pages) < 2:
        since = gone(editions)
        went = f", and is gone since {since.fetched:%Y-%m-%d %H:%M:%S} UTC (status {since.status})" if since else ""
        raise NotFound(f"{url}: has {len(pages) or 'no'} version{went}; there is nothing to compare")
    after = pages[-1] if new is None else _meant(pages, url, new)
    if old is not None:
        return _meant(pages, url, old), after
    changed = [each for each in pages if each.fetched < after.fetched and each.digest != after.digest]
    earlier = [each for each in pages if each.fetched < after.fetched]
    if not earlier:
        raise NotFound(f"{url}: version {after.number} is the first; there is none before it")
    return (changed or earlier)[-1], after


def _meant(pages: Sequence[Edition], url: URL, which: int | datetime) -> Edition:
    if isinstance(which, int):
        found = [each for each in pages if each.number == which]
    else:
        found = [each for each in pages if each.fetched <= in_utc(which)]
    if not found:
        known = ", ".join(str(each.number) for each in pages)
        raise NotFound(f"{url}: has no such version as {which}; its versions are {known}")
    return found[-1]


def _kind(before: Version | None, version: Version) -> str:
    if not 200 <= version.status < 300:
        return "redirect" if version.status < 400 else "error"
    if before is None:
        return "first"
    return "unchanged" if version.digest == before.digest else "changed"


def _time(moment: float) -> datetime:
    return datetime.fromtimestamp(moment, UTC)
