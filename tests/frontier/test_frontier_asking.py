"""What is asked with a form, when it ends, and how much of what is behind it was reached."""

from __future__ import annotations

from typing import Any

import pytest

from gossamer.convert.html.forms import forms
from gossamer.frontier.forms.asking import Asking, words_of
from gossamer.frontier.forms.form_rows import Arm, FormRow, FormSums, Question, mark_of, sums_of_one

ACTION, PAGE = "https://db.test/find?old=1", "https://db.test/"
CITY, YEAR = ("city", "all", ("rome", "oslo")), ("year", "", ("1999",))


def row(**more: Any) -> FormRow:
    fixed = (("q", ""), ("city", "all"), ("go", "1"))
    return FormRow(ACTION, PAGE, 0, more.pop("encoding", "UTF-8"), fixed, **{"text": ("q",), **more})


def asked(*records: int) -> dict[str, Question]:
    return {f"q={number}": Question("words", each) for number, each in enumerate(records)}


# ------------------------------------------------------------------------ addresses


@pytest.mark.parametrize(
    ("encoding", "values", "query"),
    [
        ("UTF-8", (), "q=&city=all&go=1"),
        ("utf-8", (("q", "a b"), ("city", "rome")), "q=a+b&city=rome&go=1"),
        ("UTF-8", (("year", "1999"), ("q", "\u00e9")), "q=%C3%A9&city=all&go=1&year=1999"),
        ("windows-1252", (("q", "\u00e9\u4e2d"),), "q=%E9%26%2320013%3B&city=all&go=1"),
        ("x-nothing", (("q", "a"),), None),
    ],
)
def test_a_form_leads_to_an_address_in_the_encoding_of_its_page(
    encoding: str, values: tuple[tuple[str, str], ...], query: str | None
) -> None:
    assert row(encoding=encoding).address(values) == (query and f"https://db.test/find?{query}")


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://db.test/find?q=a+b&city=all&go=1", "q=a+b"),
        ("https://db.test/find?q=&city=all&go=1", ""),
        ("https://db.test/find?year=1999&city=rome&q=", "city=rome&year=1999"),
        ("https://db.test/find?go=1&page=2", None),
        ("https://db.test/other?q=a", None),
    ],
)
def test_an_answer_is_known_by_what_was_filled_in(url: str, key: str | None) -> None:
    assert row(choices=(CITY, YEAR)).key(url) == key


def test_a_form_is_the_same_on_every_page_and_with_every_query() -> None:
    fields = "<input name=q><select name=o><option>a</select>", "<select name=o><option>b</select><input name=q>"
    marks = [
        mark_of(form)
        for action in ("/find?a", "/find?b")
        for each in fields
        for form in forms(f"<form action={action}>{each}</form>".encode(), PAGE)
    ]
    assert len(marks) == 4
    assert len({*marks, *map(mark_of, forms(b"<form action=/find><input name=p></form>", PAGE))}) == 2


# ------------------------------------------------------------------------ estimates


@pytest.mark.parametrize(
    ("records", "most"),
    [
        ((10, 10), 10),
        ((9, 9), None),
        ((10,), None),
        ((12, 10, 10), None),
        ((20, 5, 20), 20),
        ((0, 0), None),
        ((), None),
    ],
)
def test_what_a_site_shows_at_most_has_come_twice(records: tuple[int, ...], most: int | None) -> None:
    assert row(questions=asked(*records)).shown_most() == most


@pytest.mark.parametrize(
    ("more", "all_"),
    [
        ({"once": 10, "twice": 4}, 39),
        ({"once": 1, "twice": 0}, 30),
        ({"once": 0}, 30),
        ({"once": 10, "arms": {"choice city": Arm(whole=True)}}, 30),
        ({"once": 10, "twice": 4, "arms": {"words": Arm(whole=True)}}, 39),
        ({"once": 10, "twice": 4, "arms": {"choice city": Arm(whole=True)}, "questions": asked(10, 10)}, 39),
    ],
)
def test_what_there_is_is_estimated_from_what_came_once_and_twice(more: dict[str, Any], all_: int) -> None:
    form = row(records=30, **more)
    assert form.estimate() == all_
    assert form.covered() == 30 / all_
    assert sums_of_one(form) == FormSums(1, 0, 1, 0, 30, all_)


