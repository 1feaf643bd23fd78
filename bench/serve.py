"""What does serving cost? Whole answers over HTTP, a server that nobody asks, and one beside a crawl.

    python bench/serve.py --pages 200_000 --idle 60 --rounds 5

The collection is that of bench/search.py, and so are the questions. A client is a process with one connection, and has
the next question when it has its answer: with eight of them the server is as busy as it can be, so what an answer then
takes is mostly waiting for others. CPU is that of the server, of all threads.

Beside a crawl, somebody watches the dashboard and asks a question a second. The same crawl runs at the same time
without that: whatever else the machine does, it does to both. What counts is the CPU of the crawl, and beside it that
of the server.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple
from urllib.parse import quote, urlsplit

import numpy as np
from run import OURS, served

from search import CLIENTS, Made, collect, questions

WARM = 20
"""Questions of each client that do not count: readers are opened by the first."""
TICKS = os.sysconf("SC_CLK_TCK")


class Server(NamedTuple):
    """One of ours, as a process."""

    pid: int
    port: int

    @property
    def cpu(self) -> float:
        """Seconds until now, of all its threads."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


@contextmanager
def serving(place: Path) -> Iterator[Server]:
    """Until the end of the block."""
    command = [sys.executable, "-m", "gossamer", "serve", str(place), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        port = urlsplit(next(word for word in said.split() if word.startswith("http"))).port
        assert port is not None
        yield Server(process.pid, port)
    finally:
        process.terminate()
        process.wait()


def ask(connection: http.client.HTTPConnection, question: str) -> None:
    connection.request("GET", f"/api/v1/search?q={quote(question)}")
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status in (200, 503), body  # a busy server says so


def asked(port: int, some: list[str], clients: int, number: int) -> list[float]:
    """Seconds for each answer of one of the clients, from the first byte that is sent to the last that comes."""
    connection, took = http.client.HTTPConnection("127.0.0.1", port, timeout=60), []
    for text in some[:WARM]:
        ask(connection, text)
    for text in some[number::clients]:
        began = time.perf_counter()
        ask(connection, text)
        took.append(time.perf_counter() - began)
    return took


def answers(server: Server, some: list[str], clients: int) -> str:
    with ProcessPoolExecutor(clients) as pool:
        before = server.cpu
        each = pool.map(partial(asked, server.port, some, clients), range(clients))
        took = [seconds for mine in each for seconds in mine]
    spent = (server.cpu - before) / (len(took) + WARM * clients)
    half, last = (1e3 * value for value in np.percentile(took, (50, 99)))
    words = "1 client" if clients == 1 else f"{clients} clients"
    return f"{words:<10} median {half:6.1f} ms, 99 of 100 in {last:6.1f} ms; {1e3 * spent:5.1f} ms of CPU an answer"


def idle(server: Server, seconds: float) -> str:
    """After somebody has asked, so that everything is open."""
    before = server.cpu
    time.sleep(seconds)
    return f"idle       {(server.cpu - before) / seconds:.2%} of a core over {seconds:g} s; target 0.5%"


# ------------------------------------------------------------------------------- beside a crawl


RENEWED = {"hosts": 5, "reasons": 5, "charts": 30}
"""Parts of the dashboard that a browser asks for anew, and after how many seconds."""


def renew(port: int, over: threading.Event) -> None:
    """The parts of the dashboard that no event brings, as a browser has it open."""
    for second in itertools.count(1):
        if over.wait(1.0):
            break
        for name in (name for name, every in RENEWED.items() if second % every == 0):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            with suppress(OSError):  # the server may end first
                connection.request("GET", f"/crawl/{name}")
                connection.getresponse().read()
            connection.close()


def watch(port: int, over: threading.Event) -> None:
    """The dashboard, as a browser has it open."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/crawl")
    connection.getresponse().read()
    connection.request("GET", "/crawl/events")
    answer = connection.getresponse()
    with suppress(OSError):  # the server may end first
        while not over.is_set() and answer.readline():
            pass
    connection.close()


def wonder(port: int, over: threading.Event) -> None:
    """A question a second."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    while not over.wait(1.0):
        ask(connection, "water")
    connection.close()


class Costs(NamedTuple):
    """CPU seconds of a crawl, of the server meanwhile, and how long it took."""

    crawl: float
    server: float
    seconds: float


def crawled(seed: str, place: Path, *, is_served: bool) -> Costs:
    """A whole crawl of the made web; somebody looks at it, or nobody does."""
    command = [sys.executable, "-m", "gossamer", "crawl", str(place), "--quiet"]
    subprocess.run([*command, seed, *OURS, "--shards", "2", "--pages", "1"], check=True, stdout=subprocess.DEVNULL)
    command += ["--pages", "0"]
    if not is_served:
        crawl, seconds = cost_of(command)
        return Costs(crawl, 0.0, seconds)
    over = threading.Event()
    with serving(place) as server:
        looking = [
            threading.Thread(target=each, args=(server.port, over), daemon=True) for each in (watch, renew, wonder)
        ]
        for each in looking:
            each.start()
        time.sleep(2.5)  # what it takes to load and to open everything is no cost of the crawl
        before = server.cpu
        crawl, seconds = cost_of(command)
        spent = server.cpu - before
        over.set()
        for each in looking:
            each.join()
    return Costs(crawl, spent, seconds)


def cost_of(command: list[str]) -> tuple[float, float]:
    """CPU seconds of a command with all its processes, and how long it took."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, command
    return used.ru_utime + used.ru_stime, time.perf_counter() - began


def beside(seed: str, folder: Path, rounds: int) -> Iterator[str]:
    """The same crawl with and without, at once."""
    with_, without = list[Costs](), list[Costs]()
    for number in range(rounds):
        with ThreadPoolExecutor() as pool:
            one, other = (
                pool.submit(crawled, seed, folder / f"{number}-{is_served}", is_served=is_served)
                for is_served in (True, False)
            )
        with_.append(one.result())
        without.append(other.result())
    ratio = median(a.crawl / b.crawl for a, b in zip(with_, without, strict=True))
    crawl, server = median(each.crawl for each in with_), median(each.server for each in with_)
    each = ", ".join(f"{a.crawl / b.crawl - 1:+.1%}" for a, b in zip(with_, without, strict=True))
    yield f"beside     a crawl takes {ratio - 1:+.1%} CPU where it is watched ({each}); target 3%"
    took = median(each.seconds for each in with_)
    yield f"           the server took {server:.2f} s of CPU meanwhile, the crawl {crawl:.2f} s, in {took:.1f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=5_000, help="that are searched (5,000)")
    parser.add_argument("--questions", type=int, default=400, help="for each number of clients (400)")
    parser.add_argument("--idle", type=float, default=10.0, metavar="S", help="how long nobody asks (10)")
    parser.add_argument("--crawl", type=int, default=250, metavar="N", help="pages of each of 8 hosts (250)")
    parser.add_argument("--rounds", type=int, default=2, help="crawls with and without (2)")
    parser.add_argument("--keep", type=Path, help="make the collection here, or use the one that is there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = options.keep or Path(folder) / "web"
        if not place.exists():
            collect(place, options.pages, shards=2)
        some = questions(Made(options.pages), "usual", options.questions)
        print(f"serve  {options.pages:,} pages, whole answers of /api/v1/search over HTTP", flush=True)
        with serving(place) as server:
            for clients in (1, CLIENTS):
                print(answers(server, some, clients), flush=True)
            print(idle(server, options.idle), flush=True)
        if options.rounds:
            with served(options.crawl) as seed:
                for line in beside(seed, Path(folder), options.rounds):
                    print(line, flush=True)


if __name__ == "__main__":
    main()
