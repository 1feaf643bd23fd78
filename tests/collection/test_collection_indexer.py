"""Log and index of a shard, call by call: what is folded, forgotten and made again, and what is found wrong."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from made_shard import BEGAN, A, B, C, Shard, came, made, said, site
from msgspec.structs import replace

from gossamer.collection.derive import index_check, index_entry, index_state, indexer
from gossamer.collection.derive.indexer import WAITED_MOST, Indexer
from gossamer.frontier.entries import State
from gossamer.frontier.worth.soft404 import SAME_TARGET
from gossamer.graph.gather import standing
from gossamer.graph.log import COPIED, STANDS_FOR, chunks
from gossamer.index.shard_index import ShardIndex
from gossamer.model import Kind, Link, Page, Visit
from gossamer.store.commits import INTERVAL
from gossamer.urls import keys
from gossamer.web.leases import FRESH


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[Shard]:
    with made(tmp_path / "web") as shard:
        yield shard


@pytest.fixture
def index(shard: Shard) -> Iterator[Indexer]:
    with closing(Indexer(shard.place, shard.table, shard.archive, site)) as index:
        yield index


def kept(shard: Shard, index: Indexer, url: str, status: int = 200, after: float = 0.0, **more: object) -> None:
    location = more.pop("location", None)
    fields = (("content-type", "text/html"), *((("location", str(location)),) if location else ()))
    body = f"{url} {after}".encode()
    one, page = came(url, body, status, after, fields=fields), said(url, body=body, **more)
    if (version := shard.archive.append(one, page)) is not None:
        index.keep(one, page, version)


def committed(shard: Shard, index: Indexer) -> set[str]:
    shard.archive.prepare()
    index.prepare()
    shard.table.commit()
    index.finish()
    return set(index._shard_index.urls())


def logged(shard: Shard) -> dict[str, list[tuple[int, int]]]:
    """By page what the log has of it last: what it points to, and how."""
    found: dict[str, list[tuple[int, int]]] = {}
    for chunk in chunks(shard.place / "links/log", index_state.committed_length(shard.table)):
        at = 0
        for source, count in zip(chunk.sources, chunk.counts.tolist(), strict=True):
            part = slice(at, at + count)
            found[source] = list(zip(chunk.targets[part].tolist(), chunk.kinds[part].tolist(), strict=True))
            at += count
    return found


def stands(shard: Shard) -> dict[int, int]:
    return dict(standing(chunks(shard.place / "links/log", index_state.committed_length(shard.table))))


def of(url: str) -> int:
    return keys.fingerprint(url)


def problems(shard: Shard) -> list[str]:
    return list(index_check.check(shard.place, shard.table, shard.archive))


# --------------------------------------------------------------------------------- keep


def test_a_redirect_and_a_copy_are_told_apart_in_the_log(shard: Shard, index: Indexer) -> None:
    kept(shard, index, A)
    kept(shard, index, B, 301, location=A)
    kept(shard, index, C, copy_of=A)
    assert committed(shard, index) == {A}
    (redirect,), (copy,) = logged(shard)[B], logged(shard)[C]
    assert redirect[0] == copy[0] == of(A)
    assert (redirect[1] & STANDS_FOR, copy[1] & STANDS_FOR) == (STANDS_FOR, STANDS_FOR)
    assert (redirect[1] & COPIED, copy[1] & COPIED) == (0, COPIED)
    assert stands(shard) == {of(B): of(A), of(C): of(A)}


def test_a_page_that_turns_out_to_be_a_copy_stands_for_itself_no_more(shard: Shard, index: Indexer) -> None:
    kept(shard, index, A)
    kept(shard, index, B, links=(Link(C),))
    assert committed(shard, index) == {A, B}
    index.fold(B, A)
    assert committed(shard, index) == {A}
    ((target, kind),) = logged(shard)[B]
    assert (target, kind & COPIED) == (of(A), COPIED)


@pytest.mark.parametrize("status", [400, 404, 500])
def test_an_error_that_names_another_address_is_no_redirect(shard: Shard, index: Indexer, status: int) -> None:
    kept(shard, index, A, status, location=B)
    committed(shard, index)
    assert stands(shard) == {}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_every_redirect_is_one(shard: Shard, index: Indexer, status: int) -> None:
    kept(shard, index, A, status, location="/other")
    committed(shard, index)
    assert stands(shard) == {of(A): of(f"{A}other")}


@pytest.mark.parametrize("status", [410, 300, 302, 305])
def test_the_links_of_a_page_that_is_gone_or_leads_nowhere_do_not_count(
    shard: Shard, index: Indexer, status: int
) -> None:
    kept(shard, index, A, links=(Link(B),))
    committed(shard, index)
    assert [target for target, _ in logged(shard)[A]] == [of(B)]
    kept(shard, index, A, status, after=5)
    assert committed(shard, index) == set()
    assert logged(shard)[A] == []


def test_an_error_of_a_page_that_never_was_or_that_may_pass_says_nothing(shard: Shard, index: Indexer) -> None:
    kept(shard, index, A, links=(Link(B),))
    kept(shard, index, A, 503, after=5)
    kept(shard, index, B, 404)
    kept(shard, index, C, 301, location=A)
    kept(shard, index, C, 404, after=5)
    assert committed(shard, index) == {A}
    assert set(logged(shard)) == {A, C}  # C is a redirect in the log: it never was a page
    assert stands(shard) == {of(C): of(A)}


@pytest.mark.parametrize("status", [199, 200, 299])
def test_only_what_is_a_page_is_found(shard: Shard, index: Indexer, status: int) -> None:
    kept(shard, index, A, status)
    assert committed(shard, index) == ({A} if status >= 200 else set())


def test_what_is_no_page_leaves_nothing(shard: Shard, index: Indexer) -> None:
    version = shard.archive.append(one := came(A, visit=Visit(A, Kind.SITEMAP)), page := said(A))
    assert version is not None
    index.keep(one, page, version)
    assert (committed(shard, index), logged(shard)) == (set(), {})


# ----------------------------------------------------------------------------- commits


def test_a_new_page_is_found_within_five_seconds() -> None:
    """It is committed within an interval, the index with the first commit that is late enough, and a reader looks."""
    assert INTERVAL + (WAITED_MOST + INTERVAL) + FRESH <= 5.0


def test_new_pages_wait_for_so_long_and_no_longer(
    shard: Shard, index: Indexer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And however often there is a commit meanwhile, the index has one."""
    monkeypatch.setattr(indexer, "WAITED_MOST", 2.0)
    monkeypatch.setattr(indexer, "COMMIT_EVERY", 3)
    seconds = itertools.count(100)

    def commits(number: int) -> int:
        index.prepare()
        shard.table.commit()
        for _ in range(number):
            now = float(next(seconds))
            index.committed(now)
            index.committed(now)
        return sum(1 for _ in index._shard_index.urls())

    assert commits(9) == 0  # nothing waits
    kept(shard, index, A)
    assert (commits(2), commits(1)) == (0, 1)
    for number in range(2):
        kept(shard, index, f"{B}{number}")
    assert commits(1) == 1
    kept(shard, index, f"{B}2")
    assert commits(1) == 4
    index.fold(A, B)
    index.forget(f"{B}0")
    assert commits(1) == 4
    index.forget(f"{B}1")
    assert commits(1) == 1


