"""Carry texts over to new files, as they are: what no row points at stays behind, and so does what is damaged."""

from __future__ import annotations

import msgspec

from gossamer.store.archive import Archive
from gossamer.store.table import Table

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
