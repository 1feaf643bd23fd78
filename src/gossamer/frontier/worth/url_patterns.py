"""Which addresses are of one kind? An address without what varies: its host, the shape of its path, its query keys.

The pattern tree of Lei et al. (WWW 2010) learns shapes from many addresses. Here the shape is read off one address, so
that it costs microseconds and needs no memory: numbers, dates, ids and long names become classes, words stay what
they are. A path that says a segment twice keeps its first and last segment only, and a deep one its first two and
its last: a path that echoes itself has few shapes, however long it grows.

A kind has three sizes, each within the one before: the first segment, the path, the path with its query keys.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from gossamer.lazy import pattern

DIRECTORIES = 3
"""So many are told apart; of a deeper path the first two and the last segment are."""
LONGEST_WORD = 24
UUID = 36
"""Characters."""
KEYS = 8
"""Query keys that are told apart; an address with more of them says so."""

REMEMBERED_LONGEST, REMEMBERED_DEEPEST = 256, 16
"""Bytes and segments of a directory that is remembered."""

_CLASS = pattern(
    r"(?P<number>(?=[.,:_-]*+\d)[\d.,:_-]++)"
    r"|(?P<id>(?=[^/]*\d)[0-9a-fA-F-]{8,}|(?=[^/]*\d)(?=[^/]*[A-Za-z])\w{20,}|\w{40,})"
    r"|(?P<word>[A-Za-z]{1,24}[-_][A-Za-z]{1,16})"
    r"|(?P<numbered>[A-Za-z]{1,16}[-_]?)\d+"
)
_CLASSES = frozenset({"", "0", "x", "s"})
_VALUES = pattern("=[^&;]*")
_KEYS_BEGIN = pattern("[?;]")
_DIGITS = pattern(r"\d+")
_TO_ZERO = bytes.maketrans(b"123456789", b"000000000")


class Template(NamedTuple):
    """What an address has in common with others of its kind."""

    host: str
    """With the port, where it has one."""
    family: str
    """Host and first segment."""
    path: str
    """Host and shape of the path."""
    full: str
    """The same with the query keys; equal to `path` where there are none."""
    directory: str
    """Host, shape of the directory, and the ending of the name: what a made-up address is tried for."""


class _Directory(NamedTuple):
    """The part of a path before its last segment."""

    first: str
    shape: str
    segments: frozenset[str]
    """Those that must not stand there again."""


@lru_cache(maxsize=8_192)
def template(url: str) -> Template:
    """The kind of a canonical address. Asked for when one is found, and again when it goes out and is answered."""
    head, _, query = url.partition("?")
    _, _, host, path = head.split("/", 3)
    keys = _keys(_VALUES.sub("", query), "?") if query else ""
    if ";" in path:
        path, _, parameters = path.partition(";")
        keys = _keys(_VALUES.sub("", parameters), ";") + keys
    slash = "/" if path[-1:] == "/" else ""
    above, _, name = (path[:-1] if slash else path).rpartition("/")
    directory = _directory_of(above.encode().translate(_TO_ZERO)) if above else _ROOT
    stem, ending = _parted(name)
    kind = _class(stem)
    last = "w" if kind == stem and not keys and kind not in _CLASSES else kind
    return _named((host, directory.first, directory.shape, name in directory.segments), (last, ending, slash, keys))


def wider_kinds(name: str) -> tuple[str, ...]:
    """The kinds that one is within, all without their host."""
    path = _KEYS_BEGIN.split(name, 1)[0]
    first = path.find("/", 1)
    family = f"{path[:first] if 0 < first < len(path) - 1 else path}*"
    return tuple(each for each in (path, family) if each != name and not name.endswith("*"))


def script(url: str) -> str:
    """The kind of its path, with the last segment as it is where it is a word: what query keys are learned for."""
    return template(url if "?" in url or ";" in url else f"{url}?key").path


@lru_cache(maxsize=8_192)
def _named(place: tuple[str, str, str, bool], end: tuple[str, str, str, str]) -> Template:
    (host, first, shape, repeated), (last, ending, slash, keys) = place, end
    if not last:
        return Template(host, f"{host}/*", f"{host}/", f"{host}/{keys}", f"{host}/")
    shape = f"{first}/+" if repeated else shape
    path = f"{host}{shape}/{last}{ending}{slash}"
    family = f"{host}{first}*" if first else f"{path}*"
    return Template(host, family, path, path + keys, f"{host}{shape}/*{ending}{slash}")


_ROOT = _Directory("", "", frozenset())


def _directory_of(path: bytes) -> _Directory:
    """Only ordinary ones are remembered: one of a thousand segments takes 75 kB."""
    ordinary = len(path) <= REMEMBERED_LONGEST and path.count(b"/") < REMEMBERED_DEEPEST
    return (_directory if ordinary else _directory.__wrapped__)(path)


@lru_cache(maxsize=16_384)
def _directory(path: bytes) -> _Directory:
    """All digits are 0 in it, so that a calendar has few directories."""
    parts = path.decode().split("/")
    shapes = [_class(stem) + ending for stem, ending in map(_parted, parts[:DIRECTORIES])]
    words = [part for part in parts if part.strip("0")]
    if len(set(words)) < len(words):
        shapes[1:] = ["+"]
    elif len(parts) > DIRECTORIES:
        shapes[2:] = ["..."]
    return _Directory(f"/{shapes[0]}", "".join(f"/{shape}" for shape in shapes), frozenset(words))


def _parted(name: str) -> tuple[str, str]:
    stem, dot, ending = name.rpartition(".")
    if stem and len(ending) <= 5 and ending.isalnum() and not ending[0].isdecimal():
        return stem, dot + ending.lower()
    return name, ""


def _class(stem: str) -> str:
    """What a segment is. The common ones are told without the pattern, which is slow where it does not match."""
    if stem.isdecimal():
        return "0"
    if stem.isalpha() and stem.isascii() and len(stem) <= LONGEST_WORD:
        return stem
    if stem.count("-") > 1 and stem[0].isalpha() and len(stem) != UUID:
        return "s"
    found = _CLASS.fullmatch(stem)
    if found is None:
        return "s" if stem else ""
    match found.lastgroup:
        case "number":
            return "0"
        case "id":
            return "x"
        case "word":
            return stem
    return f"{found['numbered']}0"


@lru_cache(maxsize=16_384)
def _keys(names: str, mark: str) -> str:
    """What stands between the values of a query, in order and each once."""
    parts = sorted({_DIGITS.sub("0", name)[:40] for name in names.replace(";", "&").split("&") if name})
    return mark + "&".join(parts if len(parts) <= KEYS else [*parts[:KEYS], "..."])
