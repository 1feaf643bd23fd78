"""Sites that want a login: a form with a token and sessions that end, a digest, and nginx with its own passwords."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote

from harness import debian
from harness.ports import free_port

USER, PASSWORD = "ada", "hush-5f3a9c/ü"
LOGIN_PAGE = """<html><body><h1>Sign in</h1>
<form action="/find"><input name="q"></form>
<form method="post" action="/enter" id="signin">
<input type="hidden" name="csrf" value="{token}"><input type="hidden" name="next" value="{wanted}">
<label for="u">User name</label><input id="u" name="u1"><input type="password" name="p1">
<input type="checkbox" name="remember"><button name="go" value="1">Sign in</button></form></body></html>"""

SCRIPTED_PAGE = """<html><body><h1>Sign in</h1><div id="root"></div><script>
const token = document.cookie.match(/csrf=([0-9a-f]+)/)[1];
const ask = what => { document.getElementById('root').innerHTML = what; };
const value = () => document.querySelector('input').value;
ask('<input id="name"><button>Next</button>');
document.querySelector('button').onclick = () => {
  const name = value();
  ask('<input id="secret" type="password"><button id="go">Go</button>');
  document.querySelector('button').onclick = async () => {
    const secret = value();
    fetch('STRANGER/?' + secret, {method: 'POST', body: secret}).catch(() => {});
    fetch('STRANGER/' + encodeURIComponent(secret), {mode: 'no-cors'}).catch(() => {});
    const headers = {'Content-Type': 'application/json', 'X-Csrf': token};
    const answer = await fetch('/enter', {method: 'POST', headers, body: JSON.stringify({name, secret})});
    document.cookie = 'device=known; path=/';
    if (answer.ok) location = '/'; else ask('<p>wrong</p>');
  };
};
</script></body></html>"""
"""A login that is no form: two steps, a token in a header, and a cookie that only a script sets. It gives away what it
can."""


def pages(count: int) -> dict[str, str]:
    """A site of so many pages, each of which links to the next ones, and to what a crawler must not follow."""
    return {
        f"/{number}" if number else "/": f"<title>Page {number}</title><p>The members' page number {number}.</p>"
        + "".join(f'<a href="/{to}">{to}</a> ' for to in range(number + 1, min(number + 4, count)))
        + '<a href="/leave">Abmelden</a> <a href="/account/logout?x=1"><img src="x.png"></a>'
        for number in range(count)
    }


@dataclass
class FormSite:
    """An application that knows its visitors by a cookie."""

    pages: dict[str, str]
    lasts: int = 0
    """Requests after which a session is over; 0: never."""
    refuses: str = "redirect"
    """How it answers strangers: redirect, status, or form (the page is there, with the form in its place)."""
    origin: str = ""
    tokens: set[str] = field(default_factory=set)
    sessions: dict[str, int] = field(default_factory=dict)
    """Requests of each."""
    came: list[tuple[str, str]] = field(default_factory=list)
    """Method and path of each request."""
    left: int = 0
    """Visits to what logs out."""
    opened: bool = False
    """Strangers are let in."""
    closed: set[str] = field(default_factory=set)
    """Pages that are for nobody."""
    posted: list[dict[str, list[str]]] = field(default_factory=list)
    scripted: str = ""
    """The login is made by a script, which would hand the password to this origin."""

    def secrets(self) -> list[str]:
        """All that nobody else may see."""
        return [PASSWORD, quote(PASSWORD), *self.sessions, *self.tokens]


class _Speaking(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def say(self, status: int, body: str, *fields: tuple[str, str]) -> None:
        data = body.encode()
        self.send_response(status)
        for name, value in (
            ("Content-Type", "text/html; charset=utf-8"),
            ("Content-Length", str(len(data))),
            *fields,
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing on the terminal."""


def _form_handler(site: FormSite) -> type[BaseHTTPRequestHandler]:
    class Handler(_Speaking):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            site.came.append(("GET", self.path))
            if path == "/robots.txt":
                return self.say(404, "")
            if path == "/login":
                return self.show_login("/")
            if path in ("/leave", "/account/logout"):
                site.left += 1
                site.sessions.pop(self.session(), None)
                return self.say(302, "", ("Location", "/login"))
            if not self.is_known():
                return self.refuse()
            if path in site.closed:
                return self.say(403, "for nobody")
            return self.say(200 if path in site.pages else 404, site.pages.get(path, ""), ("Set-Cookie", "seen=1"))

        def do_POST(self) -> None:
            site.came.append(("POST", self.path))
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            given = {name: [value] for name, value in json.loads(body).items()} if site.scripted else parse_qs(body)
            site.posted.append(given)
            if site.scripted:
                return self.enter_by_script(given)
            token = self.cookie("csrf")
            known = token in site.tokens and given.get("csrf") == [token]
            origin = self.headers.get("Origin") == site.origin and self.headers.get("Referer", "").startswith(
                site.origin
            )
            if not (known and origin and given.get("u1") == [USER] and given.get("p1") == [PASSWORD]):
                return self.show_login("/")
            session = secrets.token_hex(12)
            site.sessions[session] = 0
            kept = f"session={session}; Path=/; HttpOnly; Max-Age=3600"
            return self.say(303, "", ("Location", given["next"][0]), ("Set-Cookie", kept))

        def enter_by_script(self, given: dict[str, list[str]]) -> None:
            fits = self.headers.get("X-Csrf") == self.cookie("csrf") in site.tokens
            if not fits or given != {"name": [USER], "secret": [PASSWORD]}:
                return self.say(401, "")
            session = secrets.token_hex(12)
            site.sessions[session] = 0
            return self.say(200, "{}", ("Set-Cookie", f"session={session}; Path=/; HttpOnly"))

        def refuse(self) -> None:
            if site.refuses == "redirect":
                return self.say(302, "", ("Location", f"/login?next={quote(self.path)}"))
            if site.refuses == "status":
                return self.say(403, "members only")
            return self.show_login(self.path)

        def show_login(self, wanted: str) -> None:
            token = secrets.token_hex(12)
            site.tokens.add(token)
            scripted = SCRIPTED_PAGE.replace("STRANGER", site.scripted)
            page = scripted if site.scripted else LOGIN_PAGE.format(token=token, wanted=wanted)
            self.say(200, page, ("Set-Cookie", f"csrf={token}; Path=/"))

        def is_known(self) -> bool:
            session = self.session()
            if site.opened or session not in site.sessions:
                return site.opened
            if site.scripted and self.cookie("device") != "known":
                return False
            site.sessions[session] += 1
            return not site.lasts or site.sessions[session] <= site.lasts

        def session(self) -> str:
            return self.cookie("session")

        def cookie(self, name: str) -> str:
            kept = SimpleCookie(self.headers.get("Cookie", ""))
            return kept[name].value if name in kept else ""

    return Handler


