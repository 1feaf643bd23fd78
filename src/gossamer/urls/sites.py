"""Which hosts belong together: the registrable domain, by the Public Suffix List.

The list (publicsuffix.org, 2026-08-19) lies beside this module as it was published, under the
Mozilla Public License 2.0; put a newer one in its place to bring it up to date. Both its parts
count, the registries' suffixes and the private ones: `alice.github.io` and `bob.github.io` have
different owners. The longest rule that fits wins, an exception (`!`) before a wildcard (`*`), and
a name that no rule fits has its last label as suffix: the algorithm of publicsuffix.org.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

from gossamer.urls.keys import host as host_of
from gossamer.urls.keys import is_address
from gossamer.urls.normalize import normalize, to_ascii, to_unicode

LONGEST_RULE = 8
"""Labels. The list has no rule of more than five; to count them would take a third of the loading."""


def site(url_or_host: str, suffixes: Collection[str] = ()) -> str:
    """The registrable domain of an address or host, or the host itself where there is none.

    An IP literal, a single label and a public suffix are sites of their own. `suffixes` are names
    to treat as public suffixes besides those of the list.
    """
    host = host_of(normalize(url_or_host)) if "://" in url_or_host else url_or_host
    return _site(host, frozenset(suffixes))


@lru_cache(maxsize=65_536)
def _site(host: str, suffixes: frozenset[str]) -> str:
    return registrable(host, suffixes) or host.lower().removesuffix(".")


def registrable(host: str, suffixes: Collection[str] = ()) -> str | None:
    """The public suffix of a host name and one label more, in the script the name is written in."""
    name = host.lower().removesuffix(".")
    if is_address(name):
        return None
    encoded = name if name.isascii() else to_ascii(name)
    size = _registrable_labels(to_unicode(encoded), frozenset(suffixes))
    written = name if name.count(".") == encoded.count(".") else encoded
    return ".".join(written.rsplit(".", size)[-size:]) if size else None


def _registrable_labels(name: str, suffixes: frozenset[str]) -> int:
    """How many labels the registrable domain has; 0 when there is none."""
    rules, most = _rules(suffixes)
    labels = name.rsplit(".", most + 1)  # a hostile name of 8,000 labels is cut only where rules reach
    size = 1
    for start in range(len(labels)):
        tail, parent = ".".join(labels[start:]), ".".join(labels[start + 1 :])
        if f"!{tail}" in rules:
            size = len(labels) - start - 1
            break
        if tail in rules or f"*.{parent}" in rules:
            size = len(labels) - start
            break
    complete = len(labels) > size and labels[-size - 1] and not name.startswith(".")
    return size + 1 if complete else 0


@lru_cache(maxsize=16)
def _rules(suffixes: frozenset[str]) -> tuple[frozenset[str], int]:
    """The rules of the list and one's own, and the number of labels of the longest."""
    lines = Path(__file__).with_name("public_suffix_list.dat").read_text("utf-8").split("\n")
    listed = [line for line in lines if line and line[0] != "/"]
    own = [to_unicode(suffix.strip(".").lower()) for suffix in suffixes]
    return frozenset(listed + own), max([LONGEST_RULE, *(rule.count(".") + 1 for rule in own)])
