"""Which pages are meant, and what of each? Those of some sites, with some addresses, or that answer a question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gossamer.collection.ask.addresses import host_of
from gossamer.collection.documents import FIELDS, GIVEN, ONE_GIVEN
from gossamer.errors import UsageError
from gossamer.store.versions import Version
from gossamer.urls import Patterns, keys

BY_PAGE = ("jsonl", "markdown", "files", "parquet", "passages", "passages-parquet", "trec", "graph")
"""Formats that are written page by page, so that a part of them is one."""

BY_FIELD = ("jsonl", "parquet")
"""Formats whose rows have named fields that one may choose from."""


@dataclass(frozen=True, slots=True)
class Part:
    """What is asked of a page; nothing means all of them."""

    sites: tuple[str, ...] = ()
    """Hosts, or domains with all hosts below."""
    include: tuple[str, ...] = ()
    """RE2 patterns: an address has one of them."""
    query: str = ""
    """In the language of `search`."""
    fields: tuple[str, ...] = ()
    """What is told of each page, by the names of `export jsonl`."""
    copies: bool = True
    """Also pages that say what another one says, or nearly."""

    def __bool__(self) -> bool:
        return bool(self.sites or self.include or self.query or not self.copies)

    def require_sense(self, form: str) -> None:
        """WARC, WACZ and CDXJ are about records, which belong together."""
        if "" in self.include:
            raise UsageError("an empty pattern is in every address; leave it out for all pages")
        if self and form not in BY_PAGE:
            options = "--site, --include, --query and --without-copies"
            raise UsageError(f"{form} is written whole; {options} are for {', '.join(BY_PAGE)}")
        if self.fields and form not in BY_FIELD:
            raise UsageError(f"--fields is for {' and '.join(BY_FIELD)}; {form} is what it is")
        if unknown := [name for name in self.fields if not _is_field(name)]:
            raise UsageError(
                f"there is no field {unknown[0]!r}; choose from {', '.join((*FIELDS, GIVEN))}; one that a page function"
                f" gave is written {ONE_GIVEN}NAME"
            )

    def chosen(self, answers: Callable[[str], set[str]]) -> Callable[[str], bool]:
        """Whether an address is meant. `answers` gives all pages that a question finds."""
        hosts, patterns = tuple(map(host_of, self.sites)), Patterns(self.include)
        found = answers(self.query) if self.query else None

        def is_meant(url: str) -> bool:
            name = keys.host(url)
            here = not hosts or any(name == host or name.endswith(f".{host}") for host in hosts)
            return here and (found is None or url in found) and (not self.include or patterns.match(url))

        return is_meant


class OneOfEach:
    """Of copies one: the page that others are copies of, or where that is not meant the first of them that is."""

    def __init__(self, is_meant: Callable[[str], bool]) -> None:
        self._is_meant = is_meant
        self._taken: set[str] = set()
        """Pages that are not meant, of which a copy was taken."""

    def takes(self, version: Version) -> bool:
        """Whether to take a page that is meant."""
        original = version.copy_of or version.near_copy_of
        if original is None:
            return True
        if self._is_meant(original) or original in self._taken:
            return False
        self._taken.add(original)
        return True


def _is_field(name: str) -> bool:
    """Of pages of any collection; whether one has a field of its own by that name, its pages tell."""
    return name in FIELDS or name == GIVEN or (name.startswith(ONE_GIVEN) and name != ONE_GIVEN)


def named(*fields: str) -> tuple[str, ...]:
    """Names with commas between them, each once; none mean all."""
    return tuple(dict.fromkeys(name.strip() for each in fields for name in each.split(",")))
