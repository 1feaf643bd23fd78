"""Marks that follow the groups of copies: which are wrong, in which order they are put right, and what follows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from made_shard import A, B, C, Shard, made, said, site

from gossamer.collection.derive import copy_marks
from gossamer.collection.derive.copy_marks import Mark
from gossamer.collection.derive.index_check import check
from gossamer.collection.derive.indexer import Indexer
from gossamer.collection.folder import Folder
from gossamer.dedupe.groups import Copy, Group
from gossamer.frontier.entries import State
from gossamer.frontier.ledger import Ledger
from gossamer.index.shard_index import ShardIndex
from gossamer.plan import Plan


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[Shard]:
    with made(tmp_path / "web") as shard:
        yield shard


def group(url: str, *copies: str) -> Group:
    return Group(url, tuple(Copy(each, True, 1.0, 0, False, "x") for each in copies))


def test_marks_are_wrong_where_their_group_says_otherwise(shard: Shard) -> None:
    for number, url in enumerate((A, B, C, f"{A}gone", f"{A}failed", f"{A}right")):
        shard.keep(url, b"%d" % number)
        shard.enter(url)
    shard.keep(f"{A}gone", b"", after=5, status=404)
    shard.enter(f"{A}failed", state=State.FAILED)
    shard.archive.mark(C, near_copy_of=A)
    shard.archive.mark(f"{A}right", copy_of=A)
    every: Any = SimpleNamespace(all=[shard])
    found = copy_marks.wrong(every, [group(A, B, f"{A}gone", f"{A}failed", f"{A}right")])
    assert [sorted(each) for each in found] == [[(B, Mark(copy_of=A)), (C, Mark())]]
    assert copy_marks.wrong(every, [])[0] == [(f"{A}right", Mark()), (C, Mark())]


def test_what_is_no_copy_any_more_comes_before_what_became_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    did: list[tuple[int, list[str]]] = []
    monkeypatch.setattr(
        copy_marks, "_change", lambda folder, plan, index, mine: did.append((index, [u for u, _ in mine]))
    )
    near, exact, none = Mark(near_copy_of=A), Mark(copy_of=A), Mark()
    copy_marks.put_right(Folder(tmp_path), Plan(), [[("a", near), ("b", none)], [], [("c", none)], [("d", exact)]])
    assert did == [(0, ["b"]), (2, ["c"]), (0, ["a"]), (3, ["d"])]


@pytest.mark.parametrize("indexed", [True, False])
@pytest.mark.parametrize("batch", [1, 2, 500])
def test_marks_books_log_and_index_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int, indexed: bool
) -> None:
    urls = [A, B, C, f"{A}near"]
    with made(tmp_path / "web") as shard:
        with closing(Indexer(shard.place, shard.table, shard.archive, site)) as index:
            for number, url in enumerate(urls):
                index.keep(shard.keep(url, b"%d" % number), said(url), shard.row(url))
                shard.enter(url)
            index.prepare()
            shard.commit()
            if indexed:
                index.finish()
        place, folder = shard.place, shard.folder
    monkeypatch.setattr(copy_marks, "BATCH", batch)
    marks = [(B, Mark(copy_of=A)), (C, Mark(copy_of=A)), (f"{A}near", Mark(near_copy_of=A))]
    copy_marks.put_right(folder, Plan(shards=1), [marks])
    with made(tmp_path / "web") as shard:
        assert [(shard.row(url).copy_of, shard.row(url).near_copy_of) for url in urls] == [
            (None, None),
            (A, None),
            (A, None),
            (None, A),
        ]
        counts = Ledger(shard.table).counts
        assert (counts.pages, counts.duplicates, counts.near_duplicates) == (4, 2, 1)
        assert set(ShardIndex(place / "index", writable=False).urls()) == {A}
        assert list(check(place, shard.table, shard.archive)) == []
    copy_marks.put_right(folder, Plan(shards=1), [[(C, Mark())]])
    with made(tmp_path / "web") as shard:
        assert shard.row(C).copy_of is None
        assert Ledger(shard.table).counts.duplicates == 1
        assert set(ShardIndex(place / "index", writable=False).urls()) == {A, C}
        assert list(check(place, shard.table, shard.archive)) == []
