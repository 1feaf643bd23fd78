"""Which logins does a crawl have? Those that its command gives, for the sites of its seeds, and those of the plan.

What the command gives is for the seeds that it names. Where it names none, it is for those of the plan, if this user is
known to have made the collection: a stranger's plan would otherwise choose who gets a password.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gossamer.errors import UsageError
from gossamer.fetch.login_table import Sources, sent
from gossamer.fetch.logins import Login, Logins, basic, cookies, header, place
from gossamer.plan import Plan, texts
from gossamer.urls.seeds import address, as_seed, in_place_of, is_guessed

_COOKIES_MOST = 8 << 20


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a command gives. Nobody sees it who prints this."""

    headers: str | Sequence[str] = field(default=(), repr=False)
    """As `Name: value`."""
    cookies: str | Path | None = None
    """A cookies.txt."""
    auth: tuple[str, str] | None = field(default=None, repr=False)
    """Name and password."""

    def __bool__(self) -> bool:
        return bool(self.headers or self.cookies or self.auth)


def logins(plan: Plan, given: Credentials, seeds: Sequence[str]) -> Logins:
    """All that a crawl sends: what its plan refers to, and what is given for some seeds."""
    suffixes = frozenset(plan.suffixes)
    found = [_of_plan(plan, name, entries, suffixes) for name, entries in plan.logins.items()]
    if given:
        if not seeds:
            raise UsageError(
                "a header, cookie or password is for the sites of the seeds that are named; name one,"
                " or say --trust-plan where the seeds of the plan are yours"
            )
        places = tuple(dict.fromkeys(place(address(seed), suffixes) for seed in seeds))
        jar = cookies(_read(str(given.cookies)), time.time()) if given.cookies else ()
        fields = [header(each) for each in texts(given.headers)] + ([basic(*given.auth)] if given.auth else [])
        found.append(Login(places, tuple(fields), jar))
    return Logins(tuple(found), suffixes)


def _of_plan(plan: Plan, name: str, entries: Sequence[str], suffixes: frozenset[str]) -> Login:
    sources = Sources(os.environ, _read, time.time())
    try:
        parts = [sent(entry, sources) for entry in entries]
        site = as_seed(name)
        where = place(in_place_of(site) if is_guessed(site) else site, suffixes, whole=False)
    except UsageError as error:
        raise UsageError(f"logins of {name}: {error}") from None
    return Login((where,), sum((part.fields for part in parts), ()), sum((part.cookies for part in parts), ()))


def _read(name: str) -> str:
    """A file of the user's own, outside of the collection. What is in it is not repeated in any message."""
    try:
        with Path(name).open("rb") as file:
            return file.read(_COOKIES_MOST).decode()
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{name}: is no text in UTF-8") from None
