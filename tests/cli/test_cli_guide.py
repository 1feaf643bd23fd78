"""What a newcomer is shown, what a slip is answered with, and what a shell completes."""

from __future__ import annotations

import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import gossamer
from gossamer.cli import guide
from gossamer.cli.completion import SHELLS, script
from gossamer.cli.main import main
from gossamer.cli.options import parser
from gossamer.cli.options.parsers import Parser
from gossamer.plan import Plan, load
from gossamer.settings import SETTINGS
from harness import debian


def ended(words: list[str]) -> int | str | None:
    with pytest.raises(SystemExit) as end:
        main(words)
    return end.value.code


def test_every_command_stands_in_one_group() -> None:
    grouped = " ".join(guide.GROUPS.values()).split()
    assert len(grouped) == len(set(grouped))
    assert set(guide.verbs_of(parser())) <= set(grouped)
    for verb in guide.verbs_of(parser()):  # its name stands apart from what is said of it
        assert re.search(rf"\n  {verb}( {{2,}}|\n {{14}})\w", parser().format_help()), verb


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_no_line_of_a_help_is_longer_than_the_terminal_is_wide(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    top = parser()
    for each in (top, *guide.verbs_of(top).values()):
        told = each.format_help().splitlines()
        apart = re.compile(r"  gossamer |.*\{|\S.*:$")  # what is copied, a word without a gap, a title
        lines = [line for line in told if not apart.match(line)]
        assert max(map(len, lines)) < min(columns, 80), each.prog
    assert max(map(len, parser().format_help().splitlines())) > min(columns, 80) - 5


def test_a_newcomer_sees_six_commands_first() -> None:
    first = guide.GROUPS["begin with"].split()
    assert len(first) == 6
    assert parser().format_help().index("begin with:") < parser().format_help().index("collect:")


def test_an_empty_plan_to_begin_with_is_a_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "--plan"]) == 0
    path = tmp_path / "plan.toml"
    path.write_text(capsys.readouterr().out)
    assert load(path) == Plan()
    assert all(re.search(rf"\n(# {name} = |\[{name}\])", path.read_text()) for name in SETTINGS)


def test_without_a_command_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended([]) == 2
    assert capsys.readouterr().out == parser().format_help()


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("serach web x", "did you mean search?"),
        ("mirror web x", "did you mean crawl?"),
        ("crawl web a --pagse 3", "did you mean --pages?"),
        ("crawl web a --limit 3", "did you mean --pages?"),
        ("crawl web a --config f", "plan.toml"),
        ("build web --convrt", "did you mean --convert?"),
        ("build web --on-page f.py:about", "it is one of crawl; `gossamer set DIR on_page=...` puts it into the plan"),
        ("status web --diff", "--diff; status has no such option; history has"),
        ("crawl web a --output f", "`gossamer export DIR FORMAT -o FILE`"),
    ],
)
def test_a_slip_is_answered_with_what_was_meant(words: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(words.split()) == 2
    assert meant in capsys.readouterr().err


def test_what_nobody_can_guess_is_not_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(["\x1b[31mqqqq"]) == 2
    said = capsys.readouterr().err
    assert "did you mean" not in said
    assert "\x1b" not in said


def test_no_option_is_named_that_the_verb_does_not_have(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(["build", "web", "--pagse", "3"]) == 2
    assert "did you mean" not in capsys.readouterr().err


def test_help_says_what_the_option_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "search"]) == 0
    said = capsys.readouterr().out
    assert ended(["search", "--help"]) == 0
    assert capsys.readouterr().out.strip() == said.strip()
    assert main(["help", "serach"]) == 2
    assert "did you mean search?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "query"),
    [
        ("search web foreign key", ["foreign", "key"]),
        ("search web -draft report", ["-draft", "report"]),
        ("search web -news -n 3 now", ["-news", "now"]),
        ("search -n3 web -- --explain", ["--explain"]),
        ("search web one --explain -two", ["one", "-two"]),
    ],
)
def test_a_query_needs_no_quotes_and_may_begin_with_a_dash(words: str, query: list[str]) -> None:
    options = parser().parse_args(words.split())
    assert (options.dir, options.question) == ("web", query)
    assert options.number == (3 if "-n3" in words or "-n 3" in words else 10)


