"""A fault of ours is no verdict on a page or a host: what could not be read or fetched is tried again."""

from __future__ import annotations

import errno
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gossamer
from crawler_process import crawl_arguments, gossamer_command
from gossamer import convert
from gossamer.collection import Collection, Outside
from gossamer.engine.sandbox import Blame, Ended, Sandbox
from gossamer.errors import StorageError
from gossamer.fetch import curl
from gossamer.model import Capture, Visit
from gossamer.store import unread
from gossamer.testing import MadeWeb, VirtualClock, WebSpec

HOME, ODD, BEHIND, FILE = (f"http://a.example/{name}" for name in ("", "odd", "behind", "file"))
PAGES = {
    HOME: f'<title>Home</title><p>Here begins a small site.<a href="{ODD}">odd</a> <a href="{FILE}">file</a>',
    ODD: f'<title>Odd</title><p>A page that a reader of ours cannot read.<a href="{BEHIND}">behind</a>',
    BEHIND: "<title>Behind</title><p>Only the odd page leads here.",
    FILE: r"{\rtf1\ansi A letter about harbours.}",
}


async def fetch(visit: Visit) -> Capture:
    body = PAGES.get(visit.url, "").encode()
    media_type = "application/rtf" if visit.url == FILE else "text/html"
    head = f"HTTP/1.1 {200 if body else 404} OK\r\nContent-Type: {media_type}\r\n\r\n".encode()
    fields = (("content-type", media_type),)
    return Capture(visit, VirtualClock().wall(), 0.1, 200 if body else 404, fields, b"GET /", head, body, body)


@pytest.fixture
def collection(tmp_path: Path) -> Any:
    with gossamer.open(tmp_path / "web") as made:
        yield made


def crawl(collection: Collection, **settings: Any) -> None:
    clock = VirtualClock()
    seeds = () if (collection.path / "plan.toml").exists() else (HOME,)
    clock.run(collection.crawl_async(*seeds, outside=Outside(clock, fetch), **settings))


def contents(collection: Collection) -> dict[str, Any]:
    assert collection.verify().problems == []
    return {page.url: (page.title, page.text, [link.url for link in page.links]) for page in collection.pages()}


@pytest.fixture
def truth(tmp_path: Path) -> dict[str, Any]:
    with gossamer.open(tmp_path / "calm") as calm:
        crawl(calm)
        return contents(calm)


