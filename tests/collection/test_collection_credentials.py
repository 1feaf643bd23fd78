"""Which logins a crawl has: those of the command for the seeds that it names, and those that its plan refers to."""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path

import pytest

from gossamer.collection.crawl import credentials
from gossamer.collection.crawl.credentials import Credentials, logins
from gossamer.collection.crawl.sent_credentials import _joined
from gossamer.errors import UsageError
from gossamer.plan import Plan
from gossamer.plan.checks import CREDENTIALS

SEED, OTHER = "https://a.test/x", "https://b.test/"
JAR = "a.test\tFALSE\t/\tFALSE\t0\tsession\tabc\nb.test\tFALSE\t/\tFALSE\t1000\told\tdef\n"


def test_who_gives_one_of_them_as_a_setting_is_told_where_it_goes() -> None:
    assert {each.name for each in fields(Credentials)} == CREDENTIALS


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


def test_what_is_given_for_a_site_goes_to_no_other_seed() -> None:
    given = Credentials(["X-Key: hush"], auth=("me", "hush"), sites=("b.test",))
    for seeds in ([SEED, OTHER], []):
        found = logins(Plan(), given, seeds)
        assert found.fields(OTHER)
        assert found.fields("http://b.test/") == (), "no seed says http"
        assert found.fields(SEED) == found.fields("https://b.test:81/") == ()
    assert logins(Plan(), given, ["http://b.test/"]).fields("http://b.test/")
    assert logins(Plan(), given, ["http://a.test/"]).fields("http://b.test/") == (), "that seed lies elsewhere"
    port = Credentials(["X-Key: hush"], sites="b.localhost:81")
    assert logins(Plan(seeds=(SEED,)), port, []).fields("http://b.localhost:81/") == ()
    only = logins(Plan(), Credentials(["X-Key: hush"], sites="https://wiki.b.test"), [SEED])
    assert only.fields("https://wiki.b.test/x")
    assert only.fields("http://wiki.b.test/") == only.fields(OTHER) == ()
    with pytest.raises(UsageError, match="seed"):
        logins(Plan(), Credentials(["X-Key: hush"], sites="htp://x"), [SEED])


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
    assert found.fields(OTHER) == (b"Authorization: Basic bWU6aHVzaA==",)
    monkeypatch.delenv("TOKEN")
    with pytest.raises(UsageError, match=r"logins of https://a.test: .*needs TOKEN"):
        logins(Plan(logins=entries), Credentials(), [])


def test_a_file_that_cannot_be_read_is_named_and_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        logins(Plan(), Credentials(cookies=tmp_path / "none"), [SEED])
    with pytest.raises(UsageError, match="is sent by --header 'Cookie: NAME=VALUE'") as told:
        logins(Plan(), Credentials(cookies="sid=secret"), [SEED])
    assert "secret" not in str(told.value)
    (tmp_path / "jar").write_bytes(b"\xff hush")
    with pytest.raises(UsageError, match="no text in UTF-8") as told:
        logins(Plan(), Credentials(cookies=tmp_path / "jar"), [SEED])
    assert "hush" not in str(told.value)
    (tmp_path / "jar").write_text(JAR)
    monkeypatch.setattr(credentials, "_COOKIES_MOST", 3)
    with pytest.raises(UsageError, match=r"cookies\.txt"):
        logins(Plan(), Credentials(cookies=tmp_path / "jar"), [SEED])


def test_a_secret_that_others_can_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("hush")
    entries = {"a.test": (f"auth me @{tmp_path / 'key'}",)}
    (tmp_path / "key").chmod(0o640)
    with pytest.raises(UsageError, match="chmod 600"):
        logins(Plan(logins=entries), Credentials(), [])
    (tmp_path / "key").chmod(0o600)
    assert logins(Plan(logins=entries), Credentials(), []).fields(SEED) == (b"Authorization: Basic bWU6aHVzaA==",)


