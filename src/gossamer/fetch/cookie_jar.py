"""Which cookies has a site set, and to which of its addresses do they go back? RFC 6265, in memory only.

A jar belongs to one login and is asked for places where that login holds, and for no other. Where it differs from the
RFC it does what browsers do today (RFC 6265bis): a cookie for a public suffix is refused unless it is the host itself,
plain http can neither set nor replace a Secure cookie, and the prefixes `__Host-` and `__Secure-` are believed only
with what they promise. Nothing here is ever written to a file: whoever has the cookie has the account.
"""

from __future__ import annotations

import re
from calendar import timegm
from collections.abc import Iterable
from math import inf
from typing import NamedTuple

from gossamer.fetch.logins import Cookie
from gossamer.urls import keys, registrable

MOST = 1_000
PER_DOMAIN = 50
_OCTETS_MOST = 4_096
"""Of a name and its value."""
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_TOKEN = re.compile(r"[^\x09\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+")
"""What the date of a cookie is made of (RFC 6265, section 5.1.1)."""
_TIME = re.compile(r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D|$)")
_DAY = re.compile(r"(\d{1,2})(?:\D|$)")
_YEAR = re.compile(r"(\d{2,4})(?:\D|$)")
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


class _Kept(NamedTuple):
    cookie: Cookie
    until: float
    number: int
    """The first that was set has the least."""


class Jar:
    """The cookies of one login."""

    def __init__(self, given: Iterable[Cookie] = (), suffixes: frozenset[str] = frozenset()) -> None:
        """`given` are those of a file, which last as long as the crawl unless the site takes them back."""
        self._suffixes = suffixes
        self._kept: dict[tuple[str, str, str], _Kept] = {}
        self._number = 0
        for cookie in given:
            self._put(cookie, inf)

    def heard(self, url: str, values: Iterable[str], now: float) -> None:
        """An address has answered with these Set-Cookie fields."""
        for value in values:
            if (found := _parsed(value, url, now, self._suffixes)) is not None:
                self._take(*found, url, now)

    def field(self, url: str, now: float) -> str:
        """The value of the Cookie field for an address; empty where there is none."""
        host, https = keys.host(url), url.startswith("https:")
        path = _path(url)
        for key in [key for key, kept in self._kept.items() if kept.until <= now]:
            del self._kept[key]
        fitting = [kept for kept in self._kept.values() if kept.cookie.fits(host, path, https=https)]
        fitting.sort(key=lambda kept: (-len(kept.cookie.path), kept.number))
        return "; ".join(f"{kept.cookie.name}={kept.cookie.value}" for kept in fitting)

    def _take(self, cookie: Cookie, until: float, url: str, now: float) -> None:
        if not url.startswith("https:") and self._hides_secure(cookie):
            return
        if until <= now:
            self._kept.pop((cookie.domain, cookie.path, cookie.name), None)
        else:
            self._put(cookie, until)

    def _hides_secure(self, cookie: Cookie) -> bool:
        return any(
            kept.cookie.secure and kept.cookie.name == cookie.name and kept.cookie.domain == cookie.domain
            for kept in self._kept.values()
        )

    def _put(self, cookie: Cookie, until: float) -> None:
        key = cookie.domain, cookie.path, cookie.name
        before = self._kept.get(key)
        self._number += 1
        self._kept[key] = _Kept(cookie, until, before.number if before else self._number)
        same = [each for each, kept in self._kept.items() if kept.cookie.domain == cookie.domain]
        for crowd, most in ((same, PER_DOMAIN), (list(self._kept), MOST)):
            if len(crowd) > most:
                self._kept.pop(min(crowd, key=lambda each: self._kept[each].number), None)


def _parsed(value: str, url: str, now: float, suffixes: frozenset[str]) -> tuple[Cookie, float] | None:
    """The cookie of a Set-Cookie field and when it is over; None for one that is refused."""
    pair, *rest = value.split(";")
    name, equals, text = pair.partition("=")
    name, text = name.strip(" \t"), text.strip(" \t")
    if not equals or not name or _CONTROL.search(value) or len(name) + len(text) > _OCTETS_MOST:
        return None
    said = dict(_attribute(each) for each in rest)  # of two the last counts
    host, https = keys.host(url), url.startswith("https:")
    domain = said.get("domain", "").removeprefix(".").lower()
    if domain and domain != host and not _may_set(domain, host, suffixes):
        return None
    below = bool(domain) and not keys.is_address(host) and registrable(domain, suffixes) is not None
    path = said["path"] if said.get("path", "").startswith("/") else _default_path(url)
    secure = "secure" in said
    if (secure and not https) or not _keeps_promise(name, said, secure=secure, path=path):
        return None
    return Cookie(domain if below else host, below, path, secure, name, text), _until(said, now)


def _attribute(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name.strip(" \t").lower(), value.strip(" \t")


def _may_set(domain: str, host: str, suffixes: frozenset[str]) -> bool:
    """A host may speak for a domain that it lies in, if that is somebody's: nobody speaks for all of `co.uk`."""
    within = host.endswith("." + domain) and not keys.is_address(host)
    return within and registrable(domain) is not None and registrable(domain, suffixes) is not None


def _keeps_promise(name: str, said: dict[str, str], *, secure: bool, path: str) -> bool:
    lower = name.lower()
    if lower.startswith("__host-"):
        return secure and "domain" not in said and path == "/"
    return secure or not lower.startswith("__secure-")


def _until(said: dict[str, str], now: float) -> float:
    """Max-Age before Expires; a cookie with neither lasts as long as the session, which is the crawl."""
    if re.fullmatch(r"-?\d+", age := said.get("max-age", "")):
        return now + min(int(age[:12]), 400 * 86_400) if not age.startswith("-") and int(age[:12]) else 0.0
    date = _date(said["expires"]) if "expires" in said else None
    return inf if date is None else date


def _date(text: str) -> float | None:
    """The date of a cookie, in whichever form it is written; None for what is none."""
    time = day = month = year = None
    for token in _TOKEN.findall(text):
        if time is None and (found := _TIME.match(token)):
            time = tuple(map(int, found.groups()))
        elif day is None and (found := _DAY.match(token)):
            day = int(found[1])
        elif month is None and token[:3].lower() in _MONTHS:
            month = _MONTHS.index(token[:3].lower()) + 1
        elif year is None and (found := _YEAR.match(token)):
            year = int(found[1])
    if time is None or day is None or month is None or year is None:
        return None
    year += 1900 if 70 <= year <= 99 else 2000 if year < 70 else 0
    if not (1 <= day <= 31 and year >= 1601 and time[0] < 24 and time[1] < 60 and time[2] < 60):
        return None
    return float(timegm((year, month, day, *time)))


def _path(url: str) -> str:
    return "/" + url.split("/", 3)[3].partition("?")[0]


def _default_path(url: str) -> str:
    return _path(url).rpartition("/")[0] or "/"
