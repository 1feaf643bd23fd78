"""What the command line says: errors alone, lines that fit, numbers that agree with what they count."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

import gossamer
from crawler_process import gossamer_command
from gossamer import plan as plans
from gossamer.cli import answers, progress, reports, search_output, top
from gossamer.cli.main import main
from gossamer.cli.options import parser
from gossamer.collection import Imported, Outside, Progress
from gossamer.collection.ask.links import Links
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.folder import Folder
from gossamer.collection.lock import exclusive
from gossamer.errors import UsageError
from gossamer.frontier.answer.outcome import judge
from gossamer.frontier.why import HostAnswer
from gossamer.model import Capture, Hit, Link, Visit
from gossamer.plan import Plan
from gossamer.printable import counted
from gossamer.search.answer import Answer
from gossamer.store.repair.verify import Checked
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock
from gossamer.urls.normalize import LONGEST

SOURCE = Path(gossamer.__file__).parent
URL = "http://example.org/"
HOST = HostAnswer("example.org", 1, 1, 1, "idle", "", None, 1.0, "", 1, 0, 0, "", 1, 0, {}, {}, [])
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


def test_only_the_option_that_is_none_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["crawl", "web", "--max-pages", "3", URL])
    assert capsys.readouterr().err.endswith("unrecognized arguments: --max-pages; did you mean --pages?\n")


@pytest.mark.parametrize(("form", "cure"), [("csv", "take jsonl or parquet"), ("markdwn", "did you mean markdown?")])
def test_a_format_that_is_none_is_answered_with_those_there_are(
    form: str, cure: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["export", "web", form])
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert f"'{form}' is no format of export: there are jsonl, warc" in said
    assert cure in said


def test_the_help_of_export_says_what_parquet_needs(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["export", "--help"])
    assert "pip install '.[parquet]'" in " ".join(capsys.readouterr().out.split())


def test_a_mistake_is_said_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["gopher://example.org/"], [URL, "--include", "("], [URL, "--workers", "-1"], []):
        assert main(["crawl", str(tmp_path / "web"), *words]) == 2
        said = capsys.readouterr().err.splitlines()
        assert len(said) == 1, said
        assert said[0].startswith("gossamer: ")


def test_a_hint_is_given_once_a_page_has_come() -> None:
    out = io.StringIO()
    line = progress.ProgressLine("web", out, hint="hint: who?")
    line(replace(NOW, pages=0))
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
    line = progress.ProgressLine("web", out)
    line(NOW)
    shown = out.getvalue().removeprefix("\r")
    assert len(shown) == width - 1
    whole = line.text(NOW).split("  ")
    parts = [part for part in shown.rstrip().split("  ") if part]
    assert all(part in whole for part in parts), shown
    assert width < 20 or parts[0] == "12,345 pages"
    assert width < 200 or parts == whole


def test_why_a_crawl_waits_is_kept_before_its_speed() -> None:
    line = progress.ProgressLine("web", io.StringIO())
    line(NOW)
    said = progress.fitted(line.parts(replace(NOW, idle_seconds=30.0, waits=True)), 60)
    assert "waiting 30 s for retries" in said
    assert "MB/s" not in said


def test_one_is_one() -> None:
    said = [
        search_output.answer("words", Answer([Hit(URL, "title", "snippet", 1.0)], 1), {}, 0, "web"),
        search_output.links(Links(URL, (Link(URL),), (URL,), ("x",), 1.0)),
        answers.imported(Imported(captures=1, files=1, of=1, known=1)),
        answers.verified(Checked(records=1, rows=1)),
        counted(1, "address"),
        reports._host(HOST),
        *top._hosts("hosts", [HOST], is_running=True),
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


def crawled(place: Path, *, pages: int) -> Path:
    clock = VirtualClock()

    async def fetch(visit: Visit) -> Capture:
        status = 404 if visit.url.endswith("robots.txt") else 200
        links = "".join(f"<a href=/{letter}>page</a>" for letter in "abcd")
        own = " ".join(f"{visit.url[-1]}{number}" for number in range(40))
        body = f"<title>page</title><p>words {own}{links}".encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
        return Capture(visit, clock.wall(), 0.1, status, (("content-type", "text/html"),), b"GET", head, body, body)

    with gossamer.open(place) as collection:
        outside = Outside(clock, fetch)
        clock.run(collection.crawl_async(URL, pages=pages, sitemaps="never", outside=outside))
    return place


def test_a_search_says_how_many_pages_are_not_in_the_index_yet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    web = crawled(tmp_path / "my web", pages=1)
    index = web / "shards" / "00" / "index"
    shutil.copytree(index, tmp_path / "index")
    crawled(web, pages=5)
    shutil.rmtree(index)
    shutil.copytree(tmp_path / "index", index)  # as a disk that was full has left it
    assert main(["search", str(web), "words"]) == 0
    said = capsys.readouterr().err
    assert said == f"gossamer: 4 pages are not in the index yet; `gossamer build '{web}'` adds them\n"
    assert main(["build", str(web)]) == 0
    assert main(["search", str(web), "words"]) == 0
    assert capsys.readouterr().err == ""
    shutil.rmtree(index)
    assert main(["search", str(web), "words"]) == 8
    assert "has no index; `gossamer build " in capsys.readouterr().err


@pytest.mark.parametrize("question", ["words", "xyzzy"])
def test_a_search_during_a_crawl_says_what_is_not_found_yet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], question: str
) -> None:
    web = crawled(tmp_path / "web", pages=1)
    shutil.copytree(web / "shards" / "00" / "index", tmp_path / "index")
    crawled(web, pages=5)
    shutil.rmtree(web / "shards" / "00" / "index")
    shutil.copytree(tmp_path / "index", web / "shards" / "00" / "index")
    with exclusive(web):  # as a crawl has it
        assert main(["search", str(web), question]) == 0
        said = capsys.readouterr().err
        assert said.startswith("gossamer: 4 pages are not in the index yet; the command that is running")
        assert "gossamer build" not in said  # which would be refused now
        assert main(["search", str(web), question, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["not_indexed"] == 4
        shutil.rmtree(web / "shards" / "00" / "index")
        assert main(["search", str(web), question]) == 8
        assert "ask again" in capsys.readouterr().err


def test_the_first_moment_of_a_crawl_is_no_damage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    web = tmp_path / "web"
    for shard in ("00", "01"):
        (web / "shards" / shard).mkdir(parents=True)
    Table.open(Folder(web).table(0), FAMILIES, writable=True).close()
    (web / "plan.toml").write_text(plans.dump(Plan(shards=2)))
    with exclusive(web):
        assert main(["status", str(web)]) == 8
    assert "ask again" in capsys.readouterr().err


def test_commands_in_messages_can_be_pasted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    web = crawled(tmp_path / "web", pages=2)
    [captures] = (web / "shards" / "00" / "captures").iterdir()
    captures.write_bytes(captures.read_bytes()[:-40] + b"x" * 40)
    for words in (["verify", str(web)], ["verify", str(web), "--repair"], ["status", str(web)]):
        main(words)
        said = "".join(capsys.readouterr())
        assert " DIR" not in said
        assert "verify --repair" not in said
    captures = next((web / "shards" / "00" / "captures").iterdir())
    captures.unlink()
    assert main(["show", str(web), URL, "--as", "raw"]) in (7, 8)
    assert main(["export", str(web), "jsonl"]) == 7
    assert f"`gossamer verify {web} --repair`" in capsys.readouterr().err


def test_every_message_that_names_a_command_names_its_directory() -> None:
    bare = re.compile(r"`gossamer (verify|build|show|search|similar|crawl|links|rank|why)( --[a-z-]+)*`")
    others = (path for path in SOURCE.rglob("*.py") if path.name != "settings.py" and path.parent.name != "options")
    # to read all of Python takes seconds, and most modules name no command
    named = (path for path in others if "`gossamer" in path.read_text())
    assert not [(path.name, node.value) for path in named for node in strings(path) if bare.search(node.value)]


def strings(path: Path) -> list[ast.Constant]:
    """All strings of a module that are no docstrings."""
    tree = ast.parse(path.read_text())
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    every = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [node for node in every if id(node) not in alone]


def test_an_archive_without_gz_in_its_name_is_said_to_be_packed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    web = crawled(tmp_path / "web", pages=1)
    for name, packed in (("a.warc", True), ("a.warc.gz", False)):
        assert main(["export", str(web), "warc", "-o", str(tmp_path / name)]) == 0
        assert ("packed with gzip" in capsys.readouterr().out) == packed
        assert (tmp_path / name).read_bytes()[:2] == b"\x1f\x8b"


def test_an_archive_in_one_file_may_go_through_a_pipe(tmp_path: Path) -> None:
    web = crawled(tmp_path / "web", pages=2)
    piped = subprocess.run(gossamer_command("export", str(web), "wacz"), capture_output=True, check=True)
    assert piped.stderr == b""
    with ZipFile(io.BytesIO(piped.stdout)) as file:
        assert file.testzip() is None
        assert "datapackage.json" in file.namelist()


@pytest.mark.parametrize("option", ["-n-3", "--offset=-1", "-n0", "-n" + "1" * 30])
def test_a_number_of_hits_is_not_below_0(capsys: pytest.CaptureFixture[str], option: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        parser().parse_args(["search", "web", "word", option])
    assert f"is not a number from {0 if 'offset' in option else 1} on" in capsys.readouterr().err


def test_from_python_neither(tmp_path: Path) -> None:
    with gossamer.open(crawled(tmp_path, pages=1)) as web:
        for number, offset in ((-3, 0), (3, -1)):
            with pytest.raises(UsageError, match="can be below 0"):
                web.search("word", number, offset)


@pytest.mark.parametrize("name", ["", "n" * 300, "web/new.jsonl", "web/graph/000009", "dangling"])
def test_an_export_goes_to_a_new_file_outside_of_the_collection(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    web = crawled(tmp_path / "web", pages=1)
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    before = sorted(web.rglob("*"))
    output = str(tmp_path / name) if name else ""
    assert main(["export", str(web), "jsonl", "-o", output]) == (6 if len(name) > 255 else 2)
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert sorted(web.rglob("*")) == before
    assert (tmp_path / "dangling").is_symlink()


def test_output_that_the_shell_has_closed_is_told_as_a_full_disk_is(tmp_path: Path) -> None:
    web = crawled(tmp_path, pages=1)
    lost = "gossamer: standard output is closed, and what was to be written there is lost"
    for words, closed, code, said in (
        (["status"], ">&-", 6, lost),
        (["export", "jsonl"], ">&-", 6, lost),
        (["list", "--json"], "1</dev/null", 6, lost),
        (["export", "cdxj"], "<&- >&- 2>&-", 6, ""),
        (["status"], "2>&-", 0, ""),
    ):
        shell = f"{shlex.join(gossamer_command(words[0], str(web), *words[1:]))} {closed}"
        done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stderr.partition(";")[0]) == (code, said), words
