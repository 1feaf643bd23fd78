"""How does a verb get at its collection, and at the settings that were given with it?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer.cli.assignments import assigned
from gossamer.settings import SETTINGS

if TYPE_CHECKING:
    from gossamer.collection.ask.reading import Reading


def asked(options: argparse.Namespace) -> Reading:
    """The collection for a question: what writes is not loaded for it, which would take longer than most answers."""
    from gossamer.collection.ask.reading import Reading

    return Reading(Path(options.dir))


def settings(options: argparse.Namespace) -> dict[str, Any]:
    """The settings of the plan that were given; lists become tuples."""
    named = [name for name, setting in SETTINGS.items() if setting.option]
    given = {name: getattr(options, name) for name in named if getattr(options, name, None) is not None}
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    return given | assigned(getattr(options, "assigned", None) or ())
