"""Make a damaged collection whole again: save every record that is whole, say what is lost, make the rest again.

Captures cannot be made again, so damaged files are written anew from their whole records, and put aside. Rows whose
records are gone go too, and their pages are queued. All else is derived, and made from what is left.

Captures that are in the archive and have no row get one, as if they had just been fetched.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from gossamer.collection.crawl.recover import is_about_it
from gossamer.collection.crawl.wiring import info_of
from gossamer.collection.derive import index_check, near_copies
from gossamer.collection.derive.underived import leave_out
from gossamer.collection.maintain.writable_shard import WritableShard, is_removed
from gossamer.collection.sites import site_of
from gossamer.dedupe import Copies
from gossamer.errors import Damaged
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.queue.requeue import fetch_again
from gossamer.model import URL, Capture, Kind
from gossamer.store.archive import Archive
from gossamer.store.repair.agreement import is_of
from gossamer.store.repair.forget import Named, dependent, forget
from gossamer.store.repair.rewrite import carry_texts, rewrite
from gossamer.store.repair.swaps import resume
from gossamer.store.repair.verify import Checked, Gap, is_capture, lies_elsewhere, row_of, verify_archive, wrong_digest
from gossamer.store.versions import STATE
from gossamer.store.warc.reader import records, whole_captures
from gossamer.store.warc.warc import Record

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


def repair(bench: WritableShard) -> Repaired:
    """One shard: its captures, rows and texts. What is made from them is thrown away where it does not fit."""
    resumed = resume(bench.table, STATE, bench.archive.folder)
    checked = verify_archive(bench.archive, partial(is_removed, bench.table))
    ill = [path for path, _ in bench.archive.files.all() if path.name in checked.ill]
    aside = [resumed, *(_mend(bench, path, checked) for path in ill)]
    lost = _drop(bench, checked)
    bench.archive.files.forget_missing()
    adopted = adopt(bench) if checked.unknown or any(bench.archive.passed.all()) else 0
    _correct(bench, checked)
    if checked.texts_ill:
        carry_texts(bench.table, bench.archive, _JOB)
    strange = list(_strange(bench)) if checked.unknown else []
    derived = list(index_check.check(bench.path, bench.table, bench.archive))
    derived += near_copies.check(bench.table, bench.archive, site_of(bench.plan))
    if derived or checked.problems:
        leave_out(bench.table)
    bench.archive.prepare()
    bench.table.commit()
    return Repaired(
        (*checked.problems, *strange, *derived), tuple(checked.gaps), tuple(lost), adopted, tuple(filter(None, aside))
    )


def _mend(bench: WritableShard, path: Path, checked: Checked) -> Path | None:
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


def _drop(bench: WritableShard, checked: Checked) -> list[Loss]:
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


def _correct(bench: WritableShard, checked: Checked) -> None:
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


def _made_again(bench: WritableShard, wrong: list[Named]) -> list[Named]:
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


log = logging.getLogger("gossamer")


def adopt(bench: WritableShard) -> int:
    """Give rows to all captures of this shard that have none and were not removed. How many got one."""
    done = 0
    for path, _ in bench.archive.files.all():
        for record in filter(is_capture, records(path)):
            is_known = row_of(bench.archive, record) or bench.archive.pruned.has(record.url or "", record.began)
            if not is_known and _is_ours(bench, record.url or ""):
                done += _register(bench, path, record)
    bench.archive.prepare()
    bench.table.commit()
    return done


def _is_ours(bench: WritableShard, url: URL) -> bool:
    """Nobody has taken it out, and no other shard is asked for it."""
    return not is_removed(bench.table, url) and ("://" not in url or bench.owns(url))


def _strange(bench: WritableShard) -> Iterator[str]:
    """Files with captures that were not taken in, because they belong to other shards."""
    for path, _ in bench.archive.files.all():
        if any(_is_strange(bench, each) for each in records(path)):
            cure = "move it out of the collection, and `gossamer import DIR FILE` takes them in"
            yield f"{path.name}: has captures of other shards; {cure}"


def _is_strange(bench: WritableShard, record: Record) -> bool:
    """What pages of ours are dressed with may come from anywhere, and has its row here."""
    url = record.url or ""
    return "://" in url and not bench.owns(url) and row_of(bench.archive, record) is None


def _register(bench: WritableShard, path: Path, record: Record) -> bool:
    try:
        capture = _capture(bench, path, record)
        page = Copies(bench.archive.first_url).mark(bench.read(capture))
        bench.archive.register_again(record, capture, page)
    except Damaged:
        return False  # its metadata, or the record that it refers to
    except Exception as error:
        if not is_about_it(error):
            raise
        # Our own mistake, but one odd capture must not stop a repair: it stays where it is, and the check lists it.
        log.warning("%s at %d cannot be taken in, which is a bug: %r", path.name, record.place.offset, error)
        bench.archive.passed.note(record.url or "", record.began, f"kept, but could not be taken in: {error!r:.300}")
        return False
    return True


def _capture(bench: WritableShard, path: Path, record: Record) -> Capture:
    """With what its metadata tell of the visit, where they lie behind it."""
    group = next(whole_captures(path, record.place.offset), None)
    if group is not None and group.response.place == record.place:
        return bench.archive.restored(group)
    kind = Kind.ROBOTS if (record.url or "").endswith("/robots.txt") else Kind.PAGE
    return bench.archive.decoded(record, record.url or "", kind)
