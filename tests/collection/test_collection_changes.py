"""What is new, changed or gone since the crawl before, and what was the last change of each page."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.cli import answers
from gossamer.cli.main import main
from gossamer.collection import Collection, Outside
from gossamer.collection.ask.change_details import told
from gossamer.collection.ask.differences import Words
from gossamer.collection.ask.times import moment
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.page_function import ReadPage
from gossamer.errors import NotFound, UsageError
from gossamer.freshness.content import RESTLESS
from gossamer.frontier.entries import META
from gossamer.frontier.revisit import page_changes
from gossamer.frontier.revisit.page_changes import PageChanges
from gossamer.model import Capture, Failure, Fault, Visit
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock
from gossamer.urls import keys
from tiny_server import page, tiny_server

HERE = "http://a.example/"
NAMES = ("same", "edited", "gone", "moved", "busy", "odd")


class World:
    """Pages by name, on a virtual clock; a number is a status, an address a redirect."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.pages: dict[str, str | int] = {name: f"<title>{name}</title><p>The page {name}." for name in NAMES}

    async def fetch(self, visit: Visit) -> Capture:
        name = visit.url.removeprefix(HERE)
        home = "<title>Home</title>" + "".join(f'<p><a href="/{name}">{name}</a>' for name in (*NAMES, "late"))
        said = self.pages.get(name, 404) if name else home
        moved = isinstance(said, str) and said.startswith("http:")
        status = said if isinstance(said, int) else 301 if moved else 200
        body = str(said).encode() if status == 200 else b""
        fields = (("content-type", "text/html"), *([("location", str(said))] if moved else []))
        head = f"HTTP/1.1 {status} OK\r\n{''.join(f'{key}: {value}' + chr(13) + chr(10) for key, value in fields)}\r\n"
        return Capture(visit, self.clock.wall(), 0.01, status, fields, b"GET /", head.encode(), body, body)

    def crawl(self, web: Collection, *seeds: str, **settings: Any) -> None:
        self.clock.advance(86_400)
        settings = {"sitemaps": "never", **settings}
        self.clock.run(web.crawl_async(*seeds, outside=Outside(self.clock, self.fetch), **settings))


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def web(tmp_path: Path, world: World) -> Iterator[Collection]:
    with gossamer.open(tmp_path / "web") as web:
        world.crawl(web, HERE)
        yield web


def kinds(web: Collection, since: datetime | None = None) -> dict[str, str]:
    return {each.url.removeprefix(HERE): each.kind for each in web.changes(since)}


def test_after_the_first_crawl_all_is_new(web: Collection) -> None:
    assert set(kinds(web).values()) == {"new"}
    assert len(kinds(web)) == web.status().pages == 7


def test_a_revisit_says_what_came_changed_moved_and_went(web: Collection, world: World) -> None:
    world.pages |= {"edited": "<title>Edited</title><p>New words.", "moved": f"{HERE}same", "busy": 503}
    world.pages["late"] = "<title>Late</title><p>It was not there."
    del world.pages["gone"]
    world.crawl(web, HERE + "late", revisit=True)
    assert kinds(web) == {
        "edited": "changed",
        "gone": "gone",
        "moved": "moved",
        "busy": "unreached",
        "late": "new",
    }
    found = web.changes()
    assert "not gone through yet" in repr(found)
    reasons = {each.url.removeprefix(HERE): (each.title, each.reason) for each in found}
    assert reasons["edited"] == ("Edited", "")
    assert reasons["gone"] == ("gone", "http 404")
    assert reasons["moved"][1] == f"redirect to {HERE}same"
    assert found.words == "1 new, 1 changed, 1 moved, 1 gone, 1 not reached, 3 unchanged"
    assert re.fullmatch(rf"<Changes since [-0-9:TZ]+: {found.words}>", repr(found))


def test_a_first_crawl_may_be_a_revisit_with_a_limit(tmp_path: Path, world: World) -> None:
    with gossamer.open(tmp_path / "new") as web:
        world.crawl(web, HERE, revisit=True, pages=3)
        assert web.status().pages == 3


