"""What a collection of a few pages answers, without index and graph, and how it shows one moment."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from small_shard import BEGAN, answer, said, small_shard

from gossamer import convert
from gossamer.collection.ask import crawl_state, exporting, links
from gossamer.collection.ask.reading import Reading
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl import shard_identity
from gossamer.collection.derive.underived import LINKS_WHOLE
from gossamer.collection.folder import Folder
from gossamer.errors import InvalidURL, NotACollection, NotFound, UsageError
from gossamer.frontier.entries import State
from gossamer.plan import Plan
from gossamer.store.table.table import Table
from gossamer.store.versions import STATE
from gossamer.urls import keys
from gossamer.urls.seeds import as_seed

URLS = [f"http://{number}.test/" for number in range(6)]
HOME = URLS[0]
WAITS, UNREAD = "http://0.test/waits", "http://0.test/unread"
FIRST, SECOND = (datetime.fromtimestamp(BEGAN + day * 86_400, UTC) for day in (0, 1))


def shard_of(url: str) -> int:
    return keys.shard(keys.host(url), 2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Six pages in two shards, one of them twice; one address waits, and one page could not be read."""
    made, plan = Folder(tmp_path_factory.mktemp("reading") / "web"), Plan(shards=2, seeds=(HOME,), depth=0)
    for index in range(2):
        made.shard(index).mkdir(parents=True)
        with small_shard(made.shard(index), f"gossamer-{index:02}") as shard:
            shard_identity.leave(shard.table, index, plan)
            for url in URLS:
                if shard_of(url) == index:
                    shard.keep(url, f"<title>{url}</title>{said(url)}")
            if shard_of(HOME) == index:
                shard.keep(HOME, "<title>New</title>" + said("new"), began=BEGAN + 86_400)
                shard.archive.mark(HOME, near_copy_of=URLS[1])
                shard.enter(WAITS, state=State.QUEUED, status=0)
                capture = answer(UNREAD, "words")
                shard.archive.append(capture, convert.unread(capture, "a mistake"))
                shard.enter(UNREAD)
            shard.commit()
    made.save_plan(plan)
    return made


@pytest.fixture
def reader(folder: Folder) -> Iterator[Reading]:
    with Reading(folder.path) as made:
        yield made


def test_what_a_reader_holds_is_given_back_when_it_ends(folder: Folder) -> None:
    closed: list[str] = []
    with Reading(folder.path) as reader:
        assert reader.path == folder.path
        first = reader._readers()
        assert reader._readers() is first
        close = first.close
        first.close = lambda: (closed.append("shelves"), close())[1]  # type: ignore[method-assign]  # a spy
        reader._moment = SimpleNamespace(close=lambda: closed.append("moment"))  # type: ignore[assignment]  # a spy
        reader._linked = None
        reader._asked = object()  # type: ignore[assignment]  # a fake
    assert closed == ["shelves", "moment"]
    assert (reader._reader, reader._asked, reader._linked, reader._moment) == (None, None, False, None)
    reader.close()
    assert closed == ["shelves", "moment"]
    assert reader.page(HOME).title == "New"  # it can be asked again
    reader.close()


def test_status_counts_the_pages_of_all_shards_and_those_that_were_not_read(reader: Reading) -> None:
    status = reader.status()
    assert (status.pages, status.queued, status.unread, status.mirrors) == (7, 1, 1, {})
    ((url, problem),) = reader.unread()
    assert url == UNREAD
    assert "a mistake" in problem
    assert reader.plan.seeds == (HOME,)


def test_why_answers_for_addresses_and_hosts(reader: Reading) -> None:
    address: Any = reader.why(HOME)
    assert (address.url, address.copy_of, address.near_copy_of) == (HOME, None, URLS[1])
    waiting: Any = reader.why(WAITS)
    assert (waiting.url, waiting.near_copy_of) == (WAITS, None)
    with pytest.raises(NotFound, match=r"never\.test: no such host"):
        reader.why("never.test")
    with pytest.raises(NotFound, match=r"not in the collection; it was never met$"):
        reader.why(HOME + "never")  # a seed may be met at depth 0, which is all that this plan allows
    with pytest.raises(NotFound, match="it would be left out"):
        reader.why("http://elsewhere.test/")
    with pytest.raises(NotFound, match="no such host"):
        reader.why("http://never.test/robots.txt")


def test_mirrors_are_told_from_both_sides() -> None:
    mirrors = {"main.test": ["a.test", "b.test"]}
    assert crawl_state._mirrored("a.test", mirrors) == {"mirror_of": "main.test", "mirrors": ()}
    assert crawl_state._mirrored("main.test", mirrors) == {"mirror_of": None, "mirrors": ("a.test", "b.test")}
    assert crawl_state._mirrored("c.test", mirrors) == {"mirror_of": None, "mirrors": ()}


def test_a_page_is_as_it_was_at_a_time(reader: Reading) -> None:
    assert reader.page(HOME).title == "New"
    assert reader.page(HOME, FIRST).title == HOME
    assert [edition.fetched for edition in reader.history(HOME)] == [FIRST, SECOND]
    diff = reader.diff(HOME)
    assert diff is not None
    early = FIRST - timedelta(days=1)
    with pytest.raises(
        NotFound, match=f"was not in the collection yet at {early:%Y-%m-%d}.*version is of {FIRST:%Y-%m-%d}"
    ):
        reader.page(HOME, early)
    for at in (None, FIRST):
        with pytest.raises(NotFound, match="no page in the collection; `gossamer why"):
            reader.page(WAITS, at)


