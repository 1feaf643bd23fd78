from __future__ import annotations

import pytest

from gossamer.errors import InvalidPattern
from gossamer.plan import Plan
from gossamer.urls import Patterns
from gossamer.urls import safe_regex as compiling
from gossamer.urls.safe_regex import PATTERNS_MOST, glob_hint


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


def test_the_patterns_of_a_plan_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_one = compiling._compiled

    def counted(pattern: str) -> object:
        compiled.append(pattern)
        return compile_one(pattern)

    monkeypatch.setattr(compiling, "_compiled", counted)
    plan = Plan(exclude=("/compiled-once/", "/and-this/"), include=("compiled",))
    assert plan.as_scope().check("http://a.example/compiled-once/", 0)
    assert plan.changed(depth=3).as_scope() != plan.as_scope()
    assert sorted(compiled) == sorted(
        [*plan.exclude, *plan.include, "(?:/compiled-once/)|(?:/and-this/)", "(?:compiled)"]
    )


def test_too_many_patterns_are_refused_in_a_few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        InvalidPattern, match=r"^50,001 patterns: 50,000 can be searched for at most; one can say"
    ) as told:
        Patterns([f"/{number}/" for number in range(PATTERNS_MOST + 1)])
    assert len(str(told.value)) < 200
    with monkeypatch.context() as fewer:
        fewer.setattr(compiling, "PATTERNS_MOST", 2)
        assert Patterns(["a", "b"]).first_match("xb") == "b"
    monkeypatch.setattr(compiling, "_MEMORY", 20_000)
    with pytest.raises(
        InvalidPattern, match=r"^300 patterns: too long to be searched for together; one can say"
    ) as told:
        Patterns([f"^https://a{number}[.]example/" for number in range(300)])
    assert len(str(told.value)) < 200
    with pytest.raises(InvalidPattern, match="does not compile") as told:
        Patterns(["(" + "a" * 100_000])
    assert len(str(told.value)) < 2_000
