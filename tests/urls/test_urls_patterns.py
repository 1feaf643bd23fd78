from __future__ import annotations

import pytest

from gossamer.errors import InvalidPattern
from gossamer.urls import Patterns
from gossamer.urls.patterns import glob_hint


def test_a_pattern_may_match_anywhere() -> None:
    patterns = Patterns([r"\.pdf$", "/private/", "(?i)logout"])
    assert patterns.first_match("http://example.com/a.pdf") == r"\.pdf$"
    assert patterns.first_match("http://example.com/private/a.pdf") == r"\.pdf$"
    assert patterns.first_match("http://example.com/private/") == "/private/"
    assert patterns.first_match("http://example.com/LogOut") == "(?i)logout"
    assert patterns.first_match("http://example.com/PRIVATE/") is None
    assert patterns.first_match("http://example.com/a.pdf?b") is None


def test_no_patterns_match_nothing() -> None:
    assert Patterns([]).first_match("http://example.com/") is None
    assert not Patterns([]).match("http://example.com/")


def test_an_alternative_does_not_leak_out_of_its_pattern() -> None:
    assert Patterns(["a|b$", "^x"]).first_match("http://xc/") is None


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("(?=a)b", "invalid perl operator"),
        (r"(a)\1", "invalid escape sequence"),
        ("[a", "missing ]"),
        ("a)", "unexpected )"),
        ("*", "no argument for repetition operator"),
        ("(a{1000}){1000}", "invalid repetition size"),
        ("\ud800", "lone surrogate"),
    ],
)
def test_a_bad_pattern_is_named_with_its_fault_and_the_cure(
    pattern: str, fault: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InvalidPattern) as caught:
        Patterns(["ok", pattern])
    assert repr(pattern) in str(caught.value)
    assert fault in str(caught.value)
    assert "RE2" in str(caught.value)
    assert capfd.readouterr() == ("", ""), "the engine prints nothing of its own"


def test_a_pattern_that_hangs_other_engines_answers() -> None:
    hostile = Patterns(["(a+)+$", "(a|aa)+$", "(.*)*b{200}$"])
    assert hostile.first_match("http://example.com/" + "a" * 5000 + "!") is None


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("/guide/*.html", r"/guide/[^/]*\.html$"),
        ("*.pdf", r"\.pdf$"),
        (r"*\.pdf$", r"\.pdf$"),
        ("/guide/*", "/guide/"),
        ("/a/*/b?", "/a/[^/]*/b[^/]$"),
        ("/a/**/b", "/a/.*/b$"),
    ],
)
def test_a_pattern_of_a_shell_is_told_as_the_regular_expression_that_is_meant(pattern: str, meant: str) -> None:
    assert glob_hint(pattern).endswith(f"; perhaps '{meant}' is meant")
    Patterns([meant])


@pytest.mark.parametrize("pattern", [r"/guide/.*\.html", r"\.pdf$", "[?&]print=", r"x\/*", ""])
def test_a_regular_expression_is_taken_as_it_is(pattern: str) -> None:
    assert glob_hint(pattern) == ""


def test_a_pattern_of_a_shell_that_does_not_compile_says_what_it_would_be() -> None:
    with pytest.raises(InvalidPattern, match=r"perhaps '\\.pdf\$' is meant"):
        Patterns(["*.pdf"])
