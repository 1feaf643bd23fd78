"""Suites that others wrote. What we do not share with them is named here, case by case."""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter
from typing import Any

import pytest

from gossamer.robots import Verdict, parse, verdict
from reference import reference

RAW_ADDRESS = ("FooBot", "http://foo.bar/foo/bar/ツ")
"""Protego opens it by `Allow: /foo/bar/%E3%83%84`, Google does not. Both cannot hold; we stay out."""
TWO_WORDS = ("harry potter", "http://foo.bar/horcrux")
"""Protego takes an agent of two words; Google's suite forbids it, and the RFC knows only one-word tokens."""
PREFIX = ("Googlebot", "/path/page1.html")
"""temoto lets `User-agent: Google` speak to Googlebot; in the RFC the whole token counts."""


def failures(name: str) -> tuple[Counter[tuple[str, str]], int]:
    cases: list[dict[str, Any]] = json.loads((reference(name) / "cases.json").read_text("utf-8"))
    wrong = Counter(
        (case["user_agent"], case["url"])
        for case in cases
        if parse(body(case)).allows(case["user_agent"], case["url"]) is not case["allowed"]
    )
    return wrong, len(cases)


def body(case: dict[str, Any]) -> bytes:
    if "robots_base64" in case:
        return base64.b64decode(case["robots_base64"])
    return case["robots"].encode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("robots-google", []),
        ("robots-protego", [RAW_ADDRESS, TWO_WORDS]),
        ("robots-temoto", [PREFIX]),
    ],
)
def test_every_case_holds_but_the_known_differences(name: str, known: list[tuple[str, str]]) -> None:
    wrong, count = failures(name)
    assert wrong == Counter(known)
    assert count > 40


def test_protego_reads_the_same_delays_and_sitemaps() -> None:
    for case in json.loads((reference("robots-protego") / "other.json").read_text("utf-8")):
        rules = parse(case["robots"])
        if "crawl_delay" in case:
            assert rules.delay(case["user_agent"]) == case["crawl_delay"]
        else:
            assert list(rules.sitemaps) == case["sitemaps"]


def test_google_reads_the_same_byte_order_marks_and_line_ends() -> None:
    files = json.loads((reference("robots-google") / "extra.json").read_text("utf-8"))["line_counts"]
    for file in files:
        text = base64.b64decode(file["robots_base64"])
        agent = "bar" if b"bar" in text else "foo"
        readable = file["name"] != "kUtf8FileBrokenBOM"
        assert parse(text + b"\nDisallow: /\n").allows(agent, "/other") is not readable, file["name"]


def test_google_finds_the_same_path_in_an_address() -> None:
    for row in json.loads((reference("robots-google") / "extra.json").read_text("utf-8"))["path_params_query"]:
        rules = parse(f"User-agent: *\nDisallow: {row['path']}$")
        assert not rules.allows("Gossamer", row["url"]), row


def test_a_status_means_what_temoto_says() -> None:
    for case in json.loads((reference("robots-temoto") / "http_status.json").read_text("utf-8")):
        assert (verdict(case["http_status"]) is not Verdict.UNREACHABLE) is case["allow_all"], case


def test_real_files_are_read_and_seldom_close_a_whole_site() -> None:
    path = reference("robots-corpus") / "robots.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        files = [parse(base64.b64decode(json.loads(line)["body_base64"])) for line in lines]
    assert len(files) == 500
    assert sum(rules.allows("Gossamer", "https://example.com/") for rules in files) > 450
    assert sum(bool(rules.sitemaps) for rules in files) > 150
    assert sum(rules.delay("Gossamer") is not None for rules in files) > 20
