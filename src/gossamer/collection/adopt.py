"""Captures that lie in the archive and have no row get one, as if they had just been fetched."""

from __future__ import annotations

import logging
from pathlib import Path

from gossamer.collection.recover import is_about_it
from gossamer.collection.workshop import Bench, is_removed
from gossamer.dedupe import Copies
from gossamer.errors import Damaged
from gossamer.model import Capture, Kind
from gossamer.store.verify import is_capture, row_of
from gossamer.store.warc import Record
from gossamer.store.warcreader import records, whole_captures

log = logging.getLogger("gossamer")


def adopt(bench: Bench) -> int:
    """Give rows to all captures that have none and were not removed. How many got one."""
    done = 0
    for path, _ in bench.archive.files():
        for record in filter(is_capture, records(path)):
            if row_of(bench.archive, record) is None and not is_removed(bench.table, record.url or ""):
                done += _register(bench, path, record)
    bench.archive.prepare()
    bench.table.commit()
    return done


def _register(bench: Bench, path: Path, record: Record) -> bool:
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


def _capture(bench: Bench, path: Path, record: Record) -> Capture:
    """With what its metadata tell of the visit, where they lie behind it."""
    group = next(whole_captures(path, record.place.offset), None)
    if group is not None and group.response.place == record.place:
        return bench.archive.restored(group)
    kind = Kind.ROBOTS if (record.url or "").endswith("/robots.txt") else Kind.PAGE
    return bench.archive.decoded(record, record.url or "", kind)
