"""The documentation is held to the code: nothing is missing from it, and what it shows works."""

from __future__ import annotations

import argparse
import ast
import dataclasses
import re
import shlex
from pathlib import Path

import pytest

import floor_plan
from documentation import GUIDE, PAGES, ROOT, anchors, blocks, links, page, table_rows
from gossamer import errors
from gossamer.cli.main import command
from gossamer.cli.options import parser
from gossamer.collection import Document, Progress, Status
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.documents import FIELDS
from gossamer.plan import Plan, dump
from gossamer.urls import RULES

SOURCE = ROOT / "src" / "gossamer"


def commands() -> dict[str, argparse.ArgumentParser]:
    """The parser of each verb."""
    actions = parser()._actions
    return dict(next(action.choices for action in actions if isinstance(action, argparse._SubParsersAction)))


def options_of(command: argparse.ArgumentParser) -> dict[str, str]:
    """The long options of a verb, by the name of the value they set."""
    return {action.dest: action.option_strings[-1] for action in command._actions if action.option_strings}


OPTIONS = sorted({option for command in (parser(), *commands().values()) for option in options_of(command).values()})
GUIDE_TEXT = "\n".join(path.read_text("utf-8") for path in GUIDE)


# ------------------------------------------------------------ nothing is missing


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_is_in_the_guide(option: str) -> None:
    assert re.search(rf"`[^`\n]*(?<![\w-]){option}(?![\w-])|^\$.*{option}\b", GUIDE_TEXT, re.MULTILINE)


@pytest.mark.parametrize("verb", sorted(commands()))
def test_every_command_is_in_the_guide(verb: str) -> None:
    assert f"gossamer {verb}" in GUIDE_TEXT


@pytest.mark.parametrize("spec", dataclasses.fields(Plan), ids=lambda spec: spec.name)
def test_every_setting_is_in_the_table_with_its_default_and_option(spec: dataclasses.Field[object]) -> None:
    rows = {row[0]: row[1:] for row in table_rows(page("docs/settings.md"))}
    default = re.search(rf"(?m)^# {spec.name} = (.*)$", dump(Plan()))
    options = {**options_of(commands()["files"]), **options_of(commands()["watch"]), "ip_delay": "--delay"}
    options |= {"seeds": "SEED", "folders": "PATH"}
    text = spec.metadata["text"]
    if spec.metadata["choices"]:
        text += f" One of {', '.join(f'`{choice}`' for choice in spec.metadata['choices'])}."
    option = f"`{options[spec.name]}`" if spec.name in options else ""
    assert rows[f"`{spec.name}`"] == [f"`{default[1]}`" if default else "`{}`", option, text]


def test_the_table_has_no_setting_that_is_none() -> None:
    listed = re.findall(r"(?m)^\| `(\w+)` \|", page("docs/settings.md"))
    assert sorted(listed) == sorted(spec.name for spec in dataclasses.fields(Plan))


def test_the_list_of_commands_is_complete() -> None:
    listed = re.findall(r"(?m)^\| `gossamer ([\w-]+)", page("docs/crawling.md"))
    assert sorted(listed) == sorted(commands())


INLINE = re.compile(r"`gossamer (\w[\w-]*)((?: [^`]*)?)`")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_command_in_a_sentence_has_the_options_it_is_given(path: Path) -> None:
    known = commands()
    for verb, words in INLINE.findall(re.sub(r"\s+", " ", path.read_text("utf-8"))):
        if not verb.isupper():  # COMMAND and the like stand for any
            options = set(known[verb]._option_string_actions)
            assert set(re.findall(r"(?<= )--[a-z][\w-]*", words)) <= options, f"{verb}{words}"


def exit_codes() -> set[int]:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    return {0, errors.INTERRUPTED} | {kind.exit_code for kind in kinds if issubclass(kind, errors.GossamerError)}


def test_every_exit_code_is_in_the_guide_and_once_in_the_help() -> None:
    listed = {int(row[0]) for row in table_rows(page("docs/resuming.md")) if row[0].isdigit()}
    assert listed == exit_codes()
    told = parser().format_help().partition("exit codes:")[2]
    assert {int(code) for code in re.findall(r"(?m)(?:^ |  )(\d+)  ", told)} == exit_codes()
    assert not any("exit codes" in each.format_help() for each in commands().values())


def test_every_help_has_examples_that_parse() -> None:
    for verb, help_ in commands().items():
        found = re.search(r"\nexamples?:\n((?:  gossamer .*\n)+)", help_.format_help())
        assert found, verb
        for example in found[1].splitlines():
            _, *words = shlex.split(example, comments=True)
            assert parser().parse_args(words).verb == verb
        assert command(verb).__name__.rstrip("_").replace("_", "-") == verb


