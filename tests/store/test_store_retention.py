"""Which versions may go by a rule: the newest never, and never the only page."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import Damaged
from gossamer.model import Kind
from gossamer.store.repair.prune import chosen
from gossamer.store.retention import DAY, Rule
from gossamer.store.versions import Version, Versions, tells

NOW = 1_000 * DAY
BLANK = Version(0.0, 200, Kind.PAGE, "text/html", None, "", 1, "", "file", 0, 1, "record")


def versions(*told: tuple[float, int]) -> list[Version]:
    """Ages in days with statuses, the newest first."""
    return [msgspec.structs.replace(BLANK, began=NOW - days * DAY, status=status) for days, status in told]


def gone(rule: str, *told: tuple[float, int]) -> list[float]:
    """The ages of what goes."""
    return [(NOW - version.began) / DAY for version in Rule.of(rule).superfluous(versions(*told), NOW)]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("all", Rule()),
        ("last 5", Rule(versions=5)),
        ("Last  1", Rule(versions=1)),
        ("3 versions", Rule(versions=3)),
        ("90 days", Rule(days=90)),
        ("1 day", Rule(days=1)),
        ("90d", Rule(days=90)),
        ("last 2 weeks", Rule(days=14)),
        ("1 year", Rule(days=365)),
    ],
)
def test_a_rule_is_read_as_people_write_it(text: str, rule: Rule) -> None:
    assert Rule.of(text) == rule


@pytest.mark.parametrize(
    "text", ["", "5", "last", "last 0", "0 days", "-1 days", "5 apples", "all 5", "last 1.5", "9" * 9]
)
def test_what_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{text}$"):
        Rule.of(text)


def test_so_many_stay() -> None:
    assert gone("last 2", (1, 200), (2, 200), (3, 200), (4, 200)) == [3, 4]
    assert gone("last 5", (1, 200), (2, 200)) == []


def test_what_was_current_when_the_time_begins_stays() -> None:
    assert gone("10 days", (1, 200), (9, 200), (20, 200), (30, 200)) == [30]
    assert gone("10 days", (400, 200)) == []


def test_the_last_page_stays_though_it_is_gone_by_now() -> None:
    assert gone("last 1", (1, 404), (2, 404), (3, 200), (4, 200)) == [2, 4]


def test_a_passing_error_counts_for_nothing_and_goes_with_what_is_older() -> None:
    assert gone("last 1", (1, 503), (2, 200), (3, 503), (4, 200)) == [3, 4]


def test_all_means_all() -> None:
    assert Rule.of("all").keeps_all
    assert not Rule.of("last 1").keeps_all


STATUSES = st.sampled_from([200, 301, 404, 410, 500, 503])


@given(
    told=st.lists(st.tuples(st.floats(0, 900), STATUSES), max_size=20),
    rule=st.one_of(
        st.integers(1, 5).map(lambda most: Rule(versions=most)), st.floats(0.1, 500).map(lambda days: Rule(days=days))
    ),
)
def test_never_the_newest_and_never_the_only_page(told: list[tuple[float, int]], rule: Rule) -> None:
    known = versions(*sorted(told))
    goes = [*rule.superfluous(known, NOW)]
    stays = [version for version in known if all(version is not each for each in goes)]
    assert next(filter(lambda each: tells(each.status), known), None) == next(
        filter(lambda each: tells(each.status), stays), None
    )
    assert any(each.status == 200 for each in known) == any(each.status == 200 for each in stays)
    if rule.versions:
        told_by = [each for each in stays if tells(each.status)]
        assert len(told_by) <= rule.versions + 1
    again = [*rule.superfluous(stays, NOW)]
    assert again == []


def test_where_all_is_kept_nothing_is_looked_at() -> None:
    archive: Any = None
    assert chosen(archive, Rule(), 0.0) == {}


def test_a_digest_that_is_none_is_damage_and_names_the_cure() -> None:
    table: Any = SimpleNamespace(get=lambda *key: None)
    with pytest.raises(Damaged, match=r"digest, cannot be read .*'sha256:spoilt'.*--repair"):
        Versions(table).first("sha256:spoilt")
