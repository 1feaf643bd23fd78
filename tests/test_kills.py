"""`kill -9` at any instant: nothing fetched is lost, nothing is fetched twice but what was in flight."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import pytest

from crawler_process import Served, crawl_arguments, exported, gossamer_command, run_gossamer, served_web
from gossamer.testing import Log
from gossamer.testing.log import Entry

DELAY = 0.05
HOSTS = 4
LAG = 1.0
"""Seconds that a loaded machine may take from the last byte sent to the capture written."""
READ_LAG = 0.25
"""Seconds for which a request may lie in the server's socket after its sender was killed; a restart takes longer."""
WEB = (
    *("--hosts", str(HOSTS), "--gzip", "--robots.rules", "0.5", "--robots.delays", "0.5", "--robots.delay", "0.1"),
    *("--errors.missing", "0.1", "--redirects.chains", "0.1", "--redirects.hops", "2", "--redirects.across", "0.5"),
    *("--copies.exact", "0.1", "--sitemaps.hosts", "0.5", "--sitemaps.orphans", "3", "--marks.nofollow-links", "0.1"),
)


def test_a_crawl_that_is_killed_again_and_again_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    crawl_with_kills(tmp_path, pages=25, kills=4, seed=11)


@pytest.mark.soak
def test_fifty_kills_change_nothing(tmp_path: Path) -> None:
    crawl_with_kills(tmp_path, pages=400, kills=50, seed=12)


def crawl_with_kills(folder: Path, *, pages: int, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    options = (*WEB, "--pages", str(pages), "--seed", str(seed))
    with served_web(folder / "calm.log", *options) as web:
        crawl_to_the_end(folder / "calm", web)
        calm = contents(folder / "calm", web.port)
    with served_web(folder / "storm.log", *options) as web:
        moments = [killed for _ in range(kills) if (killed := crawl_and_kill(folder / "storm", web, chance))]
        crawl_to_the_end(folder / "storm", web)
        storm = contents(folder / "storm", web.port)
    assert len(moments) >= kills // 2, "the crawl was over before it could be killed"
    assert storm == calm
    check_archive(folder / "storm")
    check_log(Log.read(folder / "storm.log"), moments)


def crawl_to_the_end(folder: Path, web: Served) -> None:
    result = run_gossamer(*crawl_arguments(folder, web.seed), timeout=600)
    assert result.returncode == 0, result.stderr


def crawl_and_kill(folder: Path, web: Served, chance: random.Random) -> float | None:
    """The wall time when the process was gone; None when the crawl was faster."""
    crawler = subprocess.Popen(gossamer_command(*crawl_arguments(folder, web.seed)), stdout=subprocess.DEVNULL)
    try:
        crawler.wait(chance.uniform(0.2, 2.0))
        return None
    except subprocess.TimeoutExpired:
        crawler.kill()
        crawler.wait()
        return time.time()


def contents(folder: Path, port: int) -> dict[str, object]:
    """Pages by address, with digest, text and links; the port differs from server to server."""

    def here(value: object) -> object:
        return repr(value).replace(f":{port}", ":PORT")

    pages = exported(folder)
    assert len({page["url"] for page in pages}) == len(pages)
    kept = ("status", "media_type", "title", "text", "links")
    return {str(here(page["url"])): [here(page[name]) for name in kept] for page in pages}


def check_archive(folder: Path) -> None:
    verified = run_gossamer("verify", str(folder))
    assert verified.returncode == 0, verified.stdout
    files = sorted((folder / "shards" / "00" / "captures").glob("*.warc.gz"))
    assert files
    for path in files:
        check = [sys.executable, "-m", "warcio.cli", "check", str(path)]
        result = subprocess.run(check, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout


def check_log(log: Log, kills: list[float]) -> None:
    assert log.disallowed() == []
    for host in {entry.host for entry in log.entries}:
        assert log.overlaps(host) == []
        assert min(log.gaps(host)) >= DELAY - 0.002
    again: dict[str, list[Entry]] = defaultdict(list)
    for entry in sorted(log.entries, key=lambda entry: entry.began):
        again[entry.url].append(entry)
    repeated = [entry for entries in again.values() for entry in entries[:-1]]
    for entry in repeated:
        ended = entry.wall + (entry.ended - entry.began)
        assert any(entry.wall - READ_LAG <= kill <= ended + LAG for kill in kills), f"fetched twice: {entry}"
    assert len(repeated) <= len(kills) * HOSTS
