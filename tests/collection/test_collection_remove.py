"""What is removed is nowhere any more and is not fetched again; all else stays as it was."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gossamer
from crawler_process import crawl_arguments, gossamer_command, run_gossamer, with_room
from gossamer.cli.main import main
from gossamer.collection import Collection, Outside
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.folder import Folder
from gossamer.frontier.entries import FIRSTS
from gossamer.model import Capture, Failure, Fault, Visit
from gossamer.store.table.table import Table
from gossamer.store.warc.reader import records
from gossamer.store.warc.writer import Writer
from gossamer.testing import Changes, Copies, Errors, MadeWeb, Redirects, VirtualClock, WebSpec

SPEC = WebSpec(
    seed=5,
    hosts=2,
    pages=10,
    errors=Errors(missing=0.1),
    copies=Copies(exact=0.4),
    redirects=Redirects(chains=0.2),
    changes=Changes(pages=0.5, rate=(1.0, 1.0)),
)
KILLER = Path(__file__).parents[1] / "kill_points"


class Crawled:
    """Two rounds of a web."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = VirtualClock()
        self.web = MadeWeb(SPEC, clock=self.clock)
        with gossamer.open(folder) as collection:
            self.crawl(collection, self.web.seed, scope="any", warc_bytes=65_536)
            self.clock.advance(3 * 86_400)
            self.crawl(collection, revisit=True)

    def crawl(self, collection: Collection, *seeds: str, **settings: Any) -> None:
        outside = Outside(self.clock, self.web.fetch)
        self.clock.run(collection.crawl_async(*seeds, outside=outside, **settings))


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    return Crawled(tmp_path_factory.mktemp("removed") / "web")


@pytest.fixture
def collection(crawled: Crawled, tmp_path: Path) -> Iterator[Collection]:
    shutil.copytree(crawled.folder, tmp_path / "web")
    with gossamer.open(tmp_path / "web") as copied:
        yield copied


def contents(collection: Collection) -> dict[str, Any]:
    """What every page was, in all its versions, but for which of several copies stands for the others."""
    found = {}
    for page in collection.pages():
        cells = collection.table.cells(page.url, "content:raw")
        found[page.url] = (page.text, [(cell.time, cell.value) for cell in cells])
    return found


def original(collection: Collection) -> str:
    """A page that another one is a copy of, by way of a revisit record."""
    return next(
        page.version.original or "" for page in collection.pages() if page.version.original and page.version.copy_of
    )


def everything_said(collection: Collection, room: str) -> set[str]:
    """The addresses of all records in the files of a room."""
    files = collection.path.glob(f"shards/*/{room}/*.warc.gz")
    return {record.url for path in files for record in records(path) if record.url}


def exported(collection: Collection, form: str) -> str:
    out = io.BytesIO()
    collection.export(form, out)
    return out.getvalue().decode()


@pytest.mark.parametrize("archive", [False, True])
def test_a_removed_page_is_nowhere_and_all_others_stay(collection: Collection, archive: bool) -> None:
    url, before = original(collection), contents(collection)
    words = f'"{" ".join(collection.page(url).content.split()[:6])}"'
    copies = {page.url for page in collection.pages() if page.version.copy_of == url}
    done = collection.remove(url, archive=archive)
    assert (done.urls, done.fresh) == ((url,), 1)
    after = contents(collection)
    assert after == {each: said for each, said in before.items() if each != url}
    assert copies <= set(after)
    assert url not in {hit.url for hit in collection.search(words, 50).hits}
    assert {hit.url for hit in collection.search(words, 50).hits} & copies  # what it stood for is found by itself now
    assert url not in set(collection.table.scan(fetched=True))
    assert collection.history(url) == []
    assert url not in everything_said(collection, "texts")
    assert (url in everything_said(collection, "captures")) is not archive
    assert f'"url": "{url}"' not in exported(collection, "cdxj")
    assert url not in {json.loads(line)["url"] for line in exported(collection, "jsonl").splitlines()}
    assert collection.why(url).reason == "removed"
    assert collection.verify().problems == []


def test_no_later_page_is_a_copy_of_a_removed_one(collection: Collection) -> None:
    """Other shards ask this one whose page had a body first."""
    url, other = original(collection), "http://elsewhere.example/"
    digest, path = b"sha256:of a body", Folder(collection.path).table(0)
    with Table.open(path, FAMILIES, writable=True) as table:
        table.put(FIRSTS, digest, url.encode())
        table.put(FIRSTS, digest + b"2", other.encode())
        table.commit()
    collection.remove(url)
    with Table.open(path, FAMILIES, writable=False) as table:
        assert url.encode() not in {row for _, row in table.scan(FIRSTS)}
        assert table.get(FIRSTS, digest + b"2") == other.encode()


