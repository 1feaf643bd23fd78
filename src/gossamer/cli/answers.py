"""Answers as people read them. What came from the web is made harmless before it meets a terminal (`printable`)."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from gossamer.cli import forms
from gossamer.collection.held_up import held_by
from gossamer.printable import counted, line, pasted, size, span, text

if TYPE_CHECKING:
    from gossamer.collection import Built, Document, Imported, Status
    from gossamer.collection.cluster_view import ClusterView
    from gossamer.collection.freshness import Freshness
    from gossamer.collection.status import Waiting
    from gossamer.frontier.revisit.dating import Weights
    from gossamer.frontier.why import AddressAnswer, HostAnswer, TopicAnswer
    from gossamer.frontier.worth.crawl_traps import KindAnswer
    from gossamer.plan import Plan
    from gossamer.store.repair.verify import Checked

DAY = 86_400.0
MOST_REASONS = 8
MOST_PROBLEMS = 100
MOST_NODES = 8
SOFT = "soft 404"
"""The first words of the remark on pages that are errors in disguise."""
WIDER = {"path": "host", "host": "domain", "domain": "any"}
"""The next scope after each."""
MOST_LETTERS = 500
"""Of what a server said or an address is made of; --json has all of it."""


def crawled(
    folder: str,
    status: Status,
    stopped: bool,
    plan: Plan,
    seconds: float = 0.0,
    *,
    changed: str = "",
    idle: bool = False,
    verb: str = "crawl",
) -> str:
    """The last words of a crawl that took so many `seconds`: the sums, what has `changed` where that was asked for,
    what holds it, and what to do next: the same `verb` again. One that was `idle` had nothing to do."""
    first = "stopped" if stopped else "done"
    sums = f"{counted(status.pages, 'page')}, {status.failed:,} failed, {status.excluded:,} excluded"
    took = f", in {span(seconds)}" if seconds else ""
    lines = [f"{first}: {sums}, {size(status.bytes)}{took}", *filter(None, [changed])]
    holds = held_by(plan, status.pages, status.bytes, time_over=0 < plan.time <= seconds, verb=verb)
    holds, folder = pasted(holds, folder), shlex.quote(folder)
    again = f"`gossamer {verb} {folder}"
    if not status.pages and not stopped and holds:
        lines.append(f"nothing was fetched yet: {holds}")
    elif status.queued:
        wait = "waits" if status.queued == 1 else "wait"
        lines.append(f"{counted(status.queued, 'address')} {wait}; {holds or _goes_on(status, again)}")
    lines += _hemmed_in(status, plan, again)
    kept_out = f"more than {counted(plan.pages_per_host, 'page')} of its host"
    if plan.pages_per_host and (left := status.exclusions.get(kept_out)):
        cure = f"{again} --pages-per-host {2 * plan.pages_per_host}` lets more in (0: no limit)"
        lines.append(f"{counted(left, 'address')} left out, {kept_out}; {cure}")
    if soft := status.remarks.get(SOFT):
        errors = counted(soft, "of the pages is an error", "of the pages are errors")
        names = f"`gossamer list {folder} --reason '{SOFT}'` names {'it' if soft == 1 else 'them'}"
        lines.append(f"{errors} in the form of a page ({SOFT}), which no search finds; {names}")
    if status.fields_failed:
        failed = f"the page function failed for {counted(status.fields_failed, 'page')}"
        lines.append(f"{failed}; once it is mended, `gossamer build {folder} --convert` gives it all pages again")
    if idle:
        wider = f", {again} --scope {WIDER[plan.scope]}` follows links further" if plan.scope in WIDER else ""
        lines.append(
            f"nothing was left to do; {again} --revisit` asks again for all pages, {again} URL` adds a seed{wider}"
        )
    elif status.pages and not status.queued and not stopped:
        search = f"search {folder} 'words'" if plan.build else f"build {folder}"
        broken = f"; gossamer broken {folder}" if status.failed and not plan.folders else ""
        lines.append(f"next: gossamer {f'changes {folder}' if changed else f'{search}{broken}'}")
    return "\n".join(lines)


def _unreached(found: Status) -> str:
    """The last visit of a page may fail: what came before is here all the same."""
    return f", {found.unreached:,} of them as they were: their last visit failed" if found.unreached else ""


def _hemmed_in(status: Status, plan: Plan, again: str) -> Iterator[str]:
    """Nothing but the seeds was fetched, and what they link to is left out: who begins may not know of it."""
    if status.pages > len(plan.seeds) or status.queued:
        return
    from gossamer.urls.scope import NOT_INCLUDED, OUTSIDE  # which a crawl has loaded

    if plan.scope in WIDER and (left := status.exclusions.get(OUTSIDE[plan.scope])):
        found = counted(left, "address is", "addresses are")
        yield f"{found} {OUTSIDE[plan.scope]}; {again} --scope {WIDER[plan.scope]}` lets more in"
    if left := status.exclusions.get(NOT_INCLUDED):
        found = counted(left, "address matches", "addresses match")
        yield f"{found} no include pattern; pages on the way to what you want must match one too"


def _goes_on(found: Status, again: str) -> str:
    """The command that goes on with what is queued, and when there is any use in it."""
    if not found.next_time or found.next_time <= time.time():
        return f"{again}` goes on"
    until = f"until {when(found.next_time)} all of it is at hosts that failed or want a pause"
    return f"{until}, and {again}` goes on then"


def imported(done: Imported) -> str:
    """The last words of an import: the sums, what was no page, and what is wrong with the files."""
    whole = done.files == done.of
    parts = [
        f"{counted(done.captures, 'capture')} from {'' if whole else f'{done.files:,} of '}{counted(done.of, 'file')}",
        f"{done.known:,} {'was' if done.known == 1 else 'were'} here already" if done.known else "",
        f"{done.cut:,} cut at the limits of the plan" if done.cut else "",
        f"{counted(done.kept, 'other record')} kept" if done.kept else "",
        f"{done.undated:,} without a date that can be (1970-01-01 stands for it)" if done.undated else "",
    ]
    lines = ["imported: " + ", ".join(part for part in parts if part)]
    lines += _reasons("left out because", done.refused)
    lines += [f"problem: {cut(each)}" for each in done.problems[:MOST_PROBLEMS]]
    if len(done.problems) > MOST_PROBLEMS:
        lines.append(f"and {counted(len(done.problems) - MOST_PROBLEMS, 'problem')} more; --json names them")
    return "\n".join(lines)


def status(found: Status) -> str:
    """A table of the sums, then the reasons."""
    rows = [
        ("pages", f"{found.pages:,}{_unreached(found)}"),
        ("queued", f"{found.queued:,}"),
        ("failed", f"{found.failed:,}"),
        ("excluded", f"{found.excluded:,}"),
        ("hosts", f"{found.hosts:,}"),
        ("duplicates", f"{found.duplicates:,}"),
        ("near copies", f"{found.near_duplicates:,}"),
        *([("requisites", _requisites(found))] if found.requisites else []),
        *([("unread", f"{found.unread:,}; `gossamer build DIR` tries again")] if found.unread else []),
        *(("mirrors", f"{main}: {', '.join(others)}") for main, others in found.mirrors.items()),
        ("fetched", size(found.bytes)),
        ("crawled for", f"{found.seconds:,.1f} s, without start and end"),
        *([("time left", left)] if (left := time_left(found)) else []),
        *([("fresh", _fresh(found.freshness))] if found.freshness else []),
        *([("on topic", str(found.harvest))] if found.harvest else []),
        *([("forms", str(found.forms))] if found.forms else []),
        *([("fields", _fields(found))] if found.fields or found.fields_failed else []),
        *_cluster(found.cluster),
        ("now", _now(found)),
        *([("waits", found.held_up)] if found.held_up else []),
    ]
    lines = [f"{name:<12}{value}" for name, value in rows]
    lines += _reasons("tried again because", found.retries) + _waiting(found.waiting)
    lines += _reasons("failed because", found.failures) + _reasons("left out because", found.exclusions)
    lines += _reasons("requisites missing because", found.requisites_missing)
    lines += _reasons("pages that are here, but", found.remarks)
    return "\n".join(lines)


def _cluster(found: ClusterView | None) -> Iterator[tuple[str, str]]:
    """Which node has how many shards, and how far the store is behind."""
    if found is None:
        return
    nodes = ", ".join(
        f"{line(node.name)} {len(node.shards)}{' (drained)' * node.drained}" for node in found.nodes[:MOST_NODES]
    )
    more = ", ..." * (len(found.nodes) > MOST_NODES)
    yield "nodes", f"{len(found.nodes):,}, with shards: {nodes}{more}" if nodes else "none"
    moved = f"{found.moves:,} moved, {found.takeovers:,} taken over, {found.restarts:,} started again"
    yield "shards", f"{len(found.shards):,}; {moved}"
    oldest = "not all have one yet" if found.oldest is None else f"the oldest is {span(found.oldest)} old"
    slowest = max((shard.seconds for shard in found.shards), default=0.0)
    octets = sum(shard.bytes for shard in found.shards)
    yield "checkpoints", f"{oldest}; the last ones had {size(octets)}, the slowest took {slowest:.1f} s"
    yield "exchange", f"{found.unsent:,} on their way between shards, the oldest for {span(found.lag)}"


def _requisites(found: Status) -> str:
    """How complete the pages are."""
    waits = f", {found.requisites_queued:,} to come" if found.requisites_queued else ""
    return f"{found.requisites_kept:,} of {found.requisites:,} kept{waits}"


def _fields(found: Status) -> str:
    failed = f"the page function failed for {counted(found.fields_failed, 'page')}" if found.fields_failed else ""
    return "; ".join(filter(None, (", ".join(found.fields), failed)))


def _fresh(found: Freshness) -> str:
    """How far it is up to date, and how right such estimates were."""
    text = f"about {found.fresh:.0%} of the pages are up to date"
    if found.age >= 1:
        text += f", the copy of a page is {span(found.age)} old"
    if found.measured is not None:
        text += f"; {found.measured:.0%} were, of {found.samples:,} visited at random"
    if found.visits_expected is None or found.visits_changed is None:
        return text
    seen, expected = f"{found.visits_changed:.0%}", f"{found.visits_expected:.0%}"
    return f"{text} ({seen} of the last visits found a change, {expected} was expected)"


def _now(found: Status) -> str:
    crawls = found.crawling is not None and found.crawling.get("verb") == "crawl"
    doing = "crawling" if crawls else "in use"
    used = f"{doing}, process {found.crawling.get('pid')}" if found.crawling else at_rest(found)
    if not found.paused:
        return used
    return f"paused, {used}; `gossamer {'resume' if found.crawling else 'crawl'} DIR` goes on"


def at_rest(found: Status) -> str:
    """What is queued waits for a command."""
    return f"at rest; {found.held_by or _goes_on(found, '`gossamer crawl DIR')}" if found.queued else "at rest"


def time_left(found: Status) -> str:
    """An estimate, where there is one. Where all that is queued waits, nobody knows when it is done."""
    return "" if found.next_time or not found.left else estimate(found.left, found.basis)


def estimate(seconds: float | None, basis: str) -> str:
    """The time left and what it is counted from; nothing when it is not known."""
    return "" if seconds is None else f"about {span(max(seconds, 1.0))}: {line(basis)}"


def _waiting(hosts: Sequence[Waiting]) -> list[str]:
    if not hosts:
        return []
    until = [f", until {when(each.next_time)}" if each.next_time else "" for each in hosts]
    told = [f"{line(each.host)}: {cut(each.reason)}{end}" for each, end in zip(hosts, until, strict=True)]
    lines = [f"  {each.queued:>9,}  {words}" for each, words in zip(hosts, told, strict=True)]
    return ["", "hosts that have most of what waits:", *lines]


def _reasons(title: str, reasons: Mapping[str, int]) -> list[str]:
    if not reasons:
        return []
    rows = list(reasons.items())
    lines = [f"  {count:>9,}  {cut(reason)}" for reason, count in rows[:MOST_REASONS]]
    rest = sum(count for _, count in rows[MOST_REASONS:])
    return ["", f"{title}:", *lines, *([f"  {rest:>9,}  other reasons"] if rest else [])]


def why(answer: AddressAnswer | HostAnswer) -> str:
    """Where it stands, in a few lines."""
    from gossamer.frontier.why import HostAnswer

    return _host(answer) if isinstance(answer, HostAnswer) else _address(answer)


def _address(answer: AddressAnswer) -> str:
    rows = [
        ("state", answer.state),
        ("reason", answer.reason),
        ("next time", when(answer.next_time)),
        ("changes", _changes(answer)),
        ("counts", _counts(answer.weights) if answer.weights else ""),
        ("status", str(answer.status or "")),
        ("depth", "" if answer.depth is None or answer.needed else str(answer.depth)),
        ("attempts", str(answer.attempts or "")),
        ("turn", _turn(answer.distance)),
        ("importance", "" if answer.importance is None else f"{answer.importance:.3g}"),
        ("topic", _topic(answer.topic) if answer.topic else ""),
        ("browser", _browser(answer)),
        *(("form", each) for each in answer.forms),
        ("like it", _kind(answer.kind) if answer.kind else ""),
        ("needed by" if answer.needed else "found on", answer.referrer or ""),
        ("leads to", answer.target or ""),
        ("copy of", answer.copy_of or ""),
        ("nearly", answer.near_copy_of or ""),
        ("kept", f"what was fetched {when(answer.kept)}" if answer.kept and answer.state != "done" else ""),
    ]
    lines = [cut(answer.url), *_table(rows)]
    lines += [f"  {when(moment)}  {cut(what)}" for moment, what in answer.history]
    return "\n".join(lines + (["", _host(answer.host)] if answer.host else []))


def _browser(answer: AddressAnswer) -> str:
    """Whether a browser has rendered it, what that has brought for pages of its kind, and what follows."""
    this, found = "it was rendered" if answer.rendered else "it is kept as it was sent", answer.rendering
    if found is None:
        return this if answer.rendered else ""
    if not found.rendered:
        return f"{this}; {counted(found.met, 'page')} of its kind with scripts, which say enough without"
    brought = f"{found.gained} of {counted(found.rendered, 'page')} of its kind said more when rendered"
    follows = "more are tried" if found.undecided else f"{'all' if found.pays else 'few'} of them are"
    return f"{this}; {brought}, {'and' if found.undecided else 'so'} {follows}"


def _topic(topic: TopicAnswer) -> str:
    """How far it is on topic, and by which words."""
    promised = f"promised {topic.promise:.0%}"
    if topic.score is None:
        return f"{promised}, by what leads to it"
    words = ", ".join(f"{word} {weight:+.1f}" for word, weight in topic.words)
    return f"{topic.score:.0%} by what it says ({words or 'no word speaks'}); {promised}"


def _changes(answer: AddressAnswer) -> str:
    """How often a page changes, as far as that is known."""
    if answer.change_rate is None:
        return ""
    times = counted(max(round(answer.changes_seen), 1), "time")  # what is long ago counts less: one change is soon 0.96
    known = f"seen to change {times} lately" if answer.changes_seen else "not seen to change lately"
    return f"about every {span(DAY / answer.change_rate)} ({known}; pages like it count too)"


def _counts(weights: Weights) -> str:
    """What it counts for the date of its next visit, and why."""
    parts = f"{weights.depth:.2g} by its depth, {weights.rank:.2g} by its rank, {weights.sitemap:.2g} by its sitemap"
    return f"{weights.product:.2g} for its date ({parts})"


def _kind(kind: KindAnswer) -> str:
    share = f"; it gets 1/{1 / kind.share:.0f} of the visits" if kind.share < 1 else ""
    return (
        f"{kind.pattern} ({kind.fetched:,} of {kind.found:,} fetched, {kind.fresh:,.0f} brought something new{share})"
    )


def _turn(rounds: int) -> str:
    return f"in {counted(rounds, 'round')}" if rounds else ""


def _host(answer: HostAnswer) -> str:
    linkers = counted(answer.linkers, "other site")
    rows = [
        ("state", answer.state),
        ("reason", answer.reason),
        ("next time", when(answer.next_time)),
        ("gap", f"{answer.gap:.2f} s ({answer.basis})"),
        ("visits", f"{answer.visits:,}, {counted(answer.faults, 'fault')} of the host"),
        ("queued", f"{answer.queued:,}"),
        ("turn", f"{_turn(answer.distance)}: {answer.distance_basis}" if answer.distance and answer.queued else ""),
        ("budget", f"{counted(answer.budget, 'page')} a round (its site is linked from {linkers})"),
        *(("robots.txt", f"{origin}: {told}") for origin, told in answer.robots.items()),
        *(("left out", f"{', '.join(names)} in {kind}") for kind, names in answer.dropped.items()),
        *(("soft 404", f"in {kind}") for kind in answer.disguised),
        ("mirror of", answer.mirror_of or ""),
        ("mirrors", ", ".join(answer.mirrors)),
    ]
    return "\n".join([f"host {cut(answer.host)}", *_table(rows)])


def page(found: Document, form: str) -> str:
    """A page in one of the forms, or the header fields it came with."""
    if form == "headers":
        return text(found.capture.head.decode("latin-1").replace("\r\n", "\n").rstrip())
    return text((forms.full if form == "full" else forms.FORMS[form])(found.page).rstrip("\n"))


def built(found: Built) -> str:
    """Every problem on a line, then what was made."""
    lines = [cut(problem) for problem in found.problems]
    made = f"made {counted(found.texts, 'text')}" if found.texts else "no text is missing"
    left = f"; {counted(found.unread, 'page')} could not be read" if found.unread else ""
    return "\n".join([*lines, f"{made}; looked at {counted(found.looked, 'page')}{left}"])


def verified(checked: Checked) -> str:
    """Every problem on a line, then the sum."""
    lines = [cut(problem) for problem in checked.problems]
    cure = "`gossamer verify DIR --repair` mends what can be mended"
    state = f"{counted(len(lines), 'problem')}; {cure}" if lines else "all is well"
    lines += map(cut, checked.notes)
    lines += [f"not read yet, `gossamer build DIR` tries again: {cut(each)}" for each in checked.unread]
    return "\n".join([*lines, f"{counted(checked.records, 'record')} and {counted(checked.rows, 'row')} read: {state}"])


def _table(rows: list[tuple[str, str]]) -> list[str]:
    return [f"  {name:<11}{cut(value)}" for name, value in rows if value]


def cut(said: str) -> str:
    """On one line, and not longer than a person would read. A cure, which stands at the end, stays."""
    if len(said) <= MOST_LETTERS:
        return line(said)
    ends = MOST_LETTERS * 2 // 3, MOST_LETTERS // 3
    return f"{line(said[: ends[0]])} ... ({len(said):,} characters, --json has all) ... {line(said[-ends[1] :])}"


def when(moment: float | None) -> str:
    """A time of this machine; nothing for none."""
    return "" if moment is None else time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(moment))
