"""Captures that lie in the archive without a row: which get one, and which do not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from made_shard import BEGAN, A, B, C, Shard, made

from gossamer.collection.maintain.repair import adopt
from gossamer.collection.maintain.writable_shard import WritableShard
from gossamer.frontier.entries import REMOVED, State
from gossamer.plan import Plan


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[Shard]:
    with made(tmp_path / "web") as shard:
        yield shard


def test_what_somebody_has_taken_out_stays_out(shard: Shard) -> None:
    for number, url in enumerate((A, B, C)):
        shard.keep(url, b"<p>%d" % number)
    shard.commit()
    for url in (A, B):
        shard.archive.versions.remove(url, BEGAN)
    shard.enter(A, state=State.EXCLUDED, reason=REMOVED)
    assert adopt(WritableShard(shard.place, Plan(), shard.table, shard.archive, "gossamer")) == 1
    assert list(shard.archive.versions.of(A)) == []
    assert (shard.row(B).status, shard.row(B).kind) == (200, shard.row(C).kind)
    assert shard.table.pending == 0
