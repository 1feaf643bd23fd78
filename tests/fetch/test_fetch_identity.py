"""Who we say we are, where the certificates come from, and which limits a crawler has that is told nothing."""

from __future__ import annotations

import ssl
import sys
from importlib.metadata import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from gossamer.errors import UsageError
from gossamer.fetch import Identity, Limits, Route
from gossamer.fetch import request as module
from gossamer.model import Kind
from gossamer.version import PAGE

MIB = 1 << 20


@pytest.mark.parametrize(("page", "about"), [("https://project.test/", " (+https://project.test/)"), ("", "")])
def test_who_gives_no_contact_names_the_page_of_the_project(
    page: str, about: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE", page)
    assert Identity(version="3.2").agent == f"Gossamer/3.2{about}"
    assert Identity("me@site.test", version="3.2").agent == "Gossamer/3.2 (+me@site.test)"


def test_that_page_is_the_one_that_the_package_names() -> None:
    urls = metadata("gossamer").get_all("Project-URL") or [""]
    assert urls[0].rpartition(",")[2].strip() == PAGE


@pytest.mark.parametrize("contact", ["me@site.test", "https://site.test/@me", "me@a@b", "@", ""])
def test_only_a_mail_address_is_one(contact: str) -> None:
    assert Identity(contact).mail == (contact if contact == "me@site.test" else "")


def test_nobody_has_to_say_who_they_are() -> None:
    assert Identity(contact="").contact == ""
    with pytest.raises(UsageError):
        Identity(contact=" ")


def test_one_s_own_certificates_come_before_those_of_the_system(tmp_path: Path) -> None:
    own = tmp_path / "own.pem"
    own.write_text("certificates")
    assert Route(ca_file=str(own)).authorities == str(own)
    with pytest.raises(UsageError, match="no such file"):
        Route(ca_file=str(tmp_path))


def test_a_system_without_certificates_gets_those_of_certifi_if_there_are_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: SimpleNamespace(cafile="/system.pem"))
    assert Route().authorities == "/system.pem"
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: SimpleNamespace(cafile=None))
    monkeypatch.setitem(sys.modules, "certifi", SimpleNamespace(where=lambda: "/certifi.pem"))
    assert Route().authorities == "/certifi.pem"
    monkeypatch.setitem(sys.modules, "certifi", None)
    assert Route().authorities is None


def test_the_limits_of_what_is_read_are_those_of_the_design() -> None:
    limits = Limits()
    assert (limits.sitemap, limits.robots, limits.framing) == (50 * MIB, 512_000, MIB)
    assert (limits.interim, limits.bandwidth, limits.kept_connections) == (10, 0, 256)


@pytest.mark.parametrize("kind", [Kind.PAGE, Kind.PROBE, Kind.RESOURCE])
def test_a_page_is_capped_by_its_type_and_other_files_by_their_kind(kind: Kind) -> None:
    limits = Limits()
    assert limits.cap(kind, "text/html") == limits.html
    assert limits.cap(Kind.ROBOTS, "text/html") == limits.robots
    assert limits.cap(Kind.SITEMAP, "text/html") == limits.sitemap


@pytest.mark.parametrize(
    ("media_type", "skipped"),
    [
        ("image/png", True),
        ("image/", True),
        ("image", False),
        ("application/font-woff", True),
        ("application/ogg", True),
        ("application/oggy", False),
        ("text/html", False),
        ("", False),
    ],
)
def test_what_nobody_reads_is_skipped_where_it_is_a_page(media_type: str, skipped: bool) -> None:
    limits = Limits()
    kinds = (Kind.PAGE, Kind.PROBE, Kind.RESOURCE, Kind.ROBOTS, Kind.SITEMAP)
    assert [limits.skips(kind, media_type) for kind in kinds] == [skipped, skipped, False, False, False]
