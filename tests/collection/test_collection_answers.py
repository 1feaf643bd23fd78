"""A small web that is known by heart: what a collection of it answers, question by question."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.collection import Collection, Outside
from gossamer.collection.ask.history import Edition, chosen
from gossamer.collection.ask.links import linked, neighbours
from gossamer.collection.ask.shard_readers import ShardReader, ShardReaders
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.restarts import live
from gossamer.collection.derive import graphs, index_check, index_entry, index_state, near_copies
from gossamer.collection.documents import is_document
from gossamer.collection.folder import Folder
from gossamer.collection.imports.hand_over import Alone
from gossamer.collection.imports.import_files import sort
from gossamer.collection.imports.import_filter import AHEAD, ORIGINALS_MOST, ImportFilter, Verdict
from gossamer.collection.imports.import_source import PROBLEMS_MOST, REASONS_MOST, ImportSource
from gossamer.collection.maintain.writable_shard import is_removed, opened
from gossamer.errors import Damaged, GossamerError, InvalidURL, NotFound, UsageError
from gossamer.model import Capture, Kind, Page, Visit
from gossamer.store.foreign.exchanges import Brought, Refers
from gossamer.store.table.table import Table
from gossamer.store.warc.warc import payload_digest
from gossamer.testing import VirtualClock
from gossamer.urls import keys
from gossamer.urls.seeds import as_seed

A, B = "http://a.test", "http://b.test"
LONG = " ".join(f"word{number} that stands only here" for number in range(60))
PAGES = {
    f"{A}/": "<title>Home</title><h1>Welcome</h1><p>The first page."
    f'<a href="/one">one</a> <a href="{B}/">the other site</a>'
    ' <a href="/moved">moved</a> <a href="/copy">copy</a> <a href="/gone">gone</a> <a href="/hidden">hidden</a>',
    f"{A}/one": f"<title>One</title><p>{LONG}</p><a href='{B}/'>the other site</a><a href='/' rel=nofollow>home</a>",
    f"{A}/copy": f"<title>One</title><p>{LONG}</p><a href='{B}/'>the other site</a><a href='/' rel=nofollow>home</a>",
    f"{A}/hidden": "<title>Hidden</title><meta name=robots content=noindex><p>Nobody should find this zebra.",
    f"{B}/": f'<title>Other</title><p>The other site has an elephant.<a href="{A}/one">number one</a>',
}


class Web:
    """What is asked for, and what comes; pages may change."""

    def __init__(self) -> None:
        self.clock, self.pages = VirtualClock(), dict(PAGES)

    async def fetch(self, visit: Visit) -> Capture:
        await asyncio.sleep(0.01)
        said, began = b"GET / HTTP/1.1\r\n\r\n", self.clock.wall()
        if visit.url == f"{A}/moved":
            head = f"HTTP/1.1 301 Moved\r\nlocation: {A}/one\r\n\r\n".encode()
            return Capture(visit, began, 0.01, 301, (("location", f"{A}/one"),), said, head)
        if visit.kind is not Kind.PAGE or visit.url not in self.pages:
            return Capture(visit, began, 0.01, 404, (), said, b"HTTP/1.1 404 No\r\n\r\n")
        body, fields = self.pages[visit.url].encode(), (("content-type", "text/html"),)
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"
        return Capture(visit, began, 0.01, 200, fields, said, head, body, body, "192.0.2.1")

    def crawl(self, collection: Collection, *seeds: str, **settings: Any) -> None:
        outside = Outside(self.clock, self.fetch)
        self.clock.run(
            collection.crawl_async(
                *seeds, scope="any", delay=0, ip_delay=0, outside=outside, sitemaps="never", **settings
            )
        )


@pytest.fixture(scope="module")
def web() -> Web:
    return Web()


@pytest.fixture(scope="module")
def small(web: Web, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    """Crawled twice, a day apart; one page has changed and one is gone in between."""
    with gossamer.open(tmp_path_factory.mktemp("answers") / "web") as collection:
        web.crawl(collection, f"{A}/")
        web.pages[f"{B}/"] = web.pages[f"{B}/"].replace("elephant", "giraffe")
        del web.pages[f"{A}/hidden"]
        web.clock.run(asyncio.sleep(86_400))
        web.crawl(collection, revisit=True)
        yield collection


def fingerprint(url: str) -> int:
    return keys.fingerprint(url)


# -------------------------------------------------------------------------------- graph


def test_the_graph_knows_who_links_to_whom(small: Collection) -> None:
    graph = small.graph
    name = graph.names.get
    assert {name(each) for each in graph.linking(f"{B}/")} == {f"{A}/", f"{A}/one"}
    assert {name(each) for each in graph.linking(f"{A}/one")} == {f"{A}/", f"{B}/"}
    assert {name(each) for each in graph.linking(f"{A}/moved")} == {f"{A}/", f"{B}/"}  # what it stands for
    assert list(graph.linking("http://never.test/")) == []
    assert graph.standing(fingerprint(f"{A}/moved")) == fingerprint(f"{A}/one")
    assert graph.standing(fingerprint(f"{A}/copy")) == fingerprint(f"{A}/one")
    assert graph.standing(fingerprint(f"{A}/one")) == fingerprint(f"{A}/one")
    assert graph.standing(2**64 - 1) == 2**64 - 1
    assert {pair for pair in graph.links() if f"{A}/hidden" not in pair} == {
        (f"{A}/", f"{A}/one"),
        (f"{A}/", f"{B}/"),
        (f"{A}/one", f"{B}/"),
        (f"{B}/", f"{A}/one"),
    }


def test_ranks_are_those_of_the_graph_and_one_for_strangers(small: Collection) -> None:
    graph = small.graph
    home, one, stranger = graph.ranks([fingerprint(url) for url in (f"{A}/", f"{A}/one", "http://never.test/")])
    assert stranger == 1.0
    assert one > home
    best = graph.top(2)
    assert {url for url, _ in best} == {f"{A}/one", f"{B}/"}
    assert best[0][1] >= best[1][1]
    assert dict(graph.top(99))[f"{A}/one"] == pytest.approx(one)
    assert graph.top(0) == []
    assert graph.ranks(graph.web.nodes.tolist()) == graph.values.tolist()
    assert graph.ranks([0, 2**64 - 1]) == [1.0, 1.0]
    assert graph.values.sum() == pytest.approx(len(graph.values))
    assert graph.copies(fingerprint(f"{A}/one")) == (f"{A}/copy",)
    assert graph.copies(fingerprint(f"{A}/")) == ()
    assert graph.mirrors == []
    assert graph.changes


def test_links_of_a_page_are_told_from_both_sides(small: Collection) -> None:
    found = small.links(f"{A}/one")
    assert [link.url for link in found.outgoing] == [f"{B}/", f"{A}/"]
    assert set(found.incoming) == {f"{A}/", f"{B}/"}
    assert set(found.anchors) == {"one", "number one"} or set(found.anchors) == {"number one"}
    assert found.rank == pytest.approx(small.graph.ranks([fingerprint(f"{A}/one")])[0])
    told = found.as_json()
    assert told["out"][0] == {"url": f"{B}/", "anchor": "the other site", "rel": "", "status": 200, "state": "done"}
    assert (told["url"], set(told["in"]), told["rank"]) == (f"{A}/one", set(found.incoming), found.rank)
    page = small.page(f"{A}/one")
    alone = linked(f"{A}/one", page, None)
    assert (alone.outgoing, alone.incoming, alone.anchors, alone.rank) == (page.links, (), (), None)
    with pytest.raises(NotFound, match="there is no graph of links"):
        linked(f"{A}/one", None, None)
    with pytest.raises(NotFound, match="no page of it links there"):
        small.links("http://never.test/")


def test_a_page_nobody_has_read_may_be_linked_to(small: Collection) -> None:
    found = small.links(f"{A}/gone")
    assert (found.outgoing, found.incoming) == ((), (f"{A}/",))


def test_neighbours_are_ranked_by_what_points_to_them_across_sites(small: Collection) -> None:
    site = lambda url: keys.host(url)  # noqa: E731  # as short as what it stands for
    roots = [fingerprint(f"{B}/"), fingerprint("http://never.test/")]
    found = neighbours(small.graph, roots, site)
    assert found[0].url == f"{B}/"
    assert [each.authority for each in found] == sorted((each.authority for each in found), reverse=True)
    assert {each.url for each in found} == {f"{A}/", f"{A}/one", f"{B}/"}
    assert found[0].authority > found[0].hub or found[0].authority == pytest.approx(1.0)
    assert neighbours(small.graph, [], site) == []
    assert {each.url for each in small.neighbours("giraffe")} == {f"{A}/", f"{A}/one", f"{B}/"}


def test_a_graph_that_is_not_there_is_told(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert graphs.current(folder) is None
    assert list(graphs.check(folder)) == []
    folder.graph.mkdir()
    assert graphs.current(folder) is None
    assert list(graphs.check(folder)) == []
    (folder.graph / "000001").mkdir()
    assert list(graphs.check(folder)) == [], "it was not finished"
    (folder.graph / "000001" / "seal.json").touch()
    assert [problem.endswith("`gossamer build DIR` makes it again") for problem in graphs.check(folder)] == [True]
    shutil.rmtree(folder.graph / "000001")
    for name in ("000001", "../x", "", "12"):
        (folder.graph / "current").write_text(name)
        assert graphs.current(folder) is None
    (folder.graph / "000001").mkdir()
    (folder.graph / "current").write_text("000001\n")
    assert graphs.current(folder) is None
    assert "cannot be read" in next(graphs.check(folder))


# ------------------------------------------------------------------------------ reading


def test_pages_come_in_order_with_what_they_say(small: Collection) -> None:
    assert [page.url for page in small.pages()] == [f"{A}/", f"{A}/copy", f"{A}/one", f"{B}/"]
    status = small.status()
    assert (status.pages, status.duplicates, status.queued, status.unread) == (4, 1, 0, 0)
    assert list(small.unread()) == []
    home = small.page(f"{A}/")
    assert (home.title, home.version.status, home.entry and home.entry.depth) == ("Home", 200, 0)
    assert home.fetched.tzinfo is UTC
    assert small.file_of(home).name == home.version.file
    assert is_document(home.version)
    assert small.is_built


def test_a_page_is_asked_for_as_it_was_then(small: Collection, web: Web) -> None:
    first, second = (each.fetched for each in small.history(f"{B}/"))
    assert "giraffe" in small.page(f"{B}/").text
    assert "elephant" in small.page(f"{B}/", at=first).text
    with pytest.raises(NotFound, match=r"was not in the collection yet at .*; the first version is of"):
        small.page(f"{B}/", at=datetime(2001, 1, 1, tzinfo=UTC))
    with pytest.raises(NotFound, match=f"`gossamer why .* {A}/gone` says more"):
        small.page(f"{A}/gone")
    with pytest.raises(NotFound, match="says more"):
        small.page(f"{A}/gone", at=second)


def test_why_is_told_of_addresses_hosts_and_what_was_never_met(small: Collection) -> None:
    copy = small.why(f"{A}/copy")
    assert (copy.copy_of, copy.near_copy_of) == (f"{A}/one", None)  # type: ignore[union-attr] # of an address
    assert small.why("a.test").host == "a.test"  # type: ignore[union-attr] # of a host
    assert small.why(f"{A}/robots.txt").host == "a.test"  # type: ignore[union-attr] # of a host
    with pytest.raises(NotFound, match=r"never\.test: no such host"):
        small.why("never.test")
    with pytest.raises(NotFound, match=r"not in the collection; it was never met$"):
        small.why(f"{A}/never")
    with pytest.raises(NotFound, match="never met, and it would be left out"):
        small.why(f"{A}/{'x' * 5_000}")


def test_an_address_without_its_host_is_asked_for_whole(small: Collection) -> None:
    for ask in (small.page, small.why, small.history):
        with pytest.raises(InvalidURL, match=r"has no host; name the whole address, like https://example\.org/guide/a"):
            ask("/guide/a.html")
        with pytest.raises(InvalidURL, match=rf"has no host; is {A}/copy meant\?"):
            ask("/copy/")
    for ask in (small.page, small.why):
        with pytest.raises(NotFound, match=rf"never met; is {A}/copy meant\?"):
            ask("copy")


def test_addresses_near_one_that_was_never_met_are_named(small: Collection) -> None:
    assert small.near(f"{A}/coppy") == [f"{A}/copy", f"{A}/"]
    assert small.near(f"https://www.{A.removeprefix('http://')}/one/?x=1") == [f"{A}/one", f"{A}/"]
    assert small.near("a.test/coppy") == [f"{A}/copy", f"{A}/"]
    assert small.near("copy/") == [f"{A}/copy"]
    assert small.near("http://aa.test/copy") == [f"{A}/copy"]  # a slip in the name of the host
    assert small.near(f"{A}/{'x' * 5_000}") == [f"{A}/"]
    assert small.near("http://never.test/a/b") == []
    with pytest.raises(NotFound, match=rf"coppy: no page in the collection; it was never met; is {A}/copy meant"):
        small.page(f"{A}/coppy")
    with pytest.raises(NotFound, match=r"http://never.test/: no page in the collection; it was never met$"):
        small.page("http://never.test/")


def test_a_question_is_answered_explained_and_measured(small: Collection) -> None:
    assert [hit.url for hit in small.search("giraffe").hits] == [f"{B}/"]
    assert small.search("elephant").hits == small.search("zebra").hits == []
    assert [len(small.search("word7", **most)) for most in ({"limit": 0}, {"number": 0}, {"limit": 1})] == [0, 0, 1]
    (hit,) = small.search("word7")
    assert (hit.url, hit.copies, hit.site) == (f"{A}/one", (f"{A}/copy",), "a.test")
    ((explained, parts),) = small.explain("giraffe")
    assert explained.url == f"{B}/"
    assert parts
    measures = small.evaluate({"q": "giraffe"}, {"q": {f"{B}/": 1}})
    assert measures


def test_copies_of_a_page_and_of_all(small: Collection) -> None:
    assert [copy.url for copy in small.similar(f"{A}/one")] == [f"{A}/copy"]
    assert [copy.url for copy in small.similar(f"{A}/copy")] == [f"{A}/one"]
    with pytest.raises(NotFound, match="says too little to be compared"):
        small.similar(f"{A}/")
    (group,) = small.duplicates().groups
    assert (group.url, [copy.url for copy in group.copies]) == (f"{A}/one", [f"{A}/copy"])


def test_trust_and_centrality_need_pages_of_the_graph(small: Collection) -> None:
    assert [site for site, _ in small.rank_sites()] == ["a.test", "b.test"]
    trusted = dict(small.trust([f"{A}/one"], 99))
    assert f"{A}/" not in trusted or trusted[f"{A}/"] < trusted[f"{B}/"]
    assert len(small.trust([f"{A}/one"], 1)) == 1
    with pytest.raises(NotFound, match="is not in the graph"):
        small.trust(["http://never.test/"])


def test_seeds_are_written_as_people_write_them() -> None:
    assert as_seed(" example.org ") == "example.org/"
    assert as_seed("HTTPS://Example.org/a") == "https://example.org/a"
    with pytest.raises(InvalidURL, match="seed 'gopher://x/': "):
        as_seed("gopher://x/")


# ------------------------------------------------------------------------------- export


def test_every_form_of_export_counts_what_it_writes(small: Collection, tmp_path: Path) -> None:
    def written(form: str) -> tuple[int, bytes]:
        out = io.BytesIO()
        return small.export(form, out), out.getvalue()

    count, data = written("jsonl")
    rows = [json.loads(line) for line in data.splitlines()]
    assert count == 4
    assert [(row["url"], row["depth"], row["copy_of"]) for row in rows] == [
        (f"{A}/", 0, ""),
        (f"{A}/copy", 1, f"{A}/one"),
        (f"{A}/one", 1, ""),
        (f"{B}/", 1, ""),
    ]
    count, data = written("graph")
    lines = data.decode().splitlines()
    assert count == len(lines)
    assert f"{A}/one\t{B}/" in lines
    assert f"{A}/one\t{A}/" not in lines  # nobody vouches for it
    assert written("trec")[0] == 4
    count, data = written("cdxj")
    assert count == len(data.splitlines())
    assert data.splitlines() == sorted(data.splitlines())
    count, data = written("warc")
    assert count == 1
    (tmp_path / "files").mkdir()
    assert small.export_files(tmp_path / "files") == 1
    (copied,) = (tmp_path / "files").iterdir()
    assert copied.read_bytes() == data
    with pytest.raises((UsageError, GossamerError)):
        small.export_files(tmp_path / "files")
    assert written("wacz")[0] == 4
    with pytest.raises(UsageError, match="unknown format 'pdf'; choose one of"):
        written("pdf")


def test_an_export_says_how_far_it_is(small: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.collection.ask.exporting.REPORT_EVERY", 2)
    told: list[tuple[int, int]] = []
    small.export("jsonl", io.BytesIO(), lambda done, of: told.append((done, of)))
    assert told == [(2, 4), (4, 4)]


# -------------------------------------------------------------------------------- table


def test_the_table_shows_cells_by_row_column_and_time(small: Collection) -> None:
    table = small.table
    new, old = table.cells(f"{B}/", "content:text")
    assert "giraffe" in new.value
    assert "elephant" in old.value
    assert new.time > old.time
    assert table.get(f"{B}/", "content:text", at=old.time) == old
    assert table.cells(f"{B}/", "content:text", versions=1) == [new]
    assert table.get(f"{B}/", "content:text", at=datetime(2001, 1, 1, tzinfo=UTC)) is None
    raw = table.get(f"{B}/", "content:raw")
    assert raw is not None
    assert raw.value.startswith(b"<title>Other")
    row = table.row(f"{A}/one")
    assert row["page:status"].value == 200
    assert row["crawl:state"].value == "done"
    assert row["crawl:depth"].value == 1
    assert "page:copy_of" not in row
    assert table.row(f"{A}/copy")["page:copy_of"].value == f"{A}/one"
    assert set(table.row(f"{A}/one", "anchor")) == {f"anchor:{A}/", f"anchor:{B}/"}
    called = table.get(f"{A}/one", f"anchor:{B}/")
    assert called is not None
    assert called.value == "number one"
    assert table.get(f"{A}/one", f"anchor:{A}/one") is None
    assert table.get("http://never.test/", "crawl:state") is None
    assert table.get(f"{A}/moved", "content:text") is None
    moved = table.get(f"{A}/moved", "page:status")
    assert moved is not None
    assert moved.value == 301


def test_the_table_is_scanned_by_prefix_and_host(small: Collection) -> None:
    table = small.table
    everything = list(table.scan())
    assert everything == sorted(everything, key=keys.row)
    assert f"{A}/moved" in everything
    assert set(table.scan(host="b.test")) == {f"{B}/"} | {url for url in everything if url.startswith(f"{B}/r")}
    assert list(table.scan(f"{A}/on")) == [f"{A}/one"]
    for column, words in (("page", "no such column"), ("page:x", "no such column"), ("x:y", "no such family")):
        with pytest.raises(UsageError, match=words):
            table.get(f"{A}/", column)
    with pytest.raises(UsageError, match="anchor:ADDRESS"):
        table.get(f"{A}/", "anchor:")


# ------------------------------------------------------------------------------ history


def test_versions_of_a_page_say_how_much_each_changed(small: Collection) -> None:
    first, second = small.history(f"{B}/")
    assert (first.number, first.change, first.words, first.status) == (1, "first", None, 200)
    assert (second.number, second.change, second.words) == (2, "changed", (1, 1))
    assert [each.change for each in small.history(f"{A}/")] == ["first", "unchanged"]
    assert [each.change for each in small.history(f"{A}/moved")] == ["redirect", "redirect"]
    assert [each.change for each in small.history(f"{A}/hidden")] == ["first", "error"]
    told = second.as_json()
    assert (told["words_added"], told["words_removed"], told["number"]) == (1, 1, 2)
    assert first.as_json()["words_added"] is None
    diff = small.diff(f"{B}/")
    assert (diff.old, diff.new) == (first, second)
    assert any(line.sign == "~" for line in diff.lines)
    assert diff.as_json()["url"] == f"{B}/"
    assert small.diff(f"{B}/", 1, 1).lines == ()
    confirmed = Edition(0, first.fetched, 304, "unchanged", revisit=True).as_json()
    assert (confirmed["number"], confirmed["size"], confirmed["digest"], confirmed["revisit"]) == (None, 0, None, True)


def edition(number: int, digest: str, status: int = 200) -> Edition:
    return Edition(number, datetime.fromtimestamp(number * 100, UTC), status, "", digest)


def test_the_two_versions_that_are_meant() -> None:
    one, two, three, four = (edition(number, digest) for number, digest in enumerate("abbb", 1))
    error, confirmed = edition(5, "e", 404), replace(edition(0, ""), fetched=one.fetched)
    every = [one, confirmed, two, three, four, error]
    assert chosen(every, A, None, None) == (one, four)
    assert chosen(every, A, None, 2) == (one, two)
    assert chosen(every, A, 2, 3) == (two, three)
    assert chosen(every, A, None, datetime.fromtimestamp(350, UTC)) == (one, three)
    assert chosen(every, A, datetime.fromtimestamp(200, UTC), None) == (two, four)
    assert chosen([two, three], A, None, None) == (two, three)
    with pytest.raises(NotFound, match="version 1 is the first"):
        chosen(every, A, None, 1)
    with pytest.raises(NotFound, match="has no such version as 5; its versions are 1, 2, 3, 4"):
        chosen(every, A, 5, None)
    with pytest.raises(NotFound, match="has no such version"):
        chosen(every, A, datetime.fromtimestamp(1, UTC), None)
    with pytest.raises(NotFound, match="has 1 version"):
        chosen([one, error], A, None, None)
    with pytest.raises(NotFound, match="has no version"):
        chosen([error], A, None, None)


# ----------------------------------------------------------------------------- findable


def test_what_is_found_wants_to_be_says_something_and_is_no_copy() -> None:
    said = Page(A, title="t", text="x", content="c", html="<h1>Head <em>line</em></h1><p>c</p><h2>Two</h2>")
    assert index_entry.findable(said)
    assert index_entry.findable(Page(A, title="t"))
    assert index_entry.findable(Page(A, text="t"))
    for odd in (
        replace(said, noindex=True),
        replace(said, copy_of=B),
        replace(said, near_copy_of=B),
        Page(A),
    ):
        assert not index_entry.findable(odd)
    entry = index_entry.entry(A, said, 5.0, "a.test", b"hint")
    assert (entry.url, entry.title, entry.headings, entry.body) == (A, "t", "Head line Two", "c")
    assert (entry.site, entry.date, entry.text) == ("a.test", 5.0, b"hint")
    dated = index_entry.entry(A, replace(said, content="", published=9.0), 5.0, "s")
    assert (dated.body, dated.date, dated.text) == ("x", 9.0, b"")


def test_nothing_is_wrong_with_a_sound_collection(small: Collection) -> None:
    assert small.verify().problems == []
    folder = Folder(small.path)
    with opened(folder, small.plan, 0) as bench:
        assert list(index_check.check(bench.path, bench.table, bench.archive)) == []
        assert list(near_copies.check(bench.table, bench.archive, lambda url: keys.host(url))) == []
        assert index_state.is_whole(bench.table)
        assert index_state.committed_length(bench.table) > 0
        assert not index_entry.is_soft_404(bench.table, f"{A}/")
        assert not index_entry.is_soft_404(bench.table, "http://never.test/")
        assert not is_removed(bench.table, f"{A}/")
        assert not is_removed(bench.table, "no address")
        version = bench.archive.versions.current(f"{A}/moved")
        assert version is not None
        assert index_entry.wanted(bench.table, bench.archive, f"{A}/moved", version) is None
    small.close()


# ----------------------------------------------------------------------------- arrivals


@pytest.fixture
def shard_reader(small: Collection) -> Iterator[ShardReader]:
    readers = ShardReaders(Folder(small.path), small.plan)
    yield readers.all[0]
    readers.close()


def arriving(small: Collection, shard_reader: ShardReader, web: Web, mine: bool = True) -> ImportFilter:
    return ImportFilter(shard_reader.table, shard_reader.archive, small.plan.as_limits(), lambda url: mine, web.clock)


@pytest.fixture
def import_filter(small: Collection, shard_reader: ShardReader, web: Web) -> ImportFilter:
    return arriving(small, shard_reader, web)


def brought(url: str = f"{A}/new", body: bytes = b"<p>New", began: float = 1_000_000_000.0, **more: Any) -> Brought:
    status, kind = more.pop("status", 200), more.pop("media_type", "text/html")
    head = f"HTTP/1.1 {status} x\r\ncontent-type: {kind}\r\n\r\n".encode()
    capture = Capture(Visit(url), began, 0.0, status, (("content-type", kind),), b"", head, body, source="x@0")
    return Brought(capture, 0, **more)


def test_a_capture_arrives_unless_it_is_known_or_from_the_future(
    small: Collection, import_filter: ImportFilter, web: Web
) -> None:
    came = import_filter.arrive(brought())
    assert isinstance(came, Capture)
    assert (came.body, came.visit.kind, came.truncated) == (b"<p>New", Kind.PAGE, None)
    now = web.clock.wall()
    assert (AHEAD, ORIGINALS_MOST) == (86_400.0, 20)
    assert isinstance(import_filter.arrive(brought(began=now + AHEAD)), Capture)
    assert import_filter.arrive(brought(began=now + AHEAD + 1)) is Verdict.FUTURE
    version = small.page(f"{A}/").version
    same = brought(f"{A}/", small.page(f"{A}/").capture.wire, version.began)
    assert import_filter.arrive(same) is Verdict.KNOWN
    other = import_filter.arrive(brought(f"{A}/", b"other bytes", version.began))
    assert isinstance(other, Capture)
    assert other.began == pytest.approx(version.began + 0.001)


def test_what_did_not_change_needs_something_before_it(small: Collection, import_filter: ImportFilter) -> None:
    began = small.page(f"{A}/").version.began
    assert import_filter.arrive(brought(status=304)) is Verdict.NOTHING_BEFORE
    assert isinstance(import_filter.arrive(brought(f"{A}/", b"", began + 1, status=304)), Capture)
    assert import_filter.arrive(brought(f"{A}/", b"", 5.0, status=304)) is Verdict.NOTHING_BEFORE


def test_a_revisit_gets_its_payload_from_here_or_lacks_it(
    small: Collection, shard_reader: ShardReader, import_filter: ImportFilter, web: Web
) -> None:
    page = small.page(f"{A}/one")
    wire, began, digest = page.capture.wire, page.version.began, payload_digest(page.capture.wire)
    for refers in (
        Refers(f"{A}/one", began, digest),
        Refers(f"{A}/one", began, None),
        Refers(f"{A}/one", began, "sha1:anything"),
    ):
        found = import_filter.arrive(brought(f"{A}/again", b"", began + 50, refers=refers))
        assert isinstance(found, Capture)
        assert found.wire == wire
    for refers in (
        Refers(f"{A}/one", began - 1e6, digest),
        Refers(f"{A}/one", began + 3, payload_digest(b"other")),
        Refers(None, 0.0, digest),
        Refers("http://never.test/", began, digest),
    ):
        assert import_filter.arrive(brought(f"{A}/again", b"", began + 50, refers=refers)) is Verdict.LACKING
    own = import_filter.arrive(brought(f"{A}/one", b"", began + 50, refers=Refers(None, 0.0, digest)))
    assert isinstance(own, Capture)
    elsewhere = arriving(small, shard_reader, web, mine=False)
    refers = Refers(f"{A}/one", began, digest)
    assert elsewhere.arrive(brought(f"{A}/again", b"", began + 50, refers=refers)) is Verdict.LACKING


def test_what_arrives_is_sorted_by_what_it_is_and_kept_whole(small: Collection, import_filter: ImportFilter) -> None:

    def kind(**more: Any) -> Kind:
        found = import_filter.arrive(brought(**more))
        assert isinstance(found, Capture)
        return found.visit.kind

    assert kind() is Kind.PAGE
    assert kind(media_type="text/css; charset=x") is kind(media_type="Text/CSS") is Kind.RESOURCE
    assert kind(media_type="image/png") is Kind.RESOURCE
    assert kind(media_type="image/png", status=404) is Kind.PAGE
    listed = b"<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'></urlset>"
    assert kind(body=listed, media_type="text/xml") is Kind.SITEMAP
    limits = small.plan.as_limits()
    most = limits.cap(Kind.PAGE, "text/html")
    found = import_filter.arrive(brought(body=b"x" * (most + 1)))
    assert isinstance(found, Capture)
    assert (len(found.wire), len(found.body), found.truncated) == (most + 1, most, None)
    assert found.decoding is not None
    whole = import_filter.arrive(brought(body=b"x" * most))
    assert isinstance(whole, Capture)
    assert (len(whole.body), whole.decoding) == (most, None)


# ----------------------------------------------------------------------------- incoming


def test_reasons_and_problems_are_counted_up_to_a_limit(shard_reader: ShardReader, import_filter: ImportFilter) -> None:
    import_source = ImportSource((), shard_reader.table, import_filter, None, 100, Alone())  # type: ignore[arg-type] # no frontier is asked
    assert (REASONS_MOST, PROBLEMS_MOST) == (100, 1_000)
    for number in range(REASONS_MOST + 5):
        import_source.refuse(f"reason {number}")
    import_source.refuse("reason 0")
    for number in range(PROBLEMS_MOST + 5):
        import_source.problem(f"problem {number}")
    look = import_source.look(3.5)
    assert (look.files, look.of, look.bytes, look.size, look.seconds) == (0, 0, 0, 0, 3.5)
    assert (look.captures, look.known, look.cut) == (0, 0, 0)
    assert (look.refused["reason 0"], look.refused["other reasons"], len(look.refused)) == (2, 5, 101)
    assert len(look.problems) == PROBLEMS_MOST + 1
    assert look.problems[-1] == "and more; these are the first 1,000"


def test_files_are_known_again_by_their_contents(tmp_path: Path) -> None:
    one, other, third = (tmp_path / name for name in ("one.warc", "other.warc", "third.warc"))
    body = b"WARC/1.0\r\n" + b"x" * 3_000_000
    one.write_bytes(body)
    other.write_bytes(body)
    third.write_bytes(body[:-1] + b"y")
    found = sort([one, other, third])
    assert [import_file.path for import_file in found.imported_files] == [one, third]
    assert [import_file.size for import_file in found.imported_files] == [len(body)] * 2
    third.write_bytes(b"WARC/1.1" + body[8:])
    assert len(sort([one, third]).imported_files) == 2
    third.write_bytes(body + b"x")
    assert len(sort([one, third]).imported_files) == 2
    (import_file,) = sort([one]).imported_files
    assert import_file.name == "one.warc"
    with import_file.open() as file:
        assert file.read(5) == b"WARC/"
    late = tmp_path / "late.warc"
    late.write_bytes(b"rubbish\n" * 1_000 + b"WARC/1.0\r\n")
    assert sort([late]).imported_files[0].opening == b"WARC/"


# -------------------------------------------------------------------------------- lives


def test_a_mistake_is_lived_through_and_one_that_is_made_again_and_again_is_not(tmp_path: Path) -> None:
    from gossamer.collection.crawl.recover import PassedOver

    lives: list[str] = []

    async def once(table: Table) -> None:
        lives.append("x")
        if len(lives) < 3:
            raise PassedOver("x")

    asyncio.run(live(tmp_path / "table", once))
    assert len(lives) == 3

    async def ours(table: Table) -> None:
        raise ExceptionGroup("many", [ExceptionGroup("more", [Damaged("so")])])

    with pytest.raises(Damaged, match="so"):
        asyncio.run(live(tmp_path / "table", ours))
    lives.clear()

    async def broken(table: Table) -> None:
        lives.append("x")
        raise ZeroDivisionError("again")

    with pytest.raises(GossamerError, match="again"):
        asyncio.run(live(tmp_path / "table", broken))
    assert 1 < len(lives) < 10
    with Table.open(tmp_path / "table", FAMILIES, writable=True):
        pass  # nothing holds it


# ---------------------------------------------------------------------------- crawling


def test_a_crawl_without_a_seed_or_with_another_number_of_shards_is_refused(tmp_path: Path, web: Web) -> None:
    with gossamer.open(tmp_path / "new") as collection:
        with pytest.raises(UsageError, match="no seed"):
            web.crawl(collection)
        assert not (tmp_path / "new").exists()
        with pytest.raises(UsageError, match="needs a collection of one shard"):
            web.crawl(collection, f"{A}/", shards=2)
        web.crawl(collection, f"{A}/", shards=1)
        with pytest.raises(UsageError, match="was made with 1 shard,"):
            collection.crawl(shards=3)
        assert collection.plan.shards == 1


def test_a_crawl_that_fetched_nothing_says_why(tmp_path: Path, web: Web) -> None:
    from gossamer.errors import NothingFetched

    with gossamer.open(tmp_path / "none") as collection, pytest.raises(NothingFetched, match=r"http://a\.test/gone: "):
        web.crawl(collection, f"{A}/gone")
