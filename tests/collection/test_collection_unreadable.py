"""A file that is there and cannot be read is a fault of the machine: exit code 6 and its name, and never damage."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.cli.main import main
from gossamer.collection import Outside
from gossamer.collection.derive import graph_digests
from gossamer.model import Capture, Visit
from gossamer.testing import VirtualClock
from harness.damage import files
from harness.read_only import read_only
from harness.reading_verbs import reading_verbs
from harness.seldom import seldom

URL = "http://example.org/"
WORDS = "a page of words and more words that somebody may look for " * 5
NEEDED = {
    "shards/*/captures/*.warc.gz": ("show --as raw", "show --as text", "links", "export jsonl", "verify"),
    "shards/*/texts/*.warc.gz": ("show --as text", "search", "verify"),
    "shards/*/index/*.idx": ("search", "rank --query", "verify"),
    "shards/*/index/meta.json": ("search", "evaluate", "verify"),
    "shards/*/links/log": ("verify",),
    "shards/*/table/CURRENT": ("status", "why", "history"),
    "shards/*/table/MANIFEST-*": ("status", "show --as raw"),
    "graph/*/ranks.npy": ("rank", "search", "status", "verify"),
    "graph/*/voices/*.idx": ("rank", "search"),
    "graph/current": ("rank", "search"),
    "plan.toml": ("status", "similar", "duplicates"),
}
"""Which verbs cannot answer without which file."""
BY_LIBRARIES = ("table/", "index/", "voices/")
"""Folders whose files are opened by others than us."""


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    clock, place = VirtualClock(), tmp_path_factory.mktemp("unreadable") / "web"

    async def fetch(visit: Visit) -> Capture:
        status = 404 if visit.url.endswith("robots.txt") else 200
        body = f"<title>page {visit.url}</title><p>{WORDS}{visit.url}<a href=/b>b</a><a href=/>home</a>".encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
        return Capture(visit, clock.wall(), 0.1, status, (("content-type", "text/html"),), b"", head, body, body)

    with gossamer.open(place) as collection:
        clock.run(collection.crawl_async(URL, sitemaps="never", outside=Outside(clock, fetch)))
    return place


def needing(web: Path, place: Path, verbs: tuple[str, ...]) -> list[list[str]]:
    every = reading_verbs(web, URL, place)
    said = [" ".join([verb[0], *(word for word in verb[2:] if "/" not in word)]) for verb in every]
    return [next(verb for verb, words in zip(every, said, strict=True) if words.startswith(wanted)) for wanted in verbs]


def is_named(path: Path, errors: str) -> bool:
    return errors.count("\n") == 1 and errors.startswith(f"gossamer: {path}: ") and "; " in errors


@pytest.mark.parametrize("shape", seldom(list(NEEDED), 3))
def test_a_file_that_may_not_be_read_is_exit_code_6_with_its_name(web: Path, tmp_path: Path, shape: str) -> None:
    path = min(web.glob(shape))
    verbs = needing(web, tmp_path, NEEDED[shape])
    path.chmod(0)
    try:
        for verb, (code, errors) in zip(verbs, read_only(verbs), strict=True):
            assert code == 6, (verb, errors)
            assert is_named(path, errors), (verb, errors)
            assert "check its owner and mode" in errors
    finally:
        path.chmod(0o644)


def failing(path: Path, call: Callable[..., int]) -> Callable[..., int]:
    """To open that file is an error of the disk."""

    def opened(name: Any, *arguments: Any, dir_fd: int | None = None) -> int:
        if name == path.name and dir_fd is not None and os.fstat(dir_fd).st_ino == path.parent.stat().st_ino:
            raise OSError(errno.EIO, os.strerror(errno.EIO), name)
        return call(name, *arguments, dir_fd=dir_fd)

    return opened


@pytest.mark.parametrize("shape", [shape for shape in NEEDED if not any(part in shape for part in BY_LIBRARIES)])
def test_a_file_on_a_bad_sector_is_exit_code_6_with_its_name(
    web: Path, tmp_path: Path, shape: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = min(web.glob(shape))
    verbs = needing(web, tmp_path, NEEDED[shape])
    monkeypatch.setattr(os, "open", failing(path, os.open))
    for verb in verbs:
        graph_digests._SOUND.clear()  # what another verb of this process has looked at
        assert main(verb) == 6, verb
        errors = capsys.readouterr().err
        assert is_named(path, errors), (verb, errors)


@pytest.mark.parametrize("shape", ["graph/*/ranks.npy", "shards/*/captures/*.warc.gz"])
def test_a_file_that_is_gone_is_damage_with_its_cure(
    web: Path, tmp_path: Path, shape: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = min(web.glob(shape))
    kept = path.rename(tmp_path / path.name)
    try:
        for verb in needing(web, tmp_path, ("rank",) if shape.startswith("graph") else ("show --as raw", "links")):
            assert main(verb) == 7, verb
            assert "`gossamer " in capsys.readouterr().err.splitlines()[-1]
    finally:
        kept.rename(path)


@pytest.mark.soak
def test_every_file_that_may_not_be_read_is_named_or_not_needed(web: Path, tmp_path: Path) -> None:
    wrong = []
    for number, name in enumerate(files(web)):
        (tmp_path / str(number)).mkdir()
        verbs = reading_verbs(web, URL, tmp_path / str(number))
        (web / name).chmod(0)
        results = read_only(verbs)
        (web / name).chmod(0o644)
        for verb, (code, errors) in zip(verbs, results, strict=True):
            if code and (code != 6 or not is_named(web / name, errors)):
                wrong.append((name, verb, code, errors))
    assert not wrong, wrong
