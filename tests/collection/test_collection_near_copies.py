"""Every page that is kept is looked up among those before it, and a near copy is marked with its original."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from small_shard import BEGAN, SmallShard, answer, read, said, small_shard

from gossamer.collection.derive import near_copies as module
from gossamer.collection.derive.near_copies import Prints, check
from gossamer.dedupe import pages
from gossamer.dedupe.column_families import PRINTS, STALE, WHOLE
from gossamer.dedupe.judge import LEAST_WORDS
from gossamer.dedupe.lookup import Lookup
from gossamer.dedupe.pages import Pages
from gossamer.frontier.entries import State
from gossamer.model import Kind, Page, Visit
from gossamer.urls import site

A, B, C = "http://a.test/", "http://b.test/", "http://c.test/"


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[SmallShard]:
    with small_shard(tmp_path) as made:
        yield made


@pytest.fixture
def prints(shard: SmallShard, tmp_path: Path) -> Iterator[Prints]:
    made = Prints(tmp_path, shard.table, shard.archive, site)
    yield made
    made.close()


def keep(shard: SmallShard, prints: Prints, url: str, body: str, **more: object) -> None:
    prints.keep(*shard.keep(url, body, **more))


def marked(shard: SmallShard, prints: Prints) -> list[tuple[str, str]]:
    """Commit; what was folded meanwhile."""
    folded: list[tuple[str, str]] = []
    prints.prepare(shard.ledger, lambda url, original: folded.append((url, original)))
    shard.commit()
    return folded


def near(shard: SmallShard, url: str) -> str | None:
    version = shard.archive.versions.current(url)
    assert version is not None
    return version.near_copy_of


def printed(shard: SmallShard) -> set[str]:
    return {url for url, _ in Pages(shard.table).addresses()}


def test_a_near_copy_is_marked_counted_and_folded_into_its_original(shard: SmallShard, prints: Prints) -> None:
    keep(shard, prints, A, said("fish"))
    assert marked(shard, prints) == []
    keep(shard, prints, B, said("fish", edits=3))
    keep(shard, prints, C, said("birds"))
    assert marked(shard, prints) == [(B, A)]
    assert [near(shard, url) for url in (A, B, C)] == [None, A, None]
    entries = shard.ledger.get_many([A, B, C])
    assert [entry is not None and entry.near for entry in entries] == [False, True, False]
    assert shard.ledger.counts.near_duplicates == 1
    assert marked(shard, prints) == []  # once


def test_a_page_about_something_else_in_the_same_words_stands_for_itself(shard: SmallShard, prints: Prints) -> None:
    first, second, third = (f"http://a.test/{name}" for name in ("lamp", "wagon", "wagon-copy"))
    for url, name in ((first, "Lampshade"), (second, "Stagecoach"), (third, "Stagecoach")):
        more = f"<p>{name} has members, and {name} has friends. All are listed here for {name}. {url[-4:]}</p>"
        keep(shard, prints, url, f"<title>{name} members</title><h1>{name} members</h1>{said('fish')}{more}")
    assert marked(shard, prints) == [(third, second)]
    assert [near(shard, url) for url in (first, second, third)] == [None, None, second]
    assert shard.ledger.counts.near_duplicates == 1


def test_a_page_whose_text_is_lost_stands_for_itself(shard: SmallShard, prints: Prints, tmp_path: Path) -> None:
    keep(shard, prints, A, said("fish"))
    marked(shard, prints)
    for path in (tmp_path / "texts").iterdir():
        path.write_bytes(b"")
    keep(shard, prints, B, said("fish", edits=3))
    assert marked(shard, prints) == []


def test_a_page_is_compared_as_it_is_now(shard: SmallShard, prints: Prints) -> None:
    keep(shard, prints, A, said("fish"))
    marked(shard, prints)
    keep(shard, prints, A, said("birds"), began=BEGAN + 1)
    marked(shard, prints)
    keep(shard, prints, B, said("fish", edits=3))
    assert marked(shard, prints) == []


@pytest.mark.parametrize("what", ["a HEAD", "robots.txt", "an error that may pass"])
def test_what_says_nothing_of_a_page_changes_nothing(what: str, shard: SmallShard, prints: Prints) -> None:
    keep(shard, prints, A, said("fish"))
    capture = {
        "a HEAD": answer(A, said("birds"), visit=Visit(A, method="HEAD")),
        "robots.txt": answer(A, said("birds"), visit=Visit(A, Kind.ROBOTS)),
        "an error that may pass": answer(A, said("birds"), status=500),
    }[what]
    prints.keep(capture, read(answer(A, said("birds"))))
    marked(shard, prints)
    keep(shard, prints, B, said("fish", edits=3))
    assert marked(shard, prints) == [(B, A)]


@pytest.mark.parametrize("status", [301, 404])
def test_a_page_that_is_gone_has_no_print(status: int, shard: SmallShard, prints: Prints) -> None:
    keep(shard, prints, A, said("fish"))
    marked(shard, prints)
    assert printed(shard) == {A}
    keep(shard, prints, A, said("fish"), status=status, began=BEGAN + 1)
    marked(shard, prints)
    assert printed(shard) == set()


@pytest.mark.parametrize("status", [200, 299])
def test_every_success_is_a_page(status: int, shard: SmallShard, prints: Prints) -> None:
    keep(shard, prints, A, said("fish"), status=status)
    marked(shard, prints)
    assert printed(shard) == {A}


@pytest.mark.parametrize(
    "fields", [{"copy": True}, {"state": State.FAILED, "status": 0}], ids=["an exact copy", "no page"]
)
def test_what_is_an_exact_copy_or_no_page_is_not_marked(
    fields: dict[str, object], shard: SmallShard, prints: Prints
) -> None:
    keep(shard, prints, A, said("fish"))
    keep(shard, prints, B, said("fish", edits=3))
    shard.enter(B, **fields)
    assert marked(shard, prints) == []
    assert near(shard, B) is None


def test_the_page_that_is_no_copy_itself_stands_for_the_others(shard: SmallShard, prints: Prints) -> None:
    keep(shard, prints, A, said("fish"))
    keep(shard, prints, B, said("fish", edits=3))
    marked(shard, prints)
    keep(shard, prints, C, said("fish", edits=3))  # says what B says, which is a copy of A
    assert marked(shard, prints) == [(C, A)]


@pytest.mark.parametrize("fields", [{"copy": True}, {"near": True}, {"state": State.FAILED, "status": 0}])
def test_where_all_others_are_copies_the_one_most_alike_stands_for_a_page(
    fields: dict[str, object], shard: SmallShard, prints: Prints
) -> None:
    keep(shard, prints, A, said("fish"))
    shard.enter(A, **fields)
    keep(shard, prints, B, said("fish", edits=3))
    assert marked(shard, prints) == [(B, A)]


def test_no_two_pages_stand_for_each_other(shard: SmallShard, prints: Prints) -> None:
    keep(shard, prints, A, said("fish"))
    keep(shard, prints, B, said("fish", edits=3))
    assert marked(shard, prints) == [(B, A)]
    keep(shard, prints, A, said("fish", edits=2), began=BEGAN + 1)  # its only near copy is one of its own
    assert marked(shard, prints) == []
    assert near(shard, A) is None


def test_a_shard_has_all_prints_if_it_had_them_from_its_first_page(shard: SmallShard, tmp_path: Path) -> None:
    first = Prints(tmp_path, shard.table, shard.archive, site)
    assert first.whole
    first.close()
    shard.table.delete(PRINTS, WHOLE)
    shard.keep(A, said("fish"))
    later = Prints(tmp_path, shard.table, shard.archive, site)
    assert not later.whole
    later.close()


@pytest.mark.parametrize("state", [None, STALE, b"1"])
def test_all_pages_are_measured_again_and_what_is_none_loses_its_print(
    state: bytes | None, shard: SmallShard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 2)
    prints = Prints(tmp_path, shard.table, shard.archive, site)
    keep(shard, prints, "http://gone.test/", said("gone"))
    keep(shard, prints, "http://never.test/", said("never"))
    marked(shard, prints)
    shard.keep("http://gone.test/", "", status=404, began=BEGAN + 1)
    for version in shard.archive.versions.of("http://never.test/"):
        shard.archive.versions.remove("http://never.test/", version.began)
    pages = {f"http://{number}.test/" for number in range(5)}
    for url in sorted(pages):
        shard.keep(url, said(url))
    shard.table.delete(PRINTS, WHOLE)
    if state:
        shard.table.put(PRINTS, WHOLE, state)
    shard.commit()
    assert list(prints.remake()) == [2, 4, 5]
    assert prints.whole
    assert printed(shard) == pages
    assert list(check(shard.table, shard.archive, site)) == []
    keep(shard, prints, B, said("http://1.test/", edits=3))
    assert marked(shard, prints) == [(B, "http://1.test/")]
    prints.close()


def test_a_shard_of_nothing_is_soon_measured(shard: SmallShard, prints: Prints) -> None:
    assert list(prints.remake()) == [0]


@pytest.mark.parametrize(("state", "kept"), [(None, False), (STALE, True), (b"1", True)])
def test_until_all_is_measured_again_readers_have_the_old_prints_if_they_were_whole(
    state: bytes | None, kept: bool, shard: SmallShard, prints: Prints, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 1)
    for url in (A, B, C):
        keep(shard, prints, url, said(url))
    marked(shard, prints)
    shard.table.delete(PRINTS, WHOLE)
    if state:
        shard.table.put(PRINTS, WHOLE, state)
    shard.commit()
    again = prints.remake()
    assert next(again) == 1
    assert not prints.whole
    assert (len(printed(shard)) == 3) is kept
    list(again)
    assert printed(shard) == {A, B, C}


def test_what_is_looked_up_is_part_of_every_commit(
    shard: SmallShard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    class Noting(Lookup):
        def prepare(self) -> None:
            calls.append("prepare")
            super().prepare()

        def close(self) -> None:
            calls.append("close")
            super().close()

    monkeypatch.setattr(module, "Lookup", Noting)
    monkeypatch.setattr(module, "BATCH", 1)
    prints = Prints(tmp_path, shard.table, shard.archive, site)
    keep(shard, prints, A, said("fish"))
    marked(shard, prints)
    assert calls == ["prepare"]
    shard.table.delete(PRINTS, WHOLE)
    list(prints.remake())
    assert calls == ["prepare", "close", "prepare", "prepare"]  # from nothing, then one page, then the end
    prints.close()
    assert calls[4:] == ["close"]


# --------------------------------------------------------------------------- checked


def test_prints_that_are_not_whole_are_not_looked_at(shard: SmallShard, prints: Prints) -> None:
    keep(shard, prints, A, said("fish"))
    marked(shard, prints)
    shard.keep(B, said("birds"))
    assert list(check(shard.table, shard.archive, site)) == [f"{B}: has no print; `gossamer build DIR` makes it again"]
    for state in (STALE, None):
        shard.table.delete(PRINTS, WHOLE)
        if state:
            shard.table.put(PRINTS, WHOLE, state)
        assert list(check(shard.table, shard.archive, site)) == []


def test_a_print_of_what_is_no_page_and_one_of_another_text_are_named(shard: SmallShard, prints: Prints) -> None:
    keep(shard, prints, A, said("fish"))
    keep(shard, prints, B, said("birds"))
    keep(shard, prints, C, said("cows"))
    marked(shard, prints)
    shard.keep(A, "", status=404, began=BEGAN + 1)
    shard.keep(B, said("other"), began=BEGAN + 1)
    for version in shard.archive.versions.of(C):
        shard.archive.versions.remove(C, version.began)
    assert sorted(each.partition(";")[0] for each in check(shard.table, shard.archive, site)) == [
        f"{A}: has a print, but says nothing",
        f"{B}: its print is not that of its text",
        f"{C}: has a print, but is no page",
    ]


def test_a_print_belongs_to_a_site(shard: SmallShard, prints: Prints) -> None:
    keep(shard, prints, A, said("fish"))
    marked(shard, prints)
    (problem,) = check(shard.table, shard.archive, lambda url: "other.test")
    assert problem.startswith(f"{A}: its print is not that of its text")


def test_a_page_of_just_enough_words_has_a_print_and_one_of_fewer_has_none(shard: SmallShard, prints: Prints) -> None:
    words = [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "alpha",
        "beta",
        "gamma",
        "delta",
    ]
    assert len(words) == LEAST_WORDS
    for url, count in ((A, LEAST_WORDS), (B, LEAST_WORDS - 1)):
        capture, page = shard.keep(url, " ".join(words[:count]))
        prints.keep(capture, replace(page, content=" ".join(words[:count])))
    marked(shard, prints)
    assert printed(shard) == {A}
    assert list(check(shard.table, shard.archive, site)) == []


def test_a_copy_without_a_text_of_its_own_may_have_been_read_differently(shard: SmallShard, prints: Prints) -> None:
    keep(shard, prints, A, said("fish"))
    capture, _ = shard.keep(B, said("fish"))
    version = shard.archive.versions.current(B)
    assert version is not None
    assert version.text_of == A
    prints.keep(capture, Page(url=B, content=said("birds")))
    marked(shard, prints)
    assert list(check(shard.table, shard.archive, site)) == []


def test_prints_are_forgotten_a_few_at_a_time_each_with_a_commit(
    shard: SmallShard, prints: Prints, monkeypatch: pytest.MonkeyPatch
) -> None:
    for url in (A, B, C):
        keep(shard, prints, url, said(url))
    marked(shard, prints)
    monkeypatch.setattr(pages, "_CHUNK", 1)
    left: list[int] = []
    commit = shard.table.commit
    monkeypatch.setattr(shard.table, "commit", lambda: (left.append(len(printed(shard))), commit()))
    prints._forget()
    assert left[:4] == [3, 2, 1, 0], "that they are not whole comes first, and no commit takes more than memory holds"
