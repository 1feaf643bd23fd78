"""What a stranger's plan opens is asked about; one's own collections are crawled as ever."""

from __future__ import annotations

import io
import os
import re
import shutil
import stat
from pathlib import Path

import pytest

import gossamer
from gossamer.cli import crawling
from gossamer.cli.main import main
from gossamer.collection import Outside, trust
from gossamer.collection.folder import Folder
from gossamer.errors import UsageError
from gossamer.plan import Plan
from gossamer.settings import SETTINGS
from gossamer.testing import MadeWeb, VirtualClock, WebSpec

OPENING = {"proxy": "http://10.0.0.1:3128", "allow_addresses": ("10.0.0.0/8",)}


class Crawls:
    """Crawls of a made web, whose clock is virtual."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.web = MadeWeb(WebSpec(seed=1, hosts=1, pages=3), clock=self.clock)

    def __call__(self, folder: Path, *seeds: str, **settings: object) -> int:
        outside = Outside(self.clock, self.web.fetch)
        with gossamer.open(folder) as collection:
            return self.clock.run(collection.crawl_async(*seeds, outside=outside, **settings)).pages  # type: ignore[arg-type]  # settings of any kind


@pytest.fixture
def crawl() -> Crawls:
    return Crawls()


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "mine"))


@pytest.fixture
def strange(tmp_path: Path, crawl: Crawls, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A collection that somebody else has made."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "theirs"))
    crawl(tmp_path / "web", crawl.web.seed, **OPENING)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "mine"))
    return tmp_path / "web"


def test_what_a_strangers_plan_opens_is_not_believed(strange: Path, crawl: Crawls) -> None:
    asked, plan = len(crawl.web.log.entries), (strange / "plan.toml").read_bytes()
    for _ in range(2):
        with pytest.raises(UsageError, match=r'allow_addresses = \["10.0.0.0/8"\], proxy = "http.*--trust-plan'):
            crawl(strange, revisit=True)
    assert len(crawl.web.log.entries) == asked
    assert (strange / "plan.toml").read_bytes() == plan


def test_links_are_checked_by_a_strangers_plan_once_that_is_right(
    strange: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["broken", str(strange), "--external"]) == 2
    assert "--trust-plan" in capsys.readouterr().err
    assert main(["broken", str(strange), "--external", "--trust-plan"]) == 0


@pytest.mark.parametrize("engine", ["local", "ray"])
def test_a_strangers_store_is_asked_by_nobody(
    engine: str, strange: Path, crawl: Crawls, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its address would get a request that is signed with the keys of whoever looks."""
    plan = strange / "plan.toml"
    plan.write_text(f'engine = "{engine}"\nstore = "s3://theirs/x"\n' + plan.read_text())
    monkeypatch.setattr("gossamer.depot.depot.opened", lambda url: pytest.fail(f"{url} was opened"))
    with pytest.raises(UsageError, match=r'store = "s3://theirs/x".*--trust-plan'):
        crawl(strange)
    with gossamer.open(strange) as web:
        assert web.status().pages
    assert ("is not asked" in caplog.text) == (engine == "ray")


def test_a_strangers_plan_sends_no_work_to_its_cluster(strange: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = strange / "plan.toml"
    plan.write_text(f'engine = "ray://10.0.0.1:10001"\nstore = "{strange.parent / "store"}"\n' + plan.read_text())
    monkeypatch.setattr("gossamer.collection.crawl.cluster.check", lambda plan: None)  # which wants Ray
    monkeypatch.setattr(
        "gossamer.collection.derive.cluster_build.build", lambda job, report: pytest.fail("it was sent there")
    )
    with pytest.raises(UsageError, match=r"engine = "), gossamer.open(strange) as web:
        web.build()


def test_a_yes_is_remembered(strange: Path, crawl: Crawls) -> None:
    assert crawl(strange, trust_plan=True)
    assert crawl(strange)


def test_options_that_are_given_are_the_users(strange: Path, crawl: Crawls) -> None:
    with pytest.raises(UsageError, match="proxy") as caught:
        crawl(strange, allow_addresses=("10.0.0.0/8",))
    assert "allow_addresses" not in str(caught.value)
    assert crawl(strange, **(OPENING | {"proxy": ""}))
    assert crawl(strange)


def test_ones_own_collection_is_never_asked_about(tmp_path: Path, crawl: Crawls) -> None:
    crawl(tmp_path / "web", crawl.web.seed)
    crawl(tmp_path / "web", **OPENING)
    assert crawl(tmp_path / "web")
    (tmp_path / "web").rename(tmp_path / "moved")
    plan = (tmp_path / "moved" / "plan.toml").read_text()
    (tmp_path / "moved" / "plan.toml").write_text(re.sub(r"(?m)^# (ca_file =).*", r'\1 "/etc/hosts"', plan))
    assert crawl(tmp_path / "moved")


def test_a_plan_that_was_written_for_a_first_crawl_is_the_users(tmp_path: Path, crawl: Crawls) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "plan.toml").write_text('allow_addresses = ["10.0.0.0/8"]\n')
    assert crawl(tmp_path / "web", crawl.web.seed)
    assert crawl(tmp_path / "web")


