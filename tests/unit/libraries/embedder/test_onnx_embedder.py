"""The ONNX embedder against vectors of sentence-transformers, and against its own contract."""

import asyncio
import base64
import json
import os
import threading
from pathlib import Path

import numpy as np
import pytest

from scops.libraries.embedder.onnx_embedder import OnnxEmbedder
from scops.libraries.embedder.port import FloatArray
from scops.libraries.embedder.windows import Window

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text())
TEXTS: list[str] = [row["text"] for row in GOLDEN]
VECTORS = np.stack([np.frombuffer(base64.b64decode(row["vector"]), "<f4") for row in GOLDEN])
LONG_TEXT = " ".join(TEXTS)


def cosines(left: FloatArray, right: FloatArray) -> FloatArray:
    """Returns the cosine of every row of `left` with its row of `right`."""
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return np.asarray((left * right).sum(axis=1) / norms)


async def test_fp32_equals_sentence_transformers(fp32: OnnxEmbedder) -> None:
    """The graph computes the published model, at every length up to its 512 positions."""
    vectors = await fp32.embed(TEXTS)

    assert cosines(VECTORS, vectors).min() >= 0.9999
    assert max(fp32.count_tokens(text) for text in TEXTS) > 256


def sums_whole() -> bool:
    """Whether this processor sums products of 8 bits whole (VNNI), not cut to 16 bits in pairs."""
    info = Path("/proc/cpuinfo")
    return not info.exists() or "vnni" in info.read_text()


async def test_int8_stays_close_to_sentence_transformers(int8: OnnxEmbedder) -> None:
    """Rounding costs less than 0.005 of the cosine on average, 0.01 where pairs are cut."""
    vectors = await int8.embed(TEXTS)

    assert cosines(VECTORS, vectors).mean() >= (0.995 if sums_whole() else 0.99)
    assert cosines(VECTORS, vectors).min() >= 0.97


async def test_every_token_of_a_long_text_is_run(
    int8: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No token is left unembedded: what the model is given is the whole text."""
    given: list[Window] = []
    run = int8._run

    def record(window: Window, *outputs: str) -> list[FloatArray]:
        given.append(window)
        return run(window, *outputs)

    monkeypatch.setattr(int8, "_run", record)
    await int8.embed([LONG_TEXT])

    assert int8.count_tokens(LONG_TEXT) == sum(len(window) - 2 for window in given)
    assert len(given) > 1
    assert max(len(window) for window in given) <= int8.max_tokens


async def test_long_text_is_the_normalised_mean_of_its_windows(fp32: OnnxEmbedder) -> None:
    """The end of a long text weighs as much as its beginning."""
    half = " word" * 510
    front, back, both = await fp32.embed(
        ["owl" + half[5:], "tax" + half[5:], "owl" + half[5:] + " tax" + half[5:]]
    )

    mean = (front + back) / np.linalg.norm(front + back)
    assert both @ mean == pytest.approx(1, abs=1e-5)


async def test_event_loop_runs_while_texts_are_embedded(int8: OnnxEmbedder) -> None:
    """Computation happens in threads of its own."""
    request = asyncio.ensure_future(int8.embed([LONG_TEXT] * 8))
    turns = 0
    while not request.done():
        await asyncio.sleep(0.002)
        turns += 1

    assert turns > 5


async def test_query_does_not_wait_for_a_long_request(int8: OnnxEmbedder) -> None:
    """A request has at most one step a thread in the queue."""
    bulk = asyncio.ensure_future(int8.embed([LONG_TEXT] * 20))
    await asyncio.sleep(0.05)
    await int8.embed(["Where is the tax office?"])

    assert not bulk.done()
    await bulk


def test_tokens_are_counted_without_special_tokens(int8: OnnxEmbedder) -> None:
    """Word pieces count one by one; nothing is cut at the model's length."""
    counts = [int8.count_tokens(text) for text in ("", "owl", "Scops owls", "word " * 2000)]

    assert counts == [0, 1, 3, 2000]


def test_embedder_id_names_model_precision_and_header_form(
    int8: OnnxEmbedder, fp32: OnnxEmbedder
) -> None:
    """Vectors of different precision never meet in one collection."""
    assert int8.embedder_id == "minilm-l6-v2/int8/title-section"
    assert fp32.embedder_id == "minilm-l6-v2/fp32/title-section"


async def test_what_a_person_waits_for_goes_first(int8: OnnxEmbedder) -> None:
    """A crawl's texts are computed by threads of lower priority than a question and the loop."""
    await int8.embed(["Owls hunt at night.", "Owls sleep by day."])
    await int8.embed(["When do owls hunt?"], as_queries=True)

    prompt, patient = _niceness("embedder"), _niceness("patient-embedder")
    assert {os.getpriority(os.PRIO_PROCESS, 0)} == prompt
    assert min(patient) > max(prompt)


def _niceness(name: str) -> set[int]:
    """Returns the priorities of the threads that are named so."""
    threads = [one for one in threading.enumerate() if one.name.startswith(f"{name}_")]
    return {os.getpriority(os.PRIO_PROCESS, thread.native_id or 0) for thread in threads}
