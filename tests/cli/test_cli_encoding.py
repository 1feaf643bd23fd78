"""What a terminal cannot show is replaced, lines fit it, it is painted only if wanted, and no progress stays."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

import gossamer
from gossamer.cli import progress, search_output
from gossamer.cli.main import main
from gossamer.cli.out import BOLD
from gossamer.collection import Outside
from gossamer.model import Capture, Hit, Visit
from gossamer.testing import VirtualClock
from harness.reading_verbs import reading_verbs

URL = "http://example.org/"
TITLE = "page “Ünï\xa0çode” — 日本"
WORDS = "a page — of wörds “日本” " * 20
BODY = f"<!DOCTYPE html><meta charset=utf-8><title>{TITLE}</title><h1>é</h1><p>{WORDS}</p>".encode()


class Ascii(io.TextIOWrapper):
    """A terminal of before."""

    def __init__(self, terminal: bool = False) -> None:
        super().__init__(io.BytesIO(), "ascii")
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def read_back(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode("ascii")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    clock, place = VirtualClock(), tmp_path_factory.mktemp("encoding") / "web"

    async def fetch(visit: Visit) -> Capture:
        status = 404 if visit.url.endswith("robots.txt") else 200
        head = b"HTTP/1.1 %d OK\r\nContent-Type: text/html\r\nX-Odd: \xe9\r\n\r\n" % status
        return Capture(visit, clock.wall(), 0.1, status, (("content-type", "text/html"),), b"", head, BODY, BODY)

    with gossamer.open(place) as collection:
        clock.run(collection.crawl_async(URL, sitemaps="never", outside=Outside(clock, fetch)))
    return place


@pytest.mark.parametrize("terminal", [False, True])
def test_no_verb_fails_for_what_the_encoding_lacks(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    for arguments in reading_verbs(folder, URL, tmp_path):
        raw = "raw" in arguments and not terminal  # bytes, as they came
        for more in ([], ["--json"]) if "export" not in arguments else ([],):
            out = Ascii(terminal)
            with monkeypatch.context() as patch:
                patch.setattr(sys, "stdout", out)
                patch.setattr(sys, "stderr", Ascii(terminal))
                assert main([*arguments, *more]) == 0, arguments
            told = "" if raw and not more else out.read_back()
            if more:
                assert all(isinstance(json.loads(each), dict) for each in told.split("\n")[:-1])
            if arguments[0] == "show" and more:
                assert json.loads(told)["title"] == TITLE.replace("\xa0", " ")
            elif arguments[0] == "search":
                assert 'page "Uni code" - ??' in told or more


def hit() -> Hit:
    words = "one two three " * 20
    return Hit(URL, "title", words.strip(), 1.0, marks=((4, 7), (270, 274)))


@pytest.mark.parametrize(("setting", "painted"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_a_snippet_fits_the_terminal_and_is_painted_if_that_is_wanted(
    monkeypatch: pytest.MonkeyPatch, setting: dict[str, str], painted: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in setting.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("shutil.get_terminal_size", lambda *_, **__: os.terminal_size((60, 24)))
    monkeypatch.setattr(sys, "stdout", Ascii(terminal=True))
    lines = search_output._marked(hit()).replace("\x1b[1m", "").replace("\x1b[0m", "").split("\n     ")
    assert " ".join(lines) == hit().snippet
    assert max(map(len, lines)) <= 54
    assert (BOLD in search_output._marked(hit())) == painted


def test_signs_of_two_columns_and_endless_words_are_parted_where_the_line_ends() -> None:
    text = "日" * 25 + " " + "x" * 50
    parts = [text[start:end] for start, end in search_output.wrapped(text, 20)]
    assert parts == ["日" * 10, "日" * 10, "日" * 5, "x" * 20, "x" * 20, "x" * 10]


@pytest.mark.parametrize("line", [progress.ExportLine, progress.VerifyLine])
def test_nothing_of_a_progress_line_is_left_at_the_end(
    line: type[progress.ExportLine] | type[progress.VerifyLine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SAID_EVERY", 0.0)
    out = Ascii(terminal=True)
    said = line(out)
    said(1_000, 5_000)
    said.end()
    told = out.read_back()
    assert "1,000 of 5,000 pages" in told or "1.0 kB of 5.0 kB" in told
    assert told.endswith("\r")
    assert not told.split("\r")[-2].strip()


def test_a_check_says_how_much_of_all_it_has_read(folder: Path) -> None:
    said: list[tuple[int, int]] = []
    with gossamer.open(folder) as web:
        web.verify(report=lambda done, of: said.append((done, of)))
    assert said == sorted(said)
    assert said[-1][0] == said[-1][1] > 0
