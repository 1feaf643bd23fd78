"""Crawlee for Python that follows every link of a made web, with its fast parser: a peer of `peers.py`."""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import Any

from crawlee import ConcurrencySettings  # type: ignore[import-not-found,unused-ignore]  # only where it is installed
from crawlee.crawlers import ParselCrawler  # type: ignore[import-not-found,unused-ignore]  # the same
from crawlee.storage_clients import MemoryStorageClient  # type: ignore[import-not-found,unused-ignore]  # the same


async def main() -> None:
    """Nothing is kept, and nothing written to a disk: that is the least it can do."""
    logging.disable(logging.CRITICAL)
    crawler = ParselCrawler(
        concurrency_settings=ConcurrencySettings(desired_concurrency=8, min_concurrency=8, max_concurrency=64),
        respect_robots_txt_file=True,
        max_request_retries=0,
        storage_client=MemoryStorageClient(),
        configure_logging=False,
    )

    @crawler.router.default_handler  # type: ignore[untyped-decorator,unused-ignore]  # only where it is installed
    async def follow(context: Any) -> None:
        await context.enqueue_links(strategy="all")

    await crawler.run([sys.argv[1]])


asyncio.run(main())
