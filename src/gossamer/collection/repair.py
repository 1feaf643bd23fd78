"""Make a damaged collection whole again: save every record that is whole, say what is lost, make the rest again.

Captures cannot be made again, so damaged files are written anew from their whole records, and put aside. Rows whose
records are gone go too, and their pages are queued. All else is derived, and made from what is left.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from gossamer.collection import findable, prints
from gossamer.collection.adopt import adopt
from gossamer.collection.meaning import site_of
from gossamer.collection.session import info_of
from gossamer.collection.underived import leave_out
from gossamer.collection.workshop import Bench, is_removed
from gossamer.errors import Damaged
from gossamer.frontier.again import fetch_again
from gossamer.frontier.ledger import Ledger
from gossamer.model import URL
from gossamer.store.agreement import is_of
from gossamer.store.archive import STATE, Archive
from gossamer.store.carry import carry_texts
from gossamer.store.forget import Named, dependent, forget
from gossamer.store.mending import rewrite
from gossamer.store.swaps import resume
from gossamer.store.verify import Checked, Gap, is_capture, lies_elsewhere, row_of, verify_archive, wrong_digest
from gossamer.store.warc import Record

_REASON = "its record in the archive was damaged"
_JOB = b"repair"


@dataclass(frozen=True, slots=True)
class Loss:
    """A version whose record is gone."""

    url: URL
    fetched: float
    queued: bool
    """It is fetched again by the next crawl. If not, it was an earlier version, an error or robots.txt."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """What was done to a collection."""

    problems: tuple[str, ...] = ()
    """What was wrong before."""
    gaps: tuple[Gap, ...] = ()
    """Bytes of WARC files that are lost."""
    lost: tuple[Loss, ...] = ()
    adopted: int = 0
    """Captures that had no row and have one now."""
    aside: tuple[Path, ...] = ()
    """Where the damaged files are now."""
    left: tuple[str, ...] = ()
    """What is still wrong."""
    gone: tuple[str, ...] = ()
    """What shards held whose tables were lost, and no capture is left of."""

    def __add__(self, other: Repaired) -> Repaired:
        return Repaired(
            self.problems + other.problems,
            self.gaps + other.gaps,
            self.lost + other.lost,
            self.adopted + other.adopted,
            self.aside + other.aside,
            self.left + other.left,
            self.gone + other.gone,
        )

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "problems": list(self.problems),
            "lost_bytes": [{"file": gap.file, "start": gap.start, "end": gap.end} for gap in self.gaps],
            "lost": [{"url": loss.url, "fetched": loss.fetched, "queued": loss.queued} for loss in self.lost],
            "adopted": self.adopted,
            "aside": [str(path) for path in self.aside],
            "left": list(self.left),
            "gone": list(self.gone),
        }


def repair(bench: Bench) -> Repaired:
    """One shard: its captures, rows and texts. What is made from them is thrown away where it does not fit."""
    resumed = resume(bench.table, STATE, bench.archive.folder)
    checked = verify_archive(bench.archive, partial(is_removed, bench.table))
    ill = [path for path, _ in bench.archive.files() if path.name in checked.ill]
    aside = [resumed, *(_mend(bench, path, checked) for path in ill)]
    lost = _drop(bench, checked)
    bench.archive.forget_missing()
    adopted = adopt(bench) if checked.unknown or any(bench.archive.passed.all()) else 0
    _correct(bench, checked)
    if checked.texts_ill:
        carry_texts(bench.table, bench.archive, _JOB)
    derived = list(findable.check(bench.path, bench.table, bench.archive))
    derived += prints.check(bench.table, bench.archive, site_of(bench.plan))
    if derived or checked.problems:
        leave_out(bench.table)
    bench.archive.prepare()
    bench.table.commit()
    return Repaired(
        (*checked.problems, *derived), tuple(checked.gaps), tuple(lost), adopted, tuple(filter(None, aside))
    )


def _mend(bench: Bench, path: Path, checked: Checked) -> Path | None:
    broken = [version for _, version in checked.unbacked if version.file == path.name]

    def is_quoted(record: Record) -> bool:
        """A page may hold a WARC file: what looks like a record inside of a broken one is none of ours."""
        row = row_of(bench.archive, record)
        if not is_capture(record) or (row is not None and row.record == record.place.record):
            return False
        return any(each.offset < record.place.offset < each.offset + each.length for each in broken)

    def wanted(record: Record) -> bool:
        return not (wrong_digest(record) or lies_elsewhere(bench.archive, record) or is_quoted(record))

    return rewrite(bench.table, bench.archive, path, wanted, info_of(bench.plan), keep=True)


def _drop(bench: Bench, checked: Checked) -> list[Loss]:
    """The rows whose records are not there any more."""
    gone = [named for url, version in checked.unbacked if (named := _gone(bench.archive, url, version.began))]
    if not gone:
        return []
    forgotten = forget(bench.archive.versions, gone)
    urls = {url for url, version in forgotten.gone if _was_newest(bench.archive, url, version.began)}
    queued = set(fetch_again(bench.table, sorted(urls), time.time(), _REASON))
    ledger = Ledger(bench.table)
    ledger.uncopied(forgotten.freed)
    ledger.save()
    bench.table.commit()
    by_url = groupby(sorted((url, version.began) for url, version in forgotten.gone), key=lambda each: each[0])
    latest = {url: max(began for _, began in each) for url, each in by_url}
    return [Loss(url, version.began, url in queued and version.began == latest[url]) for url, version in forgotten.gone]


def _correct(bench: Bench, checked: Checked) -> None:
    """Rows that say something else than their records are made from these again, and so are those of their copies."""
    rows = bench.archive.versions
    wrong = [(url, row) for url, began in dict.fromkeys(checked.untrue) if (row := rows.at(url, began))]
    if not wrong:
        return
    wrong += dependent(rows, wrong)
    copies = [*_made_again(bench, [each for each in wrong if each[1].original is None])]
    copies += [each for each in wrong if each[1].original is not None]
    for url, row in _made_again(bench, copies):
        rows.add(url, row)  # it is still wrong, and the check says so


def _made_again(bench: Bench, wrong: list[Named]) -> list[Named]:
    """Give them new rows. Those that could get none: the capture that they are copies of has none at present."""
    rows, failed = bench.archive.versions, []
    for url, row in wrong:
        rows.remove(url, row.began)
    if wrong:
        adopt(bench)
    for url, row in wrong:
        if made := rows.at(url, row.began):  # who is a copy of whom is not in its record
            rows.add(url, msgspec.structs.replace(made, copy_of=row.copy_of, near_copy_of=row.near_copy_of))
        else:
            failed.append((url, row))
    return failed


def _gone(archive: Archive, url: URL, began: float) -> Named | None:
    """The version as it is now, after files were mended, if its record cannot be read."""
    version = archive.versions.at(url, began)
    if version is None:
        return None
    try:
        archive.capture(url, version)
        is_its_own = is_of(archive.record(version), url, version)
    except Damaged:
        return url, version
    return None if is_its_own else (url, version)


def _was_newest(archive: Archive, url: URL, began: float) -> bool:
    newest = next(archive.versions.of(url), None)
    return newest is None or newest.began < began
