"""How does a plan speak of logins? Each entry names what is sent, and says where the secret is; it does not hold it.

header X-Key: $NAME          the environment has it; ${NAME} where letters follow
header X-Key: @/path         a file has it, alone
cookie /path/cookies.txt     all cookies of the file that are for the site
auth user $NAME              name and password, sent as Basic; or `auth user @/path`
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from gossamer.errors import UsageError
from gossamer.fetch.logins import Cookie, basic, cookies, header

_REFERENCE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_FORMS = "'header Name: $VARIABLE', 'cookie FILE' or 'auth USER $VARIABLE', where @FILE may stand for $VARIABLE"


class Sent(NamedTuple):
    """What an entry comes to."""

    fields: tuple[tuple[str, str], ...] = ()
    cookies: tuple[Cookie, ...] = ()


class Sources(NamedTuple):
    """Where secrets are."""

    environment: Mapping[str, str]
    read: Callable[[str], str]
    """The text of a file."""
    now: float
    """Cookies that are over by then are left out."""


def check(entry: str) -> None:
    """Complain about an entry that is none, or holds a value itself. The message does not repeat it."""
    kind, _, rest = entry.partition(" ")
    match kind:
        case "header":
            name, _, value = rest.partition(":")
            header(f"{name}: x")
            _require_reference(value.strip())
        case "auth":
            user, _, value = rest.partition(" ")
            basic(user, "")
            _require_reference(value)
        case "cookie" if rest.strip():
            pass
        case _:
            raise UsageError(f"a login is written as {_FORMS}")


def sent(entry: str, sources: Sources) -> Sent:
    """What is sent by an entry that was checked."""
    kind, _, rest = entry.partition(" ")
    if kind == "cookie":
        return Sent(cookies=cookies(sources.read(rest.strip()), sources.now))
    if kind == "auth":
        user, _, value = rest.partition(" ")
        return Sent((basic(user, _value(value, sources)),))
    name, _, value = rest.partition(":")
    return Sent((header(f"{name}: {_value(value.strip(), sources)}"),))


def _require_reference(value: str) -> None:
    if not value.startswith("@") and not _REFERENCE.search(value):
        raise UsageError(f"a login in a plan says where the secret is and does not hold it: {_FORMS}")


def _value(text: str, sources: Sources) -> str:
    if text.startswith("@"):
        return sources.read(text[1:]).strip()
    return _REFERENCE.sub(lambda found: _variable(found[1] or found[2], sources.environment), text)


def _variable(name: str, environment: Mapping[str, str]) -> str:
    if name not in environment:
        raise UsageError(
            f"a login of the plan needs {name} of the environment; set it, as in `{name}=... gossamer ...`"
        )
    return environment[name]
