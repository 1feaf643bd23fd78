"""A reader sees one moment: whatever is built, removed or repaired beside it, it answers, and as it did before."""

from __future__ import annotations

import gc
import io
import os
import resource
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
from gossamer.collection.ask.consistent_read import Moment
from gossamer.pinned_path import Held
from gossamer.store.warc.reader import records
from gossamer.testing import Copies, MadeWeb, VirtualClock, WebSpec
from harness.seldom import seldom

SPEC = WebSpec(seed=11, hosts=2, pages=16, copies=Copies(exact=0.2, near=0.1))
OK = b"HTTP/1.1 200"
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
    places = [record.place for record in records(file) if record.type == "response" and record.head.startswith(OK)]
    page = places[len(places) // 2]
    with file.open("r+b") as out:
        out.seek(page.offset + page.length // 2)
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


@pytest.mark.parametrize("verb", seldom(["build --convert", "remove --archive", "verify --repair"], 2))
def test_readers_beside_a_writer_get_no_errors(copy: Path, made: tuple[Path, str], verb: str) -> None:
    assert beside(verb, copy, made[1])


@pytest.mark.soak
def test_readers_beside_writers_get_no_errors_for_long(made: tuple[Path, str], tmp_path: Path) -> None:
    for number in range(30):
        folder = tmp_path / str(number)
        copytree(made[0], folder)
        for verb in ("build --convert", "remove --archive", "verify --repair", "build --convert"):
            beside(verb, folder, made[1])


# ----------------------------------------------------------------------- what is held


def put(folder: Path, *names: str) -> None:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text(name)


def is_held(folder: Path, name: str) -> bool:
    path = folder / name
    return isinstance(path, Held) and path.handle is not None


def test_a_folder_is_held_with_its_files_and_with_those_of_the_parts_that_are_named(tmp_path: Path) -> None:
    put(tmp_path, "a")
    put(tmp_path / "part", "b")
    put(tmp_path / "other", "c")
    moment = Moment()
    found = moment.hold(tmp_path, "part", "missing")
    assert (is_held(found, "a"), is_held(found, "part/b"), is_held(found, "other/c")) == (True, True, False)
    only = moment.hold_parts(tmp_path, "part")
    assert (is_held(only, "a"), is_held(only, "part/b")) == (False, True)
    moment.close()


def test_what_comes_later_is_held_when_it_is_looked_for(tmp_path: Path) -> None:
    moment = Moment()
    found = moment.hold(tmp_path, "part")
    put(tmp_path / "part", "b")
    assert not is_held(found, "part/b")
    moment.look_in(found, "part")
    assert is_held(found, "part/b")
    first = found / "part/b"
    put(tmp_path / "part", "c")
    moment.look_in(found, "part")
    assert is_held(found, "part/c")
    assert found / "part/b" is first  # and not opened again
    moment.close()


def test_a_file_that_another_has_replaced_is_known(tmp_path: Path) -> None:
    put(tmp_path, "same", "replaced", "gone")
    moment = Moment()
    found = moment.hold(tmp_path)
    put(tmp_path, "new", "late")
    (tmp_path / "new").replace(tmp_path / "replaced")
    (tmp_path / "gone").unlink()
    replaced = {name: moment.is_replaced(found, name) for name in ("same", "replaced", "gone", "late")}
    assert replaced == {"same": False, "replaced": True, "gone": True, "late": False}
    put(tmp_path, "new")
    (tmp_path / "new").replace(tmp_path / "same")
    moment.close()
    assert moment.is_replaced(found, "same") is False  # nothing is held any more


def test_no_more_than_half_of_the_files_that_may_be_open_are_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, *"abcdefgh")

    def held(soft: int) -> int:
        monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, resource.RLIM_INFINITY))
        moment = Moment()
        found = moment.hold(tmp_path)
        count = sum(is_held(found, name) for name in "abcdefgh")
        moment.close()
        return count

    assert [held(6), held(10), held(100), held(resource.RLIM_INFINITY)] == [3, 5, 8, 8]


def test_what_is_no_file_is_passed_over_and_the_others_are_held(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    put(tmp_path, "a", "z")
    moment = Moment()
    found = moment.hold(tmp_path)
    assert is_held(found, "a")
    assert is_held(found, "z")
    moment.hold(tmp_path / "missing")  # nothing to hold
    moment.close()
