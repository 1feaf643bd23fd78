"""What may a browser ask for, and what may a page of ours do? Every request comes through here first.

A server on this machine can be reached by every page that its user has open. So a request must name the server as we
are called (a page of another name that resolves to us is refused: DNS rebinding), and whatever changes something must
come from a page of ours: by POST, with our origin, and with the token that only our pages know. Answers may load
nothing from elsewhere and run nothing but our own scripts.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import ipaddress
import os
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gossamer.errors import UsageError
from gossamer.web.api.problems import is_for_programs, problem
from gossamer.web.inline_assets import STYLE_HASH

POLICY = (
    f"default-src 'none'; script-src 'self'; style-src '{STYLE_HASH}'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # without any, a browser says that a form of ours comes from nowhere
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "x-dns-prefetch-control": "off",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
TOKEN_HEADER = "x-gossamer-token"
TOKEN_FIELD = "token"
READING = {"GET", "HEAD"}
FORM = "application/x-www-form-urlencoded"
FIELDS_MOST = 100
BODY_MOST = 1 << 20
"""Bytes that may be sent with a request."""
FAILURES_MOST = 10
"""Wrong passwords from one address, before it has to wait."""
PENALTY = 60.0
"""Seconds that it waits."""
REMEMBERED_MOST = 10_000
"""Addresses that wrong passwords came from."""


@dataclass(frozen=True, slots=True)
class Password:
    """What is known of a password: enough to check one."""

    salt: bytes
    digest: bytes

    @classmethod
    def of(cls, password: str) -> Password:
        """Hashed, so that it stands nowhere in memory for long."""
        salt = os.urandom(16)
        return cls(salt, _digest(password, salt))

    def agrees(self, password: str) -> bool:
        """Whether it is this one; takes as long either way."""
        return hmac.compare_digest(self.digest, _digest(password, self.salt))


def _digest(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode("utf-8", "surrogatepass"), salt=salt, n=2**14, r=8, p=1)


@dataclass(frozen=True, slots=True)
class Access:
    """Who may ask, by which name, and whether anything may be changed."""

    names: frozenset[str]
    """What the server is called, without a port, in lower case."""
    read_only: bool = False
    password: Password | None = None
    any_address: bool = False
    """It is also called by any IP address, as a server that is open to others is."""
    asked_by_post: frozenset[str] = frozenset()
    """Paths at which POST is a question: nothing can be changed there, so the token is not asked for."""
    with_secrets: tuple[str, ...] = ()
    """Beginnings of paths that are for other machines: what they ask for goes by a secret of its own."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    def is_ours(self, host: str) -> bool:
        """Whether a Host header names this server."""
        name = _name(host)
        return name in self.names or (self.any_address and _is_address(name))


