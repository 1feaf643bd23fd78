"""What does serving cost? Whole answers over HTTP, a server that nobody asks, and one beside a crawl.

    python bench/serve.py --pages 200_000 --idle 60 --pairs 12

The collection is that of bench/search.py, and so are the questions. A client is a process with one connection, and has
the next question when it has its answer: with eight of them the server is as busy as it can be, so what an answer then
takes is mostly waiting for others. CPU is that of the server, of all threads.

People read an answer before they have the next question: eight of them ask one in a second or so, each by themselves.

Beside a crawl, somebody watches the dashboard and asks a question a second, for some seconds, and then does not, in
turn. It is one crawl, and the turns are short: two crawls, one after the other, differ more than what is looked for,
and two at once slow each other down. What counts is the CPU of all processes of the crawl for a page that is asked of
the web; beside it, how many pages come in a second, and the CPU of the server.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from random import Random
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


def asked(port: int, some: list[str], clients: int, rest: float, number: int) -> list[float]:
    """Seconds for each answer of one of the clients, from the first byte that is sent to the last that comes. Before
    each question a client rests, about so long."""
    connection, took = http.client.HTTPConnection("127.0.0.1", port, timeout=60), []
    for text in some[:WARM]:
        ask(connection, text)
    random = Random(number)
    for text in some[number::clients]:
        time.sleep(random.uniform(0.0, 2 * rest))
        began = time.perf_counter()
        ask(connection, text)
        took.append(time.perf_counter() - began)
    return took


def answers(server: Server, some: list[str], clients: int, rest: float = 0.0) -> str:
    with ProcessPoolExecutor(clients) as pool:
        before = server.cpu
        each = pool.map(partial(asked, server.port, some, clients, rest), range(clients))
        took = [seconds for mine in each for seconds in mine]
    spent = (server.cpu - before) / (len(took) + WARM * clients)
    half, last = (1e3 * value for value in np.percentile(took, (50, 99)))
    words = "1 client" if clients == 1 else f"{clients} people" if rest else f"{clients} clients"
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


class Spent(NamedTuple):
    """Until now."""

    crawl: float
    """CPU seconds."""
    server: float
    pages: int
    """That were asked for."""
    seconds: float

    def since(self, before: Spent) -> Spent:
        return Spent(*(now - then for now, then in zip(self, before, strict=True)))

    @property
    def each(self) -> float:
        """CPU seconds of the crawl for a page."""
        return self.crawl / max(self.pages, 1)


def spent(session: int, server: Server, log: Path) -> Spent:
    """By the crawl with all its processes, those that have ended too, and by the server."""
    ticks = 0
    for each in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            fields = each.read_text().rpartition(") ")[2].split()
            ticks += sum(map(int, fields[11:15])) if int(fields[3]) == session else 0
    return Spent(ticks / TICKS, server.cpu, log.read_bytes().count(b"\n"), time.perf_counter())


@contextmanager
def watched(port: int) -> Iterator[None]:
    """Somebody has the dashboard open and asks questions."""
    over = threading.Event()
    looking = [threading.Thread(target=each, args=(port, over), daemon=True) for each in (watch, renew, wonder)]
    for each in looking:
        each.start()
    try:
        yield
    finally:
        over.set()
        for each in looking:
            each.join()


def beside(seed: str, log: Path, folder: Path, pairs: int, phase: float) -> Iterator[str]:
    """One crawl, of which each second phase is watched: first and second in turn, so that it does not matter if a page
    costs more the more there are."""
    crawl = [sys.executable, "-m", "gossamer", "crawl", str(folder), "--quiet"]
    subprocess.run([*crawl, seed, *OURS, "--shards", "2", "--pages", "1"], check=True, stdout=subprocess.DEVNULL)
    with serving(folder) as server:
        process = subprocess.Popen([*crawl, "--pages", "0"], stdout=subprocess.DEVNULL, start_new_session=True)
        try:
            time.sleep(max(phase, 1.0))  # what it takes to load and to open everything is no cost of the crawl
            with watched(server.port):
                time.sleep(max(phase, 1.0))
            found = list(phases(process, server, log, pairs, phase))
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()
    if not found:
        yield "beside     nothing to compare: the crawl ended too soon; --crawl makes it longer"
        return
    with_, without = ([each[seen] for each in found] for seen in (True, False))
    ratios = [a.each / b.each for a, b in zip(with_, without, strict=True)]
    said = ", ".join(f"{each - 1:+.1%}" for each in ratios)
    whole, other = together(with_), together(without)
    yield f"beside     a page takes {whole.each / other.each - 1:+.1%} CPU of the crawl where it is watched; target 3%"
    yield f"           by pairs {median(ratios) - 1:+.1%} in the median ({said})"
    pace, usual = (each.pages / each.seconds for each in (whole, other))
    yield f"           {pace:.0f} pages a second where it is watched, {usual:.0f} where it is not"
    share = whole.server / whole.crawl
    yield f"           the server has {whole.server / whole.seconds:.1%} of a core, {share:.1%} of what the crawl has"


def phases(
    crawl: subprocess.Popen[bytes], server: Server, log: Path, pairs: int, phase: float
) -> Iterator[dict[bool, Spent]]:
    """What was spent with and without, pair by pair, as long as the crawl goes on."""
    for number in range(pairs):
        pair = {}
        for is_watched in (True, False) if number % 2 else (False, True):
            with watched(server.port) if is_watched else nullcontext():
                time.sleep(min(phase / 4, 1.0))  # until what the phase before has begun is done
                before = spent(crawl.pid, server, log)
                time.sleep(phase)
                pair[is_watched] = spent(crawl.pid, server, log).since(before)
        if crawl.poll() is not None:
            print(f"           the crawl ended after {number} of {pairs} pairs", flush=True)
            return
        yield pair


def together(some: list[Spent]) -> Spent:
    """Their sums."""
    return Spent(*map(sum, zip(*some, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=5_000, help="that are searched (5,000)")
    parser.add_argument("--questions", type=int, default=400, help="for each number of clients (400)")
    parser.add_argument("--rest", type=float, default=1.0, metavar="S", help="of people between two questions (1)")
    parser.add_argument("--idle", type=float, default=10.0, metavar="S", help="how long nobody asks (10)")
    parser.add_argument("--crawl", type=int, default=1_500, metavar="N", help="pages of each of 8 hosts (1,500)")
    parser.add_argument("--pairs", type=int, default=4, help="of phases that are watched and are not (4)")
    parser.add_argument("--phase", type=float, default=5.0, metavar="S", help="how long each is (5)")
    parser.add_argument("--keep", type=Path, help="make the collection here, or use the one that is there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = options.keep or Path(folder) / "web"
        if not place.exists():
            collect(place, options.pages, shards=2)
        some = questions(Made(options.pages), "usual", options.questions)
        print(f"serve  {options.pages:,} pages, whole answers of /api/v1/search over HTTP", flush=True)
        with serving(place) as server:
            for clients, rest in ((1, 0.0), (CLIENTS, 0.0), (CLIENTS, options.rest)):
                print(answers(server, some, clients, rest), flush=True)
            print(idle(server, options.idle), flush=True)
        if options.pairs:
            log = Path(folder) / "log"
            with served(options.crawl, log) as seed:
                for line in beside(seed, log, Path(folder) / "crawl", options.pairs, options.phase):
                    print(line, flush=True)


if __name__ == "__main__":
    main()
