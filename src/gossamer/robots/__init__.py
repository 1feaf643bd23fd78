"""What may we fetch? robots.txt, meta elements and headers."""

from __future__ import annotations

from gossamer.robots.meta_robots import Directives, read
from gossamer.robots.parser import SIZE_MOST
from gossamer.robots.rules import ALLOW_ALL, DISALLOW_ALL, Rules, parse
from gossamer.robots.status import Verdict, verdict

__all__ = [
    "ALLOW_ALL",
    "DISALLOW_ALL",
    "SIZE_MOST",
    "Directives",
    "Rules",
    "Verdict",
    "parse",
    "read",
    "verdict",
]
