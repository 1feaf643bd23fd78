"""Is the crawl still logged in? A fetch that logs in first, sees when it is logged out, and logs in again.

It stands between the loop and the fetcher where a crawl has logins, and is loaded only there. All that it knows is in
memory: cookies, numbers of digests, and whether a login has worked. Each shard has its own, and since a site belongs to
one shard, a site sees one session.

A page that comes back without the login looks so: it redirects to the login page, its status is 401 or 403, or it has
the login form. Then the login is repeated and the page is asked for again; what a stranger saw is not kept. All of this
is bounded. A sign that a fresh login does not cure is believed no more after a few times: some pages are forbidden to
everybody. And where logins bring hardly any pages, the crawl goes on without.

The requests of a login keep the delay of the plan. They are no visits: nothing of them is archived, neither the body
with the password nor the cookie that comes back. From the answers of pages, too, the Set-Cookie fields are cut before
anybody sees them: an archive is given away and copied, and the cookie in it would be the key to the account.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, TypeAlias

from gossamer.convert.html.forms import of_capture
from gossamer.fetch.cookie_jar import Jar
from gossamer.fetch.digest_auth import Challenge, challenge
from gossamer.fetch.login_form import filled, login_form
from gossamer.fetch.logins import Account, Asking, Login, Logins, is_foreign, place
from gossamer.fetch.redirects import target
from gossamer.model import URL, Capture, Clock, Kind, Visit
from gossamer.printable import counted, log
from gossamer.urls import keys

Sign: TypeAlias = Literal["redirect", "status", "form"]
"""By what a page shows that nobody is logged in."""

TRIES = 3
"""Times that a page is asked for, should the session end in between."""
DOUBTED = 3
"""Fresh logins that did not cure a sign; then it is none."""
FREE_LOGINS = 5
"""Logins of a site that need not have brought anything."""
PAGES_EACH = 4
"""Pages that every further login must have brought."""
_HOPS_MOST = 5
_REPEATING = frozenset({307, 308})
"""Redirects that want what was sent to be sent again."""
_REFUSED = frozenset({401, 403})
_UNCURED: dict[Sign, str] = {
    "redirect": "some pages lead to it also after a fresh login",
    "status": "some pages answer 401 or 403 also after a fresh login",
    "form": "some pages have its form also after a fresh login",
}
_ASKS: dict[Sign, str] = {"redirect": "still leads to it", "status": "is still refused", "form": "still has its form"}
_PASSWORD_FIELD = re.compile(rb"""type\s*=\s*["']?password""", re.IGNORECASE)
_SET_COOKIE = re.compile(rb"(?im)^set-cookie2?[ \t]*:[^\n]*(?:\n[ \t][^\n]*)*\n")
_NAMES = frozenset({"set-cookie", "set-cookie2"})


@dataclass
class _State:
    """One login of the plan, as it stands now."""

    login: Login
    jar: Jar
    challenges: dict[str, Challenge] = field(default_factory=dict)
    """By origin."""
    answered: set[str] = field(default_factory=set)
    """Origins that have accepted the digest."""
    form: _FormState | None = None


@dataclass
class _FormState:
    account: Account
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    generation: int = 0
    """How often somebody has logged in."""
    good: int = 0
    """Pages that came as somebody who is logged in sees them."""
    doubts: dict[Sign, int] = field(default_factory=dict)
    doors: set[str] = field(default_factory=set)
    """Addresses of the login, without their queries."""
    given_up: str = ""
    is_doubted: bool = False
    """It was said that nothing shows that the login works."""

    def may(self) -> bool:
        """Has what was done so far brought enough for one more login?"""
        return not self.given_up and self.generation < FREE_LOGINS + self.good // PAGES_EACH


class Sessions:
    """The logins of a crawl with what their sites have answered."""

    def __init__(self, logins: Logins, clock: Clock) -> None:
        self._logins = logins
        self._clock = clock
        self._states = [_state(login, logins.suffixes) for login in logins.each]

    def __bool__(self) -> bool:
        return bool(self._states)

    def fields(self, url: URL, method: str = "GET") -> tuple[bytes, ...]:
        """The header fields for a canonical address, as they are sent."""
        return self._logins.with_cookies(url, self._cookies(url), self._digest(url, method))

    def at(self, url: URL) -> list[_State]:
        """Those that hold for an address."""
        here = place(url, self._logins.suffixes)
        return [state for state in self._states if state.login.covers(url, here)]

    def heard(self, capture: Capture) -> None:
        """Take in the cookies that an answer sets."""
        if values := capture.header_values("set-cookie"):
            for state in self.at(capture.visit.url):
                state.jar.heard(capture.visit.url, values, self._clock.wall())

    def _cookies(self, url: URL) -> str:
        now = self._clock.wall()
        return "; ".join(filter(None, (state.jar.field(url, now) for state in self.at(url))))

    def _digest(self, url: URL, method: str) -> str:
        for state in self.at(url):
            known = state.challenges.get(keys.origin(url))
            account = state.login.account("digest")
            if known and account:
                return known.answer(account.user, account.password, method, "/" + url.split("/", 3)[3])
        return ""


