"""One page in a browser: what is read of it, where it wanted to go, and what becomes of a browser that breaks."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gossamer.fetch.browser import chromium, rendering
from gossamer.fetch.browser.chromium import Chromium
from gossamer.fetch.browser.rendering import Patience, Renderer, with_addresses
from gossamer.fetch.browser.signing_in import Reach, _Way, sign_in
from gossamer.fetch.logins import FORM, Account, Login, Logins, Step, place
from gossamer.fetch.request import Identity, Request, Requests
from gossamer.model import Capture, Kind, Visit
from gossamer.testing import run, running_clock
from harness.jpegs import jpeg_size
from web.browser import chromium as installed

URL = "http://birds.test/herons/"
QUICK = Patience(longest=20.0, answers=2.0, settles=1.5, closes=2.0)


def capture(html: str, url: str = URL, media_type: str = "text/html") -> Capture:
    return Capture(Visit(url), 0.0, 0.0, status=200, headers=(("content-type", media_type),), body=html.encode())


class Asked:
    """Answers what a page asks for, and remembers it."""

    def __init__(self, answers: dict[str, str] | None = None, before: Callable[[], None] = lambda: None) -> None:
        self.answers = answers or {}
        self.before = before
        self.log: list[str] = []

    async def __call__(self, url: str, method: str) -> Capture | None:
        self.log.append(url.removeprefix("http://birds.test"))
        self.before()
        body = self.answers.get(self.log[-1])
        return None if body is None else capture(body, url, "application/json")


def rendered(*pages: str, asked: Asked | None = None, patience: Patience = QUICK) -> list[str]:
    """Each page as the same browser makes it."""
    installed()

    async def run() -> list[str]:
        renderer = Renderer(1 << 20, patience)
        try:
            return [(await renderer(capture(html), asked or Asked())).html.decode() for html in pages]
        finally:
            await renderer.close()

    return asyncio.run(run())


def addresses(html: str) -> list[str]:
    """Where its scripts wanted to go."""
    return re.findall(r'href="http://birds.test([^"]*)"', html.partition("<nav hidden")[2])


LAZY = """<p id=end>begin</p><script>
let number = 0;
addEventListener('scroll', async () => {
  const more = await (await fetch('/more/' + number++)).json();
  document.body.insertAdjacentHTML('beforeend', more.map(each => `<p style="height:2000px">${each}</p>`).join(''));
});
</script><p style="height:3000px">tall</p>"""
BUTTON = """<p>begin</p><button>Load more</button><form><button>Show more</button></form><script>
document.querySelector('button').onclick = async () => {
  document.body.append((await (await fetch('/more/b')).json())[0]);
  document.querySelector('button').remove();
};
document.forms[0].onsubmit = () => { fetch('/sent'); return false };
</script>"""
EVENTS = """<a href=/plain>plain</a><a href="javascript:go('/script')">go</a>
<div onmouseover="window.open('/hovered')">over</div><p id=p>press</p>
<form action=/form method=post><button>Send</button></form>
<form action=/get><button>Send</button></form><script>
const go = where => { location = where };
document.getElementById('p').addEventListener('click', () => {
  fetch('/clicked');
  document.body.insertAdjacentHTML('beforeend', '<a href=/shown>shown</a>');
});
history.pushState(null, '', '/pushed');
open('/opened');
</script>"""


def test_a_page_is_scrolled_and_asked_for_more_within_bounds() -> None:
    asked = Asked({f"/more/{number}": json.dumps([f"part {number}"]) for number in (*range(50), "b")})
    lazy, button = rendered(LAZY, BUTTON, asked=asked)
    assert "part 0" in lazy
    assert "part 1" in lazy
    assert len([path for path in asked.log if path != "/more/b"]) < 20
    assert "part b" in button
    assert asked.log.count("/more/b") == 1
    assert "/sent" not in asked.log


def test_what_scripts_and_events_lead_to_comes_to_light_and_is_not_asked_for() -> None:
    asked = Asked()
    (html,) = rendered(EVENTS, asked=asked)
    assert {"/script", "/hovered", "/shown", "/opened", "/pushed"} <= set(addresses(html))
    assert not {"/form", "/get", "/plain"} & {each.partition("?")[0] for each in addresses(html)}
    assert asked.log == []


ROOTS = """<h1>birds</h1><bird-card id=open><b slot=name>heron &lt;1&gt;</b> waits</bird-card>
<div id=closed></div><script>
customElements.define('bird-card', class extends HTMLElement {
  constructor() {
    super();
    window.made = (window.made || 0) + 1;
    this.attachShadow({mode: 'open'}).innerHTML =
      '<style>b{}</style><p>named <slot name=name></slot></p><slot></slot><slot name=none>fallback</slot><span></span>';
    this.shadowRoot.querySelector('span').attachShadow({mode: 'open'}).innerHTML = '<a href=/nested>nested</a>';
  }
});
const late = document.getElementById('closed').attachShadow({mode: 'closed'});
setTimeout(() => { late.innerHTML = '<p>a closed wren</p><img src=x alt=y>'; }, 200);
setTimeout(() => { document.title = 'made ' + window.made; }, 400);
</script>"""


def test_what_stands_in_shadow_roots_is_read_where_it_is_shown() -> None:
    (html,) = rendered(ROOTS)
    assert (
        '<p>named <b slot="name">heron &lt;1&gt;</b></p> waitsfallback<span><a href="/nested">nested</a></span>' in html
    )
    assert '<div id="closed"><p>a closed wren</p><img src="x" alt="y"></div>' in html
    assert html.count("heron") == 1
    assert "<title>made 1</title>" in html


def test_a_page_without_shadow_roots_is_written_as_the_browser_writes_it() -> None:
    page = (
        '<!DOCTYPE html><html><head><title>t</title></head><body><p a="&lt;">x &amp; y<br></p><!-- c --></body></html>'
    )
    (html,) = rendered(page)
    assert html == page


def test_a_page_that_hangs_is_read_as_it_stands_and_the_next_one_is_not_harmed() -> None:
    hung, after = rendered("<p>before</p><script>for (;;) {}</script>", "<p>x</p><script>document.title='two'</script>")
    assert "before" in hung
    assert "<title>two</title>" in after


def test_a_browser_that_crashes_is_started_again_and_its_page_is_tried_once_more() -> None:
    installed()
    running: list[Chromium] = []
    asks = Asked({"/data": '["here"]'}, before=lambda: running[0].kill() if len(running) == 1 else None)

    async def begin() -> Chromium:
        running.append(await chromium.start())
        return running[-1]

    async def run() -> bytes:
        renderer = Renderer(1 << 20, QUICK, begin)
        page = capture("<script>fetch('/data').then(r => r.json()).then(d => document.body.append(d[0]))</script>")
        try:
            return (await renderer(page, asks)).html
        finally:
            await renderer.close()

    assert b"here" in asyncio.run(run())
    assert (len(running), asks.log) == (2, ["/data", "/data"])
    assert not any(each.is_alive for each in running)


def test_a_page_on_which_every_browser_crashes_is_given_up(caplog: pytest.LogCaptureFixture) -> None:
    installed()
    running: list[Chromium] = []
    asks = Asked(before=lambda: running[-1].kill())

    async def begin() -> Chromium:
        running.append(await chromium.start())
        return running[-1]

    async def run() -> bytes:
        return (await Renderer(1 << 20, QUICK, begin)(capture("<script>fetch('/data')</script>"), asks)).html

    assert asyncio.run(run()) == b""
    assert len(running) == 2
    assert "kept as sent" in caplog.text


def test_a_picture_is_taken_within_bounds_also_of_a_page_that_hangs_later() -> None:
    installed()
    tall = "<p style='height: 90000px'>tall</p><p style='width: 9000px'>wide</p>"
    asked = Asked({f"/{number}.svg": "<svg/>" for number in range(99)})
    many = "".join(f"<img src=/{number}.svg>" for number in range(99))
    hangs = "<p>hangs</p><script>setTimeout(() => { for (;;) {} }, 10)</script>"

    async def run() -> list[rendering.Seen]:
        renderer = Renderer(1 << 20, QUICK, screenshots=True)
        try:
            return [await renderer(capture(html), asked) for html in (tall, many, hangs)]
        finally:
            await renderer.close()

    of_tall, of_many, of_hanging = asyncio.run(run())
    assert jpeg_size(of_tall.screenshot) == (rendering.WIDEST, rendering.HIGHEST)
    assert jpeg_size(of_many.screenshot) == (1280, 720)
    assert len(asked.log) == rendering.DRESSING_REQUESTS
    assert b"hangs" in of_hanging.html


def test_a_page_cannot_use_the_login_of_another_site_and_asks_as_scripts_do() -> None:
    login = Logins((Login((place("http://birds.test/", frozenset()),), (("X-Key", "hush"),)),), frozenset())
    requests = Requests(Identity(), login)
    for referrer, sent in ((URL, (b"X-Key: hush",)), ("http://evil.test/", ()), ("http://birds.test.evil.test/", ())):
        made = requests.make(Visit("http://birds.test/data", Kind.RESOURCE, referrer=referrer))
        assert isinstance(made, Request)
        assert made.login == sent
        assert b"Accept: */*" in made.fields


class Signing:
    """Answers with the same page, and remembers where what was sent."""

    def __init__(self, html: str) -> None:
        self.html = html
        self.log: list[tuple[str, bytes]] = []

    async def __call__(self, visit: Visit) -> Capture:
        self.log.append((visit.url, b""))
        return capture(self.html, visit.url)

    async def submit(self, url: str, referrer: str, body: bytes, fields: Mapping[str, str] = FORM) -> Capture:
        self.log.append((url, body))
        return capture(self.html, url)


def test_a_login_by_a_browser_sends_nothing_where_it_does_not_hold() -> None:
    installed()
    # at localhost a browser does not mind
    form = """<form method=post action="http://birds.localhost/steal"><input id=u><input id=p name=p type=password>
    <button>in</button></form><script>u.oninput = () => fetch('http://birds.localhost/' + u.value)</script>"""
    steps = (Step("user", "#u"), Step("password", "#p"), Step("click", "button"))
    asked = Signing(form)
    account = Account("browser", "me", "hush", "https://birds.localhost/login", steps)
    encrypted = Reach(asked, lambda url: url.startswith("https:"), lambda _: None, 0.0)
    assert asyncio.run(sign_in(account, encrypted)) == ""
    assert asked.log == [("https://birds.localhost/login", b"")]


def test_a_browser_that_logs_in_asks_no_faster_than_the_crawl() -> None:
    when: list[float] = []

    class Timed(Signing):
        async def __call__(self, visit: Visit) -> Capture:
            when.append(running_clock().steady())
            return await super().__call__(visit)

    async def main() -> list[float]:
        async def no_cookies() -> list[Any]:
            return []

        context: Any = SimpleNamespace(cookies=no_cookies)
        reach = Reach(Timed("<p>"), lambda url: True, lambda _: None, 2.5)
        way = _Way(Account("browser", "me", "hush", "http://birds.test/login", ()), reach, context)
        page = SimpleNamespace(url="http://birds.test/login")
        request: Any = SimpleNamespace(frame=SimpleNamespace(page=page), is_navigation_request=lambda: True)
        began = running_clock().steady()
        await asyncio.gather(*(way._asked(page.url, None, request) for _ in range(3)))
        return [moment - began for moment in when]

    assert run(main()) == pytest.approx([2.5, 5.0, 7.5])


def test_a_browser_that_does_not_end_by_itself_is_killed_with_all_of_its_processes(tmp_path: Path) -> None:
    async def broken() -> None:
        raise RuntimeError

    folder, part = tmp_path / "browser", subprocess.Popen(["sleep", "60"], start_new_session=True)
    folder.mkdir()
    (folder / "pid").write_text(str(part.pid))
    driver: Any = SimpleNamespace(stop=broken)
    browser: Any = SimpleNamespace(close=broken)
    asyncio.run(Chromium(folder, driver, browser).close())
    try:
        assert part.wait(10) == -signal.SIGKILL
    finally:
        part.kill()
    assert not folder.exists()


def test_a_cookie_that_a_script_has_set_is_kept_whatever_is_in_it() -> None:
    installed()
    html = "<p id=here>here</p><script>document.cookie = 'snow=\\u2603'; document.cookie = 'plain=yes'</script>"
    heard: list[str] = []
    account = Account("browser", "me", "hush", "http://birds.test/login", (Step("wait-for", "#here"),))
    reach = Reach(Signing(html), lambda url: True, lambda said: heard.extend(said.header_values("set-cookie")), 0.0)
    assert asyncio.run(sign_in(account, reach)) == ""
    assert [each.partition(";")[0] for each in heard] == ["snow=\xe2\x98\x83", "plain=yes"]
    assert "; ".join(heard).encode("latin-1")


def test_addresses_are_written_behind_the_page_and_escaped() -> None:
    assert with_addresses("<p>x", []) == "<p>x"
    assert '<a href="http://a.test/?a=1&amp;b=&quot;"></a>' in with_addresses("<p>x", ['http://a.test/?a=1&b="'])


def test_an_answer_that_does_not_say_who_may_read_it_may_be_read_by_no_other_origin() -> None:
    answer = Capture(Visit("http://a.test/data"), 0.0, 0.1, 200, (("content-type", "text/plain"),))
    assert rendering.handed_on(answer)["access-control-allow-origin"] == rendering.NOBODY
    allowed = (("access-control-allow-origin", "*"),)
    assert rendering.handed_on(replace(answer, headers=allowed))["access-control-allow-origin"] == "*"
