"""What do other crawlers pay for the same web? CPU seconds for 1,000 pages, as a table and a picture.

    make peers                              installs Scrapy and Crawlee beside, and runs them all
    python bench/peers.py --picture FILE    those that are here; `--pages N` of each of 8 hosts (150)

Each crawls a made web of eight hosts to its end, one after the other, without a delay. CPU is user and system time of
the program and of all its children, start-up included; pages are counted by the server, which is a process of its own.
Some do less than others: what each keeps stands beside it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import NamedTuple

from run import HERE, OURS, WEB, cpu_of

HOSTS = 8
ROW, LEFT, WIDE, RIGHT = 26, 330, 380, 70
"""Pixels of the picture: of a bar and what is above it, of the names, of the longest bar, of its figure."""


class Peer(NamedTuple):
    """One program."""

    name: str
    keeps: str
    program: str
    """What has to be installed."""
    command: list[str]


class Cost(NamedTuple):
    """What it paid."""

    peer: Peer
    pages: int
    seconds: float
    """Of CPU, for 1,000 pages."""


def peers(seed: str, folder: Path, python: str) -> list[Peer]:
    """All that we know how to ask, each with a folder of its own. `python` has Scrapy and Crawlee."""
    domains = ",".join(f"127.0.1.{number}" for number in range(1, HOSTS + 1))
    follows = ["--quiet", "--recursive", "--level=inf", "--span-hosts", f"--domains={domains}"]
    ours = [sys.executable, "-m", "gossamer", "crawl"]
    alone = [*OURS, "--shards", "1", "--quiet"]
    collect, build = [*ours, f"{folder}/a", seed, *alone, "--no-build"], [*ours, f"{folder}/b", seed, *alone]
    return [
        Peer("wget2", "files", "wget2", ["wget2", *follows, "-P", f"{folder}/wget2"]),
        Peer("wget", "WARC", "wget", ["wget", *follows, "-P", f"{folder}/wget", f"--warc-file={folder}/wget"]),
        Peer("Gossamer --no-build", "WARC, state, links", "gossamer", collect),
        Peer("Gossamer", "all that, texts, index, graph", "gossamer", build),
        Peer("Scrapy", "nothing", "scrapy", [python, str(HERE / "scrapy_spider.py")]),
        Peer("Crawlee for Python", "nothing", "crawlee", [python, str(HERE / "crawlee_spider.py")]),
    ]


@contextmanager
def served(pages: int, log: Path) -> Iterator[str]:
    """The seed of a made web; each request becomes a line of the log."""
    command = [sys.executable, "-m", "gossamer.testing", *WEB, "--pages", str(pages), "--log", str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield json.loads(server.stdout.readline())["seed"]
        finally:
            server.terminate()


def is_here(peer: Peer, python: str) -> bool:
    """Can it be run?"""
    if peer.program in ("scrapy", "crawlee"):
        probe = [python, "-c", f"import {peer.program}"]
        return subprocess.run(probe, capture_output=True, check=False).returncode == 0
    return peer.program == "gossamer" or shutil.which(peer.program) is not None


def measured(peer: Peer, seed: str, log: Path) -> Cost:
    """Run it, and count what it was given: each address once, robots.txt and what is no page not at all."""
    before = log.stat().st_size
    command = peer.command if seed in peer.command else [*peer.command, seed]
    seconds, _ = cpu_of(command)
    with log.open(encoding="utf-8") as lines:
        lines.seek(before)
        asked = [json.loads(line) for line in lines]
    pages = {each["url"] for each in asked if each["status"] == 200 and not each["url"].endswith("/robots.txt")}
    return Cost(peer, len(pages), 1_000 * seconds / max(len(pages), 1))


def table(costs: Sequence[Cost]) -> str:
    """For the docs."""
    rows = [f"| {cost.peer.name} | {cost.peer.keeps} | {cost.pages:,} | {cost.seconds:.2f} |" for cost in costs]
    return "\n".join(["| | keeps | pages | CPU s per 1,000 |", "|---|---|---|---|", *rows])


def picture(costs: Sequence[Cost]) -> str:
    """The same as bars."""
    most = max(cost.seconds for cost in costs)
    height = ROW * len(costs) + 40
    bars = []
    for number, (peer, _, seconds) in enumerate(costs):
        middle, long = 32 + ROW * number + ROW // 2, max(1, round(WIDE * seconds / most))
        kind = "ours" if peer.program == "gossamer" else "theirs"
        bars.append(
            f'<text text-anchor="end" x="{LEFT - 8}" y="{middle + 4}">{escape(peer.name)}'
            f' <tspan class="faint">({escape(peer.keeps)})</tspan></text>'
            f'<rect class="{kind}" x="{LEFT}" y="{middle - 8}" width="{long}" height="16"/>'
            f'<text x="{LEFT + long + 6}" y="{middle + 4}">{seconds:.1f}</text>'
        )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDE + RIGHT} {height}" role="img">',
            "<title>CPU seconds for 1,000 pages of the same web</title>",
            "<style>",
            "  .ground { fill: #ffffff } text { font: 12px sans-serif; fill: #24292f } .faint { fill: #57606a }",
            "  .title { font-weight: bold; font-size: 13px } .ours { fill: #0969da } .theirs { fill: #afb8c1 }",
            "  @media (prefers-color-scheme: dark) {",
            "    .ground { fill: #0d1117 } text { fill: #e6edf3 } .faint { fill: #8b949e }",
            "    .ours { fill: #58a6ff } .theirs { fill: #484f58 }",
            "  }",
            "</style>",
            f'<rect class="ground" width="{LEFT + WIDE + RIGHT}" height="{height}"/>',
            f'<text class="title" x="{LEFT}" y="18">CPU seconds for 1,000 pages</text>',
            *bars,
            "</svg>\n",
        ]
    )


def main() -> None:
    """Print the table, and what is missing."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pages", type=int, default=150, metavar="N", help="of each of 8 hosts (150)")
    options.add_argument("--python", default=sys.executable, metavar="FILE", help="with Scrapy and Crawlee (this one)")
    options.add_argument("--picture", type=Path, metavar="FILE", help="an SVG file")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, log = Path(name), Path(name) / "log"
        with served(asked.pages, log) as seed:
            known = peers(seed, folder, asked.python)
            costs = [measured(peer, seed, log) for peer in known if is_here(peer, asked.python)]
    costs.sort(key=lambda cost: cost.seconds)
    print(table(costs))
    if missing := sorted({peer.program for peer in known} - {cost.peer.program for cost in costs}):
        print(f"\nnot installed: {', '.join(missing)}; `make peers` brings those of Python, apt-get wget and wget2")
    if asked.picture:
        asked.picture.write_text(picture(costs), encoding="utf-8")


if __name__ == "__main__":
    main()
