"""What a repository keeps of a check: who looked at what and when, what was found, and the digest of each file."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from gossamer.collection.ask.shard_readers import ShardReaders
from gossamer.errors import Damaged, GossamerError
from gossamer.plan import Plan
from gossamer.printable import timestamp
from gossamer.store.repair.completeness import pieces
from gossamer.store.repair.verify import Checked

FORM = "gossamer-fixity-1"


def report(
    path: Path, plan: Plan, readers: Callable[[], ShardReaders], checked: Checked, times: tuple[float, float]
) -> dict[str, Any]:
    """The object that `verify --report` writes; `times` are when the check began and ended."""
    identity = plan.as_identity()
    return {
        "format": FORM,
        "tool": f"{identity.product}/{identity.version}",
        "collection": path.resolve().name,
        "began": timestamp(times[0]),
        "ended": timestamp(times[1]),
        "sound": not checked.problems,
        "records": checked.records,
        "records_by_type": dict(sorted(checked.kinds.items())),
        "block_digests": checked.digests,
        "rows": checked.rows,
        "problems": checked.problems,
        "unread": checked.unread,
        "notes": checked.notes,
        "files": [_file(path, *file) for file in _files(readers)],
    }


def _files(readers: Callable[[], ShardReaders]) -> list[tuple[Path, int]]:
    """Of captures and texts, with the bytes that count. A damaged table, which is among the problems, tells none."""
    try:
        archives = readers().archives
    except GossamerError:
        return []
    return [file for archive in archives for file in (*archive.files.all(), *archive.texts.files())]


def _file(collection: Path, path: Path, length: int) -> dict[str, Any]:
    """What is not all there has no digest."""
    digest, whole = sha256(), False
    with suppress(Damaged):
        for piece in pieces(path, length):
            digest.update(piece)
        whole = True
    told = digest.hexdigest() if whole else None
    return {"path": str(path.relative_to(collection)), "bytes": length, "sha256": told}
