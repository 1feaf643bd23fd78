"""What of the user's own is sent, and to whom? Header fields, cookies and passwords, each to its own sites only.

A login holds for the site it was given for, on the same port, and over https only unless it was given for http. So a
redirect or a link to another site, and one that leads back to plain http, goes without it. What is sent here stands in
no record: `Request.head` is what the archive gets, and has none of it.

Cookies are read from a cookies.txt of Netscape, which curl, wget and browsers write. What needs an exchange with the
site, a digest or a form, and the cookies that it sets, are in `sessions`.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from gossamer.errors import UsageError
from gossamer.lazy import pattern
from gossamer.model import URL, Capture, Kind, Visit
from gossamer.urls import keys, site
from gossamer.urls.schemes import scheme_of

_NAME = pattern(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = pattern(r"[!-~\x80-\xff](?:[\t -~\x80-\xff]*[!-~\x80-\xff])?")
_COOKIE = pattern(r"[!-:<-~\x80-\xff]*")
_OURS = pattern(
    r"accept|accept-encoding|connection|content-.*|expect|from|host|http2-settings|if-.*|keep-alive|proxy-.*|range|sec-.*"
    r"|te|trailer|transfer-encoding|upgrade|user-agent",
    re.IGNORECASE,
)
"""Fields that say who asks for what and how the answer comes: a crawler that lies there is impolite, or breaks."""
_WHO = ("authorization", "cookie")
FORM = {"content-type": "application/x-www-form-urlencoded"}
"""What says that a form is sent."""


class Cookie(NamedTuple):
    """A line of cookies.txt."""

    domain: str
    below: bool
    """Also for the hosts below that domain."""
    path: str
    secure: bool
    name: str
    value: str

    def fits(self, host: str, path: str, *, https: bool) -> bool:
        """Is it for this address? (RFC 6265, section 5.4)"""
        named = host == self.domain or (self.below and host.endswith("." + self.domain) and not keys.is_address(host))
        within = path == self.path or path.startswith(self.path.removesuffix("/") + "/")
        return named and within and (https or not self.secure)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a login holds."""

    sites: tuple[str, str]
    """By the public list alone, and by the suffixes of the plan too: both have to agree, or a plan could widen it."""
    port: str
    plain: bool
    """Also over http."""
    host: str = ""
    """Only this host; nothing for all of the site."""
    scheme: str = ""
    """Another protocol than the web's, which alone it holds for."""

    def covers(self, url: str, here: Place) -> bool:
        """Does it hold for an address, which lies `here`?"""
        return (
            (self.sites, self.port, self.scheme) == (here.sites, here.port, here.scheme)
            and (self.plain or bool(self.scheme) or url.startswith("https:"))
            and self.host in ("", keys.host(url))
        )


class Step(NamedTuple):
    """What is to be done in a browser. No step holds a secret."""

    does: str
    """open, user, password, click or wait-for."""
    what: str
    """An address to open; else a selector, as in CSS, of what the name or the password is filled into, and so on."""


@dataclass(frozen=True, slots=True)
class Account:
    """A name and a password that are not simply sent."""

    kind: Literal["auth", "digest", "form", "browser", "key"]
    user: str = field(repr=False)
    password: str = field(repr=False)
    """Or the path of a private key."""
    url: str = ""
    """The page with the form, or where the steps begin."""
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Login:
    """What is sent to some places. Nobody sees it who prints this."""

    places: tuple[Place, ...]
    fields: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    cookies: tuple[Cookie, ...] = field(default=(), repr=False)
    accounts: tuple[Account, ...] = ()

    def covers(self, url: str, here: Place) -> bool:
        """Does it hold for an address, which lies `here`?"""
        return any(each.covers(url, here) for each in self.places)

    def account(self, kind: str) -> Account | None:
        """The last one of a kind."""
        return next((each for each in reversed(self.accounts) if each.kind == kind), None)


class Asking(Protocol):
    """What a login asks of the network. Its answers are kept by nobody."""

    async def __call__(self, visit: Visit) -> Capture:
        """Get something."""

    async def submit(self, url: URL, referrer: URL, body: bytes, fields: Mapping[str, str] = FORM) -> Capture:
        """Send a form, or what else these header fields say, with the cookies of the place."""


class Sending(Protocol):
    """What says which fields go with a request."""

    def __bool__(self) -> bool:
        """Is there anything to send at all?"""

    def fields(self, url: str, method: str = "GET") -> tuple[bytes, ...]:
        """The header fields for a canonical address, as they are sent."""