@pytest.mark.parametrize(
    "line",
    ['on_page = "/nowhere/evil.py:function"', '[logins]\n"example.org" = ["header X: $SECRET"]'],
    ids=["code", "logins"],
)
def test_an_import_into_a_plan_that_sends_or_runs_something_asks_first(tmp_path: Path, line: str) -> None:
    folder = tmp_path / "plan-only"
    folder.mkdir()
    (folder / "plan.toml").write_text(f"{line}\n")
    (tmp_path / "x.warc").write_bytes(b"WARC/1.1\r\n")
    with gossamer.open(folder) as web:
        for _ in range(2):
            with pytest.raises(UsageError, match="--trust-plan"):
                web.import_files(tmp_path / "x.warc")


def test_a_strangers_collection_that_opens_nothing_is_crawled(strange: Path, crawl: Crawls) -> None:
    Folder(strange).save_plan(Folder(strange).load_plan().changed(proxy="", allow_addresses=()))
    assert crawl(strange)
    assert crawl(strange, **OPENING)
    assert crawl(strange)


def test_two_collections_of_one_name_are_two(strange: Path, crawl: Crawls, tmp_path: Path) -> None:
    """A harmless one that was crawled must not speak for the other."""
    other = tmp_path / "other"
    shutil.copytree(strange, other)
    Folder(other).save_plan(Folder(other).load_plan().changed(proxy="", allow_addresses=()))
    assert crawl(other)
    with pytest.raises(UsageError, match="--trust-plan"):
        crawl(strange)


def test_a_collection_without_a_name_is_a_strangers(strange: Path, crawl: Crawls) -> None:
    for make in (lambda path: path.unlink(), lambda path: path.write_text("../../x")):
        make(strange / "id")
        with pytest.raises(UsageError, match="--trust-plan"):
            crawl(strange)


def test_where_nothing_can_be_remembered_it_is_said_in_one_line(
    strange: Path, crawl: Crawls, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "mine").write_text("a file, where a folder would be needed")
    assert crawl(strange)
    assert len([each for each in caplog.messages if "10.0.0.1:3128" in each]) == 1