@pytest.mark.parametrize("number", ["0", "-3", "x"])
def test_a_number_of_hits_is_one_or_more(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(["search", "web", "x", "-n", number]) == 2
    assert "from 1 on" in capsys.readouterr().err


def test_the_manual_page_has_every_option_and_reads_without_a_warning() -> None:
    page = guide.manual(parser())
    for verb in guide.verbs_of(parser()).values():
        assert all(option.replace("-", r"\-") in page for option in guide.options_of(verb))
    if shutil.which("groff"):
        read = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, text=True, timeout=60, check=True
        )
        assert (read.stderr, bool(read.stdout)) == ("", True)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["hosts", "d"], "did you mean list --hosts?"),
        (["update", "d"], "did you mean crawl --revisit, or watch?"),
        (["man"], "did you mean help --man?"),
        (["crawl", "d", "--user-agent", "x"], "cannot be set; --contact adds whom they may ask"),
        (["crawl", "d", "--resume"], "leave it out: `gossamer crawl DIR` goes on by itself"),
        (["--verbose", "crawl", "d"], "options come after the command, as in `gossamer crawl DIR --verbose`"),
        (["version"], "`gossamer --version` tells it"),
        (["export", "d", "md"], "did you mean markdown?"),
        (["show", "d", "a.test", "--as", "md"], "did you mean markdown?\n`gossamer help show` lists its options\n"),
        (["crawl", "d", "--pages", "many"], "'many' is not a whole number"),
        (["crawl", "d", "--timeout", "5"], "did you mean --set total_seconds=SECONDS?"),
        (["crawl", "d", "a.test", "--no-parent"], "did you mean --scope path?"),
        (["crawl", "d", "a.test", "--limit-rate", "1"], "did you mean --bandwidth?"),
        (["crawl", "d", "a.test", "--jobs", "4"], "did you mean --workers, or --per-host?"),
        (["crawl", "d", "a.test", "--insecure"], "did you mean --ca-file FILE"),
        (["crawl", "d", "a.test", "-r"], "did you mean --depth N"),
        (["crawl", "d", "a.test", "--output", "x"], "`gossamer export DIR FORMAT -o FILE` writes what was collected"),
        (["crawl", "d", "a.test", "-o", "x"], "`gossamer export DIR FORMAT -o FILE` writes what was collected"),
    ],
)
def test_words_of_other_programs_are_answered_with_ours(
    words: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(words) == 2
    assert hint in capsys.readouterr().err


@pytest.mark.parametrize("listed", ["'text', 'markdown'", "text, markdown"], ids=["Python 3.11", "Python 3.13"])
def test_a_slip_in_a_choice_is_answered_however_python_lists_the_choices(
    listed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        Parser(prog="gossamer show").error(f"argument --as: invalid choice: 'md' (choose from {listed})")
    assert "did you mean markdown?" in capsys.readouterr().err


def test_what_was_left_out_or_stands_in_another_place_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(*words: str) -> str:
        assert ended([*words]) == 2
        return capsys.readouterr().err

    monkeypatch.chdir(tmp_path)
    assert "FORMAT is one of jsonl, " in said("export", "web", "-o", "x")
    assert "did you mean --set, or the file plan.toml" in said("crawl", "web", "--plan", "my.toml")
    assert "in a collection" not in said("status")
    (tmp_path / "web" / "shards").mkdir(parents=True)
    (tmp_path / "web" / "plan.toml").touch()
    assert "the directory comes after it, as in `gossamer alert ACTION web`" in said("alert", "web", "add", "x", "y")
    monkeypatch.chdir("web")
    assert "you are in a collection, whose name is . here, as in `gossamer status .`" in said("status")
    assert "as in `gossamer search . QUERY`" in said("search", "words")


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_gets_every_verb_and_option(shell: str) -> None:
    said = script(shell, parser())
    for name, verb in guide.verbs_of(parser()).items():
        assert name in said
        assert all(option.lstrip("-") in said for option in guide.options_of(verb))


def test_the_shell_is_guessed_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    assert main(["completion"]) == 0
    assert capsys.readouterr().out == script("fish", parser())
    monkeypatch.setenv("SHELL", "/bin/dash")
    assert main(["completion"]) == 2
    assert "name one of bash, zsh, fish" in capsys.readouterr().err


def test_help_says_what_else_is_needed() -> None:
    verbs = guide.verbs_of(parser())
    assert "pip install '.[mcp]'" in " ".join(verbs["mcp"].format_help().split())
    assert "docs/mcp.md" in " ".join(verbs["mcp"].format_help().split())
    assert "/api/v1/openapi.json" in verbs["serve"].format_help()
    assert "~/.bashrc" in verbs["completion"].format_help()


def test_the_manual_page_is_made_where_nothing_is_installed() -> None:
    """A wheel is built so."""
    program = "from gossamer.cli import guide, options; print(guide.manual(options.parser()), end='')"
    bare = [sys.executable, "-S", "-c", program]
    environment = {**os.environ, "PYTHONPATH": str(Path(gossamer.__file__).parents[1])}
    told = subprocess.run(bare, capture_output=True, text=True, timeout=60, check=True, env=environment)
    assert told.stdout == guide.manual(parser())


COMPLETED = [
    ("sea", "search"),
    ("crawl d --rev", "--revisit"),
    ("crawl d --scope do", "domain"),
    ("export d par", "parquet"),
    ("help cra", "crawl"),
    ("completion z", "zsh"),
    ("alert re", "remove"),
    ("list d --state exc", "excluded"),
    ("set d path_s", "path_segments="),
    ("crawl d --set url_l", "url_length="),
]


@pytest.mark.parametrize(("words", "completed"), COMPLETED)
def test_fish_completes(words: str, completed: str, tmp_path: Path) -> None:
    debian.program("fish")
    file = tmp_path / "gossamer.fish"
    file.write_text(script("fish", parser()))
    program = f"source {file}; complete -C 'gossamer {words}'"
    told = subprocess.run(
        ["fish", "-N", "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    assert ([line.split("\t")[0] for line in told.stdout.splitlines()], told.stderr) == ([completed], "")


def test_zsh_completes_what_is_typed(tmp_path: Path) -> None:
    debian.program("zsh")
    (tmp_path / "gossamer.zsh").write_text(script("zsh", parser()))
    environment = {**os.environ, "HOME": str(tmp_path), "ZDOTDIR": str(tmp_path), "TERM": "dumb", "PS1": ""}
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(tmp_path)
        os.execvpe("zsh", ["zsh", "-f", "-i"], environment)
    try:
        os.write(terminal, b"source gossamer.zsh; echo LOA''DED\n")
        seen_on(terminal, "LOADED")
        for words, completed in COMPLETED:
            *_, part = words.split()
            os.write(terminal, f"gossamer {words}\t".encode())
            assert part != completed
            seen_on(terminal, words.removesuffix(part) + completed)
            os.write(terminal, b"\x15")  # away with the line
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(terminal)


def seen_on(terminal: int, words: str) -> None:
    """Wait until it stands there."""
    shown, until = "", time.monotonic() + 60
    while words not in shown:
        assert time.monotonic() < until, shown
        if select.select([terminal], [], [], 1.0)[0]:
            shown += os.read(terminal, 65_536).decode(errors="replace")


def in_bash(words: str, folder: Path) -> list[str]:
    """What is offered in the place of the last of the words."""
    debian.program("bash")
    place = len(shlex.split(words))
    asked = f"COMP_WORDS=(gossamer {words}); COMP_CWORD={place}; _gossamer; echo ${{COMPREPLY[@]}}"
    program = f"{script('bash', parser())}\n{asked}"
    found = subprocess.run(["bash", "-c", program], capture_output=True, text=True, timeout=60, check=True, cwd=folder)
    assert found.stderr == ""
    return found.stdout.split()


@pytest.mark.parametrize(("words", "completed"), COMPLETED)
def test_bash_completes(words: str, completed: str) -> None:
    assert in_bash(words, Path("/")) == [completed]


def test_a_format_is_offered_where_one_is_wanted_and_a_file_where_that_is(tmp_path: Path) -> None:
    for name in ("my-web", "parquet-notes"):
        (tmp_path / name).mkdir()
    assert in_bash("export pa", tmp_path) == ["parquet-notes"]
    assert in_bash("export my-web par", tmp_path) == ["parquet"]
    assert "parquet-notes" not in in_bash("export my-web ''", tmp_path)
    assert in_bash("export my-web parquet -o pa", tmp_path) == ["parquet-notes"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("status http://127.0.0.2:8802/", "http://127.0.0.2:8802/: is an address, and the directory comes first"),
        ("crawl http://a.test/", "as in `gossamer crawl my-web http://a.test/`"),
        ("why https://a.test/ https://a.test/", "as in `gossamer why my-web https://a.test/`"),
        ("search http://a.test/ river", "as in `gossamer search my-web QUERY`"),
        ("export http://a.test/ jsonl", "as in `gossamer export my-web FORMAT`"),
    ],
)
def test_an_address_in_the_place_of_the_directory_is_named_as_that(
    words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words.split()) == 2
    assert said in capsys.readouterr().err


def test_who_forgets_the_directory_is_told_that_it_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["search", "river"])
    assert "QUERY; the directory of the collection comes first, as in `gossamer search DIR QUERY`" in (
        capsys.readouterr().err
    )
