"""When is a part of a package loaded? When its name is asked for: a question pays for the parts that answer it, and
no others (PEP 562)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def face(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of a package: each name it shows, with the module that has it.

    No name may be that of a module of the package, which would take its place as soon as it is loaded.
    """

    def find(name: str) -> object:
        if name in homes:
            return getattr(import_module(f"{package}.{homes[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find
