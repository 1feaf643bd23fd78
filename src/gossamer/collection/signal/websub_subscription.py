"""How does a subscription at a hub stand? WebSub (W3C Recommendation, 2018), sections 5 to 7, as values.

    asked      the hub was asked, and has not called back yet
    active     it has, and tells us until the lease ends; it is asked again when two thirds of that are over
    refused    it does not want to; asked again after a week
    ending     we want no more of it; gone when the hub has called back, or a while later

Deliveries are signed with a secret that the hub has from us, by HMAC. SHA-1 is accepted like the others that the
standard names: most hubs sign with it alone, and its weakness, that two texts can be made which have the same digest,
does not help to forge an HMAC.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Literal

import msgspec
from msgspec.structs import replace

from gossamer.frontier.revisit.hubs import Subscribable
from gossamer.rows import Count, Seconds

DAY = 86_400.0
LEASE = 7 * DAY
"""Seconds that a hub is asked for."""
SHORTEST, LONGEST = 60.0, 365 * DAY
"""Seconds of a lease, whatever a hub says."""
ANSWERS = 600.0
"""Seconds in which a hub calls back; then it is asked again, each time after twice as long."""
REFUSED = 7 * DAY
REASON_MOST = 500
CHALLENGE_MOST = 4_096
"""Characters."""
METHODS = ("sha1", "sha256", "sha384", "sha512")


class Subscription(msgspec.Struct, frozen=True):
    """Of one document, at one hub."""

    url: str
    """The document that has named the hub: it is visited when there is news."""
    hub: str
    topic: str
    secret: str
    state: Literal["asked", "active", "refused", "ending"] = "asked"
    again: Seconds = 0.0
    """When the hub is asked again; of one that is ending, when it is gone."""
    ends: Seconds = 0.0
    """When the lease does; 0 before there is any."""
    tries: Count = 0
    """How often the hub was asked since it last called back."""
    reason: str = ""
    """Why it was refused."""

    def is_of(self, named: Subscribable | None) -> bool:
        """Does the document still name this hub, and itself so?"""
        return named is not None and (named.hub, named.topic) == (self.hub, self.topic)

    def is_due(self, now: float) -> bool:
        """Is the hub to be asked?"""
        return not self.tries if self.state == "ending" else now >= self.again


def made(url: str, named: Subscribable) -> Subscription:
    """A new one, that nobody was asked for yet."""
    return Subscription(url, named.hub, named.topic, secrets.token_hex(32))


def asked(before: Subscription, now: float) -> Subscription:
    """The hub is being asked: for what it is to do, by what we want."""
    state: Literal["asked", "active", "ending"] = "asked" if before.state == "refused" else before.state
    wait = min(ANSWERS * 2.0 ** min(before.tries, 10), DAY)
    return replace(before, state=state, again=now + wait, tries=before.tries + 1)


def refused(before: Subscription, reason: str, now: float) -> Subscription:
    """The hub does not want to."""
    return replace(before, state="refused", again=now + REFUSED, ends=0.0, tries=0, reason=reason[:REASON_MOST])


def active(before: Subscription, lease: str, now: float) -> Subscription:
    """The hub has called back, and says for how many seconds."""
    seconds = float(lease) if lease.isascii() and lease.isdigit() and len(lease) <= 12 else LEASE
    seconds = min(max(seconds, SHORTEST), LONGEST)
    return replace(before, state="active", again=now + seconds * 2 / 3, ends=now + seconds, tries=0, reason="")


def ending(before: Subscription) -> Subscription:
    """We want no more of it."""
    return replace(before, state="ending", tries=0)


class Signature:
    """What a delivery is signed with, while it comes."""

    def __init__(self, field: str, secret: str) -> None:
        method, _, self._claimed = field.strip().partition("=")
        known = method.lower() in METHODS
        self._mac = hmac.new(secret.encode(), digestmod=getattr(hashlib, method.lower())) if known else None

    def update(self, part: bytes) -> None:
        """Some more of it."""
        if self._mac is not None:
            self._mac.update(part)

    def agrees(self) -> bool:
        """Was it signed by who has the secret?"""
        if self._mac is None:
            return False
        claimed = self._claimed.strip().lower().encode("utf-8", "replace")
        return hmac.compare_digest(self._mac.hexdigest().encode(), claimed)
