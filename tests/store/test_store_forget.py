"""What is taken out leaves nothing behind that points at it, and what it stood for finds another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_samples import BEGAN

from gossamer.model import Kind
from gossamer.store.repair.forget import Named, dependent, forget
from gossamer.store.table.table import Table
from gossamer.store.versions import CAPTURES, DIGESTS, First, TextPlace, Version, Versions, tells

ONE, OTHER = "sha256:" + "1" * 64, "sha256:" + "2" * 64
A, B, C, D = (f"http://example.com/{name}" for name in "abcd")
TEXT = TextPlace("gossamer-texts-20260101000000-00000.warc.gz", 0, 1, 2, 3, "uuid", 4)


@pytest.fixture
def versions(tmp_path: Path) -> Iterator[Versions]:
    with Table.open(tmp_path / "table", [CAPTURES, DIGESTS], writable=True) as table:
        yield Versions(table)


def put(versions: Versions, url: str, after: float = 0.0, digest: str = ONE, **more: object) -> Named:
    told = {"status": 200, "kind": Kind.PAGE, "size": 10} | more
    version = Version(
        began=BEGAN + after,
        media_type="text/html",
        encoding=None,
        digest=digest,
        title="",
        file="gossamer-20260101000000-00000.warc.gz",
        offset=0,
        length=1,
        record=f"{url} {after}",
        **told,  # type: ignore[arg-type] # a test may replace any field
    )
    versions.add(url, version)
    return url, version


def first(versions: Versions, url: str, after: float = 0.0, digest: str = ONE) -> None:
    versions.set_first(digest, First(url, BEGAN + after, f"{url} {after}"))


def row(versions: Versions, url: str) -> Version:
    return next(versions.of(url))


def test_versions_that_only_point_at_what_goes_are_found(versions: Versions) -> None:
    gone = put(versions, A)
    again = put(versions, A, 1, original=A, original_began=BEGAN)
    copy = put(versions, B, 2, original=A, original_began=BEGAN)
    put(versions, C, 3, original=B, original_began=BEGAN)
    put(versions, D, 4, original=A, original_began=BEGAN + 7)
    put(versions, D, 5)
    assert dependent(versions, [gone]) == [again, copy]
    assert dependent(versions, [gone, copy]) == [again]
    assert dependent(versions, []) == []


def test_what_goes_takes_along_what_only_pointed_there(versions: Versions) -> None:
    gone, stays = put(versions, A), put(versions, C, 3, OTHER)
    copy = put(versions, B, 1, original=A, original_began=BEGAN)
    first(versions, A)
    forgotten = forget(versions, [gone])
    assert list(forgotten.gone) == [gone, copy]
    assert list(versions.all()) == [stays]
    assert versions.first(ONE) is None


def test_the_earliest_that_has_the_payload_itself_inherits_it(versions: Versions) -> None:
    gone = put(versions, A)
    put(versions, B, 3)
    put(versions, C, 2)
    put(versions, D, 4)
    first(versions, A)
    forget(versions, [gone])
    assert versions.first(ONE) == First(C, BEGAN + 2, f"{C} 2")


@pytest.mark.parametrize("odd", [{"kind": Kind.SITEMAP}, {"status": 404}, {"size": 0}, {"original": D}])
def test_only_a_whole_page_inherits(versions: Versions, odd: dict[str, object]) -> None:
    gone = put(versions, A)
    put(versions, B, 1, **odd)
    first(versions, A)
    forget(versions, [gone])
    assert versions.first(ONE) is None


def test_a_payload_that_was_met_elsewhere_first_stays_there(versions: Versions) -> None:
    gone = put(versions, A, 5)
    put(versions, B)
    put(versions, C, 1, OTHER)
    first(versions, B)
    first(versions, C, 1, OTHER)
    forget(versions, [gone])
    assert versions.first(ONE) == First(B, BEGAN, f"{B} 0.0")
    assert versions.first(OTHER) == First(C, BEGAN + 1, f"{C} 1")


def test_a_payload_that_nobody_was_known_for_stays_so(versions: Versions) -> None:
    gone = put(versions, A)
    put(versions, B, 1)
    forget(versions, [gone])
    assert versions.first(ONE) is None


def test_copies_of_what_is_gone_are_copies_of_its_heir(versions: Versions) -> None:
    gone = put(versions, A)
    put(versions, B, 1, copy_of=A)
    put(versions, C, 2, copy_of=A)
    put(versions, D, 3, OTHER, copy_of=B)
    first(versions, A)
    forgotten = forget(versions, [gone])
    assert forgotten.freed == [B]
    assert (row(versions, B).copy_of, row(versions, C).copy_of, row(versions, D).copy_of) == (None, B, B)


def test_nothing_stays_a_copy_of_what_is_banned(versions: Versions) -> None:
    gone = put(versions, A, digest=OTHER)
    put(versions, B, 1, copy_of=C)
    put(versions, D, 2, copy_of=B)
    first(versions, B, 1)
    forgotten = forget(versions, [gone], lambda url: url in (B, C))
    assert (row(versions, B).copy_of, row(versions, D).copy_of) == (None, None)
    assert forgotten.freed == [B, D]


def test_a_text_that_went_with_its_page_is_not_looked_for(versions: Versions) -> None:
    gone = put(versions, A, text=TEXT)
    put(versions, B, 1, OTHER, text_of=A, text_began=BEGAN)
    put(versions, C, 2, OTHER, text_of=A, text_began=BEGAN + 9)
    put(versions, D, 3, OTHER, text=TEXT)
    forgotten = forget(versions, [gone])
    assert (row(versions, B).text_of, row(versions, C).text_of) == (None, A)
    assert row(versions, D).text == TEXT
    assert list(forgotten.freed) == []


def test_a_version_without_a_digest_is_taken_out_like_others(versions: Versions) -> None:
    gone, stays = put(versions, A, digest=""), put(versions, B, 1, "", copy_of=C)
    forget(versions, [gone])
    assert list(versions.all()) == [stays]


# ---------------------------------------------------------------------------- versions


@pytest.mark.parametrize(
    ("status", "tell"),
    [(199, False), (200, True), (301, True), (304, False), (399, True), (400, False), (404, True), (410, True)],
)
def test_errors_that_may_pass_and_304_say_nothing_of_a_page(status: int, tell: bool) -> None:
    assert tells(status) is tell


def test_versions_come_newest_first_and_until_a_time(versions: Versions) -> None:
    rows = [put(versions, A, after)[1] for after in range(3)]
    put(versions, B)
    put(versions, A + "a")
    assert list(versions.of(A)) == rows[::-1]
    assert list(versions.of(A, until=BEGAN + 1)) == [rows[1], rows[0]]
    assert list(versions.of(A, until=BEGAN + 0.5)) == [rows[0]]
    assert list(versions.of(A, until=BEGAN - 1)) == []
    assert versions.at(A, BEGAN + 1) == rows[1]
    assert versions.at(A, BEGAN + 1.001) is None
    assert versions.at(A, BEGAN + 1.0004) == rows[1]  # to the millisecond
    versions.remove(A, BEGAN + 1)
    assert list(versions.of(A)) == [rows[2], rows[0]]


def test_of_each_page_the_version_is_told_that_tells(versions: Versions) -> None:
    first = put(versions, A)
    put(versions, A, 1, status=503)
    put(versions, B, 1, kind=Kind.ROBOTS)
    put(versions, C, 1, status=500)
    put(versions, D, 1)
    last = put(versions, D, 2, status=404)
    assert list(versions.pages()) == [first, last]
    assert versions.current(A) == first[1]
    assert versions.current(A, until=BEGAN - 1) is None
    assert versions.current(C) is None
    assert versions.currents([D, A, C, "http://never.example/"]) == [last[1], first[1], None, None]


def test_all_versions_come_with_their_addresses_in_order(versions: Versions) -> None:
    rows = [put(versions, url, after) for url in (B, A) for after in (0, 1)]
    assert list(versions.all()) == [rows[3], rows[2], rows[1], rows[0]]
    assert list(versions.all(b"com,example)/b")) == [rows[1], rows[0]]
