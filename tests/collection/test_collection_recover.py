"""What the archive holds beyond the last commit is taken in; what cannot be is noted, and never asked for again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from small_shard import SmallShard, answer, read, said, small_shard

from gossamer.collection.crawl import recover
from gossamer.collection.crawl.recover import PassedOver, Recovery, is_about_it
from gossamer.errors import Damaged, StorageError, UsageError
from gossamer.frontier import Frontier
from gossamer.model import Answer, Capture, Page, Visit
from gossamer.store.versions import Version

A, B = "http://a.test/", "http://b.test/"


class Books:
    """A frontier that notes what it is given."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.passed: list[tuple[Visit | None, str]] = []

    def done(self, answer: Answer) -> None:
        self.answers.append(answer)

    def pass_over(self, visit: Visit | None, reason: str) -> None:
        self.passed.append((visit, reason))


class Killed:
    """A shard that was killed after two captures were written and none was committed."""

    def __init__(self, shard: SmallShard, *captures: Capture) -> None:
        self.shard, self.books = shard, Books()
        self.kept: list[tuple[str, str | None, bool]] = []
        for capture in captures or (answer(A, said("fish")), answer(B, said("birds"))):
            shard.archive.append(capture, read(capture))
        shard.archive.close()
        shard.table.drop_changes()
        assert list(shard.archive.versions.all()) == []

    def keep(self, capture: Capture, page: Page, new: Version | None) -> None:
        self.kept.append((capture.visit.url, page.copy_of, new is not None))

    def roll_forward(
        self,
        read: Callable[[Capture], Page] = read,
        keep: Callable[[Capture, Page, Version | None], None] | None = None,
        mark: Callable[[Page], Page] = lambda page: page,
    ) -> None:
        shard, books = self.shard, cast(Frontier, self.books)
        keep = keep or self.keep
        Recovery(shard.table, shard.archive, books, read, mark, keep, lambda corrections: None).roll_forward()

    @property
    def known(self) -> list[str]:
        return [url for url, _ in self.shard.archive.versions.all()]


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[SmallShard]:
    with small_shard(tmp_path) as made:
        yield made


def breaking(url: str, error: Exception) -> Callable[[Capture], Page]:
    def broken(capture: Capture) -> Page:
        if capture.visit.url == url:
            raise error
        return read(capture)

    return broken


def test_what_was_written_and_not_committed_is_taken_in_with_all_that_follows(shard: SmallShard) -> None:
    killed = Killed(shard)
    killed.roll_forward(mark=lambda page: replace(page, copy_of="http://first.test/"))
    assert killed.known == [A, B]
    assert killed.kept == [(A, "http://first.test/", True), (B, "http://first.test/", True)]
    assert [(each.visit.url, each.capture.status, each.page.copy_of) for each in killed.books.answers] == [
        (A, 200, "http://first.test/"),
        (B, 200, "http://first.test/"),
    ]
    assert killed.books.passed == []


@pytest.mark.parametrize("error", [ValueError("odd"), Damaged("odd")])
def test_what_cannot_be_read_is_noted_and_the_next_is_taken_in(shard: SmallShard, error: Exception) -> None:
    killed = Killed(shard)
    killed.roll_forward(breaking(A, error))
    assert killed.known == [B]
    ((visit, reason),) = killed.books.passed
    assert visit == Visit(A)
    assert reason.startswith("kept, but could not be taken in: ")
    assert "odd" in reason
    assert list(shard.archive.passed.all()) == [(A, reason)]


def test_a_record_without_a_status_is_damage(shard: SmallShard, monkeypatch: pytest.MonkeyPatch) -> None:
    killed, restored = Killed(shard), shard.archive.restored
    monkeypatch.setattr(shard.archive, "restored", lambda group: replace(restored(group), status=0))
    killed.roll_forward()
    assert killed.known == []
    assert ["no HTTP status" in reason for _, reason in killed.books.passed] == [True, True]


@pytest.mark.parametrize("error", [OSError("disk"), MemoryError(), StorageError("disk")])
def test_what_the_machine_lacks_is_no_fault_of_a_page(shard: SmallShard, error: Exception) -> None:
    killed = Killed(shard)
    with pytest.raises(type(error)):
        killed.roll_forward(breaking(A, error))
    assert list(shard.archive.passed.all()) == []

    def keep(capture: Capture, page: Page, new: Version | None) -> None:
        raise error

    with pytest.raises(type(error)):
        killed.roll_forward(keep=keep)
    assert list(shard.archive.passed.all()) == []


def test_a_mistake_after_something_was_changed_drops_it_and_is_made_once(shard: SmallShard) -> None:
    killed = Killed(shard)

    def keep(capture: Capture, page: Page, new: Version | None) -> None:
        if capture.visit.url == B:
            raise ValueError("odd")

    with pytest.raises(PassedOver):
        killed.roll_forward(keep=keep)
    assert killed.known == []
    shard.table.drop_changes()
    ((url, reason),) = shard.archive.passed.all()  # that is committed
    assert url == B
    killed.books.answers.clear()
    read_: list[str] = []

    def noting(capture: Capture) -> Page:
        read_.append(capture.visit.url)
        return read(capture)

    killed.roll_forward(noting, keep)
    assert (killed.known, read_) == ([A], [A])
    assert killed.books.passed == [(Visit(B), reason)]


def test_what_was_imported_answers_no_visit(shard: SmallShard) -> None:
    killed = Killed(shard, replace(answer(A, said("fish")), source="file.warc:0"))
    killed.roll_forward(breaking(A, ValueError("odd")))
    assert [visit for visit, _ in killed.books.passed] == [None]


@pytest.mark.parametrize(("url", "visit"), [(A, Visit(A)), ("no address", None)])
def test_of_damaged_metadata_only_the_address_is_known(
    url: str, visit: Visit | None, shard: SmallShard, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(_: object) -> None:
        raise Damaged("not ours")

    killed = Killed(shard, answer(A, said("fish")))
    monkeypatch.setattr(recover, "circumstances", damaged)
    monkeypatch.setattr(recover, "_named", lambda group: (url, 1.0))
    killed.roll_forward(breaking(A, ValueError("odd")))
    assert [visit for visit, _ in killed.books.passed] == [visit]


@pytest.mark.parametrize(
    ("error", "about"),
    [
        (ValueError(), True),
        (RecursionError(), True),
        (Damaged(""), True),
        (StorageError(""), False),
        (UsageError(""), False),
        (OSError(), False),
        (MemoryError(), False),
    ],
)
def test_the_page_is_the_cause_unless_the_disk_or_the_machine_is(error: Exception, about: bool) -> None:
    assert is_about_it(error) is about
