"""A hub (WebSub) over HTTP, and a small site whose feed names it: both as a server of their own, on loopback."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlencode, urlsplit


def asked(method: str, url: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
    """Status and body of an answer."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, parts.path + (f"?{parts.query}" if parts.query else ""), body or None, named)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@dataclass
class Hub:
    """What it was asked for, and who is subscribed."""

    lease: int = 86_400
    denies: str = ""
    """The reason why it takes nobody."""
    status: int = 202
    """What it answers a request with."""
    url: str = ""
    requests: list[dict[str, str]] = field(default_factory=list)
    secrets: dict[str, str] = field(default_factory=dict)
    """By callback, of those who have agreed."""
    topics: dict[str, str] = field(default_factory=dict)

    def take(self, body: bytes) -> int:
        """A request; what comes of it is decided after the answer."""
        said = dict(parse_qsl(body.decode()))
        self.requests.append(said)
        if self.status == 202:
            threading.Thread(target=self._verify, args=(said,)).start()
        return self.status

    def _verify(self, said: dict[str, str]) -> None:
        callback, topic, mode = said["hub.callback"], said["hub.topic"], said["hub.mode"]
        if self.denies:
            self._call(callback, {"hub.mode": "denied", "hub.topic": topic, "hub.reason": self.denies})
            return
        challenge = secrets.token_hex(20)
        query = {"hub.mode": mode, "hub.topic": topic, "hub.challenge": challenge}
        status, body = self._call(callback, query | {"hub.lease_seconds": str(self.lease)})
        if status // 100 != 2 or body.decode() != challenge:
            return
        if mode == "subscribe":
            self.topics[callback], self.secrets[callback] = topic, said.get("hub.secret", "")
        else:
            self.topics.pop(callback, None)
            self.secrets.pop(callback, None)

    def _call(self, callback: str, query: dict[str, str]) -> tuple[int, bytes]:
        return asked("GET", f"{callback}{'&' if '?' in callback else '?'}{urlencode(query)}")

    def publish(self, topic: str, body: bytes, method: str = "sha256") -> list[int]:
        """Deliver what is new to all who want it, signed; what they answer."""
        return [
            asked("POST", callback, body, X_Hub_Signature=self.signature(callback, body, method))[0]
            for callback, wanted in list(self.topics.items())
            if wanted == topic
        ]

    def signature(self, callback: str, body: bytes, method: str = "sha256") -> str:
        return f"{method}={hmac.new(self.secrets[callback].encode(), body, getattr(hashlib, method)).hexdigest()}"


@dataclass
class Site:
    """Pages by path, and who asked for them."""

    hub: Hub
    pages: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Media type and text."""
    asked: list[str] = field(default_factory=list)
    url: str = ""

    def feed(self, *entries: str) -> str:
        """Its feed, which names the hub."""
        items = "".join(f"<item><title>{name}</title><link>{self.url}{name}</link></item>" for name in entries)
        links = f'<atom:link rel="hub" href="{self.hub.url}"/><atom:link rel="self" href="{self.url}feed.xml"/>'
        space = 'xmlns:atom="http://www.w3.org/2005/Atom"'
        return f"<rss {space}><channel><title>News</title><link>{self.url}</link>{links}{items}</channel></rss>"

    def times(self, path: str) -> int:
        return self.asked.count(path)


@contextmanager
def hub_and_site(hub: Hub | None = None) -> Iterator[Site]:
    """Until the end of the block. The site is empty; the hub is at `/hub` of the same server."""
    site = Site(hub or Hub())

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            site.asked.append(path)
            kind, text = site.pages.get(path, ("", ""))
            self._answer(200 if kind else 404, kind or "text/plain", text.encode())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            self._answer(site.hub.take(body) if self.path == "/hub" else 404, "text/plain", b"")

        def _answer(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.url = f"http://127.0.0.1:{server.server_port}/"
    site.hub.url = f"{site.url}hub"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
