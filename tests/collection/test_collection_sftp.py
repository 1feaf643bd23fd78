"""Crawls over SFTP, from the sshd of Debian on loopback; a login is by a key, for a password would need an account."""

from __future__ import annotations

import asyncio
import getpass
import os
import socketserver
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import gossamer
from gossamer.errors import NothingFetched, UsageError
from gossamer.fetch.logins import Account, Login, Logins, basic, place
from gossamer.fetch.protocols import listing, sftp
from gossamer.fetch.protocols.asking import Ask, Refused, Said
from gossamer.frontier.why import AddressAnswer
from harness.debian import program
from harness.everything import everything_in

AT_ONCE: dict[str, Any] = {"delay": 0, "ip_delay": 0, "shards": 1, "patience": 0, "allow_addresses": ["127.0.0.1"]}
SETTINGS = """HostKey {0}/host
AuthorizedKeysFile {0}/login.pub
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication yes
Subsystem sftp internal-sftp
"""


class Served(NamedTuple):
    seed: str
    """The folder that is shared."""
    port: int
    folder: Path
    logins: Path

    @property
    def known_hosts(self) -> Path:
        return Path.home() / ".ssh" / "known_hosts"


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    sshd = program("openssh-server", "sshd")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    for name in ("host", "login"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    settings = tmp_path / "sshd_config"
    settings.write_text(SETTINGS.format(tmp_path))
    folder = tmp_path / "share"
    (folder / "pub").mkdir(parents=True)
    (folder / "read me.txt").write_text("Words of a file about otters.")
    (folder / "pub" / "page.html").write_text("<title>Old</title><p>A page of 1995. <a href='../read me.txt'>more</a>")
    (folder / "around").symlink_to(".")

    class Connection(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            talk = {"stdin": self.request, "stdout": self.request, "stderr": subprocess.DEVNULL}
            subprocess.run([sshd, "-i", "-f", settings], **talk, check=False, timeout=60)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with Server(("127.0.0.1", 0), Connection) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        port = server.server_address[1]
        known = tmp_path / "home" / ".ssh" / "known_hosts"
        known.parent.mkdir(parents=True)
        known.write_text(f"[127.0.0.1]:{port} {(tmp_path / 'host.pub').read_text()}")
        logins = tmp_path / "logins.toml"
        logins.write_text(f'"sftp://127.0.0.1:{port}" = ["key {getpass.getuser()} {tmp_path}/login"]')
        logins.chmod(0o600)
        try:
            yield Served(f"sftp://127.0.0.1:{port}{folder}/", port, folder, logins)
        finally:
            server.shutdown()
            thread.join()


def crawled(web: gossamer.Collection, served: Served, *seeds: str) -> gossamer.Status:
    return web.crawl(*(seeds or (served.seed,)), credentials=gossamer.Credentials(login=served.logins), **AT_ONCE)


def test_folders_of_an_sftp_server_are_followed_and_what_is_missing_is_told(served: Served, tmp_path: Path) -> None:
    with gossamer.open(tmp_path / "web") as web:
        status = crawled(web, served, served.seed, f"{served.seed}pub", f"{served.seed}gone.txt")
        assert status.pages == 4, "two folders and two files; a link within the file system is no name of its own"
        assert web.page(f"{served.seed}read%20me.txt").text == "Words of a file about otters."
        assert {hit.url for hit in web.search("1995")} == {f"{served.seed}pub/page.html"}
        moved, gone = web.why(f"{served.seed}pub"), web.why(f"{served.seed}gone.txt")
        assert isinstance(moved, AddressAnswer)
        assert isinstance(gone, AddressAnswer)
        assert (moved.status, moved.target, gone.status) == (301, f"{served.seed}pub/", 404)
        assert not web.verify().problems
    secret = (tmp_path / "login").read_bytes().splitlines()[1]
    held = list(everything_in(tmp_path / "web"))
    assert any(b"otters" in data for _, data in held)
    assert not [name for name, data in held if secret in data]


def test_a_later_run_reads_only_what_has_changed(served: Served, tmp_path: Path) -> None:
    same, other = f"{served.seed}read%20me.txt", f"{served.seed}pub/page.html"
    with gossamer.open(tmp_path / "web") as web:
        crawled(web, served)
        page = served.folder / "pub" / "page.html"
        page.write_text("<title>New</title><p>A page about herons.")
        os.utime(page, (1_000_000_000, 1_000_000_000))
        web.crawl(revisit=True, credentials=gossamer.Credentials(login=served.logins), **AT_ONCE)
        assert {hit.url for hit in web.search("herons")} == {other}
        assert {hit.url for hit in web.search("otters")} == {same}
        assert [len([each for each in web.history(url) if each.number]) for url in (same, other)] == [1, 2]
        assert web.answer(other).capture.header("last-modified") == "Sun, 09 Sep 2001 01:46:40 GMT"
        assert not web.verify().problems


def test_a_file_with_the_date_that_is_known_is_not_read(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"{served.folder}/pub/page.html"
    first = asyncio.run(sftp.say(asked(served, tmp_path, path)))
    (known,) = [value for name, value in first.headers if name == "last-modified"]
    again = replace(asked(served, tmp_path, path), modified=known)
    assert asyncio.run(sftp.say(again)) == Said(304, b"", (("last-modified", known),), "not modified")
    (served.folder / "pub" / "page.html").unlink()
    assert asyncio.run(sftp.say(again)).status == 404
    os.utime(served.folder / "read me.txt", (1, 1))
    changed = replace(asked(served, tmp_path, f"{served.folder}/read%20me.txt"), modified=known)
    assert asyncio.run(sftp.say(changed)).body == b"Words of a file about otters."


def test_an_unknown_key_of_a_host_is_refused_with_the_cure(served: Served, tmp_path: Path) -> None:
    served.known_hosts.write_text("")
    with gossamer.open(tmp_path / "web") as web:
        with pytest.raises(
            NothingFetched, match=rf"is not in .*known_hosts; `ssh -p {served.port} 127\.0\.0\.1` shows"
        ):
            crawled(web, served)
        served.known_hosts.write_text(f"[127.0.0.1]:{served.port} {(tmp_path / 'login.pub').read_text()}")
        with pytest.raises(NothingFetched, match="shows another key than the one in"):
            crawled(web, served)
        served.known_hosts.unlink()
        with pytest.raises(NothingFetched, match="is not in"):
            crawled(web, served)


def test_without_a_login_or_with_a_wrong_one_the_message_says_so(
    served: Served, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with gossamer.open(tmp_path / "web") as web:
        with pytest.raises(NothingFetched, match="it wants a login; `--auth USER`"):
            web.crawl(served.seed, **AT_ONCE)
        with pytest.raises(NothingFetched, match="does not accept the login"):
            web.crawl(served.seed, credentials=gossamer.Credentials(auth=("nobody-here", "wrong-horse")), **AT_ONCE)
    held = [*everything_in(tmp_path / "web"), ("log", caplog.text.encode())]
    assert not [name for name, data in held if b"wrong-horse" in data]


def test_a_key_that_others_can_read_is_refused(served: Served, tmp_path: Path) -> None:
    (tmp_path / "login").chmod(0o644)
    with gossamer.open(tmp_path / "web") as web, pytest.raises(UsageError, match="chmod 600"):
        crawled(web, served)


def asked(served: Served, tmp_path: Path, path: str, most: int = 1 << 20) -> Ask:
    key = Account("key", getpass.getuser(), str(tmp_path / "login"))
    url = f"sftp://127.0.0.1:{served.port}{path}"
    return Ask(url, "127.0.0.1", served.port, "127.0.0.1", path, 5.0, most, key)


def test_files_and_folders_are_read_up_to_a_bound(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (served.folder / "large").write_bytes(bytes(3 << 20))
    said = asyncio.run(sftp.say(asked(served, tmp_path, f"{served.folder}/large", 1 << 16)))
    assert said.status == 200
    assert 1 << 16 < len(said.body) < 1 << 20
    for number in range(200):
        (served.folder / "pub" / f"{number}.txt").touch()
    monkeypatch.setattr(listing, "NAMES_MOST", 100)
    said = asyncio.run(sftp.say(asked(served, tmp_path, f"{served.folder}/pub/")))
    assert said.body.count(b"\n=> ") == 100


def test_a_known_host_is_found_also_where_names_are_hashed(served: Served, tmp_path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-H", "-f", served.known_hosts], check=True, capture_output=True)
    assert b"127.0.0.1" not in served.known_hosts.read_bytes()
    said = asyncio.run(sftp.say(asked(served, tmp_path, f"{served.folder}/pub/page.html")))
    assert said.body.startswith(b"<title>Old")


@pytest.mark.parametrize("path", ["/%2e%2e/secret", "/pub/..%2Fsecret", "/a%00b", "/a%0Ab"])
def test_an_escaped_step_upwards_is_no_name(path: str) -> None:
    ask = Ask(f"sftp://127.0.0.1:1{path}", "127.0.0.1", 1, "127.0.0.1", path, 5.0, 1, Account("auth", "me", "x"))
    assert asyncio.run(sftp.say(ask)).status == 400


def test_a_login_holds_for_its_protocol_alone() -> None:
    suffixes: frozenset[str] = frozenset()
    ssh, web = "sftp://files.example.org/a", "https://files.example.org/a"
    of_ssh = Logins((Login((place(ssh, suffixes),), (basic("me", "horse:y"),)),))
    of_web = Logins((Login((place(web, suffixes),), (basic("me", "horse"),)),))
    account = of_ssh.account(ssh)
    assert account is not None
    assert (account.user, account.password) == ("me", "horse:y")
    assert "horse" not in repr(account)
    assert not of_ssh.fields(web)
    assert of_ssh.account("ftp://files.example.org/a") is None
    assert of_web.account(ssh) is None
    assert of_web.fields(web)


class Silent(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        self.request.sendall(b"SSH-2.0-slow\r\n")
        time.sleep(60)


def test_a_server_that_says_nothing_holds_no_thread(tmp_path: Path) -> None:
    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False

    with Server(("127.0.0.1", 0), Silent) as server, gossamer.open(tmp_path / "web") as web:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        before = threading.active_count()
        seed, login = f"sftp://127.0.0.1:{server.server_address[1]}/", gossamer.Credentials(auth=("me", "x"))
        try:
            with pytest.raises(NothingFetched, match="no whole answer within 1 s"):
                web.crawl(seed, total_seconds=1.0, credentials=login, **AT_ONCE)
            deadline = time.monotonic() + 30
            while threading.active_count() > before + 1 and time.monotonic() < deadline:  # that of the connection
                time.sleep(0.05)
            assert threading.active_count() <= before + 1
        finally:
            server.shutdown()


def test_a_libcurl_without_ssh_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    without = (*sftp.pycurl.version_info()[:8], ("http", "https"))
    monkeypatch.setattr(sftp.pycurl, "version_info", lambda: without)
    with pytest.raises(Refused, match="pip install"):
        asyncio.run(sftp.say(Ask("sftp://a.test/", "a.test", 22, "192.0.2.1", "/", 5.0, 1)))
