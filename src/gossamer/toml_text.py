"""What does a file in TOML say that people write, and how is a value written into one? All of them are read here.

Such a file may come from a stranger, or be no TOML at all. Python's reader ends in four ways: with an error of its own,
with one about digits that it does not read because it would take too long, out of depth, and with numbers that no TOML
has. Here it ends in one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from gossamer.settings import LARGEST

_DEEP = re.compile(r"""(?m:^|[\[{,])[ \t]*+(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){64}""")
"""A key of so many parts: it takes time by the square of them."""
_TOO_DEEP, _TOO_LARGE = "values are nested too deeply", "a number is too large"


class InvalidTOML(ValueError):
    """Why a text is no TOML, in words."""


def loads(text: str) -> dict[str, Any]:
    """What a text says."""
    if _DEEP.search(text):
        raise InvalidTOML(_TOO_DEEP)
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidTOML(str(error)) from error
    except RecursionError as error:
        raise InvalidTOML(_TOO_DEEP) from error
    except ValueError as error:
        raise InvalidTOML(_TOO_LARGE) from error
    if any(abs(number) > LARGEST + 1 for number in _whole_numbers(said)):
        raise InvalidTOML(_TOO_LARGE)
    return said


def _whole_numbers(said: dict[str, Any]) -> Iterator[int]:
    left: list[Any] = [said]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            left += value.values()
        elif isinstance(value, list):
            left += value
        elif isinstance(value, int):
            yield value


def toml(value: Any) -> str:
    """A value as it stands in a plan."""
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c.isprintable() else _escape(ord(c)) for c in escaped) + '"'
    if isinstance(value, tuple):
        return "[" + ", ".join(toml(each) for each in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(name)} = {toml(each)}" for name, each in value.items()) + "}"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).removesuffix(".0")


def _escape(code: int) -> str:
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
