"""What do the parsers of several verbs have?"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, TypeAlias

from gossamer.cli.options.folding import Folded
from gossamer.cli.options.parsers import Verb
from gossamer.setting_text import TYPES
from gossamer.settings import SETTINGS

Verbs: TypeAlias = "argparse._SubParsersAction[Verb]"


def add_verb(verbs: Verbs, name: str, text: str, *examples: str) -> Verb:
    verb = verbs.add_parser(
        name,
        help=text,
        description=f"{text[0].upper()}{text[1:]}.",
        epilog="\n  ".join(["example:" if len(examples) == 1 else "examples:", *examples]) + "\n",
        formatter_class=Folded,
    )
    verb.set_defaults(verb=name)
    return verb


def add_directory(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("dir", metavar="DIR", help="the directory of the collection")
    verb.add_argument("--json", action="store_true", help="answer as JSON")


BELOW = "this host, on all its ports, and of all below it: example.org means docs.example.org too"


def add_site(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--site", metavar="HOST", help=f"only those of {BELOW}")


def add_number(verb: argparse.ArgumentParser, what: str) -> None:
    verb.add_argument("-n", "--number", type=positive, metavar="N", default=10, help=f"how many {what} (10)")


def add_setting(group: argparse._ActionsContainer, name: str) -> None:
    """The option of a setting, as the list of settings has it."""
    setting, option = SETTINGS[name], SETTINGS[name].option
    if option is None:
        raise ValueError(f"{name} has no option")
    default = setting.default
    how: dict[str, Any]
    if isinstance(default, bool):
        how = {"action": "store_const", "const": not default}
    elif isinstance(default, tuple):
        how = {"action": "append", "metavar": option.metavar}
    else:
        how = {
            "type": TYPES.get(setting.unit) or _READ.get(type(default), str),
            "choices": setting.choices or None,
            "metavar": option.metavar,
        }
    shown = f"{default:g}" if isinstance(default, float) else default
    group.add_argument(option.flag, dest=name, help=option.text.format(shown), **how)


def add_assigned(verb: Verb) -> None:
    verb.add_argument(
        "--set",
        action="append",
        dest="assigned",
        metavar="NAME=VALUE",
        help="any setting of DIR/plan.toml; `gossamer help --plan` lists them; repeatable",
    )


def add_talking(verb: Verb, what: str) -> None:
    """How much it says of each thing that it does."""
    talk = verb.add_mutually_exclusive_group()
    talk.add_argument("-q", "--quiet", action="store_true", help="say nothing but what went wrong")
    talk.add_argument("-v", "--verbose", action="store_true", help=f"say a line for each {what}")
    verb.add_argument(
        "--log",
        metavar="FILE",
        help=f"append a line for each {what} and each event, with its time in UTC, also with -q",
    )


def whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def number_of(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


_READ: dict[type, Callable[[str], Any]] = {int: whole, float: number_of}
"""By the type of a setting."""


def natural(text: str) -> int:
    if not text.isdecimal() or len(text) > 18:  # digits that no list is as long as
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 on")
    return int(text)


def positive(text: str) -> int:
    if not text.isdecimal() or len(text) > 18 or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def port(text: str) -> int:
    if text.isdecimal() and int(text) < 1 << 16:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a port, a number up to 65535; without one the option comes last")