def breaking(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    begin = convert.begin

    def broken(capture: Capture, *told: Any, **named: Any) -> Any:
        if capture.visit.url == ODD:
            raise error
        return begin(capture, *told, **named)

    monkeypatch.setattr(convert, "begin", broken)


def test_a_page_that_a_mistake_kept_unread_is_listed_and_read_by_the_next_build(
    collection: Collection, truth: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        breaking(patch, ZeroDivisionError("a bug"))
        crawl(collection)
        assert [url for url, _ in collection.unread()] == [ODD]
        assert collection.status().unread == 1
        checked = collection.verify()
        assert checked.problems == []
        assert ODD in checked.unread[0]
        assert "a bug" in collection.why(ODD).reason
        shown = {page.url: page.page for page in collection.pages()}[ODD]  # and it breaks nobody who asks
        assert ("a bug" in shown.problem, shown.text) == (True, "")
    built = collection.build()
    assert (built.texts, built.unread) == (1, 0)
    assert list(collection.unread()) == []
    assert [hit.url for hit in collection.search("reader of ours").hits] == [ODD]
    crawl(collection)
    assert contents(collection) == truth
    assert collection.why(ODD).reason == ""


def test_a_build_that_makes_the_same_mistake_says_so_and_asks_for_it_again(
    collection: Collection, truth: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        breaking(patch, ZeroDivisionError("a bug"))
        crawl(collection)
        patch.setattr(convert, "read", lambda *told, **named: 1 // 0)
        assert collection.build().unread == 1
        assert [url for url, _ in collection.unread()] == [ODD]
    assert collection.build().unread == 0


@pytest.mark.parametrize("build", [True, False])
def test_the_next_version_of_the_reader_reads_what_this_one_could_not(
    collection: Collection, truth: dict[str, Any], monkeypatch: pytest.MonkeyPatch, build: bool
) -> None:
    with monkeypatch.context() as patch:
        breaking(patch, ZeroDivisionError("a bug"))
        crawl(collection, build=build)
        crawl(collection)
    crawl(collection)
    assert [url for url, _ in collection.unread()] == [ODD]
    monkeypatch.setattr(unread, "VERSION", "99.0")
    crawl(collection)
    assert list(collection.unread()) == []
    assert contents(collection) == truth


def test_texts_that_are_made_anew_keep_what_a_page_said_when_it_cannot_be_read_today(
    collection: Collection, truth: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl(collection)
    with monkeypatch.context() as patch:
        patch.setattr(convert, "read", lambda *told, **named: 1 // 0)
        collection.build(convert=True)
    assert contents(collection) == truth


@pytest.mark.parametrize("lack", [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EIO])
def test_what_this_machine_lacks_ends_the_crawl_and_costs_no_page(
    collection: Collection, truth: dict[str, Any], monkeypatch: pytest.MonkeyPatch, lack: int
) -> None:
    with monkeypatch.context() as patch:
        breaking(patch, OSError(lack, "no"))
        with pytest.raises(StorageError, match="go on"):
            crawl(collection)
    crawl(collection)
    assert contents(collection) == truth
    assert list(collection.unread()) == []


def test_a_file_whose_reader_is_killed_from_outside_is_read_by_the_next_crawl(
    collection: Collection, truth: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def killed(cell: Sandbox, data: bytes, body: bytes) -> Ended:
        return Ended(problem="breaks the process that reads it, which was killed by SIGKILL", blame=Blame.OUTSIDE)

    with monkeypatch.context() as patch:
        patch.setattr(Sandbox, "run", killed)
        crawl(collection)
        assert [url for url, _ in collection.unread()] == [FILE]
    crawl(collection)
    assert list(collection.unread()) == []
    assert contents(collection) == truth


def test_a_lack_of_files_is_not_blamed_on_a_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_socket(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    settings = {"allow_addresses": ("127.0.0.0/8",), "delay": 0.0, "ip_delay": 0.0, "patience": 0.0, "shards": 1}
    with MadeWeb(WebSpec(hosts=1, pages=2, names="ip")).serve() as web, gossamer.open(tmp_path / "web") as collection:
        with monkeypatch.context() as patch:
            patch.setattr(curl, "_Socket", no_socket)
            with pytest.raises(StorageError, match="ulimit -n"):
                collection.crawl(web.seed, **settings)
        assert collection.why(keys_host(web.seed)).faults == 0
        assert collection.crawl().pages == 2


def test_a_lack_of_files_is_not_blamed_on_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_channel(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("gossamer.fetch.ares.pycares.Channel", no_channel)
    with gossamer.open(tmp_path / "web") as collection, pytest.raises(StorageError, match="ulimit -n"):
        collection.crawl("http://site.test/", shards=1, patience=0.0)


def keys_host(url: str) -> str:
    return url.split("/")[2].partition(":")[0]


def limited(limit: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = f"ulimit {limit}; exec {shlex.join(gossamer_command(*words))}"
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)


def test_a_limit_of_open_files_that_is_too_low_is_said_in_one_line(tmp_path: Path) -> None:
    done = limited("-n 64", *crawl_arguments(tmp_path / "web", "http://127.0.0.1:9/"))
    assert done.returncode == StorageError.exit_code
    assert done.stderr.count("\n") == 1
    assert "ulimit -n" in done.stderr


def test_the_soft_limit_of_open_files_is_raised(tmp_path: Path) -> None:
    script = "import resource; from gossamer.collection.crawl.network import make_room; make_room(128);"
    script += "print(*resource.getrlimit(resource.RLIMIT_NOFILE))"
    command = f"ulimit -Sn 128; exec {shlex.join([sys.executable, '-c', script])}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=True)
    soft, hard = map(int, done.stdout.split())
    assert soft == min(hard, 65_536)
