"""Sites behind a login: all of their pages come, and the secrets are found nowhere."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

import gossamer
from crawler_process import run_gossamer, with_room
from gossamer.errors import NothingFetched, UsageError
from gossamer.fetch.sessions import DOUBTED
from harness.everything import everything_in
from harness.login_sites import PASSWORD, USER, FormSite, digest_site, form_site, nginx_site, pages
from harness.served import serving
from web.browser import chromium

OPEN = {"allow_addresses": ("127.0.0.0/8",), "delay": 0.0, "ip_delay": 0.0, "patience": 0.0}
QUICK = {**OPEN, "disk_pause": 0, "disk_pause_share": 0.0, "shards": 1, "build": False}
LOOPBACK = ("--allow-address", "127.0.0.0/8", "--delay", "0", "--patience", "0")
SITE = pages(45)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("MEMBERS", PASSWORD)


def read(web: gossamer.Collection, origin: str) -> set[str]:
    """The pages that were read as a member sees them."""
    return {page.url.removeprefix(origin) for page in web.pages() if b"members' page" in page.capture.body}


def crawl(folder: Path, origin: str, *entries: str, **settings: object) -> set[str]:
    with gossamer.open(folder) as web:
        web.crawl(f"{origin}/", logins={origin: entries}, **{**QUICK, **settings})
        return read(web, origin)


def form_of(site: FormSite) -> str:
    return f"form {site.origin}/login {USER} $MEMBERS"


@pytest.mark.parametrize(("refuses", "lasts"), [("redirect", 0), ("redirect", 20), ("status", 20), ("form", 20)])
def test_all_pages_behind_a_form_come_also_where_sessions_end(tmp_path: Path, refuses: str, lasts: int) -> None:
    with form_site(SITE, lasts=lasts, refuses=refuses) as site:
        assert crawl(tmp_path / "web", site.origin, form_of(site)) == set(SITE)
        assert not site.left
        assert len(site.posted) == len(site.sessions) <= (1 if not lasts else 4)
        assert site.posted[0]["go"] == ["1"]
        assert "remember" not in site.posted[0]


def test_a_wrong_password_is_tried_once_and_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with form_site(SITE) as site:
        assert crawl(tmp_path / "web", site.origin, f"form {site.origin}/login {USER} $PATH") == set()
        assert len(site.posted) == 1
    assert "check the name and the password" in caplog.text
    assert PASSWORD not in caplog.text


def test_a_site_that_ends_every_session_at_once_is_given_up(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with form_site(SITE, lasts=2) as site:  # one of them is where the login leads
        crawl(tmp_path / "web", site.origin, form_of(site))
        assert 3 < len(site.posted) < 10
    assert "logins have brought only" in caplog.text


def test_pages_that_are_forbidden_to_all_do_not_end_in_endless_logins(tmp_path: Path) -> None:
    closed = [f"/closed/{number}" for number in range(20)]
    with form_site({**SITE, "/": SITE["/"] + "".join(f'<a href="{path}">closed</a>' for path in closed)}) as site:
        site.closed = set(closed)
        assert crawl(tmp_path / "web", site.origin, form_of(site)) == set(SITE)
        assert len(site.posted) <= 1 + DOUBTED


def test_a_password_goes_to_no_other_site(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Its form sends to another address, which a stranger may have put there."""
    with form_site(SITE) as theirs, form_site(SITE) as site:
        site.pages = {**SITE}
        page = f'<form method=post action="{theirs.origin}/enter"><input name=u><input type=password name=p></form>'
        site.pages["/door"] = page
        site.sessions["open"] = 0
        with gossamer.open(tmp_path / "web") as web:
            entries = ("header Cookie: session=$OPENED", f"form {site.origin}/door {USER} $MEMBERS")
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("OPENED", "open")
                web.crawl(f"{site.origin}/", logins={site.origin: entries}, pages=5, **QUICK)
        assert not theirs.posted
        assert not site.posted
    assert "for which the login was not given" in caplog.text


@pytest.mark.parametrize("algorithm", ["MD5", "MD5-sess", "SHA-256", "SHA-256-sess"])
def test_all_pages_behind_a_digest_come(tmp_path: Path, algorithm: str) -> None:
    site_pages = pages(12)
    with digest_site(site_pages, algorithm=algorithm) as site:
        assert crawl(tmp_path / "web", site.origin, f"digest {USER} $MEMBERS") == set(site_pages)
        assert site.refused == 1  # only the first request is asked twice


