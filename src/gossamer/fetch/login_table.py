"""How does a plan speak of logins? Each entry names what is sent, and says where the secret is; it does not hold it.

header X-Key: $NAME          the environment has it; ${NAME} where letters follow
header X-Key: @/path         a file has it, alone
cookie /path/cookies.txt     all cookies of the file that are for the site
auth user $NAME              name and password, sent as Basic; or `auth user @/path`
digest user $NAME            the same as a digest, which shows that one knows the password and does not send it
key user /path/id_ed25519    a private key, for sftp
form https://... user $NAME  name and password for the form of that page
browser https://... user $NAME  the same for the steps on the lines below, which a browser takes from that page on:
                             user SELECTOR, password SELECTOR, click SELECTOR, open ADDRESS, and at last
                             wait-for SELECTOR

In the place of $NAME also %SERVICE/USER: the keyring of the desktop has it. A file of logins, which nobody else can
read, may hold the value itself, as =VALUE.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from gossamer.errors import GossamerError, UsageError
from gossamer.fetch.logins import Account, Cookie, Step, basic, cookies, header
from gossamer.urls import normalize

_REFERENCE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_STEPS = ("open", "user", "password", "click", "wait-for")
STEPS_MOST = 30
_FORMS = (
    "'header Name: $VARIABLE', 'cookie FILE', 'auth USER $VARIABLE', 'digest USER $VARIABLE', 'key USER FILE',"
    " 'form ADDRESS USER $VARIABLE' or 'browser ADDRESS USER $VARIABLE' with steps below, where @FILE or"
    " %SERVICE/USER may stand for $VARIABLE"
)


class Sent(NamedTuple):
    """What an entry comes to."""

    fields: tuple[tuple[str, str], ...] = ()
    cookies: tuple[Cookie, ...] = ()
    accounts: tuple[Account, ...] = ()


def no_keyring(service: str, user: str) -> str:
    """Where there is none."""
    raise UsageError(f"the keyring has no password of {user} for {service}")


class Sources(NamedTuple):
    """Where secrets are."""

    environment: Mapping[str, str]
    read: Callable[[str], str]
    """The text of a file."""
    now: float
    """Cookies that are over by then are left out."""
    secret: Callable[[str], str] | None = None
    """The text of a file that holds a secret and nothing else; None: as any other."""
    keyring: Callable[[str, str], str] = no_keyring
    """The password of somebody for a service."""


def check(entry: str, *, held: bool = False) -> None:
    """Complain about an entry that is none, or holds a value itself unless it may. The message does not repeat it."""
    kind, _, rest = entry.partition(" ")
    match kind:
        case "header":
            name, _, value = rest.partition(":")
            header(f"{name}: x")
            _require_reference(value.strip(), held=held)
        case "auth" | "digest":
            user, _, value = rest.partition(" ")
            basic(user, "")
            _require_reference(value, held=held)
        case "form" | "browser":
            first, *lines = rest.splitlines() if kind == "browser" else [rest]
            url, user, value = (*first.split(" ", 2), "", "")[:3]
            _address(url)
            if not user or not value:
                raise UsageError(f"a login is written as '{kind} ADDRESS USER $VARIABLE'; see {_FORMS}")
            _require_reference(value, held=held)
            if kind == "browser":
                _steps(lines)
        case "cookie" if rest.strip():
            pass
        case "key" if len(rest.split(" ", 1)) == 2:
            pass
        case _:
            raise UsageError(f"a login is written as {_FORMS}")


def sent(entry: str, sources: Sources) -> Sent:
    """What is sent by an entry that was checked."""
    kind, _, rest = entry.partition(" ")
    if kind == "cookie":
        return Sent(cookies=cookies(sources.read(rest.strip()), sources.now))
    if kind == "key":
        user, _, file = rest.partition(" ")
        (sources.secret or sources.read)(file)  # which complains of one that others can read
        return Sent(accounts=(Account("key", user, file),))
    if kind == "form":
        url, user, value = rest.split(" ", 2)
        return Sent(accounts=(Account("form", user, _value(value, sources), _address(url)),))
    if kind == "browser":
        first, *lines = rest.splitlines()
        url, user, value = first.split(" ", 2)
        return Sent(accounts=(Account("browser", user, _value(value, sources), _address(url), _steps(lines)),))
    if kind in ("auth", "digest"):
        user, _, value = rest.partition(" ")
        password = _value(value, sources)
        return Sent((basic(user, password),)) if kind == "auth" else Sent(accounts=(Account("digest", user, password),))
    name, _, value = rest.partition(":")
    return Sent((header(f"{name}: {_value(value.strip(), sources)}"),))


def _steps(lines: Sequence[str]) -> tuple[Step, ...]:
    """What stands below a login by a browser. At the end it must see that it has worked."""
    steps = tuple(Step(*line.strip().split(None, 1)) for line in lines if len(line.split(None, 1)) == 2)
    whole = len(steps) == len([line for line in lines if line.strip()]) <= STEPS_MOST
    if not whole or any(step.does not in _STEPS for step in steps) or not steps or steps[-1].does != _STEPS[-1]:
        raise UsageError(
            f"the lines below a login by a browser are at most {STEPS_MOST} steps, each of {', '.join(_STEPS)} with"
            " a selector behind it (open: an address), and the last is wait-for, of what only members see"
        )
    return tuple(Step(each.does, _address(each.what) if each.does == "open" else each.what) for each in steps)


def _address(text: str) -> str:
    try:
        return normalize(text)
    except GossamerError:
        raise UsageError("a login names its page, as in 'form https://example.org/login me $NAME'") from None


def _require_reference(value: str, *, held: bool) -> None:
    if value.startswith("=") and held:
        return
    if not value.startswith(("@", "%")) and not _REFERENCE.search(value):
        raise UsageError(f"a login in a plan says where the secret is and does not hold it: {_FORMS}")


def _value(text: str, sources: Sources) -> str:
    if text.startswith("="):
        return text[1:]
    if text.startswith("@"):
        return (sources.secret or sources.read)(text[1:]).strip()
    if text.startswith("%"):
        service, _, user = text[1:].rpartition("/")
        return sources.keyring(service or user, user)
    return _REFERENCE.sub(lambda found: _variable(found[1] or found[2], sources.environment), text)


def _variable(name: str, environment: Mapping[str, str]) -> str:
    if name not in environment:
        raise UsageError(
            f"a login of the plan needs {name} of the environment; set it, as in `{name}=... gossamer ...`"
        )
    return environment[name]
