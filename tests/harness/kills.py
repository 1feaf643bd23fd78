"""Kill any process of a command at any moment, from the first byte that it writes: nothing may come of it.

A later step adds its verb in a few lines:

    VERBS["fold"] = Verb(lambda place: ("fold", str(place.folder)))

and every way to kill is tried on it: what is left must be what a run in peace leaves. `before` makes the collection
that it works on, `again` is the command after a kill where it is another one, `look` is what must be the same.

There are three ways to name a moment:

    by the step     `at_step`: the n-th change of the folder, over all processes; what makes it dies, or all do
    by the time     `at_time`: so long after the folder is there; whoever is in charge, a shard, a reader, what they
                    are forked from, or all die
    by the point    a call that has a name in `kill_points/sitecustomize.py`; see `test_kill_points`
"""

from __future__ import annotations

import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import gossamer
from crawler_process import descendants, shard_of
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl import requests
from gossamer.collection.folder import SEEDS, Folder
from gossamer.collection.seed_list import SHORT
from gossamer.frontier.ledger import Ledger
from gossamer.store.table.table import Table
from gossamer.testing import Copies, Errors, MadeWeb, Redirects, Sitemaps, WebSpec
from named_web import Reply, named_web

INSIDE = Path(__file__).parents[1] / "kill_points"
"""What Python loads before a command that is to die from within."""
SPEC = WebSpec(
    seed=5,
    hosts=3,
    pages=4,
    names="ip",
    errors=Errors(missing=0.2),
    redirects=Redirects(chains=0.3, across=0.5),
    copies=Copies(exact=0.3, near=0.2, edited=0.02),
    sitemaps=Sitemaps(hosts=0.5, orphans=1),
)
PATIENCE = 180.0
FILES = 12
CRAWL = ("--scope", "host", "--delay", "0.01", "--patience", "0", "--allow-address", "127.0.0.0/8")


