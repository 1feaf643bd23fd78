"""Every record says what it is made of and which file it was written to, and stays true through repairs."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import gossamer
from gossamer.cli.main import main
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


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_report_has_the_counts_the_digests_of_all_files_the_tool_and_the_date(
    crawled: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, target = str(crawled.path), tmp_path / "fixity.json"
    assert main(["verify", folder, "--report", str(target)]) == 0
    assert "all is well" in capsys.readouterr().out
    told = json.loads(target.read_bytes())
    every = [*found(crawled, "captures"), *found(crawled, "texts")]
    assert told["records"] == told["block_digests"] == len(every)
    assert told["records_by_type"] == dict(sorted(Counter(record.type for record in every).items()))
    assert (told["format"], told["sound"], told["problems"]) == ("gossamer-fixity-1", True, [])
    assert told["tool"].startswith("Gossamer/")
    assert told["began"] <= told["ended"]
    warcs = sorted(crawled.path.glob("shards/*/*/*.warc.gz"))
    assert [(crawled.path / each["path"], each["bytes"], each["sha256"]) for each in told["files"]] == [
        (path, path.stat().st_size, sha256(path)) for path in warcs
    ]
    assert main(["verify", folder, "--report", str(target)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main(["verify", folder, "--report", str(crawled.path / "x")]) == 2
    assert main(["verify", folder, "--repair", "--report", str(tmp_path / "y")]) == 2


def test_a_report_of_a_damaged_collection_says_so(crawled: Collection, tmp_path: Path) -> None:
    (path,) = warc_files(crawled.path / "shards/00/captures")
    path.write_bytes(path.read_bytes()[:-100])
    target = tmp_path / "fixity.json"
    assert main(["verify", str(crawled.path), "--report", str(target)]) == 7
    told = json.loads(target.read_bytes())
    assert not told["sound"]
    assert told["problems"]


def test_a_bag_is_checked_with_the_tools_of_others_and_comes_in_again(
    crawled: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bag = tmp_path / "bag"
    assert main(["export", str(crawled.path), "bagit", "-o", str(bag)]) == 0
    assert "wrote 3 files" in capsys.readouterr().out
    for manifest in ("manifest-sha256.txt", "tagmanifest-sha256.txt"):
        subprocess.run(["sha256sum", "--check", "--strict", manifest], cwd=bag, check=True, capture_output=True)
    listed = {line.split("  ")[1] for line in (bag / "manifest-sha256.txt").read_text().splitlines()}
    assert listed == {str(path.relative_to(bag)) for path in (bag / "data").rglob("*") if path.is_file()}
    tags = {line.split("  ")[1] for line in (bag / "tagmanifest-sha256.txt").read_text().splitlines()}
    assert tags == {"bagit.txt", "bag-info.txt", "manifest-sha256.txt"}
    assert (bag / "bagit.txt").read_text() == "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
    about = dict(line.split(": ", 1) for line in (bag / "bag-info.txt").read_text().splitlines())
    sizes = [path.stat().st_size for path in (bag / "data").rglob("*") if path.is_file()]
    assert about["Payload-Oxum"] == f"{sum(sizes)}.{len(sizes)}"
    with gossamer.open(tmp_path / "again") as again:
        again.import_files(*sorted((bag / "data/archive").iterdir()), shards=1)
        assert {page.url: page.text for page in again.pages()} == {page.url: page.text for page in crawled.pages()}


def test_a_bag_is_a_new_directory(crawled: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(crawled.path), "bagit", "-o", str(crawled.path.parent)]) == 2
    assert main(["export", str(crawled.path), "bagit"]) == 2
    assert "-o my-bag" in capsys.readouterr().err
    (path,) = warc_files(crawled.path / "shards/00/captures")
    path.write_bytes(path.read_bytes()[:-100])
    assert main(["export", str(crawled.path), "bagit", "-o", str(tmp_path / "bag")]) == 7
    assert {each.name for each in tmp_path.iterdir()} == {"web"}
