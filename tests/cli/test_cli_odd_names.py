"""Names and words that are not UTF-8, as a command line may have them: they work, or are refused in one line."""

from __future__ import annotations

import os
from pathlib import Path
from shutil import copyfile

import pytest

import gossamer
from gossamer.cli.main import main
from gossamer.collection import Outside
from gossamer.testing import MadeWeb, VirtualClock, WebSpec
from harness.reading_verbs import reading_verbs

ODD = os.fsdecode(b"caf\xe9")
"""In Latin-1."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    clock = VirtualClock()
    web, place = MadeWeb(WebSpec(seed=5, pages=4), clock=clock), tmp_path_factory.mktemp("odd") / "web"
    with gossamer.open(place) as collection:
        clock.run(collection.crawl_async(web.seed, outside=Outside(clock, web.fetch)))
    return place


@pytest.fixture(scope="module")
def seed(folder: Path) -> str:
    return gossamer.open(folder).plan.seeds[0]


def told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit code and the error line; whatever was printed could be encoded."""
    try:
        code = main(arguments)
    except SystemExit as end:
        code = int(str(end.code))
    said = capsys.readouterr()
    said.out.encode()
    return code, said.err


@pytest.mark.parametrize("field", ["site", "link", "type", "lang", "title", "before", "after", "x"])
@pytest.mark.parametrize("value", ["\udcff", '"\udcff"', "example.org/\udcff"])
def test_half_a_character_in_a_query_finds_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], field: str, value: str
) -> None:
    for options in ([], ["--explain"], ["--json"]):
        code, errors = told(["search", str(folder), f"{field}:{value}", *options], capsys)
        assert code in (0, 2), errors
        assert errors.count("\n") <= 1  # the reason, or a hint


def test_half_a_character_in_any_argument_is_no_traceback(
    folder: Path, seed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in reading_verbs(folder, seed, tmp_path):
        for place in range(1, len(arguments)):
            odd = [*arguments[:place], f"{arguments[place]}{ODD}", *arguments[place + 1 :]]
            told(odd, capsys)
    for option in ("--include", "--exclude", "--contact", "--proxy", "--ca-file", "--allow-address", "--url-rule"):
        code, errors = told(["crawl", str(tmp_path / "new"), "http://127.0.0.1:9/", option, ODD], capsys)
        assert code == 2, (option, errors)
        assert not (tmp_path / "new").exists()


def test_a_collection_needs_a_name_in_utf_8(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["crawl", str(tmp_path / ODD), "http://127.0.0.1:9/"], ["status", str(tmp_path / ODD)]):
        code, errors = told(arguments, capsys)
        assert code in (2, 3)
        assert errors.count("\n") <= 2
        assert not (tmp_path / ODD).exists()


def test_a_file_with_an_odd_name_is_exported_imported_and_converted(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / f"{ODD}.warc.gz"
    assert told(["export", str(folder), "warc", "-o", str(out)], capsys) == (0, "")
    assert told(["export", str(folder), "jsonl", "-o", str(tmp_path / f"{ODD}.jsonl"), "--json"], capsys) == (0, "")
    arguments = ["import", str(tmp_path / "second"), str(out), "--shards", "1"]
    for _ in range(2):
        code, errors = told([*arguments, "--json"], capsys)
        assert code == 0, errors
    broken = tmp_path / f"broken-{ODD}.warc.gz"
    copyfile(out, broken)
    with broken.open("r+b") as file:
        file.truncate(broken.stat().st_size - 100)
    code, errors = told(["import", str(tmp_path / "third"), str(broken), "--shards", "1"], capsys)
    assert code in (0, 9), errors
    assert told(["verify", str(tmp_path / "second")], capsys) == (0, "")
    page = tmp_path / f"{ODD}.html"
    page.write_text("<title>Bread</title><p>Words of bread")
    for form in ("text", "json", "markdown"):
        assert told(["convert", "--as", form, str(page), str(page)], capsys) == (0, "")
