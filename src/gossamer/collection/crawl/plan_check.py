"""Can a plan be carried out? All that no part would take is refused here, before anything is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gossamer.collection.crawl.wiring import route_of
from gossamer.errors import UsageError
from gossamer.fetch import Guard
from gossamer.plan import Plan
from gossamer.urls.safe_regex import glob_hint


def check(plan: Plan) -> None:
    """Complain about a setting that no part would take, before anything is made."""
    plan.as_scope()
    plan.as_identity()
    Guard(plan.allow_addresses)
    route_of(plan)
    if plan.engine != "local":
        from gossamer.collection.crawl import cluster  # with Ray, an extra

        cluster.check(plan)
    if plan.render != "never":
        from gossamer.fetch.browser.chromium import require  # an extra, of which most crawls need nothing

        require()
    elif plan.screenshots:
        raise UsageError(
            "screenshots are made of pages that a browser renders: add --render always for all pages, or --render auto"
            " for those that need it; or do without them: --set screenshots=false"
        )


def hints(settings: Mapping[str, Any]) -> Iterator[str]:
    """What is allowed and hardly meant, of the settings that are given now."""
    for name in ("include", "exclude"):
        for pattern in settings.get(name, ()):
            if hint := glob_hint(pattern):
                yield f"{name} {pattern!r}: {hint}"
