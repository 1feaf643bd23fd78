"""What a browser has made of a page lies behind its response, and is found again whatever happens."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from store_samples import BEGAN, INFO, StillClock, capture

from gossamer.convert import begin
from gossamer.errors import Damaged
from gossamer.model import Capture, Page
from gossamer.store.archive import Archive
from gossamer.store.repair.rewrite import rewrite
from gossamer.store.repair.verify import verify_archive
from gossamer.store.table.table import Table
from gossamer.store.versions import Version
from gossamer.store.warc.reader import cut, whole_captures
from gossamer.store.warc.replay import captures
from gossamer.store.warc.warc import warc_files

URL, OTHER = "http://example.com/a", "http://example.com/b"
SHELL = b"<div id=root></div><script src=/app.js></script>"
RENDERED = b"<p>What the script wrote</p>"
PICTURE = b"\xff\xd8 what it looked like"


def decoded(one: Capture) -> Capture:
    return replace(one, body=one.wire)


def opened(table: Table, folder: Path) -> Archive:
    archive = Archive(table, folder, decoded)
    archive.texts.open(INFO, StillClock(), prefix="gossamer", max_bytes=1 << 30)
    archive.open(INFO, StillClock(), max_bytes=1 << 30)
    return archive


def read(one: Capture) -> Page:
    page = begin(one, "Gossamer")
    assert isinstance(page, Page)
    return page


def keep(archive: Archive, url: str = URL, rendered: bytes = RENDERED) -> Version:
    came = replace(capture(url, SHELL, began=BEGAN), rendered=rendered, screenshot=PICTURE)
    version = archive.append(came, read(came))
    assert version is not None
    return version


def test_it_is_what_is_read_and_comes_back(table: Table, tmp_path: Path) -> None:
    archive = opened(table, tmp_path)
    version = keep(archive)
    came = archive.capture(URL, version)
    assert (came.body, came.rendered, came.screenshot) == (SHELL, RENDERED, PICTURE)
    assert read(came).text == "What the script wrote"
    assert (version.size, version.payload == version.digest) == (len(SHELL), False)


def test_pages_that_are_sent_the_same_are_no_copies(table: Table, tmp_path: Path) -> None:
    archive = opened(table, tmp_path)
    one, two = keep(archive), keep(archive, OTHER, b"<p>Something else</p>")
    assert one.digest != two.digest
    assert (two.original, two.text_of) == (None, None)
    assert archive.capture(OTHER, two).rendered == b"<p>Something else</p>"


def test_what_no_commit_has_is_rolled_forward_with_it(table: Table, tmp_path: Path) -> None:
    keep(opened(table, tmp_path))
    table.drop_changes()
    fresh = Archive(table, tmp_path, decoded)
    for group in fresh.files.uncommitted():
        came = fresh.restored(group)
        fresh.register_again(group.response, came, read(came))
    version = next(fresh.versions.of(URL))
    assert fresh.capture(URL, version).rendered == RENDERED
    assert fresh.capture(URL, version).screenshot == PICTURE
    assert read(fresh.capture(URL, version)).text == "What the script wrote"


def test_a_shard_that_has_lost_its_rows_finds_it_again(table: Table, tmp_path: Path) -> None:
    archive = opened(table, tmp_path)
    keep(archive)
    (replayed,) = captures(archive.folder)
    came = replayed.capture(archive)
    assert (came.rendered, came.screenshot) == (RENDERED, PICTURE)


def test_a_group_that_is_cut_anywhere_is_no_capture(table: Table, tmp_path: Path) -> None:
    archive = opened(table, tmp_path)
    keep(archive)
    (path,) = warc_files(archive.folder)
    (group,) = whole_captures(path)
    assert group.rendered is not None
    archive.close()
    assert group.screenshot is not None
    parts = (group.request, group.screenshot, group.rendered, group.response)
    ends = (each.place.offset + each.place.length for each in parts if each)
    for end in ends:
        cut(path, end)
        assert list(whole_captures(path)) == []


def test_it_moves_with_its_response_and_all_is_well(table: Table, tmp_path: Path) -> None:
    archive = opened(table, tmp_path)
    keep(archive)
    keep(archive, OTHER, b"<p>Something else</p>")
    archive.prepare()
    table.commit()
    archive.close()
    (path,) = warc_files(archive.folder)
    rewrite(table, archive, path, lambda record: record.url != URL, INFO, keep=False)
    version = next(archive.versions.of(OTHER))
    assert archive.capture(OTHER, version).rendered == b"<p>Something else</p>"
    assert archive.capture(OTHER, version).screenshot == PICTURE
    archive.versions.remove(URL, BEGAN)
    assert verify_archive(archive).problems == []


def test_where_it_is_not_the_page_is_damaged(table: Table, tmp_path: Path) -> None:
    archive = opened(table, tmp_path)
    version = keep(archive)
    with pytest.raises(Damaged, match="what a browser has made"):
        archive.capture(URL, msgspec.structs.replace(version, rendered=version.rendered - 1))
    with pytest.raises(Damaged, match="what a browser has made"):
        archive.capture(URL, msgspec.structs.replace(version, screenshot=version.screenshot - 1))


def test_it_is_written_again_with_a_response_that_is(table: Table, tmp_path: Path) -> None:
    archive = opened(table, tmp_path)
    version = keep(archive)
    archive.restate(URL, version, None)
    again = next(archive.versions.of(URL))
    assert again.offset > version.offset
    assert archive.capture(URL, again).rendered == RENDERED
    assert archive.capture(URL, again).screenshot == PICTURE
