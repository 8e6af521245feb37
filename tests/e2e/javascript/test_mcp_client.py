"""Assistants' tools of `scops up` by the official TypeScript SDK of the Model Context Protocol."""

import json
import re
from collections.abc import Callable
from pathlib import Path

GUIDE = (Path(__file__).resolve().parents[3] / "docs/api/mcp.md").read_text()
SCRIPT = """
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const client = new Client({ name: 'test', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1:7301/mcp')));
const use = (name, args) => client.callTool({ name, arguments: args });
const tools = (await client.listTools()).tools;
const prompts = (await client.listPrompts()).prompts;
const answer = (await use('answer', {
  question: 'How much does the River plan cost?', scopes: ['tarn'],
})).structuredContent;
const cited = answer.citations[0];
const page = (await use('get_page', { page: cited.page })).structuredContent;
const scope = await client.readResource({ uri: 'scops://scopes/tarn' });
const refused = await use('search', { query: 'x', scopes: ['nothing'] });
const capabilities = client.getServerCapabilities();
await client.close();
console.log(JSON.stringify({ tools, prompts, answer, page, scope, refused, capabilities }));
"""


def test_it_asks_and_reads(run_script: Callable[[str], str]) -> None:
    """The SDK checks structured content against each tool's schema; a quote stands in its page."""
    said = json.loads(run_script(SCRIPT))
    cited = said["answer"]["citations"][0]

    assert 15 == len(said["tools"])
    assert {"answer_from_scope", "what_is_new", "how_a_page_changed"} == {
        one["name"] for one in said["prompts"]
    }
    assert said["answer"]["answered"]
    assert cited["quote"] == said["page"]["text"][cited["start"] : cited["end"]]
    assert "scopes/tarn" == json.loads(said["scope"]["contents"][0]["text"])["name"]
    assert said["refused"]["isError"]
    assert "SCOPE_NOT_FOUND" in said["refused"]["content"][0]["text"]


def test_optional_capabilities_are_not_declared(run_script: Callable[[str], str]) -> None:
    """Those whose scenarios of the conformance suite do not apply."""
    capabilities = json.loads(run_script(SCRIPT))["capabilities"]

    assert "tools" in capabilities
    assert set() == {"logging", "completions"} & set(capabilities)
    assert not capabilities.get("resources", {}).get("subscribe")


def test_the_guide_s_code_runs_as_written(run_script: Callable[[str], str]) -> None:
    """Of docs/api/mcp.md."""
    (code,) = re.findall(r"^```js\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)

    assert "River" in run_script(code)
