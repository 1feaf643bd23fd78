"""Questions that are kept: add, list and remove them, and print what is new about each."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

import gossamer
from gossamer.cli.answers import cut
from gossamer.cli.news import told
from gossamer.cli.out import complain, say, say_json
from gossamer.errors import GossamerError, UsageError
from gossamer.printable import counted, line, pasted

if TYPE_CHECKING:
    from gossamer.collection.alert.telling import News

_ADD = "`gossamer alert add DIR NAME QUERY` keeps one"
_WHEN = "after each crawl, once an hour while `gossamer watch DIR` runs, and by `gossamer alert run DIR`"


class Heard:
    """What a crawl has told at its end, until there is room for it: its sums come first."""

    def __init__(self) -> None:
        self._news: list[News] = []

    def add(self, news: News) -> None:
        """One more."""
        self._news.append(news)

    def say(self, options: argparse.Namespace) -> None:
        """Print it. What has not arrived is said also where nothing else is wanted."""
        for each in self._news:
            if not (options.quiet or options.json):
                for row in _lines(each):
                    say(row)
            if each.problem:
                _complain(each, options)


def alert(options: argparse.Namespace) -> int:
    """One of four actions."""
    question = " ".join(options.question)
    wants = {"add": (True, True), "remove": (True, False)}.get(options.action, (False, False))
    unknown = [word for word in (options.name or "", *options.question) if word.startswith("--")]
    if options.action != "add" and unknown:
        raise UsageError(f"{unknown[0]}: `gossamer alert {options.action}` has no such option")
    if (bool(options.name), bool(question)) != wants:
        usage = {"add": " NAME QUERY", "remove": " NAME"}.get(options.action, "")
        raise UsageError(f"it is `gossamer alert {options.action} DIR{usage}`")
    if options.action != "add" and (options.webhook or options.secret):
        raise UsageError("--webhook and --secret are for `alert add`")
    if options.secret and not options.webhook:
        raise UsageError("--secret is what a webhook is signed with; name one with --webhook")
    if options.action != "run" and options.trust_alerts:
        raise UsageError("--trust-alerts is for `alert run`")
    return {"add": _add, "list": _list, "remove": _remove, "run": _run}[options.action](options)


def _add(options: argparse.Namespace) -> int:
    secret = {"secret": options.secret} if options.secret else {}
    with gossamer.open(options.dir) as web:
        kept = web.add_alert(options.name, " ".join(options.question), webhook=options.webhook, **secret)
        obstacles = web.alert_obstacles(options.name)
    if options.json:
        say_json({"name": options.name, "query": kept.query, "webhook": kept.webhook or None})
    else:
        where = f"; it is sent to {kept.webhook}, signed with {kept.secret}" if kept.webhook else ""
        say(pasted(f"kept; what is new from now on is reported {_WHEN}{where}", options.dir))
    for each in obstacles:
        complain(pasted(f"nothing can be delivered yet: {each}", options.dir))
    return 0


def _list(options: argparse.Namespace) -> int:
    from gossamer.collection.alert import state

    with gossamer.open(options.dir) as web:
        kept, known = web.alerts, state.load(web.path)
    for name, each in kept.items():
        waits = known[name].pending if name in known else None
        if options.json:
            problem = {"undelivered": waits.delivery if waits else None, "problem": waits.problem if waits else None}
            say_json({"name": name, "query": each.query, "webhook": each.webhook or None, **problem})
            continue
        say(f"{name:<16}  {cut(each.query)}{f'  {line(each.webhook)}' if each.webhook else ''}")
        if waits:
            why = f": {pasted(line(waits.problem), options.dir)}" if waits.problem else ""
            say(f"{'':<16}  not delivered after {counted(waits.tries, 'try', 'tries')}{why}")
    if not kept and not options.json:
        say(pasted(f"no alerts; {_ADD}", options.dir))
    return 0


def _remove(options: argparse.Namespace) -> int:
    with gossamer.open(options.dir) as web:
        web.remove_alert(options.name)
    if options.json:
        say_json({"name": options.name, "removed": True})
    else:
        say(f"{options.name} is removed")
    return 0


def _run(options: argparse.Namespace) -> int:
    def heard(news: News) -> None:
        if options.json:
            say_json(news.as_json())
        else:
            for row in _lines(news):
                say(row)
        if news.problem:
            _complain(news, options)

    with gossamer.open(options.dir) as web:
        if not web.alerts:
            raise UsageError(f"{options.dir}: no alerts; {pasted(_ADD, options.dir)}")
        news = web.tell_alerts(heard, trust_alerts=options.trust_alerts)
    if not news and not options.json:
        say("nothing new")
    return GossamerError.exit_code if any(each.problem for each in news) else 0


def _complain(news: News, options: argparse.Namespace) -> None:
    """What has not arrived is never lost, and that is said, too."""
    kept = "" if news.problem.startswith("not sent") else f"not delivered to {news.webhook}, the next run tries again: "
    complain(pasted(f"alert {news.alert}: {kept}{news.problem}", options.dir))


def _lines(news: News) -> Iterator[str]:
    if news.changes:
        yield f"{news.alert}: {counted(len(news.changes) + news.more, 'page')} new or changed: {cut(news.query)}"
        for each in news.changes:
            yield from told(each)
    if news.more:
        yield f"and {news.more:,} more"
    if news.delivery and not news.problem:
        yield f"{news.alert}: delivered to {line(news.webhook)}"
