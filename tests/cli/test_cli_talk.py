"""What a crawl says while it runs: on a pipe, in a log, and when nobody wants to hear it."""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import re
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gossamer.cli import crawling, interrupts, terminal
from gossamer.cli.alerts import Heard
from gossamer.cli.main import main
from gossamer.cli.progress import ExportLine, ProgressLine
from gossamer.cli.talk import Talk, begun, ending, fetch, journal
from gossamer.collection import Outside, Progress
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.news import passing_warnings, repeat
from gossamer.collection.crawl.session import Session
from gossamer.collection.progress import Fetched
from gossamer.errors import INTERRUPTED, UsageError
from gossamer.model import Capture, Visit
from gossamer.plan import Plan
from gossamer.printable import log, span
from gossamer.store.table.table import Table
from gossamer.testing import MadeWeb, VirtualClock, WebSpec

NOW = Progress(pages=1, failed=0, queued=5, out=1, waiting=2, bytes=10, seconds=1.0)


def talking(*looks: Progress, quiet: bool = False) -> list[tuple[str, str]]:
    noted: list[tuple[str, str]] = []
    talk = Talk(ProgressLine("web", io.StringIO()), lambda *event: noted.append(event), pipe=True, quiet=quiet)
    for each in looks:
        talk(each)
    return noted


def test_on_a_pipe_there_is_a_line_soon_and_then_one_a_minute(capsys: pytest.CaptureFixture[str]) -> None:
    noted = talking(*(replace(NOW, seconds=float(second)) for second in range(0, 200, 5)))
    assert [event for event, _ in noted] == ["progress"] * 4
    assert len(capsys.readouterr().err.splitlines()) == 4
    assert len(talking(*(replace(NOW, seconds=float(second)) for second in range(30)))) == 1


