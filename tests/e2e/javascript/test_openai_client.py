"""OpenAI's form of `scops up`, by the official JavaScript client."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path

EMBEDDER = "multilingual-e5-small/int8/title-section"
GUIDE = (Path(__file__).resolve().parents[3] / "docs/api/openai.md").read_text()
SCRIPT = """
import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: 'http://127.0.0.1:7301/v1', apiKey: 'none', maxRetries: 0,
});
const messages = [{ role: 'user', content: 'How much does the River plan cost?' }];
const models = [];
for await (const model of client.models.list()) models.push(model.id);
const asked = { model: 'scops/tarn', messages };
const whole = await client.chat.completions.create(asked);
const chunks = [];
const stream = await client.chat.completions.create({ ...asked, stream: true });
for await (const chunk of stream) chunks.push(chunk);
const response = await client.responses.create({
  model: 'scops/tarn', input: messages[0].content,
});
const embeddings = await client.embeddings.create({
  model: models.at(-1), input: ['a lamp', 'a lamp'],
});
const [first, second] = embeddings.data.map((one) => one.embedding);
const cosine = first.reduce((sum, value, index) => sum + value * second[index], 0);
let refused;
try {
  await client.chat.completions.create({ model: 'scops/none', messages });
} catch (error) {
  refused = { known: error instanceof OpenAI.NotFoundError, code: error.code };
}
const answered = response.output_text;
console.log(JSON.stringify({ models, whole, chunks, answered, cosine, refused }));
"""


def test_it_chats_with_citations(run_script: Callable[[str], str]) -> None:
    """Whole and as a stream, which say the same; errors are of the client's own classes."""
    said = json.loads(run_script(SCRIPT))
    message = said["whole"]["choices"][0]["message"]
    deltas = [one["choices"][0]["delta"] for one in said["chunks"] if one["choices"]]

    # Other clients' scopes may be there, too.
    assert {"scops/*", "scops/tarn", EMBEDDER} <= set(said["models"])
    assert "14 euros" in message["content"]
    assert "/policies/prices.html" in message["annotations"][0]["url_citation"]["url"]
    assert message["content"] == "".join(delta.get("content") or "" for delta in deltas)
    assert message["annotations"] == [
        one for delta in deltas for one in delta.get("annotations", [])
    ]
    assert said["chunks"][0]["sources"]
    assert said["whole"]["citations"] == said["chunks"][-1]["citations"]
    assert message["content"] == said["answered"]
    assert math.isclose(1, said["cosine"], abs_tol=1e-5)
    assert {"known": True, "code": "SCOPE_NOT_FOUND"} == said["refused"]


def test_the_guide_s_code_runs_as_written(run_script: Callable[[str], str]) -> None:
    """Of docs/api/openai.md."""
    (code,) = re.findall(r"^```js\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)

    assert 2 == run_script(code).count("14 euros")
