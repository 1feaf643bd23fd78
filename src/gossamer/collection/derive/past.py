"""What pages said before stays findable: an index of its own for the texts that have given way to others.

It is derived, like the index of now, and follows the same log: a row says up to which length of the log all pages were
looked at. A page that is looked at gets the entries that its versions ask for, and loses others, so that it can be
looked at again after a crash, and the order in which versions come does not matter. Where a version comes or changes
that the log does not tell of, the row goes before and comes back after it: without it a build makes all of it again.
There is no folder before a page has changed.
"""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from math import inf
from operator import attrgetter, itemgetter
from pathlib import Path

import msgspec

from gossamer import files
from gossamer.collection.derive.spans import Span, Told, spans, timeline
from gossamer.collection.derive.underived import PAST_WHOLE
from gossamer.collection.folder import PAST
from gossamer.errors import Damaged
from gossamer.index.entry import Entry, TextSpan, milliseconds, text_name
from gossamer.index.opening import discard
from gossamer.index.shard_index import ShardIndex
from gossamer.index.soundness import META, problems
from gossamer.model import URL
from gossamer.printable import log
from gossamer.rows import Natural, decoder
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.store.versions import STATE, Version, place_of

_CURE = "`gossamer build DIR` makes it again"


class Covered(msgspec.Struct, array_like=True, frozen=True):
    """The row that says that all is there."""

    length: Natural
    """Of the log, up to which all pages were looked at."""
    source: Natural
    """Drawn for the index, which names it too; 0: there is none, because no page has changed yet."""


covered_of = decoder(Covered)


class Past:
    """The index of what was, while it is written to."""

    def __init__(self, shard: Path, table: Table, archive: Archive, entry: Callable[[URL, Span], Entry | None]) -> None:
        """`entry` is what is indexed of a text; None when nobody should find it."""
        self._folder = shard / PAST
        self._table = table
        self._archive = archive
        self._entry = entry
        self._stored = covered(table)
        self._state = self._stored
        self._noted: dict[URL, None] = {}
        self._shard_index: ShardIndex | None = None
        self._anew = self._changed = False
        if self._state is not None and not self._state.source:
            discard(self._folder)  # it was not committed that there is one
        elif self._state is not None and not files.is_file(self._folder / META):
            self._give_up(Damaged(f"{self._folder}: is missing"))

    @property
    def whole(self) -> bool:
        """It has all that was, or will have when what is noted is committed."""
        return self._state is not None

    @property
    def length(self) -> int:
        """Of the log, up to which it has all pages."""
        return self._state.length if self._state else 0

    def begin(self) -> None:
        """There is nothing yet."""
        self._state = Covered(0, 0)
        self._put(self._state)

    def note(self, url: URL) -> None:
        """A page may say something else than before: it is looked at with the next commit."""
        if self._state is not None:
            self._noted[url] = None

    def hold(self) -> None:
        """Versions come or go of which the log does not tell. Until the next commit of this it is not whole."""
        if self._stored is not None:
            self._table.delete(STATE, PAST_WHOLE)
            self._stored = None

    def outdate(self) -> None:
        """It has to be made again."""
        self.hold()
        self._state, self._noted = None, {}

    def commit(self, length: int) -> None:
        """After a commit of the rows, which have so much of the log. That all is there comes with the next of them."""
        noted, self._noted = self._noted, {}
        try:
            for url in noted if self._state is not None else ():
                self.settle(url, list(self._archive.versions.of(url)))
            if self._state is None:
                return
            if self._changed and self._shard_index is not None:
                self._shard_index.commit(length, self._state.source)
        except Damaged as error:
            self._give_up(error)
            return
        self._anew = self._changed = False
        self._state = Covered(length, self._state.source)
        if self._state != self._stored:
            self._put(self._state)

    def settle(self, url: URL, versions: Sequence[Version], *, shrunk: bool = False) -> None:
        """Give a page the entries that its versions ask for. `shrunk`: it has lost some, also if one is left."""
        if len(versions) < 2 and not shrunk:
            return
        wrong, lacking = compared(timeline(self._archive, versions), self._known(url))
        for each in wrong:
            self._writing().remove(text_name(url, each.since / 1_000))
            self._changed = True
        for span in lacking:
            if (entry := self._entry(url, span)) is not None:
                self._writing().add(entry)
                self._changed = True

    def begin_anew(self) -> None:
        """Take everything out. Until the next commit whoever searches has what was there."""
        self.outdate()
        self._state = Covered(0, 0)
        if files.is_folder(self._folder):
            self._state = Covered(0, _drawn())
            self._anew = self._changed = True
            self._writing().clear()

    def close(self) -> None:
        """No more."""
        if self._shard_index is not None:
            self._shard_index.close()

    def _put(self, state: Covered) -> None:
        self._table.put(STATE, PAST_WHOLE, msgspec.msgpack.encode(state))
        self._stored = state

    def _known(self, url: URL) -> list[TextSpan]:
        if self._anew or self._state is None or not self._state.source:
            return []
        return self._writing().texts_of(url)

    def _writing(self) -> ShardIndex:
        if self._shard_index is None:
            self._shard_index = self._opened()
        return self._shard_index

    def _opened(self) -> ShardIndex:
        assert self._state is not None, "only what is whole is written to"
        if not self._state.source:
            self._state = Covered(self._state.length, _drawn())
            return ShardIndex(self._folder)
        try:
            if damage := next(problems(self._folder), None):
                raise Damaged(damage)
            found = ShardIndex(self._folder)
            found.probe()
            if not self._anew and found.source != self._state.source:
                raise Damaged(f"{self._folder}: is the index of another collection")
        except Damaged:
            if not self._anew:
                raise
            discard(self._folder)
            found = ShardIndex(self._folder)
        return found

    def _give_up(self, error: Damaged) -> None:
        """The rest of the collection does not wait for it."""
        log.warning("%s; the past cannot be searched until %s", error, _CURE)
        self.outdate()


