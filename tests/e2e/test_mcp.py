"""Assistants' tools of `scops up`, as a real MCP client uses them: over HTTP and over a pipe."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.e2e.system import System
from tests.fakes.servers.origin import Origin

GUIDE = Path(__file__).resolve().parents[2] / "docs/api/mcp.md"
SCOPE = "assisted"
QUESTION = "How much does the River plan cost?"
DOORS = ["http", "stdio"]
READING = {
    "list_scopes",
    "search",
    "answer",
    "get_page",
    "page_history",
    "diff",
    "what_changed",
    "explain",
    "resolve_citations",
    "get_job",
    "get_research",
}
CHANGING = {"add_pages", "crawl_scope", "cancel_job", "research"}
# With a URL it has pages fetched, where pages may be fetched.
EITHER = {"answer"}


@pytest.fixture(scope="module")
def system(shared: System, tarn: Origin) -> System:
    """The system that others use too; its pages are in a scope of ours, which tests change."""
    shared.create_scope(SCOPE, seeds=[f"{tarn.url}/"])
    shared.crawl(SCOPE)
    return shared


@asynccontextmanager
async def assistant(system: System, door: str, *, read_only: bool = False) -> AsyncIterator[Client]:
    """Connects a client as a host does."""
    if door == "http":
        path = "/mcp/read-only" if read_only else "/mcp"
        async with Client(f"{system.http_url}{path}") as client:
            yield client
        return
    words = ["-m", "scops.standalone", "--server", system.address, "mcp"]
    command = StdioServerParameters(
        command=sys.executable,
        args=[*words, *(["--read-only"] if read_only else [])],
        env=dict(os.environ),
    )
    async with Client(command) as client:
        yield client


async def use(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Uses a tool; returns its structured result, which says the same as its text."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    found = dict(result.structured_content or {})
    assert found == json.loads(result.content[0].text)  # type: ignore[union-attr]
    return found


@pytest.mark.parametrize("door", DOORS)
async def test_an_assistant_asks_reads_and_checks(system: System, door: str) -> None:
    """From the list of scopes to a citation that still stands, with what a host is told of each."""
    async with assistant(system, door) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        scopes = await use(client, "list_scopes")
        found = await use(client, "search", query="depth of the tarn", scopes=[SCOPE], limit=3)
        answer = await use(client, "answer", question=QUESTION, scopes=[SCOPE])
        cited = answer["citations"][0]
        page = await use(client, "get_page", page=cited["page"])
        section = page["sections"][0]["path"]
        part = await use(client, "get_page", page=cited["uri"], section=section)
        history = await use(client, "page_history", page=cited["uri"])
        changed = await use(client, "what_changed", scope=SCOPE, since="2020-01-01")
        why = await use(client, "explain", query=QUESTION, scopes=[SCOPE])
        checked = await use(client, "resolve_citations", citations=answer["citations"])

    assert READING | CHANGING == set(tools)
    assert READING - EITHER == {n for n, tool in tools.items() if tool.annotations.read_only_hint}
    assert all(tool.description and tool.output_schema for tool in tools.values())
    assert SCOPE in [one["scope"] for one in scopes["scopes"]]
    assert 1 <= len(found["passages"]) <= 3
    assert answer["answered"]
    assert cited["quote"] == page["text"][cited["start"] : cited["end"]]
    assert part["text"] in page["text"]
    assert cited["version"] == history["versions"][0]["version"]
    news = [one["news"] for one in changed["changes"]]
    # The front page has two addresses; where both were fetched at once, one joins the other later.
    assert set(news) - {"closed"} == {"added"}
    assert news.count("closed") <= 1
    assert 1 == why["ranks"][0]["rank"]
    assert why["ranks"][0]["parts"]
    assert ["same"] * len(answer["citations"]) == [one["anchor"] for one in checked["citations"]]


@pytest.mark.parametrize("door", DOORS)
async def test_an_assistant_has_pages_fetched_and_waits(system: System, door: str) -> None:
    """Progress is told meanwhile; what was asked to end has ended."""
    told: list[float] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append(progress)

    async with assistant(system, door) as client:
        started = await use(client, "crawl_scope", scope=SCOPE)
        arguments = {"job": started["job"], "wait_seconds": 40}
        waited = await client.call_tool("get_job", arguments, progress_callback=hear)
        again = await use(client, "crawl_scope", scope=SCOPE)
        await use(client, "cancel_job", job=again["job"])
        cancelled = await use(client, "get_job", job=again["job"], wait_seconds=30)
        uri = (await use(client, "search", query="tarn", scopes=[SCOPE]))["passages"][0]["uri"]
        added = await use(client, "add_pages", scope=SCOPE, uris=[uri], reason="asked for")

    assert waited.structured_content is not None
    assert ("completed", True) == (
        waited.structured_content["state"],
        waited.structured_content["ended"],
    )
    assert told
    assert told == sorted(told)
    assert cancelled["ended"]
    assert SCOPE == added["scope"]


@pytest.mark.parametrize("door", DOORS)
async def test_who_may_only_read_is_offered_nothing_else(system: System, door: str) -> None:
    """Neither in the list nor by name."""
    async with assistant(system, door, read_only=True) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        refused = await client.call_tool("crawl_scope", {"scope": SCOPE})
        answer = await use(client, "answer", question=QUESTION)

    assert READING == set(tools)
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())
    assert "url" not in tools["answer"].input_schema["properties"]
    assert refused.is_error
    assert answer["answered"]


@pytest.mark.parametrize("door", DOORS)
async def test_resources_and_prompts(system: System, door: str) -> None:
    """A scope's definition and a version's text by address; prompts with their arguments."""
    async with assistant(system, door) as client:
        templates = (await client.list_resource_templates()).resource_templates
        found = await use(client, "search", query="River plan", scopes=[SCOPE], limit=1)
        passage = found["passages"][0]
        name = f"{passage['page'].removeprefix('pages/')}@{passage['version']}"
        scope = await client.read_resource(f"scops://scopes/{SCOPE}")
        text = await client.read_resource(f"scops://pages/{name}")
        prompt = await client.get_prompt("answer_from_scope", {"scope": SCOPE, "question": "x?"})

    assert 2 == len(templates)
    assert f"scopes/{SCOPE}" == json.loads(scope.contents[0].text)["name"]  # type: ignore[union-attr]
    assert passage["text"][:40] in text.contents[0].text  # type: ignore[union-attr]
    assert "x?" in prompt.messages[0].content.text  # type: ignore[union-attr]


@pytest.mark.parametrize("door", DOORS)
async def test_an_error_says_what_to_do(system: System, door: str) -> None:
    """Of the gateway, with its reason; of arguments, with their names."""
    async with assistant(system, door) as client:
        hidden = await client.call_tool("search", {"query": "x", "scopes": ["nothing"]})
        badly = await client.call_tool("search", {"query": "x", "limit": 0})
        when = await client.call_tool("answer", {"question": "x", "as_of": "yesterday"})

    texts = [one.content[0].text for one in (hidden, badly, when)]  # type: ignore[union-attr]
    assert all(one.is_error for one in (hidden, badly, when))
    assert "SCOPE_NOT_FOUND" in texts[0]
    assert "limit" in texts[1]
    assert "2026-05-01" in texts[2]


def test_the_guide_s_code_runs_as_written(system: System) -> None:
    """Its example asks the address that `scops up` prints, here another one."""
    (code,) = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    code = code.replace("http://127.0.0.1:7301", system.http_url)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)

    assert "River" in done.stdout, done.stdout


def test_the_guide_names_every_tool() -> None:
    """And no other."""
    named = set(re.findall(r"`([a-z_]+)`", GUIDE.read_text()))

    assert named >= READING | CHANGING


def test_the_entry_starts_what_it_says(system: System, tmp_path: Path) -> None:
    """What `install` writes is a command that serves tools."""
    environ = {**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    scops = Path(sys.executable).parent / "scops"
    words = [str(scops), "--server", system.address, "mcp", "install", "cursor", "--read-only"]
    subprocess.run(words, check=True, env=environ, timeout=60)
    made = json.loads((tmp_path / ".cursor/mcp.json").read_text())["mcpServers"]["scops"]

    async def listed() -> set[str]:
        command = StdioServerParameters(command=made["command"], args=made["args"], env=environ)
        async with Client(command) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert READING == asyncio.run(listed())


def test_from_nothing_to_an_assistant_as_the_guide_says(
    system: System, tarn: Origin, tmp_path: Path
) -> None:
    """The commands of docs/api/mcp.md; what they install answers from the crawled pages."""
    section = GUIDE.read_text().partition("## From nothing")[2]
    block = re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)[0]
    script = block.replace("https://docs.example.org/guide/", f"{tarn.url}/policies/prices.html")
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    tools = Path(sys.executable).parent
    environ = {**system.environment, **home, "PATH": f"{tools}:{os.environ['PATH']}"}
    words = ["bash", "-euo", "pipefail", "-c", script]
    subprocess.run(words, check=True, env=environ, timeout=120)
    (entry,) = tmp_path.rglob("claude_desktop_config.json")
    made = json.loads(entry.read_text())["mcpServers"]["scops"]

    async def answered() -> dict[str, Any]:
        command = StdioServerParameters(command=made["command"], args=made["args"], env=environ)
        async with Client(command) as client:
            return await use(client, "answer", question=QUESTION, scopes=["docs"])

    assert "14 euros" in asyncio.run(answered())["statements"][0]["text"]
