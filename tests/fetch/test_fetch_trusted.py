"""A long answer with the validators that we have is not read, where those have proved right: it is as good as a 304."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fetch_hostile import Talk, answer, fetching, run, serving

from gossamer.fetch.transfer import LONG
from gossamer.model import Capture, Visit

TAG, DATE = '"1"', "Sun, 15 Nov 2026 13:00:00 GMT"
FIELDS = f"ETag: {TAG}\r\nLast-Modified: {DATE}".encode()
LENGTH = 8_000_000


def asked(visit: Visit, length: int = LENGTH, fields: bytes = FIELDS) -> Capture:
    async def page(talk: Talk) -> bool:
        """It knows no 304."""
        await talk.send(answer(b"x" * length, fields))
        return True

    async def main() -> Capture:
        async with serving(page) as server, fetching() as fetcher:
            return await fetcher(replace(visit, url=server.url("/")))

    return run(main())


@pytest.mark.parametrize("known", [{"etag": TAG}, {"modified": DATE}, {"etag": TAG, "modified": "long ago"}], ids=str)
def test_what_is_known_is_not_read(known: dict[str, str]) -> None:
    capture = asked(Visit("", **known, trusted=True))  # type: ignore[arg-type]  # both are words
    assert (capture.status, capture.failure, capture.truncated) == (304, None, None)
    assert (capture.wire, capture.body) == (b"", b"")
    assert capture.header("etag") == TAG


@pytest.mark.parametrize(
    ("visit", "length", "fields"),
    [
        (Visit("", etag=TAG), LONG, FIELDS),
        (Visit("", etag=TAG, trusted=True), LONG - 1, FIELDS),
        (Visit("", etag='"2"', trusted=True), LONG, FIELDS),
        (Visit("", etag='"2"', modified=DATE, trusted=True), LONG, FIELDS),
        (Visit("", etag=TAG, trusted=True), LONG, b"X: y"),
        (Visit("", trusted=True), LONG, b"X: y"),
    ],
    ids=["not trusted", "short", "another", "another of the same second", "none", "none before"],
)
def test_anything_else_is_read(visit: Visit, length: int, fields: bytes) -> None:
    capture = asked(visit, length, fields)
    assert (capture.status, capture.failure, len(capture.body)) == (200, None, length)
