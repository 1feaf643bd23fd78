"""How the engine is given a folder: to write in, or to read as it was committed last, without a trace in it."""

from __future__ import annotations

import re
import shutil
from contextlib import closing
from errno import ENOENT
from os import strerror
from pathlib import Path
from tempfile import mkdtemp

import msgspec
import tantivy

from gossamer import files
from gossamer.errors import Damaged
from gossamer.files import scratch
from gossamer.files.anchors import Entrance
from gossamer.index import FILES
from gossamer.index.entry import TERMS
from gossamer.index.faults import failed, system_error, unpanicked, writing
from gossamer.index.soundness import META, names

LOOKS_MOST = 20
"""How often a reader looks for the files of a commit, while a writer replaces them."""
REMOVALS_MOST = 100
_SEGMENT = re.compile(r"[0-9a-f]{32}\..+")
_FILES = re.compile(FILES)
_FILE = re.compile(r'filepath: "([^"]+)"')
_MANAGED = ".managed.json"


def let_read(folder: Path) -> None:
    """The engine keeps to its user what it writes by way of a temporary file."""
    for name in (META, _MANAGED):
        files.open_like_folder(folder / name)


def open_to_write(folder: Path, schema: tantivy.Schema) -> tantivy.Index:
    """The index in a folder, or a new one."""
    with writing(folder):
        files.make_folder(folder)
    try:
        _require_ours(folder)
        with unpanicked(), closing(Entrance(folder)) as entrance:  # of which it takes the name of now
            return _with_terms(tantivy.Index(schema, path=entrance.name))
    except (ValueError, OSError) as error:
        if system_error(error) not in {0, ENOENT}:
            raise failed(folder, error) from error  # the disk, and not the index
        raise _damaged(folder, error) from error


def open_to_read(folder: Path, schema: tantivy.Schema) -> tantivy.Index:
    """The index as it was committed last, with all of its files open, so that it stays as it is.

    The engine takes a lock beside what it reads, so it is given a folder that has nothing but links to the files that
    count. A file that is gone has been replaced since, and then another `meta.json` says by what.
    """
    for left in reversed(range(LOOKS_MOST)):
        meta = _meta(folder)
        try:
            return _linked(folder, meta, schema)
        except (ValueError, OSError) as error:
            _require_readable(folder, error)
            if left == 0 or _meta(folder) == meta:
                raise _damaged(folder, error) from error
    raise AssertionError("the last look decides")


def is_unborn(folder: Path) -> bool:
    """A crawl has just made the folder, and the engine nothing in it. One that lost its `meta.json` has segments."""
    return not files.is_file(folder / META) and not files.names(folder, _SEGMENT)


def _meta(folder: Path) -> bytes:
    try:
        return files.read(folder / META)
    except FileNotFoundError as error:
        raise _damaged(folder, error) from error
    except OSError as error:
        raise files.unreadable(error, folder / META) from error


def _require_readable(folder: Path, error: BaseException) -> None:
    """A file that is there and cannot be opened is a fault of the machine, in the engine's words as in Python's."""
    number, named = system_error(error), _FILE.search(str(error))
    if number not in {0, ENOENT}:
        path = folder / Path(named[1]).name if named else folder
        raise files.unreadable(OSError(number, strerror(number)), path) from error


def _linked(folder: Path, meta: bytes, schema: tantivy.Schema) -> tantivy.Index:
    files.require_plain(folder, writing=False)
    door = Path(mkdtemp(prefix=scratch.prefix()))
    try:
        (door / META).write_bytes(meta)
        for name in names(meta):
            (door / name).symlink_to(files.address(folder / name))
        with unpanicked():
            return _with_terms(tantivy.Index(schema, path=str(door)))
    finally:
        _remove(door)


def _remove(door: Path) -> None:
    """A thread of the engine looks at a new index once more, for which it makes the file of its lock again."""
    for _ in range(REMOVALS_MOST):
        shutil.rmtree(door, ignore_errors=True)
        if not door.exists():
            return


def _with_terms(index: tantivy.Index) -> tantivy.Index:
    index.register_tokenizer(TERMS, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    return index


def _require_ours(folder: Path) -> None:
    """The engine deletes what its list of files names, wherever that is."""
    files.require_plain(folder, writing=True)
    try:
        listed = msgspec.json.decode(files.read(folder / _MANAGED), type=list[str])
    except FileNotFoundError:
        return
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        listed = [""]
    if listed and not files.is_file(folder / "meta.json"):  # the engine would make a new one, with nothing in it
        raise Damaged(f"the index in {folder} has lost its meta.json; `gossamer build DIR` makes it again")
    if not all(map(_FILES.fullmatch, listed)):
        raise Damaged(f"the index in {folder} has a list of files that is none; `gossamer build DIR` makes it again")


def _damaged(folder: Path, error: Exception) -> Damaged:
    other = "schema does not match" in str(error)
    why = "is one of another version of gossamer" if other else f"cannot be read ({error})"
    return Damaged(f"the index in {folder} {why}; `gossamer build DIR` makes it again")


def discard(folder: Path) -> None:
    """Throw an index away."""
    files.remove_folder(folder, _FILES)
