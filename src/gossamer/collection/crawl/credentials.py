"""Which logins does a crawl have? Those that its command gives, those of a file of logins, and those of the plan.

What the command gives is for the seeds that it names. Where it names none, it is for those of the plan, if this user is
known to have made the collection: a stranger's plan would otherwise choose who gets a password.

A file that holds a secret must be this user's alone, or others of the machine could log in with it.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from gossamer import toml_text
from gossamer.errors import UsageError
from gossamer.fetch.login_table import Sources, check, no_keyring, sent
from gossamer.fetch.logins import Login, Logins, Place, basic, cookies, header, place
from gossamer.model import URL
from gossamer.plan import Plan, texts
from gossamer.urls import keys
from gossamer.urls.seeds import address, as_seed, is_guessed

_COOKIES_MOST = 8 << 20
_EXAMPLE = '"example.org" = ["form https://example.org/login me $NAME"]'


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a command gives. Nobody sees it who prints this."""

    headers: str | Sequence[str] = field(default=(), repr=False)
    """As `Name: value`."""
    cookies: str | Path | None = None
    """A cookies.txt."""
    auth: tuple[str, str] | None = field(default=None, repr=False)
    """Name and password."""
    login: str | Path | None = None
    """A file of logins, written as `[logins]` of a plan."""
    sites: str | Sequence[str] = ()
    """Where all but the file goes; nothing: to the sites of the seeds."""

    def __bool__(self) -> bool:
        return bool(self.headers or self.cookies or self.auth or self.login)


def logins(plan: Plan, given: Credentials, seeds: Sequence[str]) -> Logins:
    """All that a crawl sends: what its plan refers to, and what is given for some seeds."""
    suffixes = frozenset(plan.suffixes)
    asked = [address(seed) for seed in seeds or plan.seeds]
    listed = [*plan.logins.items(), *(_listed(str(given.login)) if given.login else ())]
    found = [_login(name, entries, suffixes, asked) for name, entries in listed if entries]
    if given.headers or given.cookies or given.auth:
        if not seeds and not given.sites:
            raise UsageError(
                "a header, cookie or password is for the sites of the seeds that are named; name one,"
                " or the site by --send-to, or say --trust-plan where the seeds of the plan are yours"
            )
        named = [_place(each, suffixes, asked) for each in texts(given.sites)]
        places = tuple(dict.fromkeys(named or [place(address(seed), suffixes) for seed in seeds]))
        jar = cookies(_read_jar(str(given.cookies)), time.time()) if given.cookies else ()
        fields = [header(each) for each in texts(given.headers)] + ([basic(*given.auth)] if given.auth else [])
        found.append(Login(places, tuple(fields), jar))
    return Logins(tuple(found), suffixes)


def _listed(file: str) -> list[tuple[str, list[str]]]:
    """The logins of a file. It may hold values itself, so no message repeats what stands there."""
    try:
        table = toml_text.loads(_read_secret(file))
    except toml_text.InvalidTOML as error:
        line = re.search(r"at line \d+", str(error))
        raise UsageError(f"{file}: is no TOML{f', {line[0]}' if line else ''}; write it as {_EXAMPLE}") from None
    table = table.get("logins", table)
    for name, entries in table.items():
        if not isinstance(entries, list) or not all(isinstance(each, str) for each in entries):
            raise UsageError(f"{file}: the logins of {name} must be a list, as in {_EXAMPLE}")
        try:
            for entry in entries:
                check(entry, held=True)
        except UsageError as error:
            raise UsageError(f"{file}: logins of {name}: {error}") from None
    return list(table.items())


def _login(name: str, entries: Sequence[str], suffixes: frozenset[str], asked: Sequence[URL]) -> Login:
    """`asked` are the seeds. What its login page says of plain http counts more."""
    sources = Sources(os.environ, _read, time.time(), _read_secret, _of_keyring)
    try:
        parts = [sent(entry, sources) for entry in entries]
        accounts = [account for part in parts for account in part.accounts if account.url]
        where = _place(name, suffixes, [each.url for each in accounts] or asked)
    except UsageError as error:
        raise UsageError(f"logins of {name}: {error}") from None
    if any(account.kind == "browser" for account in accounts):
        from gossamer.fetch.browser.chromium import require  # an extra, of which most logins need nothing

        require("a login by a browser", "log in with one of your own, and use its cookies")
    opened = (step.what for account in accounts for step in account.steps if step.does == "open")
    for url in (*(account.url for account in accounts), *opened):
        if not where.covers(url, place(url, suffixes)):
            raise UsageError(
                f"logins of {name}: the page {url} lies elsewhere, where the password would not be sent;"
                f" write the login for {keys.origin(url)}, or for the site of both"
            )
    return Login(
        (where,),
        sum((part.fields for part in parts), ()),
        sum((part.cookies for part in parts), ()),
        sum((part.accounts for part in parts), ()),
    )


def _place(name: str, suffixes: frozenset[str], said: Sequence[URL]) -> Place:
    """Where a login holds that is for a host, or for a site with all its hosts. A name without a scheme is for https,
    and for http only where an address of http was `said` that lies there."""
    named = as_seed(name)
    if not is_guessed(name):
        return place(named, suffixes, whole=False)
    https, http = (place(as_seed(f"{each}://{name.strip()}"), suffixes, whole=False) for each in ("https", "http"))
    plain = any(url.startswith("http:") and http.covers(url, place(url, suffixes)) for url in said)
    return http if plain else https


def _of_keyring(service: str, user: str) -> str:
    """What the desktop keeps for its user. The package is asked for only by a login that names it."""
    try:
        keyring = import_module("keyring")
    except ImportError:
        raise UsageError("a login of the keyring needs the package keyring: `pip install keyring`") from None
    found: str | None = keyring.get_password(service, user)
    return found if found is not None else no_keyring(service, user)


def _read_secret(name: str) -> str:
    """The same for a file that holds a secret: others of this machine must not be able to read it."""
    try:
        about = Path(name).stat()
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror}") from None
    if stat.S_ISREG(about.st_mode) and about.st_uid == os.getuid() and about.st_mode & 0o077:
        raise UsageError(f"{name}: others on this machine can read it; `chmod 600 {name}` keeps it to yourself")
    return _read(name)


def _read_jar(name: str) -> str:
    """A cookies.txt. Who gives the cookie in its place has given a secret, which is not repeated."""
    if "=" in name and not os.path.exists(name):
        cure = "a cookie by itself is sent by --header 'Cookie: NAME=VALUE'"
        raise UsageError(f"the cookies are read from a file, a cookies.txt, and there is none of that name; {cure}")
    return _read(name)


def _read(name: str) -> str:
    """A file of the user's own, outside of the collection. What is in it is not repeated in any message."""
    try:
        with Path(name).open("rb") as file:
            return file.read(_COOKIES_MOST).decode()
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{name}: is no text in UTF-8") from None
