"""What the machine lacks is one line with its cure and exit code 6, wherever it shows."""

from __future__ import annotations

import os
import subprocess
from errno import EDQUOT, EIO, EMFILE, ENOENT, ENOSPC, EROFS
from pathlib import Path

import pytest

from crawler_process import gossamer_command
from gossamer.cli import commands
from gossamer.cli.main import main


def raising(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_options: object) -> int:
        raise OSError(number, os.strerror(number), "/far/\x1bfile")

    monkeypatch.setattr(commands, "status", fails)


@pytest.mark.parametrize("number", [EIO, EROFS, ENOSPC, EDQUOT, EMFILE])
def test_a_fault_of_the_machine_is_one_line(
    number: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    raising(number, monkeypatch)
    assert main(["status", "web"]) == 6
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith("gossamer: /far/\\x1bfile: ")
    assert "; " in said


def test_a_mistake_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    raising(ENOENT, monkeypatch)
    with pytest.raises(FileNotFoundError):
        main(["status", "web"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("asked", [("convert", __file__), ("--version",), ("crawl", "--help")])
def test_an_answer_for_which_there_is_no_room_is_one_line(asked: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        words = gossamer_command(*asked)
        ended = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 6, ended.stderr
    assert ended.stderr.count("\n") == 1
    assert "the disk is full" in ended.stderr


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        ImportError("/x/y.so: failed to map segment from shared object"),
        ImportError("Cannot allocate memory"),
    ],
)
def test_without_memory_a_command_ends_in_one_line(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(_options: object) -> int:
        raise error

    monkeypatch.setattr(commands, "status", fails)
    assert main(["status", "web"]) == 6
    assert capsys.readouterr().err == (
        "gossamer: the machine is out of memory; end something else, then go on: what was stored is kept\n"
    )


def test_a_module_that_is_missing_is_not_taken_for_that(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_options: object) -> int:
        raise ImportError("No module named 'x'")

    monkeypatch.setattr(commands, "status", fails)
    with pytest.raises(ImportError):
        main(["status", "web"])
