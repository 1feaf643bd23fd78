"""What does a filter ask the index for?"""

from __future__ import annotations

from gossamer.errors import InvalidURL
from gossamer.search.query import Field, Filter
from gossamer.urls.paths import canonical

_INDEXED = {Field.SITE: "place", Field.TYPE: "type", Field.LANGUAGE: "language"}


def term_of(wanted: Filter) -> tuple[str, str]:
    """The field of the index and the term in it, for what is a site, a type or a language."""
    value = wanted.value
    if wanted.field is Field.SITE:
        value = (
            value.removeprefix("file://")
            .removeprefix("https://")
            .removeprefix("http://")
            .removeprefix("*.")
            .strip("/.")
        )
    return _INDEXED[wanted.field], value


def has_term(wanted: Filter) -> bool:
    """It is one of these."""
    return wanted.field in _INDEXED


def addresses(text: str) -> list[str]:
    """What an address may mean: without a scheme that of https and that of http."""
    whole = [text] if "://" in text else [f"{scheme}://{text}" for scheme in ("https", "http")]
    try:
        return [canonical(each) for each in whole]
    except InvalidURL:
        return []
