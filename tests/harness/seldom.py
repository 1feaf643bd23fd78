"""Many cases of one kind: a few in every run of the tests, all of them in `make soak`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def seldom(cases: Sequence[Any], every: int) -> list[Any]:
    """The first of each so many; the others are marked for a soak. A case of several values is a tuple."""
    return [case if number % every == 0 else _soaked(case) for number, case in enumerate(cases)]


def _soaked(case: Any) -> Any:
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.soak)
