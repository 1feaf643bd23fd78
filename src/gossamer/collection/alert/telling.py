"""Who is told what is new? Of each question that is kept, what has come since it was last told.

All pages are walked through once, and what has changed is put to each question. What is told is noted after it was:
after whoever listens has returned, and where there is a webhook, after that has taken it. A webhook of a collection
that somebody else has made is sent nothing unless this user agrees.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from gossamer import printable
from gossamer.collection import trust
from gossamer.collection.alert import saved, state
from gossamer.collection.alert.saved import Alert
from gossamer.collection.alert.state import Pending, Told
from gossamer.collection.alert.webhook import Patience, Post, secret_of
from gossamer.collection.ask.changes import Change, Changes
from gossamer.collection.ask.reading import Reading
from gossamer.collection.folder import Folder
from gossamer.errors import UsageError
from gossamer.printable import log

TOLD_MOST = 100
"""Changes that one message has; the others are counted."""
LOOKED_MOST = 10_000
"""Changes since the last time that are looked at, the newest."""
OVERLAP = 3_600.0
"""Seconds before the newest capture that are looked at again: what was under way then is committed later."""
TITLE_MOST = 500
PATIENCE = Patience()


@dataclass(frozen=True, slots=True)
class News:
    """What is new about a question, and whether it has arrived."""

    alert: str
    query: str
    changes: tuple[Change, ...] = ()
    """The newest first; none where an earlier delivery has arrived, or has not."""
    more: int = 0
    """Further ones, which are not among them."""
    webhook: str = ""
    delivery: str = ""
    problem: str = ""
    """Why it has not arrived, or was not sent."""

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "alert": self.alert,
            "query": self.query,
            "changes": [each.as_json() for each in self.changes],
            "more": self.more,
            "webhook": self.webhook or None,
            "delivery": self.delivery or None,
            "problem": self.problem or None,
        }


class _Fresh(NamedTuple):
    """What was found for an alert."""

    until: float
    ids: tuple[str, ...]
    """All that was told, this included, of the time that is looked at again."""
    changes: tuple[Change, ...] = ()
    more: int = 0


async def tell(
    path: Path,
    heard: Callable[[News], None],
    *,
    agreed: bool = False,
    patience: Patience = PATIENCE,
) -> None:
    """Tell all alerts of a collection what is new. `heard` is called with each; what it has heard is noted then.

    `agreed` says that this user wants the webhooks of the collection, whoever has named them.
    """
    alerts = saved.load(path)
    if not alerts:
        return
    with state.alone(path):
        told = {name: each for name, each in state.load(path).items() if name in alerts}
        fresh = await asyncio.to_thread(_found, path, alerts, told)
        telling = _Telling(path, told, heard, agreed=agreed)
        async with Post(Folder(path).load_plan(), patience) as post:
            for name in _in_turn(alerts, told):
                await telling.tell(name, alerts[name], fresh[name], post)


def _in_turn(alerts: Mapping[str, Alert], told: Mapping[str, Told]) -> list[str]:
    """Those whose webhook has failed least come first: there is a minute for all, and dead ones would use it up."""
    waiting = {name: each.pending.tries for name, each in told.items() if each.pending is not None}
    return sorted(alerts, key=lambda name: waiting.get(name, 0))


async def tell_after_crawl(path: Path, heard: Callable[[News], None] | None = None) -> None:
    """The same at the end of a crawl, or while one watches: whatever goes wrong is a warning and nothing else."""
    try:
        await tell(path, heard or _logged)
    except Exception as error:  # also a mistake of ours: what was crawled is there
        log.warning("alerts were not told: %s", error)


def begin(path: Path, name: str, query: str) -> None:
    """From now on: what is there is not new."""
    with state.alone(path):
        told = {other: each for other, each in state.load(path).items() if other in saved.load(path)}
        now = _found(path, {name: Alert(query)}, {})[name]
        state.save(path, {**told, name: Told(now.until, now.ids)})


def _logged(news: News) -> None:
    if news.problem:
        log.warning("alert %s: %s", news.alert, news.problem)
    for each in news.changes:
        log.info("alert %s: %s %s", news.alert, each.kind, each.url)


def _found(path: Path, alerts: Mapping[str, Alert], told: Mapping[str, Told]) -> dict[str, _Fresh]:
    """What is new for each."""
    before = {name: told[name].pending or told[name] for name in alerts if name in told}
    since = max(min((each.until for each in before.values()), default=0.0) - OVERLAP, 0.0)
    with Reading(path) as web:
        found = web.news(datetime.fromtimestamp(since, UTC), newest=LOOKED_MOST, detailed=False)
        every = list(found)
        if before and found.number > len(every):
            log.warning("of %s changes only the newest %s were looked at", f"{found.number:,}", f"{len(every):,}")
        return {name: _fresh(web, found, every, alert.query, before.get(name)) for name, alert in alerts.items()}


def _fresh(web: Reading, found: Changes, every: Sequence[Change], query: str, last: Told | Pending | None) -> _Fresh:
    """Of all changes those that one question wants. One that nobody has been told of yet begins now."""
    again = found.last - OVERLAP
    begin = (last.until if last else found.last) - OVERLAP
    known = set(last.ids) if last else set()
    newer = [each for each in every if each.seen >= begin and each.id not in known]
    answers = web.answering(query, [each.url for each in newer])
    mine = [each for each in newer if each.url in answers]
    kept = {each.id for each in every if each.seen >= again and each.id in known}
    ids = tuple(sorted(kept.union(each.id for each in mine if each.seen >= again)))
    if last is None:
        return _Fresh(found.last, ids)
    first = tuple(found.with_words(each) for each in mine[:TOLD_MOST])
    return _Fresh(max(found.last, last.until), ids, first, len(mine) - len(first))


class _Telling:
    """One run."""

    def __init__(self, path: Path, told: dict[str, Told], heard: Callable[[News], None], *, agreed: bool) -> None:
        self._path, self._told, self._heard, self._agreed = path, told, heard, agreed
        self._folder = Folder(path)

    async def tell(self, name: str, alert: Alert, fresh: _Fresh, post: Post) -> None:
        """What is new for one of them, after what has not arrived before."""
        before = self._told.get(name)
        about = News(name, alert.query, webhook=alert.webhook)
        if before is not None and before.pending is not None:
            if not alert.webhook:  # it was taken away: what nobody has taken is told here
                self._note(name, Told(before.pending.until, before.pending.ids))
            elif not await self._delivered(name, alert, before.pending, about, post):
                return
        if not fresh.changes:
            self._note(name, Told(fresh.until, fresh.ids))
            return
        about = replace(about, changes=fresh.changes, more=fresh.more)
        if not alert.webhook:
            self._heard(about)
            self._note(name, Told(fresh.until, fresh.ids))
            return
        pending = self._pending(about, fresh)
        now = self._told[name]
        self._note(name, Told(now.until, now.ids, pending))
        await self._delivered(name, alert, pending, about, post)

    def _pending(self, about: News, fresh: _Fresh) -> Pending:
        delivery = str(uuid.uuid4())
        message = {
            "delivery": delivery,
            "created": printable.timestamp(datetime.now(UTC).timestamp()),
            "collection": self._path.resolve().name,
            "alert": about.alert,
            "query": about.query,
            "changes": [_short(each.as_json()) for each in about.changes],
            "more": about.more,
        }
        return Pending(delivery, printable.json(message), fresh.until, fresh.ids)

    async def _delivered(self, name: str, alert: Alert, pending: Pending, about: News, post: Post) -> bool:
        """Send it. It is noted as told when it has arrived, and as not arrived else."""
        try:
            secret = self._allowed(alert)
            tries, problem = await post.send(alert.webhook, pending.delivery, pending.body.encode(), secret)
        except UsageError as error:
            tries, problem = 0, str(error)
        about = replace(about, delivery=pending.delivery, problem=problem)
        if problem:
            last = msgspec.structs.replace(pending, tries=pending.tries + tries, problem=problem)
            self._note(name, msgspec.structs.replace(self._told[name], pending=last))
            self._heard(about)
            return False
        self._heard(about)
        self._note(name, Told(pending.until, pending.ids))
        return True

    def _allowed(self, alert: Alert) -> bytes:
        """The secret of a webhook that may be sent something."""
        plan = self._folder.load_plan()
        if opened := trust.unconfirmed(self._folder, plan, ()):
            words = trust.in_words(opened)
            raise UsageError(f"not sent: the plan is somebody else's, and has {words}; crawl with --trust-plan first")
        if self._agreed:
            trust.agree(self._folder, alert.sends)
        elif not trust.is_agreed(self._folder, alert.sends):
            cure = "`gossamer alert run DIR --trust-alerts` once"
            raise UsageError(f"not sent: you have not named {alert.sends} here; if it is right, say {cure}")
        return secret_of(alert.secret, self._path)

    def _note(self, name: str, now: Told) -> None:
        if self._told.get(name) != now:
            self._told[name] = now
            state.save(self._path, self._told)


def _short(change: dict[str, Any]) -> dict[str, Any]:
    return {**change, "title": change["title"][:TITLE_MOST], "reason": change["reason"][:TITLE_MOST]}
