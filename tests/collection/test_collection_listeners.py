"""A function of the program that hears of a crawl, and fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.collection.crawl.outside import Outside
from gossamer.testing import MadeWeb, VirtualClock, WebSpec


@pytest.mark.parametrize("name", ["report", "told"])
def test_what_a_listener_raises_ends_the_crawl_and_is_raised(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    heard: list[Any] = []

    def fail(news: Any) -> None:
        heard.append(news)
        raise LookupError("of the program")

    clock = VirtualClock()
    made = MadeWeb(WebSpec(seed=7, pages=30), clock=clock)
    listener: dict[str, Callable[[Any], None]] = {name: fail}
    with gossamer.open(tmp_path / "web") as web:
        with pytest.raises(LookupError, match="of the program"):
            clock.run(web.crawl_async(made.seed, outside=Outside(clock, made.fetch), **listener))
        assert len(heard) == 1
        assert "a mistake of ours" not in caplog.text
        assert web.status().crawling is None
        status = clock.run(web.crawl_async(outside=Outside(clock, made.fetch)))
        assert status.pages == len(made.reachable())
    urls = [entry.url for entry in made.log.entries]
    assert len(urls) == len(set(urls))
