"""What does the text of a setting mean? By the type that the list of settings gives it: 2h, 10G, yes, ["a", "b"]."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from collections.abc import Callable, Mapping
from typing import Any

from gossamer import toml_text
from gossamer.errors import UsageError
from gossamer.lazy import pattern
from gossamer.printable import cut
from gossamer.settings import SETTINGS

TIME = "a day, as 2026-11-01 or yesterday, a time, as 2026-11-01T12:00Z, or how long ago, as 2h or 7d"
"""What may stand for a point in time, wherever one is asked for."""

_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_SECONDS = {"": 1, "ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400}
_A_DAY = {"day": 1, "d": 1, "hour": 24, "h": 24, "minute": 1_440, "min": 1_440}
_BYTES = {"": 1, "b": 1} | {
    f"{letter}{end}": base**power
    for power, letter in enumerate("kmgt", 1)
    for end, base in (("", 1_000), ("b", 1_000), ("i", 1_024), ("ib", 1_024))
}
MOST = "max"
_FLOATS = {"s": " of seconds, or a time like 2h", "/day": " of visits a day, or like 500/hour"}
_AMOUNT = pattern(r"(\d{1,15}(?:\.\d{0,9})?|\.\d{1,9}) ?([a-z]*)", re.IGNORECASE)
_SEVERAL = pattern(r"(?:\d{1,15}(?:\.\d{1,9})? ?[a-z]+ ?){2,4}", re.IGNORECASE)
"""A time of several units, like 1h30m."""


def parsed(name: str, text: str, by: str = "") -> Any:
    """The value of a setting; a mistake names what it was given `by`."""
    setting = SETTINGS[name]
    default = setting.default
    try:
        if isinstance(default, bool):
            return _WORDS[text.lower()]
        if isinstance(default, int | float):
            return TYPES.get(setting.unit, type(default))(text)
        if isinstance(default, tuple):
            if text.startswith("["):
                return _texts(_toml(text))
            return tuple(filter(None, map(str.strip, text.split(",") if setting.with_commas else [text])))
        if isinstance(default, dict):
            return {key: _entry(each) for key, each in _toml(text or "{}").items()}
    except (KeyError, ValueError, AttributeError, TypeError, RecursionError, ArgumentTypeError):
        shown = name if name == "logins" else f"{name}={cut(text)}"  # a password may stand there by mistake
        raise UsageError(f"{by} {shown}: {name} is {_kind(name)}".lstrip()) from None
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
    return toml_text.loads(f"value = {text}")["value"]


def _kind(name: str) -> str:
    setting = SETTINGS[name]
    kinds = {
        bool: "true or false",
        int: "a whole number" + (", or a size like 10G" if setting.unit else ""),
        float: "a number" + _FLOATS.get(setting.unit, ""),
        tuple: 'a list: one text, or ["a", "b"]; nothing empties it',
        dict: 'a table, like { "example.org" = ... }; nothing empties it',
    }
    return kinds[type(setting.default)]


def seconds(text: str) -> float:
    """`2h`, `1h30m` and the like."""
    wanted = "a time, like 90, 0.5, 500ms, 30m, 1h30m, 2h or 1d"
    if not _SEVERAL.fullmatch(text.strip()):
        return _amount(text, _SECONDS, wanted)
    parts = [(_amount(part[0], _SECONDS, wanted), _SECONDS[part[2].lower()]) for part in _AMOUNT.finditer(text)]
    units = [unit for _, unit in parts]
    if units != sorted(set(units), reverse=True):
        raise ArgumentTypeError(f"{text!r} is not {wanted}")
    return sum(amount for amount, _ in parts)


def octets(text: str) -> int:
    """`10G` and the like; k is 1,000 and Ki is 1,024."""
    found = _amount(text, _BYTES, "a size, like 500k, 10M, 2G or 2GiB")
    return round(found) or int(found > 0)  # half a byte is little, and none would be no limit


def visits(text: str) -> float:
    """`10000/day`, `500/hour` and the like: visits a day; `max` is as many as there can be."""
    if text.strip().lower() == MOST:
        return SETTINGS["budget"].most or 0.0
    return _daily(
        text, {"": 1, "k": 1_000, "m": 1_000_000}, "a number of visits, like 10000, 10000/day or 500/hour, or max"
    )


def octets_a_day(text: str) -> int:
    """`100M/day`, `5M/hour` and the like: bytes a day."""
    found = _daily(text, _BYTES, "a size, like 100M, 100M/day or 5M/hour")
    return round(found) or int(found > 0)


def _daily(text: str, units: Mapping[str, float], wanted: str) -> float:
    amount, slash, unit = text.partition("/")
    unit = unit.strip().lower().removesuffix("s")
    if not slash or unit in _A_DAY:
        return _amount(amount, units, wanted) * (_A_DAY[unit] if slash else 1)
    raise ArgumentTypeError(f"{text!r} is not {wanted}")


TYPES: dict[str, Callable[[str], float]] = {"s": seconds, "B": octets, "/day": visits, "B/day": octets_a_day}
"""By the unit of a setting."""


def _amount(text: str, units: Mapping[str, float], wanted: str) -> float:
    found = _AMOUNT.fullmatch(text.strip())
    if not found or found[2].lower() not in units:
        raise ArgumentTypeError(f"{text!r} is not {wanted}")
    return float(found[1]) * units[found[2].lower()]
