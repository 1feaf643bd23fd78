"""What is sent to others is sent again where that may help, and only there."""

from __future__ import annotations

import pytest

from gossamer.collection.posting import may_pass
from gossamer.model import Capture, Failure, Fault, Visit


@pytest.mark.parametrize(
    ("status", "again"),
    [(200, False), (400, False), (404, False), (408, True), (425, True), (429, True), (499, False), (500, True)],
)
def test_an_answer_that_may_be_better_in_a_moment_is_asked_for_again(status: int, again: bool) -> None:
    assert may_pass(Capture(Visit("http://a.test/"), 0, 0, status)) == again


@pytest.mark.parametrize("fault", list(Fault))
def test_no_answer_may_be_one_in_a_moment_unless_it_may_not_be_asked(fault: Fault) -> None:
    failed = Capture(Visit("http://a.test/"), 0, 0, failure=Failure(fault, "x"))
    assert may_pass(failed) == (fault not in (Fault.BLOCKED_ADDRESS, Fault.PROTOCOL))
    assert not may_pass(Capture(Visit("http://a.test/"), 0, 0))
