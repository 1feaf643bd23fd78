"""What a server of the made web answers: the place asked for, the time and the number of tries decide.

Where there is nothing a host says 404, or gives something that looks like a page, as many real hosts do:

`text`  a page that says so, the same for all addresses
`echo`  a page that repeats the address
`home`  a redirect to the home page
`page`  a redirect to one page that says so
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime

from gossamer.model import Headers
from gossamer.testing.changes import History
from gossamer.testing.documents import UTF8, Author, Document, Written
from gossamer.testing.draw import token
from gossamer.testing.layout import Layout
from gossamer.testing.places import FAULTY, ROBOTS, TRAPS, Place, Role
from gossamer.testing.policy import Policy
from gossamer.testing.traps import trap
from gossamer.testing.wire import Answer, Ending, Request, compressed, http_date

_REDIRECTS = (301, 302, 303, 307, 308)
_HTML = "text/html; charset=utf-8"
_TEXT = "text/plain; charset=utf-8"
_XML = "application/xml"
_CLOSE = ("connection", "close")
ERROR_PAGE = "/error.html"
_HOME = Written("/", "Home")


@dataclass(frozen=True, slots=True)
class Moment:
    """When a request comes: the date, and which try for this address it is, counted from 1."""

    now: float
    tries: int


@dataclass(frozen=True, slots=True)
class Answers:
    """The servers of one web."""

    layout: Layout
    history: History
    policy: Policy
    author: Author

    @classmethod
    def of(cls, layout: Layout) -> Answers:
        history = History(layout.spec)
        return cls(layout, history, Policy(layout, history), Author(layout, history))

    def answer(self, request: Request, place: Place | None, moment: Moment) -> Answer:
        """The answer to a request for a place; None is a place that is nowhere."""
        if request.method not in ("GET", "HEAD"):
            found = _page(405, "Only GET and HEAD are understood here.", ("allow", "GET, HEAD"), _CLOSE)
        else:
            found = self._answer(request, place, moment)
        return _for_the_wire(self._compress(found, request), request, moment)

    def _answer(self, request: Request, place: Place | None, moment: Moment) -> Answer:
        if place is None:
            return self._nothing(request)
        if place.role in ROBOTS:
            return self._robots(place, moment)
        if place.role is Role.SITEMAP:
            return _file(_XML, self.policy.sitemap(place, moment.now))
        if not self.layout.exists(place) or place.role is Role.MISSING:
            return self._nothing(request)
        if (to := self.layout.redirect(place)) is not None:
            return self._redirect(place, to)
        if place.role in FAULTY and not self._healed(place, moment):
            return self._fault(place, moment)
        if place.role in TRAPS:
            page = trap(self.layout, place)
            return _file(_HTML, page.html()) if page else self._nothing(request)
        return self._document(request, place, moment)

    def _nothing(self, request: Request) -> Answer:
        host = self.layout.hosts.number(request.authority) or 0
        if (to := soft_redirect(self.layout, host, request.target)) is not None:
            return Answer(302, (("location", to),))
        page = soft_page(self.layout, host, request.target)
        return _missing() if page is None else _file(_HTML, page.html())

    def _robots(self, place: Place, moment: Moment) -> Answer:
        if place.role is Role.ROBOTS and not self.policy.answers_well(place.host, moment.tries):
            return _page(500, "The rules cannot be read now.")
        if place.role is Role.ROBOTS and self.policy.moved(place.host):
            return Answer(301, (("location", "/policy.txt"),))
        if place.role is Role.POLICY and not self.policy.moved(place.host):
            return _missing()
        return _file(_TEXT, self.policy.robots(place.host))

    def _redirect(self, place: Place, to: Place) -> Answer:
        """Half of them say only the path, as many servers do."""
        short = to.host == place.host and place.number % 2 == 0
        location = self.layout.sign(to).target if short else self.layout.url(to)
        return Answer(_REDIRECTS[place.number % len(_REDIRECTS)], (("location", location),))

    def _healed(self, place: Place, moment: Moment) -> bool:
        return moment.tries > self.layout.spec.errors.failures and self.layout.heals(place)

    def _fault(self, place: Place, moment: Moment) -> Answer:
        if place.role is Role.BROKEN:
            return _page(500, "This server is broken.")
        if place.role is Role.BUSY:
            seconds = self.layout.spec.errors.retry_after
            answer = _page(503, "This server is busy.", ("retry-after", str(seconds)))
            return replace(answer, retry_after=seconds)
        if place.role is Role.CUT:
            body = self.author.document(place, moment.now).encoded()
            return Answer(200, (("content-type", _HTML),), body, Ending.CUT)
        return Answer(0, ending=Ending.DROPPED if place.role is Role.DROPPED else Ending.SILENT)

    def _document(self, request: Request, place: Place, moment: Moment) -> Answer:
        version, since = self.history.version(self.layout.served(place).original, moment.now)
        etag = f'W/"{token(self.layout.spec.seed, *place.key, version)}"'
        headers: Headers = (("etag", etag), ("last-modified", http_date(int(since))))
        if _unchanged(request, etag, int(since)):
            return Answer(304, headers)
        headers += (("content-type", self._content_type(place)), *self._robots_tag(place))
        return Answer(200, headers, self.author.document(place, moment.now).encoded())

    def _content_type(self, place: Place) -> str:
        charset = self.author.charset(place)
        if charset is UTF8:
            return _HTML
        in_header = self.author.charset_in_header(place)
        return f"text/html; charset={charset.label}" if in_header else "text/html"

    def _robots_tag(self, place: Place) -> Headers:
        mark = self.author.mark(place)
        return (("x-robots-tag", mark),) if mark and self.author.marked_in_header(place) else ()

    def _compress(self, answer: Answer, request: Request) -> Answer:
        if not self.layout.spec.gzip or answer.status != 200 or not request.accepts_gzip:
            return answer
        coding = (("content-encoding", "gzip"), ("vary", "accept-encoding"))
        return replace(answer, headers=answer.headers + coding, body=compressed(answer.body))


def refusal() -> Answer:
    """For bytes that are no request, or none for a host of this web."""
    return _page(400, "This is not a request for a host of this web.", _CLOSE)


def _page(status: int, text: str, *headers: tuple[str, str]) -> Answer:
    body = Document(str(status), [text], []).encoded()
    return Answer(status, (("content-type", _HTML), *headers), body)


def _missing() -> Answer:
    return _page(404, "There is nothing here.")


def _file(media_type: str, text: str | None) -> Answer:
    return _missing() if text is None else Answer(200, (("content-type", media_type),), text.encode())


def _unchanged(request: Request, etag: str, since: int) -> bool:
    """RFC 9110, section 13.2.2: the entity tag decides when there is one, else the date."""
    if (known := request.fields.get("if-none-match")) is not None:
        return etag in known or known.strip() == "*"
    try:
        return parsedate_to_datetime(request.fields["if-modified-since"]).timestamp() >= since
    except (KeyError, ValueError, OverflowError):
        return False


def _for_the_wire(answer: Answer, request: Request, moment: Moment) -> Answer:
    """With date and length; a HEAD gets no body."""
    headers = (("date", http_date(int(moment.now))), *answer.headers)
    if answer.status != 304:
        headers += (("content-length", str(len(answer.body))),)
    body = b"" if request.method == "HEAD" else answer.body
    return Answer(answer.status, headers, body, answer.ending, answer.retry_after)


def soft_redirect(layout: Layout, host: int, target: str) -> str | None:
    """Where an address leads at which there is nothing; None when it leads nowhere."""
    match layout.soft_way(host):
        case "home":
            return "/"
        case "page" if target != ERROR_PAGE:
            return ERROR_PAGE
    return None


def soft_page(layout: Layout, host: int, target: str) -> Document | None:
    """The page that stands for an error there; None where the host is honest."""
    match layout.soft_way(host):
        case "text" | "page":
            return Document("Not found", ["We are sorry, but we could not find what you asked for."], [_HOME])
        case "echo":
            return Document("Oops", [f"There is no page {target} on this server, or there is none any more."], [_HOME])
    return None