def test_other_work_says_a_line_a_minute_on_a_pipe_too(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("gossamer.cli.progress.time.monotonic", lambda: now)
    out = io.StringIO()
    export = ExportLine(out)
    crawl = ProgressLine("web", out)  # which `Talk` speaks for
    for now in (105.0, 159.0, 161.0, 200.0, 222.0):
        export(int(now), 300)
        crawl(replace(NOW, seconds=now))
    export.end()
    assert [each.split("  ")[0] for each in out.getvalue().splitlines()] == [
        "gossamer: 161 of 300 pages",
        "gossamer: 222 of 300 pages",
    ]


def test_a_request_that_no_page_led_to_says_what_it_is_for() -> None:
    said = fetch(Fetched("http://a/7f3", "probe", "GET", 404, 0, 0.0, 1.5, ""))
    assert said.endswith("(asks for what cannot be there, to see how the site answers that)")


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"disk_wanted": 9, "disk_free": 1}, "disk"),
        ({"network_gone": True}, "reached"),
        ({"idle_seconds": 30.0, "waits": True}, "30 s"),
    ],
)
def test_why_it_waits_is_said_at_once_and_once(
    change: dict[str, float], word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    held = replace(NOW, **change)  # type: ignore[arg-type]  # each is of its field's type
    noted = talking(NOW, held, held, NOW)
    assert [event for event, _ in noted] == ["waits", "goes-on"]
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2
    assert word in said[0]


def test_a_crawl_that_ends_because_the_next_try_is_far_away_does_not_say_that_it_waits() -> None:
    assert talking(NOW, replace(NOW, idle_seconds=8_376.0)) == []


def test_who_wants_no_words_gets_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert talking(NOW, replace(NOW, network_gone=True), quiet=True)  # a log is told all the same
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("quiet", [False, True])
def test_who_wants_no_words_is_not_told_that_the_end_was_heard(capsys: pytest.CaptureFixture[str], quiet: bool) -> None:
    async def ended() -> bool:
        with interrupts.listening(quiet=quiet) as stopping:
            signal.raise_signal(signal.SIGINT)
            await asyncio.wait_for(stopping.stop.wait(), 5)
        return stopping.asked

    assert asyncio.run(ended())
    assert ("finishing what is in flight" in capsys.readouterr().err) is not quiet


def test_who_is_paused_may_paste_what_goes_on() -> None:
    (event,) = talking(NOW, replace(NOW, paused=True))
    assert event == ("waits", "paused by somebody; `gossamer resume web` goes on")
    assert "(`gossamer resume web` goes on)" in ProgressLine("web", io.StringIO()).text(replace(NOW, paused=True))


def test_a_log_has_a_time_an_event_and_harmless_words_on_each_line(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for _ in range(2):
        with journal(str(path), str(tmp_path / "web")) as note:
            note("begin", "a\x1b[31m\nb")
            log.warning("shard %d", 1)
    lines = path.read_text().splitlines()
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ [a-z-]+ [ -~]*", each) for each in lines)
    assert [each.split(" ", 2)[1] for each in lines] == ["begin", "warning"] * 2


def test_a_full_disk_costs_lines_of_the_log_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    with journal("/dev/full", "web") as note:
        note("begin", "a")
        note("end", "b")
    assert capsys.readouterr().err.count("cannot be written") == 1


def test_a_log_lies_outside_of_the_collection(tmp_path: Path) -> None:
    for path in (tmp_path / "web" / "log", tmp_path / "nowhere" / "log"):
        with pytest.raises(UsageError), journal(str(path), str(tmp_path / "web")):
            pass


def test_a_log_is_a_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="-v prints a line for each fetch"), journal("-", str(tmp_path)):
        pass


def test_a_quiet_crawl_says_nothing_and_logs_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with MadeWeb(WebSpec(seed=1, hosts=1, pages=3, names="ip")).serve() as served:
        words = ["crawl", str(tmp_path / "web"), served.seed, "-q", "--log", str(tmp_path / "log"), "--shards", "1"]
        assert main([*words, "--delay", "0", "--allow-address", "127.0.0.0/8"]) == 0
    assert capsys.readouterr() == ("", "")
    events = [each.split(" ", 2)[1:] for each in (tmp_path / "log").read_text().splitlines()]
    assert (events[0][0], events[-1][0]) == ("begin", "end")
    assert events[-1][1].startswith("done: ")
    fetches = [words.split() for event, words in events if event == "fetch"]
    assert {fetch[-1] for fetch in fetches} >= {served.seed, f"{served.seed}robots.txt"}
    assert [fetch[1] for fetch in fetches].count("page") == 3


def test_a_verbose_crawl_says_a_line_for_each_fetch_of_all_shards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    with MadeWeb(WebSpec(seed=1, hosts=3, pages=8, names="ip")).serve() as served:
        for shards in ("1", "2"):
            words = ["crawl", str(tmp_path / shards), served.seed, "-v", "--log", str(tmp_path / f"{shards}.log")]
            words += ["--shards", shards, "--scope", "any", "--delay", "0", "--allow-address", "127.0.0.0/8"]
            assert main(words) == 0
            told = [each.split() for each in capsys.readouterr().err.splitlines()]
            said.append({(each[1], each[2], each[-1]) for each in told if each[0][2:3] == ":"})
            logged = [each.split(" ", 2) for each in (tmp_path / f"{shards}.log").read_text().splitlines()]
            assert {each[2].split()[-1] for each in logged if each[1] == "fetch"} == {url for *_, url in said[-1]}
    assert said[0] == said[1]
    assert ("200", "page", served.seed) in said[0]
    assert len([1 for status, kind, _ in said[0] if (status, kind) == ("200", "page")]) == 24


def test_what_is_ended_at_once_says_what_it_has_done_all_the_same(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    talk = Talk(ProgressLine("web", io.StringIO()), lambda *event: None, pipe=False, quiet=False)
    assert talk.so_far() == ""
    talk(replace(NOW, pages=1234, bytes=2_000_000, seconds=61.0))
    ended: list[int] = []
    monkeypatch.setattr(interrupts, "end_descendants", lambda: None)
    monkeypatch.setattr("os._exit", ended.append)
    interrupts._end_at_once(talk.so_far)
    done, words = capfd.readouterr().err.strip().splitlines()
    assert done == f"stopped: 1,234 pages, 0 failed, 2.0 MB, in {span(61.0)}"
    assert "took too long" in words
    interrupts._end_at_once(lambda: "")
    assert capfd.readouterr().err.strip() == words
    assert ended == [INTERRUPTED] * 2
    quiet = Talk(ProgressLine("web", io.StringIO()), lambda *event: None, pipe=False, quiet=True)
    quiet(NOW)
    assert quiet.so_far() == ""


@pytest.mark.parametrize("has_begun", [True, False])
def test_a_crawl_whose_last_fetches_are_dropped_is_counted_as_any_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *, has_begun: bool
) -> None:
    """Once there is something to count."""
    monkeypatch.setattr(crawling, "settings", lambda options: {})

    class Slow:
        async def crawl_async(self, report: Callable[[Progress], None], stop: asyncio.Event, **asked: object) -> None:
            if has_begun:
                report(NOW)
            for _ in range(2):
                signal.raise_signal(signal.SIGINT)
            await stop.wait()
            await asyncio.sleep(60)

        def status(self) -> str:
            return "as it is now"

    options = argparse.Namespace(
        dir="web",
        serve=None,
        quiet=False,
        verbose=False,
        log=None,
        verb="crawl",
        seeds=[],
        revisit=False,
        credentials=None,
        seed_list=(),
        keep_fresh=False,
        heard=Heard(),
    )
    crawl = crawling._crawl(Slow(), options, False, crawling.Talking("", lambda *event: None))  # type: ignore[arg-type]
    if has_begun:
        assert [*asyncio.run(crawl)] == ["as it is now", True, False]
    else:
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(crawl)


def test_who_stops_a_watch_of_many_pages_is_told_who_counts_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawling, "changed", lambda collection: "1 new")
    options = argparse.Namespace(dir="my web")
    assert crawling._news(None, options, hurried=False) == "1 new"  # type: ignore[arg-type]
    assert "`gossamer changes 'my web'`" in crawling._news(None, options, hurried=True)  # type: ignore[arg-type]


