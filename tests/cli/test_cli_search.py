"""What `gossamer search` prints: one object for machines, hits and what else there is for people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.cli import search_output
from gossamer.cli.main import main
from gossamer.cli.options import parser
from gossamer.cli.options.asking import LANGUAGE
from gossamer.collection import Outside
from gossamer.model import Hit
from gossamer.search.answer import Answer
from gossamer.search.query import Field
from gossamer.testing import VirtualClock
from gossamer.testing.planted import planted
from tiny_server import tiny_server

MADE = planted(topics=2)
WORDS = MADE.questions["t1"]


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    clock, folder = VirtualClock(), tmp_path_factory.mktemp("search") / "web"
    with gossamer.open(folder) as collection:
        clock.run(collection.crawl_async(MADE.seed, scope="any", outside=Outside(clock, MADE.fetch)))
    return folder


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, str]:
    assert main(["search", *words]) == 0
    return capsys.readouterr()


def as_object(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    return json.loads(asked(capsys, *words, "--json")[0])  # type: ignore[no-any-return]  # it is one


def test_json_is_one_object_with_all_that_is_known_of_an_answer(web: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = as_object(capsys, str(web), WORDS, "-n", "2")
    assert said["query"] == WORDS
    assert said["total"] >= len(said["hits"]) == 2
    assert (said["more_than_total"], said["suggestion"], said["hints"], said["not_indexed"]) == (False, None, [], 0)
    assert said["seconds"] > 0
    assert set(said["facets"]) == {"site", "type", "language", "year"}
    assert 0 < said["facets"]["type"]["html"] <= said["total"]  # some are found by what others call them alone
    hit = said["hits"][0]
    assert list(hit) == [
        *("url", "title", "title_html", "snippet", "score", "site", "language"),
        *("media_type", "size", "published", "fetched", "since", "until", "breaks", "copies"),
    ]
    assert (hit["media_type"], hit["published"]) == ("text/html", None)
    assert hit["size"] > 100
    assert hit["fetched"].endswith("Z")


def test_json_has_what_a_score_is_made_of(web: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = as_object(capsys, str(web), WORDS, "--explain", "--offset", "1")
    for hit in said["hits"]:
        assert sum(hit["signs"].values()) == pytest.approx(hit["score"], abs=0.01)


def test_an_order_by_date_has_no_scores_to_explain(web: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", str(web), WORDS, "--sort", "date", "--explain"]) == 2
    assert "ask without --sort" in capsys.readouterr().err


@pytest.mark.parametrize("order", ["date", "-date"])
def test_answers_come_by_date(web: Path, capsys: pytest.CaptureFixture[str], order: str) -> None:
    dates = [hit["fetched"] for hit in as_object(capsys, str(web), "lang:en", "--sort", order)["hits"]]
    assert len(dates) == 10
    assert dates == sorted(dates, reverse=order == "date")


def test_a_hint_is_on_standard_error_and_in_the_object(web: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said, hint = asked(capsys, str(web), "type:htlm")
    assert said == "nothing found\n"
    assert hint == "gossamer: type:htlm: no page is of that type; did you mean type:html?\n"
    assert as_object(capsys, str(web), "type:htlm")["hints"] == [hint.removeprefix("gossamer: ").rstrip()]


def test_an_option_of_other_searches_is_named(web: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", str(web), "xyzzy", "--limit", "5"]) == 0
    said = capsys.readouterr().err
    assert "--limit is no option of search, and was looked for as a word; -n N says how many hits" in said
    assert list(search_output.options_taken_as_words(["git", "--rebase"], found=True)) == []


def test_a_collection_without_a_page_says_so_and_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "web"
    with tiny_server({}) as site:
        quick = ("--allow-address", "127.0.0.0/8", "--delay", "0", "--shards", "1")
        assert main(["crawl", str(folder), f"{site.origin}/gone", *quick]) == 5
    capsys.readouterr()
    said, hint = asked(capsys, str(folder), "hello")
    assert said == "nothing found\n"
    assert hint.startswith(f"gossamer: there is no page in the collection yet; `gossamer status {folder}` says why")


def test_facets_are_lines_that_people_read(web: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = asked(capsys, str(web), "lang:en", "--facets", "-n", "1")[0]
    assert "\nlanguage: en " in said
    assert "\ntype:     html " in said
    assert "language:" not in asked(capsys, str(web), "lang:en", "-n", "1")[0]


def test_more_from_a_site_is_a_command_that_can_be_pasted() -> None:
    found = Answer([Hit("http://a.org/", "A", "text", 1.0)], 1_000, is_least=True, more_from=("a.org",))
    said = search_output.answer("it's \"here", found, {}, 0, "my web")
    assert """more from a.org: gossamer search 'my web' 'site:a.org it'"'"'s "here'""" in said
    assert said.endswith("\nmore than 1,000 pages")


@pytest.mark.parametrize(
    ("words", "question"),
    [
        ("git pull --rebase", "git pull --rebase"),
        ("-fsanitize=address use", "-fsanitize=address use"),
        ("ls -l --json", "ls -l"),
        ("tar --exclude-vcs -- --json", "tar --exclude-vcs --json"),
        ("--sort -date news", "news"),
    ],
)
def test_options_of_other_commands_are_words(words: str, question: str) -> None:
    assert parser().parse_args(["search", "web", *words.split()]).question == question.split()


@pytest.mark.parametrize("slip", ["--jsn", "--ofset=3", "--facet-s"])
def test_a_slip_in_an_option_is_no_word(slip: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        parser().parse_args(["search", "web", "words", slip])
    assert slip in capsys.readouterr().err


def test_help_has_the_whole_language(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "search"]) == 0
    assert " ".join(LANGUAGE.split()) in " ".join(capsys.readouterr().out.split())
    assert all(f"{field}:" in LANGUAGE for field in Field)
    assert all(f" {operator} " in LANGUAGE for operator in ("AND", "OR", "NOT"))


def test_a_document_without_a_title_is_shown_by_its_file_name() -> None:
    hit = Hit("https://example.org/files/annual%20report.pdf", "", "A year.", 1.0, media_type="application/pdf")
    assert "1. annual report.pdf\n" in search_output.answer("year", Answer([hit], 1), {}, 0, "web")
