"""A table that is damaged is seen, and made again from the archive: no page is lost or fetched again."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest
from rocksdict import AccessType, Rdict
from small_shard import small_shard

import gossamer
from gossamer.cli.main import main
from gossamer.collection import Collection, Outside
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl import replaying, shard_identity
from gossamer.collection.crawl.replaying import Replay
from gossamer.collection.crawl.session import Session
from gossamer.collection.derive import graphs
from gossamer.collection.folder import INDEX, Folder
from gossamer.collection.maintain import remake as module
from gossamer.collection.maintain.remake import Remade, lack, lack_of_rows, remake
from gossamer.errors import Damaged
from gossamer.frontier.entries import META, OUTBOX, REMOVED, URLS, State
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.shards.exchange import Marks, marks_of
from gossamer.model import Capture, Page, Visit
from gossamer.plan import Plan
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.store.versions import CAPTURES, STATE
from gossamer.store.warc.replay import Replayed
from gossamer.store.warc.warc import Record
from gossamer.testing import Changes, Copies, Errors, MadeWeb, Redirects, VirtualClock, WebSpec
from gossamer.urls import keys
from harness.seldom import seldom

SPEC = WebSpec(
    seed=6,
    hosts=3,
    pages=10,
    errors=Errors(missing=0.1),
    redirects=Redirects(chains=0.1),
    copies=Copies(exact=0.2),
    changes=Changes(pages=0.5, rate=(2.0, 2.0)),
)


class Sound:
    """A collection of which a part is still queued, to be copied and damaged."""

    def __init__(self, path: Path) -> None:
        self.path, self.clock = path, VirtualClock()
        self.web = MadeWeb(SPEC, clock=self.clock)
        with gossamer.open(path) as collection:
            self.crawl(collection, self.web.seed, scope="any", pages=14)
            self.pages = contents(collection)
            self.queued = collection.status().queued

    def crawl(self, collection: Collection, *seeds: str, **settings: object) -> None:
        outside = Outside(self.clock, self.web.fetch)
        self.clock.run(collection.crawl_async(*seeds, outside=outside, **settings))


def contents(collection: Collection) -> dict[str, tuple[str, str | None]]:
    return {page.url: (page.text, page.version.digest) for page in collection.pages()}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    return Sound(tmp_path_factory.mktemp("sound") / "web")


@pytest.fixture
def web(sound: Sound, tmp_path: Path) -> Path:
    return shutil.copytree(sound.path, tmp_path / "web")


def emptied_list(table: Path) -> None:
    (table / "CURRENT").write_bytes(b"")


def cut_manifest(table: Path) -> None:
    [manifest] = table.glob("MANIFEST-*")
    manifest.write_bytes(manifest.read_bytes()[:100])


def lost_file(table: Path) -> None:
    largest(table).unlink()


def cut_file(table: Path) -> None:
    path = largest(table)
    path.write_bytes(path.read_bytes()[:-500])


def flipped(table: Path) -> None:
    path = largest(table)
    data = bytearray(path.read_bytes())
    data[len(data) // 4] ^= 1
    path.write_bytes(data)


def largest(table: Path) -> Path:
    return max(table.glob("*.sst"), key=lambda path: path.stat().st_size)


DAMAGES = [emptied_list, cut_manifest, lost_file, cut_file, flipped, shutil.rmtree]


@pytest.mark.parametrize("damage", seldom(DAMAGES, 2), ids=lambda damage: damage.__name__)
def test_a_damaged_table_is_seen_and_made_again(sound: Sound, web: Path, damage: Callable[[Path], None]) -> None:
    damage(web / "shards" / "00" / "table")
    with gossamer.open(web) as collection:
        assert problems(collection)
    with gossamer.open(web) as collection:
        done = collection.repair()
        assert done.left == ()
        assert "made again from" in done.problems[0]
        assert contents(collection) == sound.pages
        assert collection.status().queued == sound.queued
        asked = len(sound.web.log.entries)
        sound.crawl(collection, pages=0)
        again = [entry.url for entry in sound.web.log.entries[asked:]]
        assert collection.status().queued == 0
        assert not set(again) & set(sound.pages)
        assert len(contents(collection)) > len(sound.pages)
        assert collection.verify().problems == []


@pytest.mark.parametrize("family", [CAPTURES, URLS, META, STATE])
def test_rows_that_say_nothing_are_seen_and_made_again(sound: Sound, web: Path, family: str) -> None:
    with Table.open(web / "shards" / "00" / "table", FAMILIES, writable=True) as table:
        for key, _ in list(table.scan(family)):
            table.put(family, key, b"\xc1junk")
        table.commit()
    with gossamer.open(web) as collection:
        with pytest.raises(Damaged, match="--repair"):
            sound.crawl(collection, pages=0)
        assert problems(collection)
        assert collection.repair().left == ()
        assert contents(collection) == sound.pages
        assert collection.verify().problems == []


def test_all_versions_are_back(tmp_path: Path) -> None:
    sound = Sound(tmp_path / "web")
    with gossamer.open(sound.path) as collection:
        sound.crawl(collection, pages=0)
        sound.clock.advance(3 * 86_400)
        sound.crawl(collection, revisit=True)
        before, counted = past(collection), counts(collection)
        assert any(len(versions) > 1 for versions in before.values())
    shutil.rmtree(sound.path / "shards" / "00" / "table")
    with gossamer.open(sound.path) as collection:
        assert collection.repair().left == ()
        assert past(collection) == before
        assert counts(collection) == counted


def past(collection: Collection) -> dict[str, list[str]]:
    return {
        page.url: [f"{each.fetched} {each.change}" for each in collection.history(page.url)]
        for page in collection.pages()
    }


def counts(collection: Collection) -> tuple[int, ...]:
    status = collection.status()
    return status.pages, status.queued, status.duplicates, status.near_duplicates, status.failed, status.bytes


def test_a_page_that_was_removed_stays_removed(sound: Sound, web: Path) -> None:
    url = next(iter(sound.pages))
    with gossamer.open(web) as collection:
        collection.remove(url)
    file_of_captures(web / "shards" / "00" / "table").unlink()
    with gossamer.open(web) as collection:
        collection.repair()
        assert url not in contents(collection)
        assert collection.why(url).state == "excluded"


def file_of_captures(table: Path) -> Path:
    database = Rdict(str(table), access_type=AccessType.read_only())
    try:
        keys_of = {each["name"].lstrip("/"): each["start_key"] for each in database.live_files()}
        return next(table / name for name, key in keys_of.items() if b"example," in key and b"\0" in key)
    finally:
        database.close()


def test_a_repair_that_is_killed_goes_on_from_its_last_commit(
    sound: Sound, web: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[str] = []
    real = Replay._take

    def take(self: Replay, replayed: Replayed, capture: Capture) -> None:
        if len(taken) == 8:
            taken.append("killed")
            raise SystemExit("killed")
        taken.append(capture.visit.url)
        real(self, replayed, capture)

    monkeypatch.setattr(replaying, "BATCH", 3)
    monkeypatch.setattr(Replay, "_take", take)
    shutil.rmtree(web / "shards" / "00" / "table")
    with gossamer.open(web) as collection:
        with pytest.raises(SystemExit):
            collection.repair()
        with pytest.raises(Damaged, match="--repair"):
            collection.status()
        with pytest.raises(Damaged, match="--repair"):
            sound.crawl(collection)
        assert collection.repair().left == ()
        assert contents(collection) == sound.pages
    assert len(taken) == len(set(taken)) + 2  # what was not committed at the kill


def test_one_capture_that_cannot_be_taken_in_costs_no_other(
    sound: Sound, web: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd, real = max(sound.pages), Archive.register_again

    def register(self: Archive, response: Record, capture: Capture, page: Page) -> bool:
        if capture.visit.url == odd:
            raise ValueError("odd")
        return real(self, response, capture, page)

    monkeypatch.setattr(Archive, "register_again", register)
    shutil.rmtree(web / "shards" / "00" / "table")
    with gossamer.open(web) as collection:
        assert collection.repair().left == ()
        [note] = collection.verify().notes
        assert odd in note
        assert set(contents(collection)) == set(sound.pages) - {odd}


@pytest.mark.parametrize("graph", [True, False], ids=["graph", "no graph"])
def test_captures_that_are_gone_with_their_table_are_told_of(
    sound: Sound, web: Path, graph: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(web / "shards" / "00")
    (web / "shards" / "00" / "captures").mkdir(parents=True)
    if not graph:
        shutil.rmtree(web / "graph")
    assert main(["verify", str(web), "--repair"]) == 0
    told = capsys.readouterr().out
    known = f"{len(sound.pages)} pages of which no capture is left"
    assert f"lost: {web / 'shards' / '00'}: {known if graph else 'all that it held'}" in told
    assert f"`gossamer crawl {web}`" in told
    assert "all is well" not in told
    with gossamer.open(web) as collection:
        sound.crawl(collection, pages=len(sound.pages))
        assert len(contents(collection)) == len(sound.pages)
        assert collection.repair().gone == ()


def test_a_collection_without_shards_is_no_new_one(sound: Sound, web: Path) -> None:
    shutil.rmtree(web / "shards")
    with gossamer.open(web) as collection:
        for verb in (collection.status, collection.verify, collection.repair):
            with pytest.raises(Damaged, match=f"captures with them; `gossamer crawl {web}`"):
                verb()
        sound.crawl(collection, pages=len(sound.pages))
        assert len(contents(collection)) == len(sound.pages)
        assert collection.verify().problems == []


def problems(collection: Collection) -> list[str]:
    try:
        return collection.verify().problems
    except Damaged as error:
        return [str(error)]


# ------------------------------------------------------------------------ a few pages

HOSTS = [f"{number}.test" for number in range(6)]


def collected(path: Path, shards: int = 1) -> tuple[Folder, Plan]:
    """A page of each of six sites, which link to all others, each in its shard; one of them was removed."""
    folder, plan = Folder(path), Plan(shards=shards, scope="any", seeds=(f"http://{HOSTS[0]}/",))
    for index in range(shards):
        folder.shard(index).mkdir(parents=True)
        with small_shard(folder.shard(index)) as shard:
            shard_identity.leave(shard.table, index, plan)
            for host in HOSTS:
                if keys.shard(host, shards) == index:
                    shard.keep(f"http://{host}/", "".join(f'<a href="http://{each}/">{each}</a>' for each in HOSTS))
            shard.commit()
    return folder, plan


def known(folder: Folder, index: int = 0) -> set[str]:
    with Table.open(folder.table(index), FAMILIES, writable=False) as table:
        return {keys.host(url) for url, entry in Ledger(table).all() if entry.state is State.DONE}


def test_a_table_is_made_again_if_it_is_missing_damaged_or_half_made(tmp_path: Path) -> None:
    folder, _ = collected(tmp_path)
    assert lack(folder, 0) is None
    with Table.open(folder.table(0), FAMILIES, writable=True) as table:
        shard_identity.set_unfinished(table, True)
        table.commit()
    assert lack(folder, 0) == "a repair of its table was killed"
    assert not lack_of_rows(folder, 0)
    emptied_list(folder.table(0))
    assert (lack(folder, 0) or "").startswith("its table is damaged (")
    assert lack_of_rows(folder, 0)
    shutil.rmtree(folder.table(0))
    assert lack(folder, 0) == "its table is missing"
    shutil.rmtree(folder.shard(0))
    assert lack(folder, 0) == "is missing, and its captures with it"


def test_sound_tables_are_left_alone(tmp_path: Path) -> None:
    folder, plan = collected(tmp_path, 2)
    assert remake(folder, plan) == Remade()


def test_a_lost_table_is_made_from_all_captures_and_is_finished_then(tmp_path: Path) -> None:
    folder, plan = collected(tmp_path)
    shutil.rmtree(folder.table(0))
    (folder.shard(0) / INDEX).mkdir()
    (folder.shard(0) / INDEX / "meta.json").write_text("{}")
    done = remake(folder, plan)
    (problem,) = done.problems
    assert problem.startswith(f"{folder.shard(0)}: its table is missing; made again from 6 captures; ")
    assert not problem.endswith("may be back")
    assert done.aside == []
    assert known(folder) == set(HOSTS)
    assert lack(folder, 0) is None
    assert (folder.shard(0) / INDEX / "meta.json").read_text() != "{}"  # the old index would not fit


def test_an_index_that_would_not_fit_the_new_table_goes_before_anything_is_made(tmp_path: Path) -> None:
    folder, _ = collected(tmp_path)
    (folder.shard(0) / INDEX).mkdir()
    (folder.shard(0) / INDEX / "meta.json").write_text("{}")
    assert len(list(module._begin(folder, 0))) == 1
    assert not (folder.shard(0) / INDEX).exists()


def test_a_table_that_is_made_again_has_the_texts_of_its_pages(tmp_path: Path) -> None:
    folder, plan = collected(tmp_path)
    shutil.rmtree(folder.table(0))
    remake(folder, plan)
    with Table.open(folder.table(0), FAMILIES, writable=False) as table:
        archive = Archive(table, folder.shard(0), lambda capture: capture)
        for url, version in archive.versions.pages():
            page = archive.page(url, version)
            assert page is not None, "it need not be read again"
            assert len(page.links) == len(HOSTS)


@pytest.mark.parametrize("shards", [0, 1, 2, 3])
def test_the_pages_that_the_last_graph_names_belong_to_one_shard_each(shards: int) -> None:
    urls = [f"http://{host}/" for host in HOSTS]
    graph = cast("graphs.Graph", SimpleNamespace(names=dict(enumerate(urls))))
    count = shards or 1
    for index in range(count):
        mine = [url for url in urls if keys.shard(keys.host(url), count) == index]
        assert list(module._of(index, Plan(shards=shards), graph)) == mine


def test_a_damaged_table_is_put_aside_and_what_was_removed_may_be_back(tmp_path: Path) -> None:
    folder, plan = collected(tmp_path)
    emptied_list(folder.table(0))
    done = remake(folder, plan)
    (aside,) = done.aside
    assert aside.is_dir()
    assert done.problems[0].endswith("; addresses that were removed but for their records may be back")
    assert known(folder) == set(HOSTS)


def test_what_was_removed_stays_so_where_the_old_rows_can_be_read(tmp_path: Path) -> None:
    folder, plan = collected(tmp_path)
    url = f"http://{HOSTS[3]}/"
    with small_shard(folder.shard(0)) as shard:
        shard.enter(url, state=State.EXCLUDED, reason=REMOVED, status=0)
        shard.table.put(META, b"counts", b"no value")  # damage
        shard.table.commit()
    done = remake(folder, plan)
    assert known(folder) == {*HOSTS} - {HOSTS[3]}
    assert "made again from 5 captures" in done.problems[0]
    assert not done.problems[0].endswith("may be back")
    with Table.open(folder.table(0), FAMILIES, writable=False) as table:
        entry = Ledger(table).get(url)
        assert entry is not None
        assert entry.reason == REMOVED


def test_a_row_that_cannot_be_read_may_have_been_one_that_was_removed(tmp_path: Path) -> None:
    folder, plan = collected(tmp_path)
    with Table.open(folder.table(0), FAMILIES, writable=True) as table:
        table.put(URLS, keys.row(f"http://{HOSTS[3]}/"), b"no value")
        table.commit()
    assert remake(folder, plan).problems[0].endswith("may be back")


def test_a_table_that_is_begun_is_known_as_unfinished_from_its_first_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(Session):
        def remake(self, *arguments: object) -> int:
            self._table.drop_changes()
            raise KeyboardInterrupt

    folder, plan = collected(tmp_path)
    shutil.rmtree(folder.table(0))
    with monkeypatch.context() as patched:
        patched.setattr(module, "Session", Killed)
        with pytest.raises(KeyboardInterrupt):
            remake(folder, plan)
    assert lack(folder, 0) == "a repair of its table was killed"
    done = remake(folder, plan)
    assert done.aside == []  # it goes on with what is there
    assert known(folder) == set(HOSTS)


def test_the_other_shards_say_again_what_they_have_found_for_the_one_that_is_lost(tmp_path: Path) -> None:
    folder, plan = collected(tmp_path, 3)
    lost = next(index for index in range(3) if any(keys.shard(host, 3) == index for host in HOSTS))
    mine = {host for host in HOSTS if keys.shard(host, 3) == lost}
    shutil.rmtree(folder.table(lost))
    done = remake(folder, plan)
    assert len(done.problems) == 1
    assert known(folder, lost) == mine
    for index in set(range(3)) - {lost}:
        with Table.open(folder.table(index), FAMILIES, writable=False) as table:
            posted = {int.from_bytes(key[:2], "big") for key, _ in table.scan(OUTBOX)}
        assert posted == ({lost} if any(keys.shard(host, 3) == index for host in HOSTS) else set())
    assert not folder.leases.exists()
    assert remake(folder, plan) == Remade()


def test_a_shard_that_is_made_again_goes_on_counting_where_the_others_believe_it_to_be(tmp_path: Path) -> None:
    folder, plan = collected(tmp_path, 2)
    with Table.open(folder.table(1), FAMILIES, writable=True) as table:
        table.put(META, b"exchange", msgspec.msgpack.encode(Marks((5, 0), (9, 0), (7, 0))))
        table.commit()
    shutil.rmtree(folder.table(0))
    remake(folder, plan)
    with Table.open(folder.table(0), FAMILIES, writable=False) as table:
        marks = marks_of(table.get(META, b"exchange") or b"")
    assert marks.applied == (0, 5), "no batch is given twice"
    assert marks.closed[1] >= 7, "and none has a number that was used before"


def test_nothing_becomes_younger_than_it_is_when_it_is_taken_in_again() -> None:
    clock = module._Then()
    assert abs(clock.wall() - time.time()) < 3_600
    clock.stand(1_000.0)
    assert clock.wall() == 1_000.0
    clock.stand(2_000.0)
    assert clock.wall() == 2_000.0


def test_nothing_is_fetched_while_a_table_is_made_again() -> None:
    with pytest.raises(AssertionError, match="nothing is fetched"):
        asyncio.run(module._nothing(Visit("http://a.test/")))


def test_a_table_that_cannot_be_opened_is_not_taken_for_half_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _ = collected(tmp_path)
    emptied_list(folder.table(0))
    monkeypatch.setattr(module, "damage", lambda _: None)
    assert lack(folder, 0) is None
