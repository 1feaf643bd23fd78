"""Collections that were made to harm: whatever is planted in one, no verb touches anything outside it, hangs or breaks.

A later step adds its verb in a line, and a file or folder that it keeps in the collection in another:

    VERBS["fold"] = lambda web: ["fold", str(web.folder)]
    FILES.append("shards/00/folds/*.log")

and every plant is tried with every verb. A new kind of harm is a function that takes a `Web` and plants it: `PLANTS`.
After each verb the decoys outside are exactly as before, the verb has ended in time with a documented exit code, and
said at most one error, of one line, and no traceback.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import zstandard

import gossamer
from gossamer import errors
from gossamer.collection import Outside
from gossamer.collection.column_families import FAMILIES
from gossamer.store.repair.swaps import LENGTH, Swap
from gossamer.store.table.table import Table
from gossamer.store.url_seen import SEEN
from gossamer.store.versions import CAPTURES, STATE, Version
from gossamer.store.warc.texts import End
from gossamer.testing import Copies, MadeWeb, VirtualClock, WebSpec
from harness.hostile_graphs import GRAPHS, SEALS, planted, sealed
from harness.kills import Nest

PATIENCE = 120.0
"""Seconds that a verb may take on a busy machine; all of them take one or two."""
CODES = {code for each in vars(errors).values() for code in [getattr(each, "exit_code", None)] if code is not None} | {
    0
}

FILES = [
    *("plan.toml", "plan.toml.partial", "lock", "gate", "asked", "asked.partial", "id", "seeds", "seeds.partial"),
    *("graph/current", "graph/current.partial", "graph/*/ranks.npy", "graph/*/seal.json", "graph/*/names.txt"),
    *("graph/*/voices/meta.json", "graph/*/voices/.managed.json"),
    *("shards/00/reading", "shards/00/links/log", "shards/00/captures/*-00000.warc.gz"),
    *("shards/00/texts/*-00000.warc.gz", "shards/00/seen/00000001.keys", "shards/00/seen/00000001.keys.partial"),
    *("shards/00/prints/00000001.entries", "shards/00/prints/00000001.entries.partial", "shards/00/index/meta.json"),
    *("shards/00/index/.managed.json", "shards/00/index/.tantivy-writer.lock", "shards/00/table/CURRENT"),
    *(
        "shards/00/table/LOCK",
        "shards/00/table/LOG",
        "shards/00/table/rocksdict-config.json",
        "shards/00/table/000999.sst",
    ),
]
"""Each is replaced, or made where it is not there."""
FOLDERS = [
    *("graph", "graph/*/voices", "graph/000009", "shards", "shards/00", "damaged", "shards/00/damaged"),
    *(f"shards/00/{name}" for name in ("captures", "texts", "table", "seen", "prints", "index", "links")),
]


@dataclass(frozen=True)
class Web:
    """A collection, and what lies beside it."""

    folder: Path
    url: str
    """A page that it has."""
    outside: Path
    """Decoys: nothing in here may change."""
    beside: Path
    """For what verbs may write."""


Plant = Callable[[Web], None]
Verb = Callable[[Web], Sequence[str]]


# --------------------------------------------------------------------------- verbs


def _export(form: str, web: Web) -> list[str]:
    return ["export", str(web.folder), form, "-o", str(web.beside / f"out.{form}")]


VERBS: dict[str, Verb] = {
    "crawl": lambda web: ["crawl", str(web.folder), "--patience", "0", "--pages", "1"],
    "crawl elsewhere": lambda web: ["crawl", str(web.folder), "http://127.0.0.1:9/", "--patience", "0"],
    "status": lambda web: ["status", str(web.folder)],
    "list": lambda web: ["list", str(web.folder), "--json"],
    "changes": lambda web: ["changes", str(web.folder)],
    "broken": lambda web: ["broken", str(web.folder)],
    "why": lambda web: ["why", str(web.folder), web.url],
    "show": lambda web: ["show", str(web.folder), web.url],
    "history": lambda web: ["history", str(web.folder), web.url],
    "search": lambda web: ["search", str(web.folder), "the"],
    "similar": lambda web: ["similar", str(web.folder), web.url],
    "duplicates": lambda web: ["duplicates", str(web.folder)],
    "links": lambda web: ["links", str(web.folder), web.url],
    "rank": lambda web: ["rank", str(web.folder)],
    "build": lambda web: ["build", str(web.folder)],
    "convert": lambda web: ["build", str(web.folder), "--convert"],
    "verify": lambda web: ["verify", str(web.folder)],
    "repair": lambda web: ["verify", str(web.folder), "--repair"],
    "remove": lambda web: ["remove", str(web.folder), web.url, "--yes"],
    "remove archive": lambda web: ["remove", str(web.folder), web.url, "--archive", "--yes"],
    "prune": lambda web: ["prune", str(web.folder), "--keep", "last 1", "--yes"],
    "import": lambda web: ["import", str(web.folder), str(web.beside / "other.warc.gz")],
    **{
        f"export {form}": lambda web, form=form: [
            "export",
            str(web.folder),
            form,
            "-o",
            str(web.beside / f"out.{form}"),
        ]
        for form in ("jsonl", "warc", "wacz", "cdxj", "trec", "graph")
    },
}
WRITING = ("crawl", "crawl elsewhere", "build", "convert", "repair", "remove", "remove archive", "import")


# -------------------------------------------------------------------------- plants


def _places(web: Web, pattern: str) -> list[Path]:
    """What a pattern names; where nothing is there, a name that fits."""
    found = sorted(web.folder.glob(pattern))
    return found or [web.folder / pattern.replace("graph/*", "graph/000001").replace("*-", "gossamer-20260101000000-")]


def _cleared(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    return path


def _replacing(pattern: str, make: Callable[[Path, Web], None]) -> Plant:
    def plant(web: Web) -> None:
        for path in _places(web, pattern):
            make(_cleared(path), web)

    return plant


def _bind(path: Path) -> None:
    here = os.open(path.parent, os.O_RDONLY)  # the name of a socket may not be long
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(f"/proc/self/fd/{here}/{path.name}")
    finally:
        os.close(here)


def _moved_out(path: Path, web: Web) -> None:
    """What was there, behind a link: it works, unless links are refused."""
    path.symlink_to(web.outside / "folder")


IN_PLACE_OF_A_FILE: dict[str, Callable[[Path, Web], None]] = {
    "a link": lambda path, web: path.symlink_to(web.outside / "file"),
    "a link to a table": lambda path, web: path.symlink_to(web.outside / "numbers.npy"),
    "a link to nothing": lambda path, web: path.symlink_to(web.outside / "not-there"),
    "a hard link": lambda path, web: os.link(web.outside / "file", path),
    "a FIFO": lambda path, web: os.mkfifo(path),
    "a socket": lambda path, web: _bind(path),
    "a folder": lambda path, web: path.mkdir(),
    "a device": lambda path, web: os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5)),
}
IN_PLACE_OF_A_FOLDER: dict[str, Callable[[Path, Web], None]] = {
    "a link": _moved_out,
    "a link to nothing": lambda path, web: path.symlink_to(web.outside / "not-there"),
    "a file": lambda path, web: path.touch(),
    "a FIFO": lambda path, web: os.mkfifo(path),
}


def _rows(change: Callable[[Table, str], None], name: str) -> Plant:
    """Rows that name a file which is no bare name of ours; `OUT` leads to the decoys."""

    def plant(web: Web) -> None:
        with Table.open(web.folder / "shards" / "00" / "table", FAMILIES, writable=True) as table:
            out = os.path.relpath(web.outside, web.folder / "shards" / "00" / "captures")
            change(table, name.replace("OUT", out).replace("ABSOLUTE", str(web.outside)))
            table.commit()

    return plant


def _swap(counts: bool, keep: bool) -> Callable[[Table, str], None]:
    def change(table: Table, name: str) -> None:
        table.put(STATE, b"swap", msgspec.msgpack.encode(Swap(name, name, keep, counts)))

    return change


def _version(table: Table, name: str) -> None:
    for key, value in list(table.scan(CAPTURES)):
        row = msgspec.msgpack.decode(value, type=Version)
        text = msgspec.structs.replace(row.text, file=name) if row.text else None
        table.put(CAPTURES, key, msgspec.msgpack.encode(msgspec.structs.replace(row, file=name, text=text)))


def _ends(table: Table, name: str) -> None:
    table.put(STATE, b"end", msgspec.msgpack.encode((name, 1)))
    table.put(STATE, LENGTH + name.encode(), (1).to_bytes(8, "big"))
    table.put(STATE, b"texts", msgspec.msgpack.encode(End(name, 1, name, name)))


def _runs(table: Table, name: str) -> None:
    table.put(SEEN, b"runs", msgspec.msgpack.encode([(-7, 0, 1), (10**30 % 2**62, 0, 1)]))
    table.put("prints", b"runs", msgspec.msgpack.encode([(-7, 0, 0, 1, 9)]))


ROWS: dict[str, Callable[[Table, str], None]] = {
    "swap that does not count": _swap(counts=False, keep=False),
    "swap that counts": _swap(counts=True, keep=False),
    "swap that keeps": _swap(counts=True, keep=True),
    "version": _version,
    "end": _ends,
    "runs": _runs,
}
NAMES = ("OUT/file", "ABSOLUTE/file", "..", "../../../plan.toml", "gossamer-20260101000000-00000.warc.gz/../x\0")


def _graph_named(name: str) -> Plant:
    return lambda web: (
        (web.folder / "graph" / "current").write_text(
            name.replace("OUT", os.path.relpath(web.outside, web.folder / "graph")) + "\n"
        )
        and None
    )


def _managed(web: Web) -> None:
    """The engine of the index deletes what is on its list and not in use."""
    listed = [str(web.outside / "file"), os.path.relpath(web.outside / "other", web.folder / "shards/00/index")]
    for path in (web.folder / "shards/00/index/.managed.json", *web.folder.glob("graph/*/voices/.managed.json")):
        path.write_text(json.dumps(json.loads(path.read_text()) + listed))


def _segments(web: Web) -> None:
    """The index and the table name their files in files of their own."""
    for path in (web.folder / "shards/00/index/meta.json", *web.folder.glob("graph/*/voices/meta.json")):
        meta = json.loads(path.read_text())
        for segment in meta["segments"]:
            segment["segment_id"] = os.path.relpath(web.outside / "file", path.parent)
        path.write_text(json.dumps(meta))


def _current(web: Web) -> None:
    place = web.folder / "shards/00/table"
    (place / "CURRENT").write_text(f"MANIFEST-{os.path.relpath(web.outside / 'file', place)}\n")


def _sealed(web: Web) -> None:
    """A seal that names what is elsewhere."""
    for path in web.folder.glob("graph/*/seal.json"):
        row = next(iter(json.loads(path.read_text()).values()))
        path.write_text(json.dumps({str(web.outside / "file"): row, "../../../outside/file": row}))


def _strange_names(web: Web) -> None:
    """Files that are not ours, where ours are looked for: the user's own, and they stay."""
    for place in ("captures", "texts", "seen", "prints", "index", "damaged"):
        (web.folder / "shards/00" / place).mkdir(exist_ok=True)
        (web.folder / "shards/00" / place / "my letter.txt").write_text("precious")
        (web.folder / "shards/00" / place / "letters.warc.gz").write_text("precious")
    for place in ("graph/mine", "graph/000009"):
        (web.folder / place).mkdir(parents=True)
        (web.folder / place / "my letter.txt").write_text("precious")


