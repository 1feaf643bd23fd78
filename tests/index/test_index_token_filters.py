"""What is a word? Names, accents, particles: each of them is found by all of its spellings."""

from __future__ import annotations

from random import Random

import pytest

from gossamer.index.analysis import APART, Unit, joined, places, terms, units
from gossamer.index.token_filters import PARTS_MOST, fold, without_particle
from gossamer.index.words import CHAIN_MOST, LONGEST


def split(text: str, language: str | None = None) -> tuple[str, str]:
    """The terms in the order of the text, and those apart from it."""
    ordered, _, others = joined(text, language).partition(f" {APART} ")
    return ordered, others


@pytest.mark.parametrize(
    ("text", "ordered", "others"),
    [
        ("PrimaryColumn primary_column primary-column", "primary column " * 3, "primarycolumn " * 3),
        ("QListWidget", "q list widget", "qlistwidget"),
        ("parseXMLFile XMLParser", "parse xml file xml parser", "parsexmlfile xmlparser"),
        ("iso-8859 iso8859", "iso 8859 iso8859", "iso8859"),
        ("Hi-Fi hifi", "hi fi hifi", "hifi"),
        ("Vue.js", "vue js", "vuejs"),
        ("2.7.18 v3.1 python3.11", "2 7 18 v3 1 python3 11", "2.7.18 v3.1 python3.11"),
        ("C++ g++ libc++", "c++ g++ libc", "libc++"),
        ("C# and F#, a#b", "c# and f# a b", ""),
        ("the .NET (.bashrc) etc...and x.", "the net bashrc etc and x", ".net .bashrc"),
        ("std::BitSet", "std bit set", "bitset"),
        ("shop.models.OrderLine", "shop models order line", "orderline shopmodelsorderline"),
        ("__main__ _Hidden ___", "main hidden", "__main__ _hidden"),
        ("HTML Html URLs MP3Player", "html html urls mp3 player", "mp3player"),
        ("JavaScript GitHub", "javascript github", ""),
        ("Objective-C++", "objective c++", "objectivec++"),
        ("co\u2010operate co\u2011operate", "co operate co operate", "cooperate cooperate"),
        ("a--b c - d e-", "a b c d e", ""),
    ],
)
def test_names_are_found_by_their_parts_and_in_one_piece(text: str, ordered: str, others: str) -> None:
    assert split(text) == (ordered.strip(), others.strip())


@pytest.mark.parametrize(
    ("text", "language", "ordered", "others"),
    [
        ("Dvořák", None, "dvořák", "dvorak"),
        ("años", "es", "años", "anos"),
        ("déjà vu", "en", "déjà vu", "deja"),
        ("crème-brûlée", None, "crème brûlée", "creme brulee crèmebrûlée cremebrulee"),
        ("İzmir IZMIR ızmir", None, "izmir izmir ızmir", "izmir"),
        ("Gauß Øre Œdipe Łuk cæsar", None, "gauß øre œdipe łuk cæsar", "gauss ore oedipe luk caesar"),
        ("ёж йод", None, "ёж йод", "еж"),
        ("Größe Grösse Groesse", "de", "gross gross gross", ""),
        ("नमस्ते", None, "नमस्ते", ""),
        ("שָׁלוֹם مُحَمَّد", None, "שלום محمد", ""),
        ("Rhein\xaddampf\u200bschiff", None, "rheindampfschiff", ""),
        ("می\u200cروم", None, "میروم", ""),
    ],
)
def test_words_with_accents_are_found_without_them(text: str, language: str | None, ordered: str, others: str) -> None:
    assert split(text, language) == (ordered, others)


def test_a_word_without_its_accents_is_asked_for_as_it_was_indexed() -> None:
    """It is reduced after the accents are gone, for that is what a question without accents does."""
    for word, language in (("célébrités", "fr"), ("corações", "pt"), ("ışıklar", "tr"), ("příběhy", "cs")):
        (asked,) = terms(fold(word), language)
        assert asked in joined(word, language).split()


