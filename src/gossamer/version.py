"""Which version is this? The only place that says so: to ask the installed package takes longer than most answers."""

from __future__ import annotations

VERSION = "0.1.0"
