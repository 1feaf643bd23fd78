"""A plan that somebody has edited: what changes is written where it stands, and every other word stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from gossamer import plan as plans
from gossamer.collection.plan_text import edited
from gossamer.errors import InvalidPlan
from gossamer.plan import Plan

PATH = Path("plan.toml")
TEXT = """# my own words
seeds = [
  "http://a.test/",  # the first
]
depth = 3 # not deeper
# delay = 1.0
ip_delay = 0.5
include = ["/x"]

[logins]
"https://a.test" = ["header X: $A"]  # mine
"https://b.test" = ["auth me $B"]
"""


def plan(**changes: object) -> Plan:
    return plans.parse(TEXT, PATH).changed(**changes)


def test_a_plan_that_says_the_same_stays_as_it_is() -> None:
    assert edited(TEXT, plan(), PATH) is TEXT


@pytest.mark.parametrize(
    ("changes", "old", "new"),
    [
        ({"depth": 4}, "depth = 3 #", "depth = 4 #"),
        ({"delay": 2.5, "ip_delay": 0.5}, "# delay = 1.0", "delay = 2.5"),
        ({"include": ("/x", "/y")}, 'include = ["/x"]', 'include = ["/x", "/y"]'),
        ({"include": ()}, 'include = ["/x"]', "include = []"),
        ({"seeds": ("http://a.test/", "b.test/")}, "# the first\n", '# the first\n  "b.test/",\n'),
        (
            {"seeds": ("http://a.test/", "b.test/", "c.test/")},
            "# the first\n",
            '# the first\n  "b.test/", "c.test/",\n',
        ),
        ({"logins": {"https://a.test": ("header X: $A",)}}, '"https://b.test" = ["auth me $B"]\n', ""),
        (
            {"logins": {"https://a.test": ("header X: $A",), "https://b.test": ("auth me $C",)}},
            '["auth me $B"]',
            '["auth me $C"]',
        ),
    ],
)
def test_what_is_changed_is_written_where_it_stands(changes: dict[str, object], old: str, new: str) -> None:
    assert TEXT.count(old) == 1
    text = edited(TEXT, plan(**changes), PATH)
    assert text == TEXT.replace(old, new)
    assert plans.parse(text, PATH) == plan(**changes)


def test_a_list_that_begins_otherwise_is_written_anew() -> None:
    text = edited(TEXT, plan(seeds=("b.test/", "http://a.test/")), PATH)
    assert plans.parse(text, PATH).seeds == ("b.test/", "http://a.test/")
    assert "the first" not in text
    assert "# my own words" in text


def test_a_new_setting_and_a_new_login_come_in_and_the_words_stay() -> None:
    logins = {"https://a.test": ("header X: $A",), "https://b.test": ("auth me $B",), "c.test": ("cookie /jar",)}
    wanted = plan(pages=7, exclude=("a", "b"), logins=logins)
    text = edited(TEXT, wanted, PATH)
    assert plans.parse(text, PATH) == wanted
    for words in ("# my own words", "# the first", "# not deeper", "# delay = 1.0", "# mine"):
        assert words in text


def test_of_two_lines_that_could_be_meant_the_setting_counts_and_a_comment_stays() -> None:
    text = TEXT.replace("# delay = 1.0", "# delay = 1.0\ndelay = 2.0")
    assert edited(text, plan(delay=3.5, ip_delay=0.5), PATH) == text.replace("delay = 2.0", "delay = 3.5")
    twice = TEXT.replace("# delay = 1.0", "# delay = 1.0\n# delay = 1.0")
    assert edited(twice, plan(delay=3.5, ip_delay=0.5), PATH) == twice.replace("# delay = 1.0", "delay = 3.5", 1)


@pytest.mark.parametrize("text", ["", "depth = ", "depth = 3\ndepth = 4\n", "nonsense = 1\n"])
def test_what_cannot_be_edited_is_written_anew(text: str) -> None:
    wanted = plan(depth=5)
    found = edited(text, wanted, PATH)
    assert plans.parse(found, PATH) == wanted


def test_a_delay_alone_in_the_file_is_what_the_option_is() -> None:
    """It left half a second for each IP address, without a word."""
    for name in (0.1, 4.0):
        assert plans.parse(f"delay = {name}\n", PATH) == Plan().changed(delay=name)
    two = plans.parse("delay = 0.1\nip_delay = 0.3\n", PATH)
    assert (two.delay, two.ip_delay) == (0.1, 0.3)
    with pytest.raises(InvalidPlan, match="delay: 'soon' is not a time, like 90"):
        plans.parse('delay = "soon"\n', PATH)


def test_two_delays_stay_two_in_the_file_also_where_one_is_the_default() -> None:
    two = Plan(delay=2.5, ip_delay=0.5)
    assert "\nip_delay = 0.5\n" in plans.dump(two)
    assert plans.parse(plans.dump(two), PATH) == two
    for text in ("# mine\n", "# mine\ndelay = 3\n", "# mine\n# ip_delay = 0.5\n", "# mine\nip_delay = 7\n"):
        new = edited(text, two, PATH)
        assert (new.startswith("# mine\n"), plans.parse(new, PATH)) == (True, two)
    assert "\n# ip_delay = 0.5\n" in plans.dump(Plan())
