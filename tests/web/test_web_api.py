"""The API answers as the command line does, says what it can be asked, and is not upset by what strangers ask."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from api_server import PAGE, TOKEN, Client, serving

import gossamer
from gossamer.cli.main import main
from gossamer.web.api.questions import QUESTIONS
from harness.read_only import looks

ASKED: list[tuple[str, dict[str, object]]] = [
    ("search", {"q": "cascade"}),
    ("search", {"q": "cascade", "facets": "true", "explain": "true", "limit": 3}),
    ("search", {"q": "heron", "sort": "-date", "offset": 1}),
    ("pages", {}),
    ("pages", {"site": "example.org", "limit": 3}),
    ("page", {"url": PAGE}),
    ("page", {"url": "example.org/guide/indexes", "at": "2036-11-01"}),
    ("links", {"url": PAGE}),
    ("history", {"url": PAGE}),
    ("diff", {"url": PAGE}),
    ("diff", {"url": PAGE, "old": 1, "new": 2}),
    ("similar", {"url": PAGE}),
    ("hosts", {}),
    ("host", {"host": "example.org"}),
    ("hosts", {"sort": "pages", "search": "exam", "limit": 1}),
    ("hosts", {"site": "example.org"}),
    ("status", {}),
    ("series", {}),
    ("series", {"since": "2001-01-01", "points": 1}),
    ("why", {"subject": PAGE}),
    ("why", {"subject": "example.org"}),
    ("broken", {}),
    ("changes", {}),
    ("changes", {"since": "2001-01-01"}),
]
LISTS = {"pages": "pages", "hosts": "hosts", "broken": "broken", "changes": "changes"}
HOSTILE = ["\0", "\ufffd", "🕸" * 50, "-1", "9" * 400, "1e308", "NaN", "null", "../../etc/passwd", "http://", "::",
           "[", "http://[::", "%", "a" * 5_000, "\u202e", "<script>", "' OR 1=1", "2026-13-45", "\r\nx: y"]  # fmt: skip


@pytest.fixture(scope="module")
def description(client: Client) -> dict[str, Any]:
    found: dict[str, Any] = client.api("openapi.json")
    return found


def schema_of(description: dict[str, Any], name: str) -> dict[str, Any]:
    answer = description["paths"][f"/{name}"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    return {**answer, "components": description["components"]}


@pytest.mark.parametrize(("name", "query"), ASKED, ids=lambda each: str(each)[:40])
def test_every_answer_is_what_the_description_says(
    client: Client, description: dict[str, Any], name: str, query: dict[str, object]
) -> None:
    jsonschema.Draft202012Validator(schema_of(description, name)).validate(client.api(name, **query))


def test_every_question_is_asked_here() -> None:
    assert {name for name, _ in ASKED} == {question.name for question in QUESTIONS}


def test_the_description_names_every_parameter_that_is_known(description: dict[str, Any]) -> None:
    assert description["openapi"] == "3.1.0"
    for question in QUESTIONS:
        told = description["paths"][f"/{question.name}"]["get"]["parameters"]
        assert [each["name"] for each in told] == list(question.takes.__struct_fields__)
        assert all(each["description"] for each in told)


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> list[Any]:
    assert main([*words]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_answers_are_those_of_the_command_line(client: Client, dated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(dated)
    (told,) = printed(capsys, "search", folder, "--json", "cascade")
    here = client.api("search", q="cascade", facets="true")
    assert {**told, "seconds": 0} == {**here, "seconds": 0}
    for verb in ("links", "show"):
        (told,) = printed(capsys, verb, folder, PAGE, "--json")
        assert told == client.api("page" if verb == "show" else verb, url=PAGE)
    (told,) = printed(capsys, "status", folder, "--json")
    assert told == client.api("status")
    assert printed(capsys, "history", folder, PAGE, "--json") == client.api("history", url=PAGE)["versions"]
    assert printed(capsys, "broken", folder, "--json") == client.api("broken")["broken"]
    assert printed(capsys, "changes", folder, "--json", "-n", "0") == client.api("changes")["changes"]
    newest = client.api("changes", sort="newest", limit=2, q="release", since="2026-11-02", site="example.org")
    options = ("--json", "-n", "2", "--since", "2026-11-02", "--site", "example.org", "release")
    assert printed(capsys, "changes", folder, *options) == newest["changes"]
    assert newest["next"] is None
    assert printed(capsys, "list", folder, "--hosts", "--json") == client.api("hosts")["hosts"]
    (told,) = printed(capsys, "why", folder, "example.org", "--json")
    assert told == client.api("host", host="example.org") == client.api("hosts", site="example.org")["hosts"][0]
    found = [each["url"] for each in printed(capsys, "list", folder, "--state", "page", "--json")]
    assert found == [each["url"] for each in client.api("pages")["pages"]]


# ------------------------------------------------------------------------ pages


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("limit", [1, 2, 7])
def test_pages_of_a_list_repeat_nothing_and_leave_nothing_out(client: Client, name: str, limit: int) -> None:
    whole = client.api(name)[LISTS[name]]
    found, cursor = [], {}
    while True:
        some = client.api(name, limit=limit, **cursor)
        found += some[LISTS[name]]
        assert len(some[LISTS[name]]) <= limit
        if some["next"] is None:
            break
        cursor = {"cursor": some["next"]}
    assert found == whole
    assert whole


def test_a_cursor_holds_when_what_it_names_is_gone(client: Client) -> None:
    from gossamer.web.api.cursors import Cursor, written

    whole = [each["url"] for each in client.api("pages")["pages"]]
    after = client.api("pages", cursor=written(Cursor("https://example.org/guide/h-is-no-page")))
    assert [each["url"] for each in after["pages"]] == [url for url in whole if url > "https://example.org/guide/h-is"]


def test_a_cursor_names_a_time_that_is_in_the_calendar(client: Client) -> None:
    from gossamer.web.api.cursors import Cursor, written

    for since in (float("nan"), float("inf"), 1e300, -1e300, 253_402_300_800.0, -62_135_596_801.0):
        assert client.get("/api/v1/changes", cursor=written(Cursor(PAGE, since))).status == 400
    for since in (0.0, -62_135_596_800.0, 253_402_300_799.0):
        assert client.get("/api/v1/changes", cursor=written(Cursor(PAGE, since))).status == 200


@pytest.mark.parametrize("cursor", ["x", "§", "kqkxMjcuMC4xLjLA" * 9, "gA", "kaFh", "kaPtoIA"])
@pytest.mark.parametrize("name", ["pages", "broken", "changes", "hosts"])
def test_a_cursor_that_is_none_of_ours_is_refused_with_the_cure(client: Client, name: str, cursor: str) -> None:
    reply = client.get(f"/api/v1/{name}", cursor=cursor)
    assert reply.status == 400
    assert "leave it out to begin" in reply.json["detail"] or "no cursor of a page of hosts" in reply.json["detail"]


# ------------------------------------------------------------------------ marks


@pytest.mark.parametrize(("name", "query"), ASKED, ids=lambda each: str(each)[:40])
def test_what_is_known_is_not_sent_again(client: Client, name: str, query: dict[str, object]) -> None:
    first = client.get(f"/api/v1/{name}", **query)
    mark = first.headers["etag"]
    assert mark.startswith('W/"')
    for known in (mark, mark.removeprefix("W/"), f'"other", {mark}'):
        again = client.get(f"/api/v1/{name}", {"if-none-match": known}, **query)
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", mark), known
    assert client.get(f"/api/v1/{name}", {"if-none-match": 'W/"other"'}, **query).status == 200


def test_another_question_or_another_state_has_another_mark(dated: Path, tmp_path: Path) -> None:
    copy = tmp_path / "my-web"
    shutil.copytree(dated, copy)
    with serving(copy) as client:
        marks = {client.get("/api/v1/pages", limit=limit).headers["etag"] for limit in (1, 2)}
        assert len(marks) == 2
        with gossamer.open(copy) as web:
            web.build(convert=True)
        while (now := client.get("/api/v1/pages", limit=1).headers["etag"]) in marks:
            pass  # a reader is as good as new for a second
        assert now not in marks


# ----------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("name", "query", "words"),
    [
        ("search", {}, "q: is missing"),
        ("search", {"q": "a", "nmber": 1}, "there are q, limit, offset, sort, facets, explain"),
        ("search", {"q": "a", "limit": 0}, "limit: must be a whole number from 1 to 100"),
        ("search", {"q": "a", "limit": "ten"}, "limit: must be a whole number from 1 to 100"),
        ("search", {"q": "a", "sort": "size"}, "one of -date, date, relevance"),
        ("search", {"q": "a", "facets": "maybe"}, "facets: must be true or false"),
        ("search", {"q": "a" * 5_001}, "q: must be a text of 1 to 5,000 characters"),
        ("pages", {"site": ""}, "site: must be a text of 1 to"),
        ("page", {"url": PAGE, "at": "tomorrow"}, "not a time"),
        ("host", {"host": "a/b"}, "host: must be a text"),
        ("status", {"x": 1}, "none is known here"),
        ("diff", {"url": "https://example.org/news/7"}, "nothing to compare"),
    ],
)
def test_a_fault_names_its_cure(client: Client, name: str, query: dict[str, object], words: str) -> None:
    reply = client.get(f"/api/v1/{name}", **query)
    assert reply.status in (400, 404)
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json["status"] == reply.status
    assert reply.json["instance"] == f"/api/v1/{name}"
    assert words in reply.json["detail"]


def test_a_parameter_is_given_once(client: Client) -> None:
    reply = client.get("/api/v1/search?q=a&q=b")
    assert reply.status == 400
    assert "give it once" in reply.json["detail"]


@pytest.mark.parametrize("name", ["page", "links", "history", "diff", "why", "similar", "host"])
def test_what_is_not_there_is_a_problem_too(client: Client, name: str) -> None:
    subject = {"why": "subject", "host": "host"}.get(name, "url")
    reply = client.get(
        f"/api/v1/{name}", **{subject: "nobody.example" if name == "host" else "https://nobody.example/"}
    )
    assert (reply.status, reply.json["status"]) in ((404, 404), (200, None))
    assert reply.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda each: each.name)
def test_hostile_parameters_are_answered_or_refused(client: Client, question: Any) -> None:
    needed = dict(next(query for name, query in ASKED if name == question.name))
    for name in question.takes.__struct_fields__:
        for value in HOSTILE:
            reply = client.get(f"/api/v1/{question.name}", **{**needed, name: value})
            assert reply.status in (200, 400, 404), (name, value, reply.body)
    for raw in ("%ff%fe", "%ed%a0%80", "%00", "&&&=", "=", "%", "%zz", "+" * 9_000):
        assert client.get(f"/api/v1/{question.name}?{raw}").status in (200, 400, 404), raw


def test_a_megabyte_is_refused(client: Client) -> None:
    import http.client

    try:
        status = client.get("/api/v1/search", q="a" * 1_000_000).status
    except (OSError, http.client.HTTPException):
        status = 400  # the connection was closed before all of it was sent
    assert status in (400, 414, 431)
    assert client.get("/health").status == 200


# ------------------------------------------------------------------------ access


def test_the_token_may_be_in_a_form_and_what_is_sent_is_bounded(client: Client) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    for fields, status in ((f"token={TOKEN}", 405), ("token=another", 403), ("", 403), ("a=1&" * 200, 403)):
        body = fields.replace(" ", "+").encode()
        assert client.send("POST", "/api/v1/status", form, body).status == status, fields[:40]
    assert client.send("POST", "/api/v1/status", form, b"a" * 1_100_000).status == 413


def test_a_server_that_only_shows_refuses_also_with_the_token(dated: Path) -> None:
    with serving(dated, read_only=True) as client:
        reply = client.send("POST", "/api/v1/search", {"x-gossamer-token": TOKEN})
        assert reply.status == 403
        assert reply.headers["content-type"] == "application/problem+json"
        assert client.api("status")["pages"]


def test_nobody_elses_page_may_read_answers(client: Client) -> None:
    reply = client.get("/api/v1/status", {"origin": "http://evil.example"})
    assert "access-control-allow-origin" not in reply.headers
    assert reply.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize(("name", "query"), ASKED, ids=lambda each: str(each)[:40])
def test_the_head_alone_can_be_asked_for(client: Client, name: str, query: dict[str, object]) -> None:
    reply = client.send("HEAD", f"/api/v1/{name}", **query)
    assert (reply.status, reply.body) == (200, b"")
    assert int(reply.headers["content-length"]) > 1


def test_asking_changes_nothing(client: Client, dated: Path) -> None:
    before = looks(dated)
    for name, query in ASKED:
        client.api(name, **query)
    assert looks(dated) == before


# ------------------------------------------------------------------------ metrics


def test_metrics_are_in_the_text_format_and_count_questions(client: Client) -> None:
    def read() -> dict[str, float]:
        reply = client.get("/metrics")
        assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
        lines = [line for line in reply.body.decode().splitlines() if not line.startswith("#")]
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}

    first = read()
    status = client.api("status")
    assert first["gossamer_pages"] == status["pages"]
    assert first["gossamer_failed"] == status["failed"]
    assert first["gossamer_crawling"] == 0
    after = read()
    assert after["gossamer_question_seconds_count"] == first["gossamer_question_seconds_count"] + 2
    assert after['gossamer_question_seconds_bucket{le="+Inf"}'] == after["gossamer_question_seconds_count"]
    assert after["gossamer_question_seconds_sum"] > first["gossamer_question_seconds_sum"]
