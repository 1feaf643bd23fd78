"""What a pattern means, and how a page is taken out of one shard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from small_shard import BEGAN, SmallShard, read, said, small_shard

from gossamer.collection.ask.shard_readers import ShardReader, ShardReaders
from gossamer.collection.crawl.wiring import info_of
from gossamer.collection.derive.underived import LINKS_WHOLE
from gossamer.collection.maintain.removal import Removal, chosen, remove
from gossamer.collection.maintain.writable_shard import WritableShard, is_removed
from gossamer.dedupe.column_families import PRINTS, STALE, WHOLE
from gossamer.errors import UsageError
from gossamer.frontier.entries import FIRSTS, REMOVED, State
from gossamer.frontier.ledger import Ledger
from gossamer.model import SystemClock
from gossamer.plan import Plan
from gossamer.store.versions import STATE
from gossamer.store.warc.reader import records

A, B, C = "http://a.test/", "http://a.test/b", "http://c.test/"
GONE = {"state": State.EXCLUDED, "status": 0}


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[SmallShard]:
    with small_shard(tmp_path) as made:
        yield made


def meant(shard: SmallShard, pattern: str) -> Removal:
    shard.commit()
    shard_reader = ShardReader(shard.table, lambda: shard.archive)
    readers = cast(ShardReaders, SimpleNamespace(all=[shard_reader], of=lambda url: shard_reader))
    return chosen(readers, pattern, [A])


def removed(shard: SmallShard, *urls: str, archive: bool = False) -> None:
    shard.commit()
    shard.archive.close()
    bench = WritableShard(shard.folder, Plan(), shard.table, shard.archive, "gossamer")
    bench.archive.texts.open(info_of(bench.plan), SystemClock(), prefix="gossamer", max_bytes=1 << 30)
    remove(bench, set(urls), archive=archive)


def test_an_address_of_the_collection_means_itself_and_any_other_word_all_that_have_it(shard: SmallShard) -> None:
    for url in (A, B, C):
        shard.keep(url, said(url))
    assert meant(shard, A).urls == (A,)
    assert meant(shard, "HTTP://A.test").urls == (A,)
    assert meant(shard, "http://a.tes").urls == (A, B)
    assert meant(shard, "a.test/b$").urls == (B,)
    assert meant(shard, "nothing").urls == ()


@pytest.mark.parametrize("pattern", ["", " "])
def test_no_word_at_all_is_not_every_page(pattern: str, shard: SmallShard) -> None:
    with pytest.raises(UsageError, match="every page"):
        meant(shard, pattern)


def test_what_would_go_is_counted_with_all_its_versions(shard: SmallShard) -> None:
    shard.keep(A, said("one"))
    shard.keep(A, said("two"), began=BEGAN + 1)
    shard.keep(B, said("three"))
    shard.enter(C, state=State.QUEUED, status=0)
    found = meant(shard, "test")
    lengths = [version.length for url in (A, B) for version in shard.archive.versions.of(url)]
    assert (found.urls, found.fresh, found.versions) == ((A, B, C), 3, 3)
    assert found.bytes == sum(lengths) > 0


def test_what_is_left_out_anyway_is_not_chosen_unless_something_is_kept_of_it(shard: SmallShard) -> None:
    shard.enter(A, reason="out of scope", **GONE)
    shard.keep(B, said("b"))
    shard.enter(B, reason="out of scope", **GONE)
    shard.enter(C, reason=REMOVED, **GONE)
    found = meant(shard, "test")
    assert (found.urls, found.fresh) == ((B, C), 1)  # what was removed before is named and not counted


@pytest.mark.parametrize("archive", [False, True])
def test_a_page_is_taken_out_of_the_rows_and_on_request_out_of_the_archive(archive: bool, shard: SmallShard) -> None:
    shard.keep(A, said("one"))
    shard.keep(A, said("two"), began=BEGAN + 1)
    shard.keep(C, said("three"))
    shard.table.put(STATE, LINKS_WHOLE, b"1")
    shard.table.put(PRINTS, WHOLE, b"1")
    shard.table.put(FIRSTS, b"digest of A", A.encode())
    shard.table.put(FIRSTS, b"digest of C", C.encode())
    removed(shard, A, "http://elsewhere.test/", archive=archive)
    shard.table.drop_changes()  # all of it is committed
    assert [url for url, _ in shard.archive.versions.all()] == [C]
    assert (is_removed(shard.table, A), is_removed(shard.table, C)) == (True, False)
    assert (shard.table.get(STATE, LINKS_WHOLE), shard.table.get(PRINTS, WHOLE)) == (None, STALE)
    assert [key for key, _ in shard.table.scan(FIRSTS)] == [b"digest of C"]
    left = {(record.url, record.type) for path, _ in shard.archive.files.all() for record in records(path)}
    assert ((A, "response") in left) is not archive
    assert {kind for url, kind in left if url == C} == {"response", "request", "metadata"}
    assert not shard.archive.texts.is_open
    counts = Ledger(shard.table).counts
    assert (counts.pages, counts.excluded) == (1, 1)
    version = shard.archive.versions.current(C)
    assert version is not None
    page = shard.archive.page(C, version)
    assert page is not None
    assert page.text


def test_no_word_of_a_removed_page_is_in_the_texts(shard: SmallShard) -> None:
    shard.keep(A, said("one"))
    shard.keep(C, said("three"))
    removed(shard, A)
    told = [record.url for path, _ in shard.archive.texts.files() for record in records(path) if record.url]
    assert told
    assert not any(A in each for each in told)


@pytest.mark.parametrize("archive", [False, True])
def test_a_copy_that_stays_has_its_bytes_and_is_no_copy_any_more(archive: bool, shard: SmallShard) -> None:
    body = said("one")
    shard.keep(A, body)
    for url in (B, C):
        shard.keep(url, body)
        shard.archive.mark(url, copy_of=A)
        shard.enter(url, copy=True)
    removed(shard, A, archive=archive)
    first, second = (dict(shard.archive.versions.all())[url] for url in (B, C))
    assert (first.copy_of, second.copy_of in (None, B)) == (None, True)
    for url, version in ((B, first), (C, second)):
        capture = shard.archive.capture(url, version)
        assert capture.body == body.encode()
        assert read(capture).text
    entry = Ledger(shard.table).get(B)
    assert entry is not None
    assert not entry.copy


def test_where_nothing_goes_nothing_is_counted() -> None:
    assert Removal(()) == Removal((), 0, 0, 0)


def test_what_is_no_address_was_removed_by_nobody(shard: SmallShard) -> None:
    assert not is_removed(shard.table, "")
    assert not is_removed(shard.table, "gossamer-1.warc.gz")
    assert not is_removed(shard.table, A)
