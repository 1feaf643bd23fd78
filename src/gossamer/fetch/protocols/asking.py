"""What every other protocol has in common: who may be asked, for how long, and what becomes of the answer.

A protocol is one function: it gets an `Ask`, whose address was looked up and let through by the guard, and gives what
was `Said`, in the words of HTTP. So politeness, retries, robots.txt, archive and index know nothing of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from gossamer import plugins
from gossamer.errors import UsageError
from gossamer.fetch.dns import Resolver
from gossamer.fetch.guard import Guard
from gossamer.fetch.logins import NONE, Account, Logins
from gossamer.fetch.no_media_type import kind_of
from gossamer.fetch.protocols.deadlines import Course, GivenUp, Means
from gossamer.model import Capture, Failure, Fault, Headers, Visit
from gossamer.urls.schemes import PORTS, scheme_of


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked for."""

    url: str
    host: str
    port: int
    address: str
    """The IP address to connect to, and no other: the guard has let it through."""
    path: str
    """With the query, as it stands in the address."""
    seconds: float
    """How long a single step may take; the whole is cut off from outside."""
    most: int
    """Bytes of a body of any type; what is more is cut off."""
    account: Account | None = None
    """Who asks, by the logins that hold for this protocol there: `auth`, or `key` with the path of a private key."""
    modified: str = ""
    """The Last-Modified that was said before: where it is still so, 304 says enough."""
    cap: Callable[[str, bytes], int] | None = None
    """See `enough`; without it `most` is enough of anything."""
    course: Course = field(default_factory=Course)
    """Who hears how far it is, and has threads for what blocks."""

    def enough(self, media_type: str, head: bytes) -> int:
        """How many bytes of a body are of use, by its media type, or if nobody has told one by how it begins."""
        return min(self.most, self.cap(media_type, head)) if self.cap else self.most


@dataclass(frozen=True, slots=True)
class Said:
    """The answer, in the words of HTTP."""

    status: int
    body: bytes = b""
    headers: Headers = ()
    """At least a content-type, for a body; a location for a redirect. Names in small letters."""
    reason: str = ""


class Refused(Exception):
    """A protocol will not go there, now or later; its words say why, and what to do."""


Say: TypeAlias = Callable[[Ask], Coroutine[Any, Any, Said]]


class OtherProtocols:
    """Asks by the protocol of an address; what is of the web goes the usual way."""

    def __init__(
        self,
        usual: Callable[[Visit], Awaitable[Capture]],
        guard: Guard,
        resolver: Resolver,
        means: Means,
        logins: Logins = NONE,
    ) -> None:
        self._usual = usual
        self._guard = guard
        self._resolver = resolver
        self._means = means
        self._limits = means.limits
        self._clock = means.clock
        self._logins = logins

    async def __call__(self, visit: Visit) -> Capture:
        scheme = scheme_of(visit.url)
        if not scheme:
            return await self._usual(visit)
        began, start = self._clock.wall(), self._clock.steady()
        address = None
        try:
            address = await self._address(visit)
            if isinstance(address, Failure):
                return Capture(visit, began, 0.0, failure=address)
            course = Course(self._means, visit)
            said = await course.over(function_for(scheme)(self._ask(visit, scheme, address, course)))
        except GivenUp as error:
            failure = error.failure
        except TimeoutError:
            failure = Failure(Fault.TIMEOUT, f"nothing more came for {self._limits.idle:g} s")
        except ConnectionError as error:
            failure = Failure(Fault.CONNECT, str(error))
        except Refused as error:
            failure = Failure(Fault.BLOCKED_ADDRESS, str(error))
        except Exception as error:  # also of a plug-in: it costs this visit
            failure = Failure(Fault.PROTOCOL, f"{scheme}: {type(error).__name__}: {error}"[:300])
        else:
            return self._captured(visit, said, began, self._clock.steady() - start, address)
        return Capture(visit, began, self._clock.steady() - start, failure=failure)

    async def _address(self, visit: Visit) -> str | Failure:
        host = (urlsplit(visit.url).hostname or "").strip("[]")
        if not host:
            return ""  # data: nobody is asked
        answer = await self._resolver.resolve(host)
        if answer.failure:
            return answer.failure
        for address in answer.addresses:
            if reason := self._guard.refusal(address):
                return Failure(Fault.BLOCKED_ADDRESS, f"{address}, {reason}; --allow-address {address} opens it")
        return answer.addresses[0]

    def _ask(self, visit: Visit, scheme: str, address: str, course: Course) -> Ask:
        parts = urlsplit(visit.url)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        most = max(self._limits.cap(visit.kind, each) for each in ("text/html", "text/plain", "application/pdf"))
        port = parts.port or PORTS.get(scheme, 0)
        account = self._logins.account(visit.url)
        cap = partial(self._cap, visit)
        host, known = parts.hostname or "", visit.modified or ""
        return Ask(visit.url, host, port, address, path, self._limits.idle, most, account, known, cap, course)

    def _cap(self, visit: Visit, media_type: str, head: bytes) -> int:
        """Bytes of a body that are kept. None are of what is not downloaded, unless somebody has named it."""
        found = kind_of(visit, media_type.partition(";")[0].strip().lower(), head)
        unread = (visit.depth > 0 and self._limits.skips(visit.kind, found)) or visit.method == "HEAD"
        return 0 if unread else self._limits.cap(visit.kind, found)

    def _captured(self, visit: Visit, said: Said, began: float, seconds: float, address: str) -> Capture:
        media_type = dict(said.headers).get("content-type", "")
        body = said.body[: self._cap(visit, media_type, said.body)]
        lines = [f"HTTP/1.1 {said.status} {said.reason}", *(f"{name}: {value}" for name, value in said.headers), "", ""]
        head = "\r\n".join(each.replace("\r", " ").replace("\n", " ") for each in lines).encode("latin-1", "replace")
        cut = "length" if len(body) < len(said.body) else None
        return Capture(visit, began, seconds, said.status, said.headers, b"", head, body, body, address or None, cut)


def function_for(scheme: str) -> Say:
    """The protocol of a scheme; UsageError where nobody has it."""
    if scheme in plugins.OUR_PROTOCOLS:
        say: Say = import_module(f"gossamer.fetch.protocols.{scheme}").say
        return say
    found = plugins.loaded(plugins.PROTOCOLS, scheme)
    if found is None:
        raise UsageError(plugins.unspoken(scheme))
    return found
