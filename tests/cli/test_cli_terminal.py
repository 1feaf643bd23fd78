"""Whatever a page, a server or a command line says, a terminal gets letters and our own colours, and nothing else."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest

import gossamer
from gossamer.cli import answers
from gossamer.cli.main import main
from gossamer.cli.options import parser
from gossamer.collection import Outside
from gossamer.frontier.why import AddressAnswer
from gossamer.model import Capture, Visit
from gossamer.testing import VirtualClock
from harness.reading_verbs import LASTING, WRITING, reading_verbs

EVIL = "\x1b]0;owned\x07\x9b31m\x7f\x85\u202e\u2066\u2028\u200f\udc80\U000e0041"
SEEN = EVIL.encode("utf-8", "replace").decode()
URL = "http://example.org/"
LINKED = f'<a href="/b?{SEEN}">page {SEEN}</a><a href="/c">page {SEEN} c</a>'
BODY = (
    f"<!DOCTYPE html><meta charset=utf-8><title>page {SEEN}</title><h1>{SEEN}</h1>"
    f"<p>{f'a page {SEEN} of words and more words ' * 20}</p>{LINKED}"
).encode()
OURS = re.compile("\x1b\\[(0|1|31|32)m")
HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class Terminal(io.TextIOWrapper):
    """Believes that somebody is looking."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), "utf-8")

    def isatty(self) -> bool:
        return True

    def read_back(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection whose pages attack whoever looks at them."""
    clock, place = VirtualClock(), tmp_path_factory.mktemp("hostile") / "web"

    async def fetch(visit: Visit) -> Capture:
        status = 404 if visit.url.endswith(("robots.txt", "/c")) else 200
        fields = (("content-type", "text/html"), ("x-evil", "\x1b[2J\x9b"))
        head = b"HTTP/1.1 %d \x1b[2J\r\nContent-Type: text/html\r\nX-Evil: \x1b[2J\x9b\r\n\r\n" % status
        return Capture(visit, clock.wall(), 0.1, status, fields, b"", head, BODY, BODY)

    with gossamer.open(place) as collection:
        clock.run(collection.crawl_async(URL, sitemaps="never", outside=Outside(clock, fetch)))
    return place


def ends_with(arguments: list[str]) -> int:
    try:
        return main(arguments)
    except SystemExit as end:
        return int(str(end.code))


def looked_at(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> tuple[int, str, str]:
    out, errors = Terminal(), Terminal()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", errors)
        code = ends_with(arguments)
    for told in (out.read_back(), errors.read_back()):
        assert not HARMFUL.search(OURS.sub("", told).replace("\r", "")), arguments
    return code, out.read_back(), errors.read_back()


def test_no_verb_writes_what_a_page_says_as_it_is(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for arguments in reading_verbs(folder, URL, tmp_path):
        code, told, errors = looked_at(arguments, monkeypatch)
        assert code == 0, (arguments, told, errors)
        if "export" not in arguments:
            code, told, _ = looked_at([*arguments, "--json"], monkeypatch)
            assert all(isinstance(json.loads(each), dict) for each in told.split("\n")[:-1])


def test_an_export_for_programs_is_not_written_to_a_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for form in ("warc", "wacz", "trec", "parquet"):
        assert looked_at(["export", str(folder), form, "-o", "-"], monkeypatch)[0] == 2
    for form in ("jsonl", "cdxj", "graph"):
        assert looked_at(["export", str(folder), form, "-o", "-"], monkeypatch)[0] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["why", "DIR", f"http://example.org/{EVIL}"],
        ["why", "DIR", EVIL],
        ["show", "DIR", f"http://{EVIL}/"],
        ["show", "DIR", URL, "--at", EVIL],
        ["search", "DIR", EVIL],
        ["status", f"/nowhere/{EVIL}"],
        ["status", "DIR", EVIL],
        ["export", "DIR", EVIL],
        ["remove", "DIR", EVIL, "--dry-run"],
        ["crawl", "DIR", f"http://{EVIL}/"],
        ["import", "DIR", f"/nowhere/{EVIL}"],
        ["convert", f"/nowhere/{EVIL}"],
    ],
)
def test_an_error_line_repeats_nothing_as_it_is(
    folder: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at([str(folder) if each == "DIR" else each for each in arguments], monkeypatch)


def test_every_verb_reads_or_writes(tmp_path: Path) -> None:
    """A new verb has to say which."""
    reading = {arguments[0] for arguments in reading_verbs(tmp_path, URL, tmp_path)}
    (verbs,) = (set(each.choices or ()) for each in parser()._actions if each.dest == "verb" or each.choices)
    assert verbs == reading | WRITING | LASTING | {"help", "completion"}  # the last two know no collection


def test_what_is_very_long_is_cut_where_people_read_it() -> None:
    target = "http://example.org/" + "x" * 60_000
    answer = AddressAnswer("http://example.org/", "done", f"redirect to {target}; look", None, target=target)
    said = answers.why(answer)
    assert len(said) < 2_000
    assert "leads to   http://example.org/xxx" in said
    assert "(60,019 characters, --json has all)" in said
    assert "; look" in said, "a cure stands at the end"
