"""What is the main content of a page? Several methods with one signature; the table is `METHODS`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from gossamer.convert.content.found import Found
from gossamer.convert.content.heuristics import density, plateau
from gossamer.convert.content.learned import learned
from gossamer.convert.html.outline import Outline

Method: TypeAlias = Callable[[Outline], Found]
"""For each run of text of an outline that has any: is it main content? And what kind of page is it?"""

METHODS: dict[str, Method] = {"learned": learned, "density": density, "plateau": plateau}
"""By the name that a plan gives them; the first is the default."""
DEFAULT = next(iter(METHODS))
