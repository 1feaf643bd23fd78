"""Modules that handle the files of a collection go through the door: `gossamer.files`, and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "gossamer"
ROOMS = ("store", "dedupe", "graph", "index", "search", "frontier", "depot", "collection", "plan")
PATH_METHODS = {
    *("unlink", "rmdir", "mkdir", "touch", "rename", "write_text", "write_bytes", "read_text", "symlink_to"),
    *("iterdir", "glob", "rglob", "exists", "is_file", "is_dir", "stat", "lstat", "chmod", "hardlink_to"),
}
FUNCTIONS = {
    *("os.open", "os.listdir", "os.scandir", "os.walk", "os.unlink", "os.remove", "os.rename", "os.replace"),
    *("os.mkdir", "os.makedirs", "os.rmdir", "os.link", "os.symlink", "os.stat", "os.lstat", "os.truncate"),
    *("os.path.exists", "os.path.lexists", "os.path.isfile", "os.path.isdir", "os.path.getsize"),
    *("shutil.rmtree", "shutil.copyfile", "shutil.move", "shutil.copytree", "open"),
    *("np.load", "np.save", "np.fromfile"),
}
OURS = {"self._folder.exists", "self.exists", "folder.exists"}
"""Methods of `Folder`."""
EXCEPTIONS = {
    "collection/imports/import_files.py": "files that somebody imports, wherever they are",
    "collection/ask/export.py": "files that somebody asks for, wherever they are to be",
    "collection/ask/markdown_files.py": "the same",
    "collection/ask/page_files.py": "the same",
    "collection/ask/new_folder.py": "the same",
    "collection/ask/bagit.py": "the same",
    "collection/folder.py": "DIR itself, which may be anything, and the list of what is in it",
    "collection/crawl/folders.py": "files of this machine that somebody names",
    "collection/crawl/page_function.py": "a program of the user, wherever it is",
    "collection/crawl/topics.py": "what the user wrote of a topic, wherever it is",
    "collection/crawl/topic_examples.py": "the same",
    "collection/crawl/credentials.py": "cookies and passwords of the user, wherever they are",
    "collection/alert/webhook.py": "the secret of a webhook, which is in no collection",
    "collection/trust.py": "what the user's programs remember, in the user's own folder",
    "collection/lock.py": "/proc says whether a process lives",
    "collection/series.py": "/proc says how much memory a process has",
    "store/table/manifest.py": "the folder of a reader, which is in no collection",
    "index/opening.py": "the same",
    "depot/shared_folder.py": "a store, which is in no collection",
    "graph/columns.py": "NumPy, with files that the door has opened",
}


def names_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in FUNCTIONS:
                yield called
            elif isinstance(node.func, ast.Attribute) and not called.startswith("files.") and called not in OURS:
                opens = node.func.attr == "open" and node.args and isinstance(node.args[0], ast.Constant)
                if node.func.attr in PATH_METHODS or (opens and isinstance(node.args[0].value, str)):
                    yield called


def modules() -> list[Path]:
    found = [path for room in ROOMS for path in ([SOURCE / room] if "." in room else (SOURCE / room).rglob("*.py"))]
    return sorted(found)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_files_of_a_collection_are_touched_through_the_door(path: Path) -> None:
    used = set(names_of(path))
    if path.relative_to(SOURCE).as_posix() in EXCEPTIONS:
        assert used, "no exception is needed any more"
    else:
        assert not used
