"""What the command line says: errors alone, lines that fit, numbers that agree with what they count."""

from __future__ import annotations

import io
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from gossamer.cli import answers, found, progress
from gossamer.cli.main import main
from gossamer.cli.options import parser
from gossamer.collection import Imported, Progress
from gossamer.collection.links import Links
from gossamer.frontier.outcome import judge
from gossamer.model import Capture, Hit, Link, Visit
from gossamer.search.searcher import Answer
from gossamer.shown import counted
from gossamer.store.verify import Checked
from gossamer.urls.normalize import LONGEST

URL = "http://example.org/"
NOW = Progress(pages=12_345, bytes=10**9, queued=1_234_567, waiting=890, out=128, failed=4_321, seconds=100.0)


@pytest.mark.parametrize(
    ("words", "name", "many"),
    [
        ("crawl web --pages 5 a b", "seeds", ["a", "b"]),
        ("crawl web a --pages 5 b --json", "seeds", ["a", "b"]),
        ("crawl --pages 5 web a --delay 1 b", "seeds", ["a", "b"]),
        ("import web a --shards 1 b", "files", ["a", "b"]),
        ("import web --shards 1 a b", "files", ["a", "b"]),
        ("convert a --as text b", "inputs", ["a", "b"]),
    ],
)
def test_several_words_may_stand_on_both_sides_of_an_option(words: str, name: str, many: list[str]) -> None:
    options = parser().parse_args(words.split())
    assert getattr(options, name) == many
    assert getattr(options, "dir", "web") == "web"


def test_an_option_that_is_none_is_still_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ("crawl web --bogus 1 a", "status web more", "show web url --as text more"):
        with pytest.raises(SystemExit) as ended:
            main(words.split())
        assert ended.value.code == 2
        assert "unrecognized arguments: " in capsys.readouterr().err


def test_a_mistake_is_said_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["ftp://example.org/"], [URL, "--include", "("], [URL, "--workers", "-1"], []):
        assert main(["crawl", str(tmp_path / "web"), *words]) == 2
        said = capsys.readouterr().err.splitlines()
        assert len(said) == 1, said
        assert said[0].startswith("gossamer: ")


def test_a_hint_is_given_once_the_crawl_has_begun() -> None:
    out = io.StringIO()
    line = progress.ProgressLine(out, hint="hint: who?")
    assert out.getvalue() == ""
    line(NOW)
    line(NOW)
    assert out.getvalue() == "hint: who?\n"


@pytest.mark.parametrize("width", [1, 10, 20, 40, 60, 79, 80, 100, 132, 200])
def test_a_progress_line_fits_and_cuts_no_word(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(progress.shutil, "get_terminal_size", lambda fallback=(80, 24): os.terminal_size((width, 24)))
    out = Terminal()
    line = progress.ProgressLine(out)
    line(NOW)
    shown = out.getvalue().removeprefix("\r")
    assert len(shown) == width - 1
    whole = line.text(NOW).split("  ")
    parts = [part for part in shown.rstrip().split("  ") if part]
    assert all(part in whole for part in parts), shown
    assert width < 20 or parts[0] == "12,345 pages"
    assert width < 200 or parts == whole


def test_why_a_crawl_waits_is_kept_before_its_speed() -> None:
    line = progress.ProgressLine(io.StringIO())
    line(NOW)
    said = progress.fitted(line.parts(replace(NOW, idle_seconds=30.0)), 60)
    assert "waiting 30 s for retries" in said
    assert "MB/s" not in said


def test_one_is_one() -> None:
    said = [
        found.answer(Answer([Hit(URL, "title", "snippet", 1.0)], 1), 0),
        found.links(Links(URL, (Link(URL),), (URL,), ("x",), 1.0)),
        answers.imported(Imported(captures=1, files=1, of=1, known=1)),
        answers.verified(Checked(records=1, rows=1)),
        counted(1, "address"),
    ]
    assert not [each for each in said if re.search(r"\b1 (?!address\b|is\b|was\b)\w+s\b", each)], said
    assert counted(2, "address") == "2 addresses"


@pytest.mark.parametrize("location", ["/" + "a" * (LONGEST + 1), URL + "\xe4" * (LONGEST // 2)])
def test_a_redirect_to_an_overlong_address_says_so(location: str) -> None:
    capture = Capture(Visit(URL), 0.0, 0.1, 301, (("location", location),), b"", b"", b"", b"")
    reason = judge(capture, lambda _: True).reason
    assert "too long" in reason
    assert f"{LONGEST:,}" in reason
    bad = Capture(Visit(URL), 0.0, 0.1, 301, (("location", "javascript:x"),), b"", b"", b"", b"")
    assert "not a web address" in judge(bad, lambda _: True).reason
