"""Hostile bytes for every compiled module that reads them, in a process whose modules abort at the first wrong step.

    python fuzz_child.py FOLDER SEED COUNT SIZE [PAGE...]

FOLDER has the modules, built to check themselves, and gets a file `case` with what is being read. PAGE are files whose
pages are spoilt. SIZE is that of the extreme pages, which come first; 0 leaves them out.
"""

from __future__ import annotations

import ctypes
import gzip
import importlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np

from fuzz.fuzz_pages import STARTERS, TEXTS, extreme, spoilt

NAMES = ("ab-", ".N", "C++", "C#", "\u2011x", "a\xad", "-" + "x" * 20, " .net", "_B", "aB", "XYZd.", "\u05d0\u05b0")
"""Words of several parts, and pieces of them."""


class Checked:
    """Finds the modules that check themselves in the place of those that are installed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        file = self._folder / f"{name}.so"
        return importlib.util.spec_from_file_location(name, file) if file.exists() else None


def use(folder: Path) -> None:
    """From now on."""
    sys.meta_path.insert(0, Checked(folder))  # type: ignore[arg-type]  # it has the one method that is asked for


class Readers:
    """All that reads what strangers wrote."""

    def __init__(self, case: Path) -> None:
        module = importlib.import_module
        self._case = os.open(case, os.O_RDWR | os.O_CREAT)
        self._poison = ctypes.CDLL(None)["__asan_poison_memory_region"]
        self._poison.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self._scan = module("gossamer.convert.html._scan").scan
        self._pointers = module("gossamer.convert.html._scan").pointers
        self._distinct = module("gossamer.urls._distinct").distinct
        self._from_bytes = module("gossamer.convert.html.outline").from_bytes
        self._by_tree = module("gossamer.convert.html.scan").by_tree
        self._render = module("gossamer.convert.render.compiled")
        self._dressed = module("gossamer.convert.render.dressing").dressed
        self._learned = module("gossamer.convert.content.learned")
        self._marks = module("gossamer.convert.content.marks")
        self._look = module("gossamer.convert._unseen").look
        self._plain = module("gossamer.tagged._plain").plain
        self._within = module("gossamer.tagged._plain").within
        self._passages = module("gossamer.search._passages").parts
        self._measure = module("gossamer.dedupe._prints").measure
        self._sweep = module("gossamer.graph._sweep").sweep
        self._met = module("gossamer.frontier.worth._newness").met
        self._shown = bytearray(256)
        pieces = (None, frozenset({"ab"}))
        self._stems = [module("gossamer.index._words").Stems(self._stem, 2_048, True, each) for each in pieces]

    def page(self, dice: Random, page: bytes) -> None:
        """A page from its bytes to the words that are indexed."""
        self._note(page)
        page = bytes(bytearray(page))  # of its own, so that what comes after it is nobody's
        if len(page) > 1:
            self._poison(id(page) + bytes.__basicsize__ - 1 + len(page), 1)
        found = self._scan(page, dice.choice((0, 1, 7, 10_000)), dice.random() < 0.95)
        if found is not None:
            self.text(dice, found[1])
            self.links(dice, found[2])
            outline = None if found[-1] is None else self._from_bytes(found[-1])
        elif dice.random() < 0.1 and len(page) < 20_000:
            outline = self._by_tree(page).outline
        else:
            outline = None
        if outline is not None:
            self._outline(dice, outline)

    def links(self, dice: Random, columns: tuple[bytes, ...]) -> None:
        """What links lead to, as they were found and as columns that do not fit."""
        page = dice.choice(("http://a.example/b/c?d", "https://a.example/", "http://", "", "http://a.example?/"))
        spoilt = list(columns)
        if dice.random() < 0.3:
            which = dice.randrange(len(spoilt))
            spoilt[which] = spoilt[which][dice.choice((0, 1, 8)) :] + dice.choice((b"", b"\xff", b"\xff" * 8))
        answers = (None, page, "", "http://b.example/" + "x" * dice.choice((1, 16_400)))
        for each in (columns, spoilt):
            with suppress(ValueError, IndexError):  # they say that the columns do not fit
                self._pointers(tuple(each), ("a", "area", "iframe", "link", "refresh", "frame"))
                self._distinct(each[0], each[1], each[-1], page, lambda href: dice.choice(answers))

    def _outline(self, dice: Random, outline: Any) -> None:
        runs, elements = len(outline.owners), len(outline.tags)
        self._marks.numbered(outline)
        begins = outline.starts[:-1].copy()
        self._marks.hashes(outline.text, begins, outline.starts[1:].copy())
        keep = np.array([dice.random() < 0.8 for _ in range(runs)], np.bool_)
        if runs and runs <= 20_000 and elements <= 100_000:
            keep |= self._learned.learned(outline).keep
        hrefs = {element: dice.choice(TEXTS) for element in range(elements) if dice.random() < 0.5}
        self._render.inside(outline, keep)
        if runs:
            outline, keep, hrefs = self._dressed(outline, keep, hrefs, lambda urls: [dice.choice(TEXTS) for _ in urls])
        html, words = self._render.written(outline, keep, hrefs)
        self.text(dice, words)
        self.tagged(dice, html)

    def tagged(self, dice: Random, html: str) -> None:
        """Tagged text, as we wrote it and as somebody else may have spoilt it."""
        self._plain(html)
        at = dice.randint(0, len(html))
        for other in (html[:at], html[at:], html[:at] + dice.choice(TEXTS) + html[at:]):
            self._note(other.encode(errors="surrogatepass"))
            self._plain(other)
        data = html.encode(errors="replace")
        with suppress(UnicodeDecodeError, ValueError):  # it says that it is no part, or cuts a character
            self._within(data, *(dice.randint(-1, len(data) + 1) for _ in range(2)))

    def text(self, dice: Random, text: str) -> None:
        """Words that are measured and indexed."""
        if dice.random() < 0.2:
            at = dice.randint(0, len(text))
            more = dice.choice((*TEXTS, *NAMES))
            text = text[:at] + chr(dice.randrange(0x110000)) + more * dice.choice((1, 3, 90)) + text[at:]
        self._note(text.encode(errors="surrogatepass"))
        self._look(text)
        self._measure(text)
        limits = (dice.choice((0, 1, 256)), dice.choice((1, 200)), dice.choice((1, 16)), dice.choice((1, 64)))
        self._met(text.encode(errors="replace"), self._shown[: dice.choice((1, 7, 256))], *limits)
        for stems in self._stems:
            stems.joined(text)
            wanted = ("word", dice.choice(TEXTS).lower(), "", "\u4e2d", dice.choice(NAMES), "b")[dice.randrange(6) :]
            start, end = sorted(dice.randint(0, len(text)) for _ in range(2))
            for places in (stems.met(text, wanted, self._parts), stems.met(text, wanted, self._parts, start, end)):
                self.passages(dice, places, len(wanted))

    def passages(self, dice: Random, places: bytes, terms: int) -> None:
        """Places as they were found, and others that somebody may have made of them."""
        weights = tuple(dice.choice((0.0, 1.0, 0.3)) for _ in range(max(terms, 8)))
        limits = (0.05, 1e-9, dice.choice((0, 1, 60)), dice.choice((0, 5)), 60)
        cut = dice.randint(0, len(places))
        for each in (places, places[cut:], b"\xff" * 7 + places[:cut]):
            with suppress(ValueError):  # it says that there is no such term
                self._passages(each, weights[dice.randrange(3) :], dice.choice((0, 20, 220)), limits)

    def _parts(self, name: str) -> tuple[tuple[int, int, int], ...]:
        return ((0, 1, 0), (len(name) - 1, len(name), 7)) if len(name) % 2 else ()

    def _stem(self, word: str) -> str:
        """A stem of any length: none, the word, or far longer. Some terms stand apart."""
        parts = word.replace("-", " ")
        return (word, word[:-1], word.lower(), "", word * 9, f"{parts}\0{word}", f"\0{word}", f"{word}\0")[
            sum(word.encode()) % 8
        ]

    def graph(self, dice: Random) -> None:
        """Arcs of a graph that somebody else may have made."""
        nodes = dice.choice((0, 1, 2, 50))
        degrees = np.array([dice.randrange(4) for _ in range(nodes)], np.uint32)
        starts = np.cumsum([0, *(dice.randrange(4) for _ in range(nodes))]).astype(np.int64)
        sources = np.array([dice.randrange(max(nodes, 1)) for _ in range(int(starts[-1]))], np.uint32)
        arrays = [starts, sources, degrees, *(np.full(nodes, 1 / max(nodes, 1)) for _ in range(4))]
        if dice.random() < 0.7:
            spoilt = dice.randrange(len(arrays))
            array = arrays[spoilt].copy()
            if len(array) and dice.random() < 0.6:
                wild: list[Any] = [0, 1, nodes, 1 << 31] if array.dtype != np.int64 else [-1, nodes, 1 << 40, 1 << 62]
                array[dice.randrange(len(array))] = dice.choice(wild)
            arrays[spoilt] = array[: dice.randint(0, len(array))] if dice.random() < 0.4 else array
        self._note(repr(arrays).encode())
        starts, sources, degrees, values, shares, start, ends = arrays
        with suppress(ValueError):  # it says that they are not of one graph
            self._sweep(starts, sources, degrees, values, shares, 0.85, start, ends)

    def _note(self, data: bytes) -> None:
        os.ftruncate(self._case, 0)
        os.pwrite(self._case, data, 0)


def opened(path: str) -> bytes:
    data = Path(path).read_bytes()
    return gzip.decompress(data) if path.endswith(".gz") else data


def main(folder: Path, seed: int, count: int, size: int, *paths: str) -> None:
    use(folder)
    readers, dice = Readers(folder / "case"), Random(seed)
    pages = [*STARTERS, *(page[:200_000] for page in map(opened, paths))]
    for page in extreme(size) if size else ():
        readers.page(dice, page)
    for number in range(count):
        readers.page(dice, spoilt(dice, pages))
        if number % 4 == 0:
            readers.graph(dice)
    modules = [name for name, each in sys.modules.items() if str(folder) in (getattr(each, "__file__", "") or "")]
    print(f"{count} pages were read by {len(modules)} modules")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:5]), *sys.argv[5:])
