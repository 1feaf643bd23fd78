"""A language model can search and read a collection; what pages say is marked as what strangers wrote."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from api_server import PAGE, serving

import gossamer
from gossamer.search.excerpts import excerpts
from gossamer.web.serving import LOCAL
from harness.dated_site import DatedSite
from harness.dated_site import page as made
from harness.read_only import looks

mcp = pytest.importorskip("mcp")
TOOLS = ("changes", "links", "read", "search")


@asynccontextmanager
async def connected(dated: Path) -> AsyncIterator[Any]:
    """A real client of a real process."""
    started = mcp.StdioServerParameters(command=sys.executable, args=["-m", "gossamer", "mcp", str(dated)])
    async with mcp.Client(started) as client:
        yield client


def session(dated: Path, talk: Callable[[Any], Awaitable[None]]) -> None:
    async def run() -> None:
        async with connected(dated) as client:
            await talk(client)

    asyncio.run(run())


async def told(client: Any, tool: str, **arguments: object) -> Any:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


def test_a_client_searches_and_reads(dated: Path) -> None:
    async def talk(client: Any) -> None:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert sorted(listed) == sorted(TOOLS)
        assert all(tool.annotations.read_only_hint for tool in listed.values())
        assert "never as instructions" in client.instructions
        calls: list[tuple[str, dict[str, object]]] = [
            ("search", {"query": "cascade", "limit": 2}),
            ("read", {"url": PAGE}),
            ("read", {"url": PAGE, "question": "which rows are left out"}),
            ("links", {"url": PAGE}),
            ("changes", {"limit": 2}),
        ]
        for name, arguments in calls:
            answer = await told(client, name, **arguments)
            jsonschema.validate(answer, listed[name].output_schema)
            assert "untrusted_" in answer["notice"]

    before = looks(dated)
    session(dated, talk)
    assert looks(dated) == before


def test_a_client_searches_the_past(tmp_path: Path) -> None:
    site = DatedSite({"/a": made("Alpha", "once an elephant was here")})
    with gossamer.open(tmp_path / "web") as web:
        site.crawl(web)
        site.later(31)
        site.pages = {"/a": made("Alpha", "now a giraffe is here")}
        site.crawl(web)

    async def talk(client: Any) -> None:
        assert (await told(client, "search", query="elephant"))["hits"] == []
        then = await told(client, "search", query="elephant", at="2026-01-15")
        (hit,) = then["hits"]
        assert (hit["said_since"][:10], hit["said_until"][:10], then["at"][:8]) == (
            "2026-01-01",
            "2026-02-01",
            "2026-01-",
        )
        assert "elephant" in hit["untrusted_snippet"]

    session(tmp_path / "web", talk)


def test_answers_name_their_source_and_date(dated: Path) -> None:
    async def talk(client: Any) -> None:
        found = await told(client, "search", query="cascade")
        first = found["hits"][0]
        assert first["source"].startswith("https://example.org/")
        assert first["fetched"].endswith("Z")
        page = await told(client, "read", url=first["source"])
        assert page["source"] == first["source"]
        assert page["fetched"].endswith("Z")
        assert page["untrusted_title"] == first["untrusted_title"]
        around = await told(client, "links", url=PAGE)
        assert (around["source"], around["fetched"][-1]) == (PAGE, "Z")
        assert around["incoming_total"] == len(around["incoming"]) > 0
        changed = await told(client, "changes")
        assert {each["kind"] for each in changed["changes"]} >= {"new", "changed", "gone"}

    session(dated, talk)


def test_a_long_page_is_read_in_parts_and_a_long_list_too(dated: Path) -> None:
    async def talk(client: Any) -> None:
        whole = (await told(client, "read", url="https://example.org/guide/foreign-keys"))["passages"][0]
        parts, offset = [], 0
        while offset is not None:
            answer = await told(client, "read", url="https://example.org/guide/foreign-keys", offset=offset, length=100)
            parts += [part["untrusted_text"] for part in answer["passages"]]
            offset = answer["next_offset"]
        assert "".join(parts) == whole["untrusted_text"]
        assert len(parts) > 3
        every = (await told(client, "changes"))["changes"]
        found, cursor = [], ""
        while cursor is not None:
            some = await told(client, "changes", limit=1, cursor=cursor)
            found += some["changes"]
            cursor = some["next"]
        assert found == every

    session(dated, talk)


FAULTS: list[tuple[str, dict[str, object], str]] = [
    ("read", {"url": "https://nobody.example/"}, "no page in the collection"),
    ("read", {"url": PAGE, "at": "yesterday"}, "not a time"),
    ("search", {"query": "before:never"}, "before"),
    ("search", {"query": "a", "limit": 1_000}, "less than or equal to 20"),
    ("changes", {"cursor": "§"}, "leave it out to begin"),
]


def test_a_fault_names_its_cure(dated: Path) -> None:
    async def talk(client: Any) -> None:
        for tool, arguments, words in FAULTS:
            result = await client.call_tool(tool, arguments)
            assert result.is_error
            assert words in result.content[0].text

    session(dated, talk)


def test_the_server_has_the_same_tools(dated: Path) -> None:
    async def run(port: int) -> None:
        async with mcp.Client(f"http://{LOCAL}:{port}/mcp") as client:
            assert sorted(tool.name for tool in (await client.list_tools()).tools) == sorted(TOOLS)
            assert (await told(client, "search", query="cascade"))["hits"]

    before = looks(dated)
    with serving(dated, read_only=True, by_post=("/mcp",)) as server:
        asyncio.run(run(server.port))
        for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}):
            assert server.send("POST", "/mcp", headers).status == 403
        assert server.send("POST", "/mcp", {"host": "evil.example"}).status == 421
        assert server.send("DELETE", "/mcp").status == 403
        assert server.get("/mcp", {"accept": "text/event-stream"}).status == 405, "it would never end"
        assert server.send("POST", "/mcp", {"content-type": "application/json"}).status in (400, 406)
        assert server.send("POST", "/api/v1/status").status == 403
    assert looks(dated) == before


def test_a_server_has_no_tools_unless_asked(collection: Path) -> None:
    with serving(collection) as server:
        assert server.send("POST", "/mcp").status == 403
        assert server.get("/mcp").status == 404


def test_what_nobody_sees_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    from gossamer.web import mcp_tools

    class Page:
        url, language, title, text = PAGE, "en", "a\u202etitle\nIgnore", ""
        markdown = "".join(chr(0xE0000 + ord(letter)) for letter in "obey") + "plain"

        def as_json(self) -> dict[str, object]:
            return {"fetched": "2026-11-01T00:00:00Z", "published": None}

    class Web:
        def page(self, url: str, at: object) -> Page:
            return Page()

    answer = mcp_tools._read(Web(), PAGE, "", slice(0, 100), "")  # type: ignore[arg-type]  # as much as it asks for
    shown = json.dumps([answer.untrusted_title, answer.passages[0].untrusted_text], ensure_ascii=False)
    assert not any(ord(letter) > 0x7F for letter in shown)
    assert "\n" not in answer.untrusted_title


def test_without_the_package_one_line_names_the_cure(dated: Path) -> None:
    program = (
        "import sys; sys.modules['mcp'] = None; sys.modules['mcp.server'] = None\n"
        f"from gossamer.cli import main; sys.exit(main(['mcp', {str(dated)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("gossamer: ")
    assert "pip install '.[mcp]'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_what_is_no_collection_is_said_at_once(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gossamer", "mcp", str(tmp_path / "none")],
        capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, "")


def test_a_client_that_hears_nothing_any_more_is_the_end_of_it(dated: Path) -> None:
    command = [sys.executable, "-m", "gossamer", "mcp", str(dated)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdout is not None
        server.stdout.close()
        _, said = server.communicate(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n', timeout=120)
    assert (server.returncode, said) == (0, b"")


def test_excerpts_are_the_paragraphs_that_answer_under_their_heading() -> None:
    parts = ("# Birds", "Some words.", "## Herons", "A heron stands still.", "It eats fish.", "## Owls", "Owls sing.")
    text = "\n\n".join(parts)
    found = excerpts(text, "standing heron", "en", 1_000)
    assert [each.text for each in found] == ["## Herons", "A heron stands still."]
    assert all(text[each.offset :].startswith(each.text) for each in found)
    assert excerpts(text, "walrus", "en", 1_000) == []
    assert sum(len(each.text) for each in excerpts(text, "heron owl fish words", "en", 40)) <= 40
