"""What is loaded late is what it would have been at once."""

from __future__ import annotations

import pydoc
import re
import subprocess
import sys

import pytest

import gossamer
from gossamer.lazy import pattern


def test_a_pattern_is_compiled_when_it_is_used_and_is_one_from_then_on() -> None:
    late, at_once = pattern(r"(?P<key>\w+)=(\d+)", re.IGNORECASE), re.compile(r"(?P<key>\w+)=(\d+)", re.IGNORECASE)
    assert "match" not in vars(late)
    assert late.sub(r"\2", "A=1 b=22") == at_once.sub(r"\2", "A=1 b=22")
    assert late.match == late.match
    names = [name for name in dir(at_once) if not name.startswith("_") and name not in ("scanner",)]
    assert {name for name in names if name in vars(late)} == set(names)
    assert (late.pattern, late.flags, late.groupindex) == (at_once.pattern, at_once.flags, at_once.groupindex)
    with pytest.raises(AttributeError):
        late.nothing  # type: ignore[attr-defined]  # that is the point  # noqa: B018


def test_a_pattern_that_is_none_says_so_when_it_is_used() -> None:
    broken = pattern("(")
    with pytest.raises(re.error):
        broken.match("")


def test_completion_and_help_find_what_is_loaded_late() -> None:
    assert set(gossamer.__all__) < set(dir(gossamer))
    assert "class Collection(" in pydoc.render_doc(gossamer, renderer=pydoc.plaintext)


@pytest.mark.parametrize(
    ("verb", "unwanted"),
    [
        ("status", ("gossamer.store.archive", "gossamer.fetch.logins", "gossamer.cli.crawling", "numpy", "subprocess")),
        ("search", ("gossamer.collection.status", "gossamer.cli.crawling", "subprocess")),
        ("why", ("gossamer.cli.crawling", "numpy", "gossamer.cli.search_output", "gossamer.cli.options.fetching")),
    ],
)
def test_a_question_loads_no_more_than_its_answer_takes(verb: str, unwanted: tuple[str, ...]) -> None:
    """Loading is most of what a short command costs."""
    program = (
        "import sys; from gossamer.cli.main import command; from gossamer.cli.options import parser;"
        f"parser({verb!r}); command({verb!r}); from gossamer.collection.ask.reading import Reading;"
        f"print([name for name in {unwanted!r} if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout == "[]\n"
