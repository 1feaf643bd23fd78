"""The questions about documentation are well-formed, and the harness counts as it says."""

from __future__ import annotations

import asyncio
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from doc_packages import SITES, DocsWeb, Site, crawl
from material import Missing
from question_files import ANSWERS, FILES, HELPS, KINDS, Question, read, write
from questions import Measured, by_bm25s, lines, ours, ranks, score

from gossamer.model import Visit
from gossamer.search.evaluation import read_judgements, read_questions

SITE = Site("made-doc", "doc", ("index.html",), ("whole-*",))


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """One package that is unpacked already."""
    root = tmp_path / "unpacked" / "made-doc" / "doc"
    (root / "sub").mkdir(parents=True)
    pages = {
        "index.html": "<title>Birds</title><p>All about birds. <a href=owls.html>Owls</a> <a href=sub>More</a>",
        "owls.html": "<title>Owls</title><h1>Owls</h1><p>They hunt at night, and hear where mice run under the snow.",
        "sub/index.html": "<title>Storks</title><h1>Storks</h1><p>They fly south in autumn and clatter.",
        "whole-book.html": "<title>Everything</title>",
        "notes.txt": "owls.html as its author wrote it",
    }
    for name, text in pages.items():
        (root / name).write_text(text)
    return tmp_path


def test_there_are_enough_questions_and_each_has_a_page_that_answers_it() -> None:
    questions = read()
    assert len(questions) >= 150
    assert len({each.name for each in questions}) == len({each.text for each in questions}) == len(questions)
    assert min(Counter(each.site for each in questions).values()) >= 10
    assert {each.kind for each in questions} == set(KINDS)
    assert [each.name for each in questions if not each.answers or not each.text.strip()] == []


def test_each_file_of_questions_is_of_a_site_and_each_address_is_on_one() -> None:
    assert {file.stem for file in FILES.glob("*.toml")} == {site.package for site in SITES}
    homes = {site.home for site in SITES}
    for each in read():
        for url in each.grades:
            home = re.fullmatch(r"(http://[a-z0-9-]+\.test/)[\w./-]+\.html", url)
            assert home, (each.name, url)
            assert home[1] in homes, (each.name, url)


def test_no_page_is_named_twice_for_a_question() -> None:
    for file in FILES.glob("*.toml"):
        for name, row in tomllib.loads(file.read_text("utf-8")).items():
            named = [*row["answers"], *row.get("helps", ())]
            assert len(set(named)) == len(named), name
            assert set(row) <= {"kind", "asks", "answers", "helps"}, name


def test_the_files_for_evaluate_say_what_the_questions_say(tmp_path: Path) -> None:
    questions = read()
    write(questions, tmp_path)
    asked = read_questions((tmp_path / "questions.txt").read_text("utf-8").splitlines())
    judged = read_judgements((tmp_path / "judgements.txt").read_text("utf-8").splitlines())
    assert asked == {each.name: each.text for each in questions}
    assert {name: dict(grades) for name, grades in judged.items()} == {each.name: each.grades for each in questions}


def test_a_package_is_served_as_a_web_server_would_but_for_whole_books_and_sources(cache: Path) -> None:
    web = DocsWeb(cache, [SITE])

    def status(path: str) -> int:
        return asyncio.run(web.fetch(Visit(f"http://made-doc.test/{path}"))).status

    paths = ("owls.html", "sub/", "sub", "notes.txt", "whole-book.html", "../../secret.html", "none.html")
    assert [status(path) for path in paths] == [200, 200, 301, 404, 404, 404, 404]
    assert web.digest("http://made-doc.test/sub/") == web.digest("http://made-doc.test/sub/index.html")


def test_packages_that_are_not_there_are_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=r"^17 of 17 documentation packages are not in .*doc_packages.py download"):
        DocsWeb(tmp_path).require()


def test_both_engines_are_asked_about_the_pages_of_a_crawl(cache: Path, tmp_path: Path) -> None:
    home = SITE.home
    asked = [
        Question("q1", "made-doc", "task", "where do mice run under snow", {f"{home}owls.html": ANSWERS}),
        Question("q2", "made-doc", "typo", "storks in autumn", {f"{home}sub/index.html": ANSWERS, home: HELPS}),
        Question("q3", "made-doc", "error", "zzz nonsense", {home: ANSWERS}),
    ]
    web = DocsWeb(cache, [SITE])
    with crawl(web, tmp_path / "web") as collection:
        assert collection.status().pages == 3
        mine = ranks(asked, ours(collection, asked), web.digest)
        library = by_bm25s(collection, asked)
    assert library is not None
    theirs = ranks(asked, library, web.digest)
    assert mine == theirs == {"q1": 1, "q2": 1, "q3": None}
    shown = list(lines(Measured(asked, mine, theirs)))
    assert shown[1].split() == ["all", "3", "0.667", "0.667", "0.667", "0.667", "0.667", "0.667"]
    assert [line.split()[0] for line in shown[2:]] == ["made-doc", "kind:", "kind:", "kind:"]


def test_success_and_reciprocal_rank_are_means_over_all_questions() -> None:
    found = score([1, 2, 6, None])
    assert (found.questions, found.first, found.among_five) == (4, 0.25, 0.5)
    assert found.reciprocal == pytest.approx((1 + 1 / 2 + 1 / 6) / 4)


def test_the_lead_over_the_other_comes_with_its_standard_error() -> None:
    asked = [Question(name, "s", "task", name, {}) for name in "ab"]
    mean, error = Measured(asked, {"a": 1, "b": 1}, {"a": 2, "b": None}).lead()
    assert mean == pytest.approx(0.75)
    assert error == pytest.approx(0.25)
