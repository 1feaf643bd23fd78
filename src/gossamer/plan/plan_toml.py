"""How does a plan stand in plan.toml? Written with what each setting does, read back with the mistakes named."""

from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import Field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from gossamer import files
from gossamer.errors import InvalidPlan
from gossamer.plan.checks import unknown
from gossamer.plan.plan import Plan, both_delays
from gossamer.setting_text import TYPES
from gossamer.settings import SETTINGS
from gossamer.toml_text import InvalidTOML, loads, toml

FILE = "plan.toml"
_HEADER = "# What this collection was asked for. Edit it between crawls; lines that start with # are defaults."
_WHOLE = "# Keep the last line: a plan without it was cut short."
_LAST = "# That was all."


def load(path: Path) -> Plan:
    """Read a plan; unknown or impossible settings are named."""
    try:
        text = files.read(path).decode("utf-8-sig")  # editors of Windows begin a file with a mark
    except UnicodeDecodeError as error:
        raise InvalidPlan(f"{path}: not valid TOML: {error}") from error
    return parse(text, path)


def parse(text: str, path: Path) -> Plan:
    """The same for what stands in a plan; `path` is where it is from."""
    try:
        return _parsed(text, path)
    except InvalidTOML as error:
        twice = "; it is in the file already, so write below its line" if "Cannot declare" in str(error) else ""
        bare = "; texts stand in quotation marks" if "Invalid value" in str(error) else ""
        raise InvalidPlan(f"{path}: not valid TOML: {error}{twice}{bare}") from error
    except RecursionError as error:  # what was read cannot be shown
        raise InvalidPlan(f"{path}: not valid TOML: values are nested too deeply") from error


@lru_cache(maxsize=16)  # a crawl looks a dozen times
def _parsed(text: str, path: Path) -> Plan:
    data = loads(text)
    if strange := sorted(data.keys() - SETTINGS):
        raise InvalidPlan(f"{path}: {unknown(strange)}")
    try:
        return Plan(**{name: _meant(name, value) for name, value in both_delays(data).items()})
    except InvalidPlan as error:  # what nobody can have meant has a cause, a slip has none
        raise InvalidPlan(f"{path}: {error}") from error.__cause__


def _meant(name: str, value: Any) -> Any:
    """A time or a size may be written as on the command line."""
    unit = SETTINGS[name].unit
    if not unit or not isinstance(value, str):
        return _frozen(value)
    try:
        return TYPES[unit](value)
    except ArgumentTypeError as error:
        raise InvalidPlan(f"{name}: {error}") from None


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        return {name: _frozen(each) for name, each in value.items()}
    return value


def is_meant(text: str) -> bool:
    """Did somebody write it as a plan, whatever was done to it since? We have, or it names a setting."""
    return _HEADER in text or any(line.partition("=")[0].strip() in SETTINGS for line in text.splitlines())


def is_whole(text: str) -> bool:
    """Is a plan there to its end? One that we did not write may end anywhere."""
    return _WHOLE not in text or _LAST in text


def dump(plan: Plan) -> str:
    """The plan as TOML, each setting under the line that says what it does; defaults are commented out."""
    lines = [_HEADER, _WHOLE, ""]
    tables = []
    for spec in fields(plan):
        value = getattr(plan, spec.name)
        if isinstance(value, dict):
            tables.append((spec, value))
            continue
        lines += [
            f"# {spec.metadata['text']}{_choices(spec)}",
            f"{'# ' if _may_be_left_out(spec, plan) else ''}{spec.name} = {toml(value)}",
        ]
    for spec, table in tables:
        lines += ["", f"# {spec.metadata['text']}", f"[{spec.name}]"]
        lines += [f"{toml(name)} = {toml(value)}" for name, value in table.items()]
    lines += ["", _LAST]
    return "\n".join(lines) + "\n"


def _may_be_left_out(spec: Field[Any], plan: Plan) -> bool:
    """Does a plan without it say the same? One with `delay` alone means both delays."""
    alone = spec.name == "ip_delay" and plan.delay != SETTINGS["delay"].default
    return not alone and bool(getattr(plan, spec.name) == spec.default)


def _choices(spec: Field[Any]) -> str:
    choices = spec.metadata["choices"]
    return f" One of {', '.join(choices)}." if choices else ""
