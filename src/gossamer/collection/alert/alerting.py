"""What somebody wants to hear of: questions that are kept with a collection, and what is new about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gossamer.collection import trust
from gossamer.collection.alert import saved
from gossamer.collection.alert.saved import Alert
from gossamer.collection.ask.reading import Reading
from gossamer.collection.crawl.running import run

if TYPE_CHECKING:
    from gossamer.collection.alert.telling import News


class Alerting(Reading):
    """A collection that tells what is new about a question."""

    @property
    def alerts(self) -> dict[str, Alert]:
        """Questions that are kept, by name."""
        self._folder.require()
        return saved.load(self.path)

    def add_alert(self, name: str, query: str, *, webhook: str = "", secret: str = saved.SECRET) -> Alert:
        """Keep a question: what is new about it from now on is told after each crawl, once an hour during a watch, and
        by `tell_alerts`.

        A webhook is sent it as JSON, signed with a secret: `$NAME` is in the environment, `@/path` in a file.
        """
        from gossamer.collection.alert import telling

        self._folder.require()
        self._searcher().answering(query)  # what cannot be asked is said now
        with self._steering.alone():
            kept = saved.add(self.path, name, Alert(query, webhook, secret))
        telling.begin(self.path, name, query)
        if kept.webhook:
            trust.agree(self._folder, kept.sends)
        return kept

    def alert_obstacles(self, name: str) -> list[str]:
        """What would keep an alert from its webhook as things stand: no secret, an address that is closed."""
        from gossamer.collection.alert.webhook import obstacles

        alert = self.alerts.get(name)
        if alert is None or not alert.webhook:
            return []
        return obstacles(self.plan, alert.webhook, alert.secret, self.path)

    async def _tell_after_crawl(self, news: Callable[[News], None] | None) -> None:
        if saved.exist(self.path):
            from gossamer.collection.alert.telling import tell_after_crawl

            await tell_after_crawl(self.path, news)

    def remove_alert(self, name: str) -> None:
        """Keep it no longer."""
        self._folder.require()
        with self._steering.alone():
            saved.remove(self.path, name)

    def tell_alerts(self, heard: Callable[[News], None] | None = None, *, trust_alerts: bool = False) -> list[News]:
        """Tell what is new for each alert since it was last told. `heard` is called with each, before that is noted.

        `trust_alerts` says that webhooks may be sent something that this user has not named here.
        """
        from gossamer.collection.alert import telling

        told: list[News] = []

        def hear(news: News) -> None:
            told.append(news)
            if heard is not None:
                heard(news)

        self._folder.require()
        run(lambda _: telling.tell(self.path, hear, agreed=trust_alerts), finish=0)
        return told