def test_who_sits_at_a_terminal_is_asked_once(
    strange: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    agreed = []
    monkeypatch.setattr(crawling, "_crawl", lambda *given: agreed.append(given[2]) or exit(3))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    for answer in ("n\n", "", "y\n"):
        monkeypatch.setattr("sys.stdin", Terminal(answer))
        with pytest.raises(SystemExit):
            main(["crawl", str(strange)])
    assert agreed == [False, False, True]
    said = capsys.readouterr().err
    assert said.count('proxy = "http://10.0.0.1:3128". Use that? [y/N]') == said.count("[y/N]") == 3
    assert "remove" not in said


def test_a_plan_with_a_password_is_closed_and_says_it_to_nobody(tmp_path: Path, crawl: Crawls) -> None:
    old = os.umask(0o022)
    try:
        folder = Folder(tmp_path)
        folder.save_plan(Plan())
        assert stat.S_IMODE(folder.plan_file.stat().st_mode) == 0o644
        folder.save_plan(Plan(proxy="http://me:secret@proxy:1"))
        assert stat.S_IMODE(folder.plan_file.stat().st_mode) == 0o600
        folder.save_plan(Plan())
        assert stat.S_IMODE(folder.plan_file.stat().st_mode) == 0o600, "what its owner has closed stays closed"
    finally:
        os.umask(old)
    crawl(tmp_path / "web", crawl.web.seed, proxy="http://me:secret@proxy:1")
    (tmp_path / "web" / "id").unlink()
    with pytest.raises(UsageError, match="http://proxy:1") as caught:
        crawl(tmp_path / "web")
    assert "secret" not in str(caught.value)


# ------------------------------------------------------------------------ which settings


HARMLESS = {"seeds", "include", "exclude", "suffixes", "contact", "keep", "url_rules", "site_rules", "site_orders"}
"""Settings of free text that name nothing of this machine: whoever adds one decides whether it is one of these."""


def test_what_may_name_a_file_or_a_place_is_asked_about() -> None:
    free = {name for name, each in SETTINGS.items() if not isinstance(each.default, int | float) and not each.choices}
    assert free - HARMLESS <= set(trust.OPENING)
    assert set(trust.PERSONAL) <= set(trust.OPENING)


def test_the_documentation_lists_what_is_asked_about() -> None:
    text = (Path(__file__).parents[2] / "docs" / "security.md").read_text()
    listed = re.findall(r"(?m)^\| `(\w+)` \| (.*) \|$", text.partition("not believed unasked:")[2])
    assert listed == [(name, SETTINGS[name].opens) for name in trust.OPENING]


def test_no_file_is_read_for_a_strangers_topic(strange: Path, crawl: Crawls, tmp_path: Path) -> None:
    diary = tmp_path / "diary.txt"
    diary.write_text("My diary: swordfish and quetzalcoatl belong to the bank account.")
    Folder(strange).save_plan(Folder(strange).load_plan().changed(proxy="", allow_addresses=(), topic=str(diary)))
    with pytest.raises(UsageError, match=r"topic = .*diary.txt.*--trust-plan"):
        crawl(strange)
    assert not (strange / "topic.json").exists()


# ------------------------------------------------------------------------ what is known


def own(path: Path) -> Folder:
    """A collection that was made here."""
    (path / "shards" / "00" / "table").mkdir(parents=True)
    trust.remember(Folder(path))
    return Folder(path)


def known(folder: Path) -> list[str]:
    return (folder / "gossamer" / "collections").read_text().split()


def test_only_what_opens_something_and_was_not_given_is_asked_about(tmp_path: Path) -> None:
    (tmp_path / "web" / "shards" / "00" / "table").mkdir(parents=True)
    folder, plan = Folder(tmp_path / "web"), Plan(proxy="http://me:secret@p:1", ca_file="/a", delay=9.0)
    assert trust.unconfirmed(folder, plan, ()) == {"proxy": '"http://p:1"', "ca_file": '"/a"'}
    assert trust.unconfirmed(folder, plan, ("proxy",)) == {"ca_file": '"/a"'}
    assert trust.unconfirmed(folder, Plan(delay=9.0), ()) == {}
    assert trust.unconfirmed(own(tmp_path / "own"), plan, ()) == {}
    assert trust.unconfirmed(Folder(tmp_path / "nothing crawled yet"), plan, ()) == {}
    with pytest.raises(UsageError, match='proxy = "http://p:1", ca_file = "/a"; if that is right'):
        trust.require(folder, plan, {}, trusted=False)
    trust.require(folder, plan, {}, trusted=True)
    trust.require(folder, Plan(), {}, trusted=False)


def test_each_collection_has_a_random_name_that_only_its_owner_may_read(tmp_path: Path) -> None:
    own(tmp_path / "one")
    own(tmp_path / "two")
    names = [(tmp_path / each / "id").read_text() for each in ("one", "two")]
    assert known(tmp_path / "mine") == [name.strip() for name in names]
    assert all(re.fullmatch(r"[0-9a-f]{32}\n", name) for name in names)
    assert names[0] != names[1]
    for each in ("one/id", "mine/gossamer/collections"):
        assert stat.S_IMODE((tmp_path / each).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "mine" / "gossamer").stat().st_mode) == 0o700


def test_one_that_is_known_keeps_its_name_and_a_strangers_gets_a_new_one(tmp_path: Path) -> None:
    folder = own(tmp_path / "web")
    name = (folder.path / "id").read_text()
    trust.remember(folder)
    assert (folder.path / "id").read_text() == name
    assert known(tmp_path / "mine") == [name.strip()]
    (tmp_path / "mine" / "gossamer" / "collections").unlink()
    trust.remember(folder)
    assert (folder.path / "id").read_text() != name


def test_where_nothing_can_be_remembered_a_name_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = own(tmp_path / "web")
    name = (folder.path / "id").read_text()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    trust.remember(folder)
    assert (folder.path / "id").read_text() == name


@pytest.mark.parametrize("state", ["", "not/absolute"])
def test_it_is_remembered_where_the_users_programs_keep_such_things(
    state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", state)
    own(tmp_path / "web")
    assert len(known(tmp_path / "home" / ".local" / "state")) == 1


@pytest.mark.parametrize("made", ["a plan alone", "a collection"])
def test_what_is_said_of_a_plan_alone_is_true_of_it(made: str, tmp_path: Path, strange: Path, crawl: Crawls) -> None:
    """It was said to be made by somebody else, to whoever had just written it."""
    folder = strange if made == "a collection" else tmp_path / "mine-alone"
    folder.mkdir(exist_ok=True)
    (folder / "plan.toml").write_text(f'seeds = ["{crawl.web.seed}"]\n[logins]\n"a.test" = ["header X: $A"]\n')
    words = {
        "a plan alone": r"plan\.toml: was written before any crawl, perhaps by somebody else, and has logins = .*plan",
        "a collection": "web: was made by somebody else or elsewhere, and its plan has logins = ",
    }
    with pytest.raises(UsageError, match=words[made]):
        crawl(folder)
