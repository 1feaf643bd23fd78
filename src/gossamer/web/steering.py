"""Whatever is done to a crawl from here, by a page or by a program: the verbs of the collection, and to begin one."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from gossamer.collection import Collection
from gossamer.errors import Locked, UsageError
from gossamer.web.view_context import Face

PATIENCE = 30.0
"""Seconds that a crawl may take to begin, on a machine that is busy."""
LOOKS = 300


@dataclass(frozen=True, slots=True)
class Wanted:
    """Something that is to be done."""

    action: str
    """pause, resume, stop, start, retry, add or set"""
    seeds: Sequence[str] = ()
    """What `add` adds."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What `set` sets, and `start` before it begins."""
    site: str | None = None
    """Where `retry` tries again; everywhere without it."""


async def steered(face: Face, wanted: Wanted) -> int | None:
    """Do it. Of `add` the number of seeds that are new, of `retry` that of the failures."""
    try:
        if wanted.action != "start":
            return await face.ask(lambda web: _done(web, wanted))
        if await face.ask(lambda web: web.is_busy):
            raise Locked("a command is running there already; stop it first, or wait for its end")
        if wanted.settings:
            await face.ask(lambda web: web.change(**wanted.settings))
        await _begin(face.leases.path)
        return None
    finally:
        face.leases.changed()


def _done(web: Collection, wanted: Wanted) -> int | None:
    match wanted.action:
        case "pause":
            web.pause()
        case "resume":
            web.resume()
        case "stop":
            web.stop()
        case "retry":
            return web.retry(site=wanted.site)
        case "add":
            return web.add(wanted.seeds)
        case "set":
            web.change(**wanted.settings)
        case _:
            raise unknown(wanted.action)
    return None


def unknown(action: str) -> UsageError:
    """For whoever asks for something else."""
    return UsageError(f"{action}: there is nothing like that to do")


async def _begin(path: Path) -> None:
    """A crawl is a process of its own, that goes on when the server ends. It has begun when it holds the collection;
    one that ends before says why."""
    with tempfile.TemporaryFile() as said:  # no pipe: the server may end before it
        ended = await asyncio.to_thread(_spawned, path, said)
        web = Collection(path)
        for _ in range(LOOKS):
            if ended or web.is_busy:
                break
            await asyncio.sleep(PATIENCE / LOOKS)
        if ended and ended[0]:
            said.seek(0)
            raise UsageError(said.read(2_000).decode("utf-8", "replace").strip() or "the crawl has ended at once")


def _spawned(path: Path, said: IO[bytes]) -> list[int]:
    """Its exit code, when it has one. Somebody has to wait for it, or it would stay in the list of processes."""
    process = subprocess.Popen(
        [sys.executable, "-m", "gossamer", "crawl", str(path), "--quiet"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=said,
        start_new_session=True,
    )
    ended: list[int] = []
    threading.Thread(target=lambda: ended.append(process.wait()), daemon=True).start()
    return ended
