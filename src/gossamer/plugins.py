"""Which plug-ins are installed? Packages say so by entry points; nobody looks before something needs one.

A plug-in that cannot be loaded is named once, with its package and the cure, and is as if it were not there.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from gossamer.printable import log

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

CONVERTERS = "gossamer.converters"
"""By media type: a function from a `convert.source.Source` to a text or a `model.Page`."""
PROTOCOLS = "gossamer.protocols"
"""By scheme: a function from a `fetch.protocols.Ask` to a `fetch.protocols.Said`."""

WEB = ("https", "http")
_CLOSE = 0.7
"""By which a slip is taken for one of these: `htp` is one, and `ftps` is another protocol."""
OUR_PROTOCOLS = ("data", "ftp", "gemini", "sftp")
"""Modules of `fetch.protocols`, besides that of the web."""
OF_FILES = frozenset(
    {"s3", "s3a", "gs", "gcs", "az", "abfs", "adl", "oci", "oss", "tos", "webdav", "zip", "tar"}
    | {"dropbox", "box", "gdrive", "lakefs", "hf", "dbfs", "memory"}
)
"""Schemes of places that `gossamer files` opens. Not those that a crawl speaks: there the key of a server is checked
first. Nor those whose address names a host, as webhdfs and smb: what speaks to it knows none of the limits of a crawl,
and none of the addresses that are closed."""


@cache
def installed(group: str) -> Mapping[str, EntryPoint]:
    """The plug-ins of a group, by the names that they go by."""
    from importlib.metadata import entry_points  # only where something unknown was met

    return {entry.name.lower(): entry for entry in entry_points(group=group)}


@cache
def loaded(group: str, name: str) -> Callable[..., Any] | None:
    """The function of a plug-in; None where there is none that works."""
    entry = installed(group).get(name)
    if entry is None:
        return None
    try:
        function: Callable[..., Any] = entry.load()
    except Exception as error:
        package = package_of(entry)
        log.warning(
            "the plug-in %s of %s cannot be loaded (%s: %s); `pip install --upgrade %s` may help, `pip uninstall %s`"
            " takes it away",
            *(name, package, type(error).__name__, error, package, package),
        )
        return None
    return function


def listed() -> list[str]:
    """What is spoken and what packages add, a line each. Each is loaded, to tell whether it works."""
    lines = [f"protocols: {', '.join(WEB + OUR_PROTOCOLS)} (built in)", *_added(PROTOCOLS)]
    return [*lines, "converters: those of docs/documents.md (built in)", *_added(CONVERTERS)]


def _added(group: str) -> list[str]:
    rows = []
    for name, entry in sorted(installed(group).items()):
        version = f" {entry.dist.version}" if entry.dist else ""
        fate = "" if loaded(group, name) else "; cannot be loaded"
        if group == PROTOCOLS and (name in WEB + OUR_PROTOCOLS or name in OF_FILES):
            fate = "; passed over, it is built in"
        rows.append(f"  {name:<24}{package_of(entry)}{version}, {entry.value}{fate}")
    return rows or ["  no package adds any"]


def unspoken(scheme: str) -> str:
    """What is said of a protocol that nobody has."""
    known = (*WEB, *OUR_PROTOCOLS, *installed(PROTOCOLS))
    written = ", ".join("data:" if each == "data" else f"{each}://" for each in known)
    near = difflib.get_close_matches(scheme, WEB, 1, _CLOSE)
    slip = f"; did you mean {near[0]}://?" if near else ";"
    others = f"a package with the entry point {PROTOCOLS} adds others"
    return f"{scheme}:// is not spoken here{slip} {written} are, and {others}"


def package_of(entry: EntryPoint) -> str:
    """Who has brought it."""
    return entry.dist.name if entry.dist else entry.module
