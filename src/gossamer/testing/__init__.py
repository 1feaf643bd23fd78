"""What does a crawler do to a web that is known in advance?

A made web with faults on request, and a clock on which hours pass in milliseconds. See docs/testing.md.
"""

from __future__ import annotations

from gossamer.testing.clock import Deadlock, VirtualClock, run, running_clock
from gossamer.testing.log import Entry, Log
from gossamer.testing.spec import (
    Changes,
    Copies,
    Errors,
    Marks,
    Redirects,
    RobotsFiles,
    Sitemaps,
    Traps,
    WebSpec,
)
from gossamer.testing.truth import Reach
from gossamer.testing.web import MadeWeb

__all__ = [
    "Changes",
    "Copies",
    "Deadlock",
    "Entry",
    "Errors",
    "Log",
    "MadeWeb",
    "Marks",
    "Reach",
    "Redirects",
    "RobotsFiles",
    "Sitemaps",
    "Traps",
    "VirtualClock",
    "WebSpec",
    "run",
    "running_clock",
]
