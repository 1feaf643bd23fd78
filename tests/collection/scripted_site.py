"""A site that says nothing without a browser, one that does not want one, and a stranger whom nobody may reach."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BIRDS = 12
SHELL = "<!doctype html><title>Birds</title><div id=root></div><img src=/bird.png><script src=/app.js></script>"
APP = """
fetch('/api' + location.pathname).then(answer => answer.json()).then(bird => {
  document.title = bird.title;
  const links = bird.links.map(link => `<a href="${link}">${link}</a>`).join(' ');
  document.getElementById('root').innerHTML = `<h1>${bird.title}</h1><p>${bird.text}</p>${links}`;
});
fetch('/private/tracking.json').catch(() => {});
fetch('/api/seen', {method: 'POST', body: 'me'}).catch(() => {});
"""
ROBOTS = "User-agent: *\nDisallow: /private/\n"


def bird(number: int) -> str:
    """What the application asks for. The birds are a tree, each found on the page of its parent."""
    text = f"This is heron number {number} of the colony at the river, and a script has put it here. " * 2
    links = [f"/bird/{each}" for each in (2 * number + 1, 2 * number + 2) if each < BIRDS]
    return json.dumps({"title": f"Heron {number}", "text": text, "links": links})


def bird_site() -> dict[str, str]:
    """By path."""
    pages = {"/": SHELL, "/app.js": APP, "/robots.txt": ROBOTS, "/api/": bird(0)}
    for number in range(1, BIRDS):
        pages |= {f"/bird/{number}": SHELL, f"/api/bird/{number}": bird(number)}
    return pages


@dataclass
class Scripted:
    """What is served, and what was asked for."""

    pages: Mapping[str, str]
    """A body that begins with `http` is where it redirects to."""
    origin: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Method and path."""

    def paths(self) -> list[str]:
        return [path for _, path in self.asked]


def media_type(path: str) -> str:
    if path.endswith(".js"):
        return "text/javascript"
    if path.endswith(".svg"):
        return "image/svg+xml"
    return "application/json" if path.startswith("/api/") else "text/html"


@contextmanager
def scripted_site(pages: Mapping[str, str], address: str = "127.0.0.1", port: int = 0) -> Iterator[Scripted]:
    """Serve it."""
    site = Scripted(pages)

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            path = self.path.partition("?")[0]
            site.asked.append((self.command, path))
            body = site.pages.get(path)
            target = body if body and body.startswith("http") else None
            self.send_response(404 if body is None else 302 if target else 200)
            if target:
                self.send_header("Location", target)
            data = (body or "").encode()
            self.send_header("Content-Type", media_type(path))
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_HEAD = do_OPTIONS = do_PUT = answer

        def log_message(self, *_: object) -> None:
            """Nothing on the terminal."""

    with ThreadingHTTPServer((address, port), Handler) as server:
        site.origin = f"http://{address}:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join()
