"""Which strings that must be there are found in documents of each format?

A string counts when it stands in the text, white space aside, or when its words stand there one after the other.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from material import cases, folder
from table import Row, counted, failures

from gossamer import convert
from gossamer.convert.type.mime import type_by_name

TIKA, MARKITDOWN = "tika-docs", "markitdown-docs"
GROUPS = {"odt": "odf", "ods": "odf", "odp": "odf"}
OWN = ("doc", "docx", "odf", "pdf", "ppt", "pptx", "rtf", "xls")
"""Formats of tika-docs that have a row of their own."""
_WHY = {
    "testODTMacro.odt": ": the code of a macro is no text of the document",
    "testWORD_phonetic.doc": ": the code of a field, whose result is there",
    "test_outlook_msg.msg": ": a heading that markitdown adds itself",
}
_WORD = re.compile(r"\w+")


def rows() -> Iterator[Row]:
    """One for each format, and how many could not be read at all."""
    found: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    lacking = defaultdict(list)
    failed = []
    for name, path, strings in _documents():
        page = convert.document(path.read_bytes(), type_by_name(path.name))
        lacks = [string for string in strings if not _stands_in(string, page.text)]
        lacking[name] += [f"{path.name} lacks {string!r}{_WHY.get(path.name, '')}" for string in lacks]
        found[name] += len(strings) - len(lacks)
        wanted[name] += len(strings)
        failed += [f"{path.name}: {page.problem or 'no words'}"] if page.problem or not page.text else []
    for name in sorted(wanted, key=lambda name: (name.startswith(MARKITDOWN), " all " in name, name)):
        yield replace(counted(name, found[name], wanted[name]), remarks=tuple(lacking[name]))
    yield failures("documents that could not be read", failed)


def _documents() -> Iterator[tuple[str, Path, list[str]]]:
    """The row that a document belongs to, its file, and what must stand in it."""
    for case in cases(TIKA):
        path = folder(TIKA) / case["file"]
        yield _row(path), path, case["must_contain"]
    for case in cases(MARKITDOWN):
        path = folder(MARKITDOWN) / "files" / case["filename"]
        yield f"{MARKITDOWN}: all formats", path, case["must_include_plain"]


def _row(path: Path) -> str:
    ending = path.suffix.lstrip(".").lower()
    group = GROUPS.get(ending, ending)
    return f"{TIKA}: {group}" if group in OWN else f"{TIKA}: all other formats"


def _stands_in(string: str, text: str) -> bool:
    return " ".join(string.split()) in " ".join(text.split()) or _words(string) in _words(text)


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text))} "
