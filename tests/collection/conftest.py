"""What tests of crawls share."""

from __future__ import annotations

import pytest

from gossamer.collection.crawl import session


@pytest.fixture
def seldom_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where hours pass and nobody steers, to look at the crawl twice a second is most of the work."""
    monkeypatch.setattr(session, "REPORT_EVERY", 5.0)