@contextmanager
def form_site(pages: dict[str, str], *, lasts: int = 0, refuses: str = "redirect") -> Iterator[FormSite]:
    """Serve it on loopback until the test is over."""
    site = FormSite(pages, lasts, refuses)
    with _served(_form_handler(site)) as origin:
        site.origin = origin
        yield site


@dataclass
class DigestSite:
    """A server that wants to see that one knows the password."""

    pages: dict[str, str]
    algorithm: str = "MD5"
    qop: str = "auth"
    lasts: int = 0
    """Requests for which a nonce holds; 0: all."""
    origin: str = ""
    nonces: dict[str, int] = field(default_factory=dict)
    refused: int = 0

    def fits(self, said: dict[str, str], method: str) -> bool:
        """RFC 7616, section 3.4, as a server reads it."""
        hashed = hashlib.sha256 if "256" in self.algorithm else hashlib.md5

        def h(text: str) -> str:
            return hashed(text.encode()).hexdigest()

        known = h(f"{USER}:members:{PASSWORD}")
        if self.algorithm.endswith("-sess"):
            known = h(f"{known}:{said['nonce']}:{said['cnonce']}")
        asked = h(f"{method}:{said['uri']}")
        between = f"{said['nonce']}:{said['nc']}:{said['cnonce']}:{said['qop']}" if self.qop else said["nonce"]
        return said["response"] == h(f"{known}:{between}:{asked}")


@contextmanager
def digest_site(pages: dict[str, str], **how: str | int) -> Iterator[DigestSite]:
    """Serve it on loopback until the test is over."""
    site = DigestSite(pages, **how)  # type: ignore[arg-type]  # by name, as the test gives them

    class Handler(_Speaking):
        def do_GET(self) -> None:
            said = dict(re.findall(r'(\w+)="?([^",]*)"?', self.headers.get("Authorization", "")))
            nonce = said.get("nonce", "")
            held = nonce in site.nonces and (not site.lasts or site.nonces[nonce] < site.lasts)
            counted = not site.qop or int(said.get("nc", "0"), 16) == site.nonces.get(nonce, -1) + 1
            if held and counted and said["uri"] == self.path and site.fits(said, "GET"):
                site.nonces[nonce] += 1
                return self.say(200 if self.path in site.pages else 404, site.pages.get(self.path, ""))
            site.refused += 1
            fresh = secrets.token_hex(8)
            site.nonces[fresh] = 0
            more = f', qop="{site.qop}"' if site.qop else ""
            stale = ", stale=true" if nonce in site.nonces and not held else ""
            wanted = f'Digest realm="members", nonce="{fresh}", algorithm={site.algorithm}{more}{stale}, opaque="x"'
            return self.say(
                401, "members only", ("WWW-Authenticate", 'Basic realm="members"'), ("WWW-Authenticate", wanted)
            )

    with _served(Handler) as origin:
        site.origin = origin
        yield site


@contextmanager
def _served(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def nginx_site(pages: dict[str, str], folder: Path) -> Iterator[str]:
    """The same pages behind the passwords of nginx."""
    root = folder / "pages"
    root.mkdir(parents=True)
    for path, body in pages.items():
        (root / (path.strip("/") or "index")).write_text(body)
    hashed = hashlib.sha1(PASSWORD.encode(), usedforsecurity=False).digest()
    from base64 import b64encode

    (folder / "users").write_text(f"{USER}:{{SHA}}{b64encode(hashed).decode()}\n")
    port = free_port()
    (folder / "nginx.conf").write_text(
        f"""daemon off; master_process off; pid {folder}/pid; error_log {folder}/errors; worker_rlimit_nofile 64;
events {{ worker_connections 32; }}
http {{ access_log off; default_type text/html; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b;
fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
server {{ listen 127.0.0.1:{port}; root {root}; index index;
auth_basic "members"; auth_basic_user_file {folder}/users; }} }}"""
    )
    process = subprocess.Popen([debian.program("nginx"), "-p", str(folder), "-c", str(folder / "nginx.conf")])
    try:
        until = time.monotonic() + 120
        while time.monotonic() < until and process.poll() is None:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.02)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()
