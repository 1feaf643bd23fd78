from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from url_strategies import canonical

from gossamer.errors import InvalidPlan
from gossamer.urls import RULES, Safety, apply, normalize
from gossamer.urls.normalize import LONGEST

NAMES = [rule.name for rule in RULES]


@pytest.mark.parametrize(
    ("rule", "given", "expected"),
    [
        ("canonical", "HTTP://example.com:80/%7ea", "http://example.com/~a"),
        ("trailing-slash", "http://example.com/a", "http://example.com/a/"),
        ("trailing-slash", "http://example.com/a.html", "http://example.com/a.html"),
        ("trailing-slash", "http://example.com/a?b", "http://example.com/a?b"),
        ("empty-query", "http://example.com/a?", "http://example.com/a"),
        ("empty-query", "http://example.com/a??", "http://example.com/a??"),
        ("empty-query", "http://example.com/a?b?", "http://example.com/a?b?"),
        ("index-page", "http://example.com/a/index.html", "http://example.com/a/"),
        ("index-page", "http://example.com/Default.aspx?a=1", "http://example.com/?a=1"),
        ("index-page", "http://example.com/myindex.html", "http://example.com/myindex.html"),
        ("index-page", "http://example.com/a?/index.html", "http://example.com/a?/index.html"),
        ("www", "https://www.example.com:8080/www.", "https://example.com:8080/www."),
        ("www", "http://www.www.example.com/", "http://example.com/"),
        ("www", "http://www.example.com//www.example.com/", "http://example.com//www.example.com/"),
        ("www", "http://www.example.com/?u=http://www.example.com/", "http://example.com/?u=http://www.example.com/"),
        ("www", "http://www.com/", "http://www.com/"),
        ("www", "http://www.co.uk/", "http://www.co.uk/"),
        ("www", "http://www.localhost/", "http://www.localhost/"),
        ("www", "http://www.example.com./", "http://example.com./"),
        ("www", "http://a.www.example.com/", "http://a.www.example.com/"),
        ("session-id", "http://example.com/a;jsessionid=1F;v=2?b", "http://example.com/a;v=2?b"),
        ("session-id", "http://example.com/a?PHPSESSID=1&b=2&sid=3", "http://example.com/a?b=2"),
        ("session-id", "http://example.com/a?ASPSESSIONIDABCDEFGH=1", "http://example.com/a"),
        ("session-id", "http://example.com/(S(4hqa0555fwsecu455xqckv45))/a.aspx", "http://example.com/a.aspx"),
        ("session-id", "http://example.com/(S(4hqa0555fwsecu455xqckv45))", "http://example.com/"),
        ("session-id", "http://example.com/a?side=1&inside=2", "http://example.com/a?side=1&inside=2"),
        ("session-id", "http://example.com/a/b/..;sid=1", "http://example.com/a/"),
        ("tracking", "http://example.com/a?utm_source=x&b=1&UTM_medium=y&gclid=z", "http://example.com/a?b=1"),
        ("tracking", "http://example.com/a?fbclid=1", "http://example.com/a"),
        ("tracking", "http://example.com/a?autm_source=1", "http://example.com/a?autm_source=1"),
        ("tracking", "http://example.com/utm_source=1", "http://example.com/utm_source=1"),
        ("parameter-order", "http://example.com/?b=2&a=1&b=1&&a", "http://example.com/?a=1&a&b=2&b=1"),
        ("parameter-order", "http://example.com/?a1=1&a=2", "http://example.com/?a=2&a1=1"),
    ],
)
def test_a_rule_does_what_it_says(rule: str, given: str, expected: str) -> None:
    assert apply(given, [rule]) == expected


def test_rules_work_together_whatever_order_they_are_named_in() -> None:
    url = "http://www.example.com/a/index.php;jsessionid=1?utm_source=x&c=1&b=2"
    assert apply(url, NAMES) == apply(url, NAMES[::-1]) == "http://example.com/a/?b=2&c=1"


def test_no_rules_change_nothing() -> None:
    assert apply("http://www.example.com/index.html?", []) == "http://www.example.com/index.html?"


def test_a_rule_does_not_make_an_address_too_long() -> None:
    url = "http://example.com/" + "a" * (LONGEST - len("http://example.com/"))
    assert apply(url, NAMES) == url


def test_an_unknown_rule_is_refused_and_the_known_ones_named() -> None:
    with pytest.raises(InvalidPlan, match=r"unknown rule 'ww'; the rules are canonical, .*www"):
        apply("http://example.com/", ["www", "ww"])


def test_the_table_has_the_textbook_s_classes() -> None:
    safety = {rule.name: rule.safety for rule in RULES}
    assert safety.pop("canonical") is Safety.ALWAYS
    assert {name for name in safety if safety[name] is Safety.USUALLY} == {"trailing-slash", "empty-query"}
    assert {name for name in safety if safety[name] is Safety.SOMETIMES} == {
        "index-page",
        "www",
        "session-id",
        "tracking",
        "parameter-order",
    }
    assert all(rule.meaning.endswith(".") for rule in RULES)


@given(canonical, st.sets(st.sampled_from(NAMES)))
def test_rules_applied_twice_are_rules_applied_once(url: str, names: set[str]) -> None:
    once = apply(url, names)
    assert apply(once, names) == once


@given(canonical, st.sets(st.sampled_from(NAMES)))
def test_what_rules_leave_is_canonical(url: str, names: set[str]) -> None:
    once = apply(url, names)
    assert normalize(once) == once
