"""A package that is installed reads a type of its own: its converter is called where files are read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PLUGIN = """
import os

def read(source):
    if b"bad" in source.data:
        raise ValueError("not a song")
    if b"odd" in source.data:
        return 7
    return source.data.decode().upper() + f" in {os.getpid()}"
"""
ASK = """
import os, sys
from gossamer import convert
for data in (b"la la", b"bad", b"odd"):
    page = convert.document(data, "text/x-song", "https://example.org/a")
    print(page.media_type, "|", page.content.replace(str(os.getpid()), "this process"), "|", page.problem)
print(convert.document(b"x", "text/x-broken", "https://example.org/a").text)
"""


def install(folder: Path, entry_points: str, **modules: str) -> None:
    about = folder / "songs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: songs\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(entry_points)
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)


def test_plug_ins_are_listed_with_their_packages_and_whether_they_work(tmp_path: Path) -> None:
    points = "[gossamer.converters]\ntext/x-song = songs:read\ntext/x-broken = nowhere:read\n"
    points += "[gossamer.protocols]\nsing = songs:read\nftp = songs:read\n"
    install(tmp_path, points, songs=PLUGIN)
    done = subprocess.run(
        [sys.executable, "-m", "gossamer", "help", "--plugins"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines() == [
        "protocols: https, http, data, ftp, gemini, sftp (built in)",
        "  ftp                     songs 1.0, songs:read; passed over, it is built in",
        "  sing                    songs 1.0, songs:read",
        "converters: those of docs/documents.md (built in)",
        "  text/x-broken           songs 1.0, nowhere:read; cannot be loaded",
        "  text/x-song             songs 1.0, songs:read",
    ]


def test_a_converter_of_a_package_reads_its_type_apart_and_costs_one_page_at_most(tmp_path: Path) -> None:
    points = "[gossamer.converters]\ntext/x-song = songs:read\ntext/x-broken = nowhere:read\n"
    install(tmp_path, points, songs=PLUGIN)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    song, bad, odd, broken, *_ = done.stdout.splitlines()
    assert song.startswith("text/x-song | LA LA in ")
    assert "this process" not in song
    assert "the converter of songs failed: ValueError: not a song; update it, or `pip uninstall songs`" in bad
    assert "the converter of songs failed: it gave int" in odd
    assert broken == "x"
    assert "the plug-in text/x-broken of songs cannot be loaded (ModuleNotFoundError" in done.stderr