class Nest:
    """A process that has loaded everything, from which commands are forked; one at a time."""

    def __init__(self, environment: Mapping[str, str] = MappingProxyType({})) -> None:
        path = f"{INSIDE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
        self._process = subprocess.Popen(
            [sys.executable, str(INSIDE / "kill_nest.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,  # what is in a buffer of ours, `select` does not see
            env={**os.environ, "PYTHONPATH": path, **environment},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._asked, self._told = self._process.stdin, self._process.stdout

    def begin(self, words: Sequence[str], told: Mapping[str, str]) -> int:
        """The process of a new command."""
        self._asked.write(json.dumps({"words": list(words), "environment": dict(told)}).encode() + b"\n")
        return self._hear("born")

    def has_ended(self, seconds: float) -> bool:
        """Whether the last command does so within this time."""
        return bool(select.select([self._told], [], [], seconds)[0])

    def code(self) -> int:
        """How the last command ended."""
        return self._hear("ended")

    def _hear(self, what: str) -> int:
        """What is killed here are processes by their number, so nothing else may ever be taken for one."""
        word, number = self._told.readline().decode().split()
        assert word == what
        return int(number)

    def close(self) -> None:
        self._asked.close()
        self._process.wait(PATIENCE)
        self._told.close()


@dataclass(frozen=True)
class Place:
    """Where a command is killed."""

    folder: Path
    web: MadeWeb
    """What its crawls fetch."""
    nest: Nest
    """Where its commands begin."""
    shards: int = 1
    began: float = field(default_factory=time.time)

    @property
    def beside(self) -> Path:
        """For what a command reads or writes elsewhere."""
        return self.folder.with_suffix(".beside")

    @property
    def said(self) -> Path:
        """What its last command wrote to standard error."""
        return self.folder.with_suffix(".said")


Words = Callable[[Place], Sequence[str]]
Look = Callable[[Place], Any]


# ----------------------------------------------------------------------------- looks


def contents(place: Place) -> Any:
    """All that is in the collection."""
    return contents_of(place.folder, place.shards)


def contents_of(folder: Path, shards: int) -> dict[str, Any]:
    """What became of every address, the pages, and the sums; nothing may be wrong, and no page there twice."""
    with gossamer.open(folder) as collection:
        assert collection.verify().problems == []
        pages = [(page.url, (page.version.digest, page.text, targets(page))) for page in collection.pages()]
        status = collection.status()
    assert len(dict(pages)) == len(pages)
    names = ("pages", "queued", "failed", "excluded", "unread", "hosts", "duplicates", "near_duplicates")
    sums = {name: getattr(status, name) for name in names}
    return {"pages": dict(pages), "states": states(folder, shards), "sums": sums}


def again_asked(place: Place) -> Any:
    """The same, and which pages were asked for since it began."""
    return contents(place) | {
        "again": {url for url, row in rows(place.folder, place.shards) if row.visited >= place.began}
    }


def as_seeds(place: Place) -> Any:
    """The same, and that what was named is a seed, and not only what a link has led to."""
    named = set(more_seeds(place)[2:])
    return contents(place) | {
        "seeds": {url: row.depth for url, row in rows(place.folder, place.shards) if url in named}
    }


def told(place: Place) -> Any:
    """The same, and what the next crawl is told: the plan, and what is asked for, once or more often."""
    asked = {(request.seeds, request.failed) for request in requests.pending(place.folder)}
    return contents(place) | {"plan": gossamer.open(place.folder).plan, "asked": asked}


def exported(place: Place) -> Any:
    """The file that an export has written: all of it."""
    lines = place.beside.read_text().splitlines()
    return contents(place), sorted(lines)


def targets(page: gossamer.Document) -> list[Any]:
    """Its links, but for whether they stand in the content: that depends on the pages that were read before."""
    return [link[:4] for link in page.links]


def states(folder: Path, shards: int) -> dict[str, Any]:
    """What became of every address."""
    kept = ("state", "kind", "reason", "status", "target")
    return {url: tuple(getattr(row, name) for name in kept) for url, row in rows(folder, shards)}


def rows(folder: Path, shards: int) -> Iterator[tuple[str, Any]]:
    """The entries of all shards."""
    for index in range(shards):
        with Table.open(Folder(folder).table(index), FAMILIES, writable=False) as table:
            yield from Ledger(table).all()


# ----------------------------------------------------------------------------- verbs


def nothing(place: Place) -> None:
    """The command makes the collection."""


def crawled(place: Place) -> None:
    """It works on what a crawl has brought."""
    in_peace(place, first_crawl(place))


def stripped(place: Place) -> None:
    """All texts are gone, and one shard's index."""
    crawled(place)
    for texts in place.folder.glob("shards/*/texts"):
        shutil.rmtree(texts)
    shutil.rmtree(place.folder / "shards" / "00" / "index")


def damaged(place: Place) -> None:
    """A file of the archive has another byte in its middle."""
    crawled(place)
    for path in place.folder.glob("shards/*/captures/*.warc.gz"):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 0xFF
        path.write_bytes(data)


def packed(place: Place) -> None:
    """A WARC file to be imported, and no collection."""
    crawled(place)
    in_peace(place, ("export", str(place.folder), "warc", "--output", str(place.beside)))
    shutil.rmtree(place.folder)


def packed_files(place: Place) -> None:
    """The same with documents, which are read in processes of their own."""
    with named_web() as web:
        names = [f"/letter{number}.rtf" for number in range(FILES)]
        web.link("office", "/", [web.url("office", name) for name in names])
        for name in names:
            web.put("office", name, Reply(rf"{{\rtf1\ansi This is {name}, about harbours.}}", "", "application/rtf"))
        in_peace(place, ("crawl", str(place.folder), web.url("office"), *CRAWL, "--shards", str(place.shards)))
    in_peace(place, ("export", str(place.folder), "warc", "--output", str(place.beside)))
    shutil.rmtree(place.folder)


def written(place: Place) -> None:
    """Files to be read, and no collection."""
    (place.beside / "letters").mkdir(parents=True)
    for number in range(FILES):
        (place.beside / f"note{number}.txt").write_text(f"This is note {number}, about harbours.")
        letter = rf"{{\rtf1\ansi This is letter {number}, about piers.}}"
        (place.beside / "letters" / f"letter{number}.rtf").write_text(letter)


def rewritten(place: Place) -> None:
    """Files of which some are new, have changed or are gone since they were read."""
    written(place)
    in_peace(place, reading_files(place))
    for number in range(0, FILES, 3):
        (place.beside / f"note{number}.txt").write_text(f"This is note {number} once more.")
        (place.beside / f"note{number + 1}.txt").unlink()
        (place.beside / f"new{number}.txt").write_text(f"A new note {number}.")


def reading_files(place: Place) -> Sequence[str]:
    return ("files", str(place.folder), str(place.beside))


def of_files(place: Place) -> Any:
    """All that is in a collection of files, by their names."""
    found = contents_of(place.folder, 1)
    return {
        "sums": found["sums"],
        **{part: {url.rpartition("/")[2]: row for url, row in found[part].items()} for part in ("pages", "states")},
    }


@dataclass(frozen=True)
class Verb:
    """A command that may be killed."""

    words: Words
    before: Callable[[Place], None] = crawled
    again: Words | None = None
    """What is run after a kill; the same, unless it is said."""
    look: Look = contents
    """What must be the same at the end as after a run in peace."""
    codes: frozenset[int] = frozenset((0,))
    """How it may end when it is run once more."""


def on_folder(verb: str, *more: str) -> Words:
    """A verb, the collection, and the rest of the words."""
    return lambda place: (verb, str(place.folder), *more)


go_on = on_folder("crawl")


def first_crawl(place: Place) -> Sequence[str]:
    return ("crawl", str(place.folder), place.web.home(0), *CRAWL, "--shards", str(place.shards))


def more_seeds(place: Place) -> Sequence[str]:
    """Pages that nothing in the collection links to: should a seed be lost, nobody would find them."""
    web, pages = place.web, list(place.web.pages())
    near = [url for url in pages if web.host(0) in url]
    linked = {link.url for url in near for link in web.links(url)}
    strange = [url for url in pages if url not in near and url not in linked]
    return ("crawl", str(place.folder), strange[0], strange[-1])


def long_list(place: Place) -> Sequence[str]:
    """The same seeds, in a list that is too long for the plan."""
    place.beside.write_text("\n".join(more_seeds(place)[2:] * SHORT))
    return ("crawl", str(place.folder), "--seeds", str(place.beside))


def once_listed(place: Place) -> Sequence[str]:
    """The list is whole as soon as it is there."""
    return go_on(place) if (place.folder / SEEDS).exists() else long_list(place)


def importing(place: Place) -> Sequence[str]:
    return ("import", str(place.folder), str(place.beside), "--shards", str(place.shards))


def exporting(place: Place) -> Sequence[str]:
    return ("export", str(place.folder), "jsonl", "--output", str(place.beside))


def once_planned(words: Words) -> Words:
    """A crawl whose plan has its seeds goes on without them; before that it was never asked for anything."""

    def again(place: Place) -> Sequence[str]:
        plan = place.folder / "plan.toml"
        seeds = [word for word in words(place) if word.startswith("http")]
        there = plan.read_text() if plan.exists() else ""
        return go_on(place) if all(seed in there for seed in seeds) else words(place)

    return again


def once_asked(words: Words) -> Words:
    """The same for what is no part of the plan."""
    return lambda place: go_on(place) if (place.folder / "asked").exists() else words(place)


def adding(place: Place) -> Sequence[str]:
    return ("add", *more_seeds(place)[1:])


def stored_crawl(place: Place) -> Sequence[str]:
    return (*first_crawl(place), *storing(place))


def storing(place: Place) -> Sequence[str]:
    return ("--store", str(place.beside), "--set", "checkpoint_seconds=0.2")


def lost(place: Place) -> None:
    """All there is of a collection is in its store."""
    in_peace(place, stored_crawl(place))
    shutil.rmtree(place.folder)


def restoring(place: Place) -> Sequence[str]:
    return ("crawl", str(place.folder), *CRAWL, *storing(place))


def fetching(place: Place) -> Sequence[str]:
    return ("fetch-collection", str(place.beside), str(place.folder))


REMOVE = on_folder("remove", ".*0[.]html|2[.]html", "--yes", "--archive")
VERBS: dict[str, Verb] = {
    "first crawl": Verb(first_crawl, nothing, once_planned(first_crawl)),
    "more seeds": Verb(more_seeds, crawled, once_planned(more_seeds), as_seeds),
    "list of seeds": Verb(long_list, crawled, once_listed, as_seeds),
    "revisit": Verb(on_folder("crawl", "--revisit"), crawled, once_asked(on_folder("crawl", "--revisit")), again_asked),
    "files": Verb(reading_files, written, look=of_files),
    "files once more": Verb(reading_files, rewritten, look=of_files),
    "import": Verb(importing, packed),
    "import of files": Verb(importing, packed_files),
    "build": Verb(on_folder("build"), stripped),
    "build anew": Verb(on_folder("build", "--convert")),
    "remove": Verb(REMOVE, codes=frozenset((0, 8))),
    "repair": Verb(on_folder("verify", "--repair"), damaged),
    "set": Verb(on_folder("set", "delay=0.5", "exclude=/none/"), look=told),
    "add": Verb(adding, look=told),
    "retry": Verb(on_folder("retry"), look=told),
    "crawl with a store": Verb(stored_crawl, nothing, once_planned(stored_crawl)),
    "restore": Verb(restoring, lost),
    "fetch-collection": Verb(fetching, lost, codes=frozenset((0, 2))),  # nor over a folder
    "export": Verb(exporting, look=exported, codes=frozenset((0, 2))),  # it does not write over a file
}


# ----------------------------------------------------------------------------- kills


class Run(NamedTuple):
    """How a command ended."""

    code: int
    said: str
    struck: bool = False
    """Something was killed. It may end well all the same: a shard or a reader is started again."""


Kill = Callable[[Place, Sequence[str]], Run]
"""Runs a command, and kills something of it at some moment."""


def in_peace(place: Place, words: Sequence[str], codes: frozenset[int] = frozenset((0,))) -> int:
    """Run a command to its end. The steps that it made."""
    run, steps = _stepping(place, words, 0, "self")
    assert run.code in codes, f"{words}: {run}"
    return steps


def at_step(step: int, victim: str) -> Kill:
    """Before the n-th change of the folder the process that makes it is killed, or `all` are."""

    def kill(place: Place, words: Sequence[str]) -> Run:
        run, steps = _stepping(place, words, step, victim)
        return run._replace(struck=steps >= step)

    return kill


def at_time(seconds: float, strike: Callable[[int], None]) -> Kill:
    """So long after something in the folder has changed."""

    def kill(place: Place, words: Sequence[str]) -> Run:
        before, nest = _sizes(place.folder), place.nest
        process = _begun(place, words, {})
        while _sizes(place.folder) == before and not nest.has_ended(0.002):
            pass
        struck = not nest.has_ended(seconds)
        if struck:
            strike(process)
        return _ended(place, process)._replace(struck=struck)

    return kill


def supervisor(command: int) -> None:
    """Whoever is in charge."""
    with suppress(ProcessLookupError):
        os.kill(command, signal.SIGKILL)


def everybody(command: int) -> None:
    """As when the machine goes down. First those who would start others again."""
    for process in [command, *descendants(command)]:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def one_of(role: str, chance: random.Random) -> Callable[[int], None]:
    """A shard, a reader, a fork server or the zygote that those come from; whoever is in charge when there is none."""

    def strike(command: int) -> None:
        found = [process for process in descendants(command) if role_of(process, command) == role]
        with suppress(ProcessLookupError):
            os.kill(chance.choice(found) if found else command, signal.SIGKILL)

    return strike


def role_of(process: int, command: int) -> str:
    """What a process of a command is. A new one says so by its command line; a copy of the command has that of the
    command, and is told by how far it is from it."""
    own, parent = _words_of(process), _words_of(_parent_of(process))
    if "engine.fork_server" in own:
        forked = "shard" if "engine.child" in own else "reader"
        return forked if own == parent else "fork server"
    forked = "reader" if shard_of(process) is None else "shard"
    return {1: "zygote", 2: "fork server", 3: forked}.get(_generation(process, command), "supervisor")


def _generation(process: int, command: int) -> int:
    """Of the children of the command it is 1; 0 for one that has no place below it any more."""
    for generation in range(4):
        if process == command:
            return generation
        process = _parent_of(process)
    return 0


def _parent_of(process: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()[1])
    return 0


def _words_of(process: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace")
    return ""


# ------------------------------------------------------------------------------ runs


def survives(verb: Verb, place: Place, calm: Any, kills: Sequence[Kill]) -> int:
    """A command that is killed again and again, and then left in peace, leaves what it would have left.

    How many kills have struck: it may have come to its end before.
    """
    words, struck = verb.words, 0
    for kill in kills:
        ends = verb.codes if struck else frozenset((0,))  # what was killed before may have been whole
        run = kill(place, words(place))
        struck += run.struck
        assert run.code in (*ends, -signal.SIGKILL), run.said
        if run.code != -signal.SIGKILL:
            break
        words = verb.again or verb.words
    in_peace(place, words(place), verb.codes)
    assert verb.look(place) == calm
    return struck


def _stepping(place: Place, words: Sequence[str], step: int, victim: str) -> tuple[Run, int]:
    steps = place.folder.with_suffix(".steps")
    steps.unlink(missing_ok=True)
    told = {"GOSSAMER_TEST_STEPS": str(steps), "GOSSAMER_TEST_STEP": str(step), "GOSSAMER_TEST_VICTIM": victim}
    run = _ended(place, _begun(place, words, told))
    return run, steps.stat().st_size if steps.exists() else 0


def _begun(place: Place, words: Sequence[str], told: Mapping[str, str]) -> int:
    usual = {"GOSSAMER_TEST_STEP": "0", "GOSSAMER_TEST_STEPS": os.devnull, "GOSSAMER_TEST_VICTIM": "self"}
    where = {"GOSSAMER_TEST_PLACE": str(place.folder), "GOSSAMER_TEST_SAID": str(place.said)}
    return place.nest.begin(words, {**usual, **where, **told})


def _ended(place: Place, process: int) -> Run:
    if not place.nest.has_ended(PATIENCE):
        everybody(process)
        raise AssertionError(f"it does not end, and was killed ({place.nest.code()}): {place.said.read_text()}")
    return Run(place.nest.code(), place.said.read_text() if place.said.exists() else "")


def _sizes(folder: Path) -> tuple[int, int]:
    """Changes with every file that comes or grows in the folder and below."""
    sizes = [0]
    for path in folder.rglob("*") if folder.exists() else ():
        with suppress(OSError):
            sizes.append(path.stat().st_size + 1)
    return len(sizes), sum(sizes)