def test_rows_never_point_at_what_is_not_on_the_disk_yet(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []

    def noted(owner: type, name: str) -> None:
        call = getattr(owner, name)

        def noting(*arguments: Any, **named: Any) -> Any:
            events.append(f"{owner.__name__}.{name}")
            return call(*arguments, **named)

        monkeypatch.setattr(owner, name, noting)

    noted(Writer, "write")
    noted(Writer, "sync")
    noted(Table, "commit")
    collection.remove(original(collection))
    assert "Writer.write" in events  # a copy that stays gets the payload
    last = {"Writer.write": False, "Writer.sync": True}
    on_disk = True
    for event in events:
        on_disk = last.get(event, on_disk)
        assert on_disk or event != "Table.commit", events


def test_a_removed_page_is_not_fetched_again(
    collection: Collection, crawled: Crawled, caplog: pytest.LogCaptureFixture
) -> None:
    url = original(collection)
    collection.remove(url, archive=True)
    asked = len(crawled.web.log.entries)
    crawled.crawl(collection, url, revisit=True)
    assert [each for each in caplog.messages if each.startswith(f"{url}: was removed at 20") and "stays out" in each]
    assert url not in {entry.url for entry in crawled.web.log.entries[asked:]}
    crawled.crawl(collection, scope="domain")  # another scope gives second chances, but not this one
    crawled.crawl(collection, scope="any")
    assert url not in {entry.url for entry in crawled.web.log.entries[asked:]}
    assert collection.why(url).state == "excluded"
    assert collection.status().exclusions["removed"] == 1
    assert collection.verify().problems == []


def test_a_pattern_removes_all_that_have_it_also_what_waits(tmp_path: Path) -> None:
    clock = VirtualClock()
    web = MadeWeb(SPEC, clock=clock)
    with gossamer.open(tmp_path / "web") as collection:
        clock.run(collection.crawl_async(web.seed, scope="any", pages=5, outside=Outside(clock, web.fetch)))
        host = web.host(1)
        done = collection.remove(rf"^http://{host}/")
        assert all(url.startswith(f"http://{host}/") for url in done.urls)
        assert collection.why(done.urls[0]).reason == "removed"
        assert collection.verify().problems == []
        before = len(web.log.entries)
        clock.run(collection.crawl_async(pages=0, outside=Outside(clock, web.fetch)))
        assert len(web.log.entries) > before
        assert not {entry.url for entry in web.log.entries[before:]} & set(done.urls)
        assert collection.verify().problems == []


def test_a_misspelt_seed_leaves_the_plan_and_one_that_answered_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clock, right, wrong = VirtualClock(), "http://a.test/", "http://b.test/"

    async def fetch(visit: Visit) -> Capture:
        if wrong in visit.url:
            return Capture(visit, clock.wall(), 0.1, failure=Failure(Fault.NO_SUCH_HOST, "does not exist"))
        head, body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", b"<title>A</title><p>words"
        return Capture(visit, clock.wall(), 0.1, 200, (("content-type", "text/html"),), b"", head, body, body)

    with gossamer.open(tmp_path / "web") as web:
        outside = Outside(clock, fetch)
        clock.run(web.crawl_async(right, wrong, sitemaps="never", outside=outside))
        assert main(["remove", str(web.path), wrong, "--yes"]) == 0
        assert capsys.readouterr().out == f"removed 1 address; wrong seeds, taken out of the plan: {wrong}\n"
        assert web.plan.seeds == (right,)
        assert web.remove(right).seeds == ()
        assert web.plan.seeds == (right,), "it says how far the crawl goes"


def test_asking_what_would_go_changes_nothing(collection: Collection) -> None:
    before = contents(collection)
    found = collection.removable("/copy/")
    assert found.urls
    assert found.versions >= len(found.urls)
    assert found.bytes > 0
    assert contents(collection) == before
    assert collection.removable("no such thing").urls == ()


@pytest.mark.parametrize("point", ["table committed:6", pytest.param("text written:20", marks=pytest.mark.soak)])
def test_a_removal_that_is_killed_again_and_again_ends_the_same(
    collection: Collection, tmp_path: Path, point: str
) -> None:
    calm, kills = shutil.copytree(collection.path, tmp_path / "calm"), tmp_path / "kills"
    collection.close()
    deadly = {
        **os.environ,
        "PYTHONPATH": f"{KILLER}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        "GOSSAMER_TEST_KILL": point,
        "GOSSAMER_TEST_KILLS": str(kills),
        "GOSSAMER_TEST_MOST": "2",
    }
    for _ in range(4):
        command = gossamer_command("remove", str(collection.path), "/copy/|-[12].html", "--archive", "--yes")
        done = subprocess.run(command, env=deadly, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
    else:
        pytest.fail("it never came to an end")
    with gossamer.open(calm) as other:
        other.remove("/copy/|-[12].html", archive=True)
        assert contents(collection) == contents(other)
        assert everything_said(collection, "captures") == everything_said(other, "captures")
        assert everything_said(collection, "texts") == everything_said(other, "texts")
        assert collection.status().exclusions == other.status().exclusions
    assert collection.verify().problems == []


def test_copies_in_another_shard_are_found_when_what_they_copy_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "web"
    with MadeWeb(WebSpec(seed=4, hosts=3, pages=8, names="ip", copies=Copies(exact=0.5))).serve() as web:
        words = crawl_arguments(folder, web.seed, "--shards", "2", "--delay", "0.001")
        assert run_gossamer(*words).returncode == 0
    with gossamer.open(folder) as collection:
        before = {page.url: page.text for page in collection.pages()}
        gone = {page.version.copy_of for page in collection.pages() if page.version.copy_of}
        pattern = "|".join(f"^{url}$" for url in sorted(filter(None, gone))).replace(".", "\\.")
        assert set(collection.remove(pattern, archive=True).urls) == gone
        assert {page.url: page.text for page in collection.pages()} == {
            url: text for url, text in before.items() if url not in gone
        }
        assert not [page.url for page in collection.pages() if page.version.copy_of in gone]
        assert collection.verify().problems == []
        page = next(iter(collection.pages()))  # and what is damaged then is mended, in whichever shard it lies
        with collection.file_of(page).open("r+b") as file:
            file.seek(page.version.offset + 40)
            file.write(b"damage")
        done = collection.repair()
        assert (page.url in {loss.url for loss in done.lost}, done.left) == (True, ())


# ---------------------------------------------------------------------- the command


def test_the_command_asks_and_says_what_would_go(
    collection: Collection, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, url = str(collection.path), original(collection)
    collection.close()

    def run(pattern: str, *options: str) -> tuple[int, str, str]:
        code = main(["remove", folder, pattern, *options])
        return code, *capsys.readouterr()

    code, told, _ = run(url, "--dry-run", "--archive")
    assert (code, told.startswith(f"{url}\n1 address, ")) == (0, True)
    assert told.endswith("nothing was changed; without --dry-run it is removed\n")
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert run(url)[0] == 2  # nobody is there to be asked
    terminal = io.StringIO("no\n")
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdin", terminal)
    code, told, asked = run(url)
    assert (code, told, asked.endswith("remove for good? [y/N] ")) == (130, "", True)
    assert (
        run(url, "--yes")[1]
        == "removed 1 address; the WARC files still have what was fetched: --archive takes that out too\n"
    )
    assert json.loads(run(url, "--yes", "--archive", "--json")[1])["fresh"] == 0
    assert run("nothing like it")[0] == 8
    assert run("(")[0] == 2


CRAWL_HERE = """
import sys, gossamer
polite = dict(delay=0.01, ip_delay=0.01, patience=0.0, allow_addresses=("127.0.0.0/8",))
gossamer.open(sys.argv[1]).crawl(sys.argv[2], shards=1, scope="any", **polite)
"""
"""In one process, which nobody starts again when it is killed."""


def test_what_a_killed_crawl_left_is_taken_in_before_anything_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "web"
    deadly = {
        **os.environ,
        "PYTHONPATH": f"{KILLER}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        "GOSSAMER_TEST_KILL": "archive synced:9",
        "GOSSAMER_TEST_KILLS": str(tmp_path / "kills"),
        "GOSSAMER_TEST_MOST": "1",
    }
    with MadeWeb(WebSpec(seed=4, hosts=2, pages=20, names="ip")).serve() as web:
        command = [sys.executable, "-c", CRAWL_HERE, str(with_room(folder)), web.seed]
        subprocess.run(command, env=deadly, capture_output=True, timeout=120, check=False)
        asked = len(web.log.entries)
        with gossamer.open(folder) as collection:
            (captures,) = (folder / "shards" / "00" / "captures").glob("*.warc.gz")
            fetched = {record.url for record in records(captures) if record.type == "response"}
            assert collection._readers().archives[0].files.uncommitted_bytes()
            collection.remove(web.seed, archive=True)
            assert collection.verify().problems == []
            assert fetched - {web.seed} <= set(collection.table.scan())
        assert len(web.log.entries) == asked
