"""One request under way: what libcurl tells of it, and what becomes of it.

How an answer that did not go well is kept:

| what happened                        | kept                | truncated    | failure           |
|--------------------------------------|---------------------|--------------|-------------------|
| longer than we want, or a bomb       | all up to the limit | `length`     | none              |
| a media type we do not download      | the head            | `length`     | none              |
| the long page that we have           | the head, as a 304  | none         | none              |
| too slow, idle or too long, in body  | all that came       | `time`       | TIMEOUT, TOO_SLOW |
| connection ended before the body did | all that came       | `disconnect` | INCOMPLETE        |
| connection reset in the body         | all that came       | `disconnect` | RESET             |
| chunks that are none                 | all that came       | `disconnect` | PROTOCOL          |
| anything before the head is complete | nothing             | none         | what it was       |

So a failure means that another try may bring more, and a truncation without one that it will not.

`explain` says what libcurl's error numbers mean in our words.
"""

from __future__ import annotations

from collections.abc import Callable
from socket import socket as Socket
from typing import NamedTuple

from gossamer.fetch import no_media_type
from gossamer.fetch.body import Body, Content, open_body
from gossamer.fetch.guard import Guard
from gossamer.fetch.head import Head, read_head
from gossamer.fetch.limits import Limits
from gossamer.fetch.memory_budget import Held
from gossamer.fetch.pace import Pace
from gossamer.model import Failure, Fault, Visit

OK = 0
STOPPED_BY_US = 23
"""A callback wanted no more."""
OVERDUE = -1
"""Not libcurl's: we gave up waiting."""

_TIMED_OUT = 28
_RECEIVE = 56

_FAULTS = {
    1: Fault.PROTOCOL,  # unsupported: HTTP/0.9, a version that does not exist, another scheme
    3: Fault.PROTOCOL,  # malformed URL
    5: Fault.CONNECT,  # the proxy's name
    6: Fault.DNS,
    7: Fault.CONNECT,
    8: Fault.PROTOCOL,  # a strange head
    16: Fault.PROTOCOL,
    18: Fault.INCOMPLETE,
    35: Fault.TLS,
    42: Fault.BLOCKED_ADDRESS,
    45: Fault.CONNECT,  # no local address or port left
    52: Fault.RESET,  # closed without a word
    55: Fault.RESET,
    _RECEIVE: Fault.RESET,
    59: Fault.TLS,
    60: Fault.TLS,
    66: Fault.TLS,
    77: Fault.TLS,
    80: Fault.TLS,
    83: Fault.TLS,
    90: Fault.TLS,
    91: Fault.TLS,
    97: Fault.CONNECT,  # the proxy's handshake
    98: Fault.TLS,
    100: Fault.HEADERS_TOO_LARGE,
}
_NOTHING = Content(b"", b"", cut=False)
NOT_MODIFIED = 304
LONG = 64 * 1024
"""Bytes from which on a body is left that need not be read: so much is on its way before a server hears of it, and a
new connection costs some thousand too."""


def is_the_same(visit: Visit, head: Head) -> bool:
    """Does the head of a long answer say what a 304 would, where that is `trusted`?

    It takes the place of a HEAD before each GET: where a server has no 304, that would spare the same bytes, and cost
    a request more whenever the page has changed.
    """
    if not visit.trusted or head.status != 200:
        return False
    said = dict(head.headers)
    tag, date, length = said.get("etag"), said.get("last-modified"), said.get("content-length", "")
    is_same = visit.etag == tag if visit.etag else bool(visit.modified) and visit.modified == date
    return is_same and length.isdecimal() and len(length) < 16 and int(length) >= LONG


class LeaseOver(RuntimeError):
    """Somebody else may be sent to ask this host now. Whoever was about to do so ends, and is begun again."""


def explain(code: int, message: str, *, asked: bool, limits: Limits) -> Failure:
    """`asked`: the connection stood and the request was sent when it happened."""
    if code == _TIMED_OUT:
        what = "not finished" if asked else "no connection"
        return Failure(Fault.TIMEOUT, f"{what} within {limits.total if asked else limits.connect:g} s")
    if code == _RECEIVE and not asked:
        return Failure(Fault.CONNECT, _clean(message))  # a proxy that refuses the tunnel
    return Failure(_FAULTS.get(code, Fault.PROTOCOL), _clean(message) or f"libcurl error {code}")


def _clean(message: str) -> str:
    """Servers have a say in some messages, and terminals must not obey them."""
    return "".join(c if c.isprintable() else "?" for c in message[:200])


class Outcome(NamedTuple):
    """What came of a request."""

    head: Head | None = None
    content: Content = _NOTHING
    truncated: str | None = None
    failure: Failure | None = None


