"""Digests, held against the examples of the standards."""

from __future__ import annotations

import re

import pytest

from gossamer.fetch import digest_auth
from gossamer.fetch.digest_auth import Challenge, challenge


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
