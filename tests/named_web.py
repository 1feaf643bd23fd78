"""A handful of pages under many names of one address: every name below `localhost` leads to 127.0.0.1."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any, NamedTuple


class Reply(NamedTuple):
    """What is answered. A `location` makes it a redirect."""

    body: str = ""
    location: str = ""
    media_type: str = "text/html"


class Asked(NamedTuple):
    """One request, in seconds of the steady clock."""

    host: str
    path: str
    began: float
    ended: float


@dataclass
class NamedWeb:
    """`replies` by host and path; whatever is not there is missing."""

    port: int = 0
    replies: dict[tuple[str, str], Reply] = field(default_factory=dict)
    log: list[Asked] = field(default_factory=list)

    def url(self, name: str, path: str = "/") -> str:
        return f"http://{name}.localhost:{self.port}{path}"

    def put(self, name: str, path: str, reply: Reply) -> None:
        self.replies[f"{name}.localhost", path] = reply

    def link(self, name: str, path: str, targets: list[str]) -> None:
        """A page of its own that links to others."""
        links = "".join(f'<p><a href="{target}">there</a>' for target in targets)
        self.put(name, path, Reply(f"<title>{name} {path}</title><p>The page {path} of {name}.{links}"))

    def asked(self) -> list[Asked]:
        return sorted(self.log, key=lambda each: each.began)

    def gaps(self) -> list[float]:
        """Seconds from the end of each answer to the next request to the address."""
        return [after.began - before.ended for before, after in pairwise(self.asked())]


@contextmanager
def named_web() -> Iterator[NamedWeb]:
    """Serve on loopback until the test is over."""
    web = NamedWeb()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(web))
    web.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(web: NamedWeb) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            began = time.monotonic()
            host = self.headers["host"].partition(":")[0]
            reply = web.replies.get((host, self.path))
            body = reply.body.encode() if reply else b""
            with suppress(ConnectionError):  # whoever asked is gone
                self.send_response(301 if reply and reply.location else 200 if reply else 404)
                for name, value in _headers(reply, len(body)).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
                web.log.append(Asked(host, self.path, began, time.monotonic()))

        def log_message(self, format: str, *words: Any) -> None:
            pass

    return Handler


def _headers(reply: Reply | None, length: int) -> Mapping[str, str]:
    told = {"Content-Type": reply.media_type if reply else "text/html", "Content-Length": str(length)}
    return {**told, "Location": reply.location} if reply and reply.location else told
