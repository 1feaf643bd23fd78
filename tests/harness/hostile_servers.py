"""Hostile servers beside a good one: does a crawl suffer from its neighbours?

`BEHAVIOURS` is a table of what a server may do to us, and how the crawl must note it. A new one is one entry:

    "says hello for ever": Behaviour(repeats(OK + b"\\r\\n", b"hello ", pause=0.1), noted="too-slow"),

`crawled` serves hosts that behave like that, each on an address of its own below 127.0.0.0/8, and a good site, each
side in a process of its own, so that they do not slow each other down. It crawls them with the command line until the
good site is complete, and gives what the good server saw, what was noted of each hostile host, and how much memory it
took.
`wrong` says what of that breaks a promise. `tests/test_hostile_servers.py` has the small form and the long one.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

if __name__ == "__main__":  # as the process of a server
    sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "fetch")]

from crawler_process import descendants, gossamer_command, wait_for, with_room
from fetch.fetch_hostile import OK, Handler, Talk, answer, repeats, says, serving
from gossamer.collection.ask.reading import Reading
from gossamer.frontier.why import AddressAnswer

PAGE_SIZE = 5_000_000
"""Near the most that is taken of a page."""
MEMORY_MOST = 600 << 20
"""Bytes for the whole tree of processes."""
ENDLESS = OK + b"\r\n"
HTML = b"Content-Type: text/html"


class Behaviour(NamedTuple):
    """What a server does to a request for a page, and what must be noted of it."""

    handle: Handler
    noted: str
    """The words of the first failure begin like this, or `http 200`; they stand in the history of its first page."""
    robots: Handler | None = None
    """What it does to a request for robots.txt; without it there is none."""


def page(body: bytes | Callable[[int], bytes], *fields: bytes) -> Handler:
    """Answers with a page, and links to the next ones: /0 to /1 and so on."""

    async def handle(talk: Talk) -> bool:
        number = number_of(talk)
        text = body if isinstance(body, bytes) else body(number)
        onward = b'<a href="/%d">on</a><a href="/%d">further</a>' % (number + 1, number + 2)
        await talk.send(answer(onward + text, HTML, *fields))
        return True

    return handle


def number_of(talk: Talk) -> int:
    digits = path_of(talk).strip("/").partition("/")[0]
    return int(digits) if digits.isdigit() else 0


def path_of(talk: Talk) -> str:
    return talk.head.split()[1].decode("latin-1")


def filled(piece: bytes, size: int = PAGE_SIZE) -> bytes:
    return piece * (size // len(piece))


def links(number: int, of: int = 60_000) -> bytes:
    """A page of many links, all new."""
    return b"".join(b'<a href="/%d/%d">x</a>' % (number * of + each, each) for each in range(of))


def sitemap(number: int) -> bytes:
    each = "<url><loc>http://x.test/{}</loc></url>"
    return ("<urlset>" + "".join(each.format(at) for at in range(50_000)) + "</urlset>").encode()


async def redirects(talk: Talk) -> bool:
    """Each address leads to the next."""
    number = number_of(talk)
    await talk.send(answer(b"", b"Location: /%d" % (number + 1), status=b"302 Found"))
    return True


def compressed(body: bytes) -> Handler:
    packed = gzip.compress(body, 6)
    return says(answer(packed, HTML, b"Content-Encoding: gzip"), then="keep")


def garbage(size: int = 100_000) -> bytes:
    return random.Random(1).randbytes(size)


async def at_once(talk: Talk) -> None:
    """Closes without a word."""


async def reset(talk: Talk) -> None:
    talk.reset()


BEHAVIOURS: dict[str, Behaviour] = {
    "never answers": Behaviour(says(b"", then="hang"), "timeout: no answer within"),
    "closes at once": Behaviour(at_once, "reset"),
    "resets at once": Behaviour(reset, "reset"),
    "drips the head": Behaviour(repeats(OK, b"X", pause=1.0), "timeout: nothing more came"),
    "drips the body": Behaviour(repeats(ENDLESS, b"x", pause=0.3), "too-slow"),
    "stops in the body": Behaviour(
        says(OK + b"Content-Length: 500\r\n\r\nhello", then="hang"), "timeout: nothing more"
    ),
    "breaks off": Behaviour(says(OK + b"Content-Length: 500\r\n\r\nhello"), "incomplete"),
    "never ends": Behaviour(repeats(ENDLESS, b"<p>words " * 500), "http 200"),
    "thousands of headers": Behaviour(says(OK + b"X-Flood: 1\r\n" * 100_000 + b"\r\n"), "headers-too-large"),
    "is garbage": Behaviour(says(garbage()), "protocol"),
    "redirects for ever": Behaviour(redirects, "redirect"),
    "is a bomb": Behaviour(compressed(bytes(200_000_000)), "http 200"),
    "is many divs": Behaviour(page(filled(b"<a href=1>x<div>")), "http 200"),
    "is many brackets": Behaviour(page(filled(b"<")), "http 200"),
    "is many lists": Behaviour(page(filled(b"<ul><li>")), "http 200"),
    "is many paragraphs": Behaviour(page(filled(b"<p>The word of the day is here, and so are we. ")), "http 200"),
    "is many links": Behaviour(page(links), "http 200"),
    "is many tables": Behaviour(page(filled(b"<table><tr><td>")), "http 200"),
    "is one word": Behaviour(page(filled(b"a")), "http 200"),
    "has a slow robots.txt": Behaviour(page(b"<p>here"), "", repeats(ENDLESS, b"#", pause=0.3)),
    "has a large robots.txt": Behaviour(
        page(b"<p>here"), "http 200", says(answer(filled(b"Disallow: /*a*b*c$\n", 500_000)))
    ),
    "is a large file": Behaviour(
        says(answer(b"%PDF-1.4\n" + garbage(20_000_000), b"Content-Type: application/pdf")), "http 200"
    ),
    "is a large text": Behaviour(
        says(answer(filled(b"word and word \n", 9_000_000), b"Content-Type: text/plain")), "http 200"
    ),
    "is a sitemap": Behaviour(says(answer(sitemap(0), b"Content-Type: application/xml"), then="keep"), "http 200"),
}


# ---------------------------------------------------------------------- servers


def good_page(number: int, of: int) -> bytes:
    """An ordinary page that links to the next ones."""
    words = " ".join(random.Random(number).choices(WORDS, k=400))
    onward = "".join(f'<li><a href="/{each}">page {each}</a>' for each in range(number + 1, min(number + 6, of)))
    return f"<title>Page {number}</title><h1>Page {number}</h1><p>{words}</p><ul>{onward}</ul>".encode()


WORDS = ("river", "stone", "market", "letter", "garden", "winter", "doctor", "bridge", "music", "window", "silver")


def good(pages: int) -> Handler:
    async def handle(talk: Talk) -> bool:
        path = path_of(talk)
        if path.strip("/").isdigit() or path == "/":
            await talk.send(answer(good_page(int(path.strip("/") or 0), pages), HTML))
        else:
            await talk.send(answer(b"", status=b"404 Not Found"))
        return True

    return handle


def hostile(behaviour: Behaviour) -> Handler:
    nothing = says(answer(b"", status=b"404 Not Found"), then="keep")

    async def handle(talk: Talk) -> bool | None:
        robots = path_of(talk) == "/robots.txt"
        return await ((behaviour.robots or nothing) if robots else behaviour.handle)(talk)

    return handle


def logged(handler: Handler, log: Callable[[str], None]) -> Handler:
    async def handle(talk: Talk) -> bool | None:
        log(json.dumps([time.monotonic(), path_of(talk)]) + "\n")
        return await handler(talk)

    return handle


async def serve(handlers: dict[str, Handler]) -> None:
    """Serve each at its address until standard input ends."""
    async with AsyncExitStack() as stack:
        ports = {}
        for address, handler in handlers.items():
            ports[address] = (await stack.enter_async_context(serving(handler, at=(address, 0)))).port
        print(json.dumps(ports), flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


def main() -> None:
    what, *more = sys.argv[1:]
    if what == "good":
        with open(more[1], "w", buffering=1) as log:
            asyncio.run(serve({"127.0.9.1": logged(good(int(more[0])), log.write)}))
    else:
        asyncio.run(serve({_address(at): hostile(BEHAVIOURS[name]) for at, name in enumerate(more)}))


def _address(number: int) -> str:
    return f"127.1.{number // 250}.{number % 250 + 1}"


@contextmanager
def _process(*arguments: str) -> Iterator[dict[str, int]]:
    """The ports by address."""
    command = [sys.executable, __file__, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield json.loads(server.stdout.readline())
        finally:
            server.kill()


# ---------------------------------------------------------------------- crawls


class Seen(NamedTuple):
    """What came of a crawl."""

    asked: list[tuple[float, str]]
    """When the good server was asked, and for what."""
    noted: dict[str, tuple[str, ...]]
    """The history of the first page of each hostile host, by the name of its behaviour."""
    memory: int
    """The most bytes that all its processes took at a time."""
    errors: str

    @property
    def gaps(self) -> list[float]:
        times = [at for at, path in self.asked]
        return [after - before for before, after in pairwise(times)]

    @property
    def seconds(self) -> float:
        return self.asked[-1][0] - self.asked[0][0]


def crawled(
    folder: Path,
    behaviours: Sequence[str],
    *options: str,
    pages: int = 40,
    patience: float = 300.0,
    settings: Mapping[str, float] = MappingProxyType({}),
) -> Seen:
    """Crawl the good site beside these until it is complete."""
    log = folder.with_suffix(".log")
    with _process("good", str(pages), str(log)) as ports, _process("hostile", *behaviours) as others:
        seeds = [f"http://{address}:{port}/" for address, port in (others | ports).items()]
        with (with_room(folder) / "plan.toml").open("a") as plan:
            plan.writelines(f"{name} = {value}\n" for name, value in settings.items())
        arguments = ("crawl", str(folder), *seeds, "--allow-address", "127.0.0.0/8", *options)
        with folder.with_suffix(".err").open("w+") as errors:
            crawl = subprocess.Popen(gossamer_command(*arguments), stdout=subprocess.DEVNULL, stderr=errors)
            try:
                memory = _watch(crawl, log, pages, patience)
            finally:
                _stop(crawl)
            errors.seek(0)
            text = errors.read()
    asked = [tuple(json.loads(line)) for line in log.read_text().splitlines()]
    return Seen(asked, _noted(folder, dict(zip(behaviours, seeds, strict=False))), memory, text)


def _stop(crawl: subprocess.Popen[bytes]) -> None:
    """Hostile hosts are not waited for: once more stops now. A shard without anybody in charge commits and ends."""
    tree = descendants(crawl.pid)
    for _ in range(2):
        crawl.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            crawl.wait(10)
    crawl.kill()
    crawl.wait()
    wait_for(lambda: not any(Path(f"/proc/{process}").exists() for process in tree))


def _watch(crawl: subprocess.Popen[bytes], log: Path, pages: int, patience: float) -> int:
    """Until the good site is complete."""
    most, until = 0, time.monotonic() + patience
    while time.monotonic() < until and crawl.poll() is None:
        most = max(most, sum(map(_memory, [crawl.pid, *descendants(crawl.pid)])))
        if _pages_asked(log) >= pages:
            break
        time.sleep(0.1)
    return most


def _pages_asked(log: Path) -> int:
    paths = {json.loads(line)[1].strip("/") or "0" for line in log.read_text().splitlines()}
    return sum(path.isdigit() for path in paths)


def _memory(process: int) -> int:
    """Bytes that a process has for itself, and its share of what it has together with others."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def _noted(folder: Path, seeds: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    with Reading(folder) as collection:
        return {name: tuple(words for _, words in _history(collection, seed)) for name, seed in seeds.items()}


def _history(collection: Reading, url: str) -> tuple[tuple[float, str], ...]:
    answer = collection.why(url)
    assert isinstance(answer, AddressAnswer)
    return answer.history


def wrong(seen: Seen, pages: int, delay: float) -> list[str]:
    """Which promises did not hold?"""
    paths = [path.strip("/") or "0" for _, path in seen.asked]
    times = {each: paths.count(str(each)) for each in range(pages)}
    found = [f"page {each} was fetched {count} times" for each, count in times.items() if count != 1]
    found += [f"a gap of {gap:.3f} s" for gap in seen.gaps if gap < delay]
    found += [f"{seen.memory >> 20} MiB of memory"] * (seen.memory > MEMORY_MOST)
    found += [line for line in seen.errors.splitlines() if "Traceback" in line or "bug" in line]
    for name, history in seen.noted.items():
        if history and not history[0].startswith(BEHAVIOURS[name].noted):
            found.append(f"a host that {name} was noted as {history[0]!r}")
    return found


if __name__ == "__main__":
    main()