def _hostile_plan(web: Web) -> None:
    text = (web.folder / "plan.toml").read_text()
    lines = f'proxy = "http://127.0.0.1:9/"\nca_file = "{web.outside / "file"}"\nallow_addresses = ["0.0.0.0/0"]\n'
    kept = [line for line in text.splitlines() if not re.match(r"#? ?(proxy|ca_file|allow_addresses) =", line)]
    (web.folder / "plan.toml").write_text(lines + "\n".join(kept) + "\n")


def _huge_plan(web: Web) -> None:
    os.truncate(web.folder / "plan.toml", 1 << 40)


def _spoiled(family: str, change: Callable[[Table, str], None]) -> Plant:
    """Rows of a family that somebody else has written; their checksums agree."""

    def plant(web: Web) -> None:
        with Table.open(web.folder / "shards" / "00" / "table", FAMILIES, writable=True) as table:
            change(table, family)
            table.commit()

    return plant


def _other_values(value: bytes) -> Callable[[Table, str], None]:
    def change(table: Table, family: str) -> None:
        for key in [key for key, _ in table.scan(family)] or [b"p\0\0\0\1" if family == "prints" else b"\0" * 10]:
            table.put(family, key, value)

    return change


def _another_key(key: bytes) -> Callable[[Table, str], None]:
    def change(table: Table, family: str) -> None:
        value = next((value for _, value in table.scan(family)), b"http://127.0.0.1/")
        table.put(family, key, value)

    return change


