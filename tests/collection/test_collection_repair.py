"""Damage to the archive is named, costs no other record, and a repair leaves a collection that verifies."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from small_shard import BEGAN, SmallShard, said, small_shard

import gossamer
from crawler_process import gossamer_command
from gossamer.cli.main import main
from gossamer.collection import Collection, Outside
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.wiring import info_of
from gossamer.collection.folder import Folder
from gossamer.collection.maintain.repair import Loss, Repaired, repair
from gossamer.collection.maintain.writable_shard import WritableShard
from gossamer.dedupe.column_families import PRINTS, STALE, WHOLE
from gossamer.frontier.entries import State
from gossamer.frontier.ledger import Ledger
from gossamer.model import Capture, SystemClock, Visit
from gossamer.plan import Plan
from gossamer.store import versions
from gossamer.store.archive import Archive
from gossamer.store.repair.verify import Gap
from gossamer.store.table.table import Table
from gossamer.store.warc.reader import records, whole_captures
from gossamer.store.warc.warc import Record
from gossamer.testing import Changes, Copies, Errors, MadeWeb, Redirects, VirtualClock, WebSpec
from harness.seldom import seldom

SPEC = WebSpec(
    seed=6,
    hosts=2,
    pages=10,
    errors=Errors(missing=0.1),
    redirects=Redirects(chains=0.1),
    copies=Copies(exact=0.3),
    changes=Changes(pages=0.5, rate=(2.0, 2.0)),
)
FEW, MANY = 12, 1_000
KILLER = Path(__file__).parents[1] / "kill_points"


class Sound:
    """A collection that was crawled twice, to be copied and damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        clock = VirtualClock()
        web = MadeWeb(SPEC, clock=clock)
        with gossamer.open(path) as collection:
            outside = Outside(clock, web.fetch)
            clock.run(collection.crawl_async(web.seed, scope="any", warc_bytes=72_000, outside=outside))
            clock.advance(3 * 86_400)
            clock.run(collection.crawl_async(revisit=True, outside=outside))
            assert collection.verify().problems == []
        self.files = captures(path)
        self.records = {record.place.record: record for file in self.files for record in records(file)}

    def copy(self, target: Path) -> Path:
        shutil.copytree(self.path, target)
        return target


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    return Sound(tmp_path_factory.mktemp("sound") / "web")


@pytest.fixture
def damaged(sound: Sound, tmp_path: Path) -> Iterator[Collection]:
    with gossamer.open(sound.copy(tmp_path / "web")) as collection:
        yield collection


def captures(folder: Path) -> list[Path]:
    return sorted((folder / "shards" / "00" / "captures").glob("*.warc.gz"))


def blocks(folder: Path) -> dict[str, bytes]:
    return {record.place.record: record.block for path in captures(folder) for record in records(path)}


def hurt(path: Path, dice: random.Random) -> tuple[int, int]:
    """Flip a bit, cut the end off, take a stretch out, or put one in. The offset, and how many bytes were hit."""
    data = bytearray(path.read_bytes())
    at, some = dice.randrange(len(data)), dice.randrange(1, 2_000)
    match dice.randrange(4):
        case 0:
            data[at] ^= 1 << dice.randrange(8)
            some = 1
        case 1:
            some = len(data) - at
            del data[at:]
        case 2:
            some = min(some, len(data) - at)
            del data[at : at + some]
        case _:
            data[at : at + some] = dice.randbytes(some)
    path.write_bytes(data)
    return at, some


def untouched(sound: Sound, file: Path, at: int, some: int) -> set[str]:
    """The records that lie outside of what was hit."""

    def is_hit(record: Record) -> bool:
        place = record.place
        return place.file == file.name and place.offset < at + some and at < place.offset + place.length

    return {name for name, record in sound.records.items() if not is_hit(record)}


def damage_and_repair(sound: Sound, tmp_path: Path, seed: int) -> None:
    folder, dice = sound.copy(tmp_path / str(seed)), random.Random(seed)
    file = dice.choice(captures(folder))
    at, some = hurt(file, dice)
    harmless = blocks(folder) == {name: record.block for name, record in sound.records.items()}
    with gossamer.open(folder) as collection:
        told = collection.verify().problems
        named = any(file.name in problem for problem in told)
        assert named or harmless, (seed, at, some)  # bits that only fill up a byte of deflate mean nothing
        done = collection.repair()
        assert done.left == (), (seed, at, some)  # what `verify` would say
    found = blocks(folder)
    for name in untouched(sound, file, at, some):
        assert found[name] == sound.records[name].block, (seed, at, some)
    assert [path.name for path in done.aside] == [file.name] * named
    assert all(path.exists() for path in done.aside)
    shutil.rmtree(folder)


