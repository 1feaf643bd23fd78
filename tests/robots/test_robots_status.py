from __future__ import annotations

import pytest

from gossamer.robots import Verdict, verdict


@pytest.mark.parametrize("status", [200, 203, 204, 206])
def test_an_answer_is_parsed(status: int) -> None:
    assert verdict(status) is Verdict.RULES


@pytest.mark.parametrize("status", [301, 308, 400, 401, 403, 404, 410, 418, 451])
def test_no_file_and_too_many_redirects_allow_everything(status: int) -> None:
    assert verdict(status) is Verdict.UNAVAILABLE


@pytest.mark.parametrize("status", [304, 429, 500, 502, 503, 504, 599, 0, 100, 600, 999, -1])
def test_trouble_never_allows_anything(status: int) -> None:
    assert verdict(status) is Verdict.UNREACHABLE
