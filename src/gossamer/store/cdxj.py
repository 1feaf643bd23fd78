"""CDXJ: one line for each capture, sorted, so that a replay tool finds it by binary search.

A line is the SURT key of the address, the time to the second, and a JSON object, in the words of pywb.
A 304 belongs in no index: it has nothing to replay, and pywb would answer with an empty page.
"""

from __future__ import annotations

import heapq
import json
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import BinaryIO

from gossamer.model import URL
from gossamer.store.warc.warc import Place
from gossamer.urls import surt

SORT_BYTES = 32 << 20
"""Lines held in memory at once; what is more goes to temporary files."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index says of one capture."""

    url: URL
    began: float
    served: str
    """The media type that the server named; empty where it named none."""
    sniffed: str
    """That which the bytes are of."""
    status: int
    digest: str
    place: Place
    revisit: bool = False
    lookup: URL = ""
    """The address at which it is found, where that is not its own: what was sent by POST is in it."""


def line(entry: Entry) -> str:
    """Without the line break. All values are text; `mime` is as cdxj-indexer has it, and what the bytes are of stands
    beside it, as in the index of Common Crawl."""
    stamp = time.strftime("%Y%m%d%H%M%S", time.gmtime(entry.began))
    told = {
        "url": entry.url,
        "mime": "warc/revisit" if entry.revisit else entry.served or "unk",
        "mime-detected": entry.sniffed,
        "status": str(entry.status),
        "digest": entry.digest,
        "length": str(entry.place.length),
        "offset": str(entry.place.offset),
        "filename": entry.place.file,
    }
    if entry.lookup not in ("", entry.url):
        _, _, query = entry.lookup.partition("__wb_method=")
        method, _, body = query.partition("&")
        told |= {"method": method, "requestBody": body}
    return f"{surt(entry.lookup or entry.url)} {stamp} {json.dumps(told)}"


def write_sorted(lines: Iterable[str], out: BinaryIO, *, sort_bytes: int = SORT_BYTES) -> None:
    """Write `lines` in byte order, with at most about `sort_bytes` of them in memory."""
    with ExitStack() as stack:
        runs: list[Iterable[bytes]] = []
        for run in _sorted_runs(lines, sort_bytes):
            spill = stack.enter_context(TemporaryFile())
            spill.writelines(run)
            spill.seek(0)
            runs.append(spill)
        out.writelines(heapq.merge(*runs))


def _sorted_runs(lines: Iterable[str], sort_bytes: int) -> Iterator[list[bytes]]:
    run: list[bytes] = []
    held = 0
    for text in lines:
        row = f"{text}\n".encode()
        run.append(row)
        held += len(row)
        if held >= sort_bytes:
            yield sorted(run)
            run, held = [], 0
    if run:
        yield sorted(run)
