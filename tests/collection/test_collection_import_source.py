"""An import seen from the loop: what is handed out when, how far each file counts as read, and what is told."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from made_shard import A, B, C, came

from gossamer.collection.column_families import FAMILIES, IMPORTS
from gossamer.collection.imports.hand_over import Alone, Shards
from gossamer.collection.imports.import_filter import Verdict
from gossamer.collection.imports.import_progress import Row, row_of
from gossamer.collection.imports.import_source import Imported, ImportSource
from gossamer.errors import Damaged
from gossamer.model import Capture, Visit
from gossamer.store.foreign.exchanges import Brought, Refers, Refused
from gossamer.store.foreign.lenient_warc import Fault
from gossamer.store.table.table import Table

ALONE = Alone()


class FakeParcel:
    """A file of 100 bytes that brings what it is given; an error breaks it there."""

    size = 100

    def __init__(self, name: str, *items: Any) -> None:
        self.name, self.mark, self._items = name, name.encode(), items
        self.starts: list[int] = []
        self.opened = 0

    @contextmanager
    def open(self) -> Iterator[io.BytesIO]:
        self.opened += 1
        try:
            yield io.BytesIO(b"x" * 100)
        finally:
            self.opened -= 1

    def items(self, stream: Any, most: int) -> Iterator[Any]:
        assert most == 77
        self.starts.append(stream._raw_end)
        for item in self._items:
            if isinstance(item, Exception):
                raise item
            if getattr(item, "offset", 0) >= stream._raw_end:
                yield item


def at(offset: int, url: str = A, **more: Any) -> Brought:
    return Brought(came(url, b"%d" % offset, source=f"f@{offset}"), offset, **more)


class Import:
    """An import over a table, with a frontier that has nothing and arrivals that take all."""

    def __init__(
        self,
        table: Table,
        imported_files: Sequence[FakeParcel],
        verdict: Callable[[Brought], Any] | None = None,
        shards: Shards = ALONE,
    ) -> None:
        self.table, self.imported_files = table, imported_files
        self.answered: list[Any] = []
        self.frontier: Any = SimpleNamespace(due=self._nothing, done=lambda *answers: self.answered.extend(answers))
        self.aside: list[Any] = []
        import_filter: Any = SimpleNamespace(
            arrive=verdict or (lambda one: one.capture),
            kept=lambda capture: None,
            lay_aside=lambda kept: self.aside.append(kept.record) or True,
        )
        every: Any = imported_files
        self.import_source = ImportSource(every, table, import_filter, self.frontier, 77, shards)

    async def _nothing(self) -> AsyncIterator[Visit]:
        yield Visit("http://found.test/")

    def rows(self) -> dict[str, tuple[int, bool]]:
        found = (row_of(data) for _, data in self.table.scan(IMPORTS))
        return {row.name: (row.offset, row.done) for row in found}

    def prepared(self) -> dict[str, tuple[int, bool]]:
        self.import_source.prepare()
        return self.rows()

    def all(self) -> list[str]:
        """Take all, one after the other."""

        async def main() -> list[str]:
            try:
                return [await self._take(visit) async for visit in self.import_source.due()]
            finally:
                self.import_source.close()

        return asyncio.run(main())

    async def _take(self, visit: Visit) -> str:
        if visit.url != "http://found.test/":
            await self.import_source.fetch(visit)
            self.import_source.done((visit, None, None))  # type: ignore[arg-type] # what came is not looked at
        return visit.url


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
        yield table


def test_everything_is_handed_out_and_then_what_other_shards_have_found(table: Table) -> None:
    one = Import(table, [FakeParcel("one", at(0, A), at(10, B)), FakeParcel("two", at(0, B), at(20, C))])
    assert one.all() == [A, B, B, C, "http://found.test/"]
    assert [visit.url for visit, _, _ in one.answered] == [A, B, B, C]
    assert one.prepared() == {"one": (0, True), "two": (0, True)}
    look = one.import_source.look(2.0)
    assert (look.files, look.of, look.bytes, look.size) == (2, 2, 200, 200)
    assert (look.captures, look.known, look.cut, look.problems, look.refused) == (4, 0, 0, (), {})


def test_the_capture_of_a_visit_is_the_one_that_was_brought(table: Table) -> None:
    one = Import(table, [FakeParcel("one", at(0, A), at(10, A))])

    async def main() -> list[bytes]:
        bodies = []
        async for visit in one.import_source.due():
            if visit.url == A:
                bodies.append((await one.import_source.fetch(visit)).wire)
                one.import_source.done((visit, None, None))  # type: ignore[arg-type] # as above
        return bodies

    assert asyncio.run(main()) == [b"0", b"10"]


def handed(one: Import) -> list[str]:
    """What the loop is given, and what is answered meanwhile: now and then the oldest that is out."""

    async def main() -> list[str]:
        did: list[str] = []
        out: list[Visit] = []

        def answer() -> None:
            if out:
                did.append(f"done {out[0].url}")
                one.import_source.done((out.pop(0), None, None))  # type: ignore[arg-type] # as above

        async def watch() -> None:
            while True:
                for _ in range(5):
                    await asyncio.sleep(0)
                answer()

        watching = asyncio.ensure_future(watch())
        async for visit in one.import_source.due():
            did.append(f"out {visit.url}")
            if visit.url != "http://found.test/":
                await one.import_source.fetch(visit)
                out.append(visit)
        watching.cancel()
        return did

    return asyncio.run(main())


def test_captures_of_one_address_come_one_after_the_other_and_others_need_not_wait(table: Table) -> None:
    one = Import(table, [FakeParcel("one", at(0, A), at(10, B), at(20, A))])
    assert handed(one) == [
        f"out {A}",
        f"out {B}",
        f"done {A}",
        f"out {A}",
        f"done {B}",
        f"done {A}",
        "out http://found.test/",
    ]


def test_a_revisit_waits_for_all_that_came_before_it(table: Table) -> None:
    revisit = at(20, "http://r.test/", refers=Refers(A, 1.0, None))
    one = Import(table, [FakeParcel("one", at(0, A), at(10, B), revisit)])
    did = handed(one)
    assert did.index("out http://r.test/") > did.index(f"done {B}") > did.index(f"out {B}")


def test_as_far_as_the_oldest_that_is_under_way_a_file_counts_as_read(table: Table) -> None:
    one = Import(table, [FakeParcel("one", at(10, A)), FakeParcel("two", at(20, B), at(30, "http://d.test/"))])
    assert one.prepared() == {}

    async def main() -> None:
        due = one.import_source.due()
        visits = [await anext(due) for _ in range(3)]
        assert one.prepared() == {"one": (10, False), "two": (20, False)}
        one.import_source.done((visits[1], None, None))  # type: ignore[arg-type] # as above
        assert one.prepared() == {"one": (10, False), "two": (30, False)}
        one.import_source.done((visits[0], None, None))  # type: ignore[arg-type] # as above
        assert one.prepared() == {"one": (0, True), "two": (30, False)}
        assert one.import_source.look(0.0).files == 1
        await due.aclose()
        one.import_source.close()
        await asyncio.sleep(0)

    asyncio.run(main())
    assert [import_file.opened for import_file in one.imported_files] == [0, 0]


def test_what_was_read_before_is_not_read_again(table: Table) -> None:
    table.put(IMPORTS, b"one", msgspec.msgpack.encode(Row("one", 0, True)))
    table.put(IMPORTS, b"two", msgspec.msgpack.encode(Row("two", 15, False)))
    one = Import(table, [FakeParcel("one", at(0, A)), FakeParcel("two", at(10, A), at(20, B))])
    assert one.import_source.look(0.0).files == 1
    assert one.all() == [B, "http://found.test/"]
    assert (one.imported_files[0].starts, one.imported_files[1].starts) == ([], [15])
    assert one.prepared() == {"one": (0, True), "two": (0, True)}
    assert one.import_source.look(0.0).bytes == 200


def test_an_import_that_is_stopped_hands_out_nothing_more(table: Table) -> None:
    one = Import(table, [FakeParcel("one", at(0, A), at(10, B))])

    async def main() -> list[str]:
        met = []
        async for visit in one.import_source.due():
            met.append(await one._take(visit))
            one.import_source.stop()
        return met

    assert asyncio.run(main()) == [A, "http://found.test/"]
    assert one.prepared() == {"one": (10, False)}


def test_what_is_not_taken_in_is_counted_by_the_reason(table: Table) -> None:
    verdicts = {
        0: Verdict.KNOWN,
        10: Verdict.NOTHING_BEFORE,
        20: Verdict.FUTURE,
        30: Verdict.KNOWN,
        40: ZeroDivisionError("odd"),
    }

    def verdict(one: Brought) -> Any:
        found = verdicts[one.offset]
        if isinstance(found, Exception):
            raise found
        return found

    items = [at(offset) for offset in verdicts]
    one = Import(table, [FakeParcel("one", *items, Refused(50, "no page"), Fault(60, "rubbish"))], verdict)
    assert one.all() == ["http://found.test/"]
    look = one.import_source.look(0.0)
    assert (look.captures, look.known, look.cut) == (0, 2, 0)
    assert look.refused == {Verdict.NOTHING_BEFORE.value: 1, "no page": 1}
    assert look.problems == (
        "one, offset 60: rubbish",
        "f@20: its date is in the future",
        "f@40: cannot be taken in: ZeroDivisionError('odd')",
    )
    assert one.prepared() == {"one": (0, True)}


@pytest.mark.parametrize("error", [Damaged("so"), OSError(5, "so"), MemoryError()])
def test_what_is_not_about_a_capture_ends_the_import(table: Table, error: Exception) -> None:
    def verdict(one: Brought) -> Any:
        raise error

    one = Import(table, [FakeParcel("one", at(0))], verdict)
    with pytest.raises(type(error)):
        one.all()


def test_captures_that_are_cut_here_or_there_are_counted(table: Table) -> None:
    def verdict(one: Brought) -> Capture:
        return replace(one.capture, wire=one.capture.wire[:1]) if one.offset == 20 else one.capture

    one = Import(table, [FakeParcel("one", at(0, cut=True), at(10), at(20))], verdict)
    one.all()
    assert (one.import_source.look(0.0).cut, one.import_source.look(0.0).captures) == (2, 3)


def test_a_file_that_breaks_is_told_and_tried_again_and_the_others_are_read(table: Table) -> None:
    broken = FakeParcel("broken", at(10, A), ValueError("no such thing"), at(20, B))
    one = Import(table, [broken, FakeParcel("two", at(5, B))])
    assert one.all() == [A, B, "http://found.test/"]
    assert one.import_source.look(0.0).problems == ("broken: cannot be read on from offset 10: no such thing",)
    assert one.prepared() == {"two": (0, True)}
    assert one.import_source.look(0.0).files == 1


def test_our_own_errors_are_no_problem_of_a_file(table: Table) -> None:
    one = Import(table, [FakeParcel("one", Damaged("the table"))])
    with pytest.raises(Damaged, match="the table"):
        one.all()


def test_a_file_whose_revisits_lack_their_payload_is_tried_again(table: Table) -> None:
    table.put(IMPORTS, b"one", msgspec.msgpack.encode(Row("one", 3, False)))
    one = Import(table, [FakeParcel("one", at(10)), FakeParcel("two")], lambda one: Verdict.LACKING)
    assert one.all() == ["http://found.test/"]
    assert one.prepared() == {"two": (0, True)}
    (words,) = one.import_source.look(0.0).problems
    assert words.startswith("f@10: the response that holds its body is not here")


def test_a_look_before_anything_was_done_is_empty() -> None:
    assert Imported() == Imported(0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, {}, ())


def test_a_revisit_that_comes_before_its_original_waits_for_it_in_one_pass(table: Table) -> None:
    seen: list[str] = []

    def verdict(one: Brought) -> Any:
        if one.refers is not None and one.refers.url not in seen:
            return Verdict.LACKING
        seen.append(one.capture.visit.url)
        return one.capture

    items = (
        at(0, "http://second.test/", refers=Refers("http://first.test/", 1.0, None)),
        at(10, "http://first.test/", refers=Refers(A, 1.0, None)),
        at(20, B),
        at(30, A),
        at(40, C, refers=Refers("http://nowhere.test/", 1.0, None)),
    )
    one = Import(table, [FakeParcel("one", *items), FakeParcel("two", at(0, B))], verdict)
    assert one.all() == [B, A, B, "http://first.test/", "http://second.test/", "http://found.test/"]
    (words,) = one.import_source.look(0.0).problems
    assert words.startswith("f@40: the response that holds its body is not here")
    assert one.prepared() == {"two": (0, True)}  # the other is to be read again


def test_what_waits_for_its_original_is_where_a_killed_import_goes_on(table: Table) -> None:
    items = (at(0, A), at(10, B, refers=Refers(C, 1.0, None)), at(20, A))
    one = Import(table, [FakeParcel("one", *items)], lambda one: Verdict.LACKING if one.refers else one.capture)
    rows: list[dict[str, tuple[int, bool]]] = []
    lack = one.import_source._lack
    one.import_source._lack = lambda waiting: (rows.append(one.prepared()), lack(waiting))[1]  # type: ignore[method-assign] # the moment before
    one.all()
    assert rows == [{"one": (10, False)}]


# ------------------------------------------------------------------------ other shards


class Web:
    """Shards in one loop, whose messages arrive in the next turn."""

    def __init__(self, folder: Path, parcels: Sequence[FakeParcel], count: int = 2) -> None:
        self.folder, self.parcels, self.count = folder, parcels, count
        self.imports: dict[int, Import] = {}
        self.messages = 0

    def start(self, me: int) -> Import:
        """One of them, for the first time or anew."""
        again = me in self.imports
        table = self.imports[me].table if again else Table.open(self.folder / str(me), FAMILIES, writable=True)
        self.imports[me] = one = Import(table, self.parcels, shards=Seat(self, me))
        for other in self.imports:
            if again and other != me:
                self.imports[other].import_source.reborn(me)
                one.import_source.reborn(other)
        return one

    def send(self, source: int, to: int, message: bytes) -> None:
        self.messages += 1
        target = self.imports.get(to)
        if target is not None:
            asyncio.get_running_loop().call_soon(self._deliver, target, source, message)

    def _deliver(self, target: Import, source: int, message: bytes) -> None:
        if target in self.imports.values():  # it has not died
            target.import_source.heard(source, message)

    async def run(self, one: Import, met: list[str], most: int | None = None) -> None:
        """Take what comes, and commit each; at most so many."""
        async for visit in one.import_source.due():
            if visit.url == "http://found.test/":
                return
            met.append(await one._take(visit))
            one.prepared()
            one.table.commit()
            if len(met) == most:
                return


class Seat:
    """`Shards` in a `Web`: addresses with odd numbers belong to the second."""

    def __init__(self, web: Web, me: int) -> None:
        self.web, self.me, self.count = web, me, web.count

    def owner(self, url: str) -> int:
        return int(url.removeprefix("http://").partition(".")[0]) % self.count

    def hand(self, to: int, message: bytes) -> None:
        self.web.send(self.me, to, message)


def numbered(count: int, name: str) -> FakeParcel:
    return FakeParcel(name, *(at(number, f"http://{number}.{name}/") for number in range(count)))


def test_each_file_is_read_once_and_each_shard_gets_what_is_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gossamer.collection.imports.hand_over.WINDOW", 2_000)
    parcels = [numbered(60, name) for name in ("a", "b", "c")]
    web = Web(tmp_path, parcels)

    async def main() -> list[list[str]]:
        met: list[list[str]] = [[], []]
        shards = [web.start(0), web.start(1)]
        await asyncio.gather(*(web.run(one, each) for one, each in zip(shards, met, strict=True)))
        for one in shards:
            one.import_source.close()
        return met

    met = asyncio.run(main())
    for me in range(2):
        assert sorted(met[me]) == sorted(f"http://{n}.{name}/" for name in "abc" for n in range(60) if n % 2 == me)
    assert [len(parcel.starts) for parcel in parcels] == [1, 1, 1]
    for one in web.imports.values():
        assert one.prepared() == dict.fromkeys("abc", (0, True))
        one.table.close()


@pytest.mark.parametrize("victim", [0, 1])
@pytest.mark.parametrize("after", [1, 17, 40])
def test_a_shard_that_dies_gets_all_that_it_had_not_committed(
    victim: int, after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gossamer.collection.imports.hand_over.WINDOW", 2_000)
    parcels = [numbered(60, name) for name in ("a", "b", "c")]
    web = Web(tmp_path, parcels)

    async def main() -> list[list[str]]:
        met: list[list[str]] = [[], []]
        shards = [web.start(0), web.start(1)]
        other = asyncio.ensure_future(web.run(shards[1 - victim], met[1 - victim]))
        await web.run(shards[victim], met[victim], most=after)
        shards[victim].import_source.close()
        await asyncio.sleep(0)
        again = web.start(victim)
        await asyncio.gather(other, web.run(again, met[victim]))
        for one in web.imports.values():
            one.import_source.close()
        return met

    met = asyncio.run(asyncio.wait_for(main(), 60))
    for me in range(2):
        assert set(met[me]) == {f"http://{n}.{name}/" for name in "abc" for n in range(60) if n % 2 == me}
    for one in web.imports.values():
        assert one.prepared() == dict.fromkeys("abc", (0, True))
        one.table.close()
