"""A directory is moved, and another collection put in its place, while one writes: nothing of either is harmed."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gossamer
from crawler_process import crawl_arguments, gossamer_command, wait_for, with_room
from gossamer import Collection
from gossamer.collection import Progress, lock
from gossamer.errors import StorageError
from named_web import NamedWeb, named_web

QUICK: dict[str, Any] = {
    "delay": 0.01,
    "ip_delay": 0.0,
    "patience": 0,
    "allow_addresses": ("127.0.0.0/8",),
    "scope": "any",
}
MANY = 150
"""Pages of the web: more than a crawl here gets done before it is looked at."""
MOVED = "was moved while it was being written to; it is {now} now"


@pytest.fixture(scope="module")
def web() -> Iterator[NamedWeb]:
    with named_web() as served:
        served.link("site", "/", [served.url("site", f"/{number}") for number in range(MANY)])
        for number in range(MANY):
            served.link("site", f"/{number}", [])
        served.link("other", "/", [served.url("other", "/a")])
        served.link("other", "/a", [])
        yield served


@pytest.fixture(scope="module")
def other(web: NamedWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection with as many shards."""
    folder = with_room(tmp_path_factory.mktemp("other") / "web")
    with gossamer.open(folder) as collection:
        assert collection.crawl(web.url("other"), shards=2, **QUICK).pages == 2
    return folder


def digests(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


class Swap:
    """Moves a collection away, once, and puts something in its place."""

    def __init__(self, folder: Path, other: Path | None) -> None:
        self.folder, self.elsewhere, self._other = folder, folder.with_name("elsewhere"), other

    def __call__(self) -> None:
        if not self.elsewhere.exists():
            self.folder.rename(self.elsewhere)
            if self._other is not None:
                shutil.copytree(self._other, self.folder)

    def require_untouched(self) -> None:
        assert self.elsewhere.exists()
        assert digests(self.folder) == (digests(self._other) if self._other else {})


@pytest.mark.parametrize(("shards", "is_replaced"), [(1, True), (2, True), (1, False)])
def test_a_crawl_ends_and_says_where_its_directory_is(
    web: NamedWeb, tmp_path: Path, other: Path, shards: int, is_replaced: bool
) -> None:
    folder = with_room(tmp_path / "web")
    swap = Swap(folder, other if is_replaced else None)

    def report(now: Progress) -> None:
        if now.pages > 2:
            swap()

    with gossamer.open(folder) as collection, pytest.raises(StorageError) as told:
        collection.crawl(web.url("site"), report=report, shards=shards, **QUICK)
    assert MOVED.format(now=swap.elsewhere) in str(told.value)
    swap.require_untouched()
    assert folder.exists() == is_replaced
    with gossamer.open(swap.elsewhere) as collection:
        assert 2 < collection.status().pages < MANY
        assert collection.crawl(delay=0.0).pages == MANY + 1
        assert collection.verify().problems == []


def test_the_command_ends_with_one_line(web: NamedWeb, tmp_path: Path) -> None:
    folder, elsewhere, told = tmp_path / "web", tmp_path / "elsewhere", tmp_path / "told"
    command = crawl_arguments(folder, web.url("site"), "--delay", "0.01", "--shards", "2", "-q")
    with told.open("w") as errors:
        process = subprocess.Popen(gossamer_command(*command), stderr=errors)
        wait_for(lambda: any(folder.glob("shards/*/captures/*")) and bool(len(web.log)))
        folder.rename(elsewhere)
        assert process.wait(60) == 6
    [line] = told.read_text().splitlines()
    assert MOVED.format(now=elsewhere) in line
    assert not folder.exists()


VERBS: dict[str, Callable[[Collection, Path], Any]] = {
    "build": lambda web, _: web.build(convert=True),
    "repair": lambda web, _: web.repair(),
    "remove": lambda web, _: web.remove("/a", archive=True),
    "prune": lambda web, _: web.prune("last 1"),
    "import": lambda web, file: web.import_files(file),
    "set": lambda web, _: web.change(delay=3.0),
    "add": lambda web, _: web.add("http://new.localhost/"),
    "crawl": lambda web, _: web.crawl(revisit=True),
}


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_writes_to_another_collection(
    web: NamedWeb, tmp_path: Path, other: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    """Which is put there in the moment in which the lock is taken."""
    folder = tmp_path / "web"
    shutil.copytree(other, folder)
    file = next(other.glob("shards/*/captures/*.warc.gz"))
    swap, sign = Swap(folder, other), lock._sign

    def signed(handle: int, verb: str) -> None:
        sign(handle, verb)
        swap()

    monkeypatch.setattr(lock, "_sign", signed)
    with gossamer.open(folder) as collection, pytest.raises(StorageError, match="moved"):
        VERBS[verb](collection, file)
    swap.require_untouched()
    monkeypatch.undo()
    with gossamer.open(swap.elsewhere) as collection:
        collection.build()
        assert collection.verify().problems == []
