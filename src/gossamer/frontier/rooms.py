"""Which rooms does a frontier have beside its parts, and how are they put together?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from gossamer.frontier.answer.answers import Answers
from gossamer.frontier.answer.imported import Imported
from gossamer.frontier.answer.transitions import Settlement
from gossamer.frontier.discover.guesses import Guesses
from gossamer.frontier.discover.intake import Intake
from gossamer.frontier.discover.listings import Listings
from gossamer.frontier.discover.reconsideration import Reconsideration
from gossamer.frontier.in_flight import InFlight
from gossamer.frontier.parts import Parts
from gossamer.frontier.polite.blame import Blame
from gossamer.frontier.polite.robots_answers import RobotsAnswers
from gossamer.frontier.polite.schedule import Schedule, Waiting
from gossamer.frontier.queue.active_origins import ActiveOrigins
from gossamer.frontier.queue.choice import Choice
from gossamer.frontier.revisit.watch import Watch
from gossamer.frontier.rules import Outward
from gossamer.frontier.shards.inbox import Inbox


@dataclass(frozen=True, slots=True)
class Rooms:
    """What the three verbs work with."""

    parts: Parts
    in_flight: InFlight
    schedule: Schedule
    active: ActiveOrigins
    intake: Intake
    watch: Watch | None
    """Where pages are visited again."""
    settle: Settlement
    listings: Listings
    reconsideration: Reconsideration
    choice: Choice
    blame: Blame
    answers: Answers
    imported: Imported
    guesses: Guesses
    robots: RobotsAnswers
    inbox: Inbox


def furnish(parts: Parts, outward: Outward, wake: Callable[[], None]) -> Rooms:
    """Each gets those before it. `wake` is called when somebody may have become due."""
    rules, schedule = parts.rules, _schedule(parts, outward, wake)
    active = ActiveOrigins(parts, schedule)
    intake = Intake(parts, active, outward.learned)
    watch = Watch(parts, intake, rules.watch, outward) if rules.watch else None
    settle = Settlement(parts.ledger, parts.queues, parts.retries, parts.clock, intake.flow, watch)
    listings = Listings(parts, active, intake, outward.again, watch)
    reconsideration = Reconsideration(parts, intake, settle)
    answers, guesses = Answers(parts, active, intake, settle, listings, watch), Guesses(parts, intake, settle)
    return Rooms(
        parts=parts,
        in_flight=InFlight(parts),
        schedule=schedule,
        active=active,
        intake=intake,
        watch=watch,
        settle=settle,
        listings=listings,
        reconsideration=reconsideration,
        choice=Choice(parts, schedule, active, intake, settle, listings, reconsideration),
        blame=Blame(parts, schedule, active, intake),
        answers=answers,
        imported=Imported(parts, active, intake, answers),
        guesses=guesses,
        robots=RobotsAnswers(parts, active, intake, guesses),
        inbox=Inbox(parts, intake, outward.copied),
    )


def _schedule(parts: Parts, outward: Outward, wake: Callable[[], None]) -> Schedule:
    peers, waiting = parts.peers, Waiting(parts.waiting_origins, parts.dates)
    if peers is None:
        return Schedule(parts.rules, parts.clock, waiting, wake, outward.resolve)
    leased_until = partial(getattr, peers, "leased_until")
    return Schedule(parts.rules, parts.clock, waiting, wake, outward.resolve, peers.leases, leased_until)
