"""How is a plan changed that somebody has edited? The settings that are others now are written; all else stays.

A setting that stands on a line of its own is changed there, and a seed gets a line in its list; what is read back says
whether that was right. All else is for tomlkit, which keeps comments, order and spaces. It takes 50 to 130 ms to load,
and several seconds for a plan of a few megabytes.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gossamer import plan as plans
from gossamer.errors import GossamerError
from gossamer.plan import Plan


def edited(text: str, plan: Plan, path: Path) -> str:
    """The text of a plan, with the settings of another; one that cannot be edited is written anew."""
    try:
        before = plans.parse(text, path)
        if before == plan:
            return text
    except GossamerError:
        return plans.dump(plan)
    names = [spec.name for spec in dataclasses.fields(plan) if _differs(spec.name, before, plan)]
    if "delay" in names and "ip_delay" not in names:  # or the new one would be taken for that of both
        names.append("ip_delay")
    changes = [_Change(name, getattr(before, name), getattr(plan, name)) for name in names]
    for edit in (_on_lines, _with):
        new = edit(text, changes)
        if new is not None and _says(new, plan, path):
            return new
    return plans.dump(plan)


class _Change(NamedTuple):
    name: str
    before: Any
    after: Any


def _differs(name: str, before: Plan, after: Plan) -> bool:
    return bool(getattr(before, name) != getattr(after, name))


def _says(text: str, plan: Plan, path: Path) -> bool:
    try:
        return plans.parse(text, path) == plan
    except GossamerError:
        return False


_PLAIN = r"""[\w.+-]++|"[^"\\\n]*+"|'[^'\n]*+'"""
_VALUE = rf"(?:{_PLAIN}|\[[ \t]*+(?:(?:{_PLAIN})[ \t]*+,?+[ \t]*+|(?!))*+\])"
"""What stands on one line. Nothing is read twice, whatever a stranger has written there."""


def _on_lines(text: str, changes: Sequence[_Change]) -> str | None:
    """Each where it stands, or where its default does, or at the end; None where one of them is a table."""
    if any(isinstance(change.after, dict) for change in changes):
        return None
    for change in changes:
        text = _in_place(text, change) or _one_more(text, change) or _new_line(text, change)
    return text


def _in_place(text: str, change: _Change) -> str | None:
    for sign in ("", "# "):
        line = re.compile(rf"(?m)^{sign}{change.name}[ \t]*=[ \t]*{_VALUE}(?=[ \t]*(?:#.*)?$)")
        if found := line.search(text):
            return f"{text[: found.start()]}{change.name} = {plans.toml(change.after)}{text[found.end() :]}"
    return None


def _one_more(text: str, change: _Change) -> str | None:
    """More texts at the end of a list over several lines, whose last one has its comma."""
    before = change.before if isinstance(change.before, tuple) else ()
    if not before or change.after[: len(before)] != before:
        return None
    found = re.search(rf"(?ms)^{change.name}[ \t]*=[ \t]*\[[ \t]*\n.*?,[ \t]*\n(?=[ \t]*\])", text)
    more = "".join(f"  {plans.toml(each)},\n" for each in change.after[len(before) :])
    return f"{text[: found.end()]}{more}{text[found.end() :]}" if found else None


def _new_line(text: str, change: _Change) -> str:
    """Before the first table, or at the end."""
    table = re.search(r"(?m)^\[", text)
    above, below = (text[: table.start()], text[table.start() :]) if table else (text, "")
    lines = "" if not above or above.endswith("\n") else "\n"
    return f"{above}{lines}{change.name} = {plans.toml(change.after)}\n{below}"


def _with(text: str, changes: Sequence[_Change]) -> str:
    import tomlkit

    values = {change.name: change.after for change in changes}
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
