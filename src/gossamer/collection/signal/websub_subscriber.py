"""Keeps subscriptions at hubs: asks for them, answers the call back, renews them, and ends them at last.

What hubs are called comes from strangers. So each is asked through the guard, few in a round, and one that fails is
left alone for all who name it, each time for longer.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

from gossamer.collection.posting import Posting, may_pass
from gossamer.collection.signal import listening
from gossamer.collection.signal import websub_subscription as states
from gossamer.collection.signal.listening import Listening
from gossamer.collection.signal.websub_subscription import CHALLENGE_MOST, DAY, LEASE, Subscription
from gossamer.fetch.redirects import target
from gossamer.frontier.revisit.hubs import Subscribable
from gossamer.model import Capture
from gossamer.printable import log

PATH = "websub/"
"""What follows the public address in a callback, before its secret part."""
MOST = 1_000
"""Subscriptions."""
A_ROUND = 20
"""Requests to hubs in a round."""
HOPS = 3
"""Hubs that send us on to another."""
RESTS = 60.0
"""Seconds that a hub which fails is left alone; each time twice as long, and a day at the most."""
FAREWELL = 5.0
"""Seconds at the end for hubs to hear that we want no more, and to call back."""
AT_ONCE = 8
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}
_MOVED = (307, 308)


class Subscriber:
    """All subscriptions of a collection."""

    def __init__(
        self,
        folder: Path,
        state: Listening,
        callback: str,
        posting: Posting,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`callback` is the public address of the server; whoever makes one is alone (`listening.alone`)."""
        self._folder, self._state, self._callback = folder, state, callback
        self._posting, self._now = posting, now
        self._saved = False
        self._dropped = asyncio.Event()
        """Set when one is."""
        self._tired: dict[str, tuple[int, float]] = {}
        """Hubs that fail: how often, and until when each is left alone."""

    @property
    def subscriptions(self) -> Mapping[str, Subscription]:
        """By the secret part of their callback addresses."""
        return self._state.subscriptions

    async def keep_up(self, named: Mapping[str, Subscribable]) -> None:
        """One round: what is named and new is asked for, what is due is renewed, what is named no more is ended."""
        now = self._now()
        for token, each in list(self.subscriptions.items()):
            over = each.state == "ending" and each.tries and now >= each.again
            if over or (each.state == "refused" and not each.is_of(named.get(each.url))):
                self._drop(token)
            elif each.state != "ending" and not each.is_of(named.get(each.url)):
                self._put(token, states.ending(each))
        known = {each.url for each in self.subscriptions.values() if each.state != "ending"}
        new = [url for url in named if url not in known]
        for url in new[: max(MOST - len(self.subscriptions), 0)]:
            self._put(secrets.token_urlsafe(24), states.made(url, named[url]))
        due = [token for token, each in self.subscriptions.items() if each.is_due(now) and not self._is_tired(each.hub)]
        self.save()  # before anybody calls back
        for token in due[:A_ROUND]:
            await self._ask(token)
        self.save()

    def answer(self, token: str, said: Mapping[str, str]) -> str | None:
        """A hub calls back: what it is answered; None where we have not asked for that."""
        each, challenge = self.subscriptions.get(token), said.get("hub.challenge", "")
        if each is None or said.get("hub.topic") != each.topic:
            return None
        mode, now = said.get("hub.mode"), self._now()
        if mode == "denied" and each.state != "ending":
            log.warning("%s: the hub %s refuses to tell of it: %s", each.url, each.hub, said.get("hub.reason", ""))
            self._put(token, states.refused(each, said.get("hub.reason", ""), now))
            return ""
        if not 0 < len(challenge) <= CHALLENGE_MOST:
            return None
        if mode == "subscribe" and each.state in ("asked", "active"):
            self._put(token, states.active(each, said.get("hub.lease_seconds", ""), now))
            return challenge
        if mode == "unsubscribe" and each.state == "ending":
            self._drop(token)
            return challenge
        return None

    def hears(self, token: str) -> Subscription | None:
        """The subscription that a delivery is for, if we want it."""
        each = self.subscriptions.get(token)
        return each if each is not None and each.state in ("asked", "active") else None

    async def end(self) -> None:
        """Tell all hubs that we want no more, as far as there is time; leases run out by themselves."""
        for token, each in list(self.subscriptions.items()):
            if each.state in ("asked", "active"):
                self._put(token, states.ending(each))
            elif each.state == "refused":
                self._drop(token)
        with suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL):
                turns = asyncio.Semaphore(AT_ONCE)
                await asyncio.gather(*(self._part_from(token, turns) for token in list(self.subscriptions)))
                while self.subscriptions:
                    self._dropped.clear()
                    await self._dropped.wait()
        self._state.subscriptions = {}
        self._saved = False
        self.save()

    async def _part_from(self, token: str, turns: asyncio.Semaphore) -> None:
        async with turns:
            if token in self.subscriptions and not await self._ask(token):
                self._drop(token)  # nobody will call back

    def save(self) -> None:
        """On the disk, if anything has changed."""
        if not self._saved:
            listening.save(self._folder, self._state)
            self._saved = True

    def _put(self, token: str, each: Subscription) -> None:
        self._state.subscriptions[token] = each
        self._saved = False

    def _drop(self, token: str) -> None:
        self._state.subscriptions.pop(token, None)
        self._saved = False
        self._dropped.set()

    def _is_tired(self, hub: str) -> bool:
        return self._now() < self._tired.get(hub, (0, 0.0))[1]

    async def _ask(self, token: str) -> bool:
        """Whether the hub will call back. It may do so before this returns."""
        each = states.asked(self.subscriptions[token], self._now())
        self._put(token, each)
        answer = await self._sent(each, self._request(token, each))
        if 200 <= answer.status < 300:
            self._tired.pop(each.hub, None)
            return True
        reason = str(answer.failure) if answer.failure else f"http {answer.status}"
        if may_pass(answer):
            tries = self._tired.get(each.hub, (0, 0.0))[0]
            self._tired[each.hub] = tries + 1, self._now() + min(RESTS * 2.0 ** min(tries, 11), DAY)
        elif self.subscriptions.get(token) == each and each.state != "ending":
            log.warning("%s: its hub %s cannot be subscribed to: %s", each.url, each.hub, reason)
            self._put(token, states.refused(each, reason, self._now()))
        return False

    def _request(self, token: str, each: Subscription) -> bytes:
        what = {"hub.callback": f"{self._callback}{PATH}{token}", "hub.topic": each.topic}
        if each.state == "ending":
            return urlencode({**what, "hub.mode": "unsubscribe"}).encode()
        lease = {"hub.lease_seconds": str(int(LEASE)), "hub.secret": each.secret}
        return urlencode({**what, "hub.mode": "subscribe", **lease}).encode()

    async def _sent(self, each: Subscription, body: bytes) -> Capture:
        hub, answer = each.hub, None
        for _ in range(HOPS + 1):
            answer = await self._posting.post(hub, _FORM, body)
            led_to = target(answer) if answer.status in _MOVED else None
            if led_to is None:
                break
            hub = led_to
        assert answer is not None
        return answer
