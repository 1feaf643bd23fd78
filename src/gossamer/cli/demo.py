"""A made web on loopback, crawled, verified and searched: the whole idea in a few seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gossamer
from gossamer.cli.out import say
from gossamer.cli.progress import ProgressLine
from gossamer.collection import Collection
from gossamer.errors import UsageError
from gossamer.printable import counted
from gossamer.testing import Copies, Errors, MadeWeb, Redirects, RobotsFiles, WebSpec

WEB = WebSpec(
    seed=7,
    hosts=6,
    pages=60,
    names="ip",
    errors=Errors(missing=0.05),
    redirects=Redirects(chains=0.05),
    robots=RobotsFiles(rules=0.5),
    copies=Copies(exact=0.1),
)


def run(folder: Path, *, quiet: bool) -> dict[str, Any]:
    """Crawl the made web into `folder` and say where the wanted page is."""
    if folder.exists():
        raise UsageError(f"{folder}: is there already; remove it or name another directory")
    say = (lambda _: None) if quiet else _say
    with MadeWeb(WEB).serve() as web, gossamer.open(folder) as collection:
        say(f"a web of {WEB.hosts} hosts is served at {web.seed}")
        status = _crawl(collection, web.seed)
        copies = counted(status.duplicates, "copy", "copies")
        say(f"crawled into {folder}: {counted(status.pages, 'page')}, {copies}, {status.failed} failed,")
        say(f"  {status.excluded} left out ({', '.join(status.exclusions) or 'nothing'})")
        checked = collection.verify()
        say(f"read back: {counted(checked.records, 'record')}, {counted(len(checked.problems), 'problem')}")
        question = collection.page(web.home(4)).title.lower()
        answer = collection.search(question)
        best = answer.hits[0]
        found = collection.page(best.url)
        say(f"searching for {question!r}: {counted(answer.total, 'page')}, the best is {best.title!r}")
        say(f"  {best.snippet[:100]} ...")
        say(f"  at {found.url}, in {collection.file_of(found)}, byte {found.version.offset}")
        say(f"next: gossamer search {folder} {question!r}; gossamer show {folder} {found.url}; gossamer serve {folder}")
    return {"pages": status.pages, "query": question, "url": found.url, "title": found.title}


def _crawl(collection: Collection, seed: str) -> gossamer.Status:
    progress = ProgressLine(str(collection.path))
    try:
        return collection.crawl(
            seed,
            report=progress,
            scope="any",
            delay=0,
            ip_delay=0,
            per_host=4,
            allow_addresses=("127.0.0.0/8",),
            disk_pause=0,  # it needs two megabytes, whatever the disk is like
            disk_pause_share=0,
            shards=2,
        )
    finally:
        progress.end()


def _say(line: str) -> None:
    say(line)