class Transfer:
    """Made for one request, fed by libcurl's callbacks, read once at the end.

    A callback must not raise, for libcurl could not pass it on. A mistake of ours is kept in
    `mistake`, ends the transfer, and is raised where the request was awaited.
    """

    __slots__ = (
        "_body",
        "_guard",
        "_head",
        "_held",
        "_kind",
        "_late",
        "_limits",
        "_may_ask",
        "_pace",
        "_refusal",
        "_same",
        "_unwanted",
        "_visit",
        "_waiting_since",
        "address",
        "asked",
        "lines",
        "mistake",
        "resent",
        "socket",
        "waits",
    )

    def __init__(
        self,
        visit: Visit,
        limits: Limits,
        guard: Guard | None,
        held: Held,
        may_ask: Callable[[], bool] = lambda: True,
    ) -> None:
        """Without a guard every address is admitted: it is that of the operator's proxy. `may_ask` is asked last of
        all, when the request could go out."""
        self._may_ask = may_ask
        self._visit = visit
        self._kind = visit.kind
        self._held = held
        self._waiting_since = 0.0
        self._limits = limits
        self._guard = guard
        self._pace = Pace(limits)
        self._head: Head | Failure | None = None
        self._body: Body | None = None
        self._refusal: str | None = None
        self._same = False
        self._unwanted = False
        self._late: Failure | None = None
        self.lines: list[bytes] = []
        """Header lines as they come; libcurl calls its `append`, the cheapest callback there is."""
        self.address: str | None = None
        self.asked = False
        """A connection stands and the request goes out."""
        self.resent = False
        """It went out twice: the server closes connections that it has let us use again."""
        self.mistake: Exception | None = None
        self.socket: Socket | None = None
        """The one that was opened for it, if it was not there before."""
        self.waits = False
        """A piece of the body came, and there was no room for it."""

    def admits(self, address: str) -> bool:
        """Asked when a socket opens and before each request. What cannot be checked is refused."""
        if not self._guard:
            return True
        try:
            self.address = address
            reason = self._guard.refusal(address)
        except Exception as error:
            self.mistake, reason = error, "unchecked"
        if reason:
            self._refusal = f"{address} is {reason}"
        return not reason

    def ready(self, address: str) -> bool:
        """The connection stands, new or used before: may the request go out?

        libcurl sends it again at once where a connection that was used before is closed without an answer.
        """
        self.resent, self.asked = self.asked, True
        self.lines.clear()  # what a proxy said when it opened the tunnel
        if not self._may_ask():
            self.mistake = LeaseOver(f"{self._visit.url}: the lease was over before the request went out")
        return self.mistake is None and self.admits(address)

    def fits(self, data: bytes) -> bool:
        """A piece of the body came; is there room for it? If not, it comes again."""
        self.waits = not self._held.room(self._visit, len(data))
        return not self.waits

    def wrote(self, data: bytes) -> bool:
        """A piece of the body came; is more wanted?"""
        try:
            body = self._body = self._body or self._begin(data)
            if body is None:
                return False
            before = body.held
            more = body.feed(data)
            self._held.grow(self._visit, body.held - before)
            return more
        except Exception as error:
            self.mistake = error
            return False

    def _begin(self, data: bytes) -> Body | None:
        head = self._head = read_head(self.lines, self._limits)
        if isinstance(head, Failure):
            return None
        self._same = is_the_same(self._visit, head)
        if self._same:
            return None
        # What somebody has named is wanted, whatever it is.
        self._unwanted = self._visit.depth > 0 and self._limits.skips(self._kind, head.media_type)
        if self._unwanted:
            return None
        shown = b"" if head.chunked or head.codings else data
        return open_body(head, no_media_type.cap(self._limits, self._visit, head.media_type, shown), self._limits)

    def overdue(self, now: float) -> bool:
        """Whether to give up waiting; `now` counts only the time that the server had."""
        if self._waiting_since:
            self._pace.rest(now - self._waiting_since)
        self._waiting_since = now if self.waits else 0.0
        if self.waits:
            return False
        if not self.asked:
            self._late = self._pace.connecting(now)
        else:
            received = self._body.received if self._body else 0
            self._late = self._pace.look(len(self.lines) + received, now)
        return self._late is not None

    def outcome(self, code: int, message: str) -> Outcome:
        """What became of it, given libcurl's verdict."""
        if self.mistake:
            raise self.mistake
        if self._refusal:
            return Outcome(failure=Failure(Fault.BLOCKED_ADDRESS, self._refusal))
        trouble = self._trouble(code, message)
        if not self.asked:
            return Outcome(failure=trouble)
        head = self._head or read_head(self.lines, self._limits)
        if isinstance(head, Failure):
            unclear = head.fault is Fault.INCOMPLETE and trouble
            return Outcome(failure=trouble if unclear else head)
        if self._same:
            return Outcome(head._replace(status=NOT_MODIFIED))
        content = self._body.close(whole=trouble is None) if self._body else _NOTHING
        if content.framing:
            trouble = Failure(Fault.PROTOCOL, content.framing)
        return Outcome(head, content, self._truncation(content, trouble), trouble)

    def _trouble(self, code: int, message: str) -> Failure | None:
        if code in (OK, STOPPED_BY_US):
            return None
        if code == OVERDUE:
            return self._late
        return explain(code, message, asked=self.asked, limits=self._limits)

    def _truncation(self, content: Content, trouble: Failure | None) -> str | None:
        if content.cut or self._unwanted:
            return "length"
        if trouble is None:
            return None
        return "time" if trouble.fault in (Fault.TIMEOUT, Fault.TOO_SLOW) else "disconnect"
