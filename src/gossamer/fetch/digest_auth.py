"""How is a password shown without being sent? HTTP digest (RFC 7616, and RFC 2069 where a server is that old).

The server sends a number that it uses once, the client a hash of that number, the password and the request. The next
requests count on with the same number, so only the first one is asked twice.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

_SCHEME = re.compile(r"""(?:^|,)\s*([A-Za-z][A-Za-z0-9-]*)(?:\s+|$)(?=[^=]|$)""")
_PARAMETER = re.compile(r"""([A-Za-z][A-Za-z0-9*-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))""")
_HASHES: dict[str, Callable[[bytes], str]] = {
    "MD5": lambda data: hashlib.md5(data, usedforsecurity=False).hexdigest(),
    "SHA-256": lambda data: hashlib.sha256(data).hexdigest(),
    "SHA-512-256": lambda data: hashlib.new("sha512_256", data).hexdigest(),
}
_BEST = ("SHA-512-256", "SHA-256", "MD5")
_LONGEST = 4_096
"""Characters of a challenge that is read."""


@dataclass
class Challenge:
    """What a server wants to see. `count` grows with each request that shows it."""

    realm: str
    nonce: str
    algorithm: str
    """As the server has spelled it, with `-sess` where that is wanted."""
    qop: str
    """auth, auth-int, or nothing where the server is of before 1999."""
    opaque: str | None = None
    stale: bool = False
    count: int = field(default=0)

    def answer(self, user: str, password: str, method: str, target: str) -> str:
        """The value of the Authorization field for one request without a body."""
        self.count += 1
        digest = _HASHES[_base(self.algorithm)]
        made = secrets.token_hex(8)
        name, secret = (text.encode("utf-8", "surrogateescape") for text in (user, password))
        known = digest(b":".join((name, self.realm.encode("latin-1"), secret)))
        if self.algorithm.upper().endswith("-SESS"):
            known = digest(f"{known}:{self.nonce}:{made}".encode())
        asked = f"{method}:{target}" + (f":{digest(b'')}" if self.qop == "auth-int" else "")
        between = f"{self.nonce}:{self.count:08x}:{made}:{self.qop}" if self.qop else self.nonce
        shown = digest(f"{known}:{between}:{digest(asked.encode())}".encode())
        parts = [
            f"username={_quoted(name.decode('latin-1'))}",
            f"realm={_quoted(self.realm)}",
            f"nonce={_quoted(self.nonce)}",
            f"uri={_quoted(target)}",
            f"algorithm={self.algorithm}",
            f'response="{shown}"',
        ]
        if self.qop:
            parts += [f"qop={self.qop}", f"nc={self.count:08x}", f'cnonce="{made}"']
        if self.opaque is not None:
            parts.append(f"opaque={_quoted(self.opaque)}")
        return "Digest " + ", ".join(parts)


def challenge(values: Iterable[str]) -> Challenge | None:
    """The best challenge of WWW-Authenticate fields that can be answered; None when there is none."""
    found = [made for value in values for words in _digests(value[:_LONGEST]) if (made := _challenge(words))]
    return min(found, key=lambda each: _BEST.index(_base(each.algorithm)), default=None)


def schemes(values: Iterable[str]) -> list[str]:
    """The kinds of login that WWW-Authenticate fields ask for, each once, as they are written."""
    return list(dict.fromkeys(match[1] for value in values for match in _SCHEME.finditer(value[:_LONGEST])))


def _digests(value: str) -> list[dict[str, str]]:
    """The parameters of each challenge of the kind, of a field that may hold several of any kind."""
    starts = [(match.start(1), match.end(1), match[1].lower()) for match in _SCHEME.finditer(value)]
    ends = [*(start for start, _, _ in starts[1:]), len(value)][: len(starts)]
    return [
        _parameters(value[after:end]) for (_, after, name), end in zip(starts, ends, strict=True) if name == "digest"
    ]


def _parameters(text: str) -> dict[str, str]:
    return {name.lower(): plain or re.sub(r"\\(.)", r"\1", quoted) for name, quoted, plain in _PARAMETER.findall(text)}


def _challenge(words: dict[str, str]) -> Challenge | None:
    algorithm, offered = words.get("algorithm") or "MD5", re.findall(r"[a-z-]+", words.get("qop", "").lower())
    qop = next((each for each in ("auth", "auth-int") if each in offered), None)
    if "nonce" not in words or _base(algorithm) not in _HASHES or (offered and qop is None):
        return None
    stale = words.get("stale", "").lower() == "true"
    return Challenge(words.get("realm", ""), words["nonce"], algorithm, qop or "", words.get("opaque"), stale)


def _base(algorithm: str) -> str:
    return algorithm.upper().removesuffix("-SESS")


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
