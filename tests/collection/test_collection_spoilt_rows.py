"""Rows that somebody else has written, with checksums that agree: one line in every verb, and a repair mends them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import cycle
from pathlib import Path

import pytest

import gossamer
from gossamer.collection.column_families import FAMILIES
from gossamer.errors import GossamerError
from gossamer.urls import keys
from harness.hostile_collections import PLANTS, SPOILT, Web, copied, make
from harness.seldom import seldom

CASES = [(family, kind) for family, kind in zip(FAMILIES, cycle(SPOILT), strict=False)]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Web:
    return make(tmp_path_factory.mktemp("sound"))


def questions(web: Web, collection: gossamer.Collection) -> Iterator[Callable[[], object]]:
    yield collection.status
    yield lambda: collection.why(web.url)
    yield lambda: collection.why(keys.host(web.url))
    yield lambda: list(collection.pages())
    yield lambda: collection.page(web.url)
    yield lambda: collection.history(web.url)
    yield lambda: collection.search("the")
    yield lambda: collection.links(web.url)
    yield lambda: collection.similar(web.url)
    yield collection.duplicates
    yield lambda: list(collection.unread())


@pytest.mark.parametrize(("family", "kind"), seldom(list(CASES), 2))
def test_rows_that_say_nothing_are_damage(family: str, kind: str, sound: Web, tmp_path: Path) -> None:
    web = copied(sound, tmp_path)
    PLANTS[f"rows of {family} {kind}"](web)
    with gossamer.open(web.folder) as collection:
        for question in questions(web, collection):
            with suppress(GossamerError):  # one line, and no traceback
                question()
        collection.verify()


@pytest.mark.parametrize(
    "family", seldom(["outbox", "firsts", "blocks", "prints", "imports", "queue", "urls", "robots"], 2)
)
@pytest.mark.parametrize("kind", ["that are no values", "under a key that is no text"])
def test_verify_names_rows_that_say_nothing_and_a_repair_mends_them(
    family: str, kind: str, sound: Web, tmp_path: Path
) -> None:
    if kind == "under a key that is no text" and family in {"firsts", "imports", "prints"}:
        pytest.skip("its keys are digests, or of several kinds")
    web = copied(sound, tmp_path)
    PLANTS[f"rows of {family} {kind}"](web)
    with gossamer.open(web.folder) as collection:
        assert collection.verify().problems
        assert collection.repair().left == ()
    with gossamer.open(web.folder) as collection:
        assert collection.verify().problems == []
        assert list(collection.pages())
