"""Every record says what it is made of and which file it was written to, and stays true through repairs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import gossamer
from gossamer.collection import Collection, Outside
from gossamer.store.repair.verify import wrong_digest
from gossamer.store.warc.reader import records
from gossamer.store.warc.warc import Record, warc_files
from gossamer.testing import Copies, MadeWeb, VirtualClock, WebSpec

WEB = WebSpec(seed=7, hosts=2, pages=8, copies=Copies(exact=0.2))


@pytest.fixture
def crawled(tmp_path: Path) -> Iterator[Collection]:
    """In two runs, so that a file was gone on with."""
    clock = VirtualClock(1_790_000_000.0)
    web = MadeWeb(WEB, clock=clock)
    with gossamer.open(tmp_path / "web") as collection:
        outside = Outside(clock, web.fetch)
        clock.run(collection.crawl_async(web.seed, scope="any", pages=5, outside=outside, shards=1))
        clock.run(collection.crawl_async(pages=0, outside=outside))
        yield collection


def found(collection: Collection, kind: str) -> list[Record]:
    return [record for path in warc_files(collection.path / "shards/00" / kind) for record in records(path)]


def require_fixity(every: list[Record]) -> None:
    infos = {f"<urn:uuid:{record.place.record}>" for record in every if record.type == "warcinfo"}
    for record in every:
        assert record.field("warc-block-digest") == f"sha1:{hashlib.sha1(record.block).hexdigest()}"
        if record.type != "warcinfo":
            assert record.field("warc-warcinfo-id") in infos


@pytest.mark.parametrize("kind", ["captures", "texts"])
def test_each_record_has_the_digest_of_its_block_and_names_its_file(crawled: Collection, kind: str) -> None:
    every = found(crawled, kind)
    assert len(every) > 20
    assert [record.type for record in every].count("warcinfo") == 1
    require_fixity(every)
    assert crawled.verify().problems == []


@pytest.mark.parametrize("kind", ["captures", "texts"])
def test_a_file_that_is_mended_still_has_the_warcinfo_that_its_records_name(crawled: Collection, kind: str) -> None:
    before = len(found(crawled, kind))
    (path,) = warc_files(crawled.path / "shards/00" / kind)
    data = bytearray(path.read_bytes())
    data[20:24] = b"....."[:4]  # in the first record
    path.write_bytes(data)
    assert crawled.verify().problems
    assert crawled.repair().left == ()
    every = found(crawled, kind)
    assert len(every) == before
    require_fixity(every)
    assert crawled.verify().problems == []


def test_a_record_that_has_changed_is_told_from_one_without_a_digest(crawled: Collection) -> None:
    for kind in ("request", "metadata", "revisit"):
        record = next(each for each in found(crawled, "captures") if each.type == kind)
        changed = replace(record, block=record.block + b"x")
        assert wrong_digest(record) is None
        assert f"the {kind} record of {record.url} does not have its digest" in (wrong_digest(changed) or "")
        fields = tuple(field for field in changed.fields if field[0] != "warc-block-digest")
        assert wrong_digest(replace(changed, fields=fields)) is None
