"""The verbs of a collection, on the smallest webs there are: what each leaves behind, and what it refuses."""

from __future__ import annotations

import asyncio
import gzip
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from made_shard import A, B, C, came, made, said

import gossamer
from gossamer.cli.main import main
from gossamer.collection import Collection, Outside, Progress, crawling
from gossamer.collection import collection as collections
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl import network, supervisor, unfetched_seeds
from gossamer.collection.derive import graph_making, graphs
from gossamer.collection.folder import Folder
from gossamer.collection.maintain import upkeep
from gossamer.errors import Damaged, DamagedInput, NotACollection, NotFound, NothingFetched, StorageError, UsageError
from gossamer.fetch.logins import NONE as NO_LOGINS
from gossamer.frontier.entries import State
from gossamer.model import Capture, Failure, Fault, Kind, SystemClock, Visit
from gossamer.plan import Plan
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock
from gossamer.urls import keys

WORDS = {A: "elephants", B: "giraffes", C: "zebras"}
WEB = {url: f"<title>{words}</title><p>{words}".encode() for url, words in WORDS.items()}


class Web:
    """A few pages, and a clock of their own."""

    def __init__(self) -> None:
        self.clock, self.asked = VirtualClock(), list[str]()

    async def fetch(self, visit: Visit) -> Capture:
        await asyncio.sleep(0)
        self.asked.append(visit.url)
        known = visit.kind is Kind.PAGE and visit.url in WEB
        one = came(visit.url, WEB[visit.url] if known else b"", 200 if known else 404, visit=visit)
        return replace(one, began=self.clock.wall())

    def crawl(self, collection: Collection, *seeds: str, **settings: Any) -> Any:
        still = {"delay": 0, "ip_delay": 0, "sitemaps": "never", "outside": Outside(self.clock, self.fetch)}
        return self.clock.run(collection.crawl_async(*seeds, **(still | settings)))


@pytest.fixture
def web() -> Web:
    return Web()


@pytest.fixture
def collection(tmp_path: Path) -> Iterator[Collection]:
    with gossamer.open(tmp_path / "web") as collection:
        yield collection


def made_of(path: Path, *urls: str) -> None:
    """A collection of these pages that was not crawled."""
    with made(path) as shard:
        shard.folder.save_plan(Plan(shards=1))
        for url in urls:
            shard.keep(url, WEB[url], words=WORDS[url])
            shard.enter(url)
        shard.commit()


# -------------------------------------------------------------------------------- crawl


def test_a_crawl_leaves_pages_a_plan_and_a_graph_and_nothing_half_done(web: Web, collection: Collection) -> None:
    told: list[int] = []
    status = web.crawl(collection, A, B, report=lambda look: told.append(look.pages))
    assert status.pages == told[-1] == 2
    assert collection.plan.seeds == (A, B)
    assert graphs.current(Folder(collection.path)) is not None
    assert (collection.path / "id").exists()  # it is ours
    assert not (collection.path / "asked").exists()
    assert [page.url for page in collection.pages()] == [A, B]


def test_a_crawl_that_only_collects_makes_no_graph_and_sees_what_is_new(web: Web, collection: Collection) -> None:
    assert web.crawl(collection, A, build=False).pages == 1
    assert collection.status().pages == 1
    assert web.crawl(collection, A, B).pages == 2
    assert collection.plan.seeds == (A, B)
    assert not Folder(collection.path).graph.exists()


