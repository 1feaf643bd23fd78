"""Copies in a collection: marked as they come, put right at the end, asked for, left out of search, never lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest

import gossamer
from gossamer.cli.main import main
from gossamer.collection import Collection, Outside
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.derive import copy_marks
from gossamer.collection.derive.near_copies import Prints, Sameness
from gossamer.collection.folder import Folder
from gossamer.dedupe.column_families import PRINTS
from gossamer.dedupe.lookup import Lookup
from gossamer.dedupe.pages import Pages
from gossamer.errors import NotFound
from gossamer.model import Capture, Kind, Visit
from gossamer.store.table.table import Table
from gossamer.testing import Copies, MadeWeb, VirtualClock, WebSpec
from gossamer.testing.prose import paragraphs, prose
from named_web import Reply, named_web

WORDS = prose(5)


def said(key: str, edits: int = 0, length: int = 150) -> str:
    """Some paragraphs; so many of their words are edited."""
    text = WORDS.sentences(length, WORDS.topic(1), key)
    count = sum(map(len, text))
    text = WORDS.edited(text, edits / count, key) if edits else text
    return "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs(text))


def page(title: str, body: str, *links: str, canonical: str = "") -> str:
    head = f'<link rel="canonical" href="{canonical}">' if canonical else ""
    anchors = "".join(f'<li><a href="{link}">{link}</a>' for link in links)
    return f"<!DOCTYPE html><title>{title}</title>{head}<h1>{title}</h1>{body}<ul>{anchors}</ul>"


class SmallWeb:
    """Pages by address; an address may be a redirect to another."""

    def __init__(self, pages: dict[str, str], moved: dict[str, str] | None = None) -> None:
        self.pages = pages
        self.moved = moved or {}
        self.clock = VirtualClock()

    async def fetch(self, visit: Visit) -> Capture:
        request, began = b"GET / HTTP/1.1\r\n\r\n", self.clock.wall()
        if target := self.moved.get(visit.url):
            head = f"HTTP/1.1 301 Moved\r\nlocation: {target}\r\n\r\n".encode()
            return Capture(visit, began, 0.01, 301, (("location", target),), request, head)
        if visit.kind is not Kind.PAGE or visit.url not in self.pages:
            return Capture(visit, began, 0.01, 404, (), request, b"HTTP/1.1 404 No\r\n\r\n")
        body, fields = self.pages[visit.url].encode(), (("content-type", "text/html"),)
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"
        return Capture(visit, began, 0.01, 200, fields, request, head, body, body)

    def crawl(self, collection: Collection, *seeds: str, **settings: object) -> None:
        crawling = collection.crawl_async(*seeds, scope="any", outside=Outside(self.clock, self.fetch), **settings)  # type: ignore[arg-type]  # any settings
        self.clock.run(crawling)


ZOO, FARM = "http://zoo.test", "http://farm.test"


def zoo_web() -> SmallWeb:
    """An article, the same bytes, the same with three words edited on another site, and one of its own."""
    article = page("Fish", said("fish"))
    every = (f"{ZOO}/articles/fish", f"{ZOO}/print/fish", f"{FARM}/fish-of-the-zoo", f"{ZOO}/birds", f"{ZOO}/short")
    return SmallWeb(
        {
            f"{ZOO}/": page("Zoo", said("zoo"), *every, f"{ZOO}/shorter"),
            f"{ZOO}/articles/fish": article,
            f"{ZOO}/print/fish": article,
            f"{FARM}/fish-of-the-zoo": page("Fish", said("fish", edits=3)),
            f"{ZOO}/birds": page("Birds", said("birds"), f"{ZOO}/articles/fish"),
            f"{ZOO}/short": "<title>Short</title><p>Nothing here.",
            f"{ZOO}/shorter": "<title>Short</title><p>Nothing here.",
        }
    )


@pytest.fixture
def zoo(tmp_path: Path) -> Iterator[Collection]:
    with gossamer.open(tmp_path / "zoo") as collection:
        zoo_web().crawl(collection, f"{ZOO}/")
        yield collection


def marks(collection: Collection) -> dict[str, tuple[str | None, str | None]]:
    found = {page.url: (page.version.copy_of, page.version.near_copy_of) for page in collection.pages()}
    return {url: mark for url, mark in found.items() if any(mark)}


def hits(collection: Collection, question: str) -> dict[str, tuple[str, ...]]:
    return {hit.url: hit.copies for hit in collection.search(question).hits}


def rarest(collection: Collection, url: str) -> str:
    return max(collection.page(url).content.split(), key=len).strip(".").lower()


# ------------------------------------------------------------------ marks and search


def test_copies_are_marked_counted_and_exported(zoo: Collection) -> None:
    fish = f"{ZOO}/articles/fish"
    assert marks(zoo) == {
        f"{ZOO}/print/fish": (fish, None),
        f"{FARM}/fish-of-the-zoo": (None, fish),
        f"{ZOO}/shorter": (f"{ZOO}/short", None),
    }
    status = zoo.status()
    assert (status.pages, status.duplicates, status.near_duplicates) == (7, 2, 1)
    assert zoo.verify().problems == []
    assert zoo.page(f"{FARM}/fish-of-the-zoo").as_json()["near_copy_of"] == fish


def test_search_shows_the_page_that_stands_for_its_copies_and_names_them(zoo: Collection) -> None:
    word = rarest(zoo, f"{ZOO}/articles/fish")
    assert hits(zoo, word) == {f"{ZOO}/articles/fish": (f"{ZOO}/print/fish", f"{FARM}/fish-of-the-zoo")}


def test_why_names_the_page_that_stands_for_a_copy(zoo: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", str(zoo.path), f"{FARM}/fish-of-the-zoo"]) == 0
    assert f"nearly     {ZOO}/articles/fish" in capsys.readouterr().out
    assert main(["why", str(zoo.path), f"{ZOO}/print/fish"]) == 0
    assert f"copy of    {ZOO}/articles/fish" in capsys.readouterr().out


def test_links_to_copies_count_for_the_page_that_stands_for_them(zoo: Collection) -> None:
    assert set(zoo.links(f"{FARM}/fish-of-the-zoo").incoming) == {f"{ZOO}/", f"{ZOO}/birds"}


def test_a_page_that_changes_is_no_copy_any_more_and_is_found_again(tmp_path: Path) -> None:
    web = zoo_web()
    with gossamer.open(tmp_path / "zoo") as collection:
        web.crawl(collection, f"{ZOO}/")
        web.pages[f"{FARM}/fish-of-the-zoo"] = page("Cows", said("cows"))
        web.crawl(collection, revisit=True)
        assert f"{FARM}/fish-of-the-zoo" not in marks(collection)
        assert list(hits(collection, rarest(collection, f"{FARM}/fish-of-the-zoo"))) == [f"{FARM}/fish-of-the-zoo"]
        assert collection.status().near_duplicates == 0
        assert collection.verify().problems == []


def test_when_the_page_that_stood_for_others_changes_another_takes_its_place(tmp_path: Path) -> None:
    web = zoo_web()
    with gossamer.open(tmp_path / "zoo") as collection:
        web.crawl(collection, f"{ZOO}/")
        old = rarest(collection, f"{ZOO}/articles/fish")
        web.pages[f"{ZOO}/articles/fish"] = page("Cows", said("cows"))
        web.crawl(collection, revisit=True)
        (left,) = {mark for url, mark in marks(collection).items() if "short" not in url}
        assert left in ((None, f"{ZOO}/print/fish"), (None, f"{FARM}/fish-of-the-zoo"))
        assert list(hits(collection, old)) == [left[1]]
        assert collection.verify().problems == []


def test_a_page_that_is_gone_stands_for_nobody(tmp_path: Path) -> None:
    web = zoo_web()
    with gossamer.open(tmp_path / "zoo") as collection:
        web.crawl(collection, f"{ZOO}/")
        del web.pages[f"{ZOO}/articles/fish"]
        web.crawl(collection, revisit=True)
        assert marks(collection) == {
            f"{FARM}/fish-of-the-zoo": (None, f"{ZOO}/print/fish"),
            f"{ZOO}/shorter": (f"{ZOO}/short", None),
        }
        with pytest.raises(NotFound):
            collection.similar(f"{ZOO}/articles/fish")


def test_nothing_changes_when_all_is_asked_for_again(tmp_path: Path) -> None:
    web = zoo_web()
    with gossamer.open(tmp_path / "zoo") as collection:
        web.crawl(collection, f"{ZOO}/")
        before = marks(collection), collection.duplicates()
        web.crawl(collection, revisit=True)
        assert (marks(collection), collection.duplicates()) == before


# ------------------------------------------------------------------------- the rule


def test_a_page_that_others_redirect_to_stands_for_its_copies(tmp_path: Path) -> None:
    web = zoo_web()
    web.moved["http://old.test/"] = f"{ZOO}/print/fish"
    with gossamer.open(tmp_path / "zoo") as collection:
        web.crawl(collection, f"{ZOO}/", "http://old.test/")
        assert marks(collection)[f"{ZOO}/articles/fish"] == (f"{ZOO}/print/fish", None)
        assert marks(collection)[f"{FARM}/fish-of-the-zoo"] == (None, f"{ZOO}/print/fish")
        assert list(hits(collection, rarest(collection, f"{ZOO}/print/fish"))) == [f"{ZOO}/print/fish"]
        assert list(hits(collection, f"site:{ZOO[7:]} title:fish")) == [f"{ZOO}/print/fish"]
        assert collection.verify().problems == []


def test_a_canonical_link_is_believed_on_its_own_site_and_not_across_sites(tmp_path: Path) -> None:
    web = zoo_web()
    web.pages[f"{ZOO}/articles/fish"] = page("Fish", said("fish"), canonical=f"{ZOO}/print/fish")
    web.pages[f"{ZOO}/print/fish"] = page("Fish", said("fish"), canonical=f"{FARM}/fish-of-the-zoo")
    with gossamer.open(tmp_path / "zoo") as collection:
        web.crawl(collection, f"{ZOO}/")
        (group,) = [group for group in collection.duplicates().groups if "fish" in group.url]
        assert group.url == f"{ZOO}/print/fish"


# ------------------------------------------------------------------ similar and duplicates


def test_similar_gives_the_copies_of_a_page_the_most_alike_first(zoo: Collection) -> None:
    exact, near = zoo.similar(f"{ZOO}/articles/fish")
    assert (exact.url, exact.exact, exact.resemblance, exact.distance) == (f"{ZOO}/print/fish", True, 1.0, 0)
    assert (near.url, near.exact, near.same_site) == (f"{FARM}/fish-of-the-zoo", False, False)
    assert 0.9 < near.resemblance < 1
    assert zoo.similar(f"{ZOO}/birds") == []


@pytest.mark.parametrize("url", [f"{ZOO}/nothing", "http://unknown.test/"])
def test_a_page_that_is_not_there_cannot_be_compared(
    zoo: Collection, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["similar", str(zoo.path), url]) == NotFound.exit_code
    assert "no page" in capsys.readouterr().err


def test_duplicates_has_a_group_for_each_page_with_copies_the_largest_first(zoo: Collection) -> None:
    found = zoo.duplicates()
    assert [(group.url, [copy.url for copy in group.copies]) for group in found.groups] == [
        (f"{ZOO}/articles/fish", [f"{ZOO}/print/fish", f"{FARM}/fish-of-the-zoo"]),
        (f"{ZOO}/short", [f"{ZOO}/shorter"]),
    ]
    assert found.mirrors == []


def test_the_command_line_tells_copies_for_people_and_for_machines(
    zoo: Collection, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["duplicates", str(zoo.path)]) == 0
    told = capsys.readouterr().out
    assert f"exact copy  100%  same site   {ZOO}/print/fish" in told
    assert told.endswith("2 pages with 3 copies: 2 exact, 1 near\n")
    assert main(["duplicates", str(zoo.path), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["kind"], len(row["copies"])) for row in rows] == [("copies", 2), ("copies", 1)]
    assert all(f"{row['url']}  {row['title']}".rstrip() in told.splitlines() for row in rows)
    assert any(row["title"] for row in rows)
    copies = [copy for row in rows for copy in row["copies"]]
    titles = {copy["url"]: copy["title"] for copy in copies}
    assert titles == {copy["url"]: zoo.title_of(copy["url"]) for copy in copies}
    assert all(f"{url}  {title}".rstrip() in told for url, title in titles.items())
    assert titles[f"{ZOO}/print/fish"]
    assert main(["similar", str(zoo.path), f"{ZOO}/print/fish".removeprefix("http://"), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["title"] for row in rows} == {zoo.title_of(row["url"]) for row in rows} != {""}
    assert main(["similar", str(zoo.path), f"{ZOO}/birds"]) == 0
    assert "no other page says this" in capsys.readouterr().out
    assert main(["search", str(zoo.path), "fish", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["hits"][0]
    assert first["copies"] == [f"{ZOO}/print/fish", f"{FARM}/fish-of-the-zoo"]


# ---------------------------------------------------------- alike, about something else

PARTS = ("lampshade", "stagecoach", "windmill")


def reference_web() -> SmallWeb:
    """Pages of one template, each about another part, and a print version of one of them."""
    pages = {f"{ZOO}/{name}": reference(name) for name in PARTS}
    pages[f"{ZOO}/print/windmill"] = reference("windmill") + "<p>Printed on 17 November 2026."
    return SmallWeb({f"{ZOO}/": page("Zoo", said("zoo"), *pages), **pages})


def reference(name: str) -> str:
    own = f"<p>All members of the {name} are here. Who needs a {name} finds the {name} below.</p>"
    return page(f"Members of {name}", own + said("reference"))


def test_pages_of_one_template_are_found_each_for_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with gossamer.open(tmp_path / "parts") as collection:
        reference_web().crawl(collection, f"{ZOO}/")
        assert marks(collection) == {f"{ZOO}/print/windmill": (None, f"{ZOO}/windmill")}
        assert [list(hits(collection, f"title:{name}")) for name in PARTS] == [[f"{ZOO}/{name}"] for name in PARTS]
        assert hits(collection, "title:windmill") == {f"{ZOO}/windmill": (f"{ZOO}/print/windmill",)}
        assert collection.status().near_duplicates == 1
        alike = {copy.url: copy.says_same for copy in collection.similar(f"{ZOO}/windmill")}
        assert alike == {f"{ZOO}/print/windmill": True, f"{ZOO}/lampshade": False, f"{ZOO}/stagecoach": False}
        assert collection.verify().problems == []
        assert main(["duplicates", str(collection.path)]) == 0
        told = capsys.readouterr().out
    assert told.endswith("1 page with 1 copy: 0 exact, 1 near; 2 pages alike, which are no copies\n")
    assert told.count("\n  alike  ") == 2
    assert main(["duplicates", str(collection.path), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sorted((len(row["copies"]), len(row["alike"])) for row in rows) in ([(0, 2), (1, 0)], [(1, 2)])


def test_a_build_puts_right_what_an_older_version_has_folded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with gossamer.open(tmp_path / "parts") as collection:
        monkeypatch.setattr(Sameness, "holds", lambda *_: True)
        reference_web().crawl(collection, f"{ZOO}/")
        assert len(marks(collection)) == 3
        monkeypatch.undo()
        collection.build()
        assert marks(collection) == {f"{ZOO}/print/windmill": (None, f"{ZOO}/windmill")}
        assert [list(hits(collection, f"title:{name}")) for name in PARTS] == [[f"{ZOO}/{name}"] for name in PARTS]
        assert collection.verify().problems == []


# --------------------------------------------------------------------------- mirrors


def test_a_mirror_is_told_and_the_main_host_stands_for_its_pages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = VirtualClock()
    web = MadeWeb(WebSpec(seed=3, hosts=4, pages=12, copies=Copies(mirrors=1)), clock=clock)
    with gossamer.open(tmp_path / "web") as collection:
        outside = Outside(clock, web.fetch)
        status = clock.run(collection.crawl_async(web.seed, scope="any", delay=0, ip_delay=0, outside=outside))
        found = collection.duplicates()
        assert collection.verify().problems == []
    assert status.mirrors == {"h0.example": ["h3.example"]}
    assert [(each.main, each.others) for each in found.mirrors] == [("http://h0.example", ("http://h3.example",))]
    assert {group.url.split("/")[2] for group in found.groups} == {"h0.example"}
    assert len(found.groups) == 12
    for host, words in (("h3.example", "mirror of  h0.example"), ("h0.example", "mirrors    h3.example")):
        assert main(["why", str(collection.path), host]) == 0
        assert words in capsys.readouterr().out
    assert main(["status", str(collection.path)]) == 0
    assert "mirrors     h0.example: h3.example" in capsys.readouterr().out


# ------------------------------------------------------------------- derived and checked


def test_prints_are_made_again_by_build(zoo: Collection) -> None:
    before = marks(zoo), zoo.duplicates()
    zoo.close()
    with Table.open(Folder(zoo.path).table(0), FAMILIES, writable=True) as table:
        for key, _ in table.scan(PRINTS):
            table.delete(PRINTS, key)
        table.commit()
    rmtree(Folder(zoo.path).shard(0) / "prints")
    assert zoo.duplicates().groups != before[1].groups
    zoo.build()
    assert (marks(zoo), zoo.duplicates()) == before
    assert zoo.verify().problems == []


def test_a_build_that_is_killed_while_it_measures_begins_anew(zoo: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    before, commits = (marks(zoo), zoo.duplicates()), []
    real = Prints._commit

    def dying(prints: Prints) -> None:
        commits.append(prints)
        if len(commits) == 2:
            raise KeyboardInterrupt
        real(prints)

    monkeypatch.setattr("gossamer.collection.derive.near_copies.BATCH", 2)
    monkeypatch.setattr(Prints, "_commit", dying)
    with pytest.raises(KeyboardInterrupt):
        zoo.build(convert=True)
    monkeypatch.undo()
    assert zoo.duplicates() == before[1]
    assert zoo.verify().problems == []
    zoo.build()
    assert (marks(zoo), zoo.duplicates()) == before
    assert zoo.verify().problems == []


def test_near_copies_on_sites_of_two_shards_are_marked_at_the_end_of_a_crawl(tmp_path: Path) -> None:
    names = [f"site{number}" for number in range(6)]
    with named_web() as web, gossamer.open(tmp_path / "web") as collection:
        for number, name in enumerate(names):
            links = [web.url(other, path) for other in names for path in ("/", "/news")]
            web.link(name, "/", links)
            web.put(name, "/news", Reply(page("News", said("news", edits=number))))
        settings = {"scope": "any", "delay": 0.0, "ip_delay": 0.0, "suffixes": ("localhost",), "shards": 2}
        status = collection.crawl(web.url(names[0]), allow_addresses=("127.0.0.0/8",), **settings)
        (group,) = collection.duplicates().groups
        shards = {collection._readers().number(url) for url in (group.url, *(copy.url for copy in group.copies))}
        assert len(shards) == 2
        assert len(group.copies) == status.near_duplicates == 5
        assert set(marks(collection).values()) == {(None, group.url)}
        assert len(collection.similar(group.url)) == 5
        assert collection.verify().problems == []
        found = hits(collection, rarest(collection, group.url))
        assert {url: len(copies) for url, copies in found.items()} == {group.url: 5}


def test_a_kill_while_marks_are_put_right_hides_no_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    web = zoo_web()
    web.moved["http://old.test/"] = f"{ZOO}/print/fish"
    real, calls = copy_marks._change, []

    def dying(*arguments: object) -> None:
        calls.append(arguments)
        if len(calls) > 1:
            raise KeyboardInterrupt
        real(*arguments)  # type: ignore[arg-type]  # handed on as they came

    with gossamer.open(tmp_path / "zoo") as collection:
        web.crawl(collection, f"{ZOO}/")
        monkeypatch.setattr(copy_marks, "_change", dying)
        with pytest.raises(KeyboardInterrupt):
            web.crawl(collection, "http://old.test/")
        monkeypatch.undo()
        fish = {f"{ZOO}/articles/fish", f"{ZOO}/print/fish", f"{FARM}/fish-of-the-zoo"}
        found = fish - marks(collection).keys()
        assert f"{ZOO}/print/fish" in found
        assert len(found) == 2  # the one that stood for the others does so still
        assert collection.verify().problems == []
        collection.build()
        assert fish - marks(collection).keys() == {f"{ZOO}/print/fish"}
        assert collection.verify().problems == []


def test_verify_names_a_print_that_is_missing_wrong_or_of_nobody(zoo: Collection) -> None:
    zoo.close()
    with Table.open(Folder(zoo.path).table(0), FAMILIES, writable=True) as table:
        pages = Pages(table)
        numbers = dict(pages.addresses())
        pages.remove(numbers[f"{ZOO}/birds"], f"{ZOO}/birds")
        fish = pages.rows([numbers[f"{ZOO}/articles/fish"]])[numbers[f"{ZOO}/articles/fish"]]
        pages.put(numbers[f"{ZOO}/"], f"{ZOO}/", fish[: -len(f"{ZOO}/articles/fish")])
        pages.put(10_000, "http://nobody.test/", fish[: -len(f"{ZOO}/articles/fish")])
        table.commit()
    problems = "\n".join(zoo.verify().problems)
    assert f"{ZOO}/birds: has no print" in problems
    assert f"{ZOO}/: its print is not that of its text" in problems
    assert "http://nobody.test/: has a print, but is no page" in problems
    zoo.build(convert=True)
    assert zoo.verify().problems == []


def test_a_collection_from_before_is_told_to_build(tmp_path: Path) -> None:
    zoo = gossamer.open(tmp_path / "zoo")
    zoo_web().crawl(zoo, f"{ZOO}/")
    zoo.close()
    table, without = Folder(zoo.path).table(0), tuple(name for name in FAMILIES if name != PRINTS)
    with Table.open(table, FAMILIES, writable=True) as made:
        rows = {name: list(made.scan(name)) for name in without}
    rmtree(table)
    with Table.open(table, without, writable=True) as old:  # as it was before there were prints
        for name, pairs in rows.items():
            for key, value in pairs:
                old.put(name, key, value)
        old.commit()
    with pytest.raises(NotFound, match="gossamer build"):
        zoo.duplicates()
    assert zoo.verify().problems == []
    zoo.build()
    assert len(zoo.duplicates().groups) == 2
    zoo.close()


def test_a_copy_whose_bytes_are_the_same_is_wholly_alike(zoo: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    """The prints of both may differ, because what counts as template was another when the second was read."""
    wholly = Lookup.similar

    def estimated(lookup: Lookup, asked: Any) -> Any:
        return [[each._replace(resemblance=0.996, distance=1) for each in near] for near in wholly(lookup, asked)]

    monkeypatch.setattr(Lookup, "similar", estimated)
    exact, near = zoo.similar(f"{ZOO}/articles/fish")
    assert (exact.exact, exact.resemblance, exact.distance) == (True, 1.0, 0)
    assert (near.exact, near.resemblance, near.distance) == (False, 0.996, 1)
