"""When is the crawl over? When no worker is busy and no message is under way, at one and the same moment.

Distributed termination detection with a counter for every pair, after the vector counters of F. Mattern, "Algorithms
for distributed termination detection", Distributed Computing 2, 1987. Each worker reports whether it is idle, the
number of the last message it sent to each other worker, and of the last one it applied from each. When all are idle and
each has applied what was sent to it, that may still be hindsight: the reports are of different moments, and a timer may
have woken a worker since. So all of them are asked once more. We differ in that second wave: a worker that says yes
starts nothing until the verdict. Then at the moment of the last yes all were idle, and its counters show that no
message was under way.

Messages are numbered, not counted, so one that is sent again after a death does not count twice. A death cancels the
question; the new worker speaks for itself. Only decisions are here: the caller carries the messages.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec


class Report(msgspec.Struct, frozen=True, tag="report", array_like=True):
    """How a worker is."""

    idle: bool
    sent: tuple[int, ...]
    """For each worker, the number of the last message sent to it."""
    applied: tuple[int, ...]
    """For each worker, the number of the last message from it that was applied."""


class Ask(msgspec.Struct, frozen=True, tag="ask", array_like=True):
    """To all: are you still idle? Who says yes does nothing until it hears `GoOn` or `End`."""

    round: int


class Answer(msgspec.Struct, frozen=True, tag="answer", array_like=True):
    """Yes if the report says idle."""

    round: int
    report: Report


class GoOn(msgspec.Struct, frozen=True, tag="go-on", array_like=True):
    """To all: it was not over."""

    round: int


class End(msgspec.Struct, frozen=True, tag="end", array_like=True):
    """To all: it is over."""


Order: TypeAlias = Ask | GoOn | End
Word: TypeAlias = Report | Answer

encode = msgspec.msgpack.Encoder().encode
decode_order = msgspec.msgpack.Decoder(Order).decode
decode_word = msgspec.msgpack.Decoder(Word).decode


class Quiet:
    """The supervisor's half. Each method gives what to send to all workers now, if anything."""

    def __init__(self, count: int) -> None:
        self._reports: list[Report | None] = [None] * count
        self._answered: set[int] = set()
        self._asking = False
        self._round = 0
        self.over = False

    def told(self, index: int, word: Word) -> Order | None:
        """A worker reports or answers."""
        return self.answer(index, word) if isinstance(word, Answer) else self.report(index, word)

    def report(self, index: int, report: Report) -> Order | None:
        """A worker is not as it was."""
        self._reports[index] = report
        if self.over:
            return End()  # a worker that died after the end may not have heard of it
        if self._asking or not self._all_still():
            return None
        self._asking = True
        self._answered.clear()
        self._round += 1
        return Ask(self._round)

    def answer(self, index: int, answer: Answer) -> Order | None:
        """A worker says whether it is still idle. An answer that comes too late is news like any other."""
        if not self._asking or answer.round != self._round:
            return self.report(index, answer.report)
        self._reports[index] = answer.report
        self._answered.add(index)
        if not answer.report.idle:
            return self._go_on()
        if len(self._answered) < len(self._reports):
            return None
        self.over = self._all_still()
        return End() if self.over else self._go_on()

    def died(self, index: int) -> Order | None:
        """A worker died; it reports when it is back."""
        self._reports[index] = None
        return self._go_on() if self._asking and not self.over else None

    def _go_on(self) -> GoOn:
        self._asking = False
        return GoOn(self._round)

    def _all_still(self) -> bool:
        reports = [report for report in self._reports if report is not None and report.idle]
        return len(reports) == len(self._reports) and all(
            report.sent[to] == reports[to].applied[index]
            for index, report in enumerate(reports)
            for to in range(len(reports))
        )


class Stillness:
    """A worker's half: what to tell the supervisor, and when to hold still."""

    def __init__(self) -> None:
        self._last: Report | None = None
        self._held: int | None = None
        self.over = False

    @property
    def held(self) -> bool:
        """Nothing may be begun now, whatever falls due."""
        return self.over or self._held is not None

    def changed(self, report: Report) -> Report | None:
        """What to tell of a change. While a worker is busy, its counters are nobody's business."""
        if report == self._last or not (report.idle or self._last is None or self._last.idle):
            return None
        self._last = report
        return report

    def told(self, order: Order, now: Report) -> Answer | None:
        """The answer to a question of the supervisor; a verdict needs none."""
        match order:
            case Ask(round):
                self._held = round if now.idle else None
                self._last = now
                return Answer(round, now)
            case GoOn(round) if round == self._held:
                self._held = None
            case End():
                self.over = True
        return None
