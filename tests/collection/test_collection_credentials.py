"""Which logins a crawl has: those of the command for the seeds that it names, and those that its plan refers to."""

from __future__ import annotations

from pathlib import Path

import pytest

from gossamer.collection.crawl import credentials
from gossamer.collection.crawl.credentials import Credentials, logins
from gossamer.errors import UsageError
from gossamer.plan import Plan

SEED, OTHER = "https://a.test/x", "https://b.test/"
JAR = "a.test\tFALSE\t/\tFALSE\t0\tsession\tabc\nb.test\tFALSE\t/\tFALSE\t1000\told\tdef\n"


def test_nothing_is_given_and_nothing_is_sent() -> None:
    assert not Credentials()
    assert not logins(Plan(), Credentials(), [])
    for given in (Credentials(["X: y"]), Credentials(cookies="jar"), Credentials(auth=("me", "hush"))):
        assert given
        assert "hush" not in repr(given)
        assert "X: y" not in repr(given)


def test_what_is_given_is_for_the_sites_of_the_seeds(tmp_path: Path) -> None:
    (tmp_path / "jar").write_text(JAR)
    given = Credentials(["X-Key: hush"], tmp_path / "jar", ("me", "hush"))
    found = logins(Plan(), given, [SEED, SEED, "c.test"])
    assert len(found.each[0].places) == 2
    assert found.fields("https://www.a.test/") == (b"X-Key: hush", b"Authorization: Basic bWU6aHVzaA==")
    assert found.fields(SEED)[-1] == b"Cookie: session=abc"
    assert found.fields("https://c.test/")
    assert found.fields(OTHER) == found.fields("http://c.test/") == ()


def test_what_is_given_for_no_seed_is_refused() -> None:
    with pytest.raises(UsageError, match="name one"):
        logins(Plan(), Credentials(["X: y"]), [])


def test_a_plan_says_for_each_site_where_its_secret_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOKEN", "hush")
    (tmp_path / "jar").write_text(JAR)
    entries = {"https://a.test": ("header X-Key: $TOKEN", f"cookie {tmp_path / 'jar'}"), "b.test": ("auth me $TOKEN",)}
    found = logins(Plan(logins=entries), Credentials(), [])
    assert found.fields(SEED) == (b"X-Key: hush", b"Cookie: session=abc")
    assert found.fields("http://a.test/") == ()
    assert found.fields(OTHER) == found.fields("http://b.test/") == (b"Authorization: Basic bWU6aHVzaA==",)
    monkeypatch.delenv("TOKEN")
    with pytest.raises(UsageError, match=r"logins of https://a.test: .*needs TOKEN"):
        logins(Plan(logins=entries), Credentials(), [])


def test_a_file_that_cannot_be_read_is_named_and_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        logins(Plan(), Credentials(cookies=tmp_path / "none"), [SEED])
    (tmp_path / "jar").write_bytes(b"\xff hush")
    with pytest.raises(UsageError, match="no text in UTF-8") as told:
        logins(Plan(), Credentials(cookies=tmp_path / "jar"), [SEED])
    assert "hush" not in str(told.value)
    (tmp_path / "jar").write_text(JAR)
    monkeypatch.setattr(credentials, "_COOKIES_MOST", 3)
    with pytest.raises(UsageError, match=r"cookies\.txt"):
        logins(Plan(), Credentials(cookies=tmp_path / "jar"), [SEED])
