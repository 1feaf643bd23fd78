"""How kinds of address stand in their host, number by number: yields, crowds, shares, and places."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier.entries import TEMPLATES, TEXTS
from gossamer.frontier.worth import crawl_traps
from gossamer.frontier.worth.crawl_traps import KindAnswer, Novelty, Place, about_kind
from gossamer.frontier.worth.new_text import sketch
from gossamer.frontier.worth.pattern_yield import (
    DEEPEST,
    HostKinds,
    KindRow,
    has_share,
    is_fine,
    levels,
    part,
    turn,
    wait,
)
from gossamer.frontier.worth.url_patterns import Template, template
from gossamer.store.table.table import Table


def row(worth: float = 1.0, **more: float) -> KindRow:
    """A kind whose yield is guessed to be this, as long as it is the largest."""
    return KindRow(recent=96.0, recent_fresh=100 * worth - 4, **more)  # type: ignore[arg-type]  # fields of a row


# --------------------------------------------------------------------- levels


@pytest.mark.parametrize(
    ("worth", "level"),
    [(1.0, 0), (0.3, 0), (0.299, 2), (0.15, 2), (0.149, 3), (0.06, 3), (0.059, 4), (0.0, 4)],
)
def test_a_kind_has_its_level_by_its_yield_as_a_part_of_the_best(worth: float, level: int) -> None:
    for best in (1.0, 0.5):
        host, rows = HostKinds(best=best), [row(worth * best), KindRow()]
        assert levels(host, rows) == [level, level]
        assert is_fine(host, rows) is (level == 0)


def test_a_smaller_kind_is_guessed_by_the_larger_one_until_it_was_seen() -> None:
    host = HostKinds(best=1.0)
    assert levels(host, [row(0.1), KindRow(), KindRow()]) == [3, 3, 3]
    assert levels(host, [row(1.0), KindRow(recent=16.0), KindRow(recent=16.0)]) == [0, 2, 4]
    assert levels(host, [row(0.1), KindRow(recent=12.0, recent_fresh=12.0), KindRow()]) == [3, 0, 0]
    assert levels(host, [KindRow(), KindRow()]) == [0, 0], "a new kind is trusted"


def test_where_nothing_brings_anything_none_is_behind() -> None:
    rows = [row(0.0031), KindRow()]
    assert levels(HostKinds(best=0.0), rows) == levels(HostKinds(best=0.009), rows) == [0, 0]
    assert levels(HostKinds(best=0.0105), rows) == [2, 2]


def test_a_kind_crowds_when_it_has_more_than_its_part_of_the_queue() -> None:
    def crowded(waiting: int, live: int, all_waiting: int) -> list[int]:
        host = HostKinds(live=live, waiting=all_waiting)
        return levels(host, [row(waiting=waiting), KindRow()])

    assert crowded(32, 2, 42) == [1, 1]
    assert crowded(31, 2, 40) == [0, 0], "a few never crowd"
    assert crowded(32, 1, 32) == [0, 0], "alone it has nobody to crowd"
    assert crowded(32, 3, 64) == [0, 0], "half as much again as its part is fair"
    assert crowded(33, 3, 64) == [1, 1]


def test_a_path_crowds_within_its_family_and_what_is_behind_stays_behind() -> None:
    host = HostKinds(best=1.0, live=1, waiting=40)
    family = row(waiting=40, live=2)
    assert levels(host, [family, KindRow(waiting=32), KindRow()]) == [0, 1, 1]
    assert not is_fine(host, [family, KindRow(waiting=32), KindRow()])
    assert levels(host, [family, KindRow(waiting=32, recent=16.0)]) == [0, 2]
    crowd = HostKinds(best=1.0, live=2, waiting=42)
    assert levels(crowd, [row(0.0, waiting=40), KindRow()]) == [4, 4]


def test_fine_is_the_same_as_level_0() -> None:
    draw = random.Random(4)
    fine = 0
    for _ in range(3_000):
        recent = [draw.choice((0.0, 5.0, 16.0)) for _ in range(3)]
        waiting = sorted((draw.choice((0, 20, 31, 32, 60, 100)) for _ in range(3)), reverse=True)
        rows = [
            KindRow(waiting=many, live=draw.randrange(4), recent=seen, recent_fresh=seen * draw.choice((0.0, 0.2, 1.0)))
            for many, seen in zip(waiting, recent, strict=True)
        ][: draw.choice((2, 3))]
        host = HostKinds(best=draw.choice((0.0, 0.3, 1.0)), live=draw.randrange(4), waiting=draw.choice((40, 100)))
        assert is_fine(host, rows) is (levels(host, rows)[-1] == 0)
        fine += is_fine(host, rows)
    assert 300 < fine < 2_700


# ---------------------------------------------------------------------- queue


def test_what_waits_is_counted_in_all_sizes_and_comes_to_nothing_again() -> None:
    host, family, one, other = HostKinds(), KindRow(), KindRow(), KindRow()
    wait(host, [family, one], 1)
    wait(host, [family, one], 1)
    assert (one.waiting, family.waiting, family.live, host.waiting, host.live) == (2, 2, 1, 2, 1)
    wait(host, [family, other], 1)
    assert (other.waiting, family.waiting, family.live, host.waiting, host.live) == (1, 3, 2, 3, 1)
    wait(host, [family, one], -1)
    assert (one.waiting, family.waiting, family.live, host.waiting, host.live) == (1, 2, 2, 2, 1)
    wait(host, [family, one], -1)
    assert (one.waiting, family.live, host.live) == (0, 1, 1)
    wait(host, [family, other], -1)
    assert (family.waiting, family.live, host.waiting, host.live) == (0, 0, 0, 0)


def test_what_is_poor_is_no_alternative() -> None:
    host, family, path = HostKinds(), KindRow(), KindRow(poor=True)
    wait(host, [family, path], 1)
    assert (path.waiting, family.waiting, family.live, host.waiting, host.live) == (1, 1, 0, 1, 1)
    host, family, path = HostKinds(), KindRow(poor=True), KindRow()
    wait(host, [family, path], 1)
    assert (path.waiting, family.waiting, family.live, host.waiting, host.live) == (1, 1, 1, 0, 0)


def test_a_kind_that_falls_behind_is_no_alternative_until_it_recovers() -> None:
    host, family = HostKinds(waiting=9, live=3), KindRow(waiting=4)
    turn(family, host)
    assert (family.poor, host.live, host.waiting) == (True, 2, 5)
    turn(family, host)
    assert (family.poor, host.live, host.waiting) == (False, 3, 9)
    empty = KindRow()
    turn(empty, host)
    assert (empty.poor, host.live, host.waiting) == (True, 3, 9)
    above, path = KindRow(waiting=9, live=3), KindRow(waiting=4)
    turn(path, above)
    assert (above.live, above.waiting) == (2, 9), "of a family only the paths are counted"


# --------------------------------------------------------------------- visits


def test_a_visit_counts_less_with_each_that_follows() -> None:
    kind = KindRow()
    assert kind.life == 0.0
    kind.count(1.0)
    kind.count(0.5)
    assert (kind.fetched, kind.fresh) == (2, 1.5)
    assert (kind.recent, kind.recent_fresh) == (pytest.approx(1.94), pytest.approx(1.44))
    assert kind.life == 1.5 / 4
    assert part(KindRow(part=0.5, at=3), HostKinds(fetched=5)) == pytest.approx(0.5 * 0.97**2)


def test_a_kind_has_its_share_when_no_size_of_it_had_more() -> None:
    def shares(parts: list[float], standing: list[int], behind: float = 0.0) -> bool:
        rows = [KindRow(part=each) for each in parts]
        return has_share(HostKinds(behind=behind), rows, standing)

    assert shares([1.0, 1.0], [0, 1])
    assert shares([1.0, 0.25], [0, 2])
    assert not shares([1.0, 0.26], [0, 2])
    assert shares([0.5, 0.5], [0, 2])
    assert not shares([0.5, 0.5], [2, 2]), "its family had more than its share"
    assert shares([1.0, 1 / 16], [0, 3])
    assert not shares([1.0, 1 / 15], [0, 3])
    assert shares([1.0, 1 / 64], [0, 4])
    assert not shares([1.0, 1 / 63], [0, 4])
    assert shares([1.0, 0.0], [0, 4], behind=0.25)
    assert not shares([1.0, 0.0], [0, 4], behind=0.26), "kinds that are behind have a quarter together"


def test_a_part_is_of_the_visits_of_the_next_larger_kind() -> None:
    host, family, path = HostKinds(fetched=100), KindRow(part=0.5, at=100, fetched=10), KindRow(part=0.5, at=10)
    assert has_share(host, [family, path], [0, 2])
    path.at = 9
    assert has_share(host, [family, path], [0, 2])
    path.at, path.part = 10, 0.51
    assert not has_share(host, [family, path], [0, 2])
    family.fetched = 11
    assert has_share(host, [family, path], [0, 2])


# -------------------------------------------------------------------- novelty

POOR = template("http://a.example/trap/first")
GOOD = template("http://a.example/good/first")


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Table.open(tmp_path, FAMILIES, writable=True) as opened:
        yield opened


@pytest.fixture
def novelty(table: Table) -> Novelty:
    """Of a host that gets ten pages a round, with a kind that has brought nothing and had all visits."""
    found = Novelty(table, lambda host: 10)
    host, rows = found._rows(POOR)
    host.best, host.behind, host.farthest = 1.0, 1.0, 100
    for each in rows:
        each.recent, each.part = 96.0, 1.0
    return found


def host_of(novelty: Novelty, kind: Template = POOR) -> HostKinds:
    return novelty._rows(kind)[0]


def test_a_good_kind_is_near_and_a_poor_one_beyond_all_others_but_for_a_scout(novelty: Novelty) -> None:
    assert novelty.place(GOOD) == Place(0, 0)
    scout, *behind = [novelty.place(POOR) for _ in range(4)]
    assert scout == Place(0, 12), "one stays near, to see whether it still brings nothing"
    assert behind == [Place(106, 4), Place(112, 4), Place(119, 4)], "64 of a budget of 10 are 6.4 rounds"
    assert novelty._rows(POOR)[1][0].found == 4
    assert novelty._rows(POOR)[1][0].scout == 7
    host_of(novelty).fetched = 69
    assert novelty.place(POOR).distance > 100
    host_of(novelty).fetched = 70
    assert novelty.place(POOR) == Place(0, 12), "the next scout comes seven rounds later"


def test_one_that_only_crowds_stands_in_a_second_row_at_the_full_pace(novelty: Novelty) -> None:
    host, rows = novelty._rows(GOOD)
    host.live, host.waiting, host.farthest = 2, 50, 0
    rows[0].waiting = rows[1].waiting = 49
    places = [novelty.place(GOOD) for _ in range(21)]
    assert {place.level for place in places} == {1}
    assert [place.distance for place in places] == pytest.approx([number // 10 for number in range(1, 22)], abs=1)
    assert (places[0].distance, places[-1].distance) == (0, 2)
    assert host.farthest == 2
    host.now = 50
    assert novelty.place(GOOD) == Place(50, 1)


def test_what_should_not_be_next_is_put_back_until_it_has_taken_too_long(novelty: Novelty) -> None:
    places = [novelty.sink(POOR, Place(5, 4)) for _ in range(128)]
    assert places[0] == Place(106, 4)
    assert None not in places
    assert host_of(novelty).passed == 128
    assert novelty.sink(POOR, Place(5, 4)) is None
    assert (host_of(novelty).passed, host_of(novelty).now) == (0, 5)
    assert novelty.now("a.example") == 5
    assert novelty.sink(POOR, Place(99, 4)) == Place(925, 4)
    host_of(novelty).farthest = 5_000
    assert novelty.sink(POOR, Place(4_900, 4)) == Place(7_351, 4), "half as far again at least"


def test_what_may_go_out_goes_out(novelty: Novelty) -> None:
    assert novelty.sink(GOOD, Place(3, 0)) is None
    assert host_of(novelty).now == 3
    assert novelty.sink(POOR, Place(100, 4)) is not None
    assert novelty.sink(POOR, Place(101, 4)) is None, "nothing better is left"
    host, rows = novelty._rows(POOR)
    host.behind = 0.2
    assert novelty.sink(POOR, Place(5, 4)) is not None
    for each in rows:
        each.part = 0.0
    assert novelty.sink(POOR, Place(5, 4)) is None, "it has not had its share"


def test_a_scout_goes_out_unless_too_much_is_behind(novelty: Novelty) -> None:
    assert novelty.sink(POOR, Place(5, 12)) == Place(12, 12)
    host_of(novelty).behind = 0.25
    assert novelty.sink(POOR, Place(5, 12)) is None
    assert novelty.sink(POOR, Place(5, 8)) is not None, "one that crowds is no scout"


def test_an_address_with_keys_that_do_not_matter_is_as_far_behind_as_can_be(novelty: Novelty) -> None:
    host_of(novelty).farthest = 20
    rows = novelty._rows(GOOD)[1]
    for each in rows:
        each.part = 1.0
    sunk = novelty.sink(GOOD, Place(0, 0), DEEPEST)
    assert sunk == Place(26, 4)


def test_what_leaves_the_queue_waits_no_more_and_never_less_than_none(novelty: Novelty) -> None:
    novelty.place(GOOD)
    novelty.left(GOOD)
    novelty.left(GOOD)
    rows = novelty._rows(GOOD)[1]
    assert (rows[0].waiting, rows[1].waiting, host_of(novelty).waiting) == (0, 0, 0)


def test_a_visit_is_counted_for_the_host_and_each_size_of_the_kind(table: Table) -> None:
    novelty = Novelty(table, lambda host: 10)
    novelty.count(GOOD, 1.0)
    host, rows = novelty._rows(GOOD)
    assert (host.fetched, host.behind, host.best, host.best_kind) == (1, 0.0, 1 / 3, GOOD.path)
    for each in rows:
        assert (each.fetched, each.fresh, each.part, each.at) == (1, 1.0, pytest.approx(0.03), 1)
    for _ in range(60):
        novelty.count(POOR, 0.0)
    poor = novelty._rows(POOR)[1]
    assert [each.poor for each in poor] == [False, True]
    assert [each.poor for each in rows] == [False, False]
    assert host.best == 1 / 3
    assert 0.5 < host.behind < 1.0
    assert poor[0].part == pytest.approx(1 - 0.97**60, abs=1e-6)
    novelty.count(GOOD, 0.0)
    assert host.best == 1 / 4, "the best is what it is now"


def test_a_kind_is_paid_for_what_it_led_to_but_never_more_than_it_cost(table: Table) -> None:
    novelty = Novelty(table, lambda host: 10)
    for _ in range(2):
        novelty.count(POOR, 0.0)
    novelty.credit(POOR)
    rows = novelty._rows(POOR)[1]
    assert [(each.fresh, each.recent_fresh) for each in rows] == [(0.5, 0.5)] * 2
    for _ in range(9):
        novelty.credit(POOR)
    assert [(each.fresh, each.recent_fresh) for each in rows] == [(2.0, pytest.approx(1.94))] * 2


def test_a_page_is_new_once_and_worth_a_little_where_only_its_numbers_differ(table: Table) -> None:
    novelty = Novelty(table, lambda host: 10)
    words = " ".join(f"word{chr(97 + number)}" for number in range(26))
    page = sketch("http://a.example/good/first", "Title", words)
    assert novelty.news(GOOD, page) == 1.0
    assert novelty.news(GOOD, page) == 0.0
    assert novelty.news(GOOD, sketch("http://a.example/good/first", "Title", f"{words} 7")) == 0.1
    assert len(list(table.scan(TEXTS))) == 2
    other = template("http://b.example/good/first")
    assert novelty.news(other, page) == 1.0, "each host for itself"


def test_the_first_kinds_lie_with_their_host_and_all_are_found_again(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crawl_traps, "FIRST", 4)
    monkeypatch.setattr(crawl_traps, "KINDS", 8)
    novelty = Novelty(table, lambda host: 10)
    kinds = [template(f"http://a.example/{name}/x") for name in ("one", "two", "three", "four", "five", "six")]
    for count, kind in enumerate(kinds, 1):
        for _ in range(count):
            novelty.place(kind)
    assert host_of(novelty, kinds[0]).kinds == 8
    assert len(host_of(novelty, kinds[0]).first) == 4
    novelty.save()
    assert len(list(table.scan(TEMPLATES))) == 1 + 4 + 1, "its row, four further kinds, and one for all others"
    again = Novelty(table, lambda host: 10)
    assert [again._rows(kind)[1][0].found for kind in kinds[:4]] == [1, 2, 3, 4]
    assert again._rows(kinds[4])[1][0].found == 2 * (5 + 6), "those that are not told apart are counted together"
    assert again._rows(kinds[4])[1][0] is again._rows(kinds[5])[1][0]
    assert again._memory_key(kinds[4]) == "a.example*\0"
    assert again._memory_key(kinds[3]) == f"{kinds[3].family}\0"
    assert host_of(again, kinds[0]).kinds == 8


def test_what_is_known_of_a_kind_is_told(table: Table) -> None:
    url = "http://a.example/good/first"
    assert about_kind(table, url) is None
    novelty = Novelty(table, lambda host: 10)
    novelty.place(GOOD)
    novelty.place(GOOD)
    novelty.count(GOOD, 0.56)
    novelty.save()
    assert about_kind(table, url) == KindAnswer(GOOD.full, 2, 1, 0.6, 1.0)
    assert about_kind(table, "http://a.example/other/first") is None
    assert about_kind(table, f"{url}?key=1") is None


def test_on_a_host_that_nothing_is_known_of_no_address_is_farther_than_the_first_round(table: Table) -> None:
    novelty = Novelty(table, lambda host: 10)
    for each in novelty._rows(GOOD)[1]:
        each.part = 1.0
    assert novelty.sink(GOOD, Place(0, 0), DEEPEST) is not None
    assert novelty.sink(GOOD, Place(1, 0), DEEPEST) is None, "nothing better is left"
