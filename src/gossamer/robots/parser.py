"""Which lines of a robots.txt are rules, and for whom?

A file is a list of groups: some User-agent lines, then the Allow and Disallow lines for them (RFC 9309,
section 2.2). Where the RFC leaves room we follow Google's parser: a missing colon and the common misspellings
of Disallow are understood.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

SIZE_MOST = 512_000
"""Bytes that are read; the RFC demands at least 500 KiB."""

_AGENT, _ALLOW, _DISALLOW, _DELAY, _SITEMAP, _HOST = range(6)
_KEYS = {
    **dict.fromkeys((b"user-agent", b"useragent", b"user agent"), _AGENT),
    b"allow": _ALLOW,
    b"disallow": _DISALLOW,
    **dict.fromkeys((b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw"), _DISALLOW),
    **dict.fromkeys((b"crawl-delay", b"crawldelay", b"crawl delay"), _DELAY),
    **dict.fromkeys((b"sitemap", b"sitemaps", b"site-map"), _SITEMAP),
    b"host": _HOST,
}
_LINE = re.compile(
    rb"^[ \t\v\f]*+(" + b"|".join(_KEYS) + rb")[ \t\v\f]*+"
    # A colon, or in its stead white space before a line's only other word.
    rb"(?::[ \t\v\f]*+|(?<=[ \t])(?=[^\s#]++[ \t]*+(?:[#\n]|\Z)))"
    rb"([^\n#]{0,16384})",
    re.IGNORECASE | re.MULTILINE,
)
_SECONDS = re.compile(rb"\d{1,15}(?:\.\d{0,15})?|\.\d{1,15}")


class Groups(NamedTuple):
    """A robots.txt taken apart, its patterns not yet looked at."""

    rules: dict[str, list[bytes]]
    """Agent, or `*` -> its groups. In a group each line is a pattern after `+` (Allow) or `-` (Disallow)."""
    delays: dict[str, float]
    sitemaps: tuple[str, ...]
    host: str | None


def read(data: bytes | str) -> Groups:
    """Sort the lines of any file. What is no rule is passed over."""
    reading = _Reading()
    for key, value in _LINE.findall(_readable(data)):
        reading.take(_KEYS[key.lower()], value.rstrip())
    return reading.groups()


def _readable(data: bytes | str) -> bytes:
    """The part of the file that counts, in UTF-8, each line ended by a line feed."""
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    if len(data) >= SIZE_MOST:
        data = data[:SIZE_MOST]
        data = data[: max(data.rfind(b"\n"), data.rfind(b"\r")) + 1]
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        data = data.decode("utf-16", "replace").encode("utf-8", "replace")
    for octet in codecs.BOM_UTF8:
        data = data.removeprefix(bytes([octet]))
    return data.replace(b"\0", b"").replace(b"\r\n", b"\n").replace(b"\r", b"\n")


class _Reading:
    """A file being read, line by line."""

    def __init__(self) -> None:
        self._groups: list[list[bytes]] = []
        self._numbers: dict[str, dict[int, None]] = {}
        """For each agent the places of its groups in the list, each once, in order."""
        self._delays: dict[str, float] = {}
        self._delay_of_run: float | None = None
        """The longest Crawl-delay for the agents named last; they get it when all such lines are read."""
        self._sitemaps: dict[str, None] = {}
        self._host: str | None = None
        self._named: dict[str, None] = {}
        """The agents of the last unbroken run of User-agent lines."""
        self._ruled = self._run_ended = True

    def take(self, key: int, value: bytes) -> None:
        if key in (_DISALLOW, _ALLOW):
            self._rule(b"-" if key == _DISALLOW else b"+", value)
        elif key == _AGENT:
            self._agent(value)
        elif key == _DELAY:
            self._delay(value)
        elif key == _SITEMAP and value:
            self._sitemaps[value.decode("utf-8", "replace")] = None
        elif key == _HOST:
            self._host = self._host or value.decode("utf-8", "replace") or None

    def _agent(self, value: bytes) -> None:
        """Only rules end a group's list of agents; other lines in between do not."""
        if self._ruled:
            self._groups.append([])
        if self._run_ended:
            self._settle_delay()
            self._named = {}
        self._ruled = self._run_ended = False
        for word in value.decode("utf-8", "replace").split(None, 1)[:1]:
            name = word.partition("/")[0].replace("*", "").lower() or "*"
            self._named[name] = None
            self._numbers.setdefault(name, {})[len(self._groups) - 1] = None

    def _rule(self, sign: bytes, value: bytes) -> None:
        self._ruled = self._run_ended = True
        if self._groups and value:
            self._groups[-1].append(sign + value)

    def _delay(self, value: bytes) -> None:
        """A Crawl-delay is no rule, so it ends no group; it is for the agents named right above it."""
        self._run_ended = True
        if _SECONDS.fullmatch(value):
            self._delay_of_run = max(float(value), self._delay_of_run or 0.0)

    def _settle_delay(self) -> None:
        """Once for a run of agents: lines by agents could be billions."""
        if self._delay_of_run is not None:
            for name in self._named:
                self._delays[name] = max(self._delay_of_run, self._delays.get(name, 0.0))
        self._delay_of_run = None

    def groups(self) -> Groups:
        self._settle_delay()
        packed = [b"\n".join(group) for group in self._groups]
        rules = {name: [packed[number] for number in numbers] for name, numbers in self._numbers.items()}
        return Groups(rules, self._delays, tuple(self._sitemaps), self._host)
