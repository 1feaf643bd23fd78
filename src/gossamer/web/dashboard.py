"""What is the crawl doing, and why? The sums, what holds it, how long it takes; live where scripts run."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from gossamer import files
from gossamer.collection import Collection, Progress, Status
from gossamer.collection.freshness import Freshness
from gossamer.collection.series import Sample
from gossamer.printable import counted, pasted, size, span
from gossamer.web.chart import Curve, chart
from gossamer.web.hosts_page import LIMIT as HOSTS_LIMIT
from gossamer.web.hosts_page import HostOrders, orders_of
from gossamer.web.leases import Busy
from gossamer.web.live import Pulse, Words
from gossamer.web.steering_page import ACTIONS, DONE, FOLLOWED
from gossamer.web.templating import number
from gossamer.web.view_context import Face, face_of

EVENTS = "text/event-stream"
REASONS_MOST = 12
PAUSED_AT_THE_END = "Nothing is left to do: it ends when it is resumed, or goes on with seeds that you add."
IDLE = 120.0
"""Seconds between two samples in which no crawl ran. A sample is for a minute."""
HOSTS_NAMED = {"busiest": ("queued", 6), "slowest": ("slow", 4), "failing": ("failed", 4)}
"""Which hosts are named, by which order, and how many."""


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the whole."""

    status: Status
    progress: Progress | None
    disk_free: int
    disk_size: int
    is_paused: bool = False
    name: str = "DIR"
    """Of the directory, as commands are told."""


def look(web: Collection) -> Look:
    """As of the last commit."""
    status, progress = web.status(), web.progress()
    try:
        disk = shutil.disk_usage(web.path)
    except OSError as error:
        web.close()
        web.status()  # which says so where there is no collection any more
        raise files.unreadable(error, web.path) from error
    return Look(status, progress, disk.free, disk.total, web.is_paused, web.path.resolve().name)


def figures(now: Look) -> dict[str, str]:
    """What the page shows, by the names of the places: the same words for the page and for who watches it."""
    status, progress = now.status, now.progress
    running = status.crawling is not None and progress is not None
    moving = running and not now.is_paused
    known = status.pages + status.queued + status.failed
    return {
        "state": pasted(_state(status, progress, is_paused=now.is_paused), now.name),
        "pages": number(status.pages),
        "queued": number(status.queued),
        "failed": number(status.failed),
        "excluded": number(status.excluded),
        "hosts": number(status.hosts),
        "bytes": size(status.bytes),
        "copies": number(status.duplicates + status.near_duplicates),
        "rate": f"{number(progress.rate)} pages/s, {size(progress.byte_rate)}/s" if moving and progress else "–",
        "out": counted(progress.out, "request") if running and progress else "–",
        "waiting": counted(progress.waiting, "host") if running and progress else "–",
        "left": f"about {span(max(status.left, 1.0))}" if status.left and moving else "–",
        "basis": status.basis if moving else "",
        "coverage": f"{status.pages / known:.1%}" if known else "–",
        "known": number(known),
        "actions": " ".join(_actions(now)),
        "requisites": f"{number(status.requisites_kept)} of {number(status.requisites)}" if status.requisites else "–",
        "fresh": _fresh(status.freshness),
        "topic": str(status.harvest or "–"),
        "forms": str(status.forms or "–"),
        "seconds": span(status.seconds),
        "memory": size(progress.memory) if running and progress and progress.memory else "–",
        "disk": f"{size(now.disk_free)} of {size(now.disk_size)}",
    }


def _fresh(freshness: Freshness | None) -> str:
    """How far what is there is up to date."""
    if freshness is None:
        return "–"
    measured = "" if freshness.measured is None else f" ({freshness.measured:.0%} of {freshness.samples:,} at random)"
    return f"about {freshness.fresh:.0%}{measured}; copies are {span(freshness.age)} old on average"


def _state(status: Status, progress: Progress | None, *, is_paused: bool) -> str:
    """In a sentence."""
    if status.crawling is None:
        if status.queued:
            held = f": {status.held_by}" if status.held_by else ""
            return f"At rest. {counted(status.queued, 'address')} {'waits' if status.queued == 1 else 'wait'}{held}."
        return "At rest. Nothing is left to do."
    if is_paused:
        return f"Paused. {'Nothing is fetched until it is resumed.' if status.queued else PAUSED_AT_THE_END}"
    if status.held_up:
        return f"Waits: {status.held_up}."
    if progress and progress.next_visit is not None and not status.queued:
        soon = f" in {span(progress.next_visit)}" if progress.next_visit != inf else ""
        return f"Watching. The next visit is{soon or ' not dated yet'}."
    if progress and progress.waits:
        return f"Waits {span(progress.idle_seconds)} for the next try; nothing else is left to do."
    since = status.crawling.get("since")
    return f"Running for {span(time.time() - since)}." if isinstance(since, int | float) and since else "Running."


async def crawl(request: Request) -> Response:
    """The dashboard."""
    face = face_of(request)
    orders = orders_of(request)
    now, past, named = await face.ask_at(
        lambda web, state: (look(web), web.series(), _named(orders, web, state)), HOSTS_LIMIT
    )
    actions = {name: ACTIONS[name].name for name in _actions(now)}
    return face.page(
        request,
        "crawl.html",
        status=now.status,
        actions=actions,
        done=_done(request.query_params.get("done", ""), actions),
        figures=figures(now),
        charts=charts(past),
        **named,
        **_causes(now.status),
    )


