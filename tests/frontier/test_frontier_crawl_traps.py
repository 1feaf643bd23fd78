"""Kinds of address that bring nothing new wait farther away, and come back when they bring something again."""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier.entries import TEMPLATES
from gossamer.frontier.worth.budget import BASE, Budgets
from gossamer.frontier.worth.crawl_traps import KINDS, SCOUT, Novelty, about_kind, kinds_of
from gossamer.frontier.worth.crawl_traps import Place as Placed
from gossamer.frontier.worth.new_text import SIZES, Memory, _names, marks, sketch
from gossamer.frontier.worth.pattern_yield import CROWDING, DEEPEST
from gossamer.frontier.worth.url_patterns import template
from gossamer.store.table.table import Table

SITE = "a.example"
TRAP = "http://a.example/calendar/2024/{}.html"
GOOD = "http://a.example/articles/some-long-title-{}"


def prose(seed: object, words: int = 80) -> str:
    draw = random.Random(str(seed))
    return " ".join("".join(draw.choices("abcdefghij", k=5)) for _ in range(words))


# ---------------------------------------------------------------------- sketches


def test_a_page_that_differs_in_its_numbers_only_is_not_new() -> None:
    memory = Memory()
    text = "Home\nEvents of {0}-{0}\n1 2 3 4 5\nNothing happens on {0}.\nNext month"
    news = [memory.news(sketch(TRAP.format(n), "Calendar", text.format(n))) for n in range(10, 30)]
    assert news[0] > 0
    assert news[1:] == [0.0] * 19


def test_a_page_that_repeats_its_own_address_is_not_new() -> None:
    memory = Memory()
    urls = [f"http://a.example/echo/{'news/' * n}" for n in range(2, 12)]
    news = [memory.news(sketch(url, "Echo", f"You are at {url}\nThe same words as ever.")) for url in urls]
    assert news[1:] == [0.0] * 9


def test_real_content_is_new_however_much_boilerplate_stands_around_it() -> None:
    memory = Memory()
    frame = "\n".join(prose(("menu", line), 12) for line in range(100))
    news = [memory.news(sketch(GOOD.format(n), "", f"{frame}\n{prose(n, 25)}\n{frame}")) for n in range(200)]
    assert min(news) > 0.9


def test_a_list_of_the_same_goods_in_another_order_is_hardly_new() -> None:
    memory = Memory()
    draw = random.Random(3)
    goods = [prose(("goods", number), 3) for number in range(60)]
    news = [
        memory.news(sketch(f"http://a.example/shop?page={n}", "", "\n".join(draw.sample(goods, 12)))) for n in range(60)
    ]
    assert news[0] == 1.0
    assert sum(news[30:]) < 0.1 * 30


@pytest.mark.parametrize(
    "path", ["", "a", "a.html", "/", "news/", "articles/1.html?page=2", "shop/goods.html", "%41rticles/x"]
)
def test_what_a_page_calls_itself_is_taken_out_of_it(path: str) -> None:
    url = f"http://a.example/{path}"
    for name in _names(url):
        assert sketch(url, "", f"here is {name} again").digest == sketch(url, "", "here is  again").digest


def test_a_memory_is_small_and_forgets_the_old() -> None:
    memory = Memory()
    for number in range(1_000):
        memory.news(sketch(GOOD.format(number), "", prose(number)))
    assert len(memory.table) == SIZES[-1]
    assert memory.news(sketch(GOOD.format(0), "", prose(0))) == 1.0
    assert (
        msgspec.msgpack.decode(msgspec.msgpack.encode(memory), type=Memory).news(sketch(GOOD.format(0), "", prose(0)))
        == 0.0
    )


def test_marks_are_the_words_in_any_order() -> None:
    one, other = (sketch("http://a.example/x", "", text) for text in ("not found here", "here\nnot found"))
    assert marks(one) == marks(other) != marks(sketch("http://a.example/x", "", "not here"))


# ------------------------------------------------------------------------- kinds


