"""A reader sees one moment: whatever is built, removed or repaired beside it, it answers, and as it did before."""

from __future__ import annotations

import gc
import io
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from shutil import copytree

import pytest

import gossamer
from crawler_process import gossamer_command
from gossamer.cli.main import main
from gossamer.collection import Collection, Outside
from gossamer.collection.moment import Moment
from gossamer.testing import Copies, MadeWeb, VirtualClock, WebSpec

SPEC = WebSpec(seed=11, hosts=2, pages=16, copies=Copies(exact=0.2, near=0.1))
SOME = r"/[0-9a-m][^/]*$"
"""Pages that are removed."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    clock = VirtualClock()
    web, folder = MadeWeb(SPEC, clock=clock), tmp_path_factory.mktemp("moment") / "web"
    with gossamer.open(folder) as collection:
        clock.run(collection.crawl_async(web.seed, scope="any", outside=Outside(clock, web.fetch)))
    return folder, web.seed


@pytest.fixture
def copy(made: tuple[Path, str], tmp_path: Path) -> Path:
    copytree(made[0], tmp_path / "web")
    return tmp_path / "web"


def asked(reader: Collection, seed: str) -> dict[str, Callable[[], object]]:
    """All that can be asked."""

    def exported(form: str) -> bytes:
        reader.export(form, out := io.BytesIO())
        return out.getvalue()

    return {
        "status": lambda: replace(reader.status(), crawling=None),
        "why": lambda: reader.why(seed),
        "pages": lambda: [(page.url, page.text, page.capture.body) for page in reader.pages()],
        "history": lambda: reader.history(seed),
        "search": lambda: [(hit.url, hit.snippet) for hit in reader.search("the of a").hits],
        "similar": lambda: reader.similar(seed),
        "duplicates": lambda: reader.duplicates(),
        "links": lambda: reader.links(seed),
        "rank": lambda: reader.graph.top(5),
        "sites": lambda: reader.rank_sites(),
        **{form: partial(exported, form) for form in ("jsonl", "warc", "cdxj", "trec", "graph")},
    }


def questions(reader: Collection, seed: str) -> dict[str, object]:
    """The same with the answers."""
    return {name: ask() for name, ask in asked(reader, seed).items()}


def damage(folder: Path) -> None:
    """The record of one page, in the middle of its file."""
    (file,) = (folder / "shards" / "00" / "captures").iterdir()
    with file.open("r+b") as out:
        out.seek(file.stat().st_size // 2)
        out.write(b"\0" * 100)


WRITERS: dict[str, tuple[str, ...]] = {
    "build": (),
    "build --convert": (),
    "remove": (SOME, "--yes"),
    "remove --archive": (SOME, "--yes"),
}


def told(verb: str, folder: Path) -> list[str]:
    """A command line that changes the collection."""
    name, *options = verb.split()
    return [name, str(folder), *WRITERS.get(verb, ()), *options]


@pytest.mark.parametrize("verb", WRITERS)
def test_a_reader_answers_as_before_when_a_writer_has_replaced_everything(
    copy: Path, made: tuple[Path, str], verb: str
) -> None:
    seed = made[1]
    with gossamer.open(copy) as before, gossamer.open(copy) as reader:
        expected = questions(before, seed)
        reader.search("anything")  # each part shows the moment at which it was asked for; a search asks for all of them
        assert main(told(verb, copy)) == 0
        assert questions(reader, seed) == expected
    with gossamer.open(copy) as after:
        assert verb.startswith("build") == (questions(after, seed)["pages"] == expected["pages"])


def test_a_reader_answers_as_before_when_a_file_was_repaired(copy: Path, made: tuple[Path, str]) -> None:
    damage(copy)
    whole = ("status", "why", "history", "search", "similar", "duplicates", "links", "rank", "sites", "cdxj")
    with gossamer.open(copy) as before, gossamer.open(copy) as reader:
        expected = {name: asked(before, made[1])[name]() for name in whole}
        reader.search("anything")
        with gossamer.open(copy) as mender:
            assert mender.repair().lost
        assert {name: asked(reader, made[1])[name]() for name in whole} == expected


def test_a_reader_that_never_finds_a_quiet_moment_reads_all_the_same(
    copy: Path, made: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Moment, "is_replaced", lambda *_: True)
    with gossamer.open(copy) as reader:
        assert reader.page(made[1]).text


def test_a_reader_that_was_closed_takes_no_other_file_for_one_that_it_held(copy: Path) -> None:
    with gossamer.open(copy) as reader:
        graph = reader.graph
    others = [os.open(os.devnull, os.O_RDONLY) for _ in range(50)]  # they get the numbers that are free now
    try:
        assert graph.top(3)
        assert graph.mirrors == []
    finally:
        for each in others:
            os.close(each)


def test_nothing_is_left_open(copy: Path, made: tuple[Path, str]) -> None:
    def held() -> list[str]:
        links = (Path("/proc/self/fd", name) for name in os.listdir("/proc/self/fd"))
        return [target for each in links if each.is_symlink() and (target := os.readlink(each)).startswith(str(copy))]

    with gossamer.open(copy) as reader:
        questions(reader, made[1])
        assert held()
    gc.collect()  # what is mapped goes with who has mapped it
    assert held() == []


def beside(verb: str, folder: Path, seed: str) -> int:
    """Ask again and again, each time at another moment, until the writer has ended; how often."""
    writer = subprocess.Popen(gossamer_command(*told(verb, folder)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    rounds = 0
    try:
        while writer.poll() is None or rounds == 0:
            with gossamer.open(folder) as reader:
                questions(reader, seed)
            rounds += 1
    finally:
        writer.kill()
        _, errors = writer.communicate()
    assert writer.returncode == 0, errors
    return rounds


@pytest.mark.parametrize("verb", ["build --convert", "remove --archive", "verify --repair"])
def test_readers_beside_a_writer_get_no_errors(copy: Path, made: tuple[Path, str], verb: str) -> None:
    assert beside(verb, copy, made[1])


@pytest.mark.soak
def test_readers_beside_writers_get_no_errors_for_long(made: tuple[Path, str], tmp_path: Path) -> None:
    for number in range(30):
        folder = tmp_path / str(number)
        copytree(made[0], folder)
        for verb in ("build --convert", "remove --archive", "verify --repair", "build --convert"):
            beside(verb, folder, made[1])