def _named(orders: HostOrders, web: Collection, state: str) -> dict[str, Any]:
    """Those hosts that hold the crawl up, and whether it runs: where it does not, that is why they wait."""
    found = {name: orders.page(web, state, sort, limit=most).hosts for name, (sort, most) in HOSTS_NAMED.items()}
    return {**found, "is_running": web.is_busy}


def _causes(status: Status) -> dict[str, Sequence[dict[str, Any]]]:
    """Why something is not here, or not as it should be."""
    causes = {
        "failures": status.failures,
        "exclusions": status.exclusions,
        "missing": status.requisites_missing,
        "remarks": status.remarks,
    }
    return {name: _reasons(counts) for name, counts in causes.items()}


def charts(past: Sequence[Sample]) -> list[tuple[str, Markup]]:
    """The whole life of the crawl: what it holds, how fast it went, what it takes."""
    moments = [each.time.timestamp() for each in past]
    judged = [(each.time.timestamp(), each.relevance) for each in past if each.relevance is not None]
    harvest = Curve("on topic", [rate for _, rate in judged])
    on_topic = chart("On topic", [moment for moment, _ in judged], [harvest], _part)
    idle = _idle(past)
    running = {each - 1 for each in idle}
    sums = [Curve(name, [getattr(each, name) for each in past]) for name in ("pages", "queued", "failed")]
    sizes = {name: [Curve(name, [getattr(each, name) for each in past])] for name in ("bytes", "memory")}
    covered = [Curve("coverage", [each.coverage for each in past])]
    rates = {name: [Curve(f"{name} a minute", _rates(past, name))] for name in ("pages", "bytes")}
    drawn = [
        ("Pages, queued and failed", chart("Pages, queued and failed", moments, sums, number, idle)),
        ("Coverage", chart("Coverage", moments, covered, _part, idle)),
        ("Pages a minute", chart("Pages a minute", moments[1:], rates["pages"], number, running)),
        ("Bytes a minute", chart("Bytes a minute", moments[1:], rates["bytes"], size, running)),
        ("Fetched", chart("Fetched", moments, sizes["bytes"], size, idle)),
        ("Memory", chart("Memory", moments, sizes["memory"], size, idle)),
        *([("On topic", on_topic)] if judged else []),
    ]
    return [(title, curves) for title, curves in drawn if curves]


def _idle(past: Sequence[Sample]) -> set[int]:
    """The samples before which nothing ran for a while: there is nothing to draw between them and the last."""
    pairs = ((after.time - before.time, after.seconds - before.seconds) for before, after in pairwise(past))
    return {number for number, (passed, ran) in enumerate(pairs, 1) if passed.total_seconds() - max(ran, 0) > IDLE}


def _part(value: float) -> str:
    return f"{value:.0%}"


def _rates(past: Sequence[Sample], name: str) -> list[float]:
    """Between two samples; a time in which no crawl ran counts as none."""
    pairs = [
        (getattr(after, name) - getattr(before, name), after.seconds - before.seconds)
        for before, after in pairwise(past)
    ]
    return [max(0, amount) / seconds * 60 if seconds > 0 else 0.0 for amount, seconds in pairs]


def _done(name: str, actions: Container[str]) -> str:
    """What was asked for; nothing where the state says that it has happened."""
    return "" if name in FOLLOWED and name not in actions else DONE.get(name, "")


def _actions(now: Look) -> list[str]:
    """What can be done now."""
    running = ["resume" if now.is_paused else "pause", "stop"]
    wanted = ["start"] if now.status.crawling is None else running
    return [*wanted, *(["retry"] if now.status.failed else [])]


def _reasons(counts: Mapping[str, int]) -> Sequence[dict[str, Any]]:
    """The most frequent first, each with its part of the largest."""
    most = max(counts.values(), default=1)
    return [
        {"reason": reason, "count": count, "part": count / most}
        for reason, count in list(counts.items())[:REASONS_MOST]
    ]


def pulse(face: Face) -> Pulse:
    """Looks for all who watch the dashboard."""

    async def words() -> Words:
        return figures(await face.ask(look))

    async def last_words() -> Words:
        return await asyncio.to_thread(_now, face.leases.path)

    return Pulse(words, last_words)


def _now(path: Path) -> Words:
    """As it is this moment: a reader that is lent may be a second old, and what was said last stays on the page."""
    with Collection(path) as web:
        return figures(look(web))


async def drawn(request: Request) -> Response:
    """The charts alone, for a page that is open for long."""
    face = face_of(request)
    past = await face.ask(lambda web: web.series())
    return face.page(request, "charts.html", charts=charts(past))


async def cluster(request: Request) -> Response:
    """The nodes alone, likewise; nothing where there are none."""
    face = face_of(request)
    status = await face.ask(lambda web: web.status())
    return face.page(request, "cluster.html", status=status)


async def hosts(request: Request) -> Response:
    """The hosts alone, likewise."""
    face, orders = face_of(request), orders_of(request)
    named = await face.ask_at(lambda web, state: _named(orders, web, state), HOSTS_LIMIT)
    return face.page(request, "crawl_hosts.html", **named)


async def reasons(request: Request) -> Response:
    """Why something is not here, likewise."""
    face = face_of(request)
    status = await face.ask(lambda web: web.status())
    return face.page(request, "crawl_reasons.html", **_causes(status))


async def events(request: Request) -> Response:
    """Server-sent events, for as long as somebody watches."""
    found: Pulse = request.app.state.pulse
    if found.is_full:
        raise Busy("too many watch already; load the page again to see how it goes")
    headers = {"cache-control": "no-store"}
    if request.method == "HEAD":  # nobody would see the end of it
        return Response(media_type=EVENTS, headers=headers)
    return StreamingResponse(found.events(), media_type=EVENTS, headers=headers)
