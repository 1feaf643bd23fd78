"""What does a browser ask for? A question, its filters, an order and a page, from the address of the search page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from starlette.datastructures import QueryParams

from gossamer.collection.ask.times import moment
from gossamer.errors import UsageError
from gossamer.search.sorting import Sort

PAGES_MOST = 1_000
"""Pages of answers that can be turned to."""
QUESTION_MOST = 20_000
"""Characters of a question that are looked at."""
VALUE = re.compile(r"[\w.:/+%~-]+")
"""What a filter may be set to from an address."""
_FILTERS = ("site", "type", "lang", "after", "before")
"""Parameters of the page that are called so in a question too."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it stands in the address of the page."""

    text: str
    filters: dict[str, str]
    sort: Sort
    page: int
    at: str = ""
    """The day or time that is travelled to, as it was given; nothing: now."""
    all_versions: bool = False
    """All that pages ever said is asked of, and no moment."""
    explain: bool = False
    """Why do the answers stand where they stand?"""

    @property
    def moment(self) -> datetime | None:
        """The same as a time: of a day its end. UsageError if it is none."""
        return moment(self.at, end=True) if self.at else None

    @property
    def question(self) -> str:
        """In the query language: filters first, because the question may end within a phrase."""
        named = [f"{name}:{value}" for name, value in self.filters.items() if name in _FILTERS]
        if year := self.filters.get("year"):
            named += [f"after:{year}", f"before:{int(year) + 1:04}"]
        return " ".join((*named, self.text))

    def bare(self, question: str) -> str:
        """A corrected question without the filters that stand beside it on the page."""
        return question.removeprefix(self.question.removesuffix(self.text)).strip()

    @property
    def values(self) -> dict[str, Any]:
        """For links to the same question."""
        sort = "" if self.sort is Sort.RELEVANCE else self.sort
        page = self.page if self.page > 1 else ""
        explain = "true" if self.explain else ""
        order = {"sort": str(sort), "page": page, "explain": explain}
        return {"q": self.text, **self.filters, **order, "at": self.at, **self.all_times}

    @property
    def all_times(self) -> dict[str, str]:
        """As it stands in an address."""
        return {"all_versions": "true" if self.all_versions else ""}


def asked(given: QueryParams) -> Asked:
    """What a browser asks for. What makes no sense is passed over: a page is better than a lecture. But for a time: to
    answer of another one would be wrong."""
    filters = {name: given[name] for name in _FILTERS if VALUE.fullmatch(given.get(name, ""))}
    if re.fullmatch(r"[0-9]{4}", given.get("year", "")):
        filters["year"] = given["year"]
    sort, page = given.get("sort", ""), given.get("page", "")
    number = int(page) if re.fullmatch(r"[0-9]{1,6}", page) else 1
    all_versions = given.get("all_versions") == "true"
    return Asked(
        given.get("q", "")[:QUESTION_MOST].strip(),
        filters,
        Sort(sort) if sort in set(Sort) else Sort.RELEVANCE,
        min(max(number, 1), PAGES_MOST),
        "" if all_versions else _time(given.get("at", "").strip(), given.get("time", "").strip()),
        all_versions,
        given.get("explain") == "true",
    )


def _time(day: str, hour: str) -> str:
    """A day or a time, or a day and a time of it, which a form has in two fields. What counts from now is made a time
    by the calendar, so that the links of the page go on meaning the same. What is no time stays as it is."""
    text = f"{day}T{hour}" if hour and re.fullmatch(r"[0-9-]{10}", day) and _is_hour(hour) else day
    try:
        found = moment(text, end=True) if text else None
        return "" if found is None else text if text[:4].isdecimal() else f"{found:%Y-%m-%dT%H:%M:%S}"
    except UsageError:
        return text


def _is_hour(text: str) -> bool:
    return re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?", text) is not None