@pytest.mark.parametrize("said", [404, f"{HERE}same"], ids=["gone", "moved"])
def test_a_site_that_was_away_for_a_night_is_there_again_after_the_next_revisit(
    web: Collection, world: World, said: str | int
) -> None:
    before = dict(world.pages)
    world.pages = {name: said for name in NAMES if name != "same"} | {"same": before["same"]}
    world.crawl(web, revisit=True)
    assert web.status().pages == 2
    world.pages = before | {"late": "<title>Late</title><p>It was not there."}
    world.crawl(web, revisit=True)
    assert (web.status().pages, web.status().failed) == (8, 0)
    assert kinds(web) == dict.fromkeys({*NAMES} - {"same"}, "back") | {"late": "new"}
    assert [each.url for each in web.broken()] == []
    assert web.verify().problems == []


@pytest.mark.parametrize("shards", [1, 2])
def test_a_revisit_at_a_limit_leaves_what_is_no_page_as_it_is(tmp_path: Path, shards: int) -> None:
    """One shard does not know at once what the others have."""
    options = {"delay": 0, "ip_delay": 0, "patience": 0, "sitemaps": "never", "allow_addresses": ("127.0.0.0/8",)}
    first = next(f"127.0.0.{n}" for n in range(1, 99) if keys.shard(f"127.0.0.{n}", 2) == 0)
    second = next(f"127.0.0.{n}" for n in range(1, 99) if keys.shard(f"127.0.0.{n}", 2) == 1)
    pages = {"/": page("/gone", "/a", "/b"), "/a": page(), "/b": page()}
    with tiny_server(pages, first) as one, tiny_server(pages, second) as two, gossamer.open(tmp_path / "web") as web:
        web.crawl(f"{one.origin}/", f"{two.origin}/", shards=shards, **options)
        for _ in range(2):
            web.crawl(revisit=True, pages=6)
            found = web.changes()
            assert (list(found), found.words) == ([], "0 new, 0 changed, 0 gone, 6 unchanged")
            assert {each.url for each in web.broken()} == {f"{one.origin}/gone", f"{two.origin}/gone"}
        two.pages = {**pages, "/gone": page()}
        web.crawl(revisit=True, pages=7)
        assert web.status().pages == 7
        assert {each.url for each in web.broken()} == {f"{one.origin}/gone"}


def test_what_many_pages_answer_is_a_line_when_it_is_printed(web: Collection) -> None:
    assert repr(web.search("page", number=2)) == "<Answer: 2 hits of 6 pages>"
    assert repr(web.links(HERE)) == f"<Links of {HERE}: 7 out, 0 in>"
    assert repr(web.duplicates()) == "<Copies: 0 groups of pages, 0 groups of mirrors>"
    assert repr(web.pages()).startswith("<Pages: ")


def test_a_page_whose_last_visit_failed_is_a_page_wherever_pages_are_counted(web: Collection, world: World) -> None:
    world.pages |= {"busy": 503, "odd": 401, "gone": 410, "moved": f"{HERE}same"}
    world.crawl(web, revisit=True)
    status, pages = web.status(), {page.url for page in web.pages()}
    assert pages == {HERE, *(f"{HERE}{name}" for name in ("same", "edited", "busy", "odd"))}
    assert {each.url for each in web.addresses(state="page")} == pages
    assert {hit.url for hit in web.search("page", number=9)} == pages - {HERE}
    assert answers.status(status).startswith("pages       5, 1 of them as they were: their last visit failed\n")
    assert f"{HERE}busy" in {each.url for each in web.addresses(state="queued")}, "it is tried again"
    assert {each.url for each in web.addresses(state="failed")} == {f"{HERE}{name}" for name in ("odd", "gone", "late")}
    assert web.verify().problems == []
    world.pages |= {"odd": "The page odd is open again.", "busy": 401}
    world.crawl(web, revisit=True, pages=5)
    assert (web.status().pages, web.status().unreached) == (5, 1)
    assert [each.pages for each in web.host_page("pages").hosts] == [5]
    assert web.verify().problems == []


