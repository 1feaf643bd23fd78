"""Whoever has the key says which pages are new or have changed, in the form of IndexNow (indexnow.org).

    GET  /indexnow?url=ADDRESS&key=KEY
    POST /indexnow    {"host": "a.example", "key": KEY, "urlList": [ADDRESS, ...]}

There a key is that of a site, which proves by a file that it is its own. Here it is ours: whoever was given it may
speak of any page that the collection is about, and of no other.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable, Iterable, Sequence

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from gossamer.errors import InvalidURL
from gossamer.frontier.revisit.token_bucket import TokenBucket
from gossamer.urls import keys, normalize
from gossamer.web.view_context import face_of

PATH = "/indexnow"
AT_ONCE = 10_000
"""Addresses of a request, as the protocol has it, and those of an hour."""
BODY_MOST = 4 << 20
"""Bytes."""
_A_DAY = 24.0 * AT_ONCE
RETRY_AFTER = "60"


class Told(msgspec.Struct, frozen=True):
    """What a request says; all else in it is passed over."""

    key: str
    urls: tuple[str, ...] = msgspec.field(name="urlList")
    host: str = ""


_told = msgspec.json.Decoder(Told).decode


class IndexNow:
    """Hears pings."""

    def __init__(self, key: str, tell: Callable[[Iterable[str]], None]) -> None:
        """`tell` hears which pages have changed."""
        self._key, self._tell = key, tell
        self._bucket = TokenBucket()

    async def __call__(self, request: Request) -> Response:
        """Take pages in, if they are ours."""
        told = await _said(request)
        if isinstance(told, Response):
            return told
        if not hmac.compare_digest(told.key.encode("utf-8", "replace"), self._key.encode()):
            return _no(403, "this is not the key; `gossamer serve DIR --pings` shows it")
        urls = _addresses(told)
        if not urls or len(told.urls) > AT_ONCE:
            return _no(400 if not told.urls else 422, f"name 1 to {AT_ONCE:,} addresses, all of the host that is named")
        if self._bucket.holds(_A_DAY, time.time()) < len(urls):
            return _no(429, f"{AT_ONCE:,} addresses are taken in an hour", {"retry-after": RETRY_AFTER})
        ours = await face_of(request).ask(lambda web: web.about(urls))
        if not ours:
            return _no(422, "the collection is not about any of these addresses")
        self._bucket.take(_A_DAY, time.time(), len(urls))
        self._tell(ours)
        return JSONResponse({"taken": len(ours), "left_out": len(told.urls) - len(ours)})


async def _said(request: Request) -> Told | Response:
    """What somebody says by GET or by POST."""
    if request.method != "POST":
        asked = request.query_params
        return Told(asked.get("key", ""), (asked["url"],)) if "url" in asked else _no(400, "name an address: url=")
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > BODY_MOST:
                return _no(413, f"what is sent may have {BODY_MOST:,} bytes")
        return _told(bytes(body))
    except ClientDisconnect:
        return _no(400, "it was broken off")
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return _no(400, f"send JSON with key and urlList: {error}")


def _addresses(told: Told) -> Sequence[str]:
    """In canonical form, each once; none where one is no address, or of another host than is named."""
    try:
        found = dict.fromkeys(map(normalize, told.urls))
    except InvalidURL:
        return ()
    return tuple(found) if not told.host or all(keys.host(url) == told.host.lower() for url in found) else ()


def _no(status: int, words: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": words}, status, headers)
