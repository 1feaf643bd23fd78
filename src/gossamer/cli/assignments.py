"""What does `--set NAME=VALUE` mean? Any setting, by the type that the list of settings gives it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gossamer.cli.guide import meant
from gossamer.errors import UsageError
from gossamer.setting_text import parsed
from gossamer.settings import SETTINGS


def assigned(given: Iterable[str], by: str = "--set") -> dict[str, Any]:
    """The settings of all assignments; a list that is given more than once has all of them.

    They are given `by` an option or a command.
    """
    found: dict[str, Any] = {}
    for each in given:
        name, equals, text = each.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise UsageError(f"{by} {each}: is written as NAME=VALUE, as in depth=3")
        if name not in SETTINGS:
            hint = meant(name, SETTINGS) or "; `gossamer help --plan` lists them all"
            raise UsageError(f"{by} {name}: there is no such setting{hint}")  # what follows may be a secret
        value = parsed(name, text.strip(), by)
        found[name] = (*found.get(name, ()), *value) if isinstance(value, tuple) else value
    return found
