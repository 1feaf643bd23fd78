"""Say what is asked: the request head, every byte of it ours, and nothing in it that is not.

It says who we are: the agent string, and the token that robots rules match.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gossamer.errors import UsageError
from gossamer.fetch.logins import FORM, NONE, Sending, is_foreign
from gossamer.lazy import pattern
from gossamer.model import Failure, Fault, Kind, Visit
from gossamer.urls import keys
from gossamer.version import PAGE, VERSION

_TOKEN = pattern(r"[A-Za-z_-]+")
_CONTACT = pattern(r"[!-'*-~]+")  # printable ASCII without space and parentheses
_VERSION = pattern(r"[0-9A-Za-z.+!-]+")
_MAIL = pattern(r"[^@/:]+@[^@/:]+")
_URL = pattern(
    r"(https?)://"
    r"""(\[[0-9a-fA-F:.]+\]|[!-"$&-.0-9;->A-Z^-~]+)"""  # printable, but nothing of []:/?#@\%
    r"(:[0-9]{1,5})?"
    r"""((?:[/?][!-"$-~]*)?)"""
)
_FIELD = pattern(r"[!-~\x80-\xff][\t -~\x80-\xff]{0,1023}")
_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_CODINGS = b"Accept-Encoding: gzip, deflate, br, zstd"
_ANYTHING = b"Accept: */*"
"""What scripts of pages ask for, as browsers send it: some servers answer with HTML where that is named."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What every request tells the site owner about its sender."""

    contact: str = ""
    """A page or a mail address of the person who crawls."""
    product: str = "Gossamer"
    """The product token of RFC 9309, section 2.2.1: letters, `_` and `-`."""
    version: str = VERSION

    def __post_init__(self) -> None:
        if not _TOKEN.fullmatch(self.product):
            raise UsageError(f"product token {self.product!r}: use only letters, '_' and '-'")
        if not _VERSION.fullmatch(self.version):
            raise UsageError(f"version {self.version!r}: use only letters, digits, '.', '+' and '-'")
        if self.contact and not _CONTACT.fullmatch(self.contact):
            raise UsageError(f"contact {self.contact!r}: give a web or mail address without spaces or parentheses")

    @property
    def agent(self) -> str:
        """The User-Agent field."""
        about = self.contact or PAGE
        return f"{self.product}/{self.version}" + (f" (+{about})" if about else "")

    @property
    def mail(self) -> str:
        """The From field; empty when the contact is not a mail address."""
        return self.contact if _MAIL.fullmatch(self.contact) else ""


class Request(NamedTuple):
    """One request in HTTP/1.1. `origin` and `target` together are the URL."""

    method: str
    origin: str
    host: str
    """Without brackets and port, for the resolver."""
    target: str
    fields: list[bytes]
    login: tuple[bytes, ...] = ()
    """What is sent besides and written down nowhere."""
    body: bytes | None = None
    """What a POST sends."""

    @property
    def head(self) -> bytes:
        """The bytes that are sent, but for the login."""
        line = f"{self.method} {self.target} HTTP/1.1".encode("ascii")
        return b"\r\n".join((line, *self.fields, b"", b""))


class Requests:
    """Turns visits into requests of one sender."""

    def __init__(self, identity: Identity, logins: Sending = NONE) -> None:
        self._logins = logins
        self._fixed = [f"User-Agent: {identity.agent}".encode("ascii")]
        if identity.mail:
            self._fixed.append(f"From: {identity.mail}".encode("ascii"))
        self._for_scripts = [*self._fixed, _ANYTHING, _CODINGS]
        self._fixed += [f"Accept: {_ACCEPT}".encode("ascii"), _CODINGS]

    def make(self, visit: Visit) -> Request | Failure:
        """The request, or why there is none: only GET and HEAD, only http and https."""
        if visit.method not in ("GET", "HEAD"):
            return Failure(Fault.PROTOCOL, f"only GET and HEAD are sent, not {visit.method!r}")
        login = self._logins.fields(visit.url, visit.method) if self._logins else ()
        return self._to(visit, _conditions(visit), login)

    def post(self, visit: Visit, fields: Mapping[str, str], body: bytes) -> Request | Failure:
        """A message to an address that somebody has named for it. No login goes with it."""
        named = [f"{name}: {value}".encode("ascii") for name, value in fields.items()]
        return self._to(visit, [*named, b"Content-Length: %d" % len(body)], (), body)

    def form(self, visit: Visit, referrer: str, body: bytes, fields: Mapping[str, str] = FORM) -> Request | Failure:
        """A form that was filled in, with the login of its place: a server may ask which page it stood on."""
        login = self._logins.fields(visit.url, visit.method)
        more = [f"Origin: {keys.origin(referrer)}", f"Referer: {referrer}"]
        more += [f"{name.title()}: {value}" for name, value in fields.items() if _FIELD.fullmatch(value)]
        return self._to(
            visit, [*(each.encode("latin-1") for each in more), b"Content-Length: %d" % len(body)], login, body
        )

    def _to(
        self, visit: Visit, more: Sequence[bytes], login: tuple[bytes, ...], body: bytes | None = None
    ) -> Request | Failure:
        match = _URL.fullmatch(visit.url)
        if not match:
            return Failure(Fault.PROTOCOL, "not an http or https address in canonical form")
        scheme, host, port, target = match.groups()
        authority = host + (port or "")
        fixed = self._fixed
        if visit.kind is Kind.RESOURCE and body is None:
            fixed = self._for_scripts
            if is_foreign(visit):
                login = ()
        fields = [b"Host: " + authority.encode("ascii"), *fixed, *more]
        target = target if target.startswith("/") else "/" + target
        return Request(visit.method, f"{scheme}://{authority}", host.strip("[]"), target, fields, login, body)


def _conditions(visit: Visit) -> list[bytes]:
    """Ask only for what has changed. The values came from the server, so they are not trusted."""
    if not visit.etag and not visit.modified:
        return []
    pairs = (("If-None-Match", visit.etag), ("If-Modified-Since", visit.modified))
    return [f"{name}: {value}".encode("latin-1") for name, value in pairs if value and _FIELD.fullmatch(value)]
