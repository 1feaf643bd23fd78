"""Rows in key order; changes show at once and last from the next commit on."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from rocksdict import Rdict

from gossamer.errors import Damaged, Locked, StorageError
from gossamer.store.table.locality import Grouped
from gossamer.store.table.row_cache import Overlay
from gossamer.store.table.soundness import damage
from gossamer.store.table.table import Table

FAMILIES = ["pages", "queue"]
GROUPED = [Grouped(name, "shared") for name in (*FAMILIES, "page", "pages2")]


@pytest.fixture(params=[FAMILIES, GROUPED], ids=["alone", "grouped"])
def families(request: pytest.FixtureRequest) -> list[str]:
    chosen: list[str] = request.param
    return chosen


@pytest.fixture
def table(path: Path, families: list[str]) -> Iterator[Table]:
    with Table.open(path, families, writable=True) as opened:
        for family in families[2:]:  # before and behind the others, in the same files
            for key in (b"", b"a", b"key", b"\xff"):
                opened.put(family, key, b"of another")
        opened.commit()
        yield opened


def fill(table: Table, *keys: bytes) -> None:
    for key in keys:
        table.put("pages", key, key.upper())


def keys(rows: Iterator[tuple[bytes, bytes]]) -> list[bytes]:
    return [key for key, _ in rows]


def test_a_change_shows_before_it_is_committed(table: Table) -> None:
    fill(table, b"a")
    table.commit()
    table.put("pages", b"b", b"2")
    table.delete("pages", b"a")
    assert table.get("pages", b"b") == b"2"
    assert table.get("pages", b"a") is None
    assert list(table.scan("pages")) == [(b"b", b"2")]
    assert table.get_many("pages", [b"b", b"a", b"c"]) == [b"2", None, None]


def test_families_are_apart(table: Table) -> None:
    table.put("pages", b"key", b"1")
    table.put("queue", b"key", b"2")
    table.commit()
    table.delete("queue", b"key")
    table.commit()
    assert (table.get("pages", b"key"), table.get("queue", b"key")) == (b"1", None)


def test_a_family_is_bare_until_a_row_is_put(path: Path) -> None:
    with Table.open(path, FAMILIES, writable=True) as table:
        assert [table.is_bare("pages") for _ in range(2)] == [True, True]
        fill(table, b"a")
        assert not table.is_bare("pages")
        assert table.is_bare("queue")
        table.commit()
        assert not table.is_bare("pages")
        table.put_all("queue", [b"a", b"b"], b"c")
        assert list(table.scan("queue")) == [(b"a", b"c"), (b"b", b"c")]
        table.commit()
    with Table.open(path, FAMILIES, writable=True) as table:
        assert not table.is_bare("queue")


def test_pending_counts_changed_rows(table: Table) -> None:
    fill(table, b"a", b"b", b"a")
    table.delete("queue", b"x")
    assert table.pending == 3
    table.commit()
    assert table.pending == 0


def test_what_was_not_committed_is_gone_when_the_table_is_opened_again(path: Path) -> None:
    with Table.open(path, FAMILIES, writable=True) as table:
        fill(table, b"a")
        table.commit()
        fill(table, b"b")
    with Table.open(path, FAMILIES, writable=True) as table:
        assert keys(table.scan("pages")) == [b"a"]


def test_empty_keys_and_values_are_rows(table: Table) -> None:
    table.put("pages", b"", b"")
    table.commit()
    assert table.get("pages", b"") == b""
    assert list(table.scan("pages")) == [(b"", b"")]


def test_many_are_given_in_the_order_they_were_asked_for(table: Table) -> None:
    fill(table, b"a", b"b", b"c")
    table.commit()
    table.put("pages", b"d", b"new")
    table.delete("pages", b"b")
    asked = [b"d", b"c", b"b", b"x", b"a", b"d"]
    assert table.get_many("pages", asked) == [b"new", b"C", None, None, b"A", b"new"]
    assert table.get_many("queue", [b"a"]) == [None]
    assert table.get_many("pages", []) == []


def test_rows_that_were_read_ahead_are_not_asked_for_again(table: Table) -> None:
    fill(table, b"a", b"b")
    table.commit()
    table.put("pages", b"b", b"changed")
    table.read_ahead("pages", [b"a", b"b", b"none"])
    table.close()  # whoever asks the database now finds it closed
    assert [table.get("pages", key) for key in (b"a", b"b", b"none")] == [b"A", b"changed", None]
    with pytest.raises(StorageError):
        table.get("pages", b"c")


@pytest.mark.parametrize("committed", [True, False])
def test_a_scan_keeps_to_its_prefix_start_and_limit(table: Table, committed: bool) -> None:
    fill(table, b"a", b"b/1", b"b/2", b"b/3", b"c", b"\xff", b"\xff\xff1", b"b/\xff\xff")
    if committed:
        table.commit()
    assert keys(table.scan("pages", b"b/")) == [b"b/1", b"b/2", b"b/3", b"b/\xff\xff"]
    assert keys(table.scan("pages", b"b/", b"b/2")) == [b"b/2", b"b/3", b"b/\xff\xff"]
    assert keys(table.scan("pages", b"b/", b"b/2", 1)) == [b"b/2"]
    assert keys(table.scan("pages", b"b/", b"c")) == []
    assert keys(table.scan("pages", b"b/", b"a", 2)) == [b"b/1", b"b/2"]
    assert keys(table.scan("pages", b"\xff")) == [b"\xff", b"\xff\xff1"]
    assert keys(table.scan("pages", b"\xff\xff")) == [b"\xff\xff1"]
    assert keys(table.scan("pages", start=b"b/3")) == [b"b/3", b"b/\xff\xff", b"c", b"\xff", b"\xff\xff1"]
    assert keys(table.scan("pages", limit=0)) == []


@pytest.mark.parametrize("committed", [False, True])
def test_the_first_row_of_each_prefix_is_given_in_the_order_asked_for(table: Table, committed: bool) -> None:
    fill(table, b"a1", b"a2", b"b", b"d\xff")
    if committed:
        table.commit()
    wanted = [b"d", b"a", b"c", b"b", b"a2", b"e", b"a"]
    assert table.firsts("pages", wanted) == [b"D\xff", b"A1", None, b"B", b"A2", None, b"A1"]
    assert table.firsts("pages", []) == []


def test_a_scan_shows_the_rows_of_the_moment_it_was_asked_for(table: Table) -> None:
    fill(table, b"a", b"c")
    table.commit()
    fill(table, b"b")
    rows = table.scan("pages")
    table.delete("pages", b"a")
    table.put("pages", b"bb", b"late")
    table.commit()
    table.put("pages", b"d", b"later")
    assert keys(rows) == [b"a", b"b", b"c"]


def test_rows_may_be_deleted_while_they_are_scanned(table: Table) -> None:
    fill(table, *(b"%03d" % number for number in range(100)))
    table.commit()
    for key, _ in table.scan("pages"):
        table.delete("pages", key)
    table.commit()
    assert keys(table.scan("pages")) == []


def test_a_reader_sees_what_is_committed_while_a_writer_works(table: Table, path: Path, families: list[str]) -> None:
    fill(table, b"a")
    table.commit()
    fill(table, b"b")
    with Table.open(path, families, writable=False) as reader:
        assert keys(reader.scan("pages")) == [b"a"]
    table.commit()
    with Table.open(path, families, writable=False) as reader:
        assert keys(reader.scan("pages")) == [b"a", b"b"]
        assert reader.get_many("pages", [b"b", b"c"]) == [b"B", None]
    fill(table, b"c")
    table.commit()


def test_a_reader_leaves_nothing_behind(
    table: Table, path: Path, families: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.commit()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    before = sorted(os.listdir(path))
    with Table.open(path, families, writable=False):
        assert len(os.listdir(scratch)) == 1
    with pytest.raises(Damaged):
        Table.open(path, ["unknown"], writable=False)
    assert os.listdir(scratch) == []
    assert sorted(os.listdir(path)) == before


def test_a_reader_cannot_write(table: Table, path: Path, families: list[str]) -> None:
    table.commit()
    with Table.open(path, families, writable=False) as reader:
        reader.put("pages", b"a", b"1")
        with pytest.raises(StorageError):
            reader.commit()


def test_a_second_writer_is_told_so(table: Table, path: Path) -> None:
    with pytest.raises(Locked, match="another process"):
        Table.open(path, FAMILIES, writable=True)
    program = (
        "import sys; from pathlib import Path\n"
        "from gossamer.errors import Locked; from gossamer.store.table.table import Table\n"
        "try: Table.open(Path(sys.argv[1]), ['pages', 'queue'], writable=True)\n"
        "except Locked as error: print(error)"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        capture_output=True,
        env=environment,
        text=True,
        check=True,
    )
    assert "another process" in said.stdout


def test_closing_gives_the_table_free_at_once(path: Path) -> None:
    for number in range(5):
        table = Table.open(path, FAMILIES, writable=True)
        table.put("pages", b"%d" % number, b"")
        assert len(keys(table.scan("pages"))) == number + 1
        table.commit()
        table.close()
        table.close()


def test_a_new_family_may_be_added_later(path: Path) -> None:
    Table.open(path, FAMILIES, writable=True).close()
    with Table.open(path, [*FAMILIES, "third"], writable=True) as table:
        table.put("third", b"a", b"1")
        table.commit()
    with pytest.raises(Damaged, match="third"):
        Table.open(path, FAMILIES, writable=True)


def test_a_family_that_stood_alone_when_the_table_was_made_goes_on_so(path: Path) -> None:
    with Table.open(path, ["pages"], writable=True) as table:
        fill(table, b"a")
        table.commit()
    for _ in range(2):
        with Table.open(path, GROUPED, writable=True) as table:
            assert list(table.scan("pages")) == [(b"a", b"A")]
            table.put("queue", b"a", b"2")
            table.commit()
    assert {"pages", "shared"} < set(Rdict.list_cf(str(path)))
    assert "queue" not in Rdict.list_cf(str(path))
    with Table.open(path, GROUPED, writable=False) as reader:
        assert reader.families == frozenset(GROUPED)
        assert list(reader.stored("pages")) == [(b"a", b"A")]
        assert list(reader.stored("queue")) == [(b"a", b"2")]
    assert damage(path, GROUPED) is None


def test_a_reader_of_a_table_that_lacks_a_group_sees_no_rows_of_it(path: Path) -> None:
    Table.open(path, ["pages"], writable=True).close()
    with Table.open(path, GROUPED, writable=False) as reader:
        assert reader.families == frozenset(["pages"])
        assert reader.get("queue", b"a") is None
        assert list(reader.scan("queue")) == reader.firsts("queue", []) == []


def test_a_missing_table_is_not_made_by_reading(path: Path) -> None:
    with pytest.raises(Damaged, match="no table"):
        Table.open(path, FAMILIES, writable=False)
    assert not path.exists()


def test_a_sorted_file_with_another_name_elsewhere_is_not_written_to(path: Path, tmp_path: Path) -> None:
    Table.open(path, FAMILIES, writable=True).close()
    (tmp_path / "outside").write_bytes(b"kept")
    os.link(tmp_path / "outside", path / "000099.sst")
    with pytest.raises(Damaged, match=r"000099\.sst: has another name elsewhere"):
        Table.open(path, FAMILIES, writable=True)
    assert (tmp_path / "outside").read_bytes() == b"kept"
    Table.open(path, FAMILIES, writable=False).close()


@pytest.mark.parametrize("shape", ["{}.sst", "000{}.log", "{}.blob", "{}.dbtmp", "MANIFEST-{}", "OPTIONS-{}"])
def test_a_number_after_which_the_next_one_would_wrap_is_refused(path: Path, shape: str) -> None:
    Table.open(path, FAMILIES, writable=True).close()
    odd = path / shape.format((1 << 64) - 1)
    odd.write_bytes(b"")
    with pytest.raises(Damaged, match="so large a number; move it away"):
        Table.open(path, FAMILIES, writable=True)
    odd.unlink()
    Table.open(path, FAMILIES, writable=True).close()


def test_files_that_the_table_does_not_count_are_left_alone(path: Path) -> None:
    Table.open(path, FAMILIES, writable=True).close()
    for name in ("LOG.old.1763295031000000", ".nfs000000000000001", "notes"):
        (path / name).write_bytes(b"")
    Table.open(path, FAMILIES, writable=True).close()
    assert (path / "notes").exists()


def test_a_file_in_the_way_is_told(path: Path) -> None:
    path.write_bytes(b"")
    with pytest.raises(Damaged, match=str(path)):
        Table.open(path, FAMILIES, writable=True)


@pytest.mark.parametrize("name", ["CURRENT", "MANIFEST-*"])
def test_a_broken_catalogue_is_damage(path: Path, name: str) -> None:
    with Table.open(path, FAMILIES, writable=True) as table:
        fill(table, b"a")
        table.commit()
    for file in path.glob(name):
        file.write_bytes(b"\xff" * file.stat().st_size)
    for writable in (True, False):
        with pytest.raises(Damaged, match=str(path)):
            Table.open(path, FAMILIES, writable=writable)


class Overtaken:
    """RocksDB, but a writer opens the table each time between the look at the manifest's name and at the manifest."""

    def __init__(self, path: Path, times: int) -> None:
        self._path, self._left = path, times

    def __call__(self, *arguments: Any) -> Rdict:
        return Rdict(*arguments)

    def list_cf(self, path: str) -> list[str]:
        if not self._left or path.startswith("/proc/"):  # by which a writer comes in
            return Rdict.list_cf(path)
        self._left -= 1
        name = (self._path / "CURRENT").read_text().strip()
        Table.open(self._path, FAMILIES, writable=True).close()
        return (self._path / name).read_text().split()  # which is gone by now