def test_a_digest_that_is_too_old_is_made_anew(tmp_path: Path) -> None:
    site_pages = pages(30)
    with digest_site(site_pages, lasts=7) as site:
        assert crawl(tmp_path / "web", site.origin, f"digest {USER} $MEMBERS") == set(site_pages)
    with digest_site(pages(3), qop="") as old:
        assert crawl(tmp_path / "old", old.origin, f"digest {USER} $MEMBERS") == set(pages(3))


def test_a_wrong_digest_is_shown_once_for_each_page(tmp_path: Path) -> None:
    with digest_site(pages(3)) as site:
        with pytest.raises(NothingFetched, match="does not accept the login that was sent"):
            crawl(tmp_path / "web", site.origin, f"digest {USER} $PATH")
        assert site.refused <= 5
        with pytest.raises(NothingFetched, match=r"it wants a login \(Basic, Digest\); `--auth USER` logs in"):
            crawl(tmp_path / "stranger", site.origin)


def test_all_pages_behind_the_passwords_of_nginx_come(tmp_path: Path) -> None:
    with nginx_site(SITE, tmp_path / "nginx") as origin:
        assert crawl(tmp_path / "web", origin, f"auth {USER} $MEMBERS") == set(SITE)
        with pytest.raises(NothingFetched, match=r"it wants a login \(Basic\); `--auth USER` logs in"):
            crawl(tmp_path / "stranger", origin)


STEPS = """
  user #name
  click button
  password #secret
  click #go
  wait-for a[href="/leave"]
"""


def by_browser(site: FormSite, steps: str = STEPS, secret: str = "$MEMBERS") -> str:
    return f"browser {site.origin}/login {USER} {secret}{steps}"


def test_all_pages_behind_a_login_that_only_a_browser_can_fill_come_and_the_password_goes_nowhere_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    chromium()
    few = pages(25)
    with form_site(pages(1)) as stranger, form_site(few, lasts=20) as site:
        site.scripted = stranger.origin
        assert crawl(tmp_path / "web", site.origin, by_browser(site)) == set(few)
        assert len(site.posted) == len(site.sessions) == 2
        assert not site.left
        assert not stranger.came
        held = [*everything_in(tmp_path / "web"), ("log", caplog.text.encode())]
        for secret in (*site.secrets(), "device=known"):
            assert not [name for name, data in held if secret.encode() in data]


