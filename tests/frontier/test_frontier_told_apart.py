"""When is a page like another? Sketches and their memory, keys that change nothing, and errors in disguise."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, pairwise
from pathlib import Path
from random import Random

import pytest

from gossamer.collection.column_families import FAMILIES
from gossamer.frontier.entries import PARAMETERS, PROBES
from gossamer.frontier.worth.new_text import (
    MARKS,
    SIZES,
    STRETCH,
    Memory,
    Sketch,
    _distinct,
    _pairs,
    by_lines,
    marks,
    sketch,
)
from gossamer.frontier.worth.parameters import Key, KeysRow, Parameters, Seen, _compare, _trial, dropped_keys, parted
from gossamer.frontier.worth.soft404 import (
    SAME_PAGE,
    SAME_TARGET,
    Answer,
    HostPlaces,
    Nonsense,
    PlaceRow,
    Soft404,
    Verdict,
    _alike,
    _is_worth_it,
    _made_up,
    _verdict,
    disguised_places,
    is_soft_reason,
)
from gossamer.frontier.worth.url_patterns import template
from gossamer.store.table.table import Table

URL = "http://a.example/catalogue/product-name.html?colour=red"
COMPILED = "gossamer.frontier.worth._newness"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Table.open(tmp_path, FAMILIES, writable=True) as opened:
        yield opened


def words(first: int, last: int) -> str:
    """Different words without digits."""
    return " ".join("".join(chr(97 + int(digit)) for digit in f"{number:04}") for number in range(first, last))


# -------------------------------------------------------------------- sketches


@pytest.mark.parametrize(
    "name",
    [
        URL,
        "/catalogue/product-name.html?colour=red",
        "/catalogue/product-name.html",
        "product-name.html",
        "product-name",
    ],
)
def test_a_page_is_seen_without_its_own_address(name: str) -> None:
    assert sketch(URL, "", f"There is no {name} here").digest == Sketch("\nThere is no  here").digest


def test_a_short_name_may_be_any_word_and_stays() -> None:
    assert sketch("http://a.example/list", "", "no list here").digest == Sketch("\nno list here").digest
    assert sketch("http://a.example/lists1", "", "no lists1 here").digest == Sketch("\nno  here").digest
    assert sketch("http://a.example/", "", "http://a.example/").digest == Sketch("\n").digest


def test_an_address_is_found_with_its_escapes_and_without() -> None:
    url = "http://a.example/caf%C3%A9-menu"
    assert sketch(url, "", "no /café-menu here").digest == Sketch("\nno  here").digest
    assert sketch(url, "", "no /caf%C3%A9-menu here").digest == Sketch("\nno  here").digest


def test_so_much_of_a_page_is_looked_at() -> None:
    text = "x" * 20_000
    assert sketch(URL, "", text).digest == sketch(URL, "", text + "more").digest
    assert sketch(URL, "", text[1:]).digest != sketch(URL, "", text).digest
    assert sketch(URL, "One", text).digest != sketch(URL, "Other", text).digest


def test_a_sketch_has_a_digest_with_numbers_and_one_without() -> None:
    one, other = Sketch("Price 10\nNew"), Sketch("Price 20\nNew")
    assert one.digest != other.digest
    assert one.plain == other.plain
    assert list(_distinct(Sketch("a 1\n\n  b \na 2\n3\nb").undated)) == [b"a", b"b"]


@pytest.mark.parametrize("seed", range(40))
def test_the_compiled_look_at_a_text_finds_the_same(seed: int) -> None:
    met = pytest.importorskip(COMPILED).met
    dice = Random(seed)
    pieces = (
        [*b"\n\n  ab", *b"\t\r\x0b\x0c\x1c\x00\xff"],
        ["new", "\n", " ", "words of a line", "\xa0", "\u0436", "\n\n"],
    )
    shown = dice.randbytes(dice.choice((1, 3, 256)))
    tables = bytearray(shown), bytearray(shown)
    for _ in range(60):
        size = dice.choice((0, 1, 30, 3_000))
        text = bytes(dice.choices(pieces[0], k=size)) + "".join(dice.choices(pieces[1], k=size)).encode()
        data = text + dice.randbytes(size // 9) + text[: size // 3]
        limits = (
            dice.choice((0, 1, 20, 256)),
            dice.choice((1, 20, 200)),
            dice.choice((1, 16, 900)),
            dice.choice((1, 5, 64)),
        )
        assert by_lines(data, tables[0], *limits) == met(data, tables[1], *limits)
        assert tables[0] == tables[1]


def test_a_table_without_a_place_is_refused() -> None:
    met = pytest.importorskip(COMPILED).met
    with pytest.raises(ValueError, match="no place"):
        met(b"words", bytearray(), 1, 1, 1, 1)
    with pytest.raises(ValueError, match="limits"):
        met(b"words", bytearray(1), 1, 1, 1, 0)


def test_marks_are_the_smallest_of_all_words() -> None:
    assert len(marks(Sketch(words(0, 100)))) == MARKS
    assert len(marks(Sketch(words(0, 20)))) == 20
    assert set(marks(Sketch(words(0, 100)))) & set(marks(Sketch(words(0, 60))))
    assert list(marks(Sketch(words(0, 100)))) == sorted(marks(Sketch(words(0, 100))))


def test_the_pairs_of_a_long_line_are_those_of_its_words_two_by_two() -> None:
    line = words(0, 130).encode()
    found = list(_pairs(line, STRETCH))
    assert [len(each) for each in found] == [64, 64, 2]
    assert [len(each) for each in _pairs(words(0, 64).encode(), STRETCH)] == [64]
    two = [list(chain(*_pairs(b" ".join(pair), STRETCH)))[1] for pair in pairwise(line.split())]
    assert list(chain(*found))[1:] == two
    assert len(set(two)) == 129


def test_a_page_is_as_new_as_its_new_pairs_of_words() -> None:
    memory = Memory()
    assert memory.news(Sketch(words(0, 8))) == 0.5
    assert memory.news(Sketch(words(0, 8))) == 0.0
    assert memory.news(Sketch(words(0, 9))) == 1 / 16
    assert memory.news(Sketch(words(100, 116))) == 1.0
    assert memory.news(Sketch("\n".join(words(number, number + 4) for number in range(200, 212, 4)))) == 12 / 16


def test_what_is_enough_is_enough_and_the_rest_is_not_remembered() -> None:
    memory = Memory(bytearray(SIZES[-1]))
    assert memory.news(Sketch(f"{words(0, 17)}\n{words(50, 54)}")) == 1.0
    assert memory.news(Sketch(words(50, 54))) == 4 / 16, "its second line was not looked at"


def test_a_memory_begins_anew_in_the_next_size_when_it_is_half_full() -> None:
    memory = Memory()
    sizes = []
    for number in range(400):
        memory.news(Sketch(words(20 * number, 20 * number + 16)))
        sizes.append(len(memory.table))
        assert len(memory.table) == SIZES[-1] or memory.made <= len(memory.table) // 2
    assert sorted(set(sizes)) == list(SIZES)
    assert sizes == sorted(sizes)
    first = sizes.index(1_024)
    assert first + 1 == 8, "17 marks a page, and 129 of 256 are too many"


# ------------------------------------------------------------------------ keys


def test_a_key_is_suspected_by_two_pairs_and_idle_by_ten() -> None:
    assert [Key(same).suspected for same in (1, 2)] == [False, True]
    assert [Key(same, 1).suspected for same in (4, 5)] == [False, True]
    assert [Key(same).idle for same in (9, 10)] == [False, True]
    assert [Key(same, 1).idle for same in (19, 20)] == [False, True]


def test_old_pairs_of_a_key_count_less() -> None:
    key = Key()
    for _ in range(40):
        key.count(same=True)
    assert (key.same, key.other) == (40, 0)
    key.count(same=False)
    assert (key.same, key.other) == (20, 0)
    for _ in range(3):
        key.count(same=False)
    assert (key.same, key.other) == (20, 3)


def seen(content: int, path: int = 1, **values: int) -> Seen:
    return Seen(content, path, values)


def compared(page: Seen, *before: Seen, **keys: Key) -> dict[str, tuple[int, int, bool]]:
    row = KeysRow(keys=keys or {"a": Key(), "b": Key()}, seen=list(before))
    _compare(row, page)
    return {name: (key.same, key.other, key.bare) for name, key in row.keys.items()}


def test_two_pages_that_say_the_same_speak_for_all_keys_in_which_they_differ() -> None:
    assert compared(seen(7, a=1, b=1), seen(7, a=2, b=2)) == {"a": (1, 0, False), "b": (1, 0, False)}
    assert compared(seen(7, a=1, b=1), seen(7, a=1, b=2)) == {"a": (0, 0, False), "b": (1, 0, False)}
    assert compared(seen(7, a=1), seen(7, a=1, b=2)) == {"a": (0, 0, False), "b": (1, 0, True)}
    assert compared(seen(7, a=1, b=2), seen(7, a=1)) == {"a": (0, 0, False), "b": (1, 0, True)}
    assert compared(seen(7, a=1), seen(7, 2, a=2)) == {"a": (0, 0, False), "b": (0, 0, False)}, "of another path"
    once = compared(seen(7, a=1), seen(7, a=2), seen(7, a=3))
    assert once["a"] == (1, 0, False), "the latest page speaks"
    assert compared(seen(7, a=1), seen(7, a=2), seen(7, a=1))["a"] == (1, 0, False), "an equal one says nothing"


def test_two_pages_that_do_not_speak_against_the_one_key_that_could_be_the_reason() -> None:
    assert compared(seen(7, a=1, b=1), seen(8, a=2, b=1)) == {"a": (0, 1, False), "b": (0, 0, False)}
    assert compared(seen(7, a=1, b=1), seen(8, a=2, b=2)) == {"a": (0, 0, False), "b": (0, 0, False)}
    suspected = {"a": Key(2), "b": Key()}
    assert compared(seen(7, a=1, b=1), seen(8, a=2, b=2), **suspected) == {"a": (2, 0, False), "b": (0, 1, False)}
    both = {"a": Key(2), "b": Key(2)}
    assert compared(seen(7, a=1, b=1), seen(8, a=2, b=2), **both) == {"a": (2, 1, False), "b": (2, 1, False)}
    several = compared(seen(7, a=1, b=1), seen(8, a=2, b=1), seen(9, a=3, b=1))
    assert several["a"] == (0, 1, False), "once against at most"


def test_an_address_without_its_idle_keys_is_tried_a_few_times() -> None:
    row = KeysRow(keys={"sid": Key(10), "id": Key(0, 5)})
    tried = [_trial(row, f"http://a.example/p?id={number}&sid=x") for number in range(9)]
    assert tried == [f"http://a.example/p?id={number}" for number in range(8)] + [None]
    row = KeysRow(keys={"sid": Key(10)})
    assert _trial(row, "http://a.example/p?id=1") is None
    assert row.trials == 0
    row.keys["sid"].bare = True
    assert _trial(row, "http://a.example/p?sid=1") is None, "it was seen already"
    assert _trial(KeysRow(keys={"id": Key(5)}), "http://a.example/p?id=1") is None


def test_parameters_are_told_from_the_path() -> None:
    assert parted("http://a.example/p;s=1;t?a=1&a=2&b&&c=3=4") == (
        "http://a.example/p",
        {";s": "1", ";t": "", "a": "1&2", "b": "", "c": "3=4"},
    )


def test_a_host_has_so_many_kinds_of_path_that_are_watched(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.frontier.worth.parameters.WATCHED", 2)
    parameters = Parameters(table)
    text = "a text that is long enough to be told from others"
    assert parameters.learn("http://a.example/none", text) is None
    for name in ("one", "two", "three", "one"):
        parameters.learn(f"http://a.example/{name}/list?key=1", text)
    parameters.learn("http://a.example/other/list", text)
    parameters.save()
    rows = {key.decode() for key, _ in table.scan(PARAMETERS)}
    assert rows == {"a.example\0", "a.example/one/list", "a.example/two/list"}
    parameters.learn("http://a.example/one/list", text)
    assert len(parameters._rows.use("a.example/one/list").seen) == 3, "without keys it is a page of the same script"


def test_a_kind_remembers_its_last_pages_and_some_of_its_keys(table: Table) -> None:
    parameters = Parameters(table)
    for number in range(70):
        parameters.learn(f"http://a.example/list?k{number}a={number}", f"text {number}")
    row = parameters._rows.use("a.example/list")
    assert len(row.seen) == 64
    parameters = Parameters(table)
    parameters.learn("http://a.example/list?" + "&".join(f"k{chr(97 + number)}=1" for number in range(26)), "text")
    assert len(parameters._rows.use("a.example/list").keys) == 24


def test_dropped_keys_of_all_ports_are_told(table: Table) -> None:
    parameters = Parameters(table)
    for authority in ("a.example", "a.example:8080", "a.example.org", "b.example"):
        host = parameters._hosts.use(f"{authority}\0")
        host.kinds[f"{authority}/list"] = ["sid"]
    parameters._rows.use("a.example:8080/list").trials = 1
    parameters.save()
    assert dropped_keys(table, "a.example") == {"a.example/list": ["sid"], "a.example:8080/list": ["sid"]}


def test_only_what_has_keys_is_made_simpler(table: Table) -> None:
    parameters = Parameters(table)
    url = "http://a.example/list?id=1&sid=2"
    assert parameters.simpler(url) == url
    parameters._hosts.use("a.example\0").kinds["a.example/list"] = ["sid"]
    urls = [f"http://a.example/list?id={number}&sid=2" for number in range(300)]
    simple = [parameters.simpler(each) for each in urls]
    assert simple.count("http://a.example/list?id=7") == 1
    kept = [each for each in simple if "sid" in each]
    assert 0 < len(kept) < 12
    assert parameters.simpler("http://a.example/other?sid=2") == "http://a.example/other?sid=2"
    assert parameters.simpler("http://b.example/list?sid=2") == "http://b.example/list?sid=2"


# ------------------------------------------------------------ errors in disguise


def test_a_page_says_all_that_errors_have_in_common_and_no_more_than_they() -> None:
    errors = [(1, 2, 3), (1, 2, 4)]
    assert _alike(errors, (1, 2))
    assert _alike(errors, (1, 2, 9))
    assert not _alike(errors, (1, 2, 8, 9)), "it says more of its own"
    assert not _alike(errors, (1, 9)), "it does not say all"
    assert not _alike([(1, 2), (3, 4)], (1, 2)), "they have nothing in common"
    assert not _alike([(1, 3, 5), (1, 2, 4)], (1,)), "they vary too much"
    assert _alike([(1, 2, 3, 4)], (1, 2, 3, 4))
    assert not _alike([(1, 2, 3, 4)], (1, 2, 3, 4, 5))


def test_long_pages_are_compared_as_far_as_all_are_known() -> None:
    full = tuple(range(MARKS))
    assert not _alike([full, full], tuple(range(1, 49)))
    assert _alike([full], tuple(range(48)))
    assert not _alike([(*full[:47], 200)], (*full[:46], 150))


@pytest.mark.parametrize(
    ("status", "target", "text", "verdict"),
    [
        (200, "", "an error", Verdict.SOFT),
        (299, "", "an error", Verdict.SOFT),
        (200, "", "", Verdict.HONEST),
        (301, "http://a.example/", "", Verdict.SOFT),
        (301, "http://a.example/?from=madeup", "", Verdict.HONEST),
        (404, "", "", Verdict.HONEST),
        (400, "", "", Verdict.HONEST),
        (499, "", "", Verdict.HONEST),
        (429, "", "", Verdict.OPEN),
        (500, "", "", Verdict.OPEN),
        (300, "", "", Verdict.OPEN),
        (0, "", "", Verdict.OPEN),
    ],
)
def test_what_an_answer_to_nonsense_tells(status: int, target: str, text: str, verdict: Verdict) -> None:
    answer = Answer(Sketch(text) if text else None, target)
    assert _verdict("http://a.example/dir/madeup.html", status, answer) is verdict


def test_a_question_is_worth_it_when_little_was_asked_and_enough_was_seen() -> None:
    def worth(place: PlaceRow | None = None, *, alike: bool = False, **host: int) -> bool:
        return _is_worth_it(HostPlaces(**host), place or PlaceRow(), alike=alike)

    assert [worth(pages=pages) for pages in (9, 10)] == [False, True]
    assert _is_worth_it(HostPlaces(pages=3, alike=3), PlaceRow(), alike=True)
    assert not _is_worth_it(HostPlaces(pages=3, alike=2), PlaceRow(), alike=True)
    assert [worth(pages=10, honest=honest) for honest in (1, 2)] == [True, False]
    assert worth(pages=10, honest=9, alike=True)
    assert [worth(pages=19, asked=asked) for asked in (3, 4)] == [True, False]
    assert [worth(pages=20, asked=asked) for asked in (4, 5)] == [True, False]
    assert [worth(PlaceRow(asked=asked), pages=10) for asked in (2, 3)] == [True, False]
    assert not worth(PlaceRow(Verdict.HONEST), pages=10)
    page, moved = Nonsense(1, (1,), ""), Nonsense(0, (), "http://a.example/")
    assert worth(PlaceRow(Verdict.SOFT, nonsense=[page]))
    assert not worth(PlaceRow(Verdict.SOFT, nonsense=[page, page]))
    assert not worth(PlaceRow(Verdict.SOFT, nonsense=[moved]))


def test_a_made_up_name_stands_in_the_same_place_and_has_the_same_ending() -> None:
    first = _made_up("http://a.example/dir/page.html;s=1?x=1", 0)
    assert first.startswith("http://a.example/dir/")
    assert first.endswith(".html")
    assert len(first) == len("http://a.example/dir/.html") + 25
    assert first == _made_up("http://a.example/dir/other.html", 0)
    assert first != _made_up("http://a.example/dir/page.html", 1)
    assert _made_up("http://a.example/dir/sub/", 0).startswith("http://a.example/dir/")
    assert _made_up("http://a.example/dir/sub/", 0).endswith("/")
    assert template(first).directory == template("http://a.example/dir/page.html").directory


def page(text: str) -> Answer:
    return Answer(Sketch(text))


def test_what_a_host_said_elsewhere_spares_a_second_question(table: Table) -> None:
    soft = Soft404(table)
    for number, directory in enumerate(("one", "one", "two")):
        url = f"http://a.example/{directory}/madeup{number}"
        soft.asks(url)
        list(soft.learn(url, 200, page("this page does not exist")))
    two = soft._places.use(template("http://a.example/two/x").directory)
    assert (two.verdict, len(two.nonsense)) == (Verdict.SOFT, 2)
    kind = template("http://a.example/two/x")
    assert soft.judge(kind, "http://a.example/two/x", page("this page does not exist")) == SAME_PAGE
    assert soft.judge(kind, "http://a.example/two/x", page("something else that is a real page")) == ""
    other = "http://a.example/three/madeup"
    soft.asks(other)
    list(soft.learn(other, 200, page("quite another answer in this place")))
    assert len(soft._places.use(template(other).directory).nonsense) == 1


def test_answers_that_wait_for_a_verdict_are_so_many_and_not_of_honest_hosts(table: Table) -> None:
    soft, kind = Soft404(table), template("http://a.example/dir/x")
    for number in range(20):
        soft.judge(kind, f"http://a.example/dir/{number}", page("an error"))
    place = soft._places.use(kind.directory)
    assert [url for url, _, _ in place.recent] == [f"http://a.example/dir/{number}" for number in range(4, 20)]
    assert soft._hosts.use("a.example\0").places == 1
    url = "http://a.example/dir/madeup"
    soft.asks(url)
    found = dict(soft.learn(url, 200, page("an error")))
    assert found == {f"http://a.example/dir/{number}": SAME_PAGE for number in range(4, 20)}
    assert soft._places.use(kind.directory).recent == []
    host = soft._hosts.use("a.example\0")
    for honest, watched in ((1, True), (2, False)):
        host.honest = honest
        other = template(f"http://a.example/dir{'ab'[honest - 1]}/x")
        soft.judge(other, "http://a.example/x", page("an error"))
        assert (soft._places.peek(other.directory) is not None) is watched
    assert host.places == 2


def test_an_honest_answer_ends_the_watch(table: Table) -> None:
    soft, kind = Soft404(table), template("http://a.example/dir/x")
    soft.judge(kind, "http://a.example/dir/x", page("a page"))
    soft.asks("http://a.example/dir/madeup")
    assert soft.question(kind, "http://a.example/dir/x", alike=True) is None, "a question is out"
    assert list(soft.learn("http://a.example/dir/madeup", 404, Answer(None))) == []
    place, host = soft._places.use(kind.directory), soft._hosts.use("a.example\0")
    assert (place.verdict, place.recent, place.asked) == (Verdict.HONEST, [], 1)
    assert (host.honest, host.asked, host.pages, host.alike) == (1, 1, 1, 1)
    assert soft.judge(kind, "http://a.example/dir/x", page("a page")) == ""
    assert place.recent == []


def test_a_redirect_to_where_nonsense_goes_is_told_by_its_target(table: Table) -> None:
    soft, kind = Soft404(table), template("http://a.example/dir/x")
    soft.judge(kind, "http://a.example/dir/x", Answer(None, "http://a.example/"))
    soft.judge(kind, "http://a.example/dir/y", Answer(None, "http://a.example/elsewhere"))
    soft.asks("http://a.example/dir/madeup")
    found = dict(soft.learn("http://a.example/dir/madeup", 302, Answer(None, "http://a.example/")))
    assert found == {"http://a.example/dir/x": SAME_TARGET}
    assert is_soft_reason(SAME_TARGET)
    assert is_soft_reason(SAME_PAGE)
    assert not is_soft_reason("http 404")


def test_places_where_errors_look_like_pages_are_told_for_all_ports(table: Table) -> None:
    soft = Soft404(table)
    for authority in ("a.example", "a.example:8080", "a.example.org"):
        soft._places.use(f"{authority}/dir/*").verdict = Verdict.SOFT
        soft._places.use(f"{authority}/fine/*").verdict = Verdict.HONEST
        soft._hosts.use(f"{authority}\0").pages = 2
    soft.save()
    assert disguised_places(table, "a.example") == ["a.example/dir/*", "a.example:8080/dir/*"]
    assert len(list(table.scan(PROBES))) == 9
