"""Strings of programs are read from catalogues of gettext as translators wrote them."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "quality"))
import translations  # the scripts are no package


def catalogue(said: dict[bytes, bytes], order: str = "<") -> bytes:
    head = 28
    texts, tables = b"", ([], [])
    start = head + 16 * len(said)
    for pair in said.items():
        for table, text in zip(tables, pair, strict=True):
            table.extend((len(text), start + len(texts)))
            texts += text + b"\0"
    numbers = (0x950412DE, 0, len(said), head, head + 8 * len(said), 0, 0)
    return struct.pack(f"{order}{7 + 4 * len(said)}I", *numbers, *tables[0], *tables[1]) + texts


def test_a_catalogue_gives_its_pairs_without_contexts_and_plurals() -> None:
    said = {
        b"": b"Content-Type: text/plain\n",
        b"verb\x04Open": "Öffnen".encode(),
        b"a file\0files": b"eine Datei\0Dateien",
    }
    for order in "<>":
        assert list(translations.pairs(catalogue(said, order))) == [("Open", "Öffnen"), ("a file", "eine Datei")]


def test_strings_are_judged_that_were_not_learnt(tmp_path: Path) -> None:
    for package in (*translations.LEARNT, *translations.JUDGED):
        (tmp_path / "catalogues" / package).mkdir(parents=True)
    both, one = (
        {b"Open _folder": b"Ordner &\xc3\xb6ffnen"},
        {b"Close": "Schließen <b>alle</b> %s".encode(), b"Hello": b"Hello"},
    )
    for package, said in (("kio", both), ("inkscape", both | one)):
        folder = tmp_path / "catalogues" / package / "locale" / "de" / "LC_MESSAGES"
        folder.mkdir(parents=True)
        (folder / "x.mo").write_bytes(catalogue(said))
    found = translations.strings(tmp_path, 10)
    assert found.learnt == {"de": ["Ordner öffnen"], "en": ["Open folder"]}
    assert {code: sorted(texts) for code, texts in found.judged.items()} == {
        "de": ["Schließen alle"],
        "en": ["Close", "Hello"],
    }
