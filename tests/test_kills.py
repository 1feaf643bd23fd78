"""`kill -9` at any instant: nothing fetched is lost, nothing is fetched twice but what was in flight."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from crawler_process import (
    Served,
    crawl_arguments,
    descendants,
    exported,
    gossamer_command,
    run_gossamer,
    served_web,
    shard_of,
)
from gossamer.testing import Log
from gossamer.testing.log import Entry
from gossamer.urls import keys
from harness.kills import everybody

DELAY = 0.05
HOSTS = 4
LAG = 1.0
"""Seconds that a loaded machine may take from the last byte sent to the capture written."""
READ_LAG = 0.25
"""Seconds for which a request may lie in the server's socket after its sender was killed; a restart takes longer."""
WEB = (
    *("--hosts", str(HOSTS), "--gzip", "--robots.rules", "0.5", "--robots.delays", "0.5", "--robots.delay", "0.1"),
    *("--errors.missing", "0.1", "--redirects.chains", "0.1", "--redirects.hops", "2", "--redirects.across", "0.5"),
    *("--copies.exact", "0.1", "--copies.near", "0.1", "--copies.edited", "0.03", "--marks.nofollow-links", "0.1"),
    *("--sitemaps.hosts", "0.5", "--sitemaps.orphans", "3"),
)


class Kill(NamedTuple):
    """Something was killed, and was gone at that wall time."""

    gone: float
    shard: int | None
    """None: all of them, or nobody knows which."""


Strike = Callable[[int, random.Random], Kill]


@dataclass
class Storm:
    """So many kills at moments that chance picks."""

    kills: int
    chance: random.Random
    strikes: Sequence[Strike]
    struck: list[Kill] = field(default_factory=list)

    @property
    def over(self) -> bool:
        return len(self.struck) >= self.kills

    def strike(self, crawler: int) -> None:
        self.struck.append(self.chance.choice(self.strikes)(crawler, self.chance))


def test_a_crawl_that_is_killed_again_and_again_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    crawl_with_kills(tmp_path, "--shards", "1", pages=15, kills=3, seed=11)


@pytest.mark.soak
def test_a_crawl_by_importance_that_is_killed_loses_no_grain_of_cash(tmp_path: Path) -> None:
    crawl_with_kills(tmp_path, "--order", "importance", "--shards", "2", pages=10, kills=2, seed=13)


def test_shards_that_are_killed_one_by_one_or_together_change_nothing(tmp_path: Path) -> None:
    crawl_with_kills(
        tmp_path, "--shards", "2", pages=15, kills=4, seed=14, strikes=(one_shard, supervisor, all_at_once)
    )


@pytest.mark.soak
def test_fifty_kills_change_nothing(tmp_path: Path) -> None:
    crawl_with_kills(tmp_path, "--shards", "1", pages=400, kills=50, seed=12)


@pytest.mark.soak
def test_two_hundred_kills_of_shards_change_nothing(tmp_path: Path) -> None:
    strikes = (one_shard, one_shard, supervisor, all_at_once)
    crawl_with_kills(tmp_path, "--shards", "2", pages=1_200, kills=200, seed=15, strikes=strikes)


# ---------------------------------------------------------------------------- kills


def supervisor(crawler: int, chance: random.Random) -> Kill:
    """Whoever is in charge; its shards must end by themselves, and the next crawl waits for them."""
    os.kill(crawler, signal.SIGKILL)
    return Kill(time.time(), None)


def all_at_once(crawler: int, chance: random.Random) -> Kill:
    """As when the machine goes down. First those who would start others again."""
    everybody(crawler)
    return Kill(time.time(), None)


def one_shard(crawler: int, chance: random.Random) -> Kill:
    """It is started again, and the others go on meanwhile."""
    shards = [process for process in descendants(crawler) if shard_of(process) is not None]
    if not shards:  # none has begun
        return supervisor(crawler, chance)
    victim = chance.choice(shards)
    shard = shard_of(victim)
    os.kill(victim, signal.SIGKILL)
    return Kill(time.time(), shard)


# --------------------------------------------------------------------------- crawls