def test_a_page_whose_first_answer_broke_off_is_a_page_wherever_pages_are_counted(tmp_path: Path, world: World) -> None:
    async def fetch(visit: Visit) -> Capture:
        capture, failure = await world.fetch(visit), Failure(Fault.RESET, "reset in the body")
        is_cut = visit.url == f"{HERE}same" and capture.status == 200
        return replace(capture, truncated="disconnect", failure=failure) if is_cut else capture

    cut, web = f"{HERE}same", gossamer.open(tmp_path / "web")

    def listed(state: str) -> set[str]:
        return {each.url for each in web.addresses(state=state)}

    def agree(pages: int) -> None:
        assert {page.url for page in web.pages()} == listed("page")
        assert len(listed("page")) == web.status().pages == web.host_page("pages").hosts[0].pages == pages
        assert (cut in listed("page")) == (cut in {hit.url for hit in web.search("page", number=9)})
        assert web.verify().problems == []

    world.clock.run(web.crawl_async(HERE, outside=Outside(world.clock, fetch), sitemaps="never", pages=5))
    assert cut in listed("queued") & listed("page"), "it is here as far as it came, and is tried again"
    agree(5)
    world.pages["same"] = 403
    world.crawl(web)
    assert cut in listed("failed") & listed("page")
    agree(5)
    world.pages["same"] = 404
    world.crawl(web, revisit=True)
    assert cut in listed("failed") - listed("page")
    agree(5)
    web.close()


def test_a_page_that_came_back_is_not_new(web: Collection, world: World) -> None:
    there = world.pages.pop("gone")
    world.crawl(web, revisit=True)
    assert kinds(web) == {"gone": "gone"}
    world.pages["gone"] = there
    world.crawl(web, HERE + "gone", revisit=True)
    assert kinds(web) == {"gone": "back"}


def test_a_crawl_that_goes_on_belongs_to_the_one_before(web: Collection, world: World) -> None:
    world.pages["edited"] = "Other words."
    world.crawl(web, revisit=True)
    world.crawl(web)
    world.crawl(web, HERE)
    assert kinds(web) == {"edited": "changed"}
    world.crawl(web, revisit=True)
    assert kinds(web) == {}


def test_who_holds_a_collection_open_sees_one_moment_until_it_is_closed(web: Collection, world: World) -> None:
    world.pages["late"] = "<title>Late</title><p>Nobody had seen a bittern before."
    with gossamer.open(web.path) as reader:
        assert (kinds(reader)["same"], list(reader.search("bittern"))) == ("new", [])
        world.crawl(web, HERE + "late", revisit=True)
        assert (kinds(reader)["same"], list(reader.search("bittern"))) == ("new", [])
        assert f"{HERE}late" not in {page.url for page in reader.pages()}
        reader.close()
        assert kinds(reader) == {"late": "new"}
        assert [hit.url for hit in reader.search("bittern")] == [f"{HERE}late"]


def test_since_a_time_several_crawls_count_as_one(web: Collection, world: World) -> None:
    begun = datetime.fromtimestamp(world.clock.wall() + 1, UTC)
    for words in ("Other words.", "Others again."):
        world.pages["edited"] = words
        world.crawl(web, revisit=True)
    assert kinds(web, begun) == {"edited": "changed"}
    assert set(kinds(web, datetime(2000, 1, 1, tzinfo=UTC)).values()) == {"new"}


def test_pages_that_were_not_asked_again_are_counted_as_such(web: Collection, world: World) -> None:
    later = datetime.fromtimestamp(world.clock.wall() + 1, UTC)
    found = web.changes(later)
    assert list(found) == []
    assert found.words == "0 new, 0 changed, 0 gone, 0 unchanged, 7 not asked again"