SPOILT: dict[str, Callable[[Table, str], None]] = {
    "that are no values": _other_values(b"\xc1\xff" * 5),
    "that nest without end": _other_values(b"\x9f" + b"\x91" * 100_000),
    "that are words": _other_values(b"no address at all"),
    "under a key that is no text": _another_key(b"\xff\xfe\xfd"),
    "under a key that is no address": _another_key(b"no address at all"),
}


def _log_of(frame: bytes) -> Plant:
    """A log of links with one chunk of somebody else's, and a row that says that it is whole."""

    def plant(web: Web) -> None:
        shard = web.folder / "shards" / "00"
        (shard / "links" / "log").write_bytes(b"GSL1" + len(frame).to_bytes(4, "big") + frame)
        with Table.open(shard / "table", FAMILIES, writable=True) as table:
            table.put(STATE, b"links", (8 + len(frame)).to_bytes(8, "big"))
            table.commit()

    return plant


def _chunk(*columns: object) -> bytes:
    return zstandard.compress(msgspec.msgpack.encode(columns))


LOGS = {
    "without end": zstandard.compress(bytes(256 << 20)),
    "of half numbers": _chunk(["http://a.org/"], b"123", b"1", b"12", b"", b"", b""),
    "of more links than it has": _chunk(["http://a.org/"], bytes(8), b"\xff" * 4, bytes(8), b"\0", b"\0", b""),
    "of anchors that are no text": _chunk(["http://a.org/"], bytes(8), b"\1\0\0\0", bytes(8), b"\0", b"\1", b"\xff"),
    "of pages that are no addresses": _chunk(["a"], bytes(8), bytes(4), b"", b"", b"", b""),
}


