"""plan.toml as a file of settings: it is enough to begin with, what is edited counts, and what people wrote stays."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.cli.assignments import assigned
from gossamer.cli.main import main
from gossamer.cli.options import parser
from gossamer.collection.folder import Folder
from gossamer.collection.plan_text import edited
from gossamer.errors import InvalidPlan, UsageError
from gossamer.plan import Plan, dump, load, parse, toml
from gossamer.settings import LONGEST, SETTINGS
from tiny_server import page, tiny_server

QUICK = ("--allow-address", "127.0.0.0/8", "--delay", "0", "--patience", "0", "--shards", "1")
MINE = """# my own words
seeds = [
  "ORIGIN/a", # the first
]
depth = 3 # not too deep
delay = 0
ip_delay = 0
patience = 0
shards = 1
allow_addresses = ["127.0.0.0/8"]
disk_pause = 0
disk_pause_share = 0
"""


def test_a_folder_with_only_a_plan_is_crawled_and_its_words_stay(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    with tiny_server({"/a": page(), "/b": page(), "/c": page()}) as tiny, gossamer.open(tmp_path) as web:
        text = MINE.replace("ORIGIN", tiny.origin)
        plan.write_text(text)
        assert web.crawl().pages == 1
        assert plan.read_text() == text
        plan.write_text(text.replace('"ORIGIN'.replace("ORIGIN", tiny.origin), f'"{tiny.origin}/b", "{tiny.origin}'))
        assert web.crawl().pages == 2
        assert web.crawl(f"{tiny.origin}/c", depth=4, order="depth").pages == 3
        after = plan.read_text()
    for words in ("# my own words", "# the first", "depth = 4 # not too deep", 'order = "depth"', f'"{tiny.origin}/c"'):
        assert words in after
    assert load(plan).depth == 4


def test_a_plan_of_an_editor_that_marks_its_files_is_read(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    with tiny_server({"/a": page()}) as tiny, gossamer.open(tmp_path) as web:
        plan.write_text(MINE.replace("ORIGIN", tiny.origin), encoding="utf-8-sig")
        assert web.crawl(depth=4).pages == 1
    assert "depth = 4 # not too deep" in plan.read_text(encoding="utf-8-sig")
    assert Folder(tmp_path).damage_of_plan() is None


def test_a_setting_is_written_where_its_default_stood(tmp_path: Path) -> None:
    text = dump(Plan()).replace("# Maximum number of links", "# mine too\n# Maximum number of links")
    new = edited(text, Plan(depth=7, include=("a",), logins={"b.test": ("cookie /c",)}), tmp_path)
    assert "# mine too\n# Maximum number of links between a seed and a page.\ndepth = 7\n" in new
    assert parse(new, tmp_path) == Plan(depth=7, include=("a",), logins={"b.test": ("cookie /c",)})
    back = edited(new, Plan(), tmp_path)
    assert parse(back, tmp_path) == Plan()
    assert "# mine too" in back


@pytest.mark.parametrize(
    ("before", "changed", "after"),
    [
        ("depth = 3  # mine\n", {"depth": 4}, "depth = 4  # mine\n"),
        ("# depth = 20\n", {"depth": 4}, "depth = 4\n"),
        ("include = ['/a', \"/b\",]# mine\n", {"include": ("/c",)}, 'include = ["/c"]# mine\n'),
        ('include = [\n  "/a",  # 1\n]\n', {"include": ("/a", "/c")}, 'include = [\n  "/a",  # 1\n  "/c",\n]\n'),
        ("[site_orders]\ndepth = 'random'\n", {"depth": 4}, None),
        ('contact = """\ndepth = 7"""\ndepth=7\n', {"depth": 4}, None),
        ('include = [\n  "/a, [",\n  "/b"  # two\n]\n', {"include": ("/a, [", "/b", "/c")}, None),
    ],
)
def test_a_setting_is_changed_where_it_stands(before: str, changed: dict[str, Any], after: str | None) -> None:
    plan = parse(before, Path("plan.toml")).changed(**changed)
    told = edited(before, plan, Path("plan.toml"))
    assert parse(told, Path("plan.toml")) == plan
    assert after is None or told == after
    assert "# two" in told or "# two" not in before


def test_a_large_plan_is_changed_without_reading_it_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """tomlkit takes seconds for a plan of some megabytes."""
    monkeypatch.setitem(sys.modules, "tomlkit", None)
    plan = Plan(seeds=tuple(f"https://site{number}.example/" for number in range(2_000)))
    text = dump(plan)
    for new in (plan.changed(depth=3, scope="domain"), plan.changed(seeds=(*plan.seeds, "https://one.more/"))):
        assert parse(edited(text, new, Path("plan.toml")), Path("plan.toml")) == new
    hostile = f"depth = [{'a' * 50_000}\n# {'include = [' * 5_000}\n"
    assert parse(edited(hostile, plan, Path("plan.toml")), Path("plan.toml")) == plan


def test_every_choice_stands_in_the_comment_of_its_setting() -> None:
    assert "# How far it goes from the seeds. One of page, path, host, domain, any.\n" in dump(Plan())


def test_a_delay_that_is_named_alone_is_that_of_hosts_and_of_addresses() -> None:
    """It was that of hosts alone, and `set delay=0.1` changed nothing that anybody could notice."""
    both = Plan().changed(delay=0.1)
    assert (both.delay, both.ip_delay) == (0.1, 0.1)
    two = both.changed(delay=3, ip_delay=0.2)
    assert (two.delay, two.ip_delay) == (3, 0.2)
    assert two.changed(ip_delay=1).delay == 3
    assert two.changed(depth=2).ip_delay == 0.2


def test_reading_verbs_do_not_load_what_only_writing_needs() -> None:
    code = (
        "import sys; from gossamer.cli import commands; import gossamer; gossamer.open; print('tomlkit' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("depth=3", {"depth": 3}),
        ("url-length=99", {"url_length": 99}),
        ("delay=0.5", {"delay": 0.5}),
        ("time=2h", {"time": 7200.0}),
        ("bytes=10k", {"bytes": 10_000}),
        ("build=false", {"build": False}),
        ("scope=any", {"scope": "any"}),
        ("include=", {"include": ()}),
        ("include=/a=b", {"include": ("/a=b",)}),
        ('include=["a", "b"]', {"include": ("a", "b")}),
        ('site_orders={ "a.test" = "depth" }', {"site_orders": {"a.test": "depth"}}),
        ("site_rules=", {"site_rules": {}}),
        ("allow-address=10.0.0.0/8", {"allow_addresses": ("10.0.0.0/8",)}),
        ("suffix=test", {"suffixes": ("test",)}),
    ],
)
def test_every_setting_can_be_set(given: str, expected: dict[str, object]) -> None:
    assert assigned([given]) == expected


def test_times_and_sizes_stand_in_a_plan_as_on_the_command_line(tmp_path: Path) -> None:
    place = tmp_path / "plan.toml"
    plan = parse('time = "1h30m"\nbytes = "10M"\n', place)
    assert (plan.time, plan.bytes) == (5_400.0, 10_000_000)
    for text, words in (('time = "soon"', "time: 'soon' is not a time, like 90"), ('depth = "3"', "depth is '3'")):
        with pytest.raises(InvalidPlan, match=words):
            parse(text, place)


def test_every_time_and_size_takes_a_unit(tmp_path: Path) -> None:
    times, sizes = ({name for name, setting in SETTINGS.items() if setting.unit == unit} for unit in "sB")
    assert times == {"time", "patience", "lease"} | named(("delay", "delay_longest", "_seconds"))
    assert sizes == {"bytes", "bandwidth", "memory", "disk_pause", "disk_stop"} | named(("_bytes", "_memory"), "budget")
    for name in times:
        assert assigned([f"{name}=1500ms"]) == {name: 1.5}
        assert getattr(parse(f'{name} = "2m"\n', tmp_path / "plan.toml"), name) == 120
    for name in sizes:
        assert assigned([f"{name}=2MiB"]) == {name: 2 << 20}
        assert getattr(parse(f'{name} = "32MiB"\n', tmp_path / "plan.toml"), name) == 32 << 20


def named(ends: tuple[str, ...], but: str = "-") -> set[str]:
    return {name for name in SETTINGS if name.endswith(ends) and not name.startswith(but)}


@pytest.mark.parametrize(
    ("text", "seconds"), [("0", 0.0), ("2", 2.0), (".5", 0.5), ("0.25s", 0.25), ("1.", 1.0), ("1 m", 60.0)]
)
def test_a_delay_is_written_as_people_do(text: str, seconds: float) -> None:
    assert parser("crawl").parse_args(["crawl", "w", "--delay", text]).delay == seconds


@pytest.mark.parametrize("text", ["-1", "2 weeks", "inf", "s", ".", "1..2"])
def test_a_delay_that_means_nothing_says_what_would(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser("crawl").parse_args(["crawl", "w", f"--delay={text}"])
    assert "is not a time, like 90, 0.5, 500ms" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("depht=3", "did you mean depth"),
        ("depth", "NAME=VALUE"),
        ("depth=deep", "a whole number"),
        ("delay=x", "a number"),
        ("build=maybe", "true or false"),
        ("include=[", "a list"),
        ("site_orders=x", "a table"),
        ("=", "no such setting"),
        ("no-build=yes", r"did you mean build=no\?"),
        ("max_pages=5", r"did you mean --pages\?"),
        ("timeout=5", r"did you mean --set total_seconds=SECONDS\?"),
        ("header=X: SECRET", "header: there is no such setting; --header is an option of crawl, and no setting$"),
        ("spoon=5", "`gossamer help --plan` lists them all"),
    ],
)
def test_what_cannot_be_set_says_why(given: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        assigned([given])


def test_a_list_of_the_plan_can_be_emptied(tmp_path: Path) -> None:
    folder = str(tmp_path / "web")
    with tiny_server({"/": page("/a"), "/a": page()}) as tiny:
        assert main(["crawl", folder, f"{tiny.origin}/", "--exclude", "/a", *QUICK]) == 0
        assert load(tmp_path / "web" / "plan.toml").exclude == ("/a",)
        assert main(["crawl", folder, "--set", "exclude=", "--set", "url_length=99"]) == 0
    plan = load(tmp_path / "web" / "plan.toml")
    assert (plan.exclude, plan.url_length) == ((), 99)
    with gossamer.open(folder) as web:
        assert web.status().pages == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["https://example.org/"], "the directory comes first"),
        (["example.org"], "`gossamer crawl my-web example.org`"),
        (["www.example.org/guide/", "--pages", "5"], "`gossamer crawl my-web www.example.org/guide/`"),
        (["DIR", "-"], "--seeds -"),
        (["DIR", "@urls.txt"], "--seeds urls.txt"),
        (["DIR", "FILE"], "--seeds FILE"),
        (["DIR", "--seeds", "nothing.txt"], "cannot be read"),
        (["DIR", "htttps//example.org/"], "write it as https://"),
        (["DIR", "http//example.org/"], "write it as https://"),
    ],
)
def test_what_is_no_seed_is_never_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    file = tmp_path / "urls.txt"
    file.write_text("http://127.0.0.1:9/\n")
    places = {"DIR": str(tmp_path / "web"), "FILE": str(file)}
    assert main(["crawl", *(places.get(each, each) for each in arguments)]) == 2
    said = capsys.readouterr().err
    assert words.replace("FILE", str(file)) in said
    assert "\n" not in said.strip()
    assert not (tmp_path / "web").exists()


@pytest.mark.parametrize("source", ["a file", "-"])
def test_seeds_come_from_a_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    with tiny_server({"/a": page(), "/b": page(), "/c": page()}) as tiny:
        lines = f"\ufeff{tiny.origin}/a\r\n# a comment\r\n\r\n  {tiny.origin}/b # another\n{tiny.origin}/c"
        (tmp_path / "urls.txt").write_bytes(lines.encode())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
        name = "-" if source == "-" else str(tmp_path / "urls.txt")
        assert main(["crawl", str(tmp_path / "web"), "--seeds", name, "--scope", "page", *QUICK]) == 0
    with gossamer.open(tmp_path / "web") as web:
        assert {each.url for each in web.pages()} == {f"{tiny.origin}/{letter}" for letter in "abc"}


@pytest.mark.parametrize("given", ["seeds=[1]", "include=[[[", f"include={'[' * 5_000}", f"logins={'{a=' * 5_000}"])
def test_a_list_of_something_else_is_no_setting(given: str) -> None:
    with pytest.raises(UsageError, match=r"is a (list|table)"):
        assigned([given])


def test_a_table_that_nobody_could_show_is_no_setting() -> None:
    with pytest.raises(UsageError, match="is a table"):
        assigned([f"site_orders={{{'a.' * 5_000}b=1}}"])


@pytest.mark.parametrize("given", ['logins={"a.test"=["header X: SECRET"]', 'login={"a.test"=["header X: SECRET"]}'])
def test_a_login_that_cannot_be_set_is_not_repeated(given: str) -> None:
    with pytest.raises(UsageError) as raised:
        assigned([given])
    assert "SECRET" not in str(raised.value)


def test_less_than_a_byte_is_a_limit() -> None:
    assert assigned(["bytes=0.4"]) == {"bytes": 1}
    assert assigned(["bytes=0"]) == {"bytes": 0}


def test_what_a_plan_cannot_hold_is_refused_before_it_is_written(tmp_path: Path) -> None:
    odds: tuple[dict[str, Any], ...] = (
        {"ca_file": "\udcff.pem"},
        {"include": ("\udce9",)},
        {"site_orders": {"\udcff": "depth"}},
    )
    for odd in odds:
        with pytest.raises(InvalidPlan, match="not UTF-8"):
            Plan(**odd)
    with pytest.raises(InvalidPlan, match="has an end"):
        Plan(connect_seconds=float("inf"))


@pytest.mark.parametrize("name", ["delay", "ip_delay", "delay_longest", "crawl_delay_longest"])
def test_a_host_rests_no_longer_than_there_are_dates(name: str) -> None:
    """A next visit beyond the calendar would be a row that nobody can read: the collection would be damaged."""
    for seconds in (1e308, 253_402_300_800.0, LONGEST + 1.0):
        with pytest.raises(InvalidPlan, match=f"^{name} is .*; it must be at most 31536000"):
            Plan(**{name: seconds})
    assert Plan(**{name: float(LONGEST)})


@pytest.mark.parametrize(
    "name", ["connect_seconds", "first_byte_seconds", "idle_seconds", "total_seconds", "document_seconds"]
)
def test_nothing_is_waited_for_longer_than_a_clock_can_count(name: str) -> None:
    """The timers of the system overflow: a crawl that was given 99999999999d for a connection died of it."""
    with pytest.raises(InvalidPlan, match=f"^{name} is .*; it must be at most 31536000$"):
        Plan(**{name: 99_999_999_999 * 86_400.0})
    assert Plan(**{name: float(LONGEST)})


def test_no_more_of_a_disk_can_be_free_than_all_of_it() -> None:
    """Such a crawl would wait for ever."""
    with pytest.raises(InvalidPlan, match=r"disk_pause_share is 5\.0; it must be at most 1$"):
        Plan(disk_pause_share=5.0)


def test_a_bound_is_named_to_the_last_digit() -> None:
    with pytest.raises(InvalidPlan, match=r"memory is 1; it must be at least 1048576$"):
        Plan(memory=1)


@pytest.mark.parametrize("sign", ["\U000e0001", "\x00", "\u200b", "😀", "\U0010ffff"])
def test_every_character_comes_back_from_a_plan(tmp_path: Path, sign: str) -> None:
    plan = Plan(exclude=(f"a{sign}b",), site_orders={sign: "depth"})
    assert parse(dump(plan), tmp_path) == plan


def test_a_list_of_seeds_without_lines_is_read_no_further_than_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Endless(io.RawIOBase):
        read_so_far = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            assert Endless.read_so_far < 10_000_000
            buffer[:] = bytes(len(buffer))
            Endless.read_so_far += len(buffer)
            return len(buffer)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Endless())))
    assert main(["crawl", str(tmp_path / "web"), "--seeds", "-"]) == 2
    assert "longer than any address" in capsys.readouterr().err


@pytest.mark.parametrize("between", [", ", ",\n  # mine\n  "])
def test_many_seeds_are_added_to_many_in_one_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, between: str) -> None:
    """To put them in one by one takes time by the square of their number: minutes for two full lists."""
    import tomlkit.items

    monkeypatch.delattr(tomlkit.items.Array, "insert")  # what every way to put in one goes by
    old, new = (tuple(f"http://{name}.test/{number}" for number in range(100)) for name in "ab")
    text = f"seeds = [{between.join(f'{toml(seed)}' for seed in old)}] # all\n"
    after = edited(text, Plan(seeds=old + new), tmp_path)
    assert parse(after, tmp_path).seeds == old + new
    assert "# all" in after
    assert after.count("# mine") == text.count("# mine")
