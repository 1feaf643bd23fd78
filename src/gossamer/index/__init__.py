"""How is it found again? Terms, the index of a shard, what others call pages."""

from __future__ import annotations

FILES = r"[0-9a-f]{32}\.(?:[0-9]+\.)?[a-z]+|meta\.json|\.managed\.json|\.tantivy-[a-z]+\.lock|\.tmp\w+"
"""What the engine calls its files: who only looks at them does not load it."""
