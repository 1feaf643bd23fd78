"""Write a file of captures again, with the records that are whole and wanted, and move the rows along.

The new file is beside the old one until one commit lets it count; see `swaps`. What a killed crawl left past the
committed length goes along, still past it, so that the next crawl takes it in as it would have.

Texts are carried over to new files: what no row points at stays behind, and so does what is damaged.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import msgspec

from gossamer import files
from gossamer.store.archive import Archive
from gossamer.store.repair.swaps import END, Swap, begin, let_count, resume
from gossamer.store.repair.verify import is_capture, row_of
from gossamer.store.table.table import Table
from gossamer.store.versions import STATE
from gossamer.store.warc.gzip_members import with_our_header
from gossamer.store.warc.reader import records, whole_captures
from gossamer.store.warc.records import Info, new_record, warcinfo
from gossamer.store.warc.warc import Record, uuid_of

_SERIAL = re.compile(r"(.*-\d{14}-)(\d{5,})(\.warc\.gz)")


def rewrite(
    table: Table, archive: Archive, path: Path, wanted: Callable[[Record], bool], info: Info, *, keep: bool
) -> Path | None:
    """Put a file with the wanted records in the place of `path`; where that went, if it is to be kept."""
    swap = Swap(_name(archive, path), path.name, keep)
    begin(table, STATE, swap)
    try:
        with files.open(archive.folder / swap.new, "wb") as out:
            committed = _copy(archive, path, wanted, info, out)
            out.flush()
            os.fsync(out.fileno())
        files.sync_folder(archive.folder)
    except OSError as error:
        raise files.told(error, archive.folder / swap.new) from error
    if path.name == archive.files.committed()[0]:
        table.put(STATE, END, msgspec.msgpack.encode((swap.new, committed)))
    else:
        archive.files.set_length(swap.new, committed)
        archive.files.set_length(swap.old, None)
    let_count(table, STATE, swap)
    table.commit()
    return resume(table, STATE, archive.folder)


def _name(archive: Archive, path: Path) -> str:
    """The last file is followed by one that the writer goes on with; any other stays where it is in the order."""
    name, is_last = path.name, path.name == archive.files.committed()[0]
    while files.kind(archive.folder / name):
        if is_last and (serial := _SERIAL.fullmatch(name)):
            name = f"{serial[1]}{int(serial[2]) + 1:05}{serial[3]}"
        else:
            name = f"{name.removesuffix('.warc.gz')}-0.warc.gz"  # a hyphen sorts before the dot
    return name


def _copy(archive: Archive, path: Path, wanted: Callable[[Record], bool], info: Info, out: BinaryIO) -> int:
    """Write all that is wanted, and move its rows. How long the part is that is committed."""
    name, length = archive.files.committed()
    end = length if path.name == name else files.size(path)
    file = Path(out.name).name
    with files.open(path, buffering=0) as source:
        for record in records(path, end=end):
            if wanted(record):
                if out.tell() == 0 and (record.type != "warcinfo" or record.is_aside):
                    out.write(warcinfo(info, file, record.began, _introduced_by(path)))
                if is_capture(record):
                    _move(archive, record, file, out.tell())
                elif record.is_aside:
                    archive.asides.note(record, replace(record.place, file=file, offset=out.tell()))
                out.write(_bytes(source, record.place.offset, record.place.length))
            elif record.is_aside:
                archive.asides.forget(record)
        committed = out.tell()
        for group in whole_captures(path, end, asides=True):
            out.write(_bytes(source, group.start, group.end - group.start))
    return committed


def _introduced_by(path: Path) -> str:
    """The warcinfo record that a file has lost, which our own metadata name; captures may name that of another file."""
    ours = (record for record in records(path) if record.type == "metadata" and not record.is_aside)
    first = next(ours, None)
    return uuid_of((first and first.field("warc-warcinfo-id")) or "") or new_record()


def _bytes(source: BinaryIO, offset: int, length: int) -> bytes:
    return with_our_header(os.pread(source.fileno(), length, offset))


def _move(archive: Archive, record: Record, file: str, offset: int) -> None:
    row = row_of(archive, record)
    if row is not None and row.record == record.place.record:
        moved = msgspec.structs.replace(row, file=file, offset=offset, length=record.place.length)
        archive.versions.add(record.url or "", moved)


BATCH = 500
"""Texts for each commit."""


def carry_texts(table: Table, archive: Archive, job: bytes) -> int:
    """Write all texts again that rows point at; how many were not whole, and have to be made from their captures.

    A kill does no harm: `job` goes on with the new files when it is run again. The texts must be open.
    """
    new, lost = archive.texts.begin_anew(job), 0
    for url, version in archive.versions.all():
        if version.text is None or version.text.file >= new:
            continue
        text = archive.texts.carried(version.text)
        lost += text is None
        archive.versions.add(url, msgspec.structs.replace(version, text=text))
        if table.pending >= BATCH:
            _commit(table, archive)
    archive.texts.retire_old()
    _commit(table, archive)
    archive.texts.remove_old()
    return lost


def _commit(table: Table, archive: Archive) -> None:
    archive.prepare()
    table.commit()