@dataclass(frozen=True, slots=True)
class Logins:
    """All of them; of two values for one field the last counts."""

    each: tuple[Login, ...] = ()
    suffixes: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.each)

    def holds(self, url: str) -> bool:
        """Is there one for a canonical address?"""
        here = place(url, self.suffixes)
        return any(login.covers(url, here) for login in self.each)

    def says_who(self, url: str) -> bool:
        """Does one of them log in? A header field of any other name may be meant for something else."""
        here = place(url, self.suffixes)
        return any(
            login.cookies or login.accounts or any(name.lower() in _WHO for name, _ in login.fields)
            for login in self.each
            if login.covers(url, here)
        )

    def fields(self, url: str, method: str = "GET") -> tuple[bytes, ...]:
        """The header fields for a canonical address, as they are sent."""
        here = place(url, self.suffixes)
        meant = [login for login in self.each if login.covers(url, here)]
        return self.with_cookies(url, _cookies(url, (cookie for login in meant for cookie in login.cookies)))

    def account(self, url: str) -> Account | None:
        """Who asks where a protocol has no header fields; the last login counts."""
        here = place(url, self.suffixes)
        for login in reversed([login for login in self.each if login.covers(url, here)]):
            if key := login.account("key"):
                return key
            for name, value in reversed(login.fields):
                if name == "Authorization" and value.startswith("Basic "):
                    user, _, password = b64decode(value[6:]).decode("utf-8", "replace").partition(":")
                    return Account("auth", user, password)
        return None

    def with_cookies(self, url: str, cookies: str, authorization: str = "") -> tuple[bytes, ...]:
        """The same with these cookies, and what an answer to the server is."""
        here = place(url, self.suffixes)
        meant = [login for login in self.each if login.covers(url, here)]
        fields = {name.lower(): (name, value) for login in meant for name, value in login.fields}
        if authorization:
            fields["authorization"] = ("Authorization", authorization)
        if cookies:
            _, before = fields.get("cookie", ("", ""))
            fields["cookie"] = ("Cookie", "; ".join(filter(None, (before, cookies))))
        return tuple(f"{name}: {value}".encode("latin-1") for name, value in fields.values())


NONE = Logins()


def is_foreign(visit: Visit) -> bool:
    """Does a page of another origin ask for it? It must not use what was given for this one."""
    return visit.kind is Kind.RESOURCE and not (visit.referrer or "").startswith(f"{keys.origin(visit.url)}/")


def place(url: str, suffixes: frozenset[str], *, whole: bool = True) -> Place:
    """Where an address lies: its whole site, or its host unless that is the site itself."""
    host, port = keys.host(url), keys.authority(url)[len(keys.host(url)) :]
    sites = site(host), site(host, suffixes)
    return Place(sites, port, url.startswith("http:"), "" if whole or host in sites else host, scheme_of(url))


def header(line: str) -> tuple[str, str]:
    """`Name: value`, checked. The message does not repeat the value."""
    name, colon, value = line.partition(":")
    value = value.strip(" \t")
    if not colon or not _NAME.fullmatch(name):
        raise UsageError("a header is written as 'Name: value'; this one has no name, or one with other characters")
    if _OURS.fullmatch(name):
        raise UsageError(f"the header {name} is the crawler's own; leave it out")
    if not _VALUE.fullmatch(value):
        raise UsageError(f"the header {name} has no value, or one with line ends or characters that no header may have")
    return name, value


def basic(user: str, password: str) -> tuple[str, str]:
    """The field of RFC 7617 for a name and a password."""
    if not user or ":" in user:
        raise UsageError("the name of a login is not empty and has no colon; the password is not given with it")
    return "Authorization", "Basic " + b64encode(f"{user}:{password}".encode("utf-8", "surrogateescape")).decode()


def cookies(text: str, now: float) -> tuple[Cookie, ...]:
    """The cookies of a cookies.txt that are not over yet, the longest paths first."""
    found = [_cookie(line, now) for line in text.splitlines()]
    return tuple(sorted((cookie for cookie in found if cookie), key=lambda cookie: -len(cookie.path)))


def _cookie(line: str, now: float) -> Cookie | None:
    line = line.removeprefix("#HttpOnly_")
    if not line.strip() or line.startswith("#"):
        return None
    parts = line.split("\t")
    if len(parts) != 7 or not re.fullmatch(r"-?\d{1,18}(\.\d*)?", parts[4]):
        raise UsageError(
            "not a cookies.txt: a line has not the seven parts, with tabs between them, that curl and wget write"
        )
    domain, below, path, secure, until, name, value = parts
    if not (_NAME.fullmatch(name) and _COOKIE.fullmatch(value)) or 0 < float(until) < now:
        return None
    host = domain.lower().removeprefix(".")
    return Cookie(host, below.upper() == "TRUE", path or "/", secure.upper() == "TRUE", name, value)


def _cookies(url: str, given: Iterable[Cookie]) -> str:
    host, https = keys.host(url), url.startswith("https:")
    path = "/" + url.split("/", 3)[3].partition("?")[0]
    return "; ".join(f"{each.name}={each.value}" for each in given if each.fits(host, path, https=https))
