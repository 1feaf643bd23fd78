"""Did you mean?"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import InvalidQuery
from gossamer.index.entry import Entry
from gossamer.index.shard_index import ShardIndex
from gossamer.search.query import parse
from gossamer.search.spelling import distance, mistaken, nearest
from gossamer.search.suggestion import meant, suggestion
from gossamer.search.vocabulary import Vocabulary
from gossamer.urls import keys, site

Suggest = Callable[[str], str | None]
TITLES = {
    "Calendar of events": 200,
    "Database design": 30,
    "Foreign keys": 3,
    "Python3 tutorial": 2,
    "Receive messages": 2,
    "Kubernetes": 2,
    "JavaScript reference": 2,
    "International accommodation": 2,
    "Björk": 1,
    "Conection": 1,
    "Connection": 150,
    "Миграция данных": 2,
    "東京": 1,
}
BODIES = {"The calender presses paper.": 2, "A causal chain, or a casual one.": 1, "Data and a base. Foreign key.": 1}


@pytest.fixture(scope="module", params=[1, 3])
def suggest(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Suggest:
    folder, shards = tmp_path_factory.mktemp("index"), request.param
    return partial(suggested, vocabulary(folder, shards))


def vocabulary(folder: Path, shards: int) -> Vocabulary:
    indexes = [ShardIndex(folder / str(number)) for number in range(shards)]
    said = [(title, "") for title, times in TITLES.items() for _ in range(times)]
    said += [("", body) for body, times in BODIES.items() for _ in range(times)]
    for number, (title, body) in enumerate(said):
        url = f"http://site{number}.org/"
        entry = Entry(url, title, body=body, language="en", site=site(url))
        indexes[keys.shard(entry.site, shards)].add(entry)
    for each in indexes:
        each.commit(1)
        each.close()
    searchers = [each.index.searcher() for each in indexes]
    return Vocabulary(
        indexes, searchers, lambda name, term: [one.doc_freq(name, term) for one in searchers], ["en", None]
    )


def suggested(words: Vocabulary, text: str) -> str | None:
    return suggestion(text, parse(text), words)


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("calandar", "calendar"),
        ("clendar", "calendar"),
        ("calendarr", "calendar"),
        ("claendar", "calendar"),
        ("xalendar", "calendar"),
        ("alendar", "calendar"),
        ("recieve", "receive"),
        ("kubrnets", "kubernetes"),
        ("javasript", "javascript"),
        ("intrenatoinal", "international"),
        ("accomodation", "accommodation"),
        ("pyhton3", "python3"),
        ("conectoin", "connection"),
        ("мигрaция данных", "миграция данных"),
        ("imgration", None),
    ],
)
def test_letters_may_be_wrong_missing_too_many_or_swapped(suggest: Suggest, asked: str, meant: str | None) -> None:
    assert suggest(asked) == meant


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("Recieve", "Receive"),
        ("RECIEVE MESSAGES", "RECEIVE MESSAGES"),
        ("KUBERENTES kuberentes", "KUBERNETES kubernetes"),
        ('"recieve messages" OR Kuberentes', '"receive messages" OR Kubernetes'),
        ("title:recieve -recieve", "title:receive -recieve"),
        ("recieve site:recieve.org type:pdf", "receive site:recieve.org type:pdf"),
        ('recieve -"recieve it"', 'receive -"recieve it"'),
        ("  recieve,  messages! ", "  receive,  messages! "),
        ("recieve-messages", "receive-messages"),
        ("filetype:recieve recieve", "filetype:recieve receive"),
        ("intitle:(recieve it) -(recieve that) recieve", "intitle:(receive it) -(recieve that) receive"),
        ("“recieve messages” kuberentes*", "“receive messages” kuberentes*"),
        ("x http:recieve.org", "x http:receive.org"),
        ('6"recieve messages', '6"receive messages'),
    ],
)
def test_the_question_stays_as_it_was_written(suggest: Suggest, asked: str, meant: str) -> None:
    assert suggest(asked) == meant


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("foreignkey", "foreign key"),
        ("keydesign", None),
        ("data base", "database"),
        ("Data base design", "Database design"),
        ("data  base", None),
        ("foreign keys", None),
    ],
)
def test_words_are_run_together_or_split(suggest: Suggest, asked: str, meant: str | None) -> None:
    assert suggest(asked) == meant


def test_a_rare_word_with_a_far_more_frequent_neighbour_may_be_a_mistake(suggest: Suggest) -> None:
    assert suggest("Calender") == "Calendar"
    assert suggest("casual") is None
    assert suggest("calendars") is None


@pytest.mark.parametrize(
    "asked", ["python4", "fsh", "東亰", "tokyo", "xyzzyplugh", "calendar", "the", "site:calandar.org x"]
)
def test_what_is_known_short_or_like_nothing_is_left_alone(suggest: Suggest, asked: str) -> None:
    assert suggest(asked) is None


def test_a_question_of_many_unknown_words_is_corrected_in_three_of_them(suggest: Suggest) -> None:
    assert suggest("recieve kuberentes javasript databsae") == "receive kubernetes javascript databsae"


@given(st.text(max_size=40))
def test_any_question_has_a_suggestion_or_none(text: str) -> None:
    try:
        query = parse(f"x {text}")
    except InvalidQuery:
        return
    suggestion(f"x {text}", query, Nothing())


class Nothing:
    """A collection without words."""

    def pages(self, word: str) -> int:
        return 0

    def titles(self, word: str) -> int:
        return 5 if word == "xx" else 0

    def stems(self, word: str) -> set[str]:
        return {word}

    def near(self, word: str) -> dict[str, int]:
        return {word + "s": 1, word[1:]: 2}

    def slipped(self, word: str) -> dict[str, int]:
        return {}

    def titled(self, one: str, other: str) -> int:
        return 0

    def together(self, one: str, other: str) -> bool:
        return False


@pytest.mark.parametrize(
    ("one", "other", "far"),
    [("kitten", "sitting", 3), ("form", "from", 1), ("abc", "abc", 0), ("", "ab", 2), ("recieve", "receive", 1)],
)
def test_how_far_words_are_apart(one: str, other: str, far: int) -> None:
    assert distance(one, other, 5) == distance(other, one, 5) == far


def test_words_that_are_far_apart_are_not_measured_to_the_end() -> None:
    assert distance("abcdefgh", "zyxwvuts", 2) == 3


def test_the_distance_is_that_of_the_whole_table() -> None:
    random = Random(7)
    for _ in range(2_000):
        one, other = ("".join(random.choices("abc", k=random.randrange(8))) for _ in range(2))
        most = random.randrange(1, 4)
        assert distance(one, other, most) == min(by_table(one, other), most + 1)


def by_table(one: str, other: str) -> int:
    far = {(row, -1): row + 1 for row in range(-1, len(one))} | {(-1, place): place + 1 for place in range(len(other))}
    for row, letter in enumerate(one):
        for place, there in enumerate(other):
            above, left, both = far[row - 1, place], far[row, place - 1], far[row - 1, place - 1]
            far[row, place] = min(above + 1, left + 1, both + (letter != there))
            if row and place and letter == other[place - 1] and one[row - 1] == there:
                far[row, place] = min(far[row, place], far[row - 2, place - 2] + 1)
    return far[len(one) - 1, len(other) - 1]


def test_the_nearest_is_meant_unless_another_is_far_more_frequent() -> None:
    assert nearest("fisch", {"fish": 3, "fists": 90, "firsch": 1}, 1).word == "fish"
    assert nearest("wrd", {"word": 5, "ward": 9}, 1).word == "ward"
    assert nearest("nothing", {"elephant": 100}, 2).word == ""
    assert nearest("netwerk", {"network": 1, "networks": 90}, 2).word == "network"
    assert nearest("netwerk", {"network": 1, "networks": 900}, 2).word == "networks"
    assert nearest("python4", {"python3": 900}, 2).word == ""
    assert nearest("netwerk", {"network": 900, "networks": 1}, 2, 2).word == "networks"


def test_all_that_one_mistake_leads_to() -> None:
    found = set(mistaken("cat", 3))
    assert {"at", "act", "bat", "cart", "cats", "cut", "ca", "scat", "čat", "cät"} <= found
    assert all(distance("cat", each, 2) <= 1 for each in found)
    assert "cats" not in set(mistaken("cat", 2))


def test_what_was_looked_for_once_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown word is first asked for as what it may mean, and then named."""
    words = vocabulary(tmp_path, 1)
    assert meant("calandar", words) == "calendar"
    monkeypatch.setattr(Vocabulary, "_beginning", lambda *_: pytest.fail("once is enough"))
    assert suggested(words, "calandar") == "calendar"
