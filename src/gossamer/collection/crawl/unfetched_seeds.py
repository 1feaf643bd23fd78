"""Why has a crawl fetched nothing at all? What is known of its seeds, in words, with the cure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING

from gossamer.collection.seed_list import SeedList
from gossamer.errors import NotFound, NothingFetched
from gossamer.fetch.digest_auth import schemes
from gossamer.frontier.entries import State
from gossamer.printable import counted, log
from gossamer.urls import paths
from gossamer.urls.seeds import address, as_seed, has_login, in_place_of, is_guessed

if TYPE_CHECKING:
    from gossamer.collection.ask.reading import Reading
    from gossamer.fetch.logins import Logins
    from gossamer.plan import Plan

_UNAUTHORIZED = 401
_LOG_IN = "`--auth USER` logs in, with the password in GOSSAMER_PASSWORD (from Python `credentials=`)"
_DIGEST = "a `digest` line in the file of `--login FILE` logs in (docs/logins.md)"
SEEDS_SAID = 3
"""Seeds of a crawl that fetched nothing, of which it is said why."""
_NAMED = 3
"""Kinds of login that a server names."""


def warn_of_logins(seeds: Iterable[str]) -> None:
    """A password in an address would be kept with it, and sent to whoever it leads to."""
    for seed in islice(filter(has_login, seeds), 1):
        log.warning("seed %s: the name and password in it are not used; %s", as_seed(seed), _LOG_IN)


def warned_of_logins(seeds: Iterable[str]) -> Iterator[str]:
    """The same for a long list, as it is gone through: all of them."""
    said = False
    for seed in seeds:
        if not said and has_login(seed):
            said = True
            warn_of_logins([seed])
        yield seed


def require_fetched(asked: Reading, plan: Plan, sending: Logins, pages: int, *, is_over: bool) -> None:
    """NothingFetched, unless the time `is_over` and nothing could be tried. `pages` are here from before."""
    if plan.folders and is_over:
        return
    if plan.folders:
        raise NothingFetched(f"{asked.path}: no file that may be read in {' '.join(map(paths.shown, plan.folders))}")
    tried = [*islice(chain(plan.seeds, SeedList(asked.path)), SEEDS_SAID + 1)]
    if not ((pages or is_over) and are_untried(asked, tried)):
        said = tried[:SEEDS_SAID]
        reasons = [f"{seed}: {reason(asked, address(seed), sending)}" for seed in said]
        if len(tried) > len(said):
            reasons.append(f"`gossamer status {asked.path}` counts the reasons of the other seeds")
        cure = "; `gossamer remove DIR SEED` takes out a seed that is wrong" if plan.seeds else ""
        if pages:
            kept = f"; no page came again; what is here stays as it was ({counted(pages, 'page')})"
            cure = f"{kept}; `gossamer crawl {asked.path} --revisit` tries again"
        raise NothingFetched("; ".join(reasons) + cure)


def are_untried(asked: Reading, seeds: Iterable[str]) -> bool:
    """Has none of them been asked for, nor their hosts failed? Then it is no fault of theirs."""
    from gossamer.frontier.why import AddressAnswer  # most crawls fetch something, and never ask

    for seed in seeds:
        try:
            answer = asked.why(address(seed))
        except NotFound:
            continue
        if not isinstance(answer, AddressAnswer) or answer.state != State.QUEUED.name.lower() or answer.attempts:
            return False
        if answer.host is not None and answer.host.faults:
            return False
    return True


def failed(asked: Reading, seeds: Iterable[str]) -> Iterator[str]:
    """Which seeds of a command have brought nothing, and why: whoever named them counts on them."""
    from gossamer.frontier.why import AddressAnswer  # as above

    for seed in map(as_seed, seeds):
        answers = []
        for url in (address(seed), in_place_of(address(seed))) if is_guessed(seed) else (seed,):
            with suppress(NotFound):
                answers.append(asked.why(url))
        told = [each for each in answers if isinstance(each, AddressAnswer)]
        if told and not any(each.state == "done" or (each.state == "queued" and not each.attempts) for each in told):
            yield f"{seed}: {told[0].reason}"


def reason(asked: Reading, seed: str, sending: Logins) -> str:
    """What became of a seed."""
    from gossamer.frontier.why import AddressAnswer  # as above

    try:
        answer = asked.why(seed)
    except NotFound:
        return "never met; a rule of the plan turns it into another address"
    if isinstance(answer, AddressAnswer) and answer.status == _UNAUTHORIZED:
        return f"{answer.reason}, {_refused(asked, seed, sending)}"
    return answer.reason


def _refused(asked: Reading, seed: str, sending: Logins) -> str:
    """What a server wants that asks who we are."""
    if sending.says_who(seed):
        return "it does not accept the login that was sent; check the name and the password"
    kept = asked.answer_if_kept(seed)
    kinds = schemes(kept.capture.header_values("www-authenticate"))[:_NAMED] if kept else []
    listed = f" ({', '.join(kinds)})" if kinds else ""
    wanted = f"it wants a login{listed}"
    if sending.holds(seed):
        wanted += ", and does not take the header that was sent for one"
    return f"{wanted}; {_DIGEST if {kind.lower() for kind in kinds} == {'digest'} else _LOG_IN}"