@pytest.mark.parametrize(("by", "most", "made"), [("event", 1, True), ("event", 0, False), ("order", 0, True)])
def test_who_interrupts_a_crawl_does_not_wait_for_the_graph_of_many_pages(
    web: Web,
    collection: Collection,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    *,
    by: str,
    most: int,
    made: bool,
) -> None:
    """`gossamer stop` is another matter: nobody waits for what it ends."""
    monkeypatch.setattr(crawling, "AT_ONCE", most)
    stop = asyncio.Event()

    def report(look: Progress) -> None:
        if look.pages and by == "event":
            stop.set()
        elif look.pages:
            gossamer.open(collection.path).stop()

    assert web.crawl(collection, A, report=report, stop=stop, keep_fresh=True).pages == 1
    assert (graphs.current(Folder(collection.path)) is not None) is made
    assert ("`gossamer build" in caplog.text) is not made
    assert collection.search("elephants")
    collection.build()
    assert collection.graph.rank(keys.fingerprint(A)) > 0


def test_what_was_fetched_is_not_asked_for_again_unless_somebody_says_so(web: Web, collection: Collection) -> None:
    web.crawl(collection, A)
    assert web.asked.count(A) == 1
    web.crawl(collection)
    assert web.asked.count(A) == 1
    web.crawl(collection, revisit=True)
    assert web.asked.count(A) == 2


def test_a_crawl_from_a_program_is_the_same(web: Web, collection: Collection) -> None:
    still = {"delay": 0, "ip_delay": 0, "sitemaps": "never"}
    status = collection.crawl(A, outside=Outside(SystemClock(), web.fetch), **still)
    assert (status.pages, collection.plan.shards) == (1, 1)


def test_a_crawl_that_fetched_nothing_names_three_seeds_and_why(web: Web, collection: Collection) -> None:
    seeds = [f"{A}{number}" for number in range(4)]
    with pytest.raises(NothingFetched) as told:
        web.crawl(collection, *seeds)
    assert [url in str(told.value) for url in seeds] == [True, True, True, False]
    assert "404" in str(told.value)


def test_a_crawl_for_which_no_page_came_again_says_so_and_keeps_them_all(web: Web, collection: Collection) -> None:
    web.crawl(collection, A)
    there = [page.url for page in collection.pages()]

    async def dead(visit: Visit) -> Capture:
        return Capture(visit, web.clock.wall(), 0.1, failure=Failure(Fault.CONNECT, "nobody is there"))

    with pytest.raises(NothingFetched, match=r"nobody is there.*; no page came again; what is here stays as it was"):
        web.clock.run(collection.crawl_async(revisit=True, outside=Outside(web.clock, dead), sitemaps="never"))
    assert [page.url for page in collection.pages()] == there
    web.clock.run(asyncio.sleep(86_400))
    web.crawl(collection, revisit=True)
    assert web.asked[-1] == A


def test_a_crawl_that_was_stopped_need_not_have_fetched_anything(web: Web, collection: Collection) -> None:
    async def main() -> Any:
        stop = asyncio.Event()
        stop.set()
        outside = Outside(web.clock, web.fetch)
        return await collection.crawl_async(A, stop=stop, outside=outside, sitemaps="never")

    assert web.clock.run(main()).pages == 0