def test_a_form_says_how_it_goes() -> None:
    assert str(row(refused="it sends files")) == f"{ACTION}: not sent, it sends files"
    assert str(row(requests=2)) == f"{ACTION}: 2 requests have brought 0 records; it goes on"
    about = "2 requests have brought 30 records, about 77% of what there is; enough"
    assert str(row(requests=2, records=30, once=10, twice=4, ended="enough")) == f"{ACTION}: {about}"
    assert row().covered() == 0.0


def test_sums_of_forms_are_added_and_taken_away() -> None:
    one, other = sums_of_one(row(records=3, requests=2, ended="enough")), sums_of_one(row(refused="no"))
    assert (one, other) == (FormSums(1, 0, 0, 2, 3, 3), FormSums(refused=1))
    assert one + other == FormSums(1, 1, 0, 2, 3, 3)
    assert one + other - one == other


# ------------------------------------------------------------------------ questions


def test_nonsense_is_asked_first_then_nothing_then_each_choice_and_then_words() -> None:
    form = row(choices=(CITY, YEAR), nonsense="xqz", own=("heron",))
    asking = Asking(form, 100)
    assert [asking.next() for _ in range(4)] == [
        (("q", "xqz"),),
        (),
        (("city", "rome"),),
        (("year", "1999"),),
    ]
    assert asking.next() == (("q", "heron"),)
    assert {name for name, arm in form.arms.items() if arm.place} == {
        "probe", "plain", "choice city", "choice year", "words"
    }  # fmt: skip


def test_nonsense_is_written_into_one_field_of_many() -> None:
    form = row(text=("q", "author"))
    assert Asking(form, 9).next() == (("q", form.nonsense),)


def test_a_budget_is_spent_to_its_last_request() -> None:
    form = row(requests=9)
    assert Asking(form, 10).next() is not None
    form.requests = 10
    assert Asking(form, 10).next() is None
    assert form.ended == "its budget of 10 requests is spent"


def answers(form: FormRow, *new: int, first: bool = True, arm: str = "words", records: int = 1) -> Arm:
    """So many new records have come, each time for another word."""
    asking = Asking(form, 10_000)
    state = form.arms.setdefault(arm, Arm())
    for number, each in enumerate(new):
        form.questions[f"q={number}"] = Question(arm)
        asking.answered(f"q={number}", records=records, new=each, first=first)
    return state


def test_what_came_of_late_counts_for_a_third() -> None:
    form = row(records=100, once=100)
    assert answers(form, 10).mean == 10
    assert answers(form, 0).mean == pytest.approx(6.5)
    assert answers(form, 4).mean == pytest.approx(6.5 * 0.65 + 4 * 0.35)
    assert (form.requests, form.arms["words"].requests, form.arms["words"].new) == (3, 3, 14)


def test_what_nobody_asked_counts_as_a_request_alone() -> None:
    form = row()
    Asking(form, 10).answered("q=never", records=5, new=5, first=True)
    assert (form.requests, form.arms, form.questions) == (1, {}, {})


@pytest.mark.parametrize(
    ("more", "questions"),
    [
        ({"records": 90, "once": 5, "twice": 0}, 6),  # 90 of 100: most of it is reached
        ({"records": 0}, 6),
        ({"records": 89, "once": 5, "twice": 0}, 18),
    ],
)
def test_an_arm_ends_after_six_questions_without_anything_new_or_thrice_as_many_where_much_is_left(
    more: dict[str, Any], questions: int
) -> None:
    assert not answers(row(**more), *[0] * (questions - 1)).ended
    assert answers(row(**more), *[0] * questions).ended
    one_new = [0] * (questions - 1) + [1]
    assert not answers(row(**more), *one_new, *[0] * (questions - 1)).ended, "one that is new begins it anew"