def test_a_step_that_fails_is_named_and_the_crawl_goes_on_without(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    chromium()
    monkeypatch.setattr("gossamer.fetch.browser.signing_in.STEP_SECONDS", 3.0)
    with form_site(pages(3)) as site:
        site.scripted = "http://127.0.0.1:9"
        assert crawl(tmp_path / "web", site.origin, by_browser(site, secret="$PATH")) == set()
        assert len([given for given in site.posted if "secret" in given]) == 1
    assert 'step 5 (wait-for a[href="/leave"]) was not done in 3 s' in caplog.text


@pytest.mark.parametrize(
    "steps",
    ["", "\nuser #name", "\nwait-for #a\nclick", "\nshout #a\nwait-for #b", "\nopen nowhere at all\nwait-for #a"],
)
def test_steps_that_are_none_are_refused(tmp_path: Path, steps: str) -> None:
    entry = f"browser http://127.0.0.1:1/login {USER} $MEMBERS{steps}"
    with pytest.raises(UsageError, match="login"):
        crawl(tmp_path / "web", "http://127.0.0.1:1", entry)


def test_steps_that_lead_to_another_site_are_refused(tmp_path: Path) -> None:
    chromium()
    entry = f"browser http://127.0.0.1:1/login {USER} $MEMBERS\nopen http://127.0.0.2:1/\nwait-for #a"
    with pytest.raises(UsageError, match="lies elsewhere"):
        crawl(tmp_path / "web", "http://127.0.0.1:1", entry)


VIEWS = ("/", "/?q=page", "/crawl", "/crawl/change", "/hosts", "/host?name=127.0.0.1", "/map", "/broken", "/feed")
VIEWS += ("/api/v1/status", "/api/v1/pages", "/api/v1/hosts", "/api/v1/series", "/metrics")
VIEWS_OF_A_PAGE = (
    "/page?url=",
    "/page?view=original&url=",
    "/page?view=versions&url=",
    "/cached?url=",
    "/api/v1/page?url=",
)


@pytest.mark.parametrize("shards", [1, 2])
def test_secrets_are_found_nowhere(tmp_path: Path, shards: int) -> None:
    """Not in the collection, its archive and its tables, not in the log, in what is said, shown or exported."""
    folder, log, file = with_room(tmp_path / "web"), tmp_path / "log", tmp_path / "logins.toml"
    with form_site(SITE, lasts=20) as site:
        file.write_text(f'[logins]\n"{site.origin}" = ["form {site.origin}/login {USER} ={PASSWORD}"]\n')
        file.chmod(0o600)
        more = ("--login", str(file), "--log", str(log), "-v", "--shards", str(shards))
        outcome = run_gossamer("crawl", str(folder), f"{site.origin}/", *more, *LOOPBACK)
        assert outcome.returncode == 0, outcome.stderr
        said = [("said", (outcome.stdout + outcome.stderr).encode()), ("log", log.read_bytes())]
        leave = run_gossamer("why", str(folder), f"{site.origin}/leave")
        by_address = run_gossamer("why", str(folder), f"{site.origin}/account/logout?x=1")
        verbs = (
            ("status", str(folder)),
            ("why", str(folder), f"{site.origin}/5"),
            ("why", str(folder), "127.0.0.1"),
            ("show", str(folder), f"{site.origin}/5", "--as", "headers"),
            ("export", str(folder), "wacz", "-o", str(tmp_path / "web.wacz")),
            ("list", str(folder)),
        )
        for verb in verbs:
            told = run_gossamer(*verb)
            assert told.returncode == 0, (verb, told.stderr)
            said.append((" ".join(verb), (told.stdout + told.stderr).encode()))
        with serving(folder) as server:
            for path in (*VIEWS, *(f"{each}{quote(f'{site.origin}/5')}" for each in VIEWS_OF_A_PAGE)):
                shown = server.get(path)
                assert shown.status == 200, path
                said.append((path, shown.body + repr(shown.headers).encode()))
        with gossamer.open(folder) as web:
            assert read(web, site.origin) == set(SITE)
        known = [secret.encode() for secret in site.secrets()]
        assert len(site.sessions) >= 3
    assert "it would log the crawl out" in leave.stdout
    assert "it would log the crawl out" in by_address.stdout
    held = [*said, *everything_in(folder), ("export", (tmp_path / "web.wacz").read_bytes())]
    assert any(b"members' page number 7" in data for _, data in held)
    assert any(b"GET /7 HTTP/1.1" in data for _, data in held), "the request records should be there"
    for secret in known:
        assert not [name for name, data in held if secret in data]


def test_a_session_is_not_left_by_a_later_crawl_that_logs_in(tmp_path: Path) -> None:
    """The crawl before came as a stranger, and has read what would log the next one out."""
    few = pages(6)
    with form_site(few) as site, gossamer.open(tmp_path / "web") as web:
        site.opened = True
        web.crawl(f"{site.origin}/", **QUICK)
        assert site.left == 2
        site.opened = False
        web.crawl(revisit=True, logins={site.origin: (form_of(site),)}, **QUICK)
        assert len([path for _, path in site.came if path == "/5"]) == 2
        assert site.left == 2
        assert len(site.posted) == 1


def test_a_file_of_logins_that_others_can_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "logins.toml"
    file.write_text(f'"example.org" = ["auth me ={PASSWORD}"]\n')
    file.chmod(0o644)
    outcome = run_gossamer("crawl", str(tmp_path / "web"), "http://127.0.0.1:1/", "--login", str(file), *LOOPBACK)
    assert outcome.returncode == 2
    assert f"chmod 600 {file}" in outcome.stderr
    assert PASSWORD not in outcome.stderr
    for wrong in ("no toml", '"example.org" = "auth me =x"', f'"example.org" = ["oops {PASSWORD}"]'):
        file.write_text(wrong)
        file.chmod(0o600)
        outcome = run_gossamer("crawl", str(tmp_path / "web"), "http://127.0.0.1:1/", "--login", str(file), *LOOPBACK)
        assert outcome.returncode == 2
        assert str(file) in outcome.stderr
        assert PASSWORD not in outcome.stderr