# ---------------------------------------------------------------------- catching up, again


def test_the_index_catches_up_with_the_log_and_others_have_a_turn(
    shard: Shard, index: Indexer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "CATCH_UP", 2)
    for url in (A, B, C):
        kept(shard, index, url)
    kept(shard, index, f"{A}copy", copy_of=A)
    kept(shard, index, f"{A}none", noindex=True)
    shard.archive.prepare()
    index.prepare()
    shard.table.commit()
    index.close()
    with closing(Indexer(shard.place, shard.table, shard.archive, site)) as later:
        assert list(later._shard_index.urls()) == []
        assert list(later.catch_up()) == [2, 4, 5]
        assert set(later._shard_index.urls()) == {A, B, C}
        assert list(later.catch_up()) == []
        assert problems(shard) == []


def test_log_and_index_are_made_again_commit_by_commit(
    shard: Shard, index: Indexer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "CATCH_UP", 2)
    for url in (A, B):
        kept(shard, index, url, links=(Link(C),))
    kept(shard, index, C, 301, location=A)
    assert committed(shard, index) == {A, B}
    before = logged(shard)
    steps = index.remake()
    assert next(steps) == 2
    assert not index.whole  # a build that is killed now begins anew
    assert set(steps) == {3}
    assert index.whole
    assert shard.table.pending == 0
    assert set(index._shard_index.urls()) == {A, B}
    assert logged(shard) == before
    assert problems(shard) == []


def test_a_new_shard_is_whole_and_one_with_pages_and_no_log_is_not(shard: Shard) -> None:
    shard.keep(A)
    with closing(Indexer(shard.place, shard.table, shard.archive, site)) as index:
        assert not index.whole
        assert problems(shard) == []  # nobody has said that it is to be found


def test_an_index_that_is_damaged_is_made_again_from_the_log(
    shard: Shard, index: Indexer, caplog: pytest.LogCaptureFixture
) -> None:
    kept(shard, index, A)
    committed(shard, index)
    index.close()
    (shard.place / "index" / "meta.json").write_bytes(b"{")
    assert len(problems(shard)) == 1
    with closing(Indexer(shard.place, shard.table, shard.archive, site)) as later:
        assert "the index is made again" in caplog.text
        assert list(later.catch_up()) == [1]
        assert set(later._shard_index.urls()) == {A}
    assert problems(shard) == []


# -------------------------------------------------------------------------------- check


