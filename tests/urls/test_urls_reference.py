"""The suites that others wrote: WHATWG, IDNA, the Public Suffix List, SURT."""

from __future__ import annotations

import json
import re
from typing import Any

import ada_url
import pytest
from url_strategies import canonical_or_none

from gossamer.urls import registrable, site, surt, surt_key
from gossamer.urls.normalize import normalize
from reference import reference

COMPONENTS = (
    "href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash",
)  # fmt: skip


def load(name: str, file: str) -> list[dict[str, Any]]:
    text = (reference(name) / file).read_text("utf-8")
    rows = text.splitlines() if file.endswith(".jsonl") else None
    cases = [json.loads(row) for row in rows] if rows is not None else json.loads(text)
    return [case for case in cases if isinstance(case, dict)]


def scalars(text: str | None) -> str | None:
    return text and text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def test_the_parser_follows_the_standard_in_every_component() -> None:
    cases = load("wpt-url", "urltestdata.json")
    for case in cases:
        expected = None if case.get("failure") else {key: case[key] for key in COMPONENTS if key in case}
        try:
            url = ada_url.URL(scalars(case["input"]) or "", scalars(case["base"]))
        except ValueError:
            assert expected is None, case
        else:
            assert expected == {key: getattr(url, key) for key in expected or ()}, case
    assert len(cases) > 400


def test_the_canonical_form_is_the_standard_s_with_only_the_safe_rules_added() -> None:
    for case in load("wpt-url", "urltestdata.json"):
        ours = canonical_or_none(case["input"], case["base"])
        if case.get("failure") or case["protocol"] not in ("http:", "https:"):
            assert ours is None, case
            continue
        kept = case["href"].partition("#")[0].replace(f"{user_information(case)}{case['host']}", case["host"], 1)
        unreserved = re.sub("%(2[DEde]|3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|7[Ee])", decoded, kept)
        assert ours == re.sub("%[0-9a-f]{2}", lambda found: found[0].upper(), unreserved, flags=re.I), case


def user_information(case: dict[str, Any]) -> str:
    password = f":{case['password']}" if case["password"] else ""
    return f"{case['username']}{password}@" if case["username"] or password else ""


def decoded(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16))


@pytest.mark.parametrize("file", ["toascii.json", "IdnaTestV2.json"])
def test_host_names_reach_ascii_as_the_standard_says(file: str) -> None:
    for case in load("wpt-url", file):
        expected = case["output"] and f"https://{case['output']}/x"
        if case["input"]:  # without a host the next segment would be it
            assert canonical_or_none(f"https://{case['input']}/x") == expected, case


def test_queries_are_escaped_in_utf_8() -> None:
    for case in load("wpt-url", "percent-encoding.json"):
        assert normalize(f"https://example.com/?{case['input']}") == f"https://example.com/?{case['output']['utf-8']}"


def test_registrable_domains_are_those_of_the_official_test() -> None:
    cases = load("public-suffix", "test_psl.json")
    for case in cases:
        assert registrable(case["input"] or "") == case["registrable_domain"], case
    assert len(cases) >= 78


SURT = {
    "surt.surt": surt,
    "handyurl.parse.geturl()": lambda url: str(surt_key.split(url)),
    "handyurl.getPublicSuffix()": site,
    "handyurl.getPublicPrefix()": lambda host: host.removesuffix(f".{site(host)}"),
    "surt.GoogleURLCanonicalizer.canonicalize.getURLString()": lambda url: str(surt_key.unfold(surt_key.split(url))),
    "surt.GoogleURLCanonicalizer.attemptIPFormats": surt_key.dotted,
    "surt.GoogleURLCanonicalizer.unescapeRepeatedly": lambda text: surt_key.unescape(text).decode(),
    "surt.IAURLCanonicalizer.canonicalize.getURLString()": lambda url, **options: str(
        surt_key.fold(surt_key.split(url), **options)
    ),
    "surt.IAURLCanonicalizer.alphaReorderQuery": surt_key.sort_query,
    "surt.IAURLCanonicalizer.massageHost": surt_key.strip_www,
    "surt.IAURLCanonicalizer.getDefaultPort": lambda scheme: surt_key.DEFAULT_PORTS.get(scheme, 0),
    "surt.URLRegexTransformer.stripPathSessionID": surt_key.strip_path_session,
    "surt.DefaultIAURLCanonicalizer.canonicalize.getURLString()": lambda url, **options: str(
        surt_key.fold(surt_key.unfold(surt_key.split(url)), **options)
    ),
}
"""Their functions, and the steps of ours that do the same. `host` is a keyword in two of their rows."""


def test_cdx_keys_and_every_step_to_them_are_those_of_the_archives() -> None:
    cases = load("url-surt", "cases.jsonl")
    for case in cases:
        options = dict(case["kwargs"])
        arguments = case["args"] or [options.pop("host")]
        assert SURT[case["function"]](*arguments, **options) == case["expected"], case
    assert len(cases) >= 162
