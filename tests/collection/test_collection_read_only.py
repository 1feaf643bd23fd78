"""Reading writes nothing: a collection on a read-only medium, or of another user, answers every question."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import gossamer
from crawler_process import run_gossamer
from gossamer.collection import Outside
from gossamer.testing import Copies, MadeWeb, VirtualClock, WebSpec
from harness.read_only import frozen, looks, read_only
from harness.reading_verbs import reading_verbs

NOBODY = 65534
FOREIGN = {"status", "show", "search", "export", "list", "broken", "changes", "why", "history"}
SPEC = WebSpec(seed=5, hosts=2, pages=30, copies=Copies(exact=0.1))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    clock = VirtualClock()
    web, folder = MadeWeb(SPEC, clock=clock), tmp_path_factory.mktemp("read-only") / "web"
    with gossamer.open(folder) as collection:
        clock.run(collection.crawl_async(web.seed, scope="any", outside=Outside(clock, web.fetch)))
    return folder, web.seed


def test_a_collection_that_cannot_be_written_to_answers_every_question(made: tuple[Path, str], tmp_path: Path) -> None:
    folder, seed = made
    verbs = reading_verbs(folder, seed, tmp_path)
    before = looks(folder)
    with frozen(folder):
        results = read_only([*verbs, ["crawl", str(folder), seed]])
    assert looks(folder) == before
    *read, crawled = results
    assert [(verb, *result) for verb, result in zip(verbs, read, strict=True) if result != (0, "")] == []
    assert crawled[0] == 6, crawled


def test_reading_leaves_everything_as_it_is_where_it_could_write(made: tuple[Path, str], tmp_path: Path) -> None:
    folder, seed = made
    before = looks(folder)
    for code, errors in read_only(reading_verbs(folder, seed, tmp_path)):
        assert (code, errors) == (0, "")
    assert looks(folder) == before


@pytest.mark.parametrize(("files", "folders"), [(0, 0o555), (0, 0), (0o444, 0o444)])
def test_a_collection_that_may_not_be_read_says_so_in_a_line(
    made: tuple[Path, str], tmp_path: Path, files: int, folders: int
) -> None:
    folder = tmp_path / "web"
    shutil.copytree(made[0], folder)
    with frozen(folder, files=files, folders=folders):
        for verb, result in zip(verbs := reading_verbs(folder, made[1], tmp_path), read_only(verbs), strict=True):
            assert result[0] in (3, 6), (verb, result)
            assert result[1].count("\n") == 1, (verb, result)


@pytest.fixture
def shared(made: tuple[Path, str]) -> Iterator[Path]:
    """A copy that every user of the machine can get to, which what pytest makes is not."""
    if os.geteuid() != 0:
        pytest.skip("only root can be another user")
    with TemporaryDirectory(dir="/tmp") as name:
        os.chmod(name, 0o755)
        shutil.copytree(made[0], Path(name) / "web")
        yield Path(name) / "web"


def asked(folder: Path, seed: str, place: Path) -> list[list[str]]:
    """What another user asks; an export goes to standard output."""
    verbs = [each for each in reading_verbs(folder, seed, place) if each[0] in FOREIGN]
    return [each[:3] if each[0] == "export" else each for each in verbs]


def test_the_readable_collection_of_another_user_answers(made: tuple[Path, str], shared: Path, tmp_path: Path) -> None:
    before = looks(shared)
    verbs = asked(shared, made[1], tmp_path)
    results = read_only([*verbs, ["crawl", str(shared), made[1]]], user=NOBODY)
    assert [(verb, *result) for verb, result in zip(verbs, results, strict=False) if result != (0, "")] == []
    assert results[-1][0] == 6
    assert looks(shared) == before


def test_what_another_user_may_not_read_is_one_line(made: tuple[Path, str], shared: Path, tmp_path: Path) -> None:
    """One process asks for all of them: it takes seconds to become another user."""
    verbs: list[list[str]] = []
    for number, closed in enumerate(("", "shards", "plan.toml", "shards/00/table")):
        folder = shutil.copytree(shared, shared.with_name(f"web{number}"))
        os.chmod(folder / closed, 0)
        verbs += asked(folder, made[1], tmp_path)
    for verb, (code, errors) in zip(verbs, read_only(verbs, user=NOBODY), strict=True):
        assert (code, errors.count("\n")) == (6, 1), (verb, code, errors)


def test_nobody_writes_while_a_read_only_collection_is_verified(made: tuple[Path, str], tmp_path: Path) -> None:
    folder = tmp_path / "web"
    shutil.copytree(made[0], folder)
    handle = os.open(folder / "lock", os.O_RDWR)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with frozen(folder):
        ((code, errors),) = read_only([["verify", str(folder)]])
    os.close(handle)
    assert code == 4, errors
    assert run_gossamer("verify", str(folder)).returncode == 0
