"""How is a plan changed that somebody has edited? The settings that are others now are written; all else stays.

tomlkit keeps comments, order and spaces. It takes 50 to 130 ms to load, so only a crawl that changes its plan loads it.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

from gossamer import plan as plans
from gossamer.errors import GossamerError
from gossamer.plan import Plan


def edited(text: str, plan: Plan, path: Path) -> str:
    """The text of a plan, with the settings of another; one that cannot be edited is written anew."""
    try:
        before = plans.parse(text, path)
        if before == plan:
            return text
        changed = [spec.name for spec in dataclasses.fields(plan) if _differs(spec.name, before, plan)]
        new = _with(text, {name: getattr(plan, name) for name in changed})
        if plans.parse(new, path) == plan:
            return new
    except GossamerError:
        pass
    return plans.dump(plan)


def _differs(name: str, before: Plan, after: Plan) -> bool:
    return bool(getattr(before, name) != getattr(after, name))


def _with(text: str, values: dict[str, Any]) -> str:
    import tomlkit

    for name, value in list(values.items()):
        line = re.compile(rf"(?m)^# {name} = .*$")  # a default of ours: it becomes the setting, where it stands
        if not isinstance(value, dict) and line.search(text) and name not in tomlkit.parse(text):
            text = line.sub(lambda _, name=name, value=value: f"{name} = {plans.toml(value)}", text, count=1)  # type: ignore[misc]  # mypy does not see the defaults
            del values[name]
    document = tomlkit.parse(text)
    for name, value in values.items():
        _put(document, name, value)
    return tomlkit.dumps(document)


def _put(document: Any, name: str, value: Any) -> None:
    known = document.get(name)
    if isinstance(value, tuple) and _has_lines(known) and tuple(known) == value[: len(known)]:
        # what stands there stays, with its comments; the new ones at once: each call goes through the whole list
        known.add_line(*value[len(known) :], indent="  ")
    elif isinstance(value, dict) and isinstance(known, dict):
        for key in [key for key in known if key not in value]:
            del known[key]
        for key, each in value.items():
            if known.get(key) != each:
                known[key] = list(each) if isinstance(each, tuple) else each
    else:
        document[name] = _list(value) if isinstance(value, tuple) else value


def _list(values: tuple[str, ...]) -> Any:
    """Read, because tomlkit goes through a list again for each value that is put in."""
    import tomlkit

    return tomlkit.parse(f"values = {plans.toml(values)}")["values"]


def _has_lines(known: Any) -> bool:
    """A list over several lines: comments may stand in it, and what is added needs a line of its own."""
    from tomlkit.items import Array

    return isinstance(known, Array) and "\n" in known.as_string()