PLANTS: dict[str, Plant] = {
    **{
        f"{kind} in the place of {pattern}": _replacing(pattern, make)
        for pattern in FILES
        for kind, make in IN_PLACE_OF_A_FILE.items()
        if kind != "a device" or os.geteuid() == 0
    },
    **{
        f"{kind} in the place of {pattern}": _replacing(pattern, make)
        for pattern in FOLDERS
        for kind, make in IN_PLACE_OF_A_FOLDER.items()
    },
    **{f"{row} with {name!r}": _rows(change, name) for row, change in ROWS.items() for name in NAMES},
    **{f"a graph called {name!r}": _graph_named(name) for name in ("OUT", "../shards", "..", "/", "000001/../..")},
    **{f"a graph of {kind}": lambda web, kind=kind: planted(web.folder, kind) for kind in GRAPHS},
    **{f"a seal {kind}": lambda web, kind=kind: sealed(web.folder, kind) for kind in SEALS},
    **{f"rows of {family} {kind}": _spoiled(family, change) for family in FAMILIES for kind, change in SPOILT.items()},
    **{f"a log of links {kind}": _log_of(frame) for kind, frame in LOGS.items()},
    "a list of files to delete": _managed,
    "an index of other files": _segments,
    "a table of other files": _current,
    "a seal of other files": _sealed,
    "a plan that opens everything": _hostile_plan,
    "a plan without end": _huge_plan,
    "files that are not ours": _strange_names,
}


