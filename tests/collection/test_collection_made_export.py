"""Exports of a few pages made by hand: what is written, what is counted, and what is left when it fails."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from made_shard import BEGAN, A, B, C, Shard, came, made, said

from gossamer.collection.ask import export
from gossamer.collection.documents import Document
from gossamer.errors import StorageError, UsageError
from gossamer.model import Kind, Link
from gossamer.plan import Plan
from gossamer.store.versions import Version


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[Shard]:
    with made(tmp_path / "web") as shard:
        yield shard


def document(url: str, *links: Link) -> Document:
    version = Version(BEGAN, 200, Kind.PAGE, "text/html", None, "sha1:X", 8, "Hello", "f", 0, 9, "uuid")
    return Document(url, None, version, came(url), said(url, links=links))


# -------------------------------------------------------------------------------- pages


def test_each_page_is_a_line_and_counted() -> None:
    out = io.BytesIO()
    assert export.jsonl([document(A), document(B)], out) == 2
    assert [json.loads(line)["url"] for line in out.getvalue().splitlines()] == [A, B]
    assert export.jsonl([], io.BytesIO()) == 0


def test_each_page_is_a_document_of_trec_and_counted() -> None:
    out = io.BytesIO()
    assert export.trec_web([document(A), document(B)], out) == 2
    assert out.getvalue().count(b"<DOCNO>uuid</DOCNO>") == 2
    assert b"<p>Hello" in out.getvalue()
    assert export.trec_web([], io.BytesIO()) == 0


def test_each_link_counts_once_unless_nobody_vouches_for_it() -> None:
    out = io.BytesIO()
    page = document(A, Link(B), Link(C, rel="nofollow ugc"), Link(B, "again"), Link(C, rel="ugc"))
    assert export.graph([page, document(B), document(C, Link(A))], out) == 3
    assert out.getvalue().decode() == f"{A}\t{B}\n{A}\t{C}\n{C}\t{A}\n"
    assert export.graph([], io.BytesIO()) == 0


# ----------------------------------------------------------------------------- captures


def kept(shard: Shard) -> list[tuple[Path, int]]:
    shard.keep(B)
    shard.keep(A)
    shard.keep(A, after=5)  # says the same again
    shard.commit()
    return export.warcs([shard.archive])


def test_the_records_of_all_files_are_one_file_or_as_many_as_there_are(shard: Shard, tmp_path: Path) -> None:
    ((path, length),) = kept(shard)
    out = io.BytesIO()
    assert export.warc([(path, length), (path, 10)], out) == 2
    assert out.getvalue() == path.read_bytes()[:length] + path.read_bytes()[:10]
    (tmp_path / "out").mkdir()
    assert export.warc_files([(path, length)], tmp_path / "out") == 1
    assert (tmp_path / "out" / path.name).read_bytes() == path.read_bytes()[:length]


def test_of_files_that_cannot_all_be_written_none_is_left(shard: Shard, tmp_path: Path) -> None:
    ((path, length),) = kept(shard)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "other.warc.gz").write_bytes(b"mine")
    with pytest.raises(UsageError, match="is there already"):
        export.warc_files([(path, length), (path.with_name("other.warc.gz"), 1)], tmp_path / "out")
    assert os.listdir(tmp_path / "out") == ["other.warc.gz"]


def test_the_index_of_captures_is_sorted_and_knows_revisits(shard: Shard) -> None:
    kept(shard)
    out = io.BytesIO()
    assert export.cdxj([shard.archive], out) == 3
    lines = out.getvalue().decode().splitlines()
    assert lines == sorted(lines)
    assert [json.loads(line.split(" ", 2)[2])["url"] for line in lines] == [A, A, B]
    assert [json.loads(line.split(" ", 2)[2])["mime"] == "warc/revisit" for line in lines] == [True, True, False]
    told = [json.loads(line.split(" ", 2)[2]) for line in lines]
    assert [(each["mime-detected"], each["status"]) for each in told] == [("text/html", "200")] * 3
    assert told[2]["mime"] == "text/html"
    assert export.cdxj([], io.BytesIO()) == 0


@pytest.mark.parametrize("seeds", [(), (C, A)])
def test_a_web_archive_lists_its_pages_and_where_to_begin(shard: Shard, seeds: tuple[str, ...]) -> None:
    found, out = kept(shard), io.BytesIO()
    pages = [(B, shard.row(B), "Words")]
    assert export.web_archive(found, [shard.archive], pages, "Mine", Plan(seeds=seeds), out) == 1
    with zipfile.ZipFile(out) as file:
        about = json.loads(file.read("datapackage.json"))
        listed = [json.loads(line) for line in file.read("pages/pages.jsonl").splitlines()[1:]]
    assert (about["title"], about.get("mainPageUrl")) == ("Mine", seeds[0] if seeds else None)
    assert [(page["url"], page["title"]) for page in listed] == [(B, "Hello")]


# ---------------------------------------------------------------------------- to a path


def hello(out: BinaryIO) -> int:
    out.write(b"hello")
    return 7


def test_a_file_has_its_name_when_it_is_whole_and_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[tuple[str, int]] = []
    fsync = os.fsync

    def noted(file: int) -> None:
        synced.append((Path(os.readlink(f"/proc/self/fd/{file}")).name, os.fstat(file).st_size))
        fsync(file)

    monkeypatch.setattr(export.os, "fsync", noted)
    assert export.to_path(hello, tmp_path / "x") == 7
    ((name, length),) = synced
    assert re.fullmatch(r"x\.[0-9a-f]{16}\.partial", name)
    assert length == 5
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("x", b"hello")]
    with pytest.raises(UsageError, match="is there already"):
        export.to_path(hello, tmp_path / "x")


def test_a_half_file_that_somebody_else_has_made_stays(tmp_path: Path) -> None:
    (tmp_path / "x.partial").write_text("mine")
    export.to_path(hello, tmp_path / "x")
    with pytest.raises(ValueError, match="no"):
        export.to_path(lambda out: int("no"), tmp_path / "y")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"x.partial": "mine", "x": "hello"}


def test_of_two_exports_at_once_the_first_is_whole_and_the_second_says_so(tmp_path: Path) -> None:
    def slowly(out: BinaryIO) -> int:
        export.to_path(hello, tmp_path / "x")
        return out.write(b"another")

    with pytest.raises(UsageError, match="is there now"):
        export.to_path(slowly, tmp_path / "x")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("x", b"hello")]


def test_a_disk_without_hard_links_and_a_long_name_are_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(old: object, new: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    export.to_path(hello, tmp_path / ("x" * 255))
    monkeypatch.setattr(export.os, "link", refused)
    export.to_path(hello, tmp_path / "x")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"hello"] * 2


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be written"):
        export.to_path(hello, tmp_path / "none" / "x")


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
@pytest.mark.parametrize("cleaned", [False, True])
def test_an_export_that_is_cut_short_says_why_and_leaves_nothing(
    tmp_path: Path, error: type[BaseException], cleaned: bool
) -> None:
    def write(out: Any) -> int:
        if cleaned:  # somebody else has taken the half file away
            Path(out.raw.name).unlink()
        raise error

    with pytest.raises(error):
        export.to_path(write, tmp_path / "x")
    assert list(tmp_path.iterdir()) == []