def test_later_pages_of_an_answer_end_an_arm_only_when_there_are_many_and_they_bring_little() -> None:
    full = {"records": 100}
    assert not answers(row(**full), *[0] * 18, first=False).ended
    assert answers(row(**full), *[0] * 19, first=False).ended
    assert not answers(row(**full), *[1] * 19, first=False).ended
    assert answers(row(**full), 5, arm="probe").ended, "nonsense is asked once"


def test_the_arm_that_brings_the_most_goes_on() -> None:
    arms = {name: Arm(mean=mean, place=0) for name, mean in (("plain", 0.0), ("choice city", 2.0), ("words", 1.0))}
    form = row(choices=(CITY,), own=("heron",), arms={"probe": Arm(ended=True, mean=9.0), **arms})
    asking = Asking(form, 100)
    assert [asking.next() for _ in range(2)] == [(("city", "rome"),), (("city", "oslo"),)]
    assert asking.next() == (("q", "heron"),), "all of its options were asked"
    assert form.arms["choice city"].whole


def test_two_choices_are_asked_together_where_the_site_does_not_show_all_of_one() -> None:
    arms = {name: Arm(ended=True, mean=1.0) for name in ("plain", "choice city", "choice year")}
    cut = {"city=rome": Question("choice city", 20), "city=oslo": Question("choice city", 20)}
    form = row(text=(), choices=(CITY, YEAR), arms=arms, questions={**cut, "year=1999": Question("choice year", 4)})
    asking = Asking(form, 100)
    pairs = [asking.next(), asking.next()]
    assert sorted(map(str, pairs)) == sorted(str((("city", city), ("year", "1999"))) for city in ("rome", "oslo"))
    assert asking.next() is None
    assert form.ended == "its answers bring nothing new"
    whole = row(text=(), choices=(CITY, YEAR), arms=dict(arms), questions={})
    assert Asking(whole, 100).next() is None


def test_a_thousand_pairs_are_asked_at_most() -> None:
    choices = tuple((name, "", tuple(map(str, range(40)))) for name in ("city", "year"))
    arms = {name: Arm(ended=True, mean=1.0) for name in ("plain", "choice city", "choice year")}
    form = row(text=(), choices=choices, arms={**arms, "pairs": Arm(mean=1.0, place=999)}, questions=asked(20, 20))
    asking = Asking(form, 10_000)
    assert asking.next() is not None
    assert asking.next() is None


def test_the_word_is_asked_that_promises_the_most() -> None:
    words = {f"word{number}": 1 for number in range(40)} | {"many": 30, "some": 20}
    done = {"probe": Arm(ended=True), "plain": Arm(ended=True, mean=0.0), "words": Arm(mean=1.0)}
    assert Asking(row(words=words, arms=dict(done), records=50), 100).next() == (("q", "many"),)
    # 20 are shown: of 30 that are there a question shows two thirds, and others have brought some of those
    shown = row(words=words, arms=dict(done), records=50, questions=asked(20, 20))
    assert Asking(shown, 100).next() == (("q", "some"),)
    few = row(words={"many": 30}, own=("heron",), arms=dict(done), records=50)
    assert Asking(few, 100).next() == (("q", "heron"),), "as long as few words are known, those of the site"


def test_words_that_may_be_asked_for_have_three_letters_or_more() -> None:
    assert words_of("An owl, a HERON_x 42 " + "y" * 31 + " \u9dfa\u9dfa") == {"owl", "heron", "\u9dfa\u9dfa"} | {
        "y" * 30
    }


def test_of_too_many_words_the_rarest_are_forgotten() -> None:
    asking = Asking(row(), 10)
    letters = "abcdefghijklmnop"
    many = [f"{a}{b}{c}" for a in letters for b in letters for c in letters]
    asking.learn([" ".join(many[:3_000])])
    assert len(asking.row.words) == 3_000
    asking.learn([" ".join([*many[:10], "other"])])
    assert len(asking.row.words) == 1_500
    assert {asking.row.words[word] for word in many[:10]} == {2}
