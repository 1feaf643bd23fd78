"""The query language over a few made pages: what each part of it finds, and what is said where it finds nothing."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from test_search_searcher import day, page, searcher_over

from gossamer.errors import InvalidQuery, UsageError
from gossamer.index.entry import Entry
from gossamer.search.answer import Answer
from gossamer.search.hints import slips
from gossamer.search.prefixes import PREFIXES_MOST, TERMS_MOST
from gossamer.search.query import parse
from gossamer.search.searcher import Searcher

PAGES = [
    page(
        "http://git.org/docs/pull", "Pulling", "Use git pull --rebase to avoid merge commits.", date=day("2026-03-01")
    ),
    page("http://git.org/docs/log", "Logs", "The log lists commits.", date=day("2024-05-01")),
    page("http://sea.org/reef", "Reefs", "A coral reef has fish of many colours.", date=day("2026-07-01")),
    page("http://sea.org/ship", "Ships", "A ship carries corn and copper.", date=day("2025-02-01")),
    page("http://oracle.org/", "Oracle", "The oracle of Delphi spoke of a ship.", media_type="text/html"),
    page("http://haus.de/a", "Korallen", "Viele Fische leben im Meer.", "de", date=day("2026-01-01")),
    page("http://haus.de/b.pdf", "Schiffe", "Ein Schiff.", "de", media_type="application/pdf"),
]
NAMES = {entry.url: entry.url.rpartition("/")[2] or "oracle" for entry in PAGES}


@pytest.fixture(scope="module", params=[1, 3], ids=["one shard", "three shards"])
def searcher(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    return searcher_over(tmp_path_factory.mktemp("made"), PAGES, request.param)


def found(answer: Answer) -> set[str]:
    return {NAMES[hit.url] for hit in answer}


@pytest.mark.parametrize(
    ("question", "pages"),
    [
        ("ship AND oracle", {"oracle"}),
        ("ship NOT oracle", {"ship"}),
        ("ship -oracle", {"ship"}),
        ("(coral AND fish) OR (git AND pull)", {"reef", "pull"}),
        ("coral AND git OR corn", {"ship"}),
        ("site:sea.org (coral OR oracle)", {"reef"}),
        ("commits -(rebase OR reef)", {"log"}),
        ("site:git.org OR NOT (lang:en OR type:pdf)", {"pull", "log", "a"}),
        ("site:git.org -(commits rebase)", {"log"}),
        ("“coral reef”", {"reef"}),
        ("intitle:ships", {"ship"}),
        ("title:(ships OR logs)", {"ship", "log"}),
        ("inurl:docs", {"pull", "log"}),
        ("inurl:docs/log", {"log"}),
        ("filetype:pdf", {"b.pdf"}),
        ("cor*", {"reef", "ship"}),
        ("intitle:re*", {"reef"}),
        ("inurl:pu*", {"pull"}),
        ("site:git.org -reb*", {"log"}),
        ("carrying*", {"ship"}),
        ("xyz*", set()),
        ("site:*.sea.org ship", {"ship"}),
    ],
)
def test_each_part_of_the_language_finds_what_it_says(searcher: Searcher, question: str, pages: set[str]) -> None:
    answer = searcher.search(question)
    assert found(answer) == pages
    assert answer.total == len(pages)


def test_an_option_of_a_command_does_not_leave_its_page_out(searcher: Searcher) -> None:
    assert NAMES[searcher.search("git pull --rebase").hits[0].url] == "pull"


@pytest.mark.parametrize("address", ["git.org/rebase", "http://git.org/rebase", "HTTP://GIT.ORG:80/rebase"])
def test_a_link_needs_no_scheme(tmp_path: Path, address: str) -> None:
    pages = [page("http://db.org/fk", "Keys", "Words."), page("http://other.org/", "Other", "Words.")]
    assert [hit.url for hit in searcher_over(tmp_path, pages).search(f"link:{address}")] == ["http://db.org/fk"]


def test_the_words_that_a_prefix_stands_for_are_marked(searcher: Searcher) -> None:
    (hit,) = searcher.search("cop*")
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["copper"]


def test_a_prefix_of_many_words_is_cut_and_says_so(tmp_path: Path) -> None:
    words = [f"many{number:03}" for number in range(2 * TERMS_MOST)]
    pages = [page(f"http://a.org/{word}", "", word) for word in words] + [page("http://a.org/", "", words[70])] * 3
    answer = searcher_over(tmp_path, pages).search("man*")
    assert answer.total >= TERMS_MOST
    assert any(hint.startswith("man*: many words begin so") for hint in answer.hints)


def test_a_question_has_few_prefixes_and_the_others_are_words(searcher: Searcher) -> None:
    others = " OR ".join(f"x{n:02}*" for n in range(PREFIXES_MOST - 1))
    assert found(searcher.search(f"{others} OR cor*")) == {"reef", "ship"}
    assert found(searcher.search(f"{others} OR xy* OR cor*")) == set()
    assert found(searcher.search(f"{others} OR xy* OR coral*")) == {"reef"}


@pytest.mark.parametrize(
    ("question", "hint"),
    [
        ("ship type:pdff", "type:pdff: no page is of that type; did you mean type:pdf?"),
        ("ship -type:htlm", "type:htlm: no page is of that type; did you mean type:html?"),
        ("ship filetype:xyzzy", "there are"),
        ("lang:german", "lang:german: no page is in that language; did you mean lang:de?"),
        ("lang:en-us", "did you mean lang:en?"),
        ("lang:xx", "there are en, de"),
        ("site:sae.org", "site:sae.org: no page is there; did you mean site:sea.org?"),
        ("site:sea.org:81", "site:sea.org:81: no page is there; a site is a host on all its ports; write site:sea.org"),
        ("site:www.sea.org", "did you mean site:sea.org?"),
        ("site:oracle", "did you mean site:oracle.org?"),
        ("site:sea.org/nowhere", "site:sea.org has 2"),
        ("link:http://[x", "link:http://[x: that is no address"),
        ("c* ship", "c*: two letters before the star are needed"),
        (
            "ship host:sea.org",
            "host:sea.org: host: is no filter, and was looked for as words; did you mean site:sea.org?",
        ),
        ("ship sitee:sea.org", "sitee: is no filter, and was looked for as words; did you mean site:sea.org?"),
        ("nam:x", "nam:x: nam: is no filter, and was looked for as words; `gossamer help search` names the filters"),
        ("title: ship", "title: has nothing right behind it, and was looked for as a word; write title:word"),
        ('ship "coral reef', "a quotation mark is not closed"),
        ('coral reef"', "a quotation mark stands alone and was left out"),
        ("(ship OR reef", "a parenthesis is not closed"),
        ("ship tpye:pdf", "did you mean type:pdf?"),
        ("ship OR", "OR has nothing on one side and was left out"),
        ("(ship OR) coral", "OR has nothing on one side"),
        ("AND ship", "AND has nothing on one side"),
        ("xyzzy -ship", '-ship leaves out pages with ship; write "-ship" to look for it'),
    ],
)
def test_what_no_page_meets_gets_a_hint(searcher: Searcher, question: str, hint: str) -> None:
    assert any(hint in said for said in searcher.search(question).hints), searcher.search(question).hints


@pytest.mark.parametrize(
    "question",
    [
        "ship",
        "site:sea.org",
        "type:pdf lang:de",
        "-type:pdf ship",
        "ship -oracle",
        "ship OR NOT coral",
        '"OR" ship',
        'ship 5"',
        "host: ship",
        "ship size:10",
        'ship 5" "coral reef"',
    ],
)
def test_a_question_that_is_in_order_gets_no_hint(searcher: Searcher, question: str) -> None:
    assert searcher.search(question).hints == ()


def test_a_field_of_a_page_function_that_is_misspelt_is_named() -> None:
    fields = frozenset({"price", "name"})
    assert list(slips(parse("nam:x", own=fields), 3, fields)) == [
        "nam:x: nam: is no filter, and was looked for as words; did you mean name:x?"
    ]
    assert list(slips(parse("fields.price:20", own=fields), 3, fields)) == [
        "fields.price:20: fields.price: is no filter, and was looked for as words; did you mean price:20?"
    ]
    for question in ("price<20", "fields.price>=20"):
        [said] = slips(parse(question, own=fields), 3, fields)
        assert "was looked for as words; fields are found by their words, there are no ranges" in said
    assert not list(slips(parse("weight<20 a<b", own=fields), 3, fields))
    [said] = slips(parse("colour:x", own=fields), 0, fields)
    assert said.endswith("names the filters, and the fields of page functions here: name, price")
    assert not list(slips(parse("colour:x 12:30 std::x"), 1, fields))
    for question in ("price:>20", "price:<=20", "price:20..40"):
        [said] = slips(parse(question, own={"price"}), 0, {"price"})
        assert "there are no ranges; `gossamer export DIR jsonl --fields url,fields.price`" in said
        assert not list(slips(parse(question, own={"price"}), 1, {"price"}))


# ------------------------------------------------------------------- order, facets


def test_the_newest_come_first_when_asked_for(searcher: Searcher) -> None:
    def asked(sort: str) -> list[str]:
        return [NAMES[hit.url] for hit in searcher.search("commits OR reef OR ship", sort=sort)]

    assert asked("date") == ["reef", "pull", "ship", "log", "oracle"]
    assert asked("-date") == ["oracle", "log", "ship", "pull", "reef"]
    assert len(searcher.search("commits OR reef", 1, 1, sort="date")) == 1


def test_a_page_by_date_has_the_words_of_the_question(searcher: Searcher) -> None:
    assert found(searcher.search("coral reef", sort="date")) == {"reef"}
    assert found(searcher.search("coral xyzzy", sort="date")) == {"reef"}  # where no page has them all


def test_a_long_question_by_date_has_its_best_answers_only(tmp_path: Path) -> None:
    pages = [page(f"http://s{n}.org/", "", f"one two three word{n}", date=day("2026-01-01") + n) for n in range(110)]
    others = [page(f"http://o{n}.org/", "", "something else") for n in range(200)]
    answer = searcher_over(tmp_path, pages + others).search("one two three four five six seven", 200, sort="date")
    assert len(answer) == answer.total == 100
    assert [hit.date for hit in answer] == sorted((hit.date for hit in answer), reverse=True)


def test_an_order_that_is_none_is_refused_with_those_that_are(searcher: Searcher) -> None:
    with pytest.raises(UsageError, match="sort by relevance, date, -date"):
        searcher.search("ship", sort="size")


def test_facets_count_all_that_matches_and_only_where_they_are_asked_for(tmp_path: Path) -> None:
    many = [
        page(f"http://many.org/{n}", "", "whale", date=day("2025-05-05"), media_type="text/html") for n in range(60)
    ]
    few = [
        page(f"http://few.de/{n}", "", "whale", "de", date=day("2026-05-05"), media_type="application/pdf")
        for n in range(5)
    ]
    other = [page("http://other.org/", "", "tuna", "fr")]
    made = searcher_over(tmp_path, [*many, *few, *other], 2)
    assert made.search("whale").facets is None
    assert made.search("whale", 5, facets=True).facets == {
        "site": {"many.org": 60, "few.de": 5},
        "type": {"html": 60, "pdf": 5},
        "language": {"en": 60, "de": 5},
        "year": {"2026": 5, "2025": 60},
    }


def test_facets_agree_with_the_number_of_pages(searcher: Searcher) -> None:
    for question in ("ship", "commits OR reef", "site:sea.org", "lang:de -type:pdf", "co*"):
        answer = searcher.search(question, facets=True)
        assert answer.facets
        assert sum(answer.facets["site"].values()) == answer.total


def test_a_site_that_stands_back_is_named(tmp_path: Path) -> None:
    loud = [page(f"http://loud.org/{n}", "", "fish fish fish") for n in range(8)]
    quiet = [page(f"http://q{n}.org/", "", "fish fish and more") for n in range(8)]
    made = searcher_over(tmp_path, loud + quiet)
    answer = made.search("fish", 8)
    assert answer.more_from == ("loud.org",)
    assert made.search("site:loud.org fish", 8).more_from == ()


def test_a_hit_says_what_kind_of_document_it_is_and_when_it_came(tmp_path: Path) -> None:
    about = Entry("http://a.org/", "A", body="fish", size=1234, published=5.0, fetched=9.0, media_type="text/html")
    (hit,) = searcher_over(tmp_path, [about]).search("fish")
    assert (hit.media_type, hit.size, hit.published, hit.fetched) == ("text/html", 1234, 5.0, 9.0)


@pytest.mark.parametrize(
    "part", ["(", "co*", "co* OR ", "(co* ", '"', "“a” ", "-(", "site:x ", "title:(", "NOT ", "(a OR ", "link:x "]
)
def test_a_hostile_question_of_ten_thousand_characters_is_answered_or_refused(searcher: Searcher, part: str) -> None:
    question = f"ship {part * 10_000}"[:10_000]
    with suppress(InvalidQuery):
        assert len(searcher.search(question, facets=True).hints) <= 5
