"""Everything ends, but never while anybody works or anything is under way; tried on thousands of made histories."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field

import pytest

from gossamer.engine import termination
from gossamer.engine.termination import Answer, Ask, End, GoOn, Order, Quiet, Report, Stillness

# ---------------------------------------------------------------- one at a time


def still(*applied: int, sent: tuple[int, ...]) -> Report:
    return Report(True, sent, applied)


QUIET_PAIR = (still(0, 2, sent=(0, 3)), still(3, 0, sent=(2, 0)))


def test_all_are_asked_when_all_are_idle_and_nothing_is_under_way() -> None:
    detector = Quiet(2)
    assert detector.report(0, QUIET_PAIR[0]) is None
    assert detector.report(1, QUIET_PAIR[1]) == Ask(1)


@pytest.mark.parametrize(
    "other",
    [Report(False, (2, 0), (3, 0)), still(2, 0, sent=(2, 0)), still(3, 0, sent=(3, 0))],
    ids=["busy", "has not applied all", "has sent more"],
)
def test_nobody_is_asked_while_there_is_something_to_do(other: Report) -> None:
    detector = Quiet(2)
    detector.report(0, QUIET_PAIR[0])
    assert detector.report(1, other) is None


def asked() -> Quiet:
    detector = Quiet(2)
    for index, report in enumerate(QUIET_PAIR):
        detector.report(index, report)
    return detector


def test_it_is_over_when_all_say_yes() -> None:
    detector = asked()
    assert detector.answer(1, Answer(1, QUIET_PAIR[1])) is None
    assert not detector.over
    assert detector.answer(0, Answer(1, QUIET_PAIR[0])) == End()
    assert detector.over


def test_one_no_lets_all_go_on() -> None:
    detector = asked()
    detector.answer(0, Answer(1, QUIET_PAIR[0]))
    assert detector.answer(1, Answer(1, Report(False, (2, 0), (3, 0)))) == GoOn(1)
    assert detector.report(1, QUIET_PAIR[1]) == Ask(2)
    assert detector.answer(1, Answer(2, QUIET_PAIR[1])) is None


def test_a_yes_with_a_new_message_under_way_is_a_no() -> None:
    detector = asked()
    detector.answer(0, Answer(1, QUIET_PAIR[0]))
    assert detector.answer(1, Answer(1, still(3, 0, sent=(3, 0)))) == GoOn(1)


def test_a_death_cancels_the_question() -> None:
    detector = asked()
    detector.answer(0, Answer(1, QUIET_PAIR[0]))
    assert detector.died(1) == GoOn(1)
    assert detector.answer(1, Answer(1, QUIET_PAIR[1])) == Ask(2)


def test_a_late_answer_is_no_yes_to_the_next_question() -> None:
    detector = asked()
    detector.died(1)
    detector.report(1, QUIET_PAIR[1])
    detector.answer(0, Answer(2, QUIET_PAIR[0]))
    detector.answer(1, Answer(1, QUIET_PAIR[1]))
    assert not detector.over
    assert detector.answer(1, Answer(2, QUIET_PAIR[1])) == End()


def test_a_worker_that_dies_after_the_end_hears_of_it_when_it_is_back() -> None:
    detector = asked()
    for index, report in enumerate(QUIET_PAIR):
        detector.answer(index, Answer(1, report))
    assert detector.died(0) is None
    assert detector.report(0, Report(False, (0, 3), (0, 2))) == End()


def test_one_worker_alone_is_over_when_it_is_idle() -> None:
    detector, alone = Quiet(1), still(0, sent=(0,))
    assert detector.report(0, alone) == Ask(1)
    assert detector.answer(0, Answer(1, alone)) == End()


def test_a_worker_holds_still_from_its_yes_to_the_verdict() -> None:
    worker = Stillness()
    assert worker.told(Ask(4), QUIET_PAIR[0]) == Answer(4, QUIET_PAIR[0])
    assert worker.held
    worker.told(GoOn(3), QUIET_PAIR[0])
    assert worker.held
    worker.told(GoOn(4), QUIET_PAIR[0])
    assert not worker.held
    worker.told(End(), QUIET_PAIR[0])
    assert worker.held
    assert worker.over


def test_a_busy_worker_does_not_report_every_message() -> None:
    worker = Stillness()
    busy = [Report(False, (0, number), (0, 0)) for number in range(3)]
    assert [worker.changed(report) for report in busy] == [busy[0], None, None]
    assert worker.changed(QUIET_PAIR[0]) == QUIET_PAIR[0]
    assert worker.changed(QUIET_PAIR[0]) is None
    assert worker.changed(busy[0]) == busy[0]


@pytest.mark.parametrize("order", [Ask(7), GoOn(7), End()])
def test_orders_survive_the_wire(order: Order) -> None:
    assert termination.decode_order(termination.encode(order)) == order


@pytest.mark.parametrize("word", [QUIET_PAIR[0], Answer(7, QUIET_PAIR[1])])
def test_words_survive_the_wire(word: termination.Word) -> None:
    assert termination.decode_word(termination.encode(word)) == word


# --------------------------------------------------------------- made histories


@dataclass
class Worker:
    """What is durable of a worker, and the half of the protocol that is lost when it dies."""

    index: int
    count: int
    todo: int = 1
    timers: int = 2
    alive: bool = True
    protocol: Stillness = field(default_factory=Stillness)

    def __post_init__(self) -> None:
        self.sent = [0] * self.count
        self.applied = [0] * self.count

    def report(self) -> Report:
        return Report(not self.todo, tuple(self.sent), tuple(self.applied))


DEATH = 0.03
"""Chance that a worker may die at a step; low enough that some deaths come late, even after the end."""


class History:
    """Workers, lines in order with any delay, timers and deaths; a draw decides what happens next."""

    def __init__(self, seed: int, detector: Quiet, count: int) -> None:
        self.draw = random.Random(seed)
        self.late_deaths = 0
        self.detector = detector
        self.workers = [Worker(index, count) for index in range(count)]
        self.data: dict[tuple[int, int], deque[int]] = {(i, j): deque() for i in range(count) for j in range(count)}
        self.words: list[deque[bytes]] = [deque() for _ in range(count)]
        self.orders: list[deque[bytes]] = [deque() for _ in range(count)]
        self.messages, self.deaths, self.ended = 30, 4, False
        for worker in self.workers:
            self.say(worker)

    def run(self) -> None:
        while steps := self.possible():
            what, index, other = self.draw.choice(steps)
            getattr(self, what)(index, other)

    def possible(self) -> list[tuple[str, int, int]]:
        """Everything that can happen next."""
        steps = [("apply", i, j) for (i, j), line in self.data.items() if line and self.workers[j].alive]
        for worker in self.workers:
            i, free = worker.index, worker.alive and not worker.protocol.held
            rules = {
                "work": free and worker.todo,
                "wake": free and worker.timers,
                "obey": worker.alive and self.orders[i],
                "hear": self.words[i],
                "die": worker.alive and self.deaths and self.draw.random() < DEATH,
                "be_reborn": not worker.alive,
            }
            steps += [(name, i, 0) for name, holds in rules.items() if holds]
        return steps

    # What happens.

    def work(self, index: int, _: int) -> None:
        worker = self.workers[index]
        while self.messages and self.draw.random() < 0.5:
            self.messages -= 1
            to = self.draw.choice([each.index for each in self.workers if each is not worker])
            worker.sent[to] += 1
            self.data[index, to].append(worker.sent[to])
        worker.todo -= 1
        self.say(worker)

    def wake(self, index: int, _: int) -> None:
        worker = self.workers[index]
        worker.timers -= 1
        worker.todo += 1
        self.say(worker)

    def apply(self, source: int, target: int) -> None:
        number, worker = self.data[source, target].popleft(), self.workers[target]
        if number == worker.applied[source] + 1:
            worker.applied[source] = number
            worker.todo += self.draw.random() < 0.7
            self.say(worker)

    def obey(self, index: int, _: int) -> None:
        worker = self.workers[index]
        answer = worker.protocol.told(termination.decode_order(self.orders[index].popleft()), worker.report())
        if answer is not None:
            self.words[index].append(termination.encode(answer))

    def hear(self, index: int, _: int) -> None:
        self.order(self.detector.told(index, termination.decode_word(self.words[index].popleft())))

    def die(self, index: int, _: int) -> None:
        """What it said last is still heard; what was on its way to it is lost."""
        self.deaths -= 1
        self.late_deaths += self.ended
        while self.words[index]:
            self.hear(index, 0)
        self.workers[index].alive = False
        for source in range(len(self.workers)):
            self.data[source, index].clear()
        self.orders[index].clear()
        self.order(self.detector.died(index))

    def be_reborn(self, index: int, _: int) -> None:
        """It begins with what is durable, and all send again what it has not applied."""
        worker = self.workers[index]
        worker.alive, worker.protocol = True, Stillness()
        for source in self.workers:
            self.data[source.index, index].extend(range(worker.applied[source.index] + 1, source.sent[index] + 1))
        self.say(worker)

    # What is said.

    def say(self, worker: Worker) -> None:
        report = worker.protocol.changed(worker.report())
        if report is not None:
            self.words[worker.index].append(termination.encode(report))

    def order(self, order: Order | None) -> None:
        if isinstance(order, End) and not self.ended:
            self.ended = True
            self.check_that_all_is_over()
        if order is not None:
            for worker in self.workers:
                if worker.alive:
                    self.orders[worker.index].append(termination.encode(order))

    def check_that_all_is_over(self) -> None:
        for worker in self.workers:
            assert not worker.todo, "ended while somebody works"
            assert worker.alive, "ended without somebody"
            assert worker.protocol.held, "ended though somebody may wake up"
            for other in self.workers:
                assert worker.sent[other.index] == other.applied[worker.index], "ended while something is under way"


def tell(seed: int, detector: Quiet, count: int) -> History:
    history = History(seed, detector, count)
    history.run()
    return history


@pytest.mark.parametrize("count", [2, 3, 5])
def test_every_history_ends_and_none_too_early(count: int) -> None:
    late_deaths = 0
    for seed in range(400):
        history = tell(seed, Quiet(count), count)
        assert history.detector.over, f"history {seed} never ends"
        assert all(worker.protocol.over for worker in history.workers)
        late_deaths += history.late_deaths
    assert late_deaths, "none died between the end and hearing of it"


class Hasty(Quiet):
    """Does not ask again."""

    def report(self, index: int, report: Report) -> Order | None:
        return End() if isinstance(super().report(index, report), Ask) else None


class Blind(Quiet):
    """Does not look at what is under way."""

    def _all_still(self) -> bool:
        return all(report is not None and report.idle for report in self._reports)


class Forgetful(Quiet):
    """Does not care for deaths."""

    def died(self, index: int) -> Order | None:
        return None


@pytest.mark.parametrize("wrong", [Hasty, Blind, Forgetful])
def test_the_histories_find_a_detector_that_is_wrong(wrong: type[Quiet]) -> None:
    found = 0
    for seed in range(400):
        try:
            found += not tell(seed, wrong(3), 3).detector.over
        except AssertionError:
            found += 1
    assert found