def test_where_no_beginning_is_known_a_time_is_asked_for(web: Collection) -> None:
    web.close()
    with Table.open(web.path / "shards" / "00" / "table", FAMILIES, writable=True) as table:
        table.delete(META, b"runs")
        table.commit()
    with pytest.raises(NotFound, match="--since"):
        web.changes()


def test_the_command_prints_a_line_for_each_and_the_sums(
    web: Collection, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.pages["edited"] = "<title>Edited</title><p>New words."
    world.crawl(web, revisit=True)
    web.close()
    assert main(["changes", str(web.path)]) == 0
    assert capsys.readouterr().out == (
        f"changed    {HERE}edited  Edited\n"
        "           + 3 words: Edited … New words.\n"
        "           - 4 words: edited … The page edited.\n"
        "0 new, 1 changed, 0 gone, 6 unchanged\n"
    )
    for nonsense in ("soon", ""):
        assert main(["changes", str(web.path), "--since", nonsense]) == 2
        assert "not a time" in capsys.readouterr().err


def test_other_bytes_with_the_same_words_are_no_change(web: Collection, world: World) -> None:
    world.pages["same"] = "<title>same</title><!-- served at 12:31:07 --><p id=x77>The  page same."
    world.crawl(web, revisit=True)
    assert len([each for each in web.history(HERE + "same") if each.number]) == 2
    found = web.changes()
    assert list(found) == []
    assert found.words == "0 new, 0 changed, 0 gone, 7 unchanged"


def price_of(page: ReadPage) -> dict[str, Any] | None:
    found = re.search(r"price=(\d+)", page.source)
    return {"price": int(found[1]), "shop": "Heron"} if found else None


def priced(price: int | str, words: str = "The page odd.") -> str:
    return f"<title>odd</title><script>price={price}</script><p>{words}"


def test_another_field_with_the_same_words_is_a_change(tmp_path: Path, world: World) -> None:
    with gossamer.open(tmp_path / "web") as web:
        world.pages["odd"] = priced(30)
        world.crawl(web, HERE, on_page=price_of)
        world.pages["odd"] = priced(24)
        world.crawl(web, revisit=True, on_page=price_of)
        (change,) = (each for each in web.changes() if each.kind == "changed")
        assert (change.url, change.words) == (f"{HERE}odd", Words(1, 1))
        assert (change.added, change.removed) == ("24", "30")
        for full in (False, True):
            signs = [line.sign for line in web.diff(f"{HERE}odd", full=full).lines if "price" in line.pieces[0].text]
            assert signs == ["~"]
        assert web.history(f"{HERE}odd")[-1].words == Words(1, 1)
        world.pages["odd"] = priced(24).replace("script>", "script >")
        world.crawl(web, revisit=True, on_page=price_of)
        assert kinds(web).get("odd") is None


def test_a_clock_in_the_text_hides_no_other_field(tmp_path: Path, world: World) -> None:
    lines = "".join(f"<p>Line {number} of the page says what it said before." for number in range(9))
    with gossamer.open(tmp_path / "web") as web:
        for name in ("odd", "same"):
            world.pages[name] = priced(30, f"{lines}<p>It is 1 now.")
        world.crawl(web, HERE, on_page=price_of)
        world.pages["odd"] = priced(24, f"{lines}<p>It is 2 now.")
        world.pages["same"] = priced(30, f"{lines}<p>It is 2 now.")
        world.crawl(web, revisit=True, on_page=price_of)
        web.close()
        with Table.open(web.path / "shards" / "00" / "table", FAMILIES, writable=True) as table:
            for name in ("odd", "same"):
                page_changes.put(table, f"{HERE}{name}", PageChanges(restless=RESTLESS))  # as a watch has noted it
            table.commit()
        assert [name for name, kind in kinds(web).items() if kind == "changed"] == ["odd"]


def test_a_page_function_that_is_younger_than_a_page_has_not_changed_it(tmp_path: Path, world: World) -> None:
    with gossamer.open(tmp_path / "web") as web:
        world.pages["odd"] = priced(30)
        world.crawl(web, HERE)
        world.pages["odd"] = priced(24)
        world.crawl(web, revisit=True, on_page=price_of)
        assert "changed" not in kinds(web).values()


def test_a_clock_that_a_watch_has_seen_to_differ_each_time_is_no_change(web: Collection, world: World) -> None:
    lines = "".join(f"<p>Line {number} of the page says what it said before." for number in range(9))
    odd, same = f"{HERE}odd", f"{HERE}same"
    for hour in range(4):
        world.pages |= {name: f"<title>{name}</title>{lines}<p>It is {hour} now." for name in ("odd", "same")}
        world.crawl(web, revisit=True)
    since = datetime.fromtimestamp(world.clock.wall() - 1.5 * 86_400, UTC)
    assert {kinds(web, since)[name] for name in ("odd", "same")} == {"changed"}
    web.close()
    with Table.open(web.path / "shards" / "00" / "table", FAMILIES, writable=True) as table:
        page_changes.put(table, same, PageChanges(restless=RESTLESS))  # as a watch has noted it
        table.commit()
    found = {change.url: change.kind for change in web.changes(since)}
    assert (found[odd], found.get(same)) == ("changed", None)
    world.pages["same"] = "<title>same</title><p>Nothing is as it was."
    world.crawl(web, revisit=True)
    assert kinds(web, since)["same"] == "changed"


def test_the_words_that_are_told_are_those_that_are_counted() -> None:
    """A heading before a line that was rewritten made both look new, with more words told than counted."""
    body = "thunder oyster copper market harbour lantern"
    assert told(body, f"Guide page two\nAn airship arrived. {body}") == (
        Words(6, 0),
        "Guide page two … An airship arrived.",
        "",
    )
    swapped = told("one two three four five six", "one two 3 four 5 six")
    assert swapped == (Words(2, 2), "3 … 5", "three … five")
    assert told("a b\nc d e", "c d e\nb a") == (Words(0, 0), "", "")
    many = "\n".join(f"row {number} of a long table" for number in range(500))
    assert told(many, many.replace("long", "short"))[0] == Words(500, 500)


def test_a_line_that_was_on_the_page_before_has_not_come() -> None:
    body, heading = "thunder oyster copper market harbour", "Guide page two"
    news = told(body, f"{heading}\nAn airship arrived.\n{body}", f"{heading}\n{body}", "")
    assert news == (Words(3, 0), "An airship arrived.", "")
    assert told(f"{heading}\n{body}", body, "", f"Menu\n{heading}\n{body}") == (Words(0, 0), "", "")
    table, cells = "Name\tUse\na.py\tto read", "Name\nUse\na.py\nto read"
    assert told(f"{body}\n{table}", body, "", f"{body}\n{cells}") == (Words(0, 0), "", ""), "a table is no content now"
    assert told(f"{body}\n{table}", body, "", body).words == Words(0, 5)


def test_how_much_changed_and_the_first_words_are_told(web: Collection, world: World) -> None:
    world.pages["edited"] = "<title>edited</title><p>The new page edited.<p>With a further line."
    world.crawl(web, revisit=True)
    (change,) = web.changes()
    assert repr(change) == f"<Change changed {HERE}edited 'edited'>"
    assert change.words == (5, 0)
    assert (change.added, change.removed) == ("new … With a further line.", "")
    (bare,) = web.changes(detailed=False)
    assert bare.words is None


def test_the_newest_come_first_and_as_many_as_are_asked_for(web: Collection, world: World) -> None:
    for name in ("odd", "busy", "edited"):
        world.pages[name] = f"<title>{name}</title><p>Other words."
        world.crawl(web, revisit=True)
    begun = datetime.fromtimestamp(world.clock.wall() - 2.5 * 86_400, UTC)
    every = [each.url.removeprefix(HERE) for each in web.changes(begun, newest=10)]
    assert every == ["edited", "busy", "odd"]
    found = web.changes(begun, newest=2)
    assert [each.url.removeprefix(HERE) for each in found] == ["edited", "busy"]
    assert found.number == 3
    assert found.counts["changed"] == 3


def test_with_a_question_pages_are_told_that_have_all_of_its_words(web: Collection, world: World) -> None:
    world.pages["odd"] = "<title>Odd</title><p>A foreign key is checked at once."
    world.pages["busy"] = "<title>Busy</title><p>A foreign key that is deferred is checked at the end."
    del world.pages["gone"]
    world.crawl(web, revisit=True)
    asked = {
        question: [each.url.removeprefix(HERE) for each in web.changes(query=question)]
        for question in ("foreign key", "foreign key deferred checked end", "foreign key nonsense", "title:odd", "page")
    }
    assert asked == {
        "foreign key": ["busy", "odd"],
        "foreign key deferred checked end": ["busy"],
        "foreign key nonsense": [],
        "title:odd": ["odd"],
        "page": [],
    }
    assert [each.kind for each in web.changes(site="a.example")] == ["changed", "gone", "changed"]
    assert list(web.changes(site="b.example")) == []


def test_news_are_the_last_change_of_each_page(web: Collection, world: World) -> None:
    began = datetime.fromtimestamp(world.clock.wall(), UTC)
    world.pages["edited"] = "<title>edited</title><p>Second words."
    world.crawl(web, revisit=True)
    world.pages["edited"] = "<title>edited</title><p>Third words."
    world.crawl(web, revisit=True)
    first, *others = web.news()
    assert (first.url, first.kind, first.added, first.removed) == (HERE + "edited", "changed", "Third", "Second")
    assert {each.kind for each in others} == {"new"}
    world.crawl(web, revisit=True)
    world.pages["edited"] = "<title>edited</title><!-- 7 --><p>Third words."
    world.crawl(web, revisit=True)
    again = web.news()
    assert [each.id for each in again] == [each.id for each in (first, *others)]
    assert again.last > first.seen
    assert [each.url for each in web.news(began)] == [HERE + "edited"]
    assert [each.url for each in web.news(query="third")] == [HERE + "edited"]


def test_a_span_of_time_ends_now() -> None:
    now = time.time()
    for text, seconds in (("2h", 7_200), ("7d", 604_800), ("1h30m", 5_400), ("90 min", 5_400)):
        assert now - seconds - 1 <= moment(text).timestamp() - (time.time() - now) <= now - seconds + 1
    assert moment("2026-11-01T12:00Z") == datetime(2026, 11, 1, 12, tzinfo=UTC)
    assert moment("99999999d").timestamp() == 0.0
    for nonsense in ("3x", "soon", "", "7 days ago", "h"):
        with pytest.raises(UsageError, match="how long ago, as 2h or 7d"):
            moment(nonsense)


def test_days_have_names_and_a_day_ends_or_begins() -> None:
    today = datetime.now().date()
    for text, day in (("today", today), (" Yesterday ", today - timedelta(days=1)), ("2026-11-01", date(2026, 11, 1))):
        assert moment(text) == datetime.combine(day, datetime.min.time()).astimezone()
        assert moment(text, end=True) == datetime.combine(day, datetime.max.time()).astimezone()
    assert abs(moment("5m", end=True) - moment("5m")) < timedelta(minutes=1)


def test_the_command_says_what_it_leaves_out_and_asks_for_one_form(
    web: Collection, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    web.close()
    assert main(["changes", str(web.path), "-n", "2", "--json"]) == 0
    told = capsys.readouterr()
    assert [json.loads(line)["kind"] for line in told.out.splitlines()] == ["new", "new"]
    assert "5 older changes left out" in told.err
    assert main(["changes", str(web.path), "-n", "0", "--json", "page", "edited"]) == 0
    told = capsys.readouterr()
    assert [json.loads(line)["url"] for line in told.out.splitlines()] == [HERE + "edited"]
    assert told.err == ""
    for wrong in (["--atom", "--json"], ["--atom", "-n", "0"]):
        assert main(["changes", str(web.path), *wrong]) == 2