def _state(login: Login, suffixes: frozenset[str]) -> _State:
    account = login.account("form") or login.account("browser")
    form = _FormState(account, doors={_bare(account.url)}) if account else None
    return _State(login, Jar(login.cookies, suffixes), form=form)


class SignedIn:
    """Call it with a visit and await the capture, as a fetcher."""

    def __init__(
        self, sessions: Sessions, fetch: Callable[[Visit], Awaitable[Capture]], asking: Asking, pause: float
    ) -> None:
        """`asking` is for logins alone; `pause` are seconds between two requests of ours that no frontier has paced."""
        self._sessions = sessions
        self._fetch = fetch
        self._asking = asking
        self._pause = pause

    async def __call__(self, visit: Visit) -> Capture:
        states = self._sessions.at(visit.url)
        if not states or is_foreign(visit):  # which goes without the login, so nothing is to be learned from it
            return await self._fetch(visit)
        if visit.kind is Kind.RESOURCE:  # of a page that came with the login: what it says of it is said already
            return _without_cookies(await self._once(visit, states))
        forms = [state.form for state in states if state.form and visit.kind is not Kind.ROBOTS]
        for form in forms:
            if not form.generation:
                await self._sign_in(form, 0)
        capture = await self._asked(visit, states, forms)
        return _without_cookies(capture)

    async def _asked(self, visit: Visit, states: list[_State], forms: list[_FormState]) -> Capture:
        before: dict[int, Sign] = {}
        for attempt in range(TRIES):
            generations = [form.generation for form in forms]
            capture = await self._once(visit, states)
            again, signs = False, [_sign(capture, form) for form in forms]
            for number, (form, sign) in enumerate(zip(forms, signs, strict=True)):
                _learn(form, sign, before.get(number), fresh=generations[number] == form.generation)
                if sign and attempt + 1 < TRIES and form.doubts.get(sign, 0) < DOUBTED:
                    before[number] = sign
                    again = await self._sign_in(form, generations[number]) or again
            if not again:
                break
            await asyncio.sleep(self._pause)
        for form, sign in zip(forms, signs, strict=True):
            _doubt(form, sign, visit.url)
        return capture

    async def _once(self, visit: Visit, states: list[_State]) -> Capture:
        """A visit, and once more where the server wants a digest that we can show."""
        capture = await self._fetch(visit)
        self._sessions.heard(capture)
        if capture.status == 401 and self._take_challenge(capture, states):
            await asyncio.sleep(self._pause)
            capture = await self._fetch(visit)
            self._sessions.heard(capture)
        for state in states:
            if state.challenges and capture.status not in (0, 401):
                state.answered.add(keys.origin(visit.url))
        return capture

    def _take_challenge(self, capture: Capture, states: list[_State]) -> bool:
        """Is there a new number to answer? Where an answer was refused that was not too old, the password is wrong."""
        origin = keys.origin(capture.visit.url)
        wanted = challenge(capture.header_values("www-authenticate"))
        for state in states if wanted else ():
            known = state.challenges.get(origin)
            if state.login.account("digest") and wanted:
                if known and not wanted.stale and known.realm == wanted.realm and origin not in state.answered:
                    return False
                if known is None or known.nonce != wanted.nonce:
                    state.challenges[origin] = wanted
                    return True
        return False

    async def _sign_in(self, form: _FormState, generation: int) -> bool:
        """Log in, unless somebody has done so since; whether a page is worth another try."""
        async with form.lock:
            if form.generation > generation:
                return not form.given_up
            if not form.may():
                if not form.given_up:
                    logins = counted(form.generation, "login has", "logins have")
                    form.given_up = f"{logins} brought only {counted(form.good, 'page')}"
                    log.warning("login of %s: %s; the crawl goes on without it", form.account.url, form.given_up)
                return False
            form.generation += 1
            if problem := await self._exchange(form):
                form.given_up = problem
                log.warning("login of %s: %s; the crawl goes on without it", form.account.url, problem)
            return not form.given_up

    async def _exchange(self, form: _FormState) -> str:
        """The login itself: its page, its form, what comes of it. In words what went wrong; empty when it worked."""
        if form.account.kind == "browser":
            return await self._in_browser(form)
        page = await self._followed(await self._asking(Visit(form.account.url)))
        if problem := _problem(page):
            return f"its page does not come: {problem}"
        found = login_form(of_capture(page))
        if found is None:
            return "its page has no form with a name and one password, sent by POST"
        if not self._is_ours(found.action, form):
            return f"its form sends the password to {keys.origin(found.action)}, for which the login was not given"
        form.doors |= {_bare(page.visit.url), _bare(found.action)}
        body = filled(found, form.account.user, form.account.password)
        await asyncio.sleep(self._pause)
        answer = await self._asking.submit(found.action, page.visit.url, body)
        landed = await self._followed(answer)
        if problem := _problem(landed):
            return f"it is refused: {problem}"
        if landed.status in _REPEATING:
            return "its form leads to another site, which would be sent the password"
        if _shows_login(landed, form):
            return "it is refused: the login form comes again; check the name and the password"
        return ""

    async def _in_browser(self, form: _FormState) -> str:
        """Loaded only where a login wants it."""
        from gossamer.fetch.browser.signing_in import Reach, sign_in

        covers = partial(self._is_ours, form=form)
        return await sign_in(form.account, Reach(self._asking, covers, self._sessions.heard, self._pause))

    def _is_ours(self, url: URL, form: _FormState) -> bool:
        return any(state.form is form for state in self._sessions.at(url))

    async def _followed(self, capture: Capture) -> Capture:
        """Where it leads, as long as that is within the place of a login."""
        self._sessions.heard(capture)
        for _ in range(_HOPS_MOST):
            led_to = target(capture)
            if led_to is None or not self._sessions.at(led_to):
                break
            await asyncio.sleep(self._pause)
            capture = await self._asking(Visit(led_to))
            self._sessions.heard(capture)
        return capture


