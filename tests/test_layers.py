"""Who may import whom: only downward, never sideways. Imports for type checking count too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "gossamer"
LAYERS = [
    ["lazy"],
    ["errors", "function_words", "printable", "pinned_path", "settings", "tagged", "version"],
    ["markdown", "toml_text"],
    ["plugins"],
    ["model", "rows", "setting_text"],
    ["urls", "engine", "testing", "files", "outlinks"],
    ["robots", "runs", "freshness", "topic", "depot"],
    ["convert"],
    ["fetch", "dedupe", "store", "graph", "index"],
    ["frontier", "search"],
    ["plan", "crawl_loop"],
    ["collection"],
    ["web"],
    ["cli"],
]
LAYER = {room: number for number, rooms in enumerate(LAYERS) for room in rooms}
PURE = {"urls", "robots", "freshness", "topic", "convert"}
IMPURE_MODULES = {"socket", "asyncio", "time", "subprocess", "os", "threading", "random"}
MODULES = sorted(SOURCE.rglob("*.py"))
FACES = {"__init__.py", "__main__.py"}


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


@cache
def imports_of(path: Path) -> list[str]:
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found += (f"{node.module}.{alias.name}" for alias in node.names)
    return found


def rooms_used(path: Path) -> Iterator[str]:
    for name in imports_of(path):
        parts = name.split(".")
        if parts[0] == "gossamer" and len(parts) > 1:
            yield parts[1]


@pytest.mark.parametrize("path", [p for p in MODULES if p.parent != SOURCE or p.name not in FACES], ids=str)
def test_a_room_imports_only_from_below(path: Path) -> None:
    here = room_of(path)
    assert here in LAYER, f"{here}: a new room needs a layer"
    for there in set(rooms_used(path)) - {here, "open"}:
        assert LAYER[there] < LAYER[here], f"{path}: {here} imports {there}"


def test_no_modules_import_each_other() -> None:
    """Not in a circle either, nor for types alone, nor late: who reads one would have to read them all."""
    names = {".".join(path.relative_to(SOURCE.parent).with_suffix("").parts): path for path in MODULES}
    needs = {name: {found for found in modules_used(path) if found in names} for name, path in names.items()}
    while leaves := [name for name, used in needs.items() if not used & needs.keys()]:
        for name in leaves:
            del needs[name]
    assert not needs


def modules_used(path: Path) -> Iterator[str]:
    """What is imported when a module is loaded, for its types, or by a function when it runs."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
            yield node.module


def imported(block: ast.AST) -> set[str]:
    found = (node for node in ast.walk(block) if isinstance(node, ast.Import | ast.ImportFrom))
    return {alias.asname or alias.name for node in found for alias in node.names}


def named_at_run_time(node: ast.AST, known: set[str]) -> Iterator[str]:
    """Names that are looked up when a module runs, but for those that a function has imported itself."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        known = known | imported(node)
    if isinstance(node, ast.Name) and node.id not in known:
        yield node.id
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and field not in ("annotation", "returns"):
                yield from named_at_run_time(child, known)


@pytest.mark.parametrize("path", [p for p in MODULES if "if TYPE_CHECKING:" in p.read_text()], ids=str)
def test_what_is_imported_for_types_alone_is_used_for_types_alone(path: Path) -> None:
    """A type checker does not mind, and the program fails where it comes to the name."""
    tree = ast.parse(path.read_text())
    blocks = [each for each in tree.body if isinstance(each, ast.If) and ast.unparse(each.test) == "TYPE_CHECKING"]
    assert not set().union(*map(imported, blocks)) & set(named_at_run_time(tree, set()))


@pytest.mark.parametrize("path", [p for p in MODULES if room_of(p) in PURE], ids=str)
def test_pure_rooms_know_no_files_sockets_or_clocks(path: Path) -> None:
    used = {name.split(".")[0] for name in imports_of(path)}
    assert not used & IMPURE_MODULES


def test_a_wrapped_library_has_one_home_in_a_room() -> None:
    homes: dict[tuple[str, str], set[str]] = {}
    wrapped = {
        "pycurl",
        "pycares",
        "rocksdict",
        "selectolax",
        "ada_url",
        "re2",
        "fastwarc",
        "isal",
        "zlib_ng",
        "zstandard",
        "lz4",
        "chardet",
        "fasttext",
        "xxhash",
        "uvloop",
        "pypdfium2",
        "python_calamine",
        "tantivy",
        "Stemmer",
        "pyarrow",
        "markdown_it",
        "mcp",
        "obstore",
        "ray",
    }  # numpy is not among them: its arrays are what modules hand to each other; brotli is loaded by its file
    for path in MODULES:
        for name in {name.split(".")[0] for name in imports_of(path)} & wrapped:
            homes.setdefault((name, room_of(path)), set()).add(path.relative_to(SOURCE).as_posix())
    several = {name: places for name, places in homes.items() if len(places) > 1}
    engine = several.pop(("tantivy", "index"))  # whose room it is
    assert engine == {f"index/{name}.py" for name in ("anchor_index", "entry", "opening", "shard_index")}
    table = several.pop(("rocksdict", "store"))  # the same
    assert table == {f"store/table/{name}.py" for name in ("faults", "opening", "table")}
    client = several.pop(("pycurl", "fetch"))  # one keeps to HTTP, with all its sockets in one loop; the other to SFTP
    assert client == {"fetch/curl.py", "fetch/protocols/sftp.py"}
    assert not several
    assert {name for name, _ in homes} == wrapped
