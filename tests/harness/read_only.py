"""A process that may not write to a collection: also when it is root, it has given away the right to ignore modes.

    results = read_only([["status", str(folder)], ...])     # a (code, errors) for each

`frozen` takes the right to write away from a folder and everything in it, and `looks` says what is there.
"""

from __future__ import annotations

import ctypes
import encodings
import hashlib
import importlib
import io
import json
import os
import pkgutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
_VERSION_3 = 0x20080522


def read_only(verbs: Sequence[Sequence[str]], *, user: int = 0) -> list[tuple[int, str]]:
    """Run commands, one after the other, without the rights of root. The exit code and the errors of each.

    With a `user`, they are run as that one, which only root can do.
    """
    done = subprocess.run(
        [sys.executable, "-m", "harness.read_only", str(user)],
        input=json.dumps(verbs),
        capture_output=True,
        text=True,
        check=False,
        cwd=TESTS,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return [(code, errors) for code, errors in json.loads(done.stdout)]


@contextmanager
def frozen(folder: Path, *, files: int = 0o444, folders: int = 0o555) -> Iterator[None]:
    """Nobody may write there, or do whatever else the modes do not say."""
    _set_modes(folder, files, folders)
    try:
        yield
    finally:
        _set_modes(folder, 0o644, 0o755)


def looks(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Everything in it: size, time of the last change, and a digest of what it says."""
    found = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        found[str(path.relative_to(folder))] = (about.st_size if digest else 0, about.st_mtime_ns, digest)
    return found


def _set_modes(folder: Path, files: int, folders: int) -> None:
    folder.chmod(0o755)
    for place, _, names in os.walk(folder, topdown=False):
        for name in names:
            os.chmod(Path(place, name), files)
    for place, _, _ in list(os.walk(folder, topdown=False)):
        os.chmod(place, folders)


def _be_nobody_special() -> None:
    """Root is the owner of what it made and nothing more; see capabilities(7)."""
    ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(_VERSION_3, 0), (ctypes.c_uint32 * 6)())


def _be(user: int) -> None:
    """Another user, who may not read where Python and we are installed: what is loaded later is loaded now."""
    import gossamer

    ours = pkgutil.walk_packages(gossamer.__path__, "gossamer.")
    for module in (*ours, *pkgutil.iter_modules(encodings.__path__, "encodings.")):
        if not module.name.endswith("__main__"):
            with suppress(ImportError):  # what an extra brings, or another system
                importlib.import_module(module.name)
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


def _run(arguments: list[str]) -> tuple[int, str]:
    from gossamer.cli.main import main

    out, errors = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        try:
            code = main(arguments)
        except SystemExit as end:
            code = int(str(end.code))
        except Exception as error:
            return -1, repr(error)
    return code, errors.getvalue()


if __name__ == "__main__":
    if user := int(sys.argv[1]):
        _be(user)
    else:
        _be_nobody_special()
    json.dump([_run(arguments) for arguments in json.load(sys.stdin)], sys.stdout)