def _learn(form: _FormState, sign: Sign | None, before: Sign | None, *, fresh: bool) -> None:
    """What a page tells about the login, and about the sign for which it was asked again."""
    if sign is None:
        form.good += 1
        if before is not None:
            form.doubts[before] = 0
    elif sign == before and fresh:
        form.doubts[sign] = form.doubts.get(sign, 0) + 1
        if form.doubts[sign] == DOUBTED:
            log.warning("login of %s: %s; pages that look so are kept", form.account.url, _UNCURED[sign])


def _doubt(form: _FormState, sign: Sign | None, url: URL) -> None:
    """A server may refuse a password and say nothing of it. Where no page has come that shows the login, and one has
    asked for it again and again, it is said once."""
    if sign and not (form.good or form.given_up or form.is_doubted) and form.generation > 1:
        form.is_doubted = True
        told = f"{url} {_ASKS[sign]} after {counted(form.generation, 'login')}, and no other page has come yet"
        log.warning("login of %s: %s; check the name and the password", form.account.url, told)


def _sign(capture: Capture, form: _FormState) -> Sign | None:
    """Does it look as if nobody were logged in? The login page itself always does."""
    if _bare(capture.visit.url) in form.doors or not capture.status:
        return None
    if capture.status in _REFUSED:
        return "status"
    led_to = target(capture)
    if led_to is not None:
        return "redirect" if _bare(led_to) in form.doors else None
    return "form" if _shows_login(capture, form) else None


def _shows_login(capture: Capture, form: _FormState) -> bool:
    if not _PASSWORD_FIELD.search(capture.body):
        return False
    found = login_form(of_capture(capture))
    return found is not None and _bare(found.action) in form.doors


def _problem(capture: Capture) -> str:
    if capture.failure:
        return str(capture.failure)
    return f"http {capture.status}" if capture.status >= 400 else ""


def _bare(url: URL) -> URL:
    """Without its query, which says where one wanted to go."""
    return url.partition("?")[0]


def _without_cookies(capture: Capture) -> Capture:
    if not any(name in _NAMES for name, _ in capture.headers):
        return capture
    headers = tuple(each for each in capture.headers if each[0] not in _NAMES)
    return replace(capture, headers=headers, head=_SET_COOKIE.sub(b"", capture.head))