def test_a_fetch_has_its_reason_and_harms_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    out, noted = io.StringIO(), list[tuple[str, str]]()
    talk = Talk(ProgressLine("web", out), lambda *event: noted.append(event), pipe=True, quiet=False, verbose=True)
    talk.fetched(Fetched("http://a/\x1b[31m", "page", "HEAD", 0, 0, 0.0, 1.5, "timeout: after\n1 s"))
    assert re.fullmatch(r"\d\d:\d\d:\d\d -   page HEAD 0 B 1\.50 s [ -~]*\n", out.getvalue())
    assert "timeout: after\\n1 s" in out.getvalue()
    assert noted[0][0] == "fetch"


def test_a_fetch_that_nobody_wants_to_hear_of_is_the_fetch_itself(tmp_path: Path) -> None:
    async def fetch(visit: Visit) -> Capture:
        return Capture(visit, 0.0, 0.1)

    for told in (None, [].append):
        with Table.open(tmp_path / str(told is None), FAMILIES, writable=True) as table:
            session = Session(tmp_path, Plan(), table, Outside(VirtualClock(), fetch, told=told))
            assert (session._fetch is fetch) is (told is None)
            session.close()


def test_what_a_shard_warns_of_is_logged_by_whoever_is_in_charge(tmp_path: Path) -> None:
    sent: list[bytes] = []

    async def shard() -> None:
        with passing_warnings(sent.append):
            log.warning("a page of %s", "mine")
            await asyncio.to_thread(log.error, "of another thread")
            await asyncio.sleep(0)

    asyncio.run(shard())
    with journal(str(tmp_path / "log"), str(tmp_path / "web")):
        for each in sent:
            repeat(each)
    words = [each.split(" ", 1)[1] for each in (tmp_path / "log").read_text().splitlines()]
    assert words == ["warning a page of mine", "warning of another thread"]


def test_a_crawl_that_fails_or_is_broken_off_leaves_an_end_in_its_log(tmp_path: Path) -> None:
    path = tmp_path / "log"
    words = ["crawl", str(tmp_path / "web"), "http://127.0.0.1:9/", "--log", str(path), "--shards", "1", "-q"]
    assert main([*words, "--patience", "0"]) == 5
    assert path.read_text().splitlines()[-1].split(" ", 2)[1:][0] == "end"
    assert "failed: " in path.read_text().splitlines()[-1]
    noted: list[tuple[str, str]] = []
    with pytest.raises(asyncio.CancelledError), ending(lambda *event: noted.append(event)):
        raise asyncio.CancelledError
    assert noted == [("end", "stopped")]


def test_who_wants_no_colours_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert terminal.is_coloured()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not terminal.is_coloured()


def test_a_fifo_that_nobody_reads_holds_up_no_crawl(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fifo = tmp_path / "log"
    os.mkfifo(fifo)
    with pytest.raises(UsageError, match="nobody reads"), journal(str(fifo), "web"):
        pass
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with journal(str(fifo), "web") as note:
        for _ in range(100):
            note("progress", "x" * 4_000)
    os.close(reader)
    assert capsys.readouterr().err.count("cannot be written") == 1


@pytest.mark.parametrize("seed", ["http://bob:SECRET@a.test/", "bob:SECRET@a.test/", "https://SECRET@a.test/?b@c"])
def test_a_log_has_no_password_of_an_address(seed: str) -> None:
    said = begun("web", ["http://b.test/@c", seed])
    assert "SECRET" not in said
    assert said.startswith("web http://b.test/@c ")
    assert "a.test/" in said


def test_a_thousand_seeds_are_a_short_line_in_the_log() -> None:
    seeds = [f"https://me:hush@a.test/{number}" for number in range(990)]
    words = begun("web", seeds)
    assert words.startswith("web https://a.test/0 ")
    assert words.endswith("https://a.test/4 and 985 seeds more")
    assert begun("web", seeds[:2]) == "web https://a.test/0 https://a.test/1"
