"""How is it doing, for Prometheus? Its text format is a few lines; its client is slower to load than all else here."""

from __future__ import annotations

from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import Response

from gossamer.collection import Status
from gossamer.web.timings import Timings
from gossamer.web.view_context import face_of

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


async def metrics(request: Request) -> Response:
    """What the collection holds, and how long questions to it take."""
    face = face_of(request)
    status = await face.ask(lambda web: web.status())
    lines = (*_gauges(status), *_histogram(face.timings))
    return Response("".join(f"{line}\n" for line in lines), media_type=MEDIA_TYPE)


def _gauges(status: Status) -> Iterator[str]:
    for name, text, value in (
        ("pages", "Pages of the collection.", status.pages),
        ("queued", "Addresses that wait for their turn.", status.queued),
        ("failed", "Addresses that could not be fetched.", status.failed),
        ("excluded", "Addresses that were left out.", status.excluded),
        ("hosts", "Hosts that anything was to be fetched from.", status.hosts),
        ("bytes", "Bytes that were fetched.", status.bytes),
        ("duplicates", "Pages whose bytes another page has too.", status.duplicates),
        ("near_duplicates", "Pages that say nearly what another says.", status.near_duplicates),
        ("unread", "Pages that were kept and could not be read.", status.unread),
        ("crawling", "1 while somebody writes to the collection.", int(status.crawling is not None)),
    ):
        yield from _named(f"gossamer_{name}", text, "gauge")
        yield f"gossamer_{name} {value}"


def _histogram(timings: Timings) -> Iterator[str]:
    name = "gossamer_question_seconds"
    yield from _named(name, "Seconds that questions to the collection took, waiting included.", "histogram")
    for bound, count in timings.sums:
        yield f'{name}_bucket{{le="{bound}"}} {count}'
    yield f"{name}_sum {timings.seconds:.6f}"
    yield f"{name}_count {timings.sums[-1][1]}"


def _named(name: str, text: str, kind: str) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"
