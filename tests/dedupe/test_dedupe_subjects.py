"""Near copies that say the same to a reader, and pages of one template that do not: pairs with a label."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from gossamer.dedupe.subjects import MORE_WORDS, RECURS, Said, Subject, say_the_same
from gossamer.testing.prose import paragraphs, prose

WORDS = prose(21)
HERE, THERE = "http://zoo.test", "http://farm.test"


def story(key: object, length: int = 300, edited: float = 0.0) -> str:
    """Some paragraphs, of which a share of the words is edited."""
    text = WORDS.sentences(length, WORDS.topic(3), key)
    return "\n".join(paragraphs(WORDS.edited(text, edited, key) if edited else text))


def manual(name: str, more: str = "") -> str:
    """A page of a generated reference: only the name of the class is its own."""
    rows = "\n".join(f"{verb}() const  inherited from Drawable" for verb in ("draw", "move", "rotate", "scale", "size"))
    return (
        f"This is the complete list of members for {name}, including all inherited members.\n{rows}\n"
        f"{name}(const {name} &other)\n~{name}()\n{more}\n{story('licence', 120)}"
    )


def shop(name: str) -> str:
    """A page of a shop that names what it sells twice."""
    return f"You look at the {name} in our shop.\n{story('terms', 200)}\nPut the {name} into the basket."


class Pair(NamedTuple):
    """Two pages that resemble each other, and whether they say the same."""

    what: str
    same: bool
    one: Said
    other: Said


def pair(what: str, same: bool, one: tuple[str, str, str], other: tuple[str, str, str]) -> Pair:
    return Pair(what, same, Said(*one), Said(*other))


FISH = f"{HERE}/articles/fish"
ARTICLE = (FISH, "Fish of the lake | Zoo", f"Fish of the lake\n{story('fish')}\nThe fish of the lake sleep.")
_, TITLE, TEXT = ARTICLE
LINES = TEXT.split("\n")
PAIRS = [
    # ------------------------------------------------------------ the same
    pair("a few words are edited", True, ARTICLE, (f"{HERE}/draft/fish", TITLE, TEXT.replace("fish", "trout", 1))),
    *(
        pair(f"{share:.0%} of the words are edited, {length} words, at {host}", True,
             (f"{HERE}/a/1", "Story", story(length, length)),
             (f"{host}/b/1", "Story", story(length, length, share)))
        for share in (0.01, 0.03, 0.05) for length in (80, 300, 2_000) for host in (HERE, THERE)
    ),
    pair("a session in the address", True, ARTICLE, (f"{FISH}?sid=8f3ac0", TITLE, TEXT)),
    pair("a print version says so", True, ARTICLE,
         (f"{HERE}/print/fish", "Fish of the lake - Printable version",
          f"{TEXT}\nPrinted from {FISH} on 17 Nov 2026. Back to the article")),
    pair("another site has its own name behind the title", True, ARTICLE,
         (f"{THERE}/fish", "Fish of the lake - Daily Farm", TEXT)),
    pair("another site has its own name before the title", True,
         (FISH, "Zoo: Fish of the lake", TEXT), (f"{THERE}/fish", "Daily Farm » Fish of the lake", TEXT)),
    pair("another site has a headline of its own", True, ARTICLE,
         (f"{THERE}/2026/what-swims", "What swims at night - Daily Farm",
          "\n".join(("What swims at night", *LINES[1:])))),
    pair("a mirror lets people edit every paragraph", True, ARTICLE,
         (f"{THERE}/wiki/fish", TITLE, TEXT.replace("\n", " [edit]\n"))),
    pair("titles with another date", True,
         (f"{HERE}/1", "Fish, Tuesday, 17 November 2026", TEXT),
         (f"{HERE}/2", "Fish, Wednesday, 18 November 2026", TEXT)),
    *(
        pair(f"titles with {one} and {other}", True,
             (f"{HERE}/1", f"Fish {one}", f"{TEXT}\n{one}"), (f"{HERE}/2", f"Fish {other}", f"{TEXT}\n{other}"))
        for one, other in (("2026-11-17", "2026-11-18"), ("17/11/2026", "18/11/2026"), ("3. Mai 2026", "4. Mai 2026"),
                           ("May 3rd, 2026", "May 4th, 2026"), ("12:03", "12:04"), ("2026年5月3日", "2026年5月4日"))
    ),
    pair("a counter in the title and one in the text", True,
         (f"{HERE}/1", "(3) Fish", f"{TEXT}\n1,203 readers"), (f"{HERE}/2", "(11) Fish", f"{TEXT}\n1,417 readers")),
    pair("a title with one word more", True,
         (f"{HERE}/1", "Fish", TEXT), (f"{HERE}/2", "The fish", TEXT)),
    pair("a title with another article", True,
         (f"{HERE}/1", "The fish", TEXT), (f"{HERE}/2", "One fish", TEXT)),
    pair("a title with other punctuation", True,
         (f"{HERE}/1", "Fish-prices, again", TEXT), (f"{HERE}/2", "Fish prices: again!", TEXT)),
    pair("no title on one of them", True, ARTICLE, (f"{HERE}/x", "", TEXT)),
    pair("the same product in two departments", True,
         (f"{HERE}/men/boot", "Boot | Men", f"The boot.\n{TEXT}"),
         (f"{HERE}/sale/boot", "Boot | Sale", f"The boot.\n{TEXT}")),
    pair("a title in front of which another site puts its name", True,
         (f"{HERE}/1", "Fish of the lake", TEXT), (f"{HERE}/2", "Zoo: Fish of the lake (print)", TEXT)),
    pair("a short page with another session", True,
         (f"{HERE}/help?sid=8f", "Help", story("help", 20)), (f"{HERE}/help?sid=3c", "Help", story("help", 20))),
    pair("a short page with another number", True,
         (f"{HERE}/notice?1", "Notice", f"{story('notice', 20)} Call 12."),
         (f"{HERE}/notice?2", "Notice", f"{story('notice', 20)} Call 13.")),
    pair("another title and heading over the same text", True,
         (f"{HERE}/1", "Bread", f"Bread\n{story('bread')}"),
         (f"{HERE}/2", "Baking at home", f"Baking at home\n{story('bread')}")),
    pair("another title, a copy that says so", True,
         (f"{HERE}/bread", "Bread", f"Bread\n{story('bread')}"),
         (f"{HERE}/bread-copy", "Bread Copy", f"Bread Copy\n{story('bread')}")),
    pair("another title alone", True,
         (f"{HERE}/1", "Bread", story("bread")), (f"{HERE}/2", "Rolls", story("bread"))),
    # -------------------------------------------------------- two subjects
    pair("members of two classes, in the title", False,
         (f"{HERE}/lamp-members.html", "List of members for Lamp | Kit 5.15", manual("Lamp")),
         (f"{HERE}/wagon-members.html", "List of members for Wagon | Kit 5.15", manual("Wagon"))),
    pair("members of two classes, under one title", False,
         (f"{HERE}/p?id=1", "Kit", manual("Lamp")), (f"{HERE}/p?id=2", "Kit", manual("Wagon"))),
    pair("members of two classes, on two hosts", False,
         (f"{HERE}/lamp.html", "Lamp", manual("Lamp")), (f"{THERE}/wagon.html", "Wagon", manual("Wagon"))),
    pair("a class and one that is made from it, by the address", False,
         (f"{HERE}/class_1Lamp-members.html", "Kit", manual("Lamp")),
         (f"{HERE}/class_1DeskLamp-members.html", "Kit",
          manual("Lamp", "DeskLamp() DeskLamp\n~DeskLamp() DeskLamp\nfold() DeskLamp"))),
    pair("two things in a shop, under one title and numbers", False,
         (f"{HERE}/item?n=1", "Shop", shop("kayak")), (f"{HERE}/item?n=2", "Shop", shop("toboggan"))),
    pair("two commands", False,
         (f"{HERE}/git-diff.html", "git-diff(1)", story("diff")),
         (f"{HERE}/git-diff-files.html", "git-diff-files(1)", f"{story('diff')} files")),
    pair("two sections of one manual page", False,
         (f"{HERE}/printf.1", "printf(1)", story("printf")), (f"{HERE}/printf.3", "printf(3)", story("printf"))),
    pair("two releases", False,
         (f"{HERE}/r/1.4.13", "Kit 1.4.13 release notes", f"{TEXT}\n1.4.13"),
         (f"{HERE}/r/1.5.8", "Kit 1.5.8 release notes", f"{TEXT}\n1.5.8")),
    pair("two releases, on two hosts", False,
         (f"{HERE}/r/1", "Kit 3.19.0", TEXT), (f"{THERE}/r/2", "Kit 3.19.1", TEXT)),
    pair("two languages of programming", False,
         (f"{HERE}/a", "Kit for C++", TEXT), (f"{HERE}/b", "Kit for C#", TEXT)),
    pair("two operators", False,
         (f"{HERE}/a", "Kit operator == reference", TEXT), (f"{HERE}/b", "Kit operator <= reference", TEXT)),
    pair("the same words under two titles", False,
         (f"{HERE}/a", "Photograph 12 | Album", TEXT), (f"{HERE}/b", "Photograph 13 | Album", TEXT)),
    pair("two years", False,
         (f"{HERE}/a", "Harvest of 2021", f"{TEXT} 2021"), (f"{HERE}/b", "Harvest of 2022", f"{TEXT} 2022")),
    pair("two headings under one title, which the addresses name", False,
         (f"{HERE}/graphics", "Kit", f"Graphics Directory\n{TEXT}"),
         (f"{HERE}/audio", "Kit", f"Audio Directory\n{TEXT}")),
    pair("two headings and a word of the text", False,
         (f"{HERE}/p?1", "Kit", f"Graphics Directory\n{TEXT}\ngraphics"),
         (f"{HERE}/p?2", "Kit", f"Audio Directory\n{TEXT}\naudio")),
    pair("short pages that differ in a word", False,
         (f"{HERE}/1", "Kit", f"audio {story('short', 20)}"), (f"{HERE}/2", "Kit", f"video {story('short', 20)}")),
    pair("a name within a title, and in the text", False,
         (f"{HERE}/dir_1", "Kit: Kit Directory Reference", f"{TEXT}\nmain.c"),
         (f"{HERE}/dir_2", "Kit: Kit Sound Directory Reference", f"{TEXT}\nsound.c")),
    pair("a short page at another address", False,
         (f"{HERE}/sparse", "Kit", story("stub", 20)), (f"{HERE}/dense", "Kit", story("stub", 20))),
    pair("a name in the address and the first line, which the other page lacks", False,
         (f"{HERE}/lampshade-members", "Kit", f"All members of the lampshade, with those it has from a lamp.\n{TEXT}"),
         (f"{HERE}/lamp-members", "Kit", f"All members of a lamp.\n{TEXT}")),
    pair("a page with a section more", False, ARTICLE, (f"{HERE}/more", TITLE, f"{TEXT}\n{story('section', 60)}")),
    pair("numbers in the place of a name", False,
         (f"{HERE}/p?1", "Kit", "\n".join(f"utf< 8 > {line}" for line in story("utf", 900).split("\n"))),
         (f"{HERE}/p?2", "Kit", "\n".join(f"utf< 16 > {line}" for line in story("utf", 900).split("\n")))),
    pair("two cities in Japanese", False,
         (f"{HERE}/1", "東京の天気", f"{story('weather')} 東京"),
         (f"{HERE}/2", "大阪の天気", f"{story('weather')} 大阪")),
    pair("a few words under two titles", False,
         (f"{HERE}/1", "Red", story("few", 30)), (f"{HERE}/2", "Blue", story("few", 30))),
]  # fmt: skip


@pytest.mark.parametrize("labelled", PAIRS, ids=[each.what for each in PAIRS])
def test_what_says_the_same_is_told_from_what_only_looks_the_same(labelled: Pair) -> None:
    one, other = Subject(labelled.one), Subject(labelled.other)
    assert say_the_same(one, other) is labelled.same
    assert say_the_same(other, one) is labelled.same


def test_a_page_says_what_it_says() -> None:
    assert say_the_same(Subject(Said(*ARTICLE)), Subject(Said(*ARTICLE)))
    assert say_the_same(Subject(Said("http://a.test/", "", "")), Subject(Said("http://b.test/", "", "")))


def test_a_name_that_one_page_alone_has_must_recur_to_tell_it_from_another() -> None:
    plain = Subject(Said(f"{HERE}/a", "Kit", story("kit")))
    for times in range(RECURS + 1):
        named = Subject(Said(f"{HERE}/lamp", "Kit", f"{story('kit')} {'lampshade ' * times}"))
        named.path += "/lampshade"
        assert say_the_same(plain, named) is (times < RECURS)


def test_a_few_words_more_are_a_note_and_many_are_a_section() -> None:
    long = Said(f"{HERE}/a", "Kit", story("kit", 200))
    for words, same in ((MORE_WORDS, True), (MORE_WORDS + 1, False)):
        more = Said(f"{HERE}/b", "Kit", f"{long.text}\n{' '.join(f'w{number}' for number in range(words))}")
        assert say_the_same(Subject(long), Subject(more)) is same
        assert say_the_same(Subject(long), Subject(more._replace(url=f"{THERE}/b")))
