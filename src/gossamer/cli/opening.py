"""How does a verb get at its collection, and at the settings that were given with it?"""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer.cli.assignments import assigned
from gossamer.errors import NotACollection
from gossamer.settings import SETTINGS

if TYPE_CHECKING:
    from gossamer.collection.ask.reading import Reading


def asked(options: argparse.Namespace) -> Reading:
    """The collection for a question: what writes is not loaded for it, which would take longer than most answers."""
    from gossamer.collection.ask.reading import Reading

    folder = Path(options.dir)
    if not os.path.lexists(folder) and (words := _asked_for(options)):
        raise NotACollection(f"{folder}: no such directory; {_comes_first(options.verb, [str(folder), *words])}")
    return Reading(folder)


def _asked_for(options: argparse.Namespace) -> list[str]:
    """What stands behind the directory, the first of which may stand in its place."""
    given = (getattr(options, name, None) for name in ("question", "url", "subject"))
    found: str | list[str] = next((each for each in given if each), [])
    return [found] if isinstance(found, str) else found


def _comes_first(verb: str, words: Sequence[str]) -> str:
    """An example, with the collection that is here, if there is one alone."""
    here = [each.name for each in os.scandir() if os.path.isfile(os.path.join(each.name, "plan.toml"))]
    name = here[0] if len(here) == 1 else "my-web"
    rest = words if verb == "search" else words[-1:]
    return f"the collection comes first, as in `gossamer {verb} {shlex.join([name, *rest])}`"


def settings(options: argparse.Namespace) -> dict[str, Any]:
    """The settings of the plan that were given; lists become tuples."""
    named = [name for name, setting in SETTINGS.items() if setting.option]
    given = {name: getattr(options, name) for name in named if getattr(options, name, None) is not None}
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    return given | assigned(getattr(options, "assigned", None) or ())
