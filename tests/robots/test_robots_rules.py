from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.robots import ALLOW_ALL, DISALLOW_ALL, SIZE_MOST, parse, parser
from gossamer.robots import patterns as module
from gossamer.robots import rules as rules_module


def allows(robots: str | bytes, path: str, agent: str = "Gossamer") -> bool:
    return parse(robots).allows(agent, f"https://example.com{path}")


def test_the_longest_match_decides_and_allow_wins_a_tie() -> None:
    robots = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /x\nDisallow: /x"
    assert not allows(robots, "/a")
    assert allows(robots, "/a/b")
    assert not allows(robots, "/a/b/c/d")
    assert allows(robots, "/x")


def test_groups_for_the_same_agent_are_one() -> None:
    first, second = "User-agent: gossamer\nDisallow: /a\n", "User-agent: GOSSAMER\nDisallow: /c\n"
    robots = f"{first}\nUser-agent: other\nDisallow: /b\n\n{second}"
    assert [allows(robots, path) for path in ("/a", "/b", "/c")] == [False, True, False]


def test_the_star_group_is_only_for_those_whom_no_group_names() -> None:
    robots = "User-agent: *\nDisallow: /\n\nUser-agent: gossamer\nDisallow:"
    assert allows(robots, "/page")
    assert not allows(robots, "/page", agent="other")


@pytest.mark.parametrize(
    "agent",
    [
        "Gossamer",
        "gossamer",
        "Gossamer/0.1",
        "Gossamer/0.1 (+https://example.org/bot)",
        "Gossamer (+mailto:a@b.c)",
    ],
)
@pytest.mark.parametrize("named", ["Gossamer", "GOSSAMER/1.0", "gossamer*", "Gossamer bot", "gossamer # that one"])
def test_the_product_token_is_what_counts_in_a_name(agent: str, named: str) -> None:
    assert not allows(f"User-agent: {named}\nDisallow: /\n\nUser-agent: *\nAllow: /", "/x", agent)


@pytest.mark.parametrize("named", ["Goss", "Gossamer-Images", "a Gossamer", "Gossamer2"])
def test_a_name_that_only_resembles_ours_is_not_ours(named: str) -> None:
    assert allows(f"User-agent: {named}\nDisallow: /", "/x")


@pytest.mark.parametrize(
    "between", ["Sitemap: /s.xml", "Crawl-delay: 3", "Unknown: line", "# words", "", "words", "Host: x"]
)
def test_only_rules_end_a_list_of_agents(between: str) -> None:
    robots = f"User-agent: gossamer\n{between}\nUser-agent: other\nDisallow: /a"
    assert not allows(robots, "/a")
    assert not allows(robots, "/a", agent="other")


def test_rules_before_any_agent_are_for_nobody() -> None:
    assert allows("Disallow: /\nUser-agent: *\nDisallow: /x", "/a")


def test_robots_txt_itself_is_always_allowed() -> None:
    assert DISALLOW_ALL.allows("Gossamer", "https://example.com/robots.txt")
    assert not DISALLOW_ALL.allows("Gossamer", "https://example.com/robots.txt.old")


def test_the_two_constants_mean_what_they_say() -> None:
    assert ALLOW_ALL.allows("Gossamer", "https://example.com/")
    assert not DISALLOW_ALL.allows("Gossamer", "https://example.com/")


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\n\r", "\n\n"])
def test_every_kind_of_line_end_is_understood(end: str) -> None:
    assert not allows(end.join(["User-agent: other", "User-agent: gossamer", "Disallow: /a", ""]), "/a")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_byte_order_mark_hides_nothing(encoding: str) -> None:
    assert not allows("User-agent: *\nDisallow: /ä".encode(encoding), "/%C3%A4")


def test_nul_bytes_hide_nothing() -> None:
    assert not allows(b"User-\0agent: *\nDis\0allow: /a", "/a")


@pytest.mark.parametrize(
    "line",
    ["disallow:/a", "  DISALLOW  :  /a  # why", "Disallow /a", "Dissalow: /a", "\tdisallow\t/a\t# why"],
)
def test_careless_lines_are_understood(line: str) -> None:
    assert not allows(f"User-agent: *\n{line}", "/a")


def test_prose_is_no_rule() -> None:
    assert allows("User-agent: *\nDisallow all of them\nDisallowed: /\nNo-Disallow: /", "/all")


def test_a_disallow_without_its_slash_is_given_one() -> None:
    robots = "User-agent: *\nDisallow: private/\nDisallow: ?sid=\nAllow: private/open"
    assert not allows(robots, "/private/open")
    assert not allows(robots, "/?sid=1")
    assert allows(robots, "/public")


