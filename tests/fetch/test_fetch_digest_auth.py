"""Digests, held against the examples of the standards."""

from __future__ import annotations

import hashlib
import re

import pytest

from gossamer.fetch import digest_auth
from gossamer.fetch.digest_auth import Challenge, challenge, schemes


def shown(made: Challenge, *asked: str) -> dict[str, str]:
    return dict(re.findall(r'(\w+)="?([^",]*)"?', made.answer(*asked)))


def test_the_example_of_rfc_7616(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digest_auth.secrets, "token_hex", lambda _: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
    common = 'realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"'
    values = [
        f'Digest {common}, algorithm={name}, opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"'
        for name in ("SHA-256", "MD5")
    ]
    asked = "Mufasa", "Circle of Life", "GET", "/dir/index.html"
    best = challenge(values)
    assert best is not None
    assert shown(best, *asked)["response"] == "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"
    older = challenge(values[1:])
    assert older is not None
    assert shown(older, *asked)["response"] == "8ca523f5e9506fed4657c9700eebdbec"


def test_requests_are_counted() -> None:
    made = challenge(['Digest realm="a", nonce="b", qop="auth"'])
    assert made is not None
    assert [shown(made, "u", "p", "GET", "/")["nc"] for _ in range(3)] == ["00000001", "00000002", "00000003"]


@pytest.mark.parametrize(
    "value",
    [
        "",
        "Basic realm=x",
        'Digest realm="x"',
        'Digest nonce="x", algorithm=SHA-1',
        'Digest nonce="x", qop="other"',
        "Negotiate",
        "Digest",
    ],
)
def test_what_cannot_be_answered_is_not(value: str) -> None:
    assert challenge([value]) is None


def test_several_challenges_in_one_field_are_told_apart() -> None:
    found = challenge(['Basic realm="a, Digest b", Digest realm="c\\"d", nonce="n", algorithm=MD5-sess, stale=TRUE'])
    assert found is not None
    assert (found.realm, found.nonce, found.algorithm, found.qop, found.stale) == ('c"d', "n", "MD5-sess", "", True)


def test_a_name_is_quoted() -> None:
    made = Challenge("r", "n", "MD5", "")
    assert 'username="a\\"b"' in made.answer('a"b', "p", "GET", "/")


def md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


@pytest.mark.parametrize(
    ("algorithm", "qop"), [("MD5", ""), ("MD5", "auth"), ("MD5", "auth-int"), ("md5-sess", "auth"), ("", "auth")]
)
def test_a_response_is_what_the_standard_makes_of_it(algorithm: str, qop: str) -> None:
    asked = f', qop="{qop}"' if qop else ""
    made = challenge([f'Digest realm="r", nonce="n"{f", algorithm={algorithm}" if algorithm else ""}{asked}'])
    assert made is not None
    told = shown(made, "u", "p", "GET", "/x")
    known = md5("u:r:p")
    if algorithm == "md5-sess":
        known = md5(f"{known}:n:{told['cnonce']}")
    request = md5("GET:/x:" + md5("") if qop == "auth-int" else "GET:/x")
    counted = f"n:00000001:{told['cnonce']}:{qop}" if qop else "n"
    assert told["response"] == md5(f"{known}:{counted}:{request}")
    assert (told["username"], told["realm"], told["nonce"], told["uri"]) == ("u", "r", "n", "/x")
    assert (told.get("qop", ""), told["algorithm"]) == (qop, algorithm or "MD5")
    assert {"nc", "cnonce"} & told.keys() == ({"nc", "cnonce"} if qop else set())


def test_each_request_is_shown_with_a_number_of_its_own() -> None:
    made = challenge(['Digest realm="r", nonce="n", qop="auth"'])
    assert made is not None
    assert len({shown(made, "u", "p", "GET", "/")["cnonce"] for _ in range(3)}) == 3


def test_the_best_hash_counts_in_whichever_order_they_stand() -> None:
    values = [f'Digest nonce="{name}", algorithm={name}' for name in ("MD5", "SHA-512-256", "SHA-256")]
    for offered, best in ((values, "SHA-512-256"), (values[::-1], "SHA-512-256"), (values[::2], "SHA-256")):
        found = challenge([", ".join(offered)])
        assert found is not None
        assert found.nonce == best
        assert len(shown(found, "u", "p", "GET", "/")["response"]) == (32 if best == "MD5" else 64)


def test_without_a_body_the_request_alone_is_protected_where_that_is_offered() -> None:
    found = challenge(['Digest nonce="n", qop="auth-int, auth", stale=false'])
    assert found is not None
    assert (found.qop, found.realm, found.stale) == ("auth", "", False)


@pytest.mark.parametrize(("said", "told"), [(', opaque="x"', "x"), (', opaque=""', ""), ("", None)])
def test_what_the_server_wants_back_comes_back(said: str, told: str | None) -> None:
    found = challenge([f'Digest nonce="n"{said}'])
    assert found is not None
    assert shown(found, "u", "p", "GET", "/").get("opaque") == told


def test_the_kinds_of_login_are_named_each_once() -> None:
    values = ['Basic realm="a", Digest nonce="n", algorithm=MD5', "Negotiate", 'Basic realm="c"']
    assert schemes(values) == ["Basic", "Digest", "Negotiate"]


def test_a_challenge_is_read_up_to_4096_characters() -> None:
    end = ', Digest nonce="n"'
    start = 'Basic realm="' + "x" * (4_096 - len(end) - 14) + '"'
    assert len(start + end) == 4_096
    assert challenge([start + end]) is not None
    assert schemes([start + end]) == ["Basic", "Digest"]
    beyond = start.replace('="', '="' + "x" * len(end)) + end
    assert challenge([beyond]) is None
    assert schemes([beyond]) == ["Basic"]
