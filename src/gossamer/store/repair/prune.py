"""Let old versions go, by a rule. Their rows go first; their bytes go when enough of a file is of no use.

    chosen     what the rule lets go, but for what another version needs: its payload or its text
    forget     the rows of those, each with a note that its record is of no use
    reclaim    files that are mostly of no use are written again without it, and so are the texts

Whatever is killed meanwhile, the next run goes on: each commit leaves rows that fit together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import groupby
from typing import TypeAlias

from gossamer import files
from gossamer.model import URL
from gossamer.store.archive import Archive
from gossamer.store.repair.rewrite import carry_texts, rewrite
from gossamer.store.retention import Rule
from gossamer.store.table.table import Table
from gossamer.store.versions import Version
from gossamer.store.warc.records import Info
from gossamer.store.warc.warc import Record
from gossamer.urls import keys

WASTED = 0.25
"""The part of a file that is of no use when it is written again without it."""
INTRODUCED = 1_024
"""Bytes of a file that say what it is, at the most."""
BATCH = 10_000
"""Versions for each commit."""
_JOB = b"prune"

Name: TypeAlias = tuple[URL, int]


@dataclass(frozen=True, slots=True)
class LetGo:
    """What has gone, or would go."""

    versions: int = 0
    bytes: int = 0
    """Of their records, whether the disk has them back by now or not."""
    freed: int = 0
    """Bytes that the files have become shorter."""
    pages: dict[URL, int] = field(default_factory=dict)
    """How many versions of which page, in the order of the addresses."""

    def __add__(self, other: LetGo) -> LetGo:
        pages = dict(merge(self.pages.items(), other.pages.items(), key=lambda each: keys.row(each[0])))
        return LetGo(self.versions + other.versions, self.bytes + other.bytes, self.freed + other.freed, pages)


def chosen(archive: Archive, rule: Rule, now: float) -> dict[Name, tuple[URL, Version]]:
    """What may go. Those that point at others come first, so that none is left pointing at nothing."""
    goes: dict[Name, tuple[URL, Version]] = {}
    if rule.keeps_all:
        return goes
    for url, named in groupby(archive.versions.all(), key=lambda each: each[0]):
        for version in rule.superfluous([version for _, version in named], now):
            goes[_name(url, version.began)] = url, version
    stays = (version for url, version in archive.versions.all() if _name(url, version.began) not in goes)
    needed = [name for version in stays for name in _needs(version) if name in goes]
    while needed:
        found = goes.pop(needed.pop(), None)
        needed += _needs(found[1]) if found else ()
    return dict(sorted(goes.items(), key=lambda each: not any(_needs(each[1][1]))))


def would_go(archive: Archive, rule: Rule, now: float) -> LetGo:
    """What `prune` would take out."""
    return _sum(chosen(archive, rule, now))


def prune(table: Table, archive: Archive, info: Info, rule: Rule, now: float, *, wasted: float = WASTED) -> LetGo:
    """Let them go, and give their bytes back where at least that part of a file is wasted. The texts must be open."""
    goes = chosen(archive, rule, now)
    for number, (url, version) in enumerate(goes.values(), 1):
        archive.versions.remove(url, version.began)
        first = archive.versions.first(version.digest, version.kind) if version.digest else None
        if first is not None and _name(first.url, first.began) == _name(url, version.began):
            archive.versions.remove_first(version.digest, version.kind)
        archive.pruned.note(url, version)
        if number % BATCH == 0:
            table.commit()
    table.commit()
    return replace(_sum(goes), freed=_reclaim(table, archive, info, wasted))


def _sum(goes: dict[Name, tuple[URL, Version]]) -> LetGo:
    pages = Counter(url for url, _ in sorted(goes.values(), key=lambda each: keys.row(each[0])))
    return LetGo(len(goes), sum(version.length for _, version in goes.values()), pages=pages)


def _reclaim(table: Table, archive: Archive, info: Info, wasted: float) -> int:
    """Write files again that are mostly of no use. How many bytes shorter all of them are."""
    before = _octets(archive)
    lengths = [length for _, length in archive.texts.files()]
    if sum(lengths) - _texts_in_use(archive) - len(lengths) * INTRODUCED > wasted * sum(lengths):
        carry_texts(table, archive, _JOB)
    there = {path.name: path for path, _ in archive.files.all()}
    notes = archive.pruned.files()
    done = notes.keys() - there.keys()
    for name, octets in notes.items():
        if name in there and octets > wasted * files.size(there[name]):
            rewrite(table, archive, there[name], lambda record: _is_wanted(archive, record), info, keep=False)
            done.add(name)
    archive.pruned.forget(done)
    table.commit()
    return max(before - _octets(archive), 0)


def _is_wanted(archive: Archive, record: Record) -> bool:
    """Also a 304 goes with what it says is still right."""
    url, original = record.url or "", record.original
    is_of_no_use = archive.pruned.has(url, record.began)
    return not (is_of_no_use or (original is not None and archive.pruned.has(original.url, original.began)))


def _texts_in_use(archive: Archive) -> int:
    places = (version.text for _, version in archive.versions.all() if version.text is not None)
    return sum(place.html + place.plain + place.said for place in places)


def _octets(archive: Archive) -> int:
    return sum(length for _, length in (*archive.files.all(), *archive.texts.files()))


def _needs(version: Version) -> Iterator[Name]:
    """The versions that it points at."""
    if version.original is not None:
        yield _name(version.original, version.original_began)
    if version.text_of is not None:
        yield _name(version.text_of, version.text_began)


def _name(url: URL, began: float) -> Name:
    return url, round(began * 1_000)
