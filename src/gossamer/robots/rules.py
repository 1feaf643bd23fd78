"""May this agent fetch this address? robots.txt as RFC 9309 defines it.

The groups that name an agent count together; only if there is none, those for `*` do. Of the rules that match
a path the longest decides, and Allow wins a tie.

Two things are not in the RFC. As with Google, `Allow: /dir/index.html` opens `/dir/` too. And we
err on the careful side: a Disallow without its leading slash is given one, and of more patterns with stars
than any site needs the rest are read more strictly than written.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gossamer.robots import parser
from gossamer.robots.patterns import STARRED_MOST, Patterns, folded, of_path, of_pattern, path_of

_PRODUCT = re.compile(r"[^\s/]+(?=/|\s*\(|\Z)")
_INDEX_PAGE = re.compile(rb"(?<=/)index\.html?\Z")


class _Compiled(NamedTuple):
    allow: Patterns
    disallow: Patterns


class Rules:
    """What one robots.txt says. Small to keep: the groups that nobody asks for stay plain bytes."""

    __slots__ = ("_compiled", "_groups")

    def __init__(self, groups: parser.Groups) -> None:
        self._groups = groups
        self._compiled: dict[str, _Compiled] = {}

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """As written; some are relative."""
        return self._groups.sitemaps

    @property
    def host(self) -> str | None:
        """The name that the owner prefers among mirrors. A hint, not a rule."""
        return self._groups.host

    def allows(self, agent: str, url: str) -> bool:
        """May `agent`, a product token or a whole User-Agent string, fetch `url`?"""
        rules = self._compiled.get(agent) or self._compile(agent)
        if not rules.disallow:
            return True
        path = path_of(url)
        spelled = of_path(path)
        barred = rules.disallow.longest(spelled)
        plain = folded(spelled)
        if plain != spelled:
            barred = max(barred, rules.disallow.longest(plain))
        return barred < 0 or rules.allow.longest(spelled) >= barred or path == b"/robots.txt"

    def delay(self, agent: str) -> float | None:
        """Seconds that the site wants between two requests, if it says so."""
        return self._groups.delays.get(self._name(agent))

    def written(self, agent: str) -> list[tuple[str, str]]:
        """The rules that count for an agent, as they stand in the file: `Allow` or `Disallow`, and a pattern."""
        groups = self._groups.rules.get(self._name(agent), ())
        found = (line for group in groups for line in group.split(b"\n") if line)
        return [("Allow" if line[:1] == b"+" else "Disallow", line[1:].decode("utf-8", "replace")) for line in found]

    def _name(self, agent: str) -> str:
        """The agent's groups, by the name they have in the file."""
        token = product_token(agent)
        return token if token in self._groups.rules else "*"

    def _compile(self, agent: str) -> _Compiled:
        compiled = _compiled(b"\n".join(self._groups.rules.get(self._name(agent), ())))
        self._compiled[agent] = compiled
        return compiled


def parse(data: bytes | str) -> Rules:
    """Read a robots.txt, whatever it holds: what is no rule is passed over."""
    return Rules(parser.read(data))


def product_token(agent: str) -> str:
    """`Gossamer/0.1 (+https://...)` -> `gossamer`. What does not look like that is a name as it stands."""
    found = _PRODUCT.match(agent)
    return (found[0] if found else agent).replace("*", "").lower()


def _compiled(group: bytes) -> _Compiled:
    allow: list[tuple[bytes, int]] = []
    disallow: list[tuple[bytes, int]] = []
    starred = 0
    for line in filter(None, group.split(b"\n")):
        pattern = of_pattern(line[1:])
        starred += len(pattern) if b"*" in pattern else 0
        if line.startswith(b"-"):
            disallow += _disallowed(pattern if starred <= STARRED_MOST else pattern.partition(b"*")[0])
        elif starred <= STARRED_MOST or b"*" not in pattern:
            allow += _allowed(pattern)
    return _Compiled(Patterns(allow, unread=False), Patterns(disallow, unread=True))


def _allowed(pattern: bytes) -> list[tuple[bytes, int]]:
    rules = [(pattern, len(pattern))]
    page = _INDEX_PAGE.search(pattern)
    if page:
        folder = pattern[: page.start()] + b"$"
        rules.append((folder, len(folder)))
    return rules


def _disallowed(pattern: bytes) -> list[tuple[bytes, int]]:
    if not pattern.startswith((b"/", b"*")):
        pattern = b"/" + pattern
    rules = [(pattern, len(pattern))]
    twin = folded(pattern)
    if twin != pattern:
        rules.append((twin, len(pattern)))
    return rules


ALLOW_ALL = parse(b"")
DISALLOW_ALL = parse(b"User-agent: *\nDisallow: /")
