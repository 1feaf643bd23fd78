"""What does a page cost? CPU seconds per 1,000 pages of a made web, beside Scrapy where it is installed, by stage.

    make bench

Absolute times mean little on a shared machine; the ratio within one run does. The server is a process of its own
and does not count.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gossamer
from gossamer.collection import fast_loop
from gossamer.collection.crawl.session import Session

WEB = ("--hosts", "8", "--words", "300", "3000", "--links", "40", "--seed", "3")
OURS = ("--scope", "any", "--delay", "0", "--per-host", "8", "--allow-address", "127.0.0.0/8")
HERE = Path(__file__).parent


@contextmanager
def served(pages: int, log: Path | None = None) -> Iterator[str]:
    """The seed of a made web that another process serves, with so many pages on each host."""
    command = [sys.executable, "-m", "gossamer.testing", *WEB, "--pages", str(pages)]
    command += ["--log", str(log)] if log else []
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield json.loads(server.stdout.readline())["seed"]
    finally:
        server.terminate()
        server.wait()


def cpu_of(command: list[str]) -> tuple[float, str]:
    """User and system seconds of a command, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result.stdout


def gossamer_cost(seed: str, folder: str, shards: int) -> tuple[float, int]:
    """CPU seconds and pages of our own crawl: start-up, archive, table and digests included."""
    asked = ("crawl", f"{folder}/web{shards}", seed, *OURS, "--shards", str(shards), "--json")
    cpu, said = cpu_of([sys.executable, "-m", "gossamer", *asked])
    return cpu, json.loads(said)["pages"]


def scrapy_cost(seed: str) -> tuple[float, int] | None:
    """The same for a stock Scrapy spider that follows every link and keeps nothing."""
    if importlib.util.find_spec("scrapy") is None:
        return None
    cpu, said = cpu_of([sys.executable, str(HERE / "scrapy_spider.py"), seed])
    return cpu, int(said.split()[-1])


def by_stage(seed: str, folder: str) -> tuple[Counter[str], int]:
    """CPU seconds by stage of the loop, in one process; what is left over is the event loop, libcurl and start-up."""
    spent: Counter[str] = Counter()

    def timed(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **named: Any) -> Any:
            began = time.process_time()
            try:
                return work(*arguments, **named)
            finally:
                spent[name] += time.process_time() - began

        return run

    original = Session.__init__

    def watched(self: Session, *arguments: Any, **named: Any) -> None:
        original(self, *arguments, **named)
        self._reader.begin = timed("convert", self._reader.begin)  # type: ignore[method-assign]  # a stopwatch around it
        self._derived.keep = timed("index, prints", self._derived.keep)  # type: ignore[method-assign]  # the same
        self._derived.mark = timed("near copies", self._derived.mark)  # type: ignore[method-assign]  # the same
        self.archive.append = timed("store", self.archive.append)  # type: ignore[method-assign]  # the same
        self._stages.mark = timed("exact copies", self._stages.mark)
        self.frontier.done = timed("frontier", self.frontier.done)  # type: ignore[method-assign]  # the same

    Session.__init__ = watched  # type: ignore[assignment,method-assign]  # only in this process
    began = time.process_time()
    settings: dict[str, Any] = {"scope": "any", "delay": 0, "ip_delay": 0, "per_host": 8, "shards": 1}
    settings["allow_addresses"] = ("127.0.0.0/8",)
    crawl = gossamer.open(f"{folder}/staged").crawl_async(seed, **settings)
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        status = runner.run(crawl)
    spent["fetch, event loop"] = time.process_time() - began - spent.total()
    return spent, status.pages


def main() -> None:
    """Print two small tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pages", type=int, default=250, metavar="N", help="of each of 8 hosts (250)")
    with served(options.parse_args().pages) as seed, tempfile.TemporaryDirectory() as folder:
        for shards in (2, 1):
            cpu, pages = gossamer_cost(seed, folder, shards)
            print(f"gossamer  {1000 * cpu / pages:6.2f} CPU s per 1,000 pages ({pages:,} pages, shards: {shards})")
        peer = scrapy_cost(seed)
        if peer is None:
            print("scrapy    not installed; `pip install scrapy` puts it beside")
        else:
            print(f"scrapy    {1000 * peer[0] / peer[1]:6.2f} CPU s per 1,000 pages ({peer[1]:,} pages)")
            print(f"ratio     {(peer[0] / peer[1]) / (cpu / pages):6.2f}")
        spent, pages = by_stage(seed, folder)
        for name, seconds in spent.most_common():
            print(f"  {name:<18}{1e6 * seconds / pages:7.0f} us a page")


if __name__ == "__main__":
    main()
