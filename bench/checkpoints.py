"""What does a checkpoint cost? The same crawl without a store and with one, and how long it takes to come back.

    python bench/checkpoints.py [--pages 60] [--store s3://BUCKET/PATH]

A store in a folder of this machine shows what we do ourselves; to that comes the time of the network.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from run import OURS, cpu_of, served

from gossamer.depot.depot import Depot
from gossamer.depot.heads import Head

SHARDS = 2


def crawled(seed: str, folder: Path, *more: str) -> tuple[float, float, int]:
    """CPU seconds, seconds and pages of a crawl."""
    began = time.monotonic()
    words = ("crawl", str(folder), seed, *OURS, "--shards", str(SHARDS), "--json", *more)
    cpu, said = cpu_of([sys.executable, "-m", "gossamer", *words])
    return cpu, time.monotonic() - began, json.loads(said)["pages"]


def told(name: str, cpu: float, seconds: float, pages: int) -> str:
    return f"{name:<28} {1_000 * cpu / pages:6.2f} CPU s per 1,000 pages, {seconds:5.1f} s ({pages} pages)"


def heads(store: str) -> list[Head]:
    found = (Depot(store).line(shard).newest() for shard in range(SHARDS))
    return [head for head in found if head is not None]


def bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=60, help="pages on each of eight hosts")
    parser.add_argument("--every", type=float, nargs="*", default=[2.0, 10.0], help="seconds between two checkpoints")
    parser.add_argument("--store", help="where; a folder that is removed")
    options = parser.parse_args()
    with served(options.pages) as seed, tempfile.TemporaryDirectory() as place:
        print(told("without a store", *crawled(seed, Path(place, "plain"))), flush=True)
        for every in options.every:
            folder, store = Path(place, f"web-{every:g}"), f"{options.store or place + '/store'}-{every:g}"
            keep = ("--store", store, "--set", f"checkpoint_seconds={every:g}")
            cpu, seconds, pages = crawled(seed, folder, *keep)
            print(told(f"a checkpoint every {every:g} s", cpu, seconds, pages))
            published = heads(store)
            travelled, count = sum(head.travelled for head in published), sum(head.number - 1 for head in published)
            print(f"  {count} checkpoints, {travelled / 1e6:.1f} MB travelled, {1_000 * travelled / pages / 1e6:.1f} MB"
                  f" per 1,000 pages; the shards have {bytes_in(folder / 'shards') / 1e6:.1f} MB")  # fmt: skip
            shutil.rmtree(folder)
            began = time.monotonic()
            command = ["fetch-collection", store, str(folder)]
            subprocess.run([sys.executable, "-m", "gossamer", *command], check=True, capture_output=True)
            print(f"  {time.monotonic() - began:.1f} s to fetch the collection", flush=True)


if __name__ == "__main__":
    main()
