"""The plan is not the only record of what a collection is: losing it hides nothing, and it can be written again."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import gossamer
from gossamer.cli.main import main
from gossamer.collection import Collection, Outside
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.shard_identity import of
from gossamer.collection.folder import Folder
from gossamer.errors import Damaged, InvalidPlan
from gossamer.frontier.entries import META
from gossamer.plan import Plan, dump, load
from gossamer.store.table.table import Table
from gossamer.testing import MadeWeb, VirtualClock, WebSpec

SPEC = WebSpec(seed=3, hosts=2, pages=6)


def crawled(path: Path) -> Path:
    clock = VirtualClock()
    web = MadeWeb(SPEC, clock=clock)
    with gossamer.open(path) as collection:
        clock.run(collection.crawl_async(web.seed, scope="any", delay=2.5, outside=Outside(clock, web.fetch)))
    return path


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("sound") / "web")


@pytest.fixture
def web(sound: Path, tmp_path: Path) -> Path:
    shutil.copytree(sound, tmp_path / "web")
    return tmp_path / "web"


def emptied(plan: Path) -> None:
    plan.write_text("")


def halved(plan: Path) -> None:
    plan.write_bytes(plan.read_bytes()[: plan.stat().st_size // 2])


def scrambled(plan: Path) -> None:
    plan.write_bytes(bytes(range(256)))


def foreign(plan: Path) -> None:
    plan.write_text("this is no plan")


def replaced(plan: Path) -> None:
    plan.unlink()
    plan.mkdir()


@pytest.mark.parametrize("damage", [emptied, halved, scrambled, foreign, replaced, Path.unlink])
def test_a_plan_that_is_lost_stops_all_verbs_and_is_written_again(
    web: Path, damage: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    before = gossamer.open(web).plan
    damage(web / "plan.toml")
    with gossamer.open(web) as collection:
        for writing in (collection.crawl, collection.build):
            with pytest.raises(Damaged, match="--repair"):
                writing()
    for verb in ("status", "verify", "search"):
        assert main([verb, str(web), *(["word"] if verb == "search" else [])]) == Damaged.exit_code, verb
        said = capsys.readouterr().err.strip().splitlines()
        assert len(said) == 1, said
        assert "--repair" in said[0]
    assert main(["verify", str(web), "--repair"]) == 0
    assert gossamer.open(web).plan == before
    assert main(["verify", str(web)]) == 0
    with gossamer.open(web) as collection:
        assert collection.status().pages > 1


def test_a_slip_in_a_plan_is_the_users_to_mend_and_goes_with_a_repair_too(web: Path) -> None:
    before, plan = gossamer.open(web).plan, web / "plan.toml"
    plan.write_text(f"= =\n{plan.read_text()}")
    with gossamer.open(web) as collection:
        with pytest.raises(InvalidPlan, match="line 1"):
            collection.status()
        assert collection.repair().left == ()
        assert collection.plan == before


def test_without_any_copy_the_seeds_are_known_from_what_was_fetched(web: Path) -> None:
    before = gossamer.open(web).plan
    with Table.open(Folder(web).table(0), FAMILIES, writable=True) as table:
        table.delete(META, b"imprint")
        table.commit()
    (web / "plan.toml").unlink()
    with gossamer.open(web) as collection:
        assert collection.repair().left == ()
        assert collection.plan.seeds == before.seeds


@pytest.mark.parametrize("shards", [2, 3])
def test_a_plan_with_another_number_of_shards_than_were_made_is_damage(web: Path, shards: int) -> None:
    plan = web / "plan.toml"
    plan.write_text(plan.read_text().replace("shards = 1", f"shards = {shards}"))
    clock = VirtualClock()
    with gossamer.open(web) as collection:
        with pytest.raises(Damaged, match="--repair"):
            collection.status()
        with pytest.raises(Damaged, match="--repair"):
            clock.run(collection.crawl_async(outside=Outside(clock, MadeWeb(SPEC, clock=clock).fetch)))
        assert not (web / "shards" / "01").exists()
        assert collection.repair().left == ()
        assert collection.plan.shards == 1


def test_more_shards_than_there_can_be_cost_no_look_at_each_and_go_with_a_repair(web: Path) -> None:
    before, plan = gossamer.open(web).plan, web / "plan.toml"
    plan.write_text(plan.read_text().replace("shards = 1", "shards = 2000000000"))
    with gossamer.open(web) as collection:
        for verb in (collection.status, collection.verify, collection.crawl):
            with pytest.raises(InvalidPlan, match=r"shards is 2000000000; it must be at most 1024; .*--repair"):
                verb()
        assert collection.repair().left == ()
        assert collection.plan == before
        assert collection.status().pages > 1


@pytest.mark.parametrize("number", ["1025", "2000000000", f"0x{'f' * 5_000}"])
def test_a_new_folder_is_not_filled_with_shards(
    tmp_path: Path, number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "plan.toml").write_text(f"shards = {number}")
    assert main(["crawl", str(tmp_path), "http://127.0.0.1:9/"]) == InvalidPlan.exit_code
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "shards").exists()


QUOTED = "'a'."


@pytest.mark.parametrize(
    "line",
    [
        f"include = {'[' * 5_000}",
        f"include = {'[' * 5_000}{']' * 5_000}",
        f"site_rules.{'.'.join('a' * 50_000)} = 1",
        f"[{'a . ' * 50_000}a]",
        f"include = [{{{QUOTED * 50_000}a = 1}}]",
        f"depth = {'9' * 5_000}",
        f"depth = -{'9' * 5_000}",
        f"depth = 0x{'f' * 5_000}",
        f"include = 0x{'f' * 5_000}",
        f"include = [0x{'f' * 5_000}]",
    ],
    ids=lambda line: f"{line[:14]}...{line[-3:]}",
)
def test_a_plan_that_is_too_much_for_its_reader_is_one_line_and_goes_with_a_repair(
    web: Path, tmp_path: Path, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    new, before, plan = tmp_path / "new", gossamer.open(web).plan, web / "plan.toml"
    new.mkdir()
    (new / "plan.toml").write_text(line)
    plan.write_text(f"{line}\n{plan.read_text()}")
    for verb in (["crawl", str(new), "http://127.0.0.1:9/"], ["status", str(web)], ["verify", str(web)]):
        assert main(verb) == InvalidPlan.exit_code, verb
        said = capsys.readouterr().err
        assert said.count("\n") == 1, said
        assert len(said) < 500, said
    with gossamer.open(web) as collection:
        assert collection.repair().left == ()
        assert collection.plan == before


def test_a_shard_knows_which_one_it_is(web: Path) -> None:
    with Table.open(Folder(web).table(0), FAMILIES, writable=False) as table:
        found = of(table)
    assert found is not None
    assert (found.shard, found.shards) == (0, 1)
    (web / "shards" / "00").rename(web / "shards" / "01")
    shutil.copytree(web / "shards" / "01", web / "shards" / "00")
    with gossamer.open(web) as collection, pytest.raises(Damaged, match="--repair"):
        collection.status()


def test_the_copy_of_the_plan_holds_no_password(tmp_path: Path) -> None:
    plan = Collection(tmp_path).plan.changed(proxy="http://me:secret@proxy:1")
    from gossamer.collection.crawl import shard_identity

    with Table.open(tmp_path / "table", FAMILIES, writable=True) as table:
        shard_identity.leave(table, 0, plan)
        found = shard_identity.of(table)
    assert found is not None
    assert "secret" not in found.plan
    assert "http://proxy:1" in found.plan


def test_a_plan_is_on_the_disk_before_anything_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (synced.append(os.readlink(f"/proc/self/fd/{file}")), real(file)))
    folder = Folder(tmp_path)
    folder.save_plan(folder.load_plan())
    assert synced == [str(tmp_path / "plan.toml.partial"), str(tmp_path)]


def test_a_first_crawl_that_was_killed_before_its_plan_was_there_can_be_begun_again(tmp_path: Path) -> None:
    Folder(tmp_path / "web").create()
    Folder(tmp_path / "web").make_shards(2)
    (tmp_path / "web" / "lock").touch()
    with gossamer.open(crawled(tmp_path / "web")) as collection:
        assert collection.status().pages > 1


def test_a_folder_in_the_place_of_the_lock_is_named_and_put_aside(
    web: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (web / "lock").unlink()
    (web / "lock").mkdir()
    assert main(["verify", str(web)]) == Damaged.exit_code
    assert "--repair" in capsys.readouterr().err
    assert main(["verify", str(web), "--repair"]) == 0
    assert (web / "lock").is_file()


def test_a_slip_is_said_in_words_with_what_may_be_meant() -> None:
    assert Plan(allow_addresses=["127.0.0.1"]) == Plan(allow_addresses=("127.0.0.1",))
    with pytest.raises(InvalidPlan, match="unknown setting dpeth; perhaps depth is meant"):
        Plan().changed(dpeth=3)
    for option, meant in (("no_build", "build = false"), ("allow_address", "allow_addresses"), ("suffix", "suffixes")):
        with pytest.raises(InvalidPlan, match=f"unknown setting {option}; perhaps {meant} is meant"):
            Plan().changed(**{option: ("a",)})
    with pytest.raises(InvalidPlan, match="unknown setting revisit; `gossamer"):  # an option that is no setting
        Plan().changed(revisit=True)
    with pytest.raises(InvalidPlan, match=r"by credentials=gossamer\.Credentials\(headers=\.\.\.\)"):
        Plan().changed(headers={"X-Key": "hush"})
    for slip, words in [
        ({"delay": "fast"}, "a number, like 1"),
        ({"include": 7}, r"a list of texts, like \[\"one\", "),
    ]:
        with pytest.raises(InvalidPlan, match=words):
            Plan().changed(**slip)


@pytest.mark.parametrize("line", ["depth = 3", "dpeth = 3", 'contact = "me@example.org"'])
def test_a_setting_below_the_last_table_is_told_where_settings_stand(tmp_path: Path, line: str) -> None:
    (tmp_path / "plan.toml").write_text(f"{dump(Plan())}{line}\n")
    with pytest.raises(InvalidPlan, match=r"plan\.toml: logins of .* a setting stands above the first \[table\]"):
        load(tmp_path / "plan.toml")


def test_rules_of_a_site_are_a_list(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text('[site_rules]\n"127.0.0.2" = "tracking"\n')
    with pytest.raises(InvalidPlan, match=r"site_rules has 'tracking' for 127\.0\.0\.2; it must be a list of rules"):
        load(tmp_path / "plan.toml")


def test_a_table_that_is_there_already_is_not_begun_again(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(f'{dump(Plan())}[site_orders]\n"example.org" = "depth"\n')
    with pytest.raises(InvalidPlan, match="it is in the file already, so write below its line"):
        load(tmp_path / "plan.toml")


@pytest.mark.parametrize(
    "given", ["/guide/", ["/guide/"], ("/guide/",), {"/guide/"}, (each for each in ["/guide/"]), {"/guide/": 1}.keys()]
)
def test_a_program_gives_a_list_as_it_likes(given: object) -> None:
    assert Plan().changed(include=given).include == ("/guide/",)


def test_a_program_gives_tables_and_files_as_it_likes() -> None:
    plan = Plan().changed(site_rules={"example.org": ["tracking"], "example.net": "tracking"}, ca_file=Path("/ca.pem"))
    assert plan.site_rules == {"example.org": ("tracking",), "example.net": ("tracking",)}
    assert plan.ca_file == "/ca.pem"


@pytest.mark.parametrize(
    ("name", "like"),
    [
        ("seeds", '["https://example.org/"]'),
        ("exclude", '["one", "another"]'),
        ("contact", '"a text"'),
        ("logins", "[logins]"),
    ],
)
def test_what_is_of_another_kind_is_answered_with_an_example(name: str, like: str) -> None:
    """It was the default, which is empty."""
    with pytest.raises(InvalidPlan, match=re.escape(f", like {like}")):
        Plan(**{name: 7})


@pytest.mark.parametrize("given", [7, None, b"/guide/", [7], {"/guide/": "no"}, [["/guide/"]]])
def test_what_is_no_list_of_texts_is_named(given: object) -> None:
    with pytest.raises(InvalidPlan, match=r"include is .*; it must be a list of texts"):
        Plan().changed(include=given)
