"""How does a message get to a webhook? By POST, signed, through the same guard as every fetch, and tried a few times.

The signature is that of GitHub and others: HMAC-SHA256 of the body, in hexadecimal, behind `sha256=`. A redirect is not
followed: what is signed for one is not sent to another.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from gossamer.collection.posting import Posting, may_pass, opens
from gossamer.errors import UsageError
from gossamer.fetch import Guard
from gossamer.fetch.dns import literal
from gossamer.model import Capture
from gossamer.plan import Plan

SIGNATURE, DELIVERY = "X-Gossamer-Signature", "X-Gossamer-Delivery"
SECRET_MOST = 4_096


@dataclass(frozen=True, slots=True)
class Patience:
    """How much is done for one run of all alerts."""

    tries: int = 4
    wait: float = 1.0
    """Seconds before the second try; before each further one twice as many."""
    whole: float = 60.0
    """Seconds after which no further try is begun, whatever is left."""


def signed(secret: bytes, body: bytes) -> str:
    """The value of the signature."""
    return f"sha256={hmac.new(secret, body, hashlib.sha256).hexdigest()}"


def secret_of(reference: str, folder: Path) -> bytes:
    """What the variable or the file has that is referred to. No message repeats it."""
    if reference.startswith("$"):
        found = os.environ.get(reference[1:], "").encode("utf-8", "surrogateescape")
        if not found:
            raise UsageError(f"the secret of the webhook is missing: set {reference[1:]} in the environment")
        return found
    path = Path(reference[1:])
    if not path.is_absolute() or Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise UsageError(f"{path}: a secret lies outside of the collection, in a file with a whole path")
    try:
        with path.open("rb") as file:
            found = file.read(SECRET_MOST).strip()
    except OSError as error:
        raise UsageError(f"{path}: the secret of the webhook cannot be read: {error.strerror}") from None
    if not found:
        raise UsageError(f"{path}: has no secret for the webhook")
    return found


def obstacles(plan: Plan, webhook: str, secret: str, folder: Path) -> list[str]:
    """What would keep a message from arriving as things stand, as far as that shows without asking the network."""
    found = []
    try:
        secret_of(secret, folder)
    except UsageError as error:
        found.append(str(error))
    address = literal(urlsplit(webhook).hostname or "")
    if address and (reason := Guard(plan.allow_addresses).refusal(address)):
        found.append(f"{address} is closed, {reason}; {opens(plan, address)} opens it")
    return found


class Post:
    """Sends messages by the plan of a collection."""

    def __init__(self, plan: Plan, patience: Patience) -> None:
        self._posting = Posting(plan)
        self._patience = patience
        self._ends = time.monotonic() + patience.whole
        self._sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
        self._dead: dict[str, str] = {}
        """Webhooks that have failed in this run; nobody waits for one twice."""

    async def __aenter__(self) -> Self:
        await self._posting.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._posting.__aexit__(kind, error, trace)

    async def send(self, url: str, delivery: str, body: bytes, secret: bytes) -> tuple[int, str]:
        """How often it was tried, and why it has not arrived; nothing where it has."""
        if url in self._dead:
            return 0, self._dead[url]
        fields = {"Content-Type": "application/json", SIGNATURE: signed(secret, body), DELIVERY: delivery}
        wait, problem = self._patience.wait, "no time was left for it; it is tried in the next run"
        tries = 0
        while tries < self._patience.tries and time.monotonic() < self._ends:
            if tries:
                await self._sleep(wait)
                wait *= 2
            answer = await self._posting.post(url, fields, body)
            tries += 1
            problem = _problem(answer)
            if not problem or not may_pass(answer):
                break
        if problem:
            self._dead[url] = problem
        return tries, problem


def _problem(answer: Capture) -> str:
    if 200 <= answer.status < 300:
        return ""  # the rest of an answer does not matter
    if answer.failure:
        return str(answer.failure)
    moved = "; redirects are not followed, name the address itself" if 300 <= answer.status < 400 else ""
    return f"http {answer.status}{moved}"