@pytest.mark.parametrize("seed", seldom(range(FEW), 3))
def test_damage_anywhere_costs_the_records_it_hits_and_no_other(sound: Sound, tmp_path: Path, seed: int) -> None:
    damage_and_repair(sound, tmp_path, seed)


@pytest.mark.soak
def test_damage_at_a_thousand_places_costs_the_records_it_hits_and_no_other(sound: Sound, tmp_path: Path) -> None:
    for seed in range(FEW, FEW + MANY):
        damage_and_repair(sound, tmp_path, seed)


# ------------------------------------------------------------------ what is told


def break_record(collection: Collection, url: str) -> tuple[Path, int]:
    """Make the newest record of a page unreadable."""
    page = collection.page(url)
    path, version = collection.file_of(page), page.version
    collection.close()
    data = bytearray(path.read_bytes())
    data[version.offset + version.length // 2] ^= 0xFF
    path.write_bytes(data)
    return path, version.offset


def test_a_page_that_is_lost_is_named_and_fetched_again(damaged: Collection) -> None:
    url = next(page.url for page in damaged.pages() if page.version.text and not page.version.original)
    path, offset = break_record(damaged, url)
    assert any(path.name in told and str(offset) in told for told in damaged.verify().problems)
    done = damaged.repair()
    assert url in {loss.url for loss in done.lost if loss.queued}
    assert [(gap.file, gap.start) for gap in done.gaps] == [(path.name, offset)]
    answer = damaged.why(url)
    assert (answer.state, answer.reason) == ("queued", "its record in the archive was damaged; to be tried again")
    clock = VirtualClock(answer.next_time or 0.0)
    web = MadeWeb(SPEC, clock=clock)
    clock.run(damaged.crawl_async(outside=Outside(clock, web.fetch)))
    assert damaged.why(url).state == "done"
    assert damaged.page(url).title
    assert damaged.verify().problems == []


def test_copies_of_a_lost_page_are_lost_with_it(damaged: Collection) -> None:
    copy = next(page for page in damaged.pages() if page.version.original and page.version.copy_of)
    original = copy.version.original or ""
    assert damaged.page(original).version.digest == copy.version.digest
    break_record(damaged, original)
    done = damaged.repair()
    assert {original, copy.url} <= {loss.url for loss in done.lost}
    assert done.left == ()


def test_a_file_that_is_missing_costs_its_pages_and_no_others(damaged: Collection) -> None:
    first, second = captures(damaged.path)[:2]
    kept = {page.url for page in damaged.pages() if page.version.file != first.name}
    first.unlink()
    assert any(first.name in problem for problem in damaged.verify().problems)
    done = damaged.repair()
    assert done.left == ()
    assert {loss.url for loss in done.lost}
    assert {page.url for page in damaged.pages()} <= kept
    assert second.exists()


def test_a_sound_collection_needs_no_repair_and_is_left_alone(damaged: Collection) -> None:
    before = [path.read_bytes() for path in captures(damaged.path)]
    done = damaged.repair()
    assert (done.problems, done.lost, done.aside, done.left) == ((), (), (), ())
    assert [path.read_bytes() for path in captures(damaged.path)] == before


@pytest.mark.parametrize("name", ["texts", "links", "index"])
def test_what_is_derived_is_made_again(damaged: Collection, name: str) -> None:
    before = {page.url: page.text for page in damaged.pages()}
    damaged.close()
    for path in (damaged.path / "shards" / "00" / name).iterdir():
        data = bytearray(path.read_bytes())
        data[len(data) // 2 : len(data) // 2 + 40] = bytes(40)
        path.write_bytes(data)
    assert any("shards/00" in told or "texts" in told for told in damaged.verify().problems)
    done = damaged.repair()
    assert (done.left, done.lost) == ((), ())
    assert {page.url: page.text for page in damaged.pages()} == before
    assert damaged.search(next(iter(before.values())).split()[0]).hits


def test_a_file_that_was_restored_after_the_repair_is_taken_in_again(damaged: Collection, sound: Sound) -> None:
    before = {page.url: page.version.digest for page in damaged.pages()}
    url = next(page.url for page in damaged.pages() if page.version.text and not page.version.original)
    path, _ = break_record(damaged, url)
    damaged.repair()
    shutil.copy(next(file for file in sound.files if file.name == path.name), path)
    done = damaged.repair()
    assert done.left == ()
    assert done.adopted
    assert damaged.page(url).version.digest == before[url]


def test_the_index_for_replay_is_complete_and_sorted_after_a_repair(damaged: Collection) -> None:
    for number, file in enumerate(captures(damaged.path)):
        hurt(file, random.Random(number))
    assert damaged.repair().left == ()
    out = io.BytesIO()
    damaged.export("cdxj", out)
    lines = out.getvalue().decode().splitlines()
    assert lines == sorted(lines)
    told = [json.loads(line.split(" ", 2)[2]) for line in lines]
    found = [record for path in captures(damaged.path) for record in records(path)]
    there = {(record.place.file, record.place.offset): record for record in found if record.type != "metadata"}
    for each in told:
        record = there[each["filename"], int(each["offset"])]
        assert (record.url, record.place.length) == (each["url"], int(each["length"]))
        assert record.field("warc-payload-digest") == each["digest"]
    responses = {record.place.record for record in found if record.type == "response"}
    assert responses <= {there[each["filename"], int(each["offset"])].place.record for each in told}


def test_a_warc_file_inside_of_a_broken_page_is_not_taken_for_records_of_ours(tmp_path: Path, sound: Sound) -> None:
    quoted = sound.files[0].read_bytes()
    clock = VirtualClock()
    web = MadeWeb(WebSpec(pages=2), clock=clock)

    async def fetch(visit: Visit) -> Capture:
        capture = await web.fetch(visit)
        if visit.url != web.seed:
            return capture
        packed = capture.head.replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n")
        coding = (*capture.headers, ("content-encoding", "gzip"))
        return replace(capture, head=packed, headers=coding, wire=quoted)  # what comes compressed is kept as it is

    with gossamer.open(tmp_path / "web") as collection:
        clock.run(collection.crawl_async(web.seed, outside=Outside(clock, fetch)))
        page = collection.page(web.seed)
        with collection.file_of(page).open("r+b") as file:
            file.seek(page.version.offset + 20)
            file.write(b"damage")
        collection.close()
        done = collection.repair()
        assert (done.left, done.adopted) == ((), 0)
        assert not {url for url in collection.table.scan() if "h1.example" in url}


# ------------------------------------------------------------------ when it is killed


@pytest.mark.parametrize(
    "point", ["table committed:4", pytest.param("table about to commit:4", marks=pytest.mark.soak)]
)
def test_a_repair_that_is_killed_again_and_again_ends_the_same(damaged: Collection, tmp_path: Path, point: str) -> None:
    dice = random.Random(point)
    for file in captures(damaged.path):
        hurt(file, dice)
    calm = shutil.copytree(damaged.path, tmp_path / "calm")
    kills = tmp_path / "kills"
    deadly = {
        **os.environ,
        "PYTHONPATH": f"{KILLER}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        "GOSSAMER_TEST_KILL": point,
        "GOSSAMER_TEST_KILLS": str(kills),
        "GOSSAMER_TEST_MOST": "2",
    }
    for _ in range(4):
        command = gossamer_command("verify", str(damaged.path), "--repair")
        done = subprocess.run(command, env=deadly, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
    assert len(kills.read_text().splitlines()) == 2
    with gossamer.open(calm) as collection:
        assert collection.repair().left == ()
        assert damaged.verify().problems == []
        assert {page.url: page.text for page in collection.pages()} == {page.url: page.text for page in damaged.pages()}
        assert collection.status().queued == damaged.status().queued


def test_what_a_killed_crawl_left_uncommitted_is_not_lost_by_a_repair(damaged: Collection) -> None:
    last, committed = captures(damaged.path)[-1], Folder(damaged.path)
    with Table.open(committed.table(0), FAMILIES, writable=True) as table:
        archive = Archive(table, committed.shard(0), lambda capture: capture)
        name, length = archive.files.committed()
        groups = list(whole_captures(last))
        assert name == last.name
        table.put("archive", b"end", msgspec.msgpack.encode((name, groups[-3].end)))
        for group in groups[-2:]:
            table.delete("captures", versions._key(group.response.url or "", group.response.began))
        table.commit()
    assert length > groups[-3].end
    data = bytearray(last.read_bytes())
    data[groups[1].response.place.offset + 30] ^= 0xFF
    last.write_bytes(data)
    assert damaged.repair().left == ()
    with Table.open(committed.table(0), FAMILIES, writable=False) as table:
        archive = Archive(table, committed.shard(0), lambda capture: capture)
        tail = [group.response.place.record for group in archive.files.uncommitted()]
    assert tail == [group.response.place.record for group in groups[-2:]]


def test_the_command_says_what_was_done_and_ends_well(damaged: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    folder, url = str(damaged.path), next(page.url for page in damaged.pages() if page.version.text)
    path, offset = break_record(damaged, url)
    assert main(["verify", folder]) == 7
    capsys.readouterr()
    assert main(["verify", folder, "--repair"]) == 0
    told = capsys.readouterr().out
    assert f"lost: bytes {offset} to " in told
    assert f"lost: {url} as of " in told
    assert f"put aside: {damaged.path / 'shards/00/damaged' / path.name}" in told
    assert told.endswith("repaired; all is well now\n")
    assert main(["verify", folder]) == 0
    capsys.readouterr()
    assert main(["verify", folder, "--repair"]) == 0
    assert capsys.readouterr().out == "all was well; nothing to repair\n"


def test_a_full_file_that_is_cut_where_a_record_ends_is_still_found_out(damaged: Collection) -> None:
    file = captures(damaged.path)[0]
    group = list(whole_captures(file))[-1]
    os.truncate(file, group.metadata.place.offset)  # the row still finds its record
    told = damaged.verify().problems
    assert told == [f"{file.name}: bytes {group.metadata.place.offset} to {group.end} are not a whole record"]
    assert damaged.repair().left == ()


@pytest.mark.parametrize(
    "changed",
    [
        {"status": 404},
        {"digest": f"sha256:{'0' * 64}"},
        {"size": 7},
        {"media_type": "image/png"},
        {"truncated": "time"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_rows_that_say_something_else_than_their_records_are_made_right(
    damaged: Collection, changed: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    path = Folder(damaged.path).table(0)
    with Table.open(path, FAMILIES, writable=True) as table:
        rows = dict(table.scan(versions.CAPTURES))
        for key, data in rows.items():
            row = versions.version_of(data)
            if row.text or "media_type" not in changed:  # what was read of others is not kept with their records
                wrong = msgspec.structs.replace(row, **changed)
                table.put(versions.CAPTURES, key, msgspec.msgpack.encode(wrong))
        table.commit()
    assert main(["verify", str(damaged.path)]) == 7
    said = capsys.readouterr().out
    assert next(iter(changed)).replace("_", " ").partition(" ")[0] in said
    assert damaged.repair().left == ()
    assert damaged.verify().problems == []
    with Table.open(path, FAMILIES, writable=False) as table:
        for key, data in table.scan(versions.CAPTURES):
            now, before = versions.version_of(data), versions.version_of(rows[key])
            same = msgspec.structs.replace(before, began=now.began, text=now.text, **_text_of(now))
            assert now == same, (now, before)


def _text_of(version: versions.Version) -> dict[str, object]:
    """Where a text lies may be another place now."""
    return {
        "text_of": version.text_of,
        "text_began": version.text_began,
        "original_began": version.original_began,
        "settled": version.settled,
    }


def test_a_version_under_the_key_of_another_moment_is_damage_of_its_table(damaged: Collection) -> None:
    with Table.open(Folder(damaged.path).table(0), FAMILIES, writable=True) as table:
        key, data = next(table.scan(versions.CAPTURES))
        table.put(versions.CAPTURES, key[:-1] + bytes([key[-1] ^ 1]), data)
        table.commit()
    (problem,) = damaged.verify().problems
    assert "its key has another" in problem
    assert damaged.repair().left == ()


def test_a_row_that_points_at_the_capture_of_another_page_goes(damaged: Collection) -> None:
    with Table.open(Folder(damaged.path).table(0), FAMILIES, writable=True) as table:
        archive = Archive(table, Folder(damaged.path).shard(0), lambda each: each)
        url, version = next(archive.versions.pages())
        archive.versions.add("http://bank.example/", version)
        table.commit()
    assert f"http://bank.example/: its row points at a capture of {url}" in damaged.verify().problems
    assert damaged.repair().left == ()
    assert damaged.history("http://bank.example/") == []


# ------------------------------------------------------------------------ one shard


A, B, C = "http://a.test/", "http://b.test/", "http://c.test/"


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[SmallShard]:
    with small_shard(tmp_path) as made:
        made.keep(A, said("one"))
        made.keep(A, said("two"), began=BEGAN + 1)
        made.keep(B, said("three"))
        made.keep(C, said("four"))
        made.commit()
        yield made


def repaired(shard: SmallShard) -> Repaired:
    shard.commit()
    shard.archive.close()
    plan = Plan()
    shard.archive.texts.open(info_of(plan), SystemClock(), prefix="gossamer", max_bytes=1 << 30)
    done = repair(WritableShard(shard.folder, plan, shard.table, shard.archive, "gossamer"))
    shard.table.drop_changes()  # all of it is committed
    return done


def spoil(shard: SmallShard, url: str, began: float = BEGAN) -> str:
    """The record of a version is overwritten in the middle."""
    version = shard.archive.versions.at(url, began)
    assert version is not None
    with shard.archive.path(version).open("r+b") as file:
        file.seek(version.offset + version.length // 2)
        file.write(b"\0" * 20)
    return version.file


def state_of(shard: SmallShard, url: str) -> State:
    entry = Ledger(shard.table).get(url)
    assert entry is not None
    return entry.state


def test_a_sound_shard_is_left_alone(shard: SmallShard) -> None:
    shard.table.put(PRINTS, WHOLE, STALE)
    assert repaired(shard) == Repaired()
    assert shard.table.get(PRINTS, WHOLE) == STALE


def test_a_page_whose_record_is_lost_is_named_and_queued(shard: SmallShard) -> None:
    file = spoil(shard, B)
    shard.table.put(PRINTS, WHOLE, STALE)
    done = repaired(shard)
    assert done.lost == (Loss(B, BEGAN, queued=True),)
    assert [gap.file for gap in done.gaps] == [file]
    (aside,) = done.aside
    assert aside.name.startswith(file)
    assert done.problems
    assert done.left == ()
    assert state_of(shard, B) is State.QUEUED
    assert [url for url, _ in shard.archive.versions.all()] == [A, A, C]
    for url, version in shard.archive.versions.all():
        assert shard.archive.capture(url, version).body
    assert shard.table.get(PRINTS, WHOLE) is None  # to be built again


def test_an_earlier_version_that_is_lost_is_not_fetched_again(shard: SmallShard) -> None:
    spoil(shard, A)
    assert repaired(shard).lost == (Loss(A, BEGAN, queued=False),)
    assert state_of(shard, A) is State.DONE


def test_of_all_versions_that_are_lost_only_the_newest_is_fetched_again(shard: SmallShard) -> None:
    spoil(shard, A)
    spoil(shard, A, BEGAN + 1)
    assert set(repaired(shard).lost) == {Loss(A, BEGAN, queued=False), Loss(A, BEGAN + 1, queued=True)}
    assert state_of(shard, A) is State.QUEUED


def test_a_capture_without_a_row_is_adopted(shard: SmallShard) -> None:
    shard.archive.versions.remove(C, BEGAN)
    done = repaired(shard)
    assert (done.adopted, done.lost) == (1, ())
    assert shard.archive.versions.current(C) is not None


def test_a_capture_that_was_passed_over_is_tried_again(shard: SmallShard) -> None:
    shard.archive.versions.remove(C, BEGAN)
    shard.archive.passed.note(C, BEGAN, "could not be taken in")
    assert repaired(shard).adopted == 1
    assert list(shard.archive.passed.all()) == []


def test_texts_that_are_damaged_are_made_again(shard: SmallShard) -> None:
    version = shard.archive.versions.current(B)
    assert version is not None
    assert version.text is not None
    ((path, _),) = shard.archive.texts.files()
    with path.open("r+b") as file:
        file.seek(version.text.offset + version.text.html // 2)
        file.write(b"\0" * 20)
    assert shard.archive.page(B, version) is None
    done = repaired(shard)
    assert (bool(done.problems), done.lost) == (True, ())
    assert [each.name for each, _ in shard.archive.texts.files()] != [path.name]


def test_a_file_that_is_gone_costs_its_pages(shard: SmallShard) -> None:
    ((path, _),) = shard.archive.files.all()
    path.unlink()
    done = repaired(shard)
    assert {loss.url for loss in done.lost} == {A, B, C}
    assert shard.archive.files.missing() == []


def test_what_was_done_to_several_shards_is_told_together() -> None:
    one = Repaired(("p1",), (Gap("f", 1, 2),), (Loss(A, 1.0, True),), 3, (Path("/x"),), ("l1",))
    other = Repaired(("p2",), (), (), 4, (Path("/y"),), ("l2",))
    assert (one + other).as_json() == {
        "problems": ["p1", "p2"],
        "lost_bytes": [{"file": "f", "start": 1, "end": 2}],
        "lost": [{"url": A, "fetched": 1.0, "queued": True}],
        "adopted": 7,
        "aside": ["/x", "/y"],
        "left": ["l1", "l2"],
        "gone": [],
    }