def _name(host: str) -> str:
    """A name without its port; nothing where there is no name, or more than one."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
    except ValueError:
        return ""
    plain = parts.netloc == host and not parts.path and "@" not in host
    return (parts.hostname or "").lower() if plain else ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Safety:
    """Refuses what is not asked by our user, and says what pages of ours may do."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access
        self._attempts = _Attempts()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = await self._refused(scope)
        if refused is None and not self._is_question(scope) and not self._has_secret(scope):
            refused, receive = await self._unconfirmed(scope, receive)
        await (refused or self._app)(scope, receive, _guarded(send))

    async def _refused(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if len(headers.getlist("host")) != 1 or not self._access.is_ours(headers["host"]):
            return _no(scope, "This server goes by another name.", 421)
        if self._has_secret(scope):
            return None
        if self._access.password and (refused := self._unknown(scope, headers)):
            return refused
        if scope["method"] in READING:
            return None
        if self._access.read_only and not self._is_question(scope):
            return _no(scope, "This server only shows the collection.", 403)
        if not self._is_from_here(headers):
            return _no(scope, "This must come from a page of ours.", 403)
        if scope["method"] != "POST":
            return _no(scope, "Only GET, HEAD and POST are understood.", 405, {"allow": "GET, HEAD, POST"})
        return None

    def _is_question(self, scope: Scope) -> bool:
        """Whether nothing can be changed by it."""
        return scope["method"] in READING or (scope["method"] == "POST" and scope["path"] in self._access.asked_by_post)

    def _has_secret(self, scope: Scope) -> bool:
        """Whether whoever answers it asks for a secret: neither password nor token is wanted besides."""
        path: str = scope["path"]
        return path.startswith(self._access.with_secrets)

    async def _unconfirmed(self, scope: Scope, receive: Receive) -> tuple[Response | None, Receive]:
        """Refuses what changes something without our token, whatever it is; what was read for that is read again."""
        body = await _body(receive)
        if body is None:
            return _no(scope, f"What is sent may have {BODY_MOST:,} bytes.", 413), receive
        refused = await _without_token(Request(scope, _again(body, receive)), self._access)
        return refused, _again(body, receive)

    def _is_from_here(self, headers: Headers) -> bool:
        """A browser says where a request that changes something comes from; a program says nothing, or the truth."""
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site not in (None, "same-origin", "none"):
            return False
        return origin is None or origin in (f"http://{headers['host']}", f"https://{headers['host']}")

    def _unknown(self, scope: Scope, headers: Headers) -> Response | None:
        client = str((scope.get("client") or ("",))[0])
        if self._attempts.must_wait(client):
            return _no(scope, "Too many wrong passwords; wait a minute.", 429, {"retry-after": str(int(PENALTY))})
        given = _password(headers.get("authorization", ""))
        assert self._access.password is not None
        if given is not None and self._attempts.known(given, self._access.password):
            return None
        if given is not None:
            self._attempts.failed(client)
        return _no(scope, "The password, please.", 401, {"www-authenticate": 'Basic realm="gossamer"'})


def _password(authorization: str) -> str | None:
    kind, _, coded = authorization.partition(" ")
    if kind.lower() != "basic":
        return None
    try:
        return base64.b64decode(coded.strip(), validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""


class _Attempts:
    """Wrong passwords of the last minute, and the right one, so that it is not hashed for every request."""

    def __init__(self) -> None:
        self._failures: dict[str, tuple[int, float]] = {}
        self._key = os.urandom(16)
        self._right: bytes | None = None

    def must_wait(self, client: str) -> bool:
        number, last = self._failures.get(client, (0, 0.0))
        return number >= FAILURES_MOST and time.monotonic() < last + PENALTY

    def failed(self, client: str) -> None:
        number, last = self._failures.pop(client, (0, 0.0))
        now = time.monotonic()
        self._failures[client] = (number + 1 if now < last + PENALTY else 1, now)
        while len(self._failures) > REMEMBERED_MOST:
            del self._failures[next(iter(self._failures))]

    def known(self, given: str, password: Password) -> bool:
        mark = hashlib.blake2b(given.encode("utf-8", "surrogatepass"), key=self._key).digest()
        if self._right is not None and hmac.compare_digest(mark, self._right):
            return True
        if password.agrees(given):
            self._right = mark
            return True
        return False


def _guarded(send: Send) -> Callable[[Message], Awaitable[None]]:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return guarded


async def _without_token(request: Request, access: Access) -> Response | None:
    """Refuses what changes something without our token, in a header or in a form."""
    given = request.headers.get(TOKEN_HEADER)
    if given is None and request.headers.get("content-type", "").startswith(FORM):
        given = _token_in(await request.body())
    if hmac.compare_digest((given or "").encode(), access.token.encode()):
        return None
    return _no(request.scope, "The token is missing or old; load the page again.", 403)


def fields_of(form: bytes) -> dict[str, str]:
    """What was sent with a form. None of ours has as many fields as would be too many."""
    try:
        return dict(parse_qsl(form.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=FIELDS_MOST))
    except ValueError:
        raise UsageError(f"a form may have {FIELDS_MOST} fields; send fewer") from None


def _token_in(form: bytes) -> str | None:
    with suppress(UsageError):  # it is told to who has the token
        return fields_of(form).get(TOKEN_FIELD)
    return None


async def _body(receive: Receive) -> bytes | None:
    """What is sent with a request; None when it is too much."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > BODY_MOST:
            return None
        if not message.get("more_body"):
            return bytes(body)


def _again(body: bytes, receive: Receive) -> Receive:
    """The same to be received once more; after that, what else comes."""
    messages = iter(({"type": "http.request", "body": body, "more_body": False},))

    async def received() -> Message:
        return next(messages, None) or await receive()

    return received


def _no(scope: Scope, words: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    """A sentence; for programs, in the form of their faults."""
    if is_for_programs(scope["path"]):
        return problem(Request(scope), status, words, headers)
    return PlainTextResponse(words, status, headers)


def local_names(names: Iterable[str] = ()) -> frozenset[str]:
    """How this machine is called by itself, and by whatever else it is given."""
    return frozenset(("localhost", "127.0.0.1", "::1", *(name.lower() for name in names)))
