"""A server of a few pages on loopback that remembers what it was sent, byte by byte."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Tiny:
    """What is served, and what came."""

    pages: Mapping[str, str] = field(default_factory=dict)
    """Bodies by path; one that begins with `http` is where it redirects to."""
    origin: str = ""
    locked: bool = False
    """Whoever sends no login gets 401."""
    asks: str = ""
    """The `WWW-Authenticate` of that."""
    key: str = ""
    """Whoever sends no `X-Key` with this value gets 403."""
    came: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """Path and header fields of each request."""

    def sent(self, name: str, path: str) -> list[str | None]:
        """What a header field was in each request for a path."""
        return [fields.get(name.lower()) for asked, fields in self.came if asked == path]


@contextmanager
def tiny_server(pages: Mapping[str, str], address: str = "127.0.0.1") -> Iterator[Tiny]:
    """Serve pages until the test is over. There is no robots.txt unless it is one of them."""
    tiny = Tiny(pages)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            tiny.came.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            body = tiny.pages.get(self.path)
            target = body if body and body.startswith("http") else None
            shut = 401 if tiny.locked and "Authorization" not in self.headers else 0
            if tiny.key and self.headers.get("X-Key") != tiny.key:
                shut = 403
            if shut:
                body, target = "", None
                self.send_response(shut)
                if tiny.asks:
                    self.send_header("WWW-Authenticate", tiny.asks)
            else:
                self.send_response(404 if body is None else 302 if target else 200)
            if target:
                self.send_header("Location", target)
            data = (body or "").encode()
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Nothing on the terminal."""

    with ThreadingHTTPServer((address, 0), Handler) as server:
        tiny.origin = f"http://{address}:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield tiny
        finally:
            server.shutdown()
            thread.join()


def page(*links: str, words: str = "words") -> str:
    """A page with links."""
    anchors = " ".join(f'<a href="{link}">{link}</a>' for link in links)
    return f"<html><body><p>{words}</p>{anchors}</body></html>"
