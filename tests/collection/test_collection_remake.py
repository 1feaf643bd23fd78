"""A table that is damaged is seen, and made again from the archive: no page is lost or fetched again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from rocksdict import AccessType, Rdict

import gossamer
from gossamer.cli.main import main
from gossamer.collection import Collection, Outside, session
from gossamer.collection.session import FAMILIES, Session
from gossamer.errors import Damaged
from gossamer.frontier.entries import META, URLS
from gossamer.model import Capture, Page
from gossamer.store.archive import STATE, Archive
from gossamer.store.replay import Replayed
from gossamer.store.table import Table
from gossamer.store.versions import CAPTURES
from gossamer.store.warc import Record
from gossamer.testing import Changes, Copies, Errors, MadeWeb, Redirects, VirtualClock, WebSpec

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


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
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
    real = Session._take

    def take(self: Session, replayed: Replayed, capture: Capture) -> None:
        if len(taken) == 8:
            taken.append("killed")
            raise SystemExit("killed")
        taken.append(capture.visit.url)
        real(self, replayed, capture)

    monkeypatch.setattr(session, "BATCH", 3)
    monkeypatch.setattr(Session, "_take", take)
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