# --------------------------------------------------------------------------- check


def make(folder: Path) -> Web:
    """A small collection of all that there is, and decoys beside it."""
    clock = VirtualClock()
    web = MadeWeb(WebSpec(seed=3, hosts=2, pages=4, copies=Copies(exact=0.3)), clock=clock)
    with gossamer.open(folder / "web") as collection:
        clock.run(collection.crawl_async(web.seed, scope="any", outside=Outside(clock, web.fetch)))
        url = next(iter(collection.pages())).url
    beside = folder / "beside"
    beside.mkdir()
    shutil.copy(next((folder / "web").glob("shards/00/captures/*.warc.gz")), beside / "other.warc.gz")
    _make_decoys(folder / "outside")
    return Web(folder / "web", url, folder / "outside", beside)


def _make_decoys(outside: Path) -> None:
    (outside / "folder" / "000001").mkdir(parents=True)
    (outside / "folder" / "mine").mkdir()
    for name in ("file", "other", "folder/letter", "folder/000001/ranks.npy", "folder/mine/letter", "folder/meta.json"):
        (outside / name).write_text("precious")
    for name in ("00000001.keys", "00000009.entries", "gossamer-20260101000000-00000.warc.gz", "current", "CURRENT"):
        (outside / "folder" / name).write_text("precious")
    (outside / "folder" / "gossamer-texts-20990101000000-00000.warc.gz").write_text("precious")
    (outside / "numbers.npy").write_bytes(b"\x93NUMPY\x01\x00")


def copied(web: Web, to: Path) -> Web:
    """Another one to plant things in."""
    shutil.copytree(web.folder, to / "web", symlinks=True)
    shutil.copytree(web.beside, to / "beside")
    _make_decoys(to / "outside")
    return Web(to / "web", web.url, to / "outside", to / "beside")


def seen(folder: Path) -> list[Any]:
    """All there is: names, kinds, modes, dates and contents."""
    return sorted(_seen(folder))


def _seen(folder: Path) -> Iterator[tuple[Any, ...]]:
    for path in (folder, *folder.rglob("*")):
        about = path.lstat()
        data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        yield str(path), about.st_mode, about.st_mtime_ns, about.st_size, data


def _letters(web: Web) -> set[Path]:
    """What its owner keeps in the folder of a collection."""
    return {path for path in web.folder.rglob("*letter*") if path.read_text() == "precious"}


def run(words: Sequence[str], nest: Nest, said: Path) -> int | None:
    """How a command ended; None when it had to be killed."""
    process = nest.begin(words, {"GOSSAMER_TEST_SAID": str(said)})
    ended = nest.has_ended(PATIENCE)
    if not ended:
        os.killpg(process, signal.SIGKILL)
    code = nest.code()
    return code if ended else None


def problems(web: Web, verb: str, nest: Nest) -> list[str]:
    """What a verb does to a planted collection that it may not do."""
    before, letters, said = seen(web.outside), _letters(web), web.beside / "said"
    code = run(VERBS[verb](web), nest, said)
    words, found = said.read_text(errors="replace"), []
    if code is None:
        found.append("it does not end")
    elif code not in CODES:
        found.append(f"it ended with {code}")
    if "Traceback" in words or "panicked" in words or words.count("gossamer: ") > 1:
        found.append(words)
    if seen(web.outside) != before:
        found.append("what is outside has changed")
    if _letters(web) != letters:
        found.append("what is not ours is gone")
    return [f"{verb}: {each}" for each in found]
