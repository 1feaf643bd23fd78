"""What do people ask of a documentation site, and which of its pages answer that? One file for each site.

A question is written as people type it. The pages that answer it, and those that only help, were found in the files of
the sites, by their contents and by searching for words, without a look at a ranking. Then the first five of both
engines were judged, in the order of their addresses and without the name of the engine: by their titles, and those that
might answer by their text. Pages were only added, and a question that names no program may be answered by any.
An address is relative to the home page of the site, or whole.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from doc_packages import SITES, Site

FILES = Path(__file__).with_name("questions")
KINDS = {
    "task": "what somebody wants to do, in words of their own",
    "named": "the same, with the names that the documentation uses",
    "question": "a whole question",
    "keywords": "a few words",
    "identifier": "the name of a class, function or setting",
    "option": "an option or a piece of syntax, as it is typed",
    "error": "the message of an error",
    "language": "a question in German or French",
    "typo": "words that are misspelled",
}
NAMED = {"named", "identifier", "option", "error"}
"""Kinds that have a word of the page that answers. In the others people use words of their own."""
ANSWERS, HELPS = 2, 1
"""Grades."""


@dataclass(frozen=True)
class Question:
    """What was asked, where, and the grades of pages by address."""

    name: str
    site: str
    kind: str
    text: str
    grades: dict[str, int]

    @property
    def answers(self) -> list[str]:
        """The pages that answer it."""
        return [url for url, grade in self.grades.items() if grade == ANSWERS]


def read(folder: Path = FILES, sites: Iterable[Site] = SITES) -> list[Question]:
    """All questions, in the order of the sites."""
    return [question for site in sites for question in _of_site(site, folder / f"{site.package}.toml")]


def _of_site(site: Site, file: Path) -> Iterator[Question]:
    for name, row in tomllib.loads(file.read_text("utf-8")).items():
        yield Question(name, site.package, row["kind"], row["asks"], _grades(site, row))


def _grades(site: Site, row: dict[str, Any]) -> dict[str, int]:
    graded = [(row.get("helps", ()), HELPS), (row["answers"], ANSWERS)]
    return {urljoin(site.home, page): grade for pages, grade in graded for page in pages}


def write(questions: Iterable[Question], folder: Path) -> None:
    """The two files that `gossamer evaluate` reads."""
    gathered = list(questions)
    folder.mkdir(parents=True, exist_ok=True)
    asked = "".join(f"{each.name}\t{each.text}\n" for each in gathered)
    judged = "".join(f"{each.name} 0 {url} {grade}\n" for each in gathered for url, grade in each.grades.items())
    (folder / "questions.txt").write_text(asked, "utf-8")
    (folder / "judgements.txt").write_text(judged, "utf-8")
