"""A small collection with a past, and a server over it on loopback."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest

import harness.served
from docs_session import session
from docs_web import START, DocsWeb
from gossamer.testing import VirtualClock
from gossamer.web.safety import Access, local_names
from gossamer.web.serving import LOCAL

TOKEN = "a token that is known"
PAGE = "https://example.org/guide/indexes"


def collected(folder: Path) -> Path:
    """Crawled on two days, of which the second has new, changed and missing pages."""
    web = DocsWeb(VirtualClock(START))
    with pytest.MonkeyPatch.context() as patch:
        reader = session(folder, web.clock, web.fetch, patch, web.pass_a_day)
        for command in ("gossamer crawl my-web https://example.org/ -q", "gossamer crawl my-web --revisit -q"):
            assert reader.run_command(command) == ("", 0)
    return folder / "my-web"


class Reply(NamedTuple):
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client(NamedTuple):
    """Whoever asks the server."""

    port: int

    def get(self, path: str, headers: Mapping[str, str] | None = None, **query: object) -> Reply:
        return self.send("GET", path, headers, **query)

    def send(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        **query: object,
    ) -> Reply:
        connection = http.client.HTTPConnection(LOCAL, self.port, timeout=60)
        whole = f"{path}?{urlencode(query)}" if query else path
        try:
            connection.request(method, whole, body, headers=dict(headers or {}))
            answer = connection.getresponse()
            return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def api(self, name: str, **query: object) -> Any:
        """An answer that is one."""
        reply = self.get(f"/api/v1/{name}", **query)
        assert reply.status == 200, reply.body
        return reply.json


@contextmanager
def serving(folder: Path, *, read_only: bool = False, by_post: Iterable[str] = ()) -> Iterator[Client]:
    """Until the end of the block."""
    access = Access(local_names(), read_only, token=TOKEN, asked_by_post=frozenset(by_post))
    with harness.served.serving(folder, access) as running:
        yield Client(running.port)
