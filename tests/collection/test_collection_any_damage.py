"""Any file may be damaged in any way: each verb ends with a word, `verify` sees it, and a repair mends it."""

from __future__ import annotations

import random
import shutil
import time
from itertools import product
from pathlib import Path

import pytest

import gossamer
from gossamer.cli.main import main
from gossamer.collection import Collection, Outside
from gossamer.errors import Damaged, GossamerError
from gossamer.testing import Copies, MadeWeb, VirtualClock, WebSpec
from harness.damage import DAMAGES, Damage, can, files, is_harmless
from harness.reading_verbs import reading_verbs

SPEC = WebSpec(seed=11, hosts=2, pages=5, copies=Copies(exact=0.2))
CODES = {0, 2, 3, 5, 6, 7, 8, 9}
"""What docs/resuming.md lists: 1 would be an error without a code of its own."""
FEW, SOME = 3, 6
"""Cases of the short form, and verbs that are tried for each."""


class Sound:
    """A collection to be copied and damaged, and the web that it is of."""

    def __init__(self, path: Path) -> None:
        self.path, self.clock = path, VirtualClock()
        self.web = MadeWeb(SPEC, clock=self.clock)
        with gossamer.open(path) as collection:
            self.crawl(collection, self.web.seed, scope="any", warc_bytes=65_536)
            self.pages = urls(collection)
        self.files = files(path)

    def crawl(self, collection: Collection, *seeds: str, **settings: object) -> None:
        self.clock.jump(max(time.time() + 60 - self.clock.wall(), 0.0))  # a repair has the machine's clock
        outside = Outside(self.clock, self.web.fetch)
        self.clock.run(collection.crawl_async(*seeds, outside=outside, **settings))


def urls(collection: Collection) -> set[str]:
    return {page.url for page in collection.pages()}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    return Sound(tmp_path_factory.mktemp("sound") / "web")


def check(
    sound: Sound, folder: Path, name: str, damage: Damage, capsys: pytest.CaptureFixture[str], most: int = 0
) -> None:
    """One file, one damage: all verbs, or so many, and a repair."""
    web = shutil.copytree(sound.path, folder / "web")
    if not can(damage, web / name):
        return
    damage(web / name)
    verbs = reading_verbs(web, min(sound.pages), folder)
    for verb in random.Random(name).sample(verbs, most or len(verbs)):
        code = main(verb)
        said = capsys.readouterr().err.splitlines()
        assert code in CODES, (verb, code, said)
        assert len(said) <= 2, (verb, said)
    with gossamer.open(web) as collection:
        assert is_harmless(name, damage) or not is_well(collection), "verify sees nothing"
    with gossamer.open(web) as collection:
        assert collection.repair().left == ()
        assert collection.verify().problems == []
        sound.crawl(collection)
        assert urls(collection) == sound.pages
        assert collection.verify().problems == []


def is_well(collection: Collection) -> bool:
    try:
        return not collection.verify().problems
    except GossamerError:
        return False


def test_some_files_are_damaged(sound: Sound, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = random.Random(16).sample(list(product(sound.files, DAMAGES)), FEW)
    for number, (name, damage) in enumerate(cases):
        check(sound, tmp_path / str(number), name, damage, capsys, SOME)


@pytest.mark.parametrize("shape", ["index/meta.json", "index/*.pos", "links/log"])
def test_what_is_missing_is_said_by_who_needs_it_and_not_made_anew(sound: Sound, tmp_path: Path, shape: str) -> None:
    web = shutil.copytree(sound.path, tmp_path / "web")
    path = max((web / "shards" / "00").glob(shape), key=lambda each: each.stat().st_size)
    path.unlink()
    with gossamer.open(web) as collection:
        with pytest.raises(Damaged, match="makes"):
            collection.duplicates() if shape == "links/log" else collection.search("page")
        assert not is_well(collection)


@pytest.mark.soak
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_every_file_is_damaged(
    sound: Sound, tmp_path: Path, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = {}
    for number, name in enumerate(sound.files):
        try:
            check(sound, tmp_path / str(number), name, damage, capsys)
        except Exception as error:
            wrong[name] = repr(error)
        shutil.rmtree(tmp_path / str(number), ignore_errors=True)
    assert not wrong, "\n".join(f"{name}: {words}" for name, words in wrong.items())