def test_every_address_rule_is_in_the_table_in_its_order() -> None:
    named = {rule.name for rule in RULES}
    rows = [row for row in table_rows(page("docs/addresses.md")) if row[0].strip("`") in named]
    assert rows == [[f"`{rule.name}`", rule.safety.value, rule.meaning] for rule in RULES]


def test_every_field_of_jsonl_and_status_is_explained() -> None:
    listed = page("docs/archive.md").partition("## What is in a line of jsonl?")[2].partition("\n## ")[0]
    assert [row[0] for row in table_rows(listed)[1:]] == [f"`{name}`" for name in FIELDS]
    for field in dataclasses.fields(Status):
        assert f"`{field.name}`" in page("docs/resuming.md")


@pytest.mark.parametrize("kind", [Document, Progress, Status])
def test_every_field_of_the_public_types_is_in_the_python_page(kind: type) -> None:
    for field in dataclasses.fields(kind):
        assert f"`{field.name}`" in page("docs/python.md")


def test_every_column_family_is_explained() -> None:
    rows = [row[0].strip("`") for row in table_rows(page("ARCHITECTURE.md"))]
    assert set(FAMILIES) <= set(rows)


# ---------------------------------------------------------------- nothing is wrong


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_link_leads_somewhere(path: Path) -> None:
    for target in links(path.read_text("utf-8")):
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        assert file.exists(), target
        assert not anchor or anchor in anchors(file.read_text("utf-8")), target


def test_the_readme_names_every_page_of_the_guide() -> None:
    named = set(links(page("README.md")))
    assert [path.name for path in GUIDE if f"docs/{path.name}" not in named] == []


def test_every_page_is_reached_from_the_readme() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        path = waiting.pop()
        if path.suffix == ".md" and path not in reached:
            reached.add(path)
            targets = [target.partition("#")[0] for target in links(path.read_text("utf-8"))]
            waiting += [(path.parent / target).resolve() for target in targets if target]
    assert reached == set(PAGES)


FILE = re.compile(r"`((?:src/gossamer/|tests/)?[\w/]+(?:\.py|/))`(?:, `(?!\w+\.py`)(\w+(?:\.\w+)?)`)?")


@pytest.mark.parametrize("name", ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/politeness.md"])
def test_every_file_and_name_that_is_told_is_there(name: str) -> None:
    told = FILE.findall(page(name))
    assert told
    room = SOURCE
    for file, inside in told:
        path = next((home / file for home in (ROOT, SOURCE, room) if (home / file).exists()), None)
        assert path is not None, file
        room = path.parent
        assert not inside or defined(path, inside), f"{file}: {inside}"


def test_every_method_that_is_told_is_there() -> None:
    for name in set(re.findall(r"`Frontier\.(\w+)`", page("ARCHITECTURE.md"))):
        assert defined(SOURCE / "frontier" / "frontier.py", f"Frontier.{name}")


def defined(path: Path, dotted: str) -> bool:
    """Whether a module defines a function, a class, or a member of one."""
    scope: ast.AST = ast.parse(path.read_text("utf-8"))
    for name in dotted.split("."):
        found = next((node for node in ast.iter_child_nodes(scope) if name_of(node) == name), None)
        if found is None:
            return False
        scope = found
    return True


def name_of(node: ast.AST) -> str | None:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    return None


def test_rooms_and_layers_are_drawn_as_they_are() -> None:
    for plan in floor_plan.drawn().values():
        assert plan in page("ARCHITECTURE.md"), "run: python tests/floor_plan.py"


def test_the_loop_is_shown_as_it_is() -> None:
    shown = next(block for block in blocks(page("ARCHITECTURE.md"), "python") if "frontier.due" in block)
    code = (SOURCE / "crawl_loop.py").read_text()
    assert [line.strip() for line in shown.splitlines()] == [
        line.strip() for line in code.splitlines() if line.strip() in shown and line.strip()
    ]


def test_every_target_of_make_that_is_told_is_there() -> None:
    makefile = page("Makefile")
    for path in PAGES:
        for target in re.findall(r"(?:`|\$ )make ([\w-]+)", path.read_text("utf-8")):
            assert re.search(rf"(?m)^{target}:", makefile), target


def test_headings_of_the_guide_are_questions() -> None:
    for path in [*GUIDE, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]:
        if path.name != "url-differences.md":
            headings = re.findall(r"(?m)^## (.*)$", path.read_text("utf-8"))
            assert [heading for heading in headings if not heading.endswith("?")] == [], path.name
