"""Programs of Debian that some tests need: installed where they are missing and this user may do so."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache

import pytest

PATIENCE = 240
APT = ("apt-get", f"-oDPkg::Lock::Timeout={PATIENCE}", "install", "--yes", "--quiet", "--no-install-recommends")
PLACES = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin"))


def program(package: str, *names: str) -> str:
    """Where it is, under one of its names; the test is passed over where it cannot be had."""
    found = sought(package, *names)
    if found is None:
        pytest.skip(f"{package} is missing; `apt-get install {package}` brings it")
    return found


@cache
def sought(package: str, *names: str) -> str | None:
    """Where it is; None where it cannot be had. To install it is tried once."""
    names = names or (package,)
    if _found(names) is None and os.geteuid() == 0 and shutil.which(APT[0]):
        subprocess.run((*APT, package), check=False, capture_output=True, timeout=PATIENCE)
    return _found(names)


def _found(names: tuple[str, ...]) -> str | None:
    return next(filter(None, (shutil.which(name, path=PLACES) for name in names)), None)
