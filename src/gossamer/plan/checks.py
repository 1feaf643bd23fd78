"""What may a setting be? Whatever it may not is refused, with its name and what it may."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from dataclasses import MISSING, Field
from math import isfinite
from typing import Any

from gossamer.errors import InvalidPlan, InvalidURL, UsageError
from gossamer.printable import repeated
from gossamer.settings import LARGEST, SETTINGS, meant
from gossamer.store.retention import Rule
from gossamer.toml_text import toml
from gossamer.urls import rules as url_rules
from gossamer.urls.paths import canonical, is_path

_ALIKE = 0.75
"""How far a name must be that of a setting to be a slip of it."""
_A_RULE = ("tracking",)
CREDENTIALS = frozenset({"headers", "cookies", "auth", "login", "sites"})
"""What is given with a crawl and never kept as a setting."""
_HALF = re.compile("[\ud800-\udfff]")
"""Bytes of a command line that are no UTF-8: TOML has no way to write them."""
_KINDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    tuple: "a list of texts",
    dict: "a table",
}

_EXAMPLES: dict[type, Any] = {str: "a text", tuple: ("one", "another")}


def check(spec: Field[Any], value: Any) -> None:
    """InvalidPlan, with the name of the setting and what it may be, unless the value will do."""
    choices, least, most = (spec.metadata.get(name) for name in ("choices", "least", "most"))
    if choices and value not in choices:
        raise InvalidPlan(f"{spec.name} is {value!r}; it must be one of {', '.join(choices)}")
    default = spec.default if spec.default is not MISSING else {}
    if not _same_type(value, default):
        raise InvalidPlan(
            f"{spec.name} is {value!r}; it must be {_KINDS[type(default)]}, like {_example(spec, default)}"
        )
    if _has_half(value):
        raise InvalidPlan(f"{spec.name} has bytes that are not UTF-8; write it in UTF-8, or rename the file it names")
    if isinstance(value, float) and not isfinite(value):
        raise InvalidPlan(f"{spec.name} is {value!r}; it must be a number that has an end")
    if least is not None and not value >= least:
        raise InvalidPlan(f"{spec.name} is {value!r}; it must be at least {least}")
    if isinstance(value, int | float) and most is not None and value > most:
        shown = "larger than any number of TOML" if isinstance(value, int) and value > LARGEST else f"{value}"
        raise InvalidPlan(f"{spec.name} is {shown}; it must be at most {most}") from OverflowError()
    if spec.name in ("include", "exclude") and "" in value:
        raise InvalidPlan(
            f"{spec.name} has an empty pattern, which every address has; leave it out (`--set {spec.name}=` empties it)"
        )
    if spec.name == "keep":
        _check_keep(value)
    elif spec.name == "url_rules":
        _check_rules(value)
    elif spec.name == "site_rules":
        for site, names in value.items():
            if not _same_type(names, ()):
                raise InvalidPlan(f"{_in_table(spec, site, names)}; it must be a list of rules, like {toml(_A_RULE)}")
            _check_rules(names)
    elif spec.name == "site_orders":
        _check_orders(spec, value)
    elif spec.name == "logins":
        _check_logins(value)


def _example(spec: Field[Any], default: Any) -> str:
    """How it may be written. What is empty by default would show nothing."""
    if isinstance(default, dict):
        return f"[{spec.name}]"
    if spec.name == "seeds":
        return toml(("https://example.org/",))
    return toml(default or _EXAMPLES.get(type(default), default))


def _check_keep(value: str) -> None:
    try:
        Rule.of(value)
    except ValueError:
        raise InvalidPlan(f"keep is {value!r}; it must be all, or like 'last 5' or '90 days'") from None


def check_folders(seeds: tuple[str, ...], folders: tuple[str, ...], shards: int) -> None:
    """Of the web or of this machine: what may be shown to others of the one may not of the other."""
    if seeds:
        raise InvalidPlan(
            "a collection has seeds or folders: pages of the web and files of this machine are kept apart; make another"
            " collection for these"
        )
    for folder in folders:
        if not _is_folder(folder):
            raise InvalidPlan(
                f"folders has {repeated(folder.partition('?')[0], 60)!r}; it must be an address like"
                " file:///home/me/notes, or like s3://bucket/folder without passwords and parameters"
            )
    if shards > 1:
        raise InvalidPlan(f"shards is {shards}; files of one machine are in one shard")


def _is_folder(text: str) -> bool:
    try:
        return is_path(text) and canonical(text) == text
    except InvalidURL:
        return False


def _has_half(value: Any) -> bool:
    if isinstance(value, str):
        return bool(_HALF.search(value))
    if isinstance(value, dict):
        return any(_has_half(each) for pair in value.items() for each in pair)
    return isinstance(value, tuple) and any(map(_has_half, value))


def _check_rules(names: tuple[str, ...]) -> None:
    url_rules.apply("http://example.org/", names)  # an unknown name is reported now, not at the first link


def _in_table(spec: Field[Any], name: str, value: Any) -> str:
    """What stands in a table."""
    return f"{spec.name} has {value!r} for {name}{_misplaced(name)}"


def _misplaced(name: str) -> str:
    """Whoever writes a setting at the end of the file has written it into the last table."""
    meant = name in SETTINGS or difflib.get_close_matches(name, SETTINGS, 1, 0.8)
    return "; a setting stands above the first [table] of the file" if meant else ""


def _check_orders(spec: Field[Any], orders: dict[str, Any]) -> None:
    for name, order in orders.items():
        if order not in SETTINGS["order"].choices:
            known = ", ".join(SETTINGS["order"].choices)
            raise InvalidPlan(f"{_in_table(spec, name, order)}; it must be one of {known}")


def _check_logins(logins: dict[str, Any]) -> None:
    """What stands there by mistake may be a password: it is not repeated."""
    if not logins:
        return
    from gossamer.fetch import login_table  # with all that a login is; hardly any plan has one

    for name, entries in logins.items():
        if not _same_type(entries, ()):
            raise InvalidPlan(f'logins of {name}: must be a list, like ["header X-Key: $NAME"]{_misplaced(name)}')
        try:
            for entry in entries:
                login_table.check(entry)
        except UsageError as error:
            raise InvalidPlan(f"logins of {name}: {error}") from None


def _same_type(value: Any, default: Any) -> bool:
    if isinstance(default, float):
        return isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(default, tuple):
        return isinstance(value, tuple) and all(isinstance(each, str) for each in value)
    return type(value) is type(default)


def unknown(names: Collection[str]) -> str:
    """What is said of settings that there are not."""
    if given := [name for name in names if name in CREDENTIALS]:
        return f"{given[0]} is no setting; it is sent by credentials=gossamer.Credentials({given[0]}=...)"
    near = [*filter(None, map(_near, names))]
    hint = f"perhaps {', '.join(near)} is meant; " if near else ""
    return f"unknown setting {', '.join(names)}; {hint}`gossamer help --plan` lists them all"


def _near(name: str) -> str:
    """What may be meant: an option has another name here where it is given more than once, or switches off."""
    for option, end in ((name, ""), (name.removeprefix("no_").removeprefix("no-"), " = false")):
        if (setting := meant(option)) is not None:
            return f"{setting}{end}"
    return next(iter(difflib.get_close_matches(name, SETTINGS, 1, _ALIKE)), "")
