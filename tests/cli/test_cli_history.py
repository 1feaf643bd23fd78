"""`show --at`, `history` and `history --diff` on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import gossamer
from gossamer.cli.main import main
from gossamer.collection import Outside
from gossamer.testing import Changes, MadeWeb, VirtualClock, WebSpec
from harness.dated_site import SITE, DatedSite, page

SPEC = WebSpec(seed=3, pages=3, changes=Changes(pages=1.0, rate=(2.0, 2.0)))
Run = Callable[..., tuple[int, str, str]]


class Crawled:
    """Two rounds, a week apart."""

    def __init__(self, folder: Path) -> None:
        clock = VirtualClock()
        web = MadeWeb(SPEC, clock=clock)
        self.folder, self.url = folder, web.seed
        with gossamer.open(folder) as collection:
            clock.run(collection.crawl_async(web.seed, outside=Outside(clock, web.fetch)))
            clock.advance(7 * 86_400)
            clock.run(collection.crawl_async(revisit=True, outside=Outside(clock, web.fetch)))
            self.first, self.second = (each.fetched for each in collection.history(web.seed))
            self.texts = [collection.page(web.seed, at=moment).content for moment in (self.first, self.second)]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    return Crawled(tmp_path_factory.mktemp("history") / "web")


@pytest.fixture
def run(crawled: Crawled, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(verb: str, *options: str) -> tuple[int, str, str]:
        code = main([verb, str(crawled.folder), crawled.url, *options])
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


def test_a_page_is_shown_as_it_was_at_a_time_or_on_a_day(crawled: Crawled, run: Run) -> None:
    old, new = crawled.texts
    assert old != new
    later = crawled.first + timedelta(hours=1)
    day, local = crawled.first.astimezone().date(), later.astimezone().replace(tzinfo=None)
    for moment in (f"{day}", f"{later:%Y-%m-%dT%H:%M:%SZ}", later.isoformat(), f"{local:%Y-%m-%d %H:%M:%S}"):
        assert old in run("show", "--at", moment)[1]
    assert new in run("show", "--at", crawled.second.isoformat())[1]
    assert new in run("show", "--at", "9999-12-30")[1]


def test_a_time_before_the_first_version_is_answered_with_that_version(crawled: Crawled, run: Run) -> None:
    code, out, told = run("show", "--at", "1999-01-01")
    assert (code, out) == (8, "")
    assert f"{crawled.url}: was not in the collection yet at 1999-01-01 23:59:59; the first version is of 2" in told


@pytest.mark.parametrize("moment", ["tomorrow", "2026-13-01", "2026-11-01T25:00", "20", "", "2026-11", "9999-12-31"])
def test_what_is_no_time_is_refused_with_an_example(run: Run, moment: str) -> None:
    code, out, told = run("show", "--at", moment)
    assert (code, out) == (2, "")
    assert "not a time; write a day, as 2026-11-01 or yesterday, " in told


def test_the_history_has_a_line_for_each_version(crawled: Crawled, run: Run) -> None:
    code, out, _ = run("history")
    first, second = out.splitlines()
    assert code == 0
    assert first.split()[0] == "1"
    assert first.endswith("  first")
    assert " 200  " in second
    assert second.rpartition("  ")[2].startswith("changed by ")
    told = [json.loads(line) for line in run("history", "--json")[1].splitlines()]
    assert [each["change"] for each in told] == ["first", "changed"]
    assert [datetime.fromisoformat(each["fetched"]) for each in told] == [
        crawled.first.replace(microsecond=crawled.first.microsecond // 1_000 * 1_000),
        crawled.second.replace(microsecond=crawled.second.microsecond // 1_000 * 1_000),
    ]
    assert told[1]["words_added"]
    assert told[0]["digest"].startswith("sha256:")


def test_a_difference_is_readable_and_the_same_however_the_versions_are_named(crawled: Crawled, run: Run) -> None:
    last = run("history", "--diff")[1]
    assert last.splitlines()[0].startswith("--- version 1, ")
    assert last.splitlines()[1].startswith("+++ version 2, ")
    assert any(line[0] in "-+~" for line in last.splitlines()[2:])
    assert run("history", "--diff", "1", "2")[1] == last
    assert run("history", "--diff", crawled.first.astimezone(UTC).isoformat())[1] == last
    assert run("history", "--diff", "--full")[0] == 0
    back = run("history", "--diff", "2", "1")[1]
    assert back.splitlines()[0].startswith("--- version 2, ")
    told = json.loads(run("history", "--diff", "--json")[1])
    assert (told["old"]["number"], told["new"]["number"]) == (1, 2)
    assert {line["sign"] for line in told["lines"]} & {"-", "+", "~"}


def test_wrong_versions_are_refused_plainly(run: Run) -> None:
    assert run("history", "--diff", "1", "2", "3")[0] == 2
    assert run("history", "--full")[0] == 2
    code, _, told = run("history", "--diff", "7")
    assert (code, "no such version as 7; its versions are 1, 2" in told) == (8, True)
    code, _, told = run("history", "--diff", "1999-01-01")
    assert code == 8


def test_a_page_without_versions_says_that_it_was_never_met(
    crawled: Crawled, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["history", str(crawled.folder), "http://h0.example/nothing"]) == 8
    assert "no page in the collection; it was never met\n" in capsys.readouterr().err


def test_the_past_is_searched_at_a_time_or_in_all_versions(
    crawled: Crawled, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = ({*text.split()} for text in crawled.texts)
    gone = max((word for word in old - new if word.isalpha()), key=len)
    then, now = crawled.first + timedelta(hours=1), crawled.second + timedelta(hours=1)

    def found(*options: str) -> tuple[str, str]:
        assert main(["search", str(crawled.folder), gone, *options]) == 0
        return capsys.readouterr()

    assert f" {crawled.url}\n" in found("--at", then.isoformat()).out
    assert f"as of {then.astimezone():%Y-%m-%d %H:%M:%S}" in found("--at", then.isoformat()).out
    assert f" {crawled.url}\n" not in found("--at", now.isoformat()).out
    assert "no page from before" in found("--at", "2001-01-01").err
    assert "said since" in found("--all-versions").out
    told = json.loads(found("--all-versions", "--json").out)
    first = next(hit for hit in told["hits"] if hit["url"] == crawled.url)
    assert first["since"] < f"{then:%Y-%m-%dT%H:%M:%SZ}" < first["until"]
    assert json.loads(found("--at", then.isoformat(), "--json").out)["at"] == f"{then:%Y-%m-%dT%H:%M:%SZ}"
    assert "1 of 2 versions has all of these words" in run("history", "--search", gone)[1]
    assert [json.loads(each)["number"] for each in run("history", "--search", gone, "--json")[1].splitlines()] == [1]
    assert run("history", "--search", "nobodysaysthis")[1] == "no version has all of these words\n"
    assert run("history", "--search", gone, "--diff")[0] == 2
    for wrong in (["--at", "soon"], ["--all-versions", "--explain"], ["--all-versions", "--facets"]):
        assert main(["search", str(crawled.folder), gone, *wrong]) == 2
    with pytest.raises(SystemExit, match="2"):
        main(["search", str(crawled.folder), gone, "--all-versions", "--at", "2026-01-01"])


@pytest.fixture
def gone(tmp_path: Path) -> Path:
    """Of a page that changed and went, and of one that only went."""
    site = DatedSite({"/a": page("Alpha", "once an elephant was here"), "/b": page("Beta", "the walrus and others")})
    with gossamer.open(tmp_path / "web") as web:
        site.crawl(web)
        site.later(31)
        site.pages = {"/a": page("Alpha", "now a giraffe is here")}
        site.crawl(web)
        site.later(31)
        site.pages = {"/c": page("Gamma", "something else")}
        site.crawl(web)
    return tmp_path / "web"


def test_a_difference_tells_that_the_page_is_gone(gone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", str(gone), f"{SITE}/a", "--diff"]) == 0
    told = capsys.readouterr().out
    assert "gone since 2026-03-04" in told
    assert ": 404; this is what it said last" in told
    assert "giraffe" in told
    assert main(["history", str(gone), f"{SITE}/a", "--diff", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["gone"]["status"] == 404
    assert main(["history", str(gone), f"{SITE}/b", "--diff"]) == 8
    assert "has 1 version, and is gone since 2026-02-01" in capsys.readouterr().err


def test_a_difference_of_a_page_that_is_there_does_not(run: Run) -> None:
    assert "gone since" not in run("history", "--diff")[1]
    assert json.loads(run("history", "--diff", "--json")[1])["gone"] is None


def test_where_nothing_is_found_the_past_is_pointed_to(gone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["search", str(gone), "walrus"])
    command = f"`gossamer search {gone} walrus --all-versions` shows when"
    assert f"1 page said it before; {command}" in capsys.readouterr().err
    main(["search", str(gone), "walrus", "--at", "2026-03-20"])
    assert "1 page said it at another time" in capsys.readouterr().err
    for asked in (["zebra"], ["something"], ["walrus", "--all-versions"]):
        main(["search", str(gone), *asked])
        assert "said it" not in capsys.readouterr().err
