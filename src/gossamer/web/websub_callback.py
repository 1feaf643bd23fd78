"""What hubs tell us: they call back after we subscribed, and deliver what is new (WebSub, sections 5.3 and 7).

Of a delivery only the signature matters. The document itself is visited by the crawl, politely and through its archive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response

from gossamer.collection.signal import websub_subscriber
from gossamer.collection.signal.websub_subscriber import Subscriber
from gossamer.collection.signal.websub_subscription import Signature

PATH = f"/{websub_subscriber.PATH}"
DELIVERED_MOST = 16 << 20
"""Bytes of a delivery, which are not kept."""


class Callback:
    """The address that hubs know."""

    def __init__(self, subscriber: Subscriber, tell: Callable[[Iterable[str]], None]) -> None:
        """`tell` hears which documents have changed."""
        self._subscriber, self._tell = subscriber, tell

    async def __call__(self, request: Request) -> Response:
        """Answer a hub."""
        token = request.path_params["token"]
        if request.method == "POST":
            return await self._delivered(request, token)
        answer = self._subscriber.answer(token, dict(request.query_params))
        return PlainTextResponse("", 404) if answer is None else PlainTextResponse(answer)

    async def _delivered(self, request: Request, token: str) -> Response:
        """Whoever forges one learns nothing from the answer."""
        wanted = self._subscriber.hears(token)
        if wanted is None:
            return Response(status_code=410)
        signature = Signature(request.headers.get("x-hub-signature", ""), wanted.secret)
        size = 0
        try:
            async for part in request.stream():
                size += len(part)
                if size > DELIVERED_MOST:
                    return Response(status_code=413)
                signature.update(part)
        except ClientDisconnect:
            return Response(status_code=400)
        if signature.agrees():
            self._tell([wanted.url])
        return Response(status_code=202)
