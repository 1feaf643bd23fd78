"""A collection of somebody's own files is served to nobody else, not even to other users of the machine."""

from __future__ import annotations

import base64
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import gossamer
from crawler_process import gossamer_command, run_gossamer, with_room
from gossamer.errors import UsageError
from gossamer.web.serving import Wanted

PATHS = ("/", "/?q=heron", "/api/v1/search?q=heron", "/api/v1/status", "/hosts", "/feed?q=heron", "/metrics")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "heron.txt").write_text("The heron is a secret.\n")
    with gossamer.open(with_room(tmp_path / "kept")) as collection:
        collection.files(tmp_path / "notes")
    return tmp_path / "kept"


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    """What the server tells the one who has started it."""
    command = gossamer_command("serve", str(folder), "--port", "0")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().split(" is served at ")[1].split(" ")[0]
        server.terminate()


def asked(url: str, password: str = "") -> tuple[int, str]:
    headers = {"Authorization": f"Basic {base64.b64encode(f'x:{password}'.encode()).decode()}"} if password else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_only_who_has_started_the_server_is_let_in(address: str) -> None:
    parts = urlsplit(address)
    assert parts.password
    place = f"http://127.0.0.1:{parts.port}"
    for path in PATHS:
        status, said = asked(place + path)
        assert (status, "heron" in said) == (401, False), path
    assert asked(f"{place}/?q=heron", "guessed")[0] == 401
    status, said = asked(f"{place}/?q=heron", parts.password)
    assert (status, "is a secret" in said) == (200, True)


def test_other_machines_need_a_password_that_somebody_has_set(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOSSAMER_PASSWORD", raising=False)
    refused = run_gossamer("serve", str(folder), "--public", "--read-only")
    assert (refused.returncode, "set GOSSAMER_PASSWORD" in refused.stderr) == (2, True)
    with pytest.raises(UsageError):
        Wanted(public=True, read_only=True).for_files()
    wanted = Wanted(public=True, password="secret").for_files()
    assert (wanted.password, wanted.login) == ("secret", "")
