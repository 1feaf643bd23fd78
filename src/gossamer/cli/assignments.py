"""What does `--set NAME=VALUE` mean? Any setting, by the type that the list of settings gives it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gossamer import settings
from gossamer.cli.guide import meant, options_of, verbs_of
from gossamer.errors import UsageError
from gossamer.setting_text import parsed
from gossamer.settings import SETTINGS


def assigned(given: Iterable[str], by: str = "--set") -> dict[str, Any]:
    """The settings of all assignments; a list that is given more than once has all of them.

    They are given `by` an option or a command.
    """
    found: dict[str, Any] = {}
    for each in given:
        said, equals, text = each.partition("=")
        if not equals:
            raise UsageError(f"{by} {each}: is written as NAME=VALUE, as in depth=3")
        name = _named(said.strip(), by)
        value = parsed(name, text.strip(), by)
        found[name] = (*found.get(name, ()), *value) if isinstance(value, tuple) else value
    return found


def _named(said: str, by: str) -> str:
    """A setting goes by its own name and by that of its option."""
    if (setting := settings.meant(said)) is not None:
        return setting
    name = said.lstrip("-").replace("-", "_")
    flag = f"--{name.replace('_', '-')}"
    flags = {each.option.flag: key for key, each in SETTINGS.items() if each.option}
    raise UsageError(f"{by} {said}: there is no such setting{_hint(name, flag, flags)}")  # what follows may be a secret


def _hint(name: str, flag: str, flags: Mapping[str, str]) -> str:
    if flag in flags:
        return f"; did you mean {flags[flag]}=no?"
    from gossamer.cli.options import parser  # for slips alone

    if flag in options_of(verbs_of(parser("crawl"))["crawl"]):
        return f"; {flag} is an option of crawl, and no setting"
    return meant(name, SETTINGS) or meant(flag, [*flags, "--set"]) or "; `gossamer help --plan` lists them all"
