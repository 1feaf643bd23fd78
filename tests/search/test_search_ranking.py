"""What counts, and how much: rarity, function words, names, languages, and an order that stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_search_searcher import page, searcher_over
from train_ranking import Signs, present

from gossamer.function_words import function_words
from gossamer.index.entry import Entry
from gossamer.search.bm25f_weights import Weights
from gossamer.search.candidates import HELD_BACK, PER_SITE, Candidates, Weighed
from gossamer.search.neighbors import NEAREST, regularized
from gossamer.search.searcher import Searcher
from gossamer.search.words import Lexicon, words


def urls(folder: Path, pages: list[tuple[str, str, str]], question: str, language: str = "en") -> list[str]:
    made = [page(f"http://{name}.org/", title, body, language) for name, title, body in pages]
    return [hit.url[7:-5] for hit in searcher_over(folder, made).search(question).hits]


def test_a_function_word_in_a_title_is_not_rare(tmp_path: Path) -> None:
    others = [(f"other{n}", "Words", "much is said to a reader here") for n in range(20)]
    guide = ("guide", "Tables", "Here is how one inserts columns into the widget: add a column, then show it. " * 3)
    howto = ("howto", "How to add a thing to a place", "add a thing to a place")
    assert urls(tmp_path, [*others, howto, guide], "how to add a column to a widget")[0] == "guide"


def test_function_words_are_those_of_the_language_of_the_question() -> None:
    assert "die" in function_words(["wie", "die", "Datei"], ["en", "de"])
    assert "die" not in function_words(["how", "did", "he", "die"], ["en", "de"])
    assert function_words(["Datei"], [None, "xx"]) == frozenset()


def test_function_words_find_when_they_are_all_there_is(tmp_path: Path) -> None:
    pages = [("band", "", "The Who played in Leeds"), ("other", "", "Nothing of that")]
    assert urls(tmp_path, pages, "the who")[0] == "band"


@pytest.mark.parametrize("question", ["ForeignKey", "foreign_key", "foreign-key", "foreign key", "foreignkey"])
@pytest.mark.parametrize("written", ["ForeignKey", "foreign_key", "foreign-key"])
def test_a_name_is_found_however_it_is_written(tmp_path: Path, question: str, written: str) -> None:
    pages = [("model", "", f"The column is a {written} of the parent."), ("other", "", "A key of the door.")]
    assert urls(tmp_path, pages, question)[0] == "model"


def test_a_name_in_one_piece_is_better_than_its_parts(tmp_path: Path) -> None:
    pages = [("parts", "", "The device plays audio on a device."), ("name", "", "QAudioDevice is described here.")]
    assert urls(tmp_path, pages, "QAudioDevice")[0] == "name"


@pytest.mark.parametrize(("question", "found"), [("C++", "plus"), ("C#", "sharp"), (".NET", "net"), ("5.15.8", "new")])
def test_names_with_signs_stay_themselves(tmp_path: Path, question: str, found: str) -> None:
    texts = {
        "plus": "Written in C++ only.",
        "sharp": "Written in C# only.",
        "net": "For .NET only.",
        "new": "Qt 5.15.8.",
    }
    pages = [(name, "", text) for name, text in texts.items()]
    pages += [("c", "", "Written in C, on the net, 5 times."), ("old", "", "Qt 5.15.2.")]
    assert urls(tmp_path, pages, question)[0] == found


def test_characters_without_spaces_keep_their_order(tmp_path: Path) -> None:
    pages = [("tokyo", "", "東京は大きい。"), ("keito", "", "京東は会社です。")]
    assert urls(tmp_path / "one", pages, "京東", "ja") == ["keito"]
    assert urls(tmp_path / "other", pages, "東京", "ja") == ["tokyo"]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Häuser", "haus"),
        ("lang:de Häuser", "haus"),
        ("niños", "nino"),
        ("ninos", "nino"),
        ("Datenbankverbindung", "db"),
    ],
)
def test_a_language_of_few_pages_is_asked_in_too(tmp_path: Path, question: str, found: str) -> None:
    many = [page(f"http://en{n}.org/", "", f"English words, page {n}.") for n in range(100)]
    few = [
        page("http://haus.org/", "", "Das Haus steht am Fluss.", "de"),
        page("http://nino.org/", "", "Un niño juega.", "es"),
        page("http://db.org/", "", "Die Verbindung mit der Datenbank.", "de"),
    ]
    hits = searcher_over(tmp_path, many + few).search(question).hits
    assert [hit.url for hit in hits] == [f"http://{found}.org/"]


def test_a_word_with_a_slip_finds_what_was_meant(tmp_path: Path) -> None:
    made = [
        page("http://a.org/", "Calendar", "About the calendar."),
        page("http://b.org/", "Clock", "About the clock."),
    ]
    found = searcher_over(tmp_path, made).search("calandar")
    assert [hit.url for hit in found.hits] == ["http://a.org/"]
    assert found.suggestion == "calendar"


def test_neighbours_count_in_a_small_collection_too(tmp_path: Path) -> None:
    pages = [
        ("apart", "", "the soup is hot and the bowl of wood is red"),
        ("near", "", "the red soup bowl of wood is hot and is the"),
    ]
    assert urls(tmp_path / "three", pages, "red soup bowl")[0] == "near"
    assert urls(tmp_path / "two", pages, "soup bowl")[0] == "near"


def test_words_that_are_joined_with_and_count_as_neighbours(tmp_path: Path) -> None:
    pages = [
        ("apart", "", "the soup is hot and the bowl of wood is red"),
        ("near", "", "the red soup bowl of wood is hot and is the"),
    ]
    assert urls(tmp_path, pages, "soup AND bowl")[0] == "near"


def test_what_others_call_a_page_counts_for_words_that_are_joined_with_and(tmp_path: Path) -> None:
    made = [page(f"http://{name}.org/", "", "a fish society in town") for name in ("any", "home", "some")]
    (first, *_) = searcher_over(tmp_path, made).explained("fish AND society", 3)
    assert first[0].url == "http://home.org/"
    assert first[1]["anchors"] > 0


def test_a_thousand_words_that_no_page_has_are_answered(tmp_path: Path) -> None:
    made = [page("http://home.org/", "", "one fish")]
    question = " ".join(["fish", *(f"zq{n}x" for n in range(999))])
    assert searcher_over(tmp_path, made).search(question).total == 1


def test_three_unknown_words_are_guessed_at_and_no_more() -> None:
    asked: list[str] = []

    def meant(term: str) -> str:
        asked.append(term)
        return ""

    lexicon = Lexicon(9, lambda term: 0, ["en", "de"], lambda term, language: False, meant)
    words([f"unheardof{letter}" for letter in "abcdefgh"], lexicon)
    assert asked == ["unheardofa", "unheardofb", "unheardofc"]


def test_a_very_long_question_is_asked_in_the_commonest_languages(tmp_path: Path) -> None:
    counts = {"en": 6, "de": 5, "fr": 4, "es": 2}
    made = [page(f"http://{code}{n}.org/", "", f"{code} {n}", code) for code in counts for n in range(counts[code])]
    made.append(page("http://nino.org/", "", "Ella cantaba.", "es"))
    searcher = searcher_over(tmp_path, made)
    for others, found in ((39, ["http://nino.org/"]), (40, [])):
        question = " ".join(["cantaban", *(f"nothing{n}" for n in range(others))])
        assert [hit.url for hit in searcher.search(question).hits] == found
    assert searcher.search(" ".join(["lang:es", "cantaban", *(f"nothing{n}" for n in range(60))])).total == 1


def test_long_texts_are_not_read_for_further_terms(tmp_path: Path) -> None:
    bodies = {"short": "red fish swim slowly", "long": "red fish swim " + "slowly " * 500, "empty": ""}
    made = [page(f"http://{name}.org/", "red fish swim", body) for name, body in bodies.items()]
    read: list[str] = []
    searcher_over(tmp_path, made, read=read).ranking("red fish swim", 10)
    assert set(read) == {"http://short.org/"}


def test_stems_of_one_word_are_as_rare_as_the_commonest() -> None:
    having = {"file": 900, "fil": 2}
    lexicon = Lexicon(1_000, lambda term: having.get(term, 0), ["en", "es"], lambda term, language: term in having)
    (word,) = words(["files"], lexicon)
    told = {term: count * lexicon.rarity(term) for term, count in word.terms.items()}
    assert told["fil"] == pytest.approx(told["file"])


@pytest.mark.parametrize("shards", [1, 3])
def test_pages_of_answers_never_repeat_one_and_agree_on_the_total(tmp_path: Path, shards: int) -> None:
    made = [page(f"http://s{n % 7}.org/{n}", "", f"fish {'swim ' * (n % 5)} {n}") for n in range(450)]
    searcher = searcher_over(tmp_path, made, shards)
    answers = [searcher.search("fish that swim", 10, offset) for offset in range(0, 450, 10)]
    seen = [hit.url for answer in answers for hit in answer.hits]
    assert len(seen) == len(set(seen)) == 360
    assert {answer.total for answer in answers} == {360}
    assert [hit.url for hit in searcher.search("fish that swim", 60).hits] == seen[:60]


def test_only_answers_near_those_that_are_shown_are_looked_at(tmp_path: Path) -> None:
    pages = [page(f"http://s{number}.org/", "Fish", f"fish {'swim ' * (number % 7)}") for number in range(450)]
    first, looked_at = searcher_over(tmp_path, pages), list[int]()
    ranks = first._context.ranks
    context = replace(first._context, ranks=lambda prints: looked_at.append(len(prints)) or ranks(prints))
    searcher = Searcher(first.indexes, context)
    assert len(searcher.search("fish", 10, 410).hits) == 10
    assert len(searcher.search("fish", 20, 390).hits) == 20
    assert looked_at == [50, 250]


def test_more_than_a_thousand_are_not_counted(tmp_path: Path) -> None:
    made = [page(f"http://s{n}.org/", "", "big fish swim") for n in range(1_100)]
    searcher = searcher_over(tmp_path, [*made, page("http://home.org/", "Welcome", "Pictures of my cat.")])
    free, few = searcher.search("big fish swim far"), searcher.search("big fish swim site:s7.org")
    assert (free.total, free.is_least) == (1_000, True)
    assert (few.total, few.is_least) == (1, False)


def test_many_sites_are_heard_and_the_first_but_little() -> None:
    from gossamer.search.query_builder import _STEPS

    assert _STEPS[0] < 0.25 < 0.9 < _STEPS[1]
    assert all(step > 0 for step in _STEPS)


def test_what_a_fit_of_the_weights_adds_up_is_what_a_search_finds(tmp_path: Path) -> None:
    titles = ["Fish that swim", "Tropical fish", "Ponds"]
    made = [
        page(f"http://s{n}.org/fish", titles[n % 3], f"fish {'that swim ' * (n % 4)} tropical {n}") for n in range(9)
    ]
    searcher = searcher_over(tmp_path, made, shards=2, ranks={made[4].url: 3.0})
    urls, base, signs = Signs(searcher).of("fish that swim")
    added = dict(zip(urls, base + signs @ present(), strict=True))
    found = dict(searcher.ranking("fish that swim", 9))
    first = {url: score for url, score in added.items() if score > 0}
    assert len(first) == 7, "two lack a word, and stand in a later window"
    assert first == pytest.approx({url: found[url] for url in first})


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9), st.integers(0, 2)), max_size=40))
def test_the_third_answer_of_a_site_is_held_back_and_all_others_stand_in_their_order(
    some: list[tuple[int, int, int]],
) -> None:
    sites, scores, windows = np.array(some, np.int64).reshape(-1, 3).T
    pages, nothing = np.arange(len(some), dtype=np.uint64), np.zeros(len(some))
    places = [(0, number) for number in range(len(some))]
    found = Candidates(places, pages, sites.astype(np.uint64), sites, scores.astype(float), windows)
    weighed = Weighed(found, nothing, nothing)
    order = sorted(range(len(some)), key=lambda place: (some[place][2], -some[place][1], place))
    assert weighed.order() == order
    met: Counter[int] = Counter()
    worth = {}
    for place in order:
        site, score, _ = some[place]
        met[site] += 1
        worth[place] = score * (HELD_BACK if met[site] > PER_SITE else 1.0)
    assert weighed.spread() == sorted(order, key=lambda place: (some[place][2], -worth[place]))


def rarities(**worth: float) -> Callable[[str], float]:
    return lambda term: worth.get(term, 1.0)


def test_an_answer_leans_on_those_like_it() -> None:
    answers = [["red", "fish", "swim"], ["red", "fish", "float"], ["red", "bird", "sings"]]
    found = regularized(np.array([9.0, 6.0, 3.0]), answers, rarities(), 0.8)
    half = sqrt(1 / 2) ** 2  # of what two of them have, the bird has one of two words
    assert found[0] == pytest.approx((9 + 0.8 * 6 + 0.8 * half * 3) / (1 + 0.8 + 0.8 * half))
    assert found[2] == pytest.approx((3 + 0.8 * half * (9 + 6)) / (1 + 2 * 0.8 * half))


def test_rare_words_make_alike() -> None:
    answers, scores = [["fish", "the"], ["fish"], ["the"]], np.array([0.0, 8.0, 4.0])
    assert regularized(scores, answers, rarities(fish=9.0), 1.0)[0] == pytest.approx(4, rel=0.02)
    assert regularized(scores, answers, rarities(the=9.0), 1.0)[0] == pytest.approx(2, rel=0.02)


def test_an_answer_like_no_other_is_worth_what_it_was() -> None:
    answers = [["red", "fish"], ["red", "fish"], ["cat"], []]
    assert regularized(np.array([9.0, 5.0, 4.0, 3.0]), answers, rarities(), 1.0) == pytest.approx([7, 7, 4, 3])
    assert regularized(np.array([2.0]), [["fish"]], rarities(), 1.0).tolist() == [2.0]
    assert regularized(np.array([]), [], rarities(), 1.0).tolist() == []


def test_an_answer_leans_on_the_nearest_alone() -> None:
    alike = [["red", "fish", *(f"same{n}" for n in range(40))] for _ in range(NEAREST + 1)]
    scores = np.array([5.0] * len(alike) + [1.0])
    assert regularized(scores, [*alike, ["red"]], rarities(), 1.0)[0] == pytest.approx(5.0)


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=12), max_size=20), st.floats(0, 1), st.integers(0, 99))
def test_no_answer_leaves_the_range_of_scores(answers: list[list[str]], weight: float, seed: int) -> None:
    scores = np.random.default_rng(seed).uniform(1, 20, len(answers))
    found = regularized(scores, answers, rarities(), weight)
    assert found.shape == scores.shape
    for score in found:
        assert scores.min() - 1e-9 <= score <= scores.max() + 1e-9


@given(st.lists(st.sampled_from("abcdef"), max_size=9), st.lists(st.sampled_from("abcdef"), max_size=9))
def test_of_two_answers_the_better_stays_the_better(one: list[str], other: list[str]) -> None:
    found = regularized(np.array([9.0, 6.0]), [one, other], rarities(a=3.0), 1.0)
    assert found[0] >= found[1] - 1e-9


FISH = "How do small river fish find food below winter ice?"


def shoal() -> list[Entry]:
    """Good answers that are like each other, poor ones that are like each other, and of each kind one that has as much
    of the question as the other."""
    fish = "winter ice over the river, small fish find food below, larvae and algae on stones feed trout and perch"
    hotel = "hotel by the river in winter: skating on the lake, rooms and a bar near the church, breakfast on request"
    said = {f"fish{n}": f"{fish} {'number ' * n}" for n in range(8)} | {f"hotel{n}": f"{hotel} {n}" for n in range(8)}
    said["alike"] = "small winter larvae by the river: ice and algae below the stones, food for trout, find a perch"
    said["alone"] = "small winter skating by the river: ice and rooms below the church, food in the hotel, find a bar"
    said |= {f"fill{n}": f"nothing of that kind, only {n} sheep" for n in range(60)}
    return [page(f"http://{name}.org/", "", body) for name, body in said.items()]


def test_of_equal_answers_to_a_description_that_like_the_best_is_first(tmp_path: Path) -> None:
    ways = [Weights(cluster=share, expansion=0) for share in (0, 1)]
    plain, leaning = (
        dict(searcher_over(tmp_path / str(number), shoal(), 2, way).ranking(FISH, 20))
        for number, way in enumerate(ways)
    )
    assert plain["http://alone.org/"] == pytest.approx(plain["http://alike.org/"], rel=0.02)
    assert leaning["http://alike.org/"] > 1.05 * leaning["http://alone.org/"]
    assert leaning.keys() == plain.keys()


def test_who_names_a_page_in_two_words_gets_it_as_it_is(tmp_path: Path) -> None:
    searchers = [searcher_over(tmp_path / str(share), shoal(), 1, Weights(cluster=share)) for share in (0, 1)]
    assert searchers[0].ranking("river fish", 20) == searchers[1].ranking("river fish", 20)


def test_long_texts_make_nothing_alike(tmp_path: Path) -> None:
    made = [*shoal(), page("http://book.org/", "", f"{FISH} " + "and so on " * 400)]
    read: list[str] = []
    searcher_over(tmp_path, made, read=read).ranking(FISH, 20)
    assert "http://book.org/" not in read
    assert "http://alike.org/" in read