def test_only_whole_lines_within_the_limit_are_read() -> None:
    head = b"User-agent: *\nDisallow: /first\n"
    robots = head + b"#" * (511_990 - len(head)) + b"\nDisallow: /second\n"
    assert len(robots) > 512_000
    assert not allows(robots, "/first")
    assert allows(robots, "/second")
    assert not allows(robots[:511_000] + b"\nDisallow: /second\n", "/second")


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_of_a_file_that_was_cut_the_last_line_is_whole_or_not_read(end: bytes) -> None:
    """A fetch stops at this very length; half a line could close a whole site."""
    head = b"User-agent: *" + end + b"Disallow: /first" + end
    robots = b"#" * (SIZE_MOST - len(head) - len(end) - len(b"Disallow: /")) + end + head + b"Disallow: /"
    assert len(robots) == SIZE_MOST
    for data in (robots, robots + b"second"):
        assert [allows(data, path) for path in ("/first", "/firs", "/second")] == [False, True, True]
    assert not allows(robots[1:], "/second")


def test_a_file_of_one_endless_line_says_nothing() -> None:
    assert allows(b"User-agent: *" + b" " * 600_000, "/a")


RFC_TABLES = [
    ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
    ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
    ("/foo/bar/ツ", "/foo/bar/%E3%83%84"),
    ("/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84"),
    ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
]
RFC_SPECIAL = [
    ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html"),
    ("/path/foo-%24", "/path/foo-$"),
]


@pytest.mark.parametrize(
    ("pattern", "path"), [*RFC_TABLES, *[(path, pattern) for pattern, path in RFC_TABLES], *RFC_SPECIAL]
)
def test_what_the_rfc_calls_equal_is_disallowed_in_every_spelling(pattern: str, path: str) -> None:
    robots = f"User-agent: *\nDisallow: {pattern}"
    assert not allows(robots, path)
    assert not allows(robots, path.replace("%C3", "%c3").replace("%3A", "%3a"))


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/%7Ejoe/", "/~joe/"),
        ("/~joe/", "/%7ejoe/"),
        ("/wiki/Special%3AAll", "/wiki/Special:All"),
        ("/a b", "/a%20b"),
        ("/a<b", "/a%3cb"),
        ("/ツ", "/%e3%83%84"),
        ("/x$y", "/x%24y"),
        ("/x%2A", "/x*"),
    ],
)
def test_needless_escapes_do_not_close_an_allow(pattern: str, path: str) -> None:
    assert allows(f"User-agent: *\nDisallow: /\nAllow: {pattern}", path)


@pytest.mark.parametrize(
    ("pattern", "path"), [("/a%2Fb", "/a/b"), ("/a/b", "/a%2Fb"), ("/*?x", "/a%3Fx"), ("/?a&b", "/?a%26b")]
)
def test_an_escaped_delimiter_is_another_path(pattern: str, path: str) -> None:
    assert allows(f"User-agent: *\nDisallow: {pattern}", path)


def test_an_index_page_that_is_allowed_opens_its_folder_only() -> None:
    robots = "User-agent: *\nDisallow: /\nAllow: /dir/index.html\nAllow: /my-index.html"
    assert allows(robots, "/dir/")
    assert not allows(robots, "/dir/other")
    assert not allows(robots, "/")


@pytest.mark.parametrize(
    ("pattern", "path", "matched"),
    [
        ("/a*a$", "/a", False),
        ("/a*a$", "/aa", True),
        ("/a*a$", "/aba", True),
        ("/a*a$", "/ab", False),
        ("/*ab*ba", "/aba", False),
        ("/*ab*ba", "/abba", True),
        ("/*ab*ba$", "/aba", False),
        ("/*ab*ba$", "/abba", True),
        ("/*a*b*ab$", "/ab", False),
        ("/a*b*c", "/acb", False),
        ("/**a", "/a", True),
        ("/a**$", "/abc", True),
        ("*a", "/ba", True),
        ("/b*", "/abc", False),
    ],
)
def test_what_stands_between_stars_is_found_in_order_and_shares_nothing(pattern: str, path: str, matched: bool) -> None:
    assert allows(f"User-agent: *\nDisallow: {pattern}", path) is not matched