def test_a_seed_that_was_never_met_is_told_as_that(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(seed: str) -> Any:
        raise NotFound(seed)

    monkeypatch.setattr(collection, "why", unknown)
    assert unfetched_seeds.reason(collection, A, NO_LOGINS).startswith("never met")
    monkeypatch.setattr(collection, "why", lambda seed: SimpleNamespace(reason="because"))
    assert unfetched_seeds.reason(collection, A, NO_LOGINS) == "because"


def test_a_plan_that_cannot_work_is_told_before_anything_is_made(
    web: Web, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(gossamer.GossamerError):
        web.crawl(collection, A, include=("(",))
    monkeypatch.setattr("gossamer.collection.crawl.network.resource.getrlimit", lambda which: (400, 400))
    with pytest.raises(StorageError, match="files may be open at once"):
        web.crawl(collection, A)
    with pytest.raises(UsageError, match="no seed"):
        web.crawl(collection)
    assert not collection.path.exists()


def test_a_plan_of_somebody_else_opens_nothing_until_it_is_trusted(web: Web, collection: Collection) -> None:
    made_of(collection.path, A)
    opening = Plan(shards=1, seeds=(A,), allow_addresses=("10.0.0.0/8",))
    Folder(collection.path).save_plan(opening)
    assert list(collection.unconfirmed()) == ["allow_addresses"]
    with pytest.raises(UsageError, match="--trust-plan"):
        web.crawl(collection)
    web.crawl(collection, trust_plan=True)
    assert collection.unconfirmed() == {}


# ------------------------------------------------------------------------------- shards


@pytest.mark.parametrize(
    ("made", "planned", "asked", "here", "shards"),
    [
        (0, 0, None, True, 1),
        (0, 0, 1, True, 1),
        (0, 3, 3, False, 3),
        (4, 4, None, False, 4),
        (4, 4, 4, False, 4),
        (1, 1, None, True, 1),
        (0, 0, None, False, len(os.sched_getaffinity(0))),
    ],
)
def test_the_first_crawl_decides_how_many_shards_there_are(
    collection: Collection,
    monkeypatch: pytest.MonkeyPatch,
    web: Web,
    made: int,
    planned: int,
    asked: int | None,
    here: bool,
    shards: int,
) -> None:
    monkeypatch.setattr(collection, "_made", lambda: made)
    outside = Outside(web.clock, web.fetch) if here else collections.REAL
    assert collection._shards(Plan(shards=planned), asked, outside) == shards


def test_whoever_brings_a_clock_or_a_fetch_has_one_shard(
    collection: Collection, monkeypatch: pytest.MonkeyPatch, web: Web
) -> None:
    for outside in (Outside(web.clock, None), Outside(SystemClock(), web.fetch)):
        assert collection._shards(Plan(shards=0), None, outside) == 1
        with pytest.raises(UsageError, match="needs a collection of one shard"):
            collection._shards(Plan(shards=0), 2, outside)
        with monkeypatch.context() as patch:
            patch.setattr(collection, "_made", lambda: 2)
            with pytest.raises(UsageError, match="needs a collection of one shard"):
                collection._shards(Plan(shards=2), None, outside)
    monkeypatch.setattr(collection, "_made", lambda: 2)
    with pytest.raises(UsageError, match="was made with 2 shards"):
        collection._shards(Plan(shards=2), 3, collections.REAL)


def test_how_many_shards_were_made_is_asked_of_the_folder(collection: Collection) -> None:
    assert collection._made() == 0
    made_of(collection.path, A)
    assert collection._made() == 1
    Folder(collection.path).save_plan(Plan())
    assert collection._made() == 1
    (Folder(collection.path).shard(1) / "table").mkdir(parents=True)
    with pytest.raises(Damaged, match="has 1 shard, but there is shards/01"):
        collection._made()


# ------------------------------------------------------------------------------- import


def bought(tmp_path: Path, *urls: str) -> Path:
    """A WARC file of somebody else."""
    made_of(tmp_path / "other", *urls)
    (path,) = (tmp_path / "other").glob("shards/00/captures/*.warc.gz")
    return path


def test_an_import_makes_a_collection_and_says_what_it_could_not_read(tmp_path: Path, collection: Collection) -> None:
    path, broken = bought(tmp_path, A, B), tmp_path / "broken.warc"
    broken.write_bytes(b"rubbish")
    told: list[int] = []
    done = collection.import_files(path, broken, report=lambda look: told.append(look.captures), shards=1, pages=9)
    assert (done.captures, done.known, told[-1]) == (2, 0, 2)
    assert len(done.problems) == 1
    assert "broken.warc" in done.problems[0]
    assert (collection.plan.pages, collection.plan.shards) == (9, 1)
    assert (collection.path / "id").exists()
    assert graphs.current(Folder(collection.path)) is not None
    assert collection.status().pages == 2
    assert collection.import_files(path).files == 1


@pytest.mark.parametrize("what", ["missing", "rubbish", "a damaged WACZ file", "a folder"])
def test_a_file_that_cannot_be_imported_has_one_exit_code_alone_and_among_others(
    what: str, tmp_path: Path, collection: Collection, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, good = tmp_path / "bad.warc", bought(tmp_path, A)
    if what == "a folder":
        bad.mkdir()
    elif what != "missing":
        bad.write_bytes(b"PK\3\4 and no more" if what == "a damaged WACZ file" else b"rubbish")
    assert main(["import", str(collection.path), str(bad)]) == DamagedInput.exit_code
    assert not collection.path.exists()
    assert str(bad) in capsys.readouterr().err
    assert main(["import", str(collection.path), "--shards", "1", str(bad), str(good)]) == DamagedInput.exit_code
    assert str(bad) in capsys.readouterr().out
    assert collection.status().pages == 1


def test_an_import_confirms_nothing_of_a_collection_that_somebody_else_has_made(
    tmp_path: Path, collection: Collection
) -> None:
    made_of(collection.path, C)
    Folder(collection.path).save_plan(Plan(shards=1, allow_addresses=("10.0.0.0/8",), build=False))
    assert collection.status().pages == 1
    collection.import_files(bought(tmp_path, A))
    assert collection.status().pages == 2
    assert list(collection.unconfirmed()) == ["allow_addresses"]
    assert not Folder(collection.path).graph.exists()


# -------------------------------------------------------------------------------- build


def test_a_build_makes_what_is_missing_and_all_of_it_when_asked(collection: Collection) -> None:
    made_of(collection.path, A, B)
    told: list[int] = []
    found = collection.build(report=lambda built: told.append(built.indexed))
    assert (found.looked, found.indexed, found.texts, told[-1]) == (2, 2, 0, 2)
    assert graphs.current(Folder(collection.path)) is not None
    assert collection.build(convert=True).texts == 2


def test_after_a_build_one_page_stands_for_those_that_say_nearly_the_same(collection: Collection) -> None:
    words = " ".join(f"word{number} that stands only here" for number in range(60))
    with made(collection.path) as shard:
        shard.folder.save_plan(Plan(shards=1))
        for url, said_there in ((A, words), (B, words.replace("word7 ", "another "))):
            shard.keep(url, said_there.encode(), words=said_there, title="The same page")
            shard.enter(url)
        shard.commit()
    collection.build()
    assert [hit.url for hit in collection.search("word30").hits] == [A]
    assert collection.page(B).version.near_copy_of == A
    assert collection.status().near_duplicates == 1
    assert [copy.url for copy in collection.similar(A)] == [B]
    assert collection.graph.copies(keys.fingerprint(A)) == (B,)
    assert collection.graph.standing(keys.fingerprint(B)) == keys.fingerprint(A)


def test_a_build_needs_a_collection_and_all_of_its_shards(collection: Collection) -> None:
    with pytest.raises(NotACollection):
        collection.build()
    made_of(collection.path, A)
    (Folder(collection.path).shard(1) / "table").mkdir(parents=True)
    for verb in (collection.build, lambda: collection.remove(A)):
        with pytest.raises(Damaged, match="shards/01"):
            verb()


def test_a_graph_that_cannot_be_written_is_told_with_its_cure(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_of(collection.path, A)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(graph_making, "make", full)
    with pytest.raises(StorageError, match=r"the disk is full; .*; `gossamer build .*` makes the graph again"):
        collection.build()


def test_one_interrupt_ends_whatever_is_no_crawl(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    made_of(collection.path, A)
    met: list[Any] = []
    for verbs in (collections, crawling, upkeep):
        monkeypatch.setattr(verbs, "run", lambda work, **named: met.append(named))
    collection.build()
    collection.repair()
    collection.remove(A)
    assert met == [{"finish": 0}] * 3
    collection.crawl(A)
    collection.import_files(collection.path / "x")
    assert met[3:] == [{}] * 2


# ---------------------------------------------------------------------- verify and repair


def test_what_is_wrong_is_told_and_a_table_that_is_damaged_says_all(collection: Collection) -> None:
    made_of(collection.path, A, B)
    collection.build()
    checked = collection.verify()
    assert (checked.problems, checked.records > 0) == ([], True)
    graph = Folder(collection.path).graph
    (graph / "current").write_text("rubbish")
    (words,) = collection.verify().problems
    assert "does not name a graph" in words
    for path in Folder(collection.path).table(0).glob("*.sst"):
        path.write_bytes(b"")
    (Folder(collection.path).table(0) / "CURRENT").write_bytes(b"")
    checked = collection.verify()
    assert len(checked.problems) == 1
    assert checked.records == 0


def test_what_is_verified_is_what_is_there_now(collection: Collection) -> None:
    made_of(collection.path, A)
    assert (collection.status().pages, collection.verify().rows) == (1, 1)
    assert collection.status().pages == 1  # from here on it reads this moment
    made_of(collection.path, B)
    assert collection.verify().rows == 2


def test_what_is_left_after_a_repair_is_what_is_there_then(collection: Collection) -> None:
    made_of(collection.path, A, B)
    assert collection.status().pages == 2  # from here on it reads this moment
    (file,) = collection.path.glob("shards/00/captures/*")
    os.truncate(file, file.stat().st_size // 2)
    done = collection.repair()
    assert done.lost
    assert done.left == ()


def test_a_sound_collection_stays_as_it_is_and_what_is_derived_comes_back(collection: Collection) -> None:
    made_of(collection.path, A, B)
    done = collection.repair()
    assert (done.problems, done.left, done.aside, done.lost) == ((), (), (), ())
    (collection.path / "lock").unlink()
    (collection.path / "lock").mkdir()
    (Folder(collection.path).graph / "current").write_text("rubbish")
    done = collection.repair()
    assert [path.name for path in done.aside] == ["lock"]
    assert [words.partition(":")[0] for words in done.problems][:1] == ["lock"]
    assert "does not name a graph" in done.problems[1]
    assert done.left == ()
    assert collection.verify().problems == []


def test_a_plan_that_was_lost_is_back_after_a_repair(collection: Collection) -> None:
    made_of(collection.path, A)
    Folder(collection.path).plan_file.write_bytes(b"")
    done = collection.repair()
    assert "is empty" in done.problems[0]
    assert len(done.aside) == 1
    assert collection.plan.shards == 1
    assert done.left == ()


# ------------------------------------------------------------------------------- remove


@pytest.mark.parametrize("archive", [False, True])
def test_pages_are_taken_out_and_are_not_found_any_more(collection: Collection, archive: bool) -> None:
    made_of(collection.path, A, B)
    collection.build()
    assert [hit.url for hit in collection.search("giraffes").hits] == [B]
    assert list(collection.removable(B).urls) == [B]
    assert list(collection.remove(B, archive=archive).urls) == [B]
    assert [page.url for page in collection.pages()] == [A]
    assert collection.search("giraffes").hits == []
    assert [hit.url for hit in collection.search("elephants").hits] == [A]
    paths = collection.path.glob("shards/00/captures/*.warc.gz")
    assert any(b"giraffes" in gzip.decompress(path.read_bytes()) for path in paths) is not archive
    assert collection.verify().problems == []


def test_what_a_killed_crawl_left_is_taken_in_before_anything_is_taken_out(collection: Collection) -> None:
    made_of(collection.path, A)
    with made(collection.path) as shard:
        for url in (B, C):
            shard.enter(url, state=State.QUEUED, status=0)
        shard.table.commit()
        for url in (B, C):  # in the archive, and not in any row
            shard.archive.append(came(url, WEB[url]), said(url, body=WEB[url]))
    assert list(collection.remove("b.test").urls) == [B]
    assert [page.url for page in collection.pages()] == [A, C]
    assert collection.plan.pages != 1


class FakeCharge:
    """In the place of processes: there are tables, and it is over."""

    met: list[tuple[int, int, bool]]

    def __init__(self, job: Any, lock: int, report: Any, told: Any = None) -> None:
        self._job, self._lock = job, lock
        for index in range(job.plan.shards):
            Table.open(Folder(job.path).table(index), FAMILIES, writable=True).close()

    async def run(self, stop: asyncio.Event) -> None:
        self.met.append((self._job.plan.shards, self._job.plan.pages, stop.is_set()))


@pytest.mark.parametrize("shards", [1, 2, 3])
def test_one_shard_is_crawled_here_and_several_are_processes(
    collection: Collection, monkeypatch: pytest.MonkeyPatch, shards: int
) -> None:
    FakeCharge.met, here = [], []
    monkeypatch.setattr(supervisor, "CrawlSupervisor", FakeCharge)

    async def crawl_here(job: Any, report: Any, stop: asyncio.Event, outside: Any) -> None:
        Table.open(Folder(job.path).table(0), FAMILIES, writable=True).close()
        here.append((job.plan.shards, job.plan.pages, stop.is_set()))

    monkeypatch.setattr(supervisor, "crawl_here", crawl_here)

    linked: list[bool] = []
    monkeypatch.setattr(collection, "_link_up", lambda: linked.append(True))

    async def main() -> None:
        stop = asyncio.Event()
        stop.set()
        await collection.crawl_async(A, stop=stop, shards=shards, pages=7, build=False)
        before = collection._readers()
        await collection.crawl_async(stop=stop)
        assert (collection._readers() is before, linked) == (False, [])
        await collection.crawl_async(stop=stop, build=True)
        assert linked == [True]
        await supervisor.take_in(collection.path, collection.plan, -1)

    asyncio.run(main())
    assert (collection.path / "asked").exists(), "no shard has noted that it is done"
    assert (collection.plan.seeds, collection.plan.shards, collection.plan.pages) == ((A,), shards, 7)
    wanted = [*[(shards, 7, True)] * 3, (shards, 1, True)]
    assert (here, FakeCharge.met) == ((wanted, []) if shards == 1 else ([], wanted))


@pytest.mark.parametrize("stop", [None, asyncio.Event])
def test_nothing_fetched_is_an_error_unless_somebody_has_stopped_it(
    collection: Collection, monkeypatch: pytest.MonkeyPatch, stop: type[asyncio.Event] | None
) -> None:
    async def crawl_here(job: Any, *_: object) -> None:
        Table.open(Folder(job.path).table(0), FAMILIES, writable=True).close()

    monkeypatch.setattr(supervisor, "crawl_here", crawl_here)

    async def main() -> None:
        await collection.crawl_async(A, stop=stop() if stop else None, shards=1, build=False)

    with pytest.raises(NothingFetched, match=A):
        asyncio.run(main())


def test_what_cannot_work_is_told_before_an_import_or_a_build_begins(
    tmp_path: Path, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bought(tmp_path, A)
    with pytest.raises(gossamer.GossamerError):
        collection.import_files(path, include=("(",))

    def too_few(workers: int) -> None:
        raise StorageError(f"too few files for {workers}")

    monkeypatch.setattr(network, "make_room", too_few)
    with pytest.raises(StorageError, match=r"for 1$"):
        collection.import_files(path)
    assert not collection.path.exists()
    with gossamer.open(tmp_path / "other") as other, pytest.raises(StorageError, match=r"for 1$"):
        other.build()


def test_a_plan_that_does_not_say_how_many_shards_means_one(collection: Collection) -> None:
    made_of(collection.path, A, B)
    folder = Folder(collection.path)
    folder.save_plan(Plan())
    collection.remove(B)
    assert folder.numbers() == [0]
    assert collection.verify().problems == []
    assert collection.repair().left == ()
    assert folder.numbers() == [0]