def test_a_korean_noun_is_found_with_and_without_its_particle() -> None:
    assert split("부산에서 바다를 봤다") == ("부산에서 바다를 봤다", "부산 바다")
    assert split("API를") == ("api를", "api")
    assert without_particle("집에") == ""  # one syllable is too little
    assert without_particle("부산으로부터") == "부산"


def test_neighbours_stay_neighbours_whatever_else_a_word_gives() -> None:
    """Phrases need that."""
    assert terms("the ForeignKey of a café table") == "the foreign key of a café table".split()  # noqa: SIM905 - a text
    assert terms("foreign key") == terms("foreign_key") == terms("ForeignKey")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("tree", [Unit(("tree",))]),
        ("TreeView", [Unit(("tree", "view"), "treeview")]),
        ("C++ C#", [Unit(("c++",)), Unit(("c#",))]),
        (".NET 6.0.1", [Unit(("net",), ".net"), Unit(("6", "0", "1"), "6.0.1")]),
        ("Dvořák", [Unit(("dvořák",), "", "dvorak")]),
        ("부산에서", [Unit(("부산에서",), "", "부산")]),
        ("大阪 東京タワー", [Unit(("大", "阪")), Unit(("東", "京", "タ", "ワ", "ー"))]),
        ("大阪,京都abc", [Unit(("大", "阪")), Unit(("京", "都")), Unit(("abc",))]),
        ("ที่นี่", [Unit(("ท", "น"))]),
        ("--- ___ ' ", []),
    ],
)
def test_a_question_is_made_of_units(text: str, found: list[Unit]) -> None:
    assert list(units(text)) == found


def test_the_parts_of_all_units_are_the_terms_of_the_text() -> None:
    text = "An HTTPServer.handle_request for 東京タワー and naïve Zürich-Flughafen: C++, .NET"
    for language in (None, "en", "de"):
        assert [part for unit in units(text, language) for part in unit.parts] == terms(text, language)


@pytest.mark.parametrize(
    ("text", "wanted", "marked"),
    [
        ("a TreeView", ("tree", "view"), ["Tree", "View"]),
        ("a tree-view", ("view",), ["view"]),
        ("a TreeView", ("treeview",), ["TreeView"]),
        ("Dvořák", ("dvorak",), ["Dvořák"]),
        ("in C++ and .NET", ("c++", ".net", "in"), ["in", "C++", ".NET"]),
        ("Tree\xadView", ("view",), ["Tree\xadView"]),
        ("co\u2011operate", ("operate",), ["operate"]),
        ("부산에서", ("부산",), ["부산에서"]),
    ],
)
def test_names_are_marked_where_their_terms_stand(text: str, wanted: tuple[str, ...], marked: list[str]) -> None:
    assert [text[begin:end] for begin, end, _ in places(text, None, wanted)] == marked


def test_no_text_gives_many_terms_for_a_word() -> None:
    """Nor long ones."""
    random = Random("hostile words")
    pieces = ("a", "B", "aB", "é", "Éa", "_", "-", ".", "1", "++", "#", " ", "한에", "ß", "京", "\xad", "ﷺ", "x" * 30)
    for _ in range(300):
        text = "".join(random.choices(pieces, k=random.randint(1, 400)))
        found = joined(text, random.choice((None, "en", "de"))).split()
        letters = sum(map(str.isalnum, text))
        assert len(found) <= min(4 * letters, 4 * PARTS_MOST * len(text)) + 1
        assert max(map(len, found), default=0) <= 2 * LONGEST
    assert len(joined("aB" * LONGEST * 1_000).split()) <= 1
    assert len(joined("-".join(["ab"] * 100_000)).split()) == 100_000
    assert len(joined(" ".join(["a-b"] * 1_000)).split()) == 3_001


def test_a_chain_that_is_too_long_is_no_name() -> None:
    letters = "abcdefghijkl"
    assert split("-".join(letters[:CHAIN_MOST]))[1] == letters[:CHAIN_MOST]
    assert split("-".join(letters[: CHAIN_MOST + 1])) == (" ".join(letters[: CHAIN_MOST + 1]), "")
    assert split("-".join(["x" * 30] * 3)) == (" ".join(["x" * 30] * 3), "")
