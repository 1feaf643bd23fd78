"""Which version is this, and where is its page? The only place that says so: to ask the installed package takes longer
than most answers."""

from __future__ import annotations

VERSION = "0.1.0"
PAGE = ""
"""The project's page, which requests name where nobody left a contact; empty as long as the package names none."""