def test_a_form_of_another_site_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "hush")
    with pytest.raises(UsageError, match="lies elsewhere"):
        logins(Plan(logins={"a.test": ("form https://b.test/login me $TOKEN",)}), Credentials(), [])
    assert logins(Plan(logins={"a.test": ("form https://in.a.test/login me $TOKEN",)}), Credentials(), [])


PAGE, PLAIN_PAGE = "form https://a.test/login me $TOKEN", "form http://a.test/login me $TOKEN"


@pytest.mark.parametrize(
    ("name", "entry", "seed", "plain"),
    [
        ("a.test", "header X-Key: $TOKEN", SEED, False),
        ("a.test", "header X-Key: $TOKEN", "a.test", False),
        ("a.test", "header X-Key: $TOKEN", "http://a.test/", True),
        ("a.test", "header X-Key: $TOKEN", "http://www.a.test/", True),
        ("a.test", "header X-Key: $TOKEN", "http://b.test/", False),
        ("a.test", "header X-Key: $TOKEN", "http://a.test:81/", False),
        ("a.test:443", "header X-Key: $TOKEN", "http://b.test/", False),
        ("http://a.test", "header X-Key: $TOKEN", SEED, True),
        ("a.test", PAGE, "http://a.test/", False),
        ("a.test", PLAIN_PAGE, SEED, True),
        ("http://a.test", PAGE, SEED, True),
    ],
)
def test_a_login_goes_over_plain_http_where_its_name_or_its_page_or_else_a_seed_says_so(
    name: str, entry: str, seed: str, plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "hush")
    found = logins(Plan(logins={name: (entry,)}, seeds=(seed,)), Credentials(), [])
    assert found.holds("https://a.test/")
    assert found.holds("http://a.test/") == plain


def test_a_port_does_not_make_a_login_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "hush")
    found = logins(Plan(logins={"a.localhost:81": ("auth me $TOKEN",)}, seeds=(SEED,)), Credentials(), [])
    assert found.holds("https://a.localhost:81/")
    assert not found.holds("http://a.localhost:81/")


def test_a_keyring_is_asked_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {"a.test": ("digest me %wiki/me",)}

    class Keyring:
        @staticmethod
        def get_password(service: str, user: str) -> str | None:
            return "hush" if (service, user) == ("wiki", "me") else None

    monkeypatch.setitem(sys.modules, "keyring", Keyring)
    (account,) = logins(Plan(logins=entries), Credentials(), []).each[0].accounts
    assert account.password == "hush"
    with pytest.raises(UsageError, match="the keyring has no password of you for wiki"):
        logins(Plan(logins={"a.test": ("digest me %wiki/you",)}), Credentials(), [])
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(UsageError, match="pip install keyring"):
        logins(Plan(logins=entries), Credentials(), [])


def test_a_mistake_in_a_file_of_logins_names_the_file_and_no_value(tmp_path: Path) -> None:
    file = tmp_path / "logins.toml"
    file.write_text('[logins]\n"a.test" = ["auth me =hush"]\n')
    file.chmod(0o600)
    found = logins(Plan(), Credentials(login=file), [])
    assert found.fields(SEED) == (b"Authorization: Basic bWU6aHVzaA==",), "here values may stand themselves"
    for wrong in ("['auth me hush']", "['password me =hush']", "'auth me =hush'", "[7]", "['form nowhere me =hush']"):
        file.write_text(f"[logins]\n'a.test' = {wrong}\n")
        with pytest.raises(UsageError, match=rf"{file}: (the )?logins of a\.test") as told:
            logins(Plan(), Credentials(login=file), [])
        assert "hush" not in str(told.value)


@pytest.mark.parametrize(
    ("words", "said"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c", "2 more"], "a, b, c and 2 more")]
)
def test_what_is_not_sent_any_more_is_named_in_a_sentence(words: list[str], said: str) -> None:
    assert _joined(words) == said