def test_of_patterns_with_stars_too_the_longest_decides() -> None:
    robots = "User-agent: *\nDisallow: /*a\nAllow: /*ab\nDisallow: /*abc\nAllow: /abc\nAllow: /*abcd"
    assert [allows(robots, path) for path in ("/xa", "/xab", "/xabc", "/xabcd", "/abc")] == [
        False,
        True,
        False,
        True,
        False,
    ]
    assert allows("User-agent: *\nDisallow: /a\nDisallow: /*b\nAllow: /ab", "/ab")
    assert not allows("User-agent: *\nDisallow: /abc\nDisallow: /*b\nAllow: /ab", "/abc")


def test_a_group_is_made_ready_once_however_often_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    compiled = rules_module._compiled
    monkeypatch.setattr(rules_module, "_compiled", lambda group: made.append(group) or compiled(group))
    rules = parse("User-agent: *\nDisallow: /a")
    assert [rules.allows("Gossamer", path) for path in ("/a", "/b", "/c")] == [False, True, True]
    assert len(made) == 1


def test_hostile_patterns_and_paths_are_matched_without_backtracking() -> None:
    stars = "/" + "*a" * 400 + "*b"
    rules = parse("User-agent: *\n" + "".join(f"Disallow: {stars}{n}$\n" for n in range(6)))
    assert rules.allows("Gossamer", "/" + "a" * 2_000)


HOSTILE = [
    [f"*z{n:04x}" for n in range(2_700)],
    ["*" + "a" * 97 + f"ba{n}" for n in range(150)],
    ["/" + "*a" * n + "*b" for n in range(1, 125)],
    [f"*{n:04x}$" for n in range(2_700)],
    ["/" + "*a" * 120 + f"*b{n}" for n in range(64)],
    ["*a*" + "a" * 120 + f"b{n}" for n in range(124)],
]
A_SEARCH = 300
"""Steps, whatever it compares."""


@pytest.mark.parametrize("patterns", HOSTILE)
def test_the_costliest_patterns_and_paths_take_a_bounded_number_of_steps(
    patterns: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    matches, walked = module._matches, []

    def counted(path: bytes, at: int, pieces: tuple[bytes, ...], tail: bytes | None) -> bool:
        walked.append(len(path) * max(map(len, pieces), default=1) + A_SEARCH * len(pieces))
        return matches(path, at, pieces, tail)

    monkeypatch.setattr(module, "_matches", counted)
    rules = parse("User-agent: *\n" + "".join(f"Disallow: {each}\n" for each in patterns))
    for path in ("/" + "z" * 2_000, "/" + "a" * 200, "/" + "a" * 2_000, "/" + "a" * 16_000):
        walked.clear()
        rules.allows("Gossamer", path)
        assert sum(walked) <= 2_000_000, "about two milliseconds"


def test_what_would_take_too_long_to_match_is_read_more_strictly_never_less() -> None:
    many = "".join(f"Disallow: /filler/*{n:04}\n" for n in range(1_000))
    robots = f"User-agent: *\nDisallow: /late/\n{many}Allow: /late/*y\nDisallow: /deep/*x\n"
    assert allows(robots, "/filler/short")
    assert not allows(robots, "/filler/0999")
    assert not allows(robots, "/filler/" + "long" * 500)
    assert allows(robots, "/elsewhere/" + "long" * 500)
    assert allows(robots, "/deep/" + "long" * 500)
    assert allows(robots, "/late/" + "long" * 500 + "y")
    opened = "".join(f"Allow: /filler/*{n:04}\n" for n in range(1_000))
    assert not allows(f"User-agent: *\nDisallow: /filler/\n{opened}", "/filler/" + "long" * 500)


def test_too_many_patterns_are_read_more_strictly_never_less() -> None:
    filler = "".join(f"Disallow: /filler/*/{n:050}\n" for n in range(2_000))
    robots = "User-agent: *\nDisallow: /late/\n" + filler + "Disallow: /deep/*/x\nAllow: /late/*/y\nAllow: /late/open\n"
    assert not allows(robots, "/deep/a/x")
    assert not allows(robots, "/late/a/y")
    assert allows(robots, "/late/open")
    assert allows(robots, "/elsewhere")


def test_patterns_with_stars_are_read_as_written_up_to_a_limit_that_no_site_reaches() -> None:
    """16 KiB of them in one group, those without stars not counted."""
    plain = "Disallow: /plain\n" * 100
    filler = "".join(f"Disallow: /f/*{n:0121}\n" for n in range(127))
    assert len(f"/f/*{0:0121}") == 125
    left = 16_384 - 127 * 125
    last = "/last/*".ljust(left - 1, "x")
    for line, path in ((f"Disallow: {last}x", "/last/y"), (f"Disallow: /last/\nAllow: {last}x", f"{last}x")):
        assert allows(f"User-agent: *\n{plain}{filler}{line}", path), "just what is read"
        assert not allows(f"User-agent: *\n{plain}{filler}{line}x", f"{path}x"), "one octet too many"


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("5", 5.0), ("0.5", 0.5), (".5", 0.5), ("2.", 2.0), ("0", 0.0), ("100000", 100_000.0), ("9" * 400, None)]
    + [(garbage, None) for garbage in ("-1", "", "ten", "nan", "inf", "1e3", "5s", "1_0", "٣")],
)
def test_a_crawl_delay_is_a_plain_number_of_seconds(value: str, seconds: float | None) -> None:
    assert parse(f"User-agent: *\nCrawl-delay: {value}").delay("Gossamer") == seconds


