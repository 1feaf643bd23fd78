"""Where does a page go in a folder of files?

Hosts are folders, and so are those of the paths: https://example.org/guide/keys.html is example.org/guide/keys.html. An
address of which a name cannot say all, because of a query or odd letters, has digits at its end that no other has; so
has a page whose name another has taken. The next export gives the same names. Strangers choose addresses: a name has
letters, digits, dots, dashes and underscores, does not begin with a dot, and is short.
"""

from __future__ import annotations

import re
from hashlib import sha256

from gossamer.urls import keys

_NAME_MOST = 80
_DIGITS = 16
_FOLDERS_MOST = 20
_ODD = re.compile(r"[^A-Za-z0-9.-]+")
_PLAIN = re.compile(rf"(?!.*\.md\Z)(?!.*-[0-9a-f]{{{_DIGITS}}}(?:\.|\Z))[A-Za-z0-9_][A-Za-z0-9._-]{{0,79}}\Z")
"""Of a folder or a file; one that ends like our files could be in the way of one."""


def file_name(url: str, ending: str, drop: str = "") -> str:
    """Where the page of an address goes, below the folder, unless another page is there. A name that ends in `drop`
    ends in `ending` instead."""
    *folders, name = url.split("/", 3)[3].split("/")
    name = name.removesuffix(drop) or "index"
    if len(folders) > _FOLDERS_MOST or not all(map(_PLAIN.match, (*folders, name))):
        return own_name(url, ending, drop)
    return "/".join((_host_folder(url), *folders, f"{name}{ending}"))


def own_name(url: str, ending: str, drop: str = "") -> str:
    """The same with digits, where no other page can be."""
    path = url.split("/", 3)[3]
    digits = sha256(url.encode()).hexdigest()[:_DIGITS]
    stem = _plain(path.removesuffix("/").removesuffix(drop)) or "index"
    return f"{_host_folder(url)}/{stem}-{digits}{ending}"


def _host_folder(url: str) -> str:
    return _plain(keys.authority(url)) or "host"


def _plain(name: str) -> str:
    return _ODD.sub("-", name)[:_NAME_MOST].strip(".-")
