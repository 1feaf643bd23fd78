"""How is it written for people and language models? As Markdown."""

from __future__ import annotations

from gossamer.markdown.blocks import written

__all__ = ["written"]