def test_a_crawl_delay_is_for_the_agents_right_above_it() -> None:
    rules = parse("User-agent: a\nCrawl-delay: 7\nUser-agent: b\nUser-agent: c\nDisallow: /x\nCrawl-delay: 3")
    assert [rules.delay(agent) for agent in ("a", "b", "c", "d")] == [7.0, 3.0, 3.0, None]
    rules = parse("User-agent: a\nCrawl-delay: 3\nUser-agent: b\nCrawl-delay: 7")
    assert [rules.delay(agent) for agent in ("a", "b")] == [3.0, 7.0]


def test_of_two_crawl_delays_the_longer_holds() -> None:
    assert parse("User-agent: *\nCrawl-delay: 9\nDisallow: /x\nCrawl-delay: 2").delay("Gossamer") == 9.0


def test_sitemaps_and_host_stand_outside_all_groups() -> None:
    rules = parse(
        "Sitemap: https://e.com/1.xml\nUser-agent: x\nsitemap:/2.xml\nHost: www.e.com\n"
        "Sitemap: https://e.com/1.xml\nHost: e.com"
    )
    assert rules.sitemaps == ("https://e.com/1.xml", "/2.xml")
    assert rules.host == "www.e.com"
    assert parse("").host is None


def expected(rules: list[tuple[str, str]], path: str) -> bool:
    """The rule of the RFC, said in the plainest way, for paths in which nothing is escaped."""
    best = (-1, True)
    for kind, pattern in rules:
        regex = re.escape(pattern.removesuffix("$")).replace(r"\*", ".*") + (r"\Z" if pattern.endswith("$") else "")
        if re.match(regex, path):
            best = max(best, (len(pattern), kind == "Allow"))
    return best[1]


PATTERNS = st.builds(str.__add__, st.sampled_from("/*"), st.text("ab/*$", max_size=8))
RULES = st.lists(st.tuples(st.sampled_from(["Allow", "Disallow"]), PATTERNS), max_size=6)


@given(RULES, st.text("ab/", max_size=12))
def test_matching_agrees_with_the_plainest_reading_of_the_rfc(rules: list[tuple[str, str]], path: str) -> None:
    robots = "User-agent: *\n" + "\n".join(f"{kind}: {pattern}" for kind, pattern in rules)
    assert allows(robots, f"/{path}") is expected(rules, f"/{path}")


@given(st.binary(max_size=300) | st.text(max_size=300), st.text(max_size=30), st.text(max_size=60))
def test_nothing_that_is_written_raises(data: bytes | str, agent: str, url: str) -> None:
    rules = parse(data)
    assert rules.allows(agent, url) in (True, False)
    assert rules.delay(agent) is None


WORDS = st.sampled_from(
    [
        "User-agent",
        "Disallow",
        "Allow",
        "Crawl-delay",
        ":",
        " ",
        "\n",
        "\r",
        "*",
        "$",
        "/",
        "%4",
        "1",
        "#",
        "\0",
        "\ud800",
        "é",
    ]
)


@given(st.lists(WORDS, max_size=60).map("".join), st.text("ab/*$?%2Aé", max_size=12))
def test_nothing_that_looks_like_rules_raises(text: str, path: str) -> None:
    rules = parse(text)
    assert rules.allows("Gossamer", path) in (True, False)
    assert (rules.delay("Gossamer") or 0.0) <= 300.0


def test_many_delays_for_many_agents_are_read_line_by_line() -> None:
    """Agents times lines would be 200 million steps."""
    agents, delays = range(13_000), range(16_000)
    data = b"".join(b"user-agent:a%d\n" % n for n in agents) + b"".join(b"crawldelay:%d\n" % n for n in delays)
    read = parser.read(data + b"user-agent: b\ncrawl-delay: 2\ncrawl-delay: 1\n")
    assert read.delays == {f"a{n}": 15_999.0 for n in agents} | {"b": 2.0}
