"""The dashboard, a host's page and the map."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import socket
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from markupsafe import Markup
from selectolax.lexbor import LexborHTMLParser

import gossamer
from gossamer.collection import Progress, Status
from gossamer.collection.ask.site_map import MappedSite, SiteMap
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.freshness import Freshness
from gossamer.collection.series import Sample
from gossamer.errors import NotACollection
from gossamer.frontier.entries import META
from gossamer.printable import size, span
from gossamer.store.table.table import Table
from gossamer.web import live
from gossamer.web.chart import WIDTH, Curve, bars, chart
from gossamer.web.dashboard import Look, charts, figures, look
from gossamer.web.map_page import _box, _drawn, _labelled, is_wide
from gossamer.web.serving import LOCAL
from gossamer.web.templating import brief, crumbs, number, phrased, relative, sentence, told
from harness.served import Served, serving

STATUS = Status(
    pages=90, failed=5, excluded=7, queued=5, hosts=2, bytes=2_500_000, duplicates=1, near_duplicates=2, seconds=61.0,
)  # fmt: skip
PROGRESS = Progress(
    pages=90,
    failed=5,
    queued=5,
    out=3,
    waiting=1,
    bytes=2_500_000,
    seconds=61,
    left=5,
    rate=12.5,
    byte_rate=340_000.0,
    memory=190_000_000,
)


def page(served: Served, path: str, status: int = 200) -> LexborHTMLParser:
    came = served.get(path)
    assert came.status == status
    return LexborHTMLParser(came.text)


def running(*, is_paused: bool = False, **changes: object) -> dict[str, str]:
    status = replace(STATUS, crawling={"pid": 1, "since": time.time() - 90}, left=5.0, basis="5 queued", **changes)  # type: ignore[arg-type]  # names of its fields
    return figures(Look(status, PROGRESS, 10**9, 10**10, is_paused))


def test_the_sums_are_those_of_the_collection(served: Served, collection: Path) -> None:
    with gossamer.open(collection) as web:
        status = web.status()
    view = page(served, "/crawl")
    shown = {each.attributes["data-live"]: each.text() for each in view.css("[data-live]")}
    assert shown["pages"] == str(status.pages)
    assert shown["failed"] == str(status.failed)
    assert shown["excluded"] == str(status.excluded)
    assert "At rest" in shown["state"]
    for reason in (*status.failures, *status.exclusions):
        assert reason in view.css_first("main").text()


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1.0])
def test_a_crawl_that_took_no_time_that_there_is_is_damage(collection: Path, tmp_path: Path, seconds: float) -> None:
    own = Path(shutil.copytree(collection, tmp_path / "own"))
    with Table.open(own / "shards" / "00" / "table", FAMILIES, writable=True) as table:
        table.put(META, b"counts", msgspec.msgpack.encode({"pages": 1, "seconds": seconds}))
        table.commit()
    with serving(own) as running:
        came = running.get("/crawl")
    assert came.status == 500
    assert "<code>gossamer verify own --repair</code>" in came.text


def test_a_collection_that_is_taken_away_is_said_to_be_none(collection: Path, tmp_path: Path) -> None:
    own = Path(shutil.copytree(collection, tmp_path / "own"))
    with serving(own) as running:
        assert running.get("/crawl").status == 200
        own.rename(tmp_path / "elsewhere")
        assert running.get("/crawl").status == 404
    with gossamer.open(own) as web, pytest.raises(NotACollection):
        look(web)


def test_every_place_that_lives_is_sent(served: Served) -> None:
    view = page(served, "/crawl")
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
    connection.request("GET", "/crawl/events")
    stream = connection.getresponse()
    assert stream.headers["content-type"].startswith("text/event-stream")
    while not (line := stream.readline()).startswith(b"data: "):
        assert line
    connection.close()
    sent = json.loads(line.removeprefix(b"data: "))
    assert set(sent) == {each.attributes["data-live"] for each in view.css("[data-live]")}


def test_one_watcher_too_many_is_told_to_come_again(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "WATCHERS_MOST", 0)
    came = served.get("/crawl/events")
    assert (came.status, came.headers["retry-after"]) == (503, "2")
    assert "too many watch already" in came.text


def test_a_look_at_the_head_of_the_events_ends(served: Served) -> None:
    with socket.create_connection((LOCAL, served.port), timeout=60) as connection:
        connection.sendall(b"HEAD /crawl/events HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        assert connection.makefile("rb").read().startswith(b"HTTP/1.1 200")


def test_a_crawl_that_runs_says_what_it_does() -> None:
    told = running()
    assert told["state"] == "Running for 2 min."
    assert told["rate"] == "12.5 pages/s, 340.0 kB/s"
    assert told["memory"] == "190.0 MB"
    assert told["out"] == "3 requests"
    assert told["waiting"] == "1 host"
    assert told["left"] == "about 5 s"
    assert told["coverage"] == "90.0%"
    assert told["copies"] == "3"


def test_what_holds_a_crawl_is_said_first() -> None:
    assert "disk is nearly full" in running(disk_free=5, disk_wanted=10**9)["state"]
    assert "nothing can be reached" in running(network_gone=True)["state"]


def test_a_paused_crawl_with_nothing_left_says_what_will_happen() -> None:
    busy = replace(STATUS, crawling={"since": time.time()})
    assert figures(Look(busy, PROGRESS, 1, 2, is_paused=True))["state"].endswith("until it is resumed.")
    done = replace(busy, queued=0)
    assert "it ends when it is resumed" in figures(Look(done, PROGRESS, 1, 2, is_paused=True))["state"]


def test_a_watch_says_when_the_next_visit_is_and_how_fresh_it_is() -> None:
    status = replace(
        STATUS, queued=0, crawling={"pid": 1, "since": 1.0}, freshness=Freshness(90, 0.934, 7_200.0, 90.0, None, None)
    )
    shown = figures(Look(status, replace(PROGRESS, queued=0, next_visit=300.0), 10**9, 10**10))
    assert shown["state"] == "Watching. The next visit is in 5 min."
    assert shown["fresh"] == "about 93%; copies are 2.0 h old on average"
    assert running()["fresh"] == "–"


def test_a_crawl_at_rest_has_no_rate() -> None:
    told = figures(Look(STATUS, PROGRESS, 1, 2))
    assert told["state"] == "At rest. 5 addresses wait."
    assert told["rate"] == told["left"] == told["out"] == "–"


def test_a_crawl_that_is_paused_has_no_rate() -> None:
    told = running(is_paused=True)
    assert told["state"].startswith("Paused.")
    assert told["rate"] == told["left"] == "–"
    assert told["out"] == "3 requests", "what is under way is finished"


def test_a_command_names_the_directory_and_is_set_as_one() -> None:
    held = replace(STATUS, held_by="the limit of 90 pages is reached, and `gossamer crawl DIR --pages 180` goes on")
    state = figures(Look(held, PROGRESS, 1, 2, name="my web"))["state"]
    assert "`gossamer crawl 'my web' --pages 180`" in state
    assert "<code>gossamer crawl &#39;my web&#39; --pages 180</code> goes on" in told(state, "my web")
    assert told("`<b>` of a stranger", "web") == "`&lt;b&gt;` of a stranger"


def test_one_site_does_not_fill_the_map_and_its_name_can_be_read() -> None:
    box = _box([MappedSite("a.example", 1_500, "en", "html", 1.0, 3.0, 4.0, 40.0)])
    assert box["width"] >= 8 * 40.0
    assert box["unit"] * 13 > box["width"] / 100
    assert (box["left"] + box["width"] / 2, box["top"] + box["height"] / 2) == (3.0, 4.0)


def test_no_name_on_the_map_is_cut() -> None:
    names = (
        "the-northern-most.example",
        "left-and-long-is-its-name.example",
        "right.example",
        "the-last-below.example",
    )
    places = ((0.0, -400.0), (-600.0, 0.0), (600.0, 0.0), (0.0, 400.0))
    sites = [MappedSite(name, 9, "en", "html", 1.0, *place, 5.0) for name, place in zip(names, places, strict=True)]
    box, labels = _box(sites), _labelled(sites)
    assert len(labels) == len(sites)
    for place, label in labels.items():
        half = len(names[place]) * 6.5 * box["unit"] / 2
        assert box["left"] <= sites[place].x - half
        assert sites[place].x + half <= box["left"] + box["width"]
        assert label.y < box["top"] + box["height"]


def test_what_can_be_done_is_sent_with_the_state() -> None:
    assert running()["actions"] == "pause stop retry"
    assert running(is_paused=True, failed=0)["actions"] == "resume stop"
    assert figures(Look(STATUS, PROGRESS, 1, 2))["actions"] == "start retry"


def test_what_was_asked_for_is_said_until_the_state_says_it(served: Served) -> None:
    assert page(served, "/crawl?done=start").css_first(".told").text() == "The crawl has begun."
    assert page(served, "/crawl?done=add").css_first(".told").text() == "The seeds are added."
    assert page(served, "/crawl?done=stop").css_first(".told") is None
    assert page(served, "/crawl?done=nonsense").css_first(".told") is None


def test_faults_have_the_colour_of_faults_and_coverage_says_of_what(served: Served, collection: Path) -> None:
    with gossamer.open(collection) as web:
        status = web.status()
    view = page(served, "/crawl")
    assert len(view.css("meter.fault")) == len(status.failures)
    assert f"of {status.pages + status.queued + status.failed}\n" in view.css_first(".figures").text()


def test_the_hosts_that_hold_it_up_are_named_with_what_is_slow_and_what_fails(served: Served, collection: Path) -> None:
    with gossamer.open(collection) as web:
        slowest, failing = (web.host_page(sort, limit=1).hosts[0] for sort in ("slow", "failed"))
    for path in ("/crawl", "/crawl/hosts"):
        panels = {each.css_first("h2").text(): each for each in page(served, path).css("section.panel")}
        first = {name: panels[name].css_first("tbody tr").text(separator=" ") for name in panels if "hosts" in name}
        assert slowest.host in first["Slowest hosts"]
        assert re.search(r"[0-9] m?s\b", first["Slowest hosts"])
        assert f"{failing.host} {failing.failed} " in " ".join(first["Failing hosts"].split())


def test_what_a_page_loads_anew_is_what_it_had(served: Served) -> None:
    whole = page(served, "/crawl")
    for name in ("charts", "reasons"):
        alone = page(served, f"/crawl/{name}").css_first("body")
        assert alone.text().split() == whole.css_first(f"#{name}").text().split()


def test_what_this_crawl_does_not_do_takes_no_room(served: Served) -> None:
    shown = {each.css_first("dt").text(): each.attributes for each in page(served, "/crawl").css(".facts > div")}
    assert all("hidden" in shown[name] for name in ("On topic", "Forms", "Rate", "Time left", "Memory"))
    assert all("hidden" not in shown[name] for name in ("Crawled for", "Free on the disk"))


def test_a_host_shows_its_rules_as_we_read_them(served: Served, collection: Path) -> None:
    with gossamer.open(collection) as web:
        host = next(each.host for each in web.hosts())
        details = web.host_details(host)
    assert any(rule for file in details.robots for rule in file.rules)
    view = page(served, f"/host?name={host}")
    rows = [tuple(cell.text() for cell in row.css("td")) for row in view.css("table tbody tr")]
    for file in details.robots:
        for rule in file.rules:
            assert rule in rows
        assert file.text.strip() in view.css_first("pre").text()
    assert any(kind.name in view.css_first("main").text() for kind in details.kinds)


def test_hosts_and_their_pages_lead_to_each_other(served: Served, collection: Path) -> None:
    with gossamer.open(collection) as web:
        host = next(each for each in web.hosts() if each.pages)
    for path in ("/hosts", f"/host?name={host.host}"):
        links = [str(each.attributes["href"]) for each in page(served, path).css("main a")]
        assert f"/?site={host.host}" in links
    hit = page(served, f"/?site={host.host}").css_first(".hit a[href^='/page']")
    about = page(served, str(hit.attributes["href"]))
    assert f"/host?name={host.host}" in [str(each.attributes["href"]) for each in about.css("aside a")]


@pytest.mark.parametrize("name", ["", "no.example", "%00", "..", "http://", "a b", "%ff", "[::1", "x" * 5_000])
def test_a_host_that_is_none_is_said(served: Served, name: str) -> None:
    came = served.get("/host?name=" + name.replace(" ", "%20"))
    assert came.status in (400, 404)
    assert b"<main" in came.body


def test_the_map_has_every_site_and_leads_to_its_pages(served: Served, collection: Path) -> None:
    with gossamer.open(collection) as web:
        drawn = web.site_map()
    assert {site.name for site in drawn.sites} == {"127.0.1.1", "127.0.1.2", "127.0.1.3"}
    assert drawn.links
    for colour in ("language", "type", "rank", "nonsense"):
        view = page(served, f"/map?colour={colour}")
        linked = {str(each.attributes["href"]) for each in view.css("svg a")}
        assert linked == {f"/?site={site.name}" for site in drawn.sites}
        assert len(view.css("svg.map line")) == len(drawn.links)


@pytest.mark.parametrize(("radius", "number", "wide"), [(60.0, 3, False), (4.0, 3, True), (60.0, 9, True)])
def test_a_map_that_a_phone_would_make_too_small_is_moved_instead(radius: float, number: int, wide: bool) -> None:
    """Names within large circles are large; those below small ones are written as on a desk."""
    sites = [MappedSite(f"a{each}.org", 2, "en", "html", 0.5, 150.0 * each, 0.0, radius) for each in range(number)]
    assert is_wide(_drawn(SiteMap(tuple(sites), (), 0), "type")[1]) is wide


def test_the_map_has_charts_of_answers_depth_and_sizes(served: Served, collection: Path) -> None:
    with gossamer.open(collection) as web:
        found = web.spread()
    view = page(served, "/map")
    charts = {each.css_first("h2").text(): each for each in view.css("section.panel")}
    assert {"Types", "Languages", "Answers", "Depth", "Sizes"} <= charts.keys()
    assert "Change" not in charts, "nothing was fetched twice"
    for name, counts in (("Answers", found.status), ("Depth", found.depth), ("Sizes", found.size)):
        drawn = charts[name].css_first("svg.bars")
        assert len(drawn.css("rect")) == len(counts)
        words = [text.text() for text in drawn.css("text")]
        assert words == [word for each, count in counts.items() for word in (each, f"{count:,}")]
        assert all(f"{each}: {count:,}" in str(drawn.attributes["aria-label"]) for each, count in counts.items())


def test_bars_stay_within_the_picture_and_names_in_them_are_no_markup() -> None:
    drawn = bars("<b>", {"<script>": 0, "a name that is far too long for any chart of this width": 5, "most": 10**9})
    assert "<script>" not in drawn
    assert "<b>" not in drawn
    for each in LexborHTMLParser(drawn).css("rect"):
        assert 0 < float(str(each.attributes["width"])) + float(str(each.attributes["x"])) <= WIDTH
    assert bars("Nothing", {})


def test_pages_of_a_site_are_counted_as_on_the_map(served: Served, collection: Path) -> None:
    with gossamer.open(collection) as web:
        for site in web.site_map().sites:
            assert web.search(f"site:{site.name}").total == site.pages


def test_a_curve_is_drawn_within_its_axes_and_can_be_read() -> None:
    drawn = chart("Pages", [0.0, 60.0, 120.0], [Curve("pages", [0, 5, 9])], number)
    assert isinstance(drawn, Markup)
    points = LexborHTMLParser(drawn).css_first("polyline").attributes["points"]
    heights = [float(point.split(",")[1]) for point in str(points).split()]
    assert heights == sorted(heights, reverse=True)
    assert "pages from 0 to 9" in drawn
    assert chart("Pages", [0.0], [Curve("pages", [1])], number) == ""


def test_a_time_in_which_nothing_ran_is_a_gap() -> None:
    began = datetime(2026, 11, 1, tzinfo=UTC)
    counts = dict.fromkeys(("pages", "failed", "queued", "excluded", "bytes", "known", "duplicates", "hosts"), 1)
    first = Sample(began, **counts, seconds=60.0, memory=1)
    ran = [replace(first, time=began + timedelta(seconds=60 * minute), seconds=60.0 * minute) for minute in (1, 2)]
    later = [replace(each, time=each.time + timedelta(days=1), seconds=each.seconds + 120) for each in ran]
    for (title, drawn), lines in zip(charts([*ran, *later]), (6, 2, 2, 2, 2, 2), strict=True):
        drawings = LexborHTMLParser(drawn).css("polyline")
        assert len(drawings) == lines, title
        assert all(len(str(each.attributes["points"]).split()) >= 2 for each in drawings)


def test_a_moment_between_two_gaps_is_a_dot_that_is_seen() -> None:
    drawn = LexborHTMLParser(chart("Pages", [0.0, 9e4], [Curve("pages", [5, 5])], number, {1}))
    assert [each.attributes["class"] for each in drawn.css("polyline")] == ["one alone"] * 2


def test_what_levels_are_called_has_room_and_the_end_is_now() -> None:
    now = time.time()
    drawn = LexborHTMLParser(chart("Memory", [now - 600, now + 20], [Curve("memory", [0, 900_000_000])], size))
    labels = [each for each in drawn.css("text") if each.attributes["text-anchor"] == "end" and "B" in each.text()]
    assert len(labels) == 5
    for each in labels:
        assert float(str(each.attributes["x"])) >= len(each.text()) * 6.5
    assert [each.text(deep=False) for each in drawn.css("text")][-2:] == ["10 minutes ago", "now"]


def test_a_curve_of_a_moment_does_not_begin_where_it_ends() -> None:
    now = time.time()
    drawn = LexborHTMLParser(chart("Pages", [now - 60, now], [Curve("pages", [0, 5])], number))
    assert [each.text(deep=False) for each in drawn.css("text")][-2:] == ["60 s earlier", "now"]


def test_coverage_is_drawn_as_it_is_told(served: Served, collection: Path) -> None:
    with gossamer.open(collection) as web:
        status, last = web.status(), web.series()[-1]
    assert last.coverage == status.pages / (status.pages + status.queued + status.failed)
    assert figures(Look(status, None, 1, 2))["coverage"] == f"{last.coverage:.1%}"
    titles = [title for title, _ in charts([last, last, last])]
    assert {"Coverage", "Pages a minute", "Bytes a minute"} <= set(titles)
    assert charts([last]) == []


def test_a_name_in_a_chart_is_no_markup() -> None:
    drawn = chart("<b>", [0.0, 1.0], [Curve("<script>", [0, 1])], number)
    assert "<script>" not in drawn
    assert "<b>" not in drawn


@pytest.mark.parametrize(
    ("value", "words"),
    [(0, "0 B"), (1, "1 B"), (999, "999 B"), (1_000, "1.0 kB"), (123_456, "123.5 kB"), (10**13, "10.0 TB")],
)
def test_sizes_have_units(value: int, words: str) -> None:
    assert size(value) == words


def test_times_are_written_for_people() -> None:
    assert [brief(value) for value in (0.0004, 0.34, 2.54, 120.0)] == ["under 1 ms", "340 ms", "2.5 s", "120 s"]
    assert [span(value) for value in (0, 59, 100, 3_700, 7_300, 900_000)] == [
        "0 s", "59 s", "2 min", "62 min", "2.0 h", "10 days",
    ]  # fmt: skip
    assert relative(1_000, now=1_000) == "just now"
    assert relative(1_000, now=1_130) == "2 minutes ago"
    assert relative(90_000, now=1_000) == "in 1 day"


def test_a_status_is_said_in_words_too() -> None:
    assert phrased("http 404") == "http 404 Not Found"
    assert phrased("http 599") == "http 599"
    assert phrased("http 4045") == "http 4045"
    assert phrased("no route to host") == "no route to host"


def test_why_there_is_no_answer_is_a_sentence_on_a_page() -> None:
    assert sentence("the query has no words; say what to look for") == "The query has no words; say what to look for."
    assert sentence("https://a.example/: not met") == "https://a.example/: not met."
    assert sentence("Is it?") == "Is it?"


def test_an_address_is_a_way_to_go() -> None:
    assert Markup(crumbs("https://a.example/x/y/z.html?q=1")).striptags() == "a.example › x › y › z.html?q=1"
    assert "…" in crumbs("https://a.example/1/2/3/4/5/6")
    assert "<" not in crumbs("https://a.example/<script>").replace("<span", "").replace("</span>", "")
