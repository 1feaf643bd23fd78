"""Broken files of every format: an import takes what is sound, lists the rest, and leaves a collection that is well.

A thousand files of each in the long form. What was found before has tests in `tests/store/test_store_claims.py`.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import gossamer
from broken_files import FORMATS, PAGES, broken, url
from crawler_process import run_gossamer, with_room
from gossamer.collection import Collection
from gossamer.store.versions import Version

FEW, MANY, BATCHES = 12, 100, 10


def taken(collection: Collection) -> dict[str, Version]:
    return dict(collection._readers().all[0].archive.versions.all())


def check(folder: Path, form: str, seed: int, count: int) -> None:
    """One import of broken files with a sound one before and behind them."""
    sound = {f"{name}.{form}": FORMATS[form](name) for name in ("first", "last")}
    files = {"first." + form: sound["first." + form], **dict(broken(form, seed, count)), **sound}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    with gossamer.open(with_room(folder / "web")) as collection:
        done = collection.import_files(*(folder / name for name in files), shards=1, build=False)
        assert done.files <= done.of <= len(files)
        assert collection.verify().problems == []
        found = taken(collection)
    missing = [
        each for name in ("first", "last") for number in range(PAGES) if (each := url(name, number)) not in found
    ]
    assert missing == []
    assert all(100 <= version.status <= 999 for version in found.values())


@pytest.mark.parametrize("form", FORMATS)
def test_broken_files_cost_only_themselves(form: str, tmp_path: Path) -> None:
    check(tmp_path, form, 1, FEW)


@pytest.mark.soak
@pytest.mark.parametrize("batch", range(BATCHES))
@pytest.mark.parametrize("form", FORMATS)
def test_a_thousand_broken_files_of_each_kind_cost_only_themselves(form: str, batch: int, tmp_path: Path) -> None:
    check(tmp_path, form, 100 + batch, MANY)


@pytest.mark.parametrize("form", ["warc", "warc.gz", "warc.zst", "arc", "trec"])
def test_a_bit_costs_no_record_but_its_own(form: str, tmp_path: Path) -> None:
    """Of a file whose pages lie one behind the other, a flipped bit costs one of them at the most."""
    chance = random.Random(form)
    with gossamer.open(with_room(tmp_path / "web")) as collection:
        for number in range(FEW):
            data = bytearray(FORMATS[form](f"bit{number}"))
            at = chance.randrange(4, len(data))  # not in the mark of its packing
            data[at] ^= 1 << chance.randrange(8)
            (tmp_path / f"{number}.{form}").write_bytes(data)
        collection.import_files(*tmp_path.glob(f"*.{form}"), shards=1, build=False)
        found = taken(collection)
    for number in range(FEW):
        assert sum(url(f"bit{number}", each) in found for each in range(PAGES)) >= PAGES - 1, number


def test_what_was_left_out_is_listed_and_is_exit_code_9(tmp_path: Path) -> None:
    good, bad = FORMATS["warc"]("good"), FORMATS["warc"]("bad").replace(b"HTTP/1.1 200", b"HTTP/1.1 " + b"2" * 25)
    (tmp_path / "good.warc").write_bytes(good)
    (tmp_path / "bad.warc").write_bytes(bad)
    (tmp_path / "none.warc").write_bytes(b"nothing at all")
    folder, names = with_room(tmp_path / "web"), ("none", "missing", "bad", "good")
    done = run_gossamer("import", str(folder), *(str(tmp_path / f"{name}.warc") for name in names), "--shards", "2")
    assert done.returncode == 9, done.stderr
    assert "Traceback" not in done.stderr
    assert "none.warc" in done.stdout
    assert "missing.warc" in done.stdout
    assert run_gossamer("verify", str(folder)).returncode == 0
    with gossamer.open(folder) as collection:
        assert collection.status().pages == PAGES
