"""What a file brings, capture by capture: what is here already is passed over, and what lacks its body is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from made_shard import BEGAN, A, B, Shard, came, made

from gossamer.collection.column_families import IMPORTS
from gossamer.collection.imports.import_filter import ImportFilter, Verdict
from gossamer.frontier.answer.removal import leave_out
from gossamer.model import Capture
from gossamer.plan import Plan
from gossamer.store.foreign.exchanges import Brought, Kept, Refers
from gossamer.store.warc.warc import Place, Record, payload_digest


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[Shard]:
    with made(tmp_path / "web") as shard:
        yield shard


@pytest.fixture
def import_filter(shard: Shard) -> ImportFilter:
    clock: Any = SimpleNamespace(wall=lambda: BEGAN + 1_000)
    return ImportFilter(shard.table, shard.archive, Plan().as_limits(), lambda url: True, clock)


def brought(url: str, body: bytes = b"<p>New", after: float = 0.0, status: int = 200, **more: Any) -> Brought:
    return Brought(came(url, body, status, after, source="x@0"), 0, **more)


def test_what_could_not_be_taken_in_before_is_told_as_that(shard: Shard, import_filter: ImportFilter) -> None:
    shard.archive.passed.note(A, BEGAN, "odd")
    assert import_filter.arrive(brought(A)) is Verdict.PASSED
    assert isinstance(import_filter.arrive(brought(A, after=1)), Capture)


def test_no_capture_gets_the_moment_of_one_that_could_not_be_taken_in(
    shard: Shard, import_filter: ImportFilter
) -> None:
    shard.keep(A)
    shard.archive.passed.note(A, BEGAN + 0.001, "odd")
    assert import_filter.arrive(brought(A)) is Verdict.KNOWN


def test_what_was_removed_stays_out_and_so_does_what_is_about_it(shard: Shard, import_filter: ImportFilter) -> None:
    shard.enter(A)
    leave_out(shard.table, [A], BEGAN)
    aside = Record(Place("x.warc", 0, 9, "urn:1"), "metadata", (("warc-target-uri", A),), b"a: b")
    assert import_filter.arrive(brought(A)) is Verdict.REMOVED
    assert import_filter.arrive(brought(A, b"", 5, 304)) is Verdict.REMOVED
    assert not import_filter.lay_aside(Kept(aside, 0, A))
    assert isinstance(import_filter.arrive(brought(B)), Capture)


def test_the_same_bytes_with_another_status_are_another_capture(shard: Shard, import_filter: ImportFilter) -> None:
    shard.keep(A)
    assert import_filter.arrive(brought(A, b"<p>Hello")) is Verdict.KNOWN
    other = import_filter.arrive(brought(A, b"<p>Hello", status=404))
    assert isinstance(other, Capture)
    assert other.began == pytest.approx(BEGAN + 0.001)


def test_captures_of_one_moment_get_moments_of_their_own(shard: Shard, import_filter: ImportFilter) -> None:
    for number in range(3):
        found = import_filter.arrive(brought(A, b"<p>%d" % number))
        assert isinstance(found, Capture)
        assert found.began == pytest.approx(BEGAN + number / 1_000)
        shard.keep(A, b"<p>%d" % number, after=found.began - BEGAN)


def test_a_304_that_was_taken_in_is_known_the_next_time(shard: Shard, import_filter: ImportFilter) -> None:
    shard.keep(A)
    found = import_filter.arrive(brought(A, b"", 5, 304))
    assert isinstance(found, Capture)
    for other in (replace(found, source=None), came(A, source="x@0")):
        import_filter.kept(other)
    assert list(shard.table.scan(IMPORTS)) == []  # they have rows of their own, or will be asked for again
    import_filter.kept(found)
    assert import_filter.arrive(brought(A, b"", 5, 304)) is Verdict.KNOWN
    assert isinstance(import_filter.arrive(brought(A, b"", 6, 304)), Capture)


def test_a_revisit_takes_the_payload_of_another_capture_where_one_is_damaged(
    shard: Shard, import_filter: ImportFilter
) -> None:
    shard.keep(A, b"<p>First")
    shard.keep(A, b"<p>Second", after=10)
    shard.commit()
    second = shard.row(A)
    path = shard.archive.path(second)
    path.write_bytes(path.read_bytes()[: second.offset + 20])
    refers = Refers(A, BEGAN + 10, None)
    found = import_filter.arrive(brought(B, b"", 50, refers=refers))
    assert isinstance(found, Capture)
    assert found.wire == b"<p>First"
    only = Refers(A, BEGAN + 10, payload_digest(b"<p>Second"))
    assert import_filter.arrive(brought(B, b"", 50, refers=only)) is Verdict.LACKING
