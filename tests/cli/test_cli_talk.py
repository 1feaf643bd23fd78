"""What a crawl says while it runs: on a pipe, in a log, and when nobody wants to hear it."""

from __future__ import annotations

import io
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from gossamer.cli import out
from gossamer.cli.main import main
from gossamer.cli.progress import ProgressLine
from gossamer.cli.talk import Talk, begun, journal
from gossamer.collection import Progress
from gossamer.errors import UsageError
from gossamer.shown import log
from gossamer.testing import MadeWeb, WebSpec

NOW = Progress(pages=1, failed=0, queued=5, out=1, waiting=2, bytes=10, seconds=1.0)


def talking(*looks: Progress, quiet: bool = False) -> list[tuple[str, str]]:
    noted: list[tuple[str, str]] = []
    talk = Talk(ProgressLine(io.StringIO()), lambda *event: noted.append(event), pipe=True, quiet=quiet)
    for each in looks:
        talk(each)
    return noted


def test_on_a_pipe_there_is_one_line_a_minute(capsys: pytest.CaptureFixture[str]) -> None:
    noted = talking(*(replace(NOW, seconds=float(second)) for second in range(0, 200, 5)))
    assert [event for event, _ in noted] == ["progress"] * 3
    assert len(capsys.readouterr().err.splitlines()) == 3


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"disk_wanted": 9, "disk_free": 1}, "disk"),
        ({"network_gone": True}, "reached"),
        ({"idle_seconds": 30.0}, "30 s"),
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


def test_who_wants_no_words_gets_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert talking(NOW, replace(NOW, network_gone=True), quiet=True)  # a log is told all the same
    assert capsys.readouterr() == ("", "")


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


def test_a_quiet_crawl_says_nothing_and_logs_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with MadeWeb(WebSpec(seed=1, hosts=1, pages=3, names="ip")).serve() as served:
        words = ["crawl", str(tmp_path / "web"), served.seed, "-q", "--log", str(tmp_path / "log"), "--shards", "1"]
        assert main([*words, "--delay", "0", "--allow-address", "127.0.0.0/8"]) == 0
    assert capsys.readouterr() == ("", "")
    events = [each.split(" ", 2)[1:] for each in (tmp_path / "log").read_text().splitlines()]
    assert (events[0][0], events[-1][0]) == ("begin", "end")
    assert events[-1][1].startswith("done: ")


def test_who_wants_no_colours_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert out.coloured()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not out.coloured()


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