def test_a_reader_that_a_writer_overtakes_looks_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Table.open(path, FAMILIES, writable=True) as table:
        fill(table, b"a")
        table.commit()
    monkeypatch.setattr("gossamer.store.table.opening.Rdict", Overtaken(path, times=2))
    with Table.open(path, FAMILIES, writable=False) as table:
        assert keys(table.scan("pages")) == [b"a"]


def test_a_manifest_that_is_gone_for_good_is_damage(path: Path) -> None:
    Table.open(path, FAMILIES, writable=True).close()
    for file in path.glob("MANIFEST-*"):
        file.unlink()
    for writable in (False, True):
        with pytest.raises(Damaged, match="MANIFEST"):
            Table.open(path, FAMILIES, writable=writable)


def test_a_flipped_bit_in_the_rows_is_damage_and_no_wrong_answer(path: Path) -> None:
    rows = {b"%06d" % number: os.urandom(300) for number in range(40_000)}
    with Table.open(path, FAMILIES, writable=True) as table:
        for key, value in rows.items():
            table.put("pages", key, value)
        table.commit()
    Table.open(path, FAMILIES, writable=True).close()
    largest = max(path.glob("*.sst"), key=lambda file: file.stat().st_size)
    data = bytearray(largest.read_bytes())
    data[len(data) // 2] ^= 0x10
    largest.write_bytes(data)
    with Table.open(path, FAMILIES, writable=True) as table:
        with pytest.raises(Damaged):
            list(table.scan("pages"))
        with pytest.raises(Damaged):
            table.get_many("pages", list(rows))
        wrong = 0
        for key, value in rows.items():
            try:
                assert table.get("pages", key) == value
            except Damaged:
                wrong += 1
        assert 0 < wrong < 200


def test_an_overlay_orders_few_and_many_new_keys_alike() -> None:
    overlay = Overlay()
    expected = set()
    for step in (1000, 1, 3, 200, 5):
        for _ in range(step):
            key = os.urandom(3)
            overlay.values[key] = b""
            expected.add(key)
        assert overlay.keys(b"", None) == sorted(expected)
        low, high = sorted(expected)[10], sorted(expected)[-10]
        assert overlay.keys(low, high) == [key for key in sorted(expected) if low <= key < high]


KEYS = st.binary(max_size=3) | st.sampled_from([b"a", b"a\xff", b"\xff", b"\xff\xff", b"b"])


class TableAgainstDict(RuleBasedStateMachine):
    """Any run of calls gives what two dictionaries would: one committed, one with the changes on top."""

    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "table"
        self.table = Table.open(self.path, FAMILIES, writable=True)
        self.committed: dict[bytes, bytes] = {}
        self.now: dict[bytes, bytes] = {}

    def teardown(self) -> None:
        self.table.close()
        self.folder.cleanup()

    @rule(key=KEYS, value=st.binary(max_size=4))
    def put(self, key: bytes, value: bytes) -> None:
        self.table.put("pages", key, value)
        self.now[key] = value

    @rule(key=KEYS)
    def delete(self, key: bytes) -> None:
        self.table.delete("pages", key)
        self.now.pop(key, None)

    @rule()
    def commit(self) -> None:
        self.table.commit()
        self.committed = dict(self.now)

    @precondition(lambda self: self.now != self.committed)
    @rule()
    def reopen(self) -> None:
        self.table.close()
        self.table = Table.open(self.path, FAMILIES, writable=True)
        self.now = dict(self.committed)

    @rule(asked=st.lists(KEYS))
    def many(self, asked: list[bytes]) -> None:
        assert self.table.get_many("pages", asked) == [self.now.get(key) for key in asked]

    @rule(key=KEYS)
    def one(self, key: bytes) -> None:
        assert self.table.get("pages", key) == self.now.get(key)

    @rule(asked=st.lists(KEYS))
    def read_ahead(self, asked: list[bytes]) -> None:
        self.table.read_ahead("pages", asked)
        assert [self.table.get("pages", key) for key in asked] == [self.now.get(key) for key in asked]

    @rule(prefix=KEYS, start=KEYS, limit=st.none() | st.integers(0, 5))
    def scan(self, prefix: bytes, start: bytes, limit: int | None) -> None:
        expected = [row for row in sorted(self.now.items()) if row[0].startswith(prefix) and row[0] >= start]
        assert list(self.table.scan("pages", prefix, start, limit)) == expected[:limit]

    @invariant()
    def same(self) -> None:
        assert list(self.table.scan("pages")) == sorted(self.now.items())


TestTableAgainstDict = TableAgainstDict.TestCase
TestTableAgainstDict.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)


