"""What was crawled can be found: by its words, by what others call it, by its place; and only what ought to be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from shutil import copytree, rmtree
from xml.etree import ElementTree

import pytest

import gossamer
from gossamer.cli import main
from gossamer.cli.chart import of_ranks
from gossamer.collection import Collection, Outside
from gossamer.collection.derive import index_state
from gossamer.errors import NotFound
from gossamer.frontier.answer.transitions import NOINDEX
from gossamer.index.entry import Entry
from gossamer.index.shard_index import ShardIndex
from gossamer.model import Capture, Kind, Visit
from gossamer.testing import Copies, Errors, MadeWeb, Redirects, VirtualClock, WebSpec
from gossamer.testing.planted import planted

SPEC = WebSpec(
    seed=4,
    hosts=4,
    pages=25,
    errors=Errors(missing=0.1),
    redirects=Redirects(chains=0.2),
    copies=Copies(exact=0.2),
)
FISH = "<title>Tropical fish</title><h1>Fish of warm seas</h1><p>Tropical fish live in warm seas, near reefs."
PAGES = {
    "http://zoo.test/": "<title>Zoo</title><p>All animals.<nav><a href=/fish>Fish</a> <a href=/hidden>x</a>"
    " <a href=/old>fish tank</a> <a href=http://club.test/>Aquarium club</a>",
    "http://zoo.test/fish": FISH,
    "http://zoo.test/hidden": "<title>Secret</title><meta name=robots content=noindex><p>Tropical fish nobody finds.",
    "http://zoo.test/copy": FISH,
    "http://club.test/": "<title>Welcome</title><p>We meet on Mondays. <a href=http://zoo.test/copy>zoo</a>",
}
MOVED = {"http://zoo.test/old": "http://zoo.test/fish"}


MOMENTS = count(1_790_000_000)


async def fetch(visit: Visit) -> Capture:
    began = float(next(MOMENTS))
    if target := MOVED.get(visit.url):
        head = f"HTTP/1.1 301 Moved\r\nlocation: {target}\r\n\r\n".encode()
        return Capture(visit, began, 0.01, 301, (("location", target),), b"GET / HTTP/1.1\r\n\r\n", head)
    if visit.kind is not Kind.PAGE or visit.url not in PAGES:
        return Capture(visit, began, 0.01, 404, (), b"GET / HTTP/1.1\r\n\r\n", b"HTTP/1.1 404 No\r\n\r\n")
    body = PAGES[visit.url].encode()
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"
    fields = (("content-type", "text/html"),)
    return Capture(visit, began, 0.01, 200, fields, b"GET / HTTP/1.1\r\n\r\n", head, body, body)


def crawl(collection: Collection, **settings: object) -> None:
    clock = VirtualClock()
    outside = Outside(clock, fetch)
    clock.run(collection.crawl_async("http://zoo.test/", scope="any", outside=outside, **settings))  # type: ignore[arg-type]  # any settings


@pytest.fixture
def zoo(tmp_path: Path) -> Iterator[Collection]:
    with gossamer.open(tmp_path / "zoo") as collection:
        crawl(collection)
        yield collection


def urls(collection: Collection, question: str) -> list[str]:
    return [hit.url for hit in collection.search(question).hits]


def test_a_crawl_is_searchable_when_it_ends(zoo: Collection) -> None:
    hit = zoo.search("warm reefs").hits[0]
    assert (hit.url, hit.title) == ("http://zoo.test/fish", "Tropical fish")
    assert {hit.snippet[start:end] for start, end in hit.marks} == {"warm", "reefs"}


def test_pages_that_do_not_want_to_be_found_are_not(zoo: Collection) -> None:
    assert "http://zoo.test/hidden" in {page.url for page in zoo.pages()}
    assert "http://zoo.test/hidden" not in urls(zoo, "tropical fish")
    assert urls(zoo, "nobody finds secret") == []
    assert zoo.why("http://zoo.test/hidden").reason == NOINDEX
    assert zoo.status().remarks == {"noindex": 1}
    assert [each.url for each in zoo.addresses(reason="noindex")] == ["http://zoo.test/hidden"]


def test_a_copy_is_found_once(zoo: Collection) -> None:
    assert len([url for url in urls(zoo, "tropical fish") if url.endswith(("/copy", "/fish"))]) == 1


def test_a_page_is_found_by_what_others_call_it(zoo: Collection) -> None:
    assert urls(zoo, "aquarium club")[0] == "http://club.test/"


def test_links_to_a_redirect_or_a_copy_count_for_the_page_itself(zoo: Collection) -> None:
    fish = zoo.links("http://zoo.test/fish")
    assert set(fish.incoming) == {"http://zoo.test/", "http://club.test/"}
    assert set(fish.anchors) == {"Fish", "zoo"}
    assert zoo.links("http://zoo.test/old").incoming == fish.incoming
    assert (fish.rank or 0) > (zoo.links("http://zoo.test/hidden").rank or 0)


def test_pages_that_link_to_an_address_can_be_asked_for(zoo: Collection) -> None:
    assert set(urls(zoo, "link:http://club.test/")) == {"http://zoo.test/"}


def test_links_say_where_each_target_stands(zoo: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    home = next(page for page in zoo.pages() if page.links)
    around = zoo.links(home.url)
    met = {link.url: zoo.why(link.url) for link in around.outgoing if link.url in around.targets}
    assert met
    assert {url: (each.state, each.status) for url, each in met.items()} == {  # type: ignore[union-attr]  # addresses
        url: tuple(target) for url, target in around.targets.items()
    }
    assert main(["links", str(zoo.path), home.url]) == 0
    told = capsys.readouterr().out
    assert all(
        re.search(rf"^  {target.status or target.state} +{url}", told, re.M) for url, target in around.targets.items()
    )
    assert {(each["url"], each["status"]) for each in around.as_json()["out"] if each["state"]} == {
        (url, target.status or None) for url, target in around.targets.items()
    }


@pytest.mark.parametrize(
    "more", [[], ["--by", "links"], ["--trust", "http://zoo.test/fish"], ["--query", "warm reefs"]]
)
def test_ranks_have_the_titles_of_their_pages(
    zoo: Collection, capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    assert main(["rank", str(zoo.path), *more]) == 0
    told = capsys.readouterr().out
    assert main(["rank", str(zoo.path), *more, "--json"]) == 0
    rows = [json.loads(each) for each in capsys.readouterr().out.splitlines()]
    assert any(row["title"] for row in rows)
    assert all(row["title"] == zoo.page(row["url"]).title for row in rows)
    assert all(f"{row['links']}  {row['url']}  {row['title']}".rstrip() in told for row in rows if row.get("rank"))
    assert all(row["links"] == len(zoo.links(row["url"]).incoming) for row in rows if row.get("rank"))


def test_an_address_that_nobody_knows_has_no_links(zoo: Collection) -> None:
    with pytest.raises(NotFound, match="no page of it links there"):
        zoo.links("http://nowhere.test/")


def test_the_score_is_the_sum_of_its_signs(zoo: Collection) -> None:
    for hit, signs in zoo.explain("tropical fish"):
        assert sum(signs.values()) == pytest.approx(hit.score, abs=1e-3)


def test_an_index_that_was_lost_is_made_again_by_a_build(zoo: Collection) -> None:
    before = urls(zoo, "fish")
    rmtree(zoo.path / "shards" / "00" / "index")
    zoo.close()
    with pytest.raises(NotFound, match="gossamer build"):
        zoo.search("fish")
    zoo.build()
    assert urls(zoo, "fish") == before


def test_a_damaged_index_is_thrown_away_and_made_again(zoo: Collection, caplog: pytest.LogCaptureFixture) -> None:
    before = urls(zoo, "fish")
    (zoo.path / "shards" / "00" / "index" / "meta.json").write_text("{")
    zoo.close()
    crawl(zoo)
    assert "the index is made again" in caplog.text
    assert urls(zoo, "fish") == before


def test_links_that_were_lost_are_made_again_by_a_build(zoo: Collection) -> None:
    before = zoo.links("http://zoo.test/fish")
    zoo.build(convert=True)
    again = zoo.links("http://zoo.test/fish")
    assert replace(before, incoming=(), rank=None) == replace(again, incoming=(), rank=None)
    assert before.rank == pytest.approx(again.rank)
    assert set(before.incoming) == set(again.incoming)


def test_what_was_only_collected_is_found_after_a_build(tmp_path: Path) -> None:
    with gossamer.open(tmp_path / "zoo") as collection:
        crawl(collection, build=False)
        with pytest.raises(NotFound, match="gossamer build"):
            collection.search("warm reefs")
        with pytest.raises(NotFound, match="gossamer build"):
            _ = collection.graph
        collection.build()
        assert urls(collection, "warm reefs") == ["http://zoo.test/fish"]
        assert len(collection.graph.top(3)) == 3


def test_a_search_says_when_the_index_lacks_pages(zoo: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    assert zoo.is_built
    crawl(zoo, build=False, revisit=True)
    assert not zoo.is_built
    for more in ([], ["--explain"]):
        assert main(["search", str(zoo.path), "warm reefs", *more]) == 0
        told = capsys.readouterr()
        assert "http://zoo.test/fish" in told.out
        assert f"gossamer build {zoo.path}" in told.err
    zoo.build()
    assert zoo.is_built
    assert main(["search", str(zoo.path), "warm reefs"]) == 0
    assert capsys.readouterr().err == ""


def test_a_reader_counts_what_its_index_lacks_once(zoo: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = count()

    def behind(*_: object) -> int:
        next(looks)
        return 2

    monkeypatch.setattr(index_state, "behind", behind)
    assert [zoo.not_indexed, zoo.not_indexed] == [2 * zoo.plan.shards] * 2
    assert next(looks) == zoo.plan.shards
    zoo.close()
    assert zoo.not_indexed == 2 * zoo.plan.shards
    assert next(looks) == 2 * zoo.plan.shards + 1, "another moment is counted anew"


def test_snippets_are_right_wherever_the_texts_have_moved(zoo: Collection) -> None:
    before = [(hit.url, hit.snippet) for hit in zoo.search("warm reefs").hits]
    assert before
    assert "reefs" in before[0][1]
    texts = zoo.path / "shards" / "00" / "texts"
    index = zoo.path / "shards" / "00" / "index"
    shown = {page.url: page.text for page in ShardIndex(index).all()}
    assert all(shown.values())
    kept, old = zoo.path / "kept", {path.name for path in texts.iterdir()}
    copytree(index, kept)
    zoo.build(convert=True)
    assert not old & {path.name for path in texts.iterdir()}
    rmtree(index)
    kept.rename(index)
    assert [(hit.url, hit.snippet) for hit in zoo.search("warm reefs").hits] == before


def test_judgements_measure_the_ranking(zoo: Collection) -> None:
    questions = {"1": "tropical fish", "2": "aquarium club"}
    perfect = {"1": {"http://zoo.test/fish": 1.0}, "2": {"http://club.test/": 2.0}}
    assert zoo.evaluate(questions, perfect).ndcg == 1.0
    assert zoo.evaluate(questions, {"1": {"http://zoo.test/": 1.0}}).average_precision < 1.0


def test_every_page_of_a_made_web_is_found_by_its_title(tmp_path: Path) -> None:
    clock = VirtualClock()
    web = MadeWeb(SPEC, clock=clock)
    with gossamer.open(tmp_path / "web") as collection:
        clock.run(collection.crawl_async(web.seed, scope="any", outside=Outside(clock, web.fetch)))
        pages = [page for page in collection.pages() if not page.version.copy_of and page.title]
        assert len(pages) > 60
        found = [page.url in {hit.url for hit in collection.search(f'title:"{page.title}"', 50).hits} for page in pages]
        assert all(found)


def test_verify_compares_the_index_with_the_pages(zoo: Collection) -> None:
    assert zoo.verify().problems == []
    shard_reader = ShardIndex(zoo.path / "shards" / "00" / "index")
    shard_reader.remove("http://zoo.test/fish")
    shard_reader.add(Entry("http://zoo.test/hidden", body="secret"))
    shard_reader.commit(shard_reader.covered)
    shard_reader.close()
    problems = "\n".join(zoo.verify().problems)
    assert "http://zoo.test/fish: is not in the index" in problems
    assert "http://zoo.test/hidden: should not be in the index" in problems


def test_errors_in_disguise_are_kept_but_not_found(tmp_path: Path) -> None:
    clock = VirtualClock()
    web = MadeWeb(
        WebSpec(seed=6, hosts=2, pages=60, errors=Errors(missing=0.6, soft=1.0, soft_way="text")), clock=clock
    )
    with gossamer.open(tmp_path / "web") as collection:
        clock.run(collection.crawl_async(web.seed, scope="any", outside=Outside(clock, web.fetch)))
        soft = [page.url for page in collection.pages() if page.entry.reason.startswith("soft 404")]
        assert len(soft) > 10
        indexed = set(ShardIndex(collection.path / "shards" / "00" / "index").urls())
        assert not indexed & set(soft)
        assert len(indexed) > 60
        assert collection.verify().problems == []
        rmtree(collection.path / "shards" / "00" / "index")
        collection.build(convert=True)
        assert set(ShardIndex(collection.path / "shards" / "00" / "index").urls()) == indexed


def test_a_page_that_is_gone_is_not_found_any_more(zoo: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "http://club.test/" in urls(zoo, "mondays")
    monkeypatch.delitem(PAGES, "http://club.test/")
    crawl(zoo, revisit=True)
    assert urls(zoo, "mondays") == []
    assert zoo.verify().problems == []


def test_hubs_and_authorities_of_a_question_come_from_links_between_sites(tmp_path: Path) -> None:
    web, clock = planted(topics=4), VirtualClock()
    with gossamer.open(tmp_path / "web") as collection:
        clock.run(collection.crawl_async(web.seed, scope="any", outside=Outside(clock, web.fetch)))
        around = collection.neighbours(web.questions["t2"])
        assert "http://t2.test/" in [each.url for each in around[:5]]
        assert max(around, key=lambda each: each.hub).url == web.seed
        assert collection.neighbours("xyzzy") == []
        pairs = set(collection.graph.links())
        assert ("http://t2.test/guide", "http://t2.test/") in pairs
        assert len(pairs) == len(collection.graph.web.arcs.sources)


def test_ranks_are_drawn(zoo: Collection) -> None:
    drawn = ElementTree.fromstring(of_ranks(zoo.graph))
    share, settled = drawn.findall(".//*[@class='line line0']")
    assert share.attrib["d"].count("L") == len(zoo.graph.values)
    assert settled.attrib["d"].count("L") == len(zoo.graph.changes) - 1


def test_a_second_look_at_the_same_web_needs_few_sweeps(zoo: Collection) -> None:
    first = len(zoo.graph.changes)
    zoo.build()
    assert len(zoo.graph.changes) < first / 3