class Host:
    """A host whose pages are told to the counts without being fetched."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.budgets = Budgets(table)
        self.novelty = Novelty(table, lambda host: self.budgets.pages(SITE))

    def found(self, url: str) -> Placed:
        return self.novelty.place(template(url))

    def visit(self, url: str, worth: float) -> None:
        self.novelty.left(template(url))
        self.novelty.count(template(url), worth)

    def next(self, url: str, place: Placed) -> Placed | None:
        return self.novelty.sink(template(url), place)

    def learn(self, good: int = 20, stale: int = 40) -> None:
        """Articles are worth something, the calendar is not."""
        for number in range(good):
            self.visit(GOOD.format(number), 1.0)
        for number in range(stale):
            self.visit(TRAP.format(number), 0.0)


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with Table.open(tmp_path, FAMILIES, writable=True) as table:
        yield Host(table)


def test_good_kinds_are_at_no_distance_of_their_own(host: Host) -> None:
    assert {host.found(GOOD.format(n)) for n in range(300)} == {Placed(0, 0)}


def test_a_starved_kind_is_farther_away_and_does_not_push_the_good_ones_away(host: Host) -> None:
    host.learn()
    scout, *starved = [host.found(TRAP.format(n)) for n in range(1_000)]
    far = [place.distance for place in starved]
    assert scout.level == DEEPEST + SCOUT
    assert {place.level for place in starved} == {DEEPEST}
    assert far == sorted(far)
    assert far[-1] > 900 / BASE * 60
    assert host.found(GOOD.format(99)) == Placed(0, 0)


def test_one_address_of_a_starved_family_at_a_time_stays_near(host: Host) -> None:
    for number in range(3_000):
        host.found(GOOD.format(number))
    host.learn()
    near = 0
    for number in range(3_000):
        host.next(GOOD.format(number), Placed(0, 0))
        host.visit(GOOD.format(number), 1.0)
        near += host.found(TRAP.format(number)).distance == 0
    assert 3_000 / 100 <= near <= 3_000 / 40


def test_what_was_queued_before_is_put_back_when_its_turn_comes_and_a_few_times_at_most(host: Host) -> None:
    early = [(TRAP.format(n), host.found(TRAP.format(n))) for n in range(50)]
    for number in range(400):
        host.found(GOOD.format(number))
    host.learn()
    moves = 0
    for url, place in early:
        distances = [place.distance]
        while (there := host.next(url, place)) is not None:
            assert there.distance > place.distance
            place = there
            distances.append(place.distance)
        moves += len(distances) > 1
        assert len(distances) < 12
    assert moves > 40


def test_the_budget_gets_back_what_a_starved_kind_had_counted(host: Host) -> None:
    places = [host.found(TRAP.format(n)) for n in range(100)]
    host.learn()
    for number, place in enumerate(places):
        host.next(TRAP.format(number), place)
    assert host.found(GOOD.format(1)).distance < 100 // BASE


def test_when_nothing_better_is_left_a_starved_kind_goes_on(host: Host) -> None:
    host.learn()
    scout, *places = [host.found(TRAP.format(n)) for n in range(40)]
    assert scout.level > SCOUT
    assert [host.next(TRAP.format(1), place) for place in places] == [None] * 39


def test_a_kind_that_brings_something_again_recovers(host: Host) -> None:
    host.learn(stale=200)
    host.found(TRAP.format(0))
    assert host.found(TRAP.format(1)).level == DEEPEST
    levels = []
    for number in range(12):
        host.visit(TRAP.format(number), 1.0)
        levels.append(host.found(TRAP.format(number)).level)
    assert levels == sorted(levels, reverse=True)
    assert levels[-1] == 0


def test_scouts_go_on_and_notice_when_a_trap_begins_to_bring_something(host: Host) -> None:
    """Every page leads to two more of its kind; good ones also lead into the trap."""
    queue = [(0, 0, GOOD.format(0), 0)]
    numbers = itertools.count(1)
    visits: list[bool] = []
    levels: list[int] = []

    def put(url: str, place: Placed) -> None:
        heapq.heappush(queue, (place.distance, next(numbers), url, place.level))

    while len(visits) < 6_000:
        away, _, url, level = heapq.heappop(queue)
        if there := host.next(url, Placed(away, level)):
            put(url, there)
            continue
        trap = "calendar" in url
        visits.append(trap)
        host.visit(url, float(not trap or len(visits) > 3_000))
        for link in (TRAP if trap else GOOD, TRAP if trap else GOOD, TRAP):
            new = link.format(next(numbers))
            put(new, place := host.found(new))
        levels.append(place.level % SCOUT)
    assert 10 < sum(visits[1_000:3_000]) < 100
    assert set(levels[1_000:3_000]) == {DEEPEST}
    assert max(levels[5_000:]) <= CROWDING


def test_a_new_kind_within_a_bad_one_is_not_trusted(host: Host) -> None:
    host.learn(stale=0)
    for number in range(40):
        host.visit(f"http://a.example/shop?colour={number}", 0.0)
    assert host.found("http://a.example/shop?colour=1&size=2&brand=3").level > 1
    assert host.found("http://a.example/other?colour=1").level == 0


def test_where_no_kind_is_better_none_is_starved(host: Host) -> None:
    for number in range(200):
        host.visit(TRAP.format(number), 0.0)
        host.visit(GOOD.format(number), 0.0)
    assert host.found(TRAP.format(1)).level == host.found(GOOD.format(1)).level == 0


def test_lists_are_paid_for_what_they_lead_to(host: Host) -> None:
    lists = "http://a.example/list?page={}"
    host.learn(stale=0)
    for number in range(40):
        host.visit(lists.format(number), 0.0)
        host.novelty.credit(template(lists.format(number)))
    assert host.found(lists.format(99)).level == 0


def test_a_kind_that_floods_the_queue_stands_beside_the_others_not_before_them(host: Host) -> None:
    for number in range(40):
        host.found(GOOD.format(number))
    for number in range(5_000):
        host.found(TRAP.format(number))
    assert host.found("http://a.example/articles/the-last-one").distance <= 20
    assert host.found(TRAP.format(1)).distance >= 4_000 // BASE


def test_a_text_is_new_once_in_a_host(host: Host) -> None:
    page = sketch("http://a.example/one/first", "", prose(1))
    kinds = [template(url) for url in ("http://a.example/one/first", "http://a.example/s/abc/first")]
    assert [host.novelty.news(kind, page) for kind in kinds] == [1.0, 0.0]
    assert host.novelty.news(template("http://b.example/one"), page) == 1.0


def test_a_host_cannot_make_up_kinds_without_end(host: Host) -> None:
    for number in range(KINDS + 500):
        name = "".join(random.Random(number).choices("abcdefghijklmnop", k=12))
        host.found(f"http://a.example/{name}/x?{name}=1")
    host.novelty.save()
    assert sum(1 for _ in host.table.scan(TEMPLATES)) <= KINDS + 2


def test_what_was_learned_survives_a_restart(tmp_path: Path) -> None:
    def again(ask: Callable[[Host], object]) -> object:
        with Table.open(tmp_path, FAMILIES, writable=True) as table:
            host = Host(table)
            answer = ask(host)
            host.novelty.save()
            table.commit()
            return answer

    again(lambda host: host.learn())
    assert again(lambda host: host.found(TRAP.format(1)).level) == DEEPEST + SCOUT
    told = again(lambda host: about_kind(host.table, TRAP.format(1)))
    assert (told.name, told.fetched, told.fresh) == ("a.example/calendar/0/0.html", 40, 0.0)  # type: ignore[attr-defined]  # a KindAnswer
    assert again(lambda host: about_kind(host.table, "http://a.example/never/met")) is None


def test_of_two_kinds_with_the_same_sums_the_closer_one_is_told(host: Host) -> None:
    for name in ("one", "two"):
        host.found(f"http://a.example/guide/{name}.html")
    host.found("http://a.example/news/today")
    host.found("http://a.example/news/old/today?page=2")
    host.novelty.save()
    told = [(each.name, each.found) for each in kinds_of(host.table, "a.example", 10)]
    assert told == [
        ("/guide/w.html", 2), ("/news*", 2), ("/news/old/today?page", 1), ("/news/w", 1),
    ]  # fmt: skip
