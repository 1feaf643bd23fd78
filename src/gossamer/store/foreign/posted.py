"""At which address does a replay tool look up the answer to a POST? At that of the request, with what was sent in it.

So pywb, ReplayWeb.page and cdxj-indexer do it (https://specs.webrecorder.net/request-body-canonicalization/): the
method and the fields of the body become part of the query. What is no form and no JSON is there in Base64.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from email import message_from_bytes
from typing import Any
from urllib.parse import unquote_plus, urlencode

from gossamer.store.warc.reader import http_fields
from gossamer.store.warc.warc import HEAD_END

QUERY_MOST = 4096
"""Characters of the body in such a query, as those tools have it."""
_BODIES = frozenset({"POST", "PUT"})


def lookup(url: str, method: str, request: bytes) -> str:
    """`request` is all of it, with its head."""
    end = HEAD_END.search(request)
    head, body = (request[: end.end()], request[end.end() :]) if end else (request, b"")
    media_type = next((value for name, value in http_fields(head) if name == "content-type"), "")
    query = _query(media_type, body)[:QUERY_MOST] if method in _BODIES else ""
    return f"{url}{'&' if '?' in url else '?'}__wb_method={method}{'&' if query else ''}{query}"


def _query(media_type: str, body: bytes) -> str:
    try:
        if media_type.startswith("application/x-www-form-urlencoded"):
            return unquote_plus(body.decode())
        if media_type.startswith("multipart/"):
            return urlencode(list(_parts(media_type, body)), doseq=True)
        if media_type.startswith(("application/json", "text/plain")):
            return urlencode(_numbered(_leaves(body)))
    except (ValueError, RecursionError):
        if media_type.startswith("application/json"):
            return ""
    return f"__wb_post_data={b64encode(body).decode()}"


def _parts(media_type: str, body: bytes) -> Iterator[tuple[str, bytes]]:
    whole = message_from_bytes(b"Content-Type: " + media_type.encode("latin-1") + b"\r\n\r\n" + body)
    if not whole.is_multipart():
        raise ValueError("no boundary")
    for part in whole.walk():
        name = part.get_param("name", header="content-disposition")
        payload = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(payload, bytes):
            yield name, payload


def _leaves(body: bytes) -> Iterator[tuple[str, str]]:
    """Names and values of all objects in it, whatever they are in; some send a line for each."""
    try:
        values = [json.loads(body)]
    except ValueError:
        if b"\n" not in body:
            raise
        values = [json.loads(line) for line in body.split(b"\n")]
    for value in values:
        yield from _inside("", value)


def _inside(name: str, value: Any) -> Iterator[tuple[str, str]]:
    match value:
        case dict():
            for key, each in value.items():
                yield from _inside(key, each)
        case list():
            for each in value:
                yield from _inside(name, each)
        case _ if name:
            yield name, str(value)


def _numbered(pairs: Iterator[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    times: dict[str, int] = {}
    for name, value in pairs:
        times[name] = times.get(name, 0) + 1
        found[name if times[name] == 1 else f"{name}.{times[name]}_"] = value
    return found