def test_every_page_that_is_wrongly_found_or_not_found_is_named(shard: Shard, index: Indexer) -> None:
    for url in (A, B):
        kept(shard, index, url)
    kept(shard, index, C, noindex=True)
    committed(shard, index)
    index._shard_index.remove(A)
    index._shard_index.add(index_entry.entry(C, said(C), BEGAN, "c.test"))
    index.finish()
    told = problems(shard)
    assert [words.partition(";")[0] for words in told] == [
        f"{A}: is not in the index",
        f"{C}: should not be in the index",
    ]


def test_a_page_whose_links_are_not_those_of_its_text_is_named(shard: Shard, index: Indexer) -> None:
    kept(shard, index, A, links=(Link(B), Link(C)))
    kept(shard, index, B, links=(Link(A),))
    kept(shard, index, C, copy_of=A, links=(Link(B),))
    committed(shard, index)
    assert problems(shard) == []
    index._log.add(A, "a.test", (Link(C), Link(B)))
    index._log.add(C, "c.test", (Link(B),))
    committed(shard, index)
    told = problems(shard)
    assert [words.partition(":  ")[0].split(": ")[0] for words in told] == [A, C]
    assert all("the log of links does not have the links of its text" in words for words in told)


def test_an_index_ahead_of_the_rows_is_damage_and_one_behind_them_is_not(shard: Shard, index: Indexer) -> None:
    kept(shard, index, A)
    committed(shard, index)
    length = index_state.committed_length(shard.table)
    index._shard_index.add(index_entry.entry(B, said(B), BEGAN, "b.test"))
    index._shard_index.commit(0)
    assert problems(shard) == []
    for covered, wrong in ((length - 1, "ends within a commit"), (length + 1, "has pages that were never committed")):
        index._shard_index.commit(covered)
        (words,) = problems(shard)
        assert f"the index {wrong}" in words


# ------------------------------------------------------------------------- what is wanted


@pytest.mark.parametrize(("status", "counts"), [(199, False), (200, True), (299, True), (300, False)])
def test_a_version_says_something_when_it_is_a_page(shard: Shard, status: int, counts: bool) -> None:
    shard.keep(A)
    version = replace(shard.row(A), status=status)
    assert (index_entry.wanted(shard.table, shard.archive, A, version) is not None) is counts


def test_an_error_in_disguise_says_nothing(shard: Shard) -> None:
    shard.keep(A)
    shard.enter(A, reason=SAME_TARGET)
    assert index_entry.is_soft_404(shard.table, A)
    assert index_entry.wanted(shard.table, shard.archive, A, shard.row(A)) is None
    shard.enter(A, reason="200")
    assert index_entry.wanted(shard.table, shard.archive, A, shard.row(A)) is not None
    shard.enter(A, state=State.QUEUED, soft=SAME_TARGET)  # as while it is asked for again
    assert index_entry.is_soft_404(shard.table, A)
    assert not index_entry.is_soft_404(shard.table, B)


def test_what_is_indexed_are_headings_main_words_and_the_date_it_gives(shard: Shard) -> None:
    page = said(A, title="T", html="<h1>One</h1><p>x</p><h6>Six\n&amp; more</h6><h7>No</h7>", published=5.0)
    found = index_entry.entry(A, page, BEGAN, "a.test", b"hint")
    assert found.headings == "One Six & more"
    assert (found.url, found.title, found.date, found.site, found.text) == (A, "T", 5.0, "a.test", b"hint")
    bare = index_entry.entry(A, Page(A, text="all words"), BEGAN, "a.test")
    assert (bare.date, bare.text) == (BEGAN, b"")


@pytest.mark.parametrize(("status", "pages"), [(200, 2), (299, 2), (301, 1), (404, 1)])
def test_a_page_that_is_none_any_more_is_not_missing_in_an_index(
    shard: Shard, index: Indexer, status: int, pages: int
) -> None:
    kept(shard, index, A)
    kept(shard, index, B)
    shard.archive.append(came(B, b"later", status, 1.0), said(B, body=b"later"))
    committed(shard, index)
    empty = cast(ShardIndex, SimpleNamespace(covered=0, source=0))
    assert index_state.behind(shard.place, shard.table, shard.archive, empty) == pages


@pytest.mark.parametrize(
    ("more", "other", "missing"),
    [
        (0, 0, 0),
        (1, 0, 0),  # another commit came after the rows were read
        (0, 1, 2),  # of another log
        (1, 1, 2),
        (-1, 0, 2),  # it ends within a commit
    ],
)
def test_pages_are_missing_in_an_index_that_is_not_of_their_log(
    shard: Shard, index: Indexer, more: int, other: int, missing: int
) -> None:
    kept(shard, index, A)
    kept(shard, index, B)
    committed(shard, index)
    length, log = index_state.committed_length(shard.table), index_state.drawn(shard.table)
    made = cast(ShardIndex, SimpleNamespace(covered=length + more, source=log + other))
    assert index_state.behind(shard.place, shard.table, shard.archive, made) == missing