def covered(table: Table) -> Covered | None:
    """How far the index of the past goes; None when it has to be made."""
    data = table.get(STATE, PAST_WHOLE)
    return None if data is None else covered_of(data)


def by_page(archive: Archive) -> Iterator[tuple[URL, list[Version]]]:
    """All addresses, each with its versions, the newest first."""
    for url, named in groupby(archive.versions.all(), key=itemgetter(0)):
        yield url, [version for _, version in named]


def compared(told: Sequence[Told], known: Sequence[TextSpan]) -> tuple[list[TextSpan], list[Span]]:
    """Entries of a page that are wrong by its versions, and texts of before that have to be put in.

    An entry is right if it has a version with its text in its time, and none with another. It may know more exactly
    when that was than what is kept: old versions go by a rule (`retention`). A page may have thousands of versions and
    is looked at with each of them, so none is compared with all entries.
    """
    moments = [milliseconds(version.began) for version, _ in told]
    identities = [identity for _, identity in told]
    ends = _ends(identities)

    def is_right(each: TextSpan) -> bool:
        first, after = _within(moments, each)
        text = place_of(each.shown.text).identity
        return first < after <= ends[first] and identities[first] == text

    right = [each for each in known if is_right(each)]
    shown = _joined(right)
    lacking = [span for span in spans(told) if span.until is not None and not _has(shown, span)]
    missed = sorted(milliseconds(version.began) for span in lacking for version in span.versions)
    kept = {id(each) for each in right if _is_empty(_within(missed, each))}
    return [each for each in known if id(each) not in kept], lacking


def _within(moments: Sequence[int], each: TextSpan) -> tuple[int, int]:
    """Which of them lie in the time of an entry: from the first to before the second."""
    return bisect_left(moments, each.since), len(moments) if each.until is None else bisect_left(moments, each.until)


def _is_empty(which: tuple[int, int]) -> bool:
    first, after = which
    return first >= after


def _ends(identities: Sequence[object]) -> list[int]:
    """For each how far those reach that are the same."""
    ends: list[int] = []
    for _, run in groupby(identities):
        number = sum(1 for _ in run)
        ends += [len(ends) + number] * number
    return ends


def _joined(entries: Iterable[TextSpan]) -> list[tuple[int, float]]:
    """The times of entries without those that lie in others, in their order: from when, and until when."""
    joined: list[tuple[int, float]] = []
    for each in sorted(entries, key=attrgetter("since")):
        until = inf if each.until is None else each.until
        if not joined or joined[-1][1] < until:
            joined.append((each.since, until))
    return joined


def _has(shown: Sequence[tuple[int, float]], span: Span) -> bool:
    """Has each version of a text an entry in whose time it lies?"""
    moments = (milliseconds(version.began) for version in span.versions)
    return all(_is_shown(shown, moment) for moment in moments)


def _is_shown(shown: Sequence[tuple[int, float]], moment: int) -> bool:
    last = bisect_right(shown, moment, key=itemgetter(0)) - 1
    return last >= 0 and moment < shown[last][1]


def check(
    shard: Path, table: Table, archive: Archive, length: int, findable: Callable[[URL, Span], bool]
) -> Iterator[str]:
    """What is wrong with it, if it should be there: what it lacks, and what it should not have. Where a crash has left
    it behind the log, which has so much, the next crawl or build brings it up."""
    state = covered(table)
    if state is None or not (state.source or files.is_folder(shard / PAST)):
        return
    if damage := next(problems(shard / PAST), None):
        yield f"{damage}; {_CURE}"
        return
    try:
        index = ShardIndex(shard / PAST, writable=False)
        index.probe_all()
        if index.source != state.source and state.source:
            raise Damaged("the index of the past is that of another collection")
        if state.length == length:
            yield from _differences(index, archive, findable)
    except Damaged as error:
        yield f"{shard / PAST}: {error}; {_CURE}"


def _differences(index: ShardIndex, archive: Archive, findable: Callable[[URL, Span], bool]) -> Iterator[str]:
    left = set(index.urls())
    for url, versions in by_page(archive):
        if len(versions) < 2 and url not in left:
            continue
        wrong, lacking = compared(timeline(archive, versions), index.texts_of(url))
        left.discard(url)
        if wrong:
            yield f"{url}: the index of the past has a text that it should not have; {_CURE}"
        if any(findable(url, span) for span in lacking):
            yield f"{url}: the index of the past lacks a text of it; {_CURE}"
    for url in sorted(left):
        yield f"{url}: the index of the past has it, and there is no such page; {_CURE}"


def _drawn() -> int:
    return int.from_bytes(os.urandom(7), "big") or 1
