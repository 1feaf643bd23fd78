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

from gossamer.collection.families import FAMILIES, IMPORTS
from gossamer.collection.imports.import_filter import Verdict
from gossamer.collection.imports.import_source import Imported, ImportSource, Row, row_of
from gossamer.errors import Damaged
from gossamer.model import Capture, Visit
from gossamer.store.foreign.exchanges import Brought, Refers, Refused
from gossamer.store.foreign.lenient_warc import Fault
from gossamer.store.table.table import Table


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
        self, table: Table, imported_files: Sequence[FakeParcel], verdict: Callable[[Brought], Any] | None = None
    ):
        self.table, self.imported_files = table, imported_files
        self.answered: list[Any] = []
        self.frontier: Any = SimpleNamespace(due=self._nothing, done=lambda *answers: self.answered.extend(answers))
        import_filter: Any = SimpleNamespace(arrive=verdict or (lambda one: one.capture), kept=lambda capture: None)
        every: Any = imported_files
        self.import_source = ImportSource(every, table, import_filter, self.frontier, 77, lambda url: url != C)

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
            return [await self._take(visit) async for visit in self.import_source.due()]

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
    assert one.all() == [A, B, B, "http://found.test/"]
    assert [visit.url for visit, _, _ in one.answered] == [A, B, B]
    assert one.prepared() == {"one": (0, True), "two": (0, True)}
    look = one.import_source.look(2.0)
    assert (look.files, look.of, look.bytes, look.size) == (2, 2, 200, 200)
    assert (look.captures, look.known, look.cut, look.problems, look.refused) == (3, 0, 0, (), {})


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
        assert one.prepared() == {"one": (10, False)}
        one.import_source.done((visits[1], None, None))  # type: ignore[arg-type] # as above
        assert one.prepared() == {"one": (10, False)}
        one.import_source.done((visits[0], None, None))  # type: ignore[arg-type] # as above
        assert one.prepared() == {"one": (0, True), "two": (30, False)}
        look = one.import_source.look(0.0)
        assert (look.files, look.bytes) == (1, 130)
        await due.aclose()

    asyncio.run(main())
    one.import_source.close()
    assert [import_file.opened for import_file in one.imported_files] == [0, 0]


def test_what_was_read_before_is_not_read_again(table: Table) -> None:
    table.put(IMPORTS, b"one", msgspec.msgpack.encode(Row("one", 0, True)))
    table.put(IMPORTS, b"two", msgspec.msgpack.encode(Row("two", 15, False)))
    one = Import(table, [FakeParcel("one", at(0, A)), FakeParcel("two", at(10, A), at(20, B))])
    assert (one.import_source.look(0.0).files, one.import_source.look(0.0).bytes) == (1, 100)
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
    assert one.prepared() == {"one": (0, False)}


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
        "f@20: its date is in the future",
        "f@40: cannot be taken in: ZeroDivisionError('odd')",
        "one, offset 60: rubbish",
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
    assert Imported() == Imported(0, 0, 0, 0, 0, 0, 0, 0.0, {}, ())
