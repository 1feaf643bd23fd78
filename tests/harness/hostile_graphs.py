"""Graphs that somebody else has made and sealed: every file is as the seal says, and none of it need be a graph.

A new kind of harm is a function that takes the folder of a graph: `GRAPHS`. `planted` does it and seals the graph.
"""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gossamer.collection.derive import graph_digests

Change = Callable[[Path], object]
COLUMNS = ("nodes", "starts", "sources", "degrees", "ranks", "changes", "folded", "names-prints", "names-starts")


def _changed(name: str, change: Callable[[Any], Any]) -> Change:
    """A column with other numbers."""

    def plant(folder: Path) -> None:
        np.save(folder / f"{name}.npy", change(np.load(folder / f"{name}.npy")))

    return plant


def _pickled(name: str) -> Change:
    """A column of objects: to read it would be to run it."""

    def plant(folder: Path) -> None:
        found = np.load(folder / f"{name}.npy")
        np.save(folder / f"{name}.npy", np.array([{"a": 1}] * len(found), object), allow_pickle=True)

    return plant


def _claiming(name: str, shape: str, kind: str = "<f8") -> Change:
    """A column that claims what it does not have."""
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    data = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + bytes(64)
    return lambda folder: (folder / f"{name}.npy").write_bytes(data)


def _at(place: int, value: Any) -> Callable[[Any], Any]:
    def change(found: Any) -> Any:
        found[place] = value
        return found

    return change


def _ranked(value: float) -> Change:
    return _changed("ranks", lambda found: np.full(len(found), value))


def _written(name: str, data: bytes) -> Change:
    return lambda folder: (folder / name).write_bytes(data)


def _same_length(name: str, letter: bytes) -> Change:
    return lambda folder: (folder / name).write_bytes(letter * (folder / name).stat().st_size)


def _pickle() -> bytes:
    out = io.BytesIO()
    pickle.dump(["ranks"], out)
    return out.getvalue()


GRAPHS: dict[str, Change] = {
    "sources out of range": _changed("sources", lambda found: found + np.uint32(1 << 31)),
    "starts that fall": _changed("starts", lambda found: found[::-1].copy()),
    "starts below nothing": _changed("starts", _at(0, -(1 << 40))),
    "starts beyond the end": _changed("starts", _at(-1, 1 << 40)),
    "nodes in no order": _changed("nodes", lambda found: found[::-1].copy()),
    "a node too many": _changed("nodes", lambda found: np.append(found, np.uint64(2**64 - 1))),
    "a degree too few": _changed("degrees", lambda found: found[1:].copy()),
    "ranks that are no numbers": _ranked(float("nan")),
    "ranks below nothing": _ranked(-1.0),
    "ranks of strings": _changed("ranks", lambda found: np.array(["a"] * len(found))),
    "a pickle": _written("ranks.npy", _pickle()),
    "names that are no text": _same_length("names.txt", b"\xff"),
    "names that are no addresses": _same_length("names.txt", b"a"),
    "anchors that are no text": _same_length("anchors.txt", b"\xc3"),
    "names in half characters": _same_length("names.txt", "é".encode()[:1]),
    "copies that are no text": _written("copies.txt", b"\xff\xfe"),
    "deeply nested mirrors": _written("mirrors.json", b"[" * 100_000),
    "mirrors that nest in one": _written("mirrors.json", b'[["a", ["b"], 1, 1, ' + b"[" * 100_000),
    "mirrors that are no hosts": _written("mirrors.json", json.dumps([["a", ["b", ""], 1, 1]]).encode()),
    "mirrors of numbers": _written("mirrors.json", b"[[1, 2, 3, 4]]"),
    "an index of nothing": _written("voices/meta.json", b'{"segments": [], "schema": [], "opstamp": 0}'),
    **{f"objects for {name}": _pickled(name) for name in ("nodes", "ranks", "folded", "changes")},
    **{f"floats for {name}": _changed(name, lambda found: found.astype(">f4")) for name in COLUMNS},
    **{f"no {name}": _changed(name, lambda found: found[:0]) for name in COLUMNS if name not in ("changes", "folded")},
    **{f"flat {name}": _changed(name, lambda found: found.reshape(1, -1)) for name in COLUMNS},
    **{f"a huge claim for {name}": _claiming(name, "(999999999999999,)") for name in ("nodes", "ranks", "changes")},
    "a claim of many sides": _claiming("ranks", "(" + "9, " * 20 + ")"),
    "a claim below nothing": _claiming("ranks", "(-1,)"),
    "a claim that is no claim": _claiming("nodes", "(" * 40),
}
SEALS: dict[str, bytes] = {
    "of nothing": b"{}",
    "that is a list": b"[]",
    "that is deep": b'{"ranks.npy": ' + b"[" * 100_000,
    "that is deep at its end": b'{"ranks.npy": [1, 2, 3, ' + b"[" * 100_000,
    "of lengths that nobody has": b'{"ranks.npy": [-1, 0, 0], "nodes.npy": [1e99, 0, 0]}',
}


def graph_in(collection: Path) -> Path:
    """The folder of the graph that counts."""
    return collection / "graph" / (collection / "graph" / "current").read_text().strip()


def planted(collection: Path, kind: str) -> None:
    """Do it, and seal the graph as its maker would."""
    GRAPHS[kind](graph_in(collection))
    graph_digests.seal(graph_in(collection))


def sealed(collection: Path, kind: str) -> None:
    """The graph is sound, and its seal is made up."""
    (graph_in(collection) / graph_digests.FILE).write_bytes(SEALS[kind])