def test_pages_come_in_the_order_of_addresses_whatever_their_shard(reader: Reading) -> None:
    found = [page.url for page in reader.pages()]
    assert found == sorted([*URLS, UNREAD], key=keys.row)
    assert [url for url, *_ in reader._newest()] == found
    page = reader.page(HOME)
    assert reader.file_of(page).name == page.version.file


@pytest.mark.parametrize(("form", "count"), [("jsonl", 7), ("trec", 7), ("parquet", 7), ("warc", 2), ("cdxj", 8)])
def test_an_export_counts_what_it_writes(form: str, count: int, reader: Reading) -> None:
    assert reader.export(form, out := io.BytesIO()) == count
    assert out.getvalue()


def test_an_export_reports_now_and_then(reader: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "REPORT_EVERY", 3)
    told: list[tuple[int, int]] = []
    reader.export("jsonl", io.BytesIO(), lambda *now: told.append(now))
    assert told == [(3, 7), (6, 7)]
    with pytest.raises(UsageError, match="unknown format"):
        reader.export("pdf", io.BytesIO())


def test_files_are_copied_one_by_one(reader: Reading, tmp_path: Path) -> None:
    assert reader.export_files(tmp_path) == len(list(tmp_path.iterdir())) == 2


class Asked:
    """A searcher that notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def _note(self, *asked: Any, **more: Any) -> list[tuple[str, float]]:
        self.asked.append((*asked, *more.values()))
        return [(HOME, 1.0)]

    search = explained = ranking = _note


def test_a_search_gives_ten_answers_from_the_first_on_unless_more_are_asked_for(
    reader: Reading, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader._asked = asked = Asked()  # type: ignore[assignment]  # a fake
    assert reader.search("word") == [(HOME, 1.0)]
    reader.search("word", 5, 20, sort="date", facets=True)
    assert reader.explain("word") == [(HOME, 1.0)]
    assert reader.evaluate({"q": "word"}, {"q": {HOME: 1}})
    assert asked.asked == [
        ("word", 10, 0, "relevance", False),
        ("word", 5, 20, "date", True),
        ("word", 10),
        ("word", 1_000),
    ]
    trusted: list[tuple[Any, ...]] = []
    reader._linked = graph = object()  # type: ignore[assignment]  # a fake
    monkeypatch.setattr(links, "trusted", lambda *given: trusted.append(given))
    reader.trust(["HTTP://0.test"])
    assert trusted == [(graph, [HOME], 10)]
    monkeypatch.setattr(links, "of_sites", lambda graph, site: [(site(HOME), 1.0)])
    assert reader.rank_sites() == [("0.test", 1.0)]
    reader._asked, reader._linked = None, False


def test_a_searcher_is_made_once_for_one_moment(reader: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    monkeypatch.setattr("gossamer.collection.ask.searching.searcher", lambda *_: made.append(object()) or made[-1])
    assert reader._searcher() is reader._searcher() is made[0]
    reader.close()
    assert reader._searcher() is made[1]
    reader.close()


def test_the_folders_are_looked_at_once_for_one_moment(reader: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[Folder] = []
    require = Folder.require
    monkeypatch.setattr(Folder, "require", lambda folder: looks.append(folder) or require(folder))
    reader.close()
    reader.page(HOME)
    reader.page(HOME)
    assert len(looks) == 1
    reader.close()
    reader.page(HOME)
    assert len(looks) == 2


def test_without_a_graph_its_questions_say_how_to_make_one(reader: Reading, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="has no graph; `gossamer build"):
        _ = reader.graph
    assert reader.links(HOME) is not None
    with pytest.raises(NotFound, match="there is no graph of links"):
        reader.links("http://never.test/")
    assert reader.table.get(HOME, "page:title") is not None
    nothing = Reading(tmp_path / "nothing")
    for question in (lambda: nothing.graph, nothing.status):
        with pytest.raises(NotACollection):
            question()


def test_the_graph_is_looked_for_once(reader: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[None] = []
    monkeypatch.setattr(reader, "_present_graph", lambda: looks.append(None))
    assert reader._graph() is reader._graph() is None
    assert len(looks) == 1
    reader.close()
    reader._graph()
    assert len(looks) == 2
    reader.close()


def test_a_collection_is_built_if_all_of_its_shards_are(folder: Folder) -> None:
    for index, built in ((0, False), (1, True)):
        with Table.open(folder.table(index), FAMILIES, writable=True) as table:
            table.put(STATE, LINKS_WHOLE, b"1")
            table.commit()
        with Reading(folder.path) as reader:
            assert reader.is_built is built


def test_a_seed_without_a_scheme_is_taken_for_http() -> None:
    assert as_seed(" Example.org/a ") == "example.org/a"
    assert as_seed("https://example.org") == "https://example.org/"
    with pytest.raises(InvalidURL, match="seed 'mailto://'"):
        as_seed("mailto://")
