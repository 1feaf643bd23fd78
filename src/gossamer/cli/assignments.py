"""What does `--set NAME=VALUE` mean? Any setting, by the type that the list of settings gives it."""

from __future__ import annotations

import tomllib
from argparse import ArgumentTypeError
from collections.abc import Iterable
from typing import Any

from gossamer.cli.amounts import TYPES
from gossamer.cli.guide import meant
from gossamer.errors import UsageError
from gossamer.settings import SETTINGS

_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def assigned(given: Iterable[str]) -> dict[str, Any]:
    """The settings of all assignments; a list that is given more than once has all of them."""
    found: dict[str, Any] = {}
    for each in given:
        name, equals, text = each.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise UsageError(f"--set {each}: is written as NAME=VALUE, as in --set depth=3")
        if name not in SETTINGS:
            hint = meant(name, SETTINGS) or "; docs/settings.md lists them all"
            raise UsageError(f"--set {name}: there is no such setting{hint}")  # what follows may be a secret
        value = _value(name, text.strip())
        found[name] = (*found.get(name, ()), *value) if isinstance(value, tuple) else value
    return found


def _value(name: str, text: str) -> Any:
    setting = SETTINGS[name]
    default = setting.default
    try:
        if isinstance(default, bool):
            return _WORDS[text.lower()]
        if isinstance(default, int | float):
            return TYPES.get(setting.unit, type(default))(text)
        if isinstance(default, tuple):
            return _texts(_toml(text)) if text.startswith("[") else (text,) if text else ()
        if isinstance(default, dict):
            return {key: _entry(each) for key, each in _toml(text or "{}").items()}
    except (KeyError, ValueError, AttributeError, TypeError, RecursionError, ArgumentTypeError):
        shown = name if name == "logins" else f"{name}={text}"  # a password may stand there by mistake
        raise UsageError(f"--set {shown}: {name} is {_kind(name)}") from None
    return text


def _entry(value: Any) -> Any:
    """What a table has for a site: a text, or texts. Tables in it may be nested deeper than any message can show."""
    if isinstance(value, dict):
        raise TypeError
    return _texts(value) if isinstance(value, list) else value


def _texts(values: list[Any]) -> tuple[str, ...]:
    if not all(isinstance(each, str) for each in values):
        raise TypeError
    return tuple(values)


def _toml(text: str) -> Any:
    return tomllib.loads(f"value = {text}")["value"]


def _kind(name: str) -> str:
    setting = SETTINGS[name]
    kinds = {
        bool: "true or false",
        int: "a whole number" + (", or a size like 10G" if setting.unit else ""),
        float: "a number" + (" of seconds, or a time like 2h" if setting.unit else ""),
        tuple: 'a list: one text, or ["a", "b"]; nothing empties it',
        dict: 'a table, like { "example.org" = ... }; nothing empties it',
    }
    return kinds[type(setting.default)]
