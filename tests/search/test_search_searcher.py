"""Questions and answers over a few made pages."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gossamer.errors import InvalidQuery
from gossamer.index.anchor_index import AnchorIndex
from gossamer.index.entry import Entry
from gossamer.index.shard_index import ShardIndex
from gossamer.search.bm25f_weights import Weights
from gossamer.search.query import parse
from gossamer.search.retrieval import SearchContext
from gossamer.search.searcher import Searcher
from gossamer.urls import keys, site

NOW = datetime(2026, 11, 15, tzinfo=UTC).timestamp()


def day(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def page(url: str, title: str, body: str, language: str = "en", **more: Any) -> Entry:
    return Entry(url, title, body=body, language=language, site=site(url), **more)


PAGES = [
    page(
        "http://db.org/fk",
        "Foreign keys",
        "A foreign key refers to a row. On delete cascade removes rows.",
        date=day("2026-01-05"),
    ),
    page(
        "http://db.org/index",
        "Indexes",
        "An index makes queries fast. Deleting an index is cheap.",
        date=day("2025-06-01"),
    ),
    page("http://git.org/rebase", "git rebase", "Rebase interactive: reorder commits with git rebase."),
    page("http://git.org/docs/merge", "git merge", "Merge joins two histories."),
    page("http://home.org/", "Welcome", "Pictures of my cat."),
    page("http://koenig.de/haus", "Häuser", "Viele Häuser stehen am Fluss.", "de"),
    page("http://paper.org/x.pdf", "Report", "Annual report about fish.", media_type="application/pdf"),
    page("http://tokyo.jp/", "東京", "東京タワーは高いです。", "ja"),
]

Ask = Callable[..., list[str]]


def searcher_over(
    folder: Path,
    pages: Sequence[Entry],
    shards: int = 1,
    weights: Weights | None = None,
    ranks: dict[str, float] | None = None,
    read: list[str] | None = None,
) -> Searcher:
    """`read` gets the addresses of pages whose texts are read."""
    indexes = [ShardIndex(folder / str(number)) for number in range(shards)]
    for entry in pages:
        indexes[keys.shard(entry.site, shards)].add(entry)
    for shard_index in indexes:
        shard_index.commit(len(pages))
        shard_index.close()
    texts = {entry.url: entry.body for entry in pages}
    by_print = {keys.fingerprint(url): rank for url, rank in (ranks or {}).items()}
    linking = {"http://git.org/rebase": [keys.fingerprint("http://db.org/fk")]}
    anchor_index = AnchorIndex(folder / "voices")
    anchor_index.write([(keys.fingerprint("http://home.org/"), "Tropical fish society\nSociety for fish")], "en")

    def text(url: str) -> str:
        if read is not None:
            read.append(url)
        return texts[url]

    outside = SearchContext(
        lambda pages: [text(shown.url) for _, shown in pages],
        lambda prints: [by_print.get(each, 1.0) for each in prints],
        lambda url: linking.get(url, ()),
        NOW,
        anchor_index,
    )
    return Searcher(indexes, outside, weights)


@pytest.fixture(params=[1, 3], ids=["one shard", "three shards"])
def ask(request: pytest.FixtureRequest, tmp_path: Path) -> Ask:
    searcher = searcher_over(tmp_path, PAGES, request.param)

    def asked(text: str) -> list[str]:
        return [hit.url for hit in searcher.search(text).hits]

    return asked


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("foreign key on delete cascade", "http://db.org/fk"),
        ("git rebase interactive", "http://git.org/rebase"),
        ("deleted index", "http://db.org/index"),
        ("Haus", "http://koenig.de/haus"),
        ("tropical fish society", "http://home.org/"),
        ("東京タワー", "http://tokyo.jp/"),
        ("paper.org", "http://paper.org/x.pdf"),
    ],
)
def test_the_page_that_is_meant_comes_first(ask: Ask, question: str, first: str) -> None:
    assert ask(question)[0] == first


@pytest.mark.parametrize("shards", [1, 3])
def test_facets_count_pages_that_are_found_by_what_others_call_them(tmp_path: Path, shards: int) -> None:
    answer = searcher_over(tmp_path, PAGES, shards).search("fish", facets=True)
    assert answer.facets
    assert answer.total == 2
    assert answer.facets["site"] == {"home.org": 1, "paper.org": 1}


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("site:git.org git", {"http://git.org/rebase", "http://git.org/docs/merge"}),
        ("site:git.org/docs", {"http://git.org/docs/merge"}),
        ("fish type:pdf", {"http://paper.org/x.pdf"}),
        ("fish -type:pdf", {"http://home.org/"}),
        ("tropical fish site:db.org", set()),
        ("tropical society -cat", set()),
        ("lang:de OR lang:ja", {"http://koenig.de/haus", "http://tokyo.jp/"}),
        ("title:git", {"http://git.org/rebase", "http://git.org/docs/merge"}),
        ('"delete cascade"', {"http://db.org/fk"}),
        ('"cascade delete"', set()),
        ("rebase OR merge", {"http://git.org/rebase", "http://git.org/docs/merge"}),
        ("git -rebase", {"http://git.org/docs/merge"}),
        ("after:2026 key", {"http://db.org/fk"}),
        ("site:db.org before:2026", {"http://db.org/index"}),
        ("link:http://git.org/rebase", {"http://db.org/fk"}),
        ("link:http://nobody.org/", set()),
        ("xyzzy", set()),
    ],
)
def test_a_question_finds_what_it_asks_for_and_nothing_else(ask: Ask, question: str, found: set[str]) -> None:
    assert set(ask(question)) == found


def test_a_question_whose_words_no_page_has_all_of_is_answered_by_those_that_have_some(ask: Ask) -> None:
    assert "http://git.org/docs/merge" in ask("merge xyzzy")


def test_shards_answer_as_one_index_does(tmp_path: Path) -> None:
    random = Random(4)
    words = [f"word{number}" for number in range(60)]
    pages = [
        page(f"http://s{n % 40}.org/{n}", "", " ".join(random.choices(words, range(60), k=40))) for n in range(300)
    ]
    one = searcher_over(tmp_path / "one", pages)
    three = searcher_over(tmp_path / "three", pages, 3)
    for _ in range(10):
        question = " ".join(random.sample(words, 2))
        first = [url for url, _ in one.ranking(question, 10)]
        assert len(set(first) & {url for url, _ in three.ranking(question, 10)}) >= 8


def test_links_decide_between_equals(tmp_path: Path) -> None:
    pages = [page(f"http://s{n}.org/", "", "the same words") for n in range(5)]
    searcher = searcher_over(tmp_path, pages, ranks={"http://s3.org/": 40.0})
    assert searcher.search("same words").hits[0].url == "http://s3.org/"
    calm = searcher_over(tmp_path / "calm", pages, weights=Weights(rank=0), ranks={"http://s3.org/": 40.0})
    without = searcher_over(tmp_path / "without", pages)
    assert calm.search("same words").hits[0].url == without.search("same words").hits[0].url


def test_one_site_does_not_fill_the_first_page_among_near_equals(tmp_path: Path) -> None:
    loud = [page(f"http://loud.org/{n}", "", "fish swim") for n in range(8)]
    quiet = [page(f"http://q{n}.org/", "", "fish swim too") for n in range(3)]
    found = [hit.site for hit in searcher_over(tmp_path, loud + quiet).search("fish").hits]
    assert found[:5] == ["loud.org", "loud.org", "q0.org", "q1.org", "q2.org"]
    assert found[5:] == ["loud.org"] * 5


def test_good_answers_of_one_site_come_before_poor_ones_of_others(tmp_path: Path) -> None:
    good = [page(f"http://good.org/{n}", "Tropical fish", "tropical fish in warm seas") for n in range(5)]
    poor = [page(f"http://p{n}.org/", "", f"fish {'and much else that is said here ' * 30}") for n in range(5)]
    found = [hit.site for hit in searcher_over(tmp_path, good + poor).search("tropical fish seas").hits]
    assert found[:5] == ["good.org"] * 5


def test_pages_of_answers_follow_each_other(tmp_path: Path) -> None:
    searcher = searcher_over(tmp_path, [page(f"http://s{n}.org/", "", "fish") for n in range(25)])
    seen = [hit.url for offset in (0, 10, 20) for hit in searcher.search("fish", 10, offset).hits]
    assert len(seen) == len(set(seen)) == searcher.search("fish").total == 25


def test_as_many_are_explained_as_are_asked_for(tmp_path: Path) -> None:
    pages = [page(f"http://s{n}.org/", "", f"fish number {n}") for n in range(70)]
    explained = searcher_over(tmp_path, pages).explained("fish", 65)
    assert len(explained) == 65
    for hit, signs in explained:
        assert sum(signs.values()) == pytest.approx(hit.score, abs=1e-3)


def test_what_others_call_a_page_is_told_also_where_a_word_is_lacking(tmp_path: Path) -> None:
    found = {hit.url: signs for hit, signs in searcher_over(tmp_path, PAGES).explained("tropical fish xyzzy", 5)}
    assert found["http://home.org/"]["anchors"] > 0


def test_a_wrong_letter_is_noticed(tmp_path: Path) -> None:
    searcher = searcher_over(tmp_path, PAGES)
    assert searcher.search("forein keys").suggestion == "foreign keys"
    assert searcher.search("Forein KEYS").suggestion == "Foreign KEYS"
    assert searcher.search("foreign keys").suggestion is None


def test_a_hit_shows_the_words_that_were_asked_for(tmp_path: Path) -> None:
    hit = searcher_over(tmp_path, PAGES).search("cascading deletes").hits[0]
    assert {hit.snippet[start:end].lower() for start, end in hit.marks} == {"cascade", "delete"}


def test_the_words_of_the_question_are_marked_in_the_title(tmp_path: Path) -> None:
    hit = searcher_over(tmp_path, PAGES).search("key").hits[0]
    assert hit.title_html == "Foreign <mark>keys</mark>"


@pytest.mark.parametrize("question", ['"delete cascade"', "cascade OR xyzzy", "title:foreign delete"])
def test_words_of_phrases_and_alternatives_are_marked_too(tmp_path: Path, question: str) -> None:
    hit = searcher_over(tmp_path, PAGES).search(question).hits[0]
    marked = {hit.snippet[start:end].lower() for start, end in hit.marks}
    assert marked
    assert marked <= {"delete", "cascade", "foreign"}


@pytest.mark.parametrize("shards", [1, 3])
def test_pages_that_lack_one_of_two_words_are_answers_only_when_few_have_both(tmp_path: Path, shards: int) -> None:
    def made(count: int) -> list[Entry]:
        whole = [page(f"http://a{n}.org/", "", "round apple pie") for n in range(count)]
        return whole + [page(f"http://b{n}.org/", "", "a round table " * 3) for n in range(20)]

    few = searcher_over(tmp_path / "few", made(3), shards).search("round apple", 30)
    assert few.total == len(few.hits) == 23
    assert {hit.url for hit in few.hits[:3]} == {f"http://a{n}.org/" for n in range(3)}
    many = searcher_over(tmp_path / "many", made(10), shards)
    assert {hit.url for hit in many.search("round apple", 30).hits} == {f"http://a{n}.org/" for n in range(10)}
    assert many.search("round apple").total == 10


@pytest.mark.parametrize("shards", [1, 3])
def test_of_three_words_any_is_enough_and_more_are_better(tmp_path: Path, shards: int) -> None:
    whole = [page(f"http://a{n}.org/", "", "red round apple pie") for n in range(10)]
    some = [page(f"http://b{n}.org/", "", "red round table") for n in range(20)]
    searcher = searcher_over(tmp_path, whole + some, shards)
    found = searcher.search("red round apple", 30)
    assert found.total == 30
    assert {hit.url for hit in found.hits[:10]} == {entry.url for entry in whole}
    assert searcher.search("apple xyzzy quux plugh").total == 10


@pytest.mark.parametrize("question", ["foreign keys", '"foreign keys"', "fk", "db fk", "+foreign row"])
def test_a_page_is_found_by_words_of_title_address_and_content_together(tmp_path: Path, question: str) -> None:
    assert searcher_over(tmp_path, PAGES).search(question).hits[0].url == "http://db.org/fk"


def test_a_phrase_does_not_reach_from_the_content_into_the_title(tmp_path: Path) -> None:
    assert searcher_over(tmp_path, PAGES).search('"rows foreign"').total == 0


def test_a_long_pasted_question_that_repeats_itself_is_answered(ask: Ask) -> None:
    question = "please tell me how on delete cascade works with a foreign key and a foreign key again " * 8
    assert ask(question)[0] == "http://db.org/fk"


def test_an_empty_index_has_no_answer(tmp_path: Path) -> None:
    assert searcher_over(tmp_path, []).search("anything at all").hits == []


ODD = ["fish", '"', "-", "OR", "site:", "title:", "before:2026", "lang:", "東京", "\x00", "a" * 300, "*", "(", "link:x"]
ODD += [
    "'",
    "+",
    "~2",
    "^3",
    "[a TO b]",
    "\ud7ff",
    "NOT",
    "AND",
    "type:pdf",
    " ",
    "\\",
    "after:x",
    ":",
    "//",
    "-site:a",
    ")",
    "-(",
    "fi*",
    "title:ca*",
    "intitle:",
    "inurl:org",
    "filetype:pdff",
    "title:(",
    "“",
    "»",
    "--x",
    "-x=y",
    "-l",
    "link:home.org",
    "site:gone.org",
]


def fuzzed(searcher: Searcher, questions: int, seed: int) -> float:
    """Ask anything; seconds that the slowest answer took."""
    random, slowest = Random(seed), 0.0
    for _ in range(questions):
        parts = random.choices(ODD, k=random.choice((1, 3, 12, 100)))
        if random.random() < 0.3:
            parts.append("".join(map(chr, random.choices(range(1, 0xD7FF), k=random.randrange(40)))))
        question = "".join(part + random.choice(["", " "]) for part in parts)
        began = time.perf_counter()
        with suppress(InvalidQuery):
            sort = random.choice(("relevance", "relevance", "date", "-date"))
            assert len(searcher.search(question, sort=sort, facets=random.random() < 0.1).hits) <= 10
        slowest = max(slowest, time.perf_counter() - began)
    return slowest


def test_any_question_is_answered_or_refused(tmp_path: Path) -> None:
    fuzzed(searcher_over(tmp_path, PAGES, 2), 300, seed=11)


@pytest.mark.soak
def test_ten_thousand_odd_questions_are_answered_within_a_second_each(tmp_path: Path) -> None:
    random = Random(3)
    words = [f"word{number}" for number in range(500)]
    made = [page(f"http://s{n % 40}.org/{n}", "fish", " ".join(random.choices(words, k=300))) for n in range(3_000)]
    assert fuzzed(searcher_over(tmp_path, PAGES + made, 2), 10_000, seed=12) < 1.0


def test_a_question_with_too_many_phrases_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidQuery, match="at most 50"):
        searcher_over(tmp_path, PAGES).search(" ".join(f'"a b{number}"' for number in range(51)))


def test_values_of_several_words_in_fields_count_as_phrases() -> None:
    whole = [f"code:a{number}" for number in range(51)]
    assert len(parse(" ".join(whole), own={"code"}).clauses) == 51
    with pytest.raises(InvalidQuery, match="at most 50"):
        parse(" ".join(f"{each}-b" for each in whole), own={"code"})
