"""A crash in compiled code costs one page: its shard is started again, and what it died on is marked and listed."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import gossamer
from crawler_process import crawl_arguments, gossamer_command, run_gossamer, with_room
from gossamer.collection import Outside
from gossamer.testing import MadeWeb, VirtualClock, WebSpec
from harness.seldom import seldom

SPEC = WebSpec(seed=9, hosts=2, pages=8, names="ip")
CRASHING = """
import ctypes, functools, importlib, os

def crash():
    with open(os.environ["CRASHES"], "a") as deaths:
        deaths.write("x")
    ctypes.string_at(0)  # what a wrong pointer does

def plant(owner, name, url_of):
    call = getattr(owner, name)

    @functools.wraps(call)
    def planted(*given, **named):
        if url_of(*given) == os.environ["CRASHES_ON"]:
            crash()
        return call(*given, **named)

    setattr(owner, name, planted)

if os.environ["CRASHES_IN"] == "reading":
    plant(importlib.import_module("gossamer.convert.html.page"), "read", lambda source: source.url)
else:
    prints = importlib.import_module("gossamer.collection.derive.near_copies").Prints
    plant(prints, "keep", lambda self, capture, page: capture.visit.url if page.text else "")
"""


@pytest.fixture
def web() -> Iterator[MadeWeb]:
    with MadeWeb(SPEC).serve() as web:
        yield web


def spared(web: MadeWeb) -> str:
    """A page without which all others are found."""
    for bad in sorted(web.reachable() - {web.seed}):
        found = [web.seed]
        for url in found:
            linked = dict.fromkeys(link.url for link in web.links(url)) if url != bad else {}
            found += [each for each in linked if each in web.reachable() and each not in found]
        if set(found) == web.reachable():
            return bad
    raise AssertionError("every page is the only one to link to another")


def crash(folder: Path, place: str, bad: str, *words: str, ends: int = 0) -> None:
    """Run a command whose compiled code crashes on a page three times. So often it `ends`; the others are shards."""
    (folder / "sitecustomize.py").write_text(CRASHING)
    crashes = folder / "crashes"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]),
        "CRASHES": str(crashes),
        "CRASHES_IN": place,
        "CRASHES_ON": bad,
    }
    command = gossamer_command(*words)
    for left in range(ends, -1, -1):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == (-signal.SIGSEGV if left else 0), done.stderr
    assert ends or "was killed by SIGSEGV; it is started again" in done.stderr
    assert len(crashes.read_text()) == 3


@pytest.mark.parametrize(
    ("place", "shards"), seldom([("reading", "2"), ("reading", "1"), ("measuring", "1"), ("measuring", "2")], 2)
)
def test_a_crash_costs_one_page_and_the_crawl_ends_well(web: MadeWeb, tmp_path: Path, place: str, shards: str) -> None:
    folder, bad = tmp_path / "web", spared(web)
    words = crawl_arguments(folder, web.seed, "--shards", shards)
    crash(tmp_path, place, bad, *words, ends=3 if shards == "1" else 0)
    with gossamer.open(folder) as collection:
        assert {page.url for page in collection.pages()} == web.reachable()
        assert all(page.page.text for page in collection.pages() if page.url != bad)
        checked = collection.verify()
        assert checked.problems == []
        (marked,) = checked.unread
        assert bad in marked
        assert "the process died each time it read this page" in marked
        assert collection.status().unread == collection.build().unread == 1  # this version does not try again


def test_a_crash_costs_a_build_one_page(web: MadeWeb, tmp_path: Path) -> None:
    folder, bad = tmp_path / "web", spared(web)
    assert run_gossamer(*crawl_arguments(folder, web.seed, "--shards", "2", "--no-build")).returncode == 0
    crash(tmp_path, "reading", bad, "build", str(folder))
    with gossamer.open(folder) as collection:
        assert collection.verify().problems == []
        assert [url for url, _ in collection.unread()] == [bad]
        assert all(page.page.text for page in collection.pages() if page.url != bad)


def test_what_was_handed_in_is_used_in_this_process(tmp_path: Path) -> None:
    clock = VirtualClock()
    made = MadeWeb(SPEC, clock=clock)
    with gossamer.open(with_room(tmp_path / "web")) as collection:
        outside = Outside(clock, made.fetch)
        clock.run(collection.crawl_async(made.seed, scope="any", outside=outside, apart=True))
        assert {page.url for page in collection.pages()} == made.reachable()