def crawl_with_kills(
    folder: Path, *more: str, pages: int, kills: int, seed: int, strikes: Sequence[Strike] = (supervisor,)
) -> None:
    options = (*WEB, "--pages", str(pages), "--seed", str(seed))
    with served_web(folder / "calm.log", *options) as web:
        crawl_to_the_end(folder / "calm", web, *more)
        calm = contents(folder / "calm", web.port)
    with served_web(folder / "storm.log", *options) as web:
        storm = Storm(kills, random.Random(seed), strikes)
        while not storm.over and crawl_and_kill(folder / "storm", web, storm, *more):
            pass
        crawl_to_the_end(folder / "storm", web, *more)
        stormy = contents(folder / "storm", web.port)
    assert len(storm.struck) >= kills // 2, "the crawl was over before it could be killed"
    assert stormy == calm
    check_archive(folder / "storm")
    check_log(Log.read(folder / "storm.log"), storm.struck, shards=len(list((folder / "storm" / "shards").iterdir())))


def crawl_to_the_end(folder: Path, web: Served, *more: str) -> None:
    result = run_gossamer(*crawl_arguments(folder, web.seed, *more), timeout=600)
    assert result.returncode == 0, result.stderr


def crawl_and_kill(folder: Path, web: Served, storm: Storm, *more: str) -> bool:
    """Strike until the crawler is gone or the storm is over. False when the crawl came to its end."""
    command = gossamer_command(*crawl_arguments(folder, web.seed, *more))
    said = folder.with_suffix(".stderr")
    with said.open("wb") as errors:
        crawler = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
    try:
        while not storm.over:
            with suppress(subprocess.TimeoutExpired):
                crawler.wait(storm.chance.uniform(0.2, 2.0))
                break
            storm.strike(crawler.pid)
        code = crawler.wait(600)
    finally:
        if crawler.poll() is None:
            all_at_once(crawler.pid, storm.chance)
    assert code in (0, -signal.SIGKILL), said.read_text()
    return code != 0


def contents(folder: Path, port: int) -> dict[str, object]:
    """Pages by address, with digest, text and links; the port differs from server to server."""

    def here(value: object) -> object:
        return repr(value).replace(f":{port}", ":PORT")

    pages = exported(folder)
    assert len({page["url"] for page in pages}) == len(pages)
    kept = ("status", "media_type", "title", "text")
    return {str(here(page["url"])): [*(here(page[name]) for name in kept), here(targets(page))] for page in pages}


def targets(page: dict[str, Any]) -> list[tuple[str, ...]]:
    """Its links, but for whether they stand in the content: that depends on the pages that were read before."""
    return [(link["url"], link["anchor"], link["rel"]) for link in page["links"]]


def check_archive(folder: Path) -> None:
    verified = run_gossamer("verify", str(folder))
    assert verified.returncode == 0, verified.stdout
    captures = sorted((folder / "shards").glob("*/captures/*.warc.gz"))
    texts = sorted((folder / "shards").glob("*/texts/*.warc.gz"))
    assert captures
    assert texts
    check = [sys.executable, "-m", "warcio.cli", "check", *map(str, [*captures, *texts])]
    result = subprocess.run(check, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def check_log(log: Log, kills: list[Kill], shards: int) -> None:
    assert log.disallowed() == []
    for host in {entry.host for entry in log.entries}:
        assert log.overlaps(host) == []
        assert min(log.gaps(host)) >= DELAY - 0.002
    again: dict[str, list[Entry]] = defaultdict(list)
    for entry in sorted(log.entries, key=lambda entry: entry.began):
        again[entry.url].append(entry)
    repeated = [entry for entries in again.values() for entry in entries[:-1]]
    for entry in repeated:
        shard = keys.shard(entry.host, shards)
        assert any(was_in_flight(entry, kill) for kill in kills if kill.shard in (shard, None)), f"twice: {entry}"
    assert len(repeated) <= len(kills) * HOSTS


def was_in_flight(entry: Entry, kill: Kill) -> bool:
    ended = entry.wall + (entry.ended - entry.began)
    return entry.wall - READ_LAG <= kill.gone <= ended + LAG
