"""What `make wheel` builds can be installed where there is no compiler, and has all that was compiled."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
COMPILED = sorted((ROOT / "src" / "gossamer").rglob("*.c"))
NEEDED = ("make", "gcc")


def run(*words: str | Path, folder: Path = ROOT, **environment: str) -> str:
    done = subprocess.run(
        list(map(str, words)), cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-3_000:]
    return done.stdout


@pytest.mark.soak
@pytest.mark.skipif(not all(map(shutil.which, NEEDED)), reason="make and gcc build the wheel")
def test_a_wheel_runs_where_there_is_no_compiler(tmp_path: Path) -> None:
    run("make", "wheel", f"WHEELS={tmp_path}", f"PYTHON={sys.executable}")
    (wheel,) = tmp_path.glob("*.whl")
    assert "-cp311-abi3-manylinux" in wheel.name
    run(sys.executable, "-m", "venv", tmp_path / "fresh")
    bare = {"PATH": str(tmp_path / "fresh" / "bin"), "CC": "/bin/false", "PYTHONPATH": ""}
    assert shutil.which("gcc", path=bare["PATH"]) is None
    run("pip", "install", "--quiet", "--constraint", ROOT / "constraints.txt", wheel, folder=tmp_path, **bare)
    names = [".".join(source.relative_to(ROOT / "src").with_suffix("").parts) for source in COMPILED]
    shown = f"import importlib; print(*(importlib.import_module(name).__file__ for name in {names}), sep='\\n')"
    files = run("python", "-c", shown, folder=tmp_path, **bare).splitlines()
    assert len(files) == len(names) == len(COMPILED)
    assert (tmp_path / "fresh" / "share" / "man" / "man1" / "gossamer.1").is_file()
    assert all(file.startswith(str(tmp_path / "fresh")) and file.endswith(".abi3.so") for file in files)
    said = run("gossamer", "demo", "web", folder=tmp_path, **bare)
    assert "crawled into web" in said
    assert " 0 problems" in said
