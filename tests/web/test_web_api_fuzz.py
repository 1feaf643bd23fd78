"""Whatever fits the description is answered as it says, and what does not fit is refused: never with a 500."""

from __future__ import annotations

from typing import Any

import pytest
import requests
import schemathesis
from api_server import Client
from hypothesis import HealthCheck, Phase, given, settings
from requests.exceptions import ChunkedEncodingError
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from gossamer.web.api.questions import QUESTIONS
from gossamer.web.api.steering import ACTIONS
from gossamer.web.serving import LOCAL

NAMES = [
    *(question.name for question in QUESTIONS),
    "export.jsonl",
    "steering",
    *(f"steering/{action.name}" for action in ACTIONS),
]
FEW, MANY = 8, -(-5_000 // len(NAMES))
"""Requests for each question and each mode in a short run, and in a long one of ten thousand."""
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
HEAD_MOST = 60_000
"""Bytes of a request that are always read."""
SEEDED = settings(
    deadline=None, derandomize=True, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module")
def api(client: Client) -> Any:
    return schemathesis.openapi.from_url(f"http://{LOCAL}:{client.port}/api/v1/openapi.json")


def ask(api: Any, name: str, mode: GenerationMode, number: int) -> None:
    """So many requests, each checked against the description. Without the token, nothing is changed."""
    operation = api[f"/{name}"]["POST" if name.startswith("steering/") else "GET"]
    if mode.is_negative and not (operation.query or operation.body):
        return  # nothing can be wrong with a question that takes nothing

    @settings(SEEDED, max_examples=number)
    @given(case=operation.as_strategy(generation_mode=mode))
    def checked(case: Any) -> None:
        try:
            case.call_and_validate(checks=CHECKS)
        except (requests.ConnectionError, ChunkedEncodingError):  # it was refused before all of it was sent
            assert len(case.as_curl_command()) > HEAD_MOST

    checked()


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("name", NAMES)
def test_no_request_upsets_the_server(api: Any, name: str, mode: GenerationMode) -> None:
    ask(api, name, mode, FEW)


@pytest.mark.soak
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("name", NAMES)
def test_ten_thousand_requests_do_not_upset_the_server(api: Any, name: str, mode: GenerationMode) -> None:
    ask(api, name, mode, MANY)