def test_a_table_stays_where_it_is_though_its_folder_is_renamed(tmp_path: Path) -> None:
    """And another one put in its place: RocksDB writes files of its own, at any moment."""
    here, moved, other = tmp_path / "here", tmp_path / "moved", tmp_path / "other"
    for folder in (here, other):
        with Table.open(folder / "table", FAMILIES, writable=True) as made:
            fill(made, b"old")
            made.commit()
    before = sorted(path.name for path in (other / "table").iterdir())
    with Table.open(here / "table", FAMILIES, writable=True) as table:
        with Table.open(here / "table", FAMILIES, writable=False) as reader:
            here.rename(moved)
            other.rename(here)
            assert list(reader.scan("pages")) == [(b"old", b"OLD")]
        fill(table, b"new")
        table.commit()
        with pytest.raises(Locked):
            Table.open(moved / "table", FAMILIES, writable=True)
    assert sorted(path.name for path in (here / "table").iterdir()) == before
    for folder, rows in ((here, [b"old"]), (moved, [b"new", b"old"])):
        with Table.open(folder / "table", FAMILIES, writable=True) as table:
            assert keys(table.scan("pages")) == rows


FORKED = """
import os, sys
from pathlib import Path
from gossamer.errors import UsageError
from gossamer.store.table.opening import made
from gossamer.store.table.table import Table

read, wanted = Path(sys.argv[1]), Path(sys.argv[2])
with Table.open(read, ["pages"], writable=False) as table:
    child = os.fork()
    if child == 0:
        try:
            with Table.open(read, ["pages"], writable=False) as again:
                print(again.get("pages", b"key"), flush=True)
            for place in (wanted, wanted, read):
                made(place, ["pages"])
            with Table.open(wanted, ["pages"], writable=True) as own:
                own.put("pages", b"key", b"value")
                own.commit()
        except UsageError as error:
            print(error, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
with Table.open(wanted, ["pages"], writable=True):
    print("the parent may")
"""


def test_a_process_that_was_forked_off_an_open_table_reads_and_is_told_why_it_cannot_write(tmp_path: Path) -> None:
    """It has none of the threads of RocksDB: the end of its table would wait for them for ever. It may begin tables for
    processes that have them, as those of a crawl apart."""
    with Table.open(tmp_path / "read", ["pages"], writable=True) as table:
        table.put("pages", b"key", b"value")
        table.commit()
    command = [sys.executable, "-c", FORKED, str(tmp_path / "read"), str(tmp_path / "wanted")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    first, second, third = done.stdout.splitlines()
    assert first == "b'value'"
    assert "was forked off one that had a collection open" in second
    assert third == "the parent may"
