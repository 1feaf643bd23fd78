"""A mistake of ours after a capture was written costs that page, and never the crawl, the import or the collection."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import gossamer
from crawler_process import run_gossamer, with_room
from foreign_files import page as foreign_page
from foreign_files import plain
from gossamer.collection import Collection, Outside
from gossamer.collection.derive.derived import Derived
from gossamer.collection.folder import Folder
from gossamer.collection.maintain.writable_shard import opened
from gossamer.dedupe.digest import Copies
from gossamer.engine import WorkerLost
from gossamer.frontier.frontier import Frontier
from gossamer.frontier.taking_back import TakingBack
from gossamer.model import Capture, Page, Visit
from gossamer.store import unread
from gossamer.store.archive import Archive
from gossamer.store.archive_files import ArchiveFiles
from gossamer.store.repair import skipped_captures
from gossamer.store.versions import Versions
from gossamer.store.warc.gzip_members import LEVEL
from gossamer.store.warc.records import group
from gossamer.store.warc.texts import Texts
from gossamer.store.warc.warc import payload_digest
from gossamer.testing import MadeWeb, VirtualClock, WebSpec
from harness.seldom import seldom

SPEC = WebSpec(seed=5, hosts=2, pages=8)
BAD = "/p3"


class Planted(Exception):
    """A mistake that nobody has thought of."""


def url_in(*arguments: Any) -> str:
    """The address that a call is about, wherever it stands among its arguments."""
    for each in arguments:
        if isinstance(each, Capture):
            return each.visit.url
        if isinstance(each, Page):
            return each.url or ""
        if isinstance(each, str) and "://" in each:
            return each
        if isinstance(each, tuple) and each and (found := url_in(*each)):
            return found
    return ""


def plant(monkeypatch: pytest.MonkeyPatch, owner: type, name: str, bad: Callable[[str], bool], *, after: bool) -> None:
    """From now on a call breaks for some pages, before or after it has done its work."""
    call = getattr(owner, name)

    def broken(self: Any, *arguments: Any, **named: Any) -> Any:
        if not after and bad(url_in(*arguments)):
            raise Planted(name)
        result = call(self, *arguments, **named)
        if after and bad(url_in(*arguments)):
            raise Planted(name)
        return result

    monkeypatch.setattr(owner, name, broken)


POINTS = [
    (Copies, "mark", False),
    (Archive, "append", False),
    (Archive, "register_again", True),
    (Versions, "row", False),
    (Versions, "row", True),
    (Texts, "write", False),
    (Texts, "write", True),
    (Derived, "keep", False),
    (Derived, "keep", True),
    (TakingBack, "done", False),
    (TakingBack, "done", True),
]


class Crawl:
    """A made web that is crawled in this process."""

    def __init__(self, folder: Path) -> None:
        self.clock = VirtualClock()
        self.web = MadeWeb(SPEC, clock=self.clock)
        self.folder = folder
        self.bad = sorted(self.web.reachable())[3]

    def __call__(self) -> Collection:
        collection = gossamer.open(self.folder)
        outside = Outside(self.clock, self.web.fetch)
        try:
            self.clock.run(collection.crawl_async(self.web.seed, scope="any", outside=outside))
        except BaseException:
            collection.close()
            raise
        return collection


@pytest.mark.parametrize(("owner", "name", "after"), seldom(POINTS, 2))
def test_a_mistake_costs_a_crawl_one_page(
    owner: type, name: str, after: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = Crawl(with_room(tmp_path / "web"))
    linked_only_there = crawl.web.reachable() - {crawl.bad}
    with monkeypatch.context() as patched:
        plant(patched, owner, name, lambda url: url == crawl.bad, after=after)
        with crawl() as collection:
            found = {page.url for page in collection.pages()}
            checked = collection.verify()
            assert checked.problems == []
            assert len(linked_only_there - found) <= 1  # and what only it links to
    assert all(count <= 2 for count in crawl.web.log.counts().values())
    with crawl() as collection:  # without the mistake, all is as ever
        assert collection.verify().problems == []


def test_what_was_passed_over_is_listed_and_a_repair_tries_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = Crawl(with_room(tmp_path / "web"))
    with monkeypatch.context() as patched:
        plant(patched, TakingBack, "done", lambda url: url == crawl.bad, after=True)
        with crawl() as collection:
            (note,) = collection.verify().notes
            assert crawl.bad in note
            assert "Planted" in note
            assert "could not be taken in" in collection.why(crawl.bad).reason
    assert crawl.web.log.counts()[crawl.bad] == 1
    done = run_gossamer("verify", str(tmp_path / "web"))
    assert (done.returncode, crawl.bad in done.stdout) == (0, True)
    with gossamer.open(tmp_path / "web") as collection:
        assert collection.repair().adopted == 1
        assert collection.verify().notes == []
        assert collection.page(crawl.bad).url == crawl.bad


@pytest.mark.parametrize(("owner", "name", "after"), seldom(POINTS, 3))
def test_a_mistake_costs_an_import_one_page(
    owner: type, name: str, after: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    urls = [f"http://a.example/{number}" for number in range(8)]
    (tmp_path / "x.warc").write_bytes(plain([foreign_page(url, f"Words {url}") for url in urls]))
    with monkeypatch.context() as patched, gossamer.open(with_room(tmp_path / "web")) as collection:
        plant(patched, owner, name, lambda url: url == urls[3], after=after)
        collection.import_files(tmp_path / "x.warc", shards=1)
        found = {page.url for page in collection.pages()}
        assert set(urls) - found <= {urls[3]}
        assert collection.verify().problems == []
        again = collection.import_files(tmp_path / "x.warc")
        assert again.captures == 0


@pytest.mark.parametrize(("owner", "name", "after"), seldom(POINTS[::-1], 3))
def test_a_mistake_costs_recovery_one_page(
    owner: type, name: str, after: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = Crawl(with_room(tmp_path / "web"))
    with monkeypatch.context() as patched:
        patched.setattr("gossamer.store.commits.Commits.when_due", lambda self: None)
        patched.setattr("gossamer.store.commits.Commits.soon", lambda self: None)
        patched.setattr("gossamer.collection.crawl.session.Session._finish", lambda self: None)
        with suppress(gossamer.GossamerError):  # nothing was committed
            crawl().close()
    asked = crawl.web.log.counts()
    with monkeypatch.context() as patched:
        plant(patched, owner, name, lambda url: url == crawl.bad, after=after)
        with crawl() as collection:
            assert collection.verify().problems == []
            found = {page.url for page in collection.pages()}
    assert len(crawl.web.reachable() - found) <= 1
    assert crawl.web.log.counts() == asked  # nothing is fetched twice


@pytest.mark.parametrize(("owner", "name"), [(Frontier, "reread"), (Derived, "keep"), (Archive, "read_again")])
def test_a_mistake_with_a_page_that_is_read_again_is_made_once(
    owner: type, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = Crawl(with_room(tmp_path / "web"))
    with monkeypatch.context() as patched:
        patched.setattr(unread, "VERSION", "an older one")
        plant(patched, Texts, "write", lambda url: url == crawl.bad, after=False)
        with crawl() as collection:
            assert crawl.bad in "".join(collection.verify().unread)
    with monkeypatch.context() as patched:
        plant(patched, owner, name, lambda url: url == crawl.bad, after=True)
        with crawl() as collection:
            checked = collection.verify()
        assert checked.problems == []
        assert "Planted" in "".join(checked.unread)
        crawl().close()


def test_a_mistake_with_every_page_ends_the_crawl_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(skipped_captures, "MOST", 3)
    crawl = Crawl(with_room(tmp_path / "web"))
    plant(monkeypatch, TakingBack, "done", lambda url: True, after=False)
    with pytest.raises(gossamer.GossamerError, match="could not be taken in"):
        crawl()


def test_a_mistake_at_the_same_place_three_times_ends_the_crawl_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = Crawl(with_room(tmp_path / "web"))
    calls: list[int] = []

    def broken(self: Any) -> None:
        calls.append(1)
        raise Planted("at the start")

    monkeypatch.setattr(Frontier, "open", broken)
    with pytest.raises(WorkerLost, match=r"Planted\('at the start'\)"):
        crawl()
    assert len(calls) == 3


def test_verify_looks_past_the_committed_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crawl = Crawl(with_room(tmp_path / "web"))
    crawl().close()
    with monkeypatch.context() as patched:
        patched.setattr(ArchiveFiles, "committed", lambda self: ("", 0))
        with gossamer.open(tmp_path / "web") as collection:
            assert "the next crawl takes in 19 captures" in collection.verify().notes[0]
    (path,) = (tmp_path / "web/shards/00/captures").glob("*.warc.gz")
    with path.open("ab") as file:
        file.write(b"half a capture")
    with gossamer.open(tmp_path / "web") as collection:
        checked = collection.verify()
    assert checked.problems == []
    assert "the next crawl cuts off bytes" in checked.notes[0]


@pytest.mark.parametrize("shards", ["1", "2"])
def test_a_record_that_an_older_version_could_not_take_in_is_passed_over(shards: str, tmp_path: Path) -> None:
    folder = with_room(tmp_path / "web")
    for name in ("a", "b"):
        urls = [f"http://{name}{number}.example/" for number in range(6)]
        (tmp_path / f"{name}.warc").write_bytes(plain([foreign_page(url, f"Words {url}") for url in urls]))
    assert run_gossamer("import", str(folder), str(tmp_path / "a.warc"), "--shards", shards).returncode == 0
    for captures in folder.glob("shards/*/captures"):
        path = max(captures.glob("*.warc.gz"))
        visit = Visit("http://a0.example/odd")
        head = b"HTTP/1.1 " + b"2" * 25 + b" OK\r\n\r\n"
        odd = Capture(visit, 1_600_000_000.0, 0.0, 200, head=head, wire=b"x", source="y.warc@0")
        packed = group(odd, payload_digest(b"x"), (), None, LEVEL)
        with path.open("ab") as file:
            file.write(packed.response + packed.request + packed.metadata)
    done = run_gossamer("import", str(folder), str(tmp_path / "b.warc"))
    assert done.returncode == 0, done.stderr
    done = run_gossamer("verify", str(folder))
    assert (done.returncode, "no HTTP status" in done.stdout) == (0, True)
    with gossamer.open(folder) as collection:
        assert collection.status().pages == 12


def test_what_no_row_can_hold_is_noticed_before_it_is_written(tmp_path: Path) -> None:
    folder = with_room(tmp_path / "web")
    crawl = Crawl(folder)
    with crawl() as collection:
        shard_reader = collection._readers().all[0]
        before = io.BytesIO(next((folder / "shards/00/captures").glob("*.warc.gz")).read_bytes())
        url, version = next(shard_reader.archive.versions.all())
        capture = shard_reader.archive.capture(url, version)
    with opened(Folder(folder.resolve()), gossamer.open(folder).plan, 0) as bench:
        bench.open_captures()
        odd = dataclasses.replace(capture, began=capture.began + 1)
        with pytest.raises(UnicodeEncodeError):
            bench.archive.append(odd, Page(url, title="\ud800"))
        with pytest.raises(OverflowError):
            bench.archive.append(dataclasses.replace(odd, status=10**25), Page(url))
    assert next((folder / "shards/00/captures").glob("*.warc.gz")).read_bytes() == before.getvalue()
