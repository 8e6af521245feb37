"""Which model is asked, and figures by kind of question."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import web

from benchmarks.scholar.__main__ import of_kind, side_figures
from benchmarks.scholar.sciq_sets import GENERATED, PEOPLE, SciqQuestion
from benchmarks.scholar.wording_model import chosen_model, from_memory, of_system
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from scops.explainer.settings import ExplainerSettings
from scops.libraries.embedder.registry import load_embedder
from tests.fakes.servers.model_endpoint import completion, model_endpoint

ASKED = SciqQuestion(
    scope="lamps",
    page="Lamp",
    kind=PEOPLE,
    text="Where did the keeper come from?",
    answers=("Skagen",),
    distractors=("Tarn", "Odde", "Brekke"),
    support="He came from Skagen.",
)
MADE = replace(ASKED, kind=GENERATED, text="Which year is it for copper and mirror?")


def test_without_a_model_none_is_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is configured, and nothing installed."""
    monkeypatch.delenv("SCOPS_EXPLAINER_MODEL_URL", raising=False)
    monkeypatch.setenv("SCOPS_CACHE_DIR", str(tmp_path))
    with chosen_model() as model:
        assert model is None
    assert {} == of_system(model)


def test_configured_model_is_asked_by_the_system_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own settings win over those of the small one."""
    monkeypatch.setenv("SCOPS_EXPLAINER_MODEL_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("SCOPS_EXPLAINER_MODEL_NAME", "owl")
    monkeypatch.setenv("SCOPS_EXPLAINER_MODEL_TOKENS_MAX", "333")
    with chosen_model() as model:
        variables = of_system(model)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert model == ExplainerSettings()
    assert ("http://127.0.0.1:9/v1", "owl", "333") == (
        variables["SCOPS_EXPLAINER_MODEL_URL"],
        variables["SCOPS_EXPLAINER_MODEL_NAME"],
        variables["SCOPS_EXPLAINER_MODEL_TOKENS_MAX"],
    )


async def test_model_that_does_not_know_says_nothing() -> None:
    """What it says from memory counts otherwise."""

    async def answer(request: web.Request) -> web.Response:
        asked = (await request.json())["messages"][-1]["content"]
        return web.json_response(completion("Skagen" if asked == ASKED.text else "UNKNOWN"))

    async with model_endpoint(answer) as url:
        settings = ExplainerSettings(model_url=url, model_name="owl")
        said = await asyncio.to_thread(from_memory, settings, [ASKED.text, MADE.text])

    assert ["Skagen", ""] == said


def test_kinds_are_told_apart() -> None:
    """What was said stays with its question."""
    said = {"off": ["", ""], "top2": ["He came from Skagen.", ""]}

    assert ([ASKED], {"off": [""], "top2": ["He came from Skagen."]}) == of_kind(
        [ASKED, MADE], said, PEOPLE
    )


def test_figures_are_told_by_side_with_what_sets_them_apart(tmp_path: Path) -> None:
    """Compared by the model of the paper."""
    embedder = CachingEmbedder(load_embedder("onnx-fp32"), tmp_path)
    told = side_figures([ASKED], {"off": [""], "top2": ["He came from Skagen."]}, embedder)
    embedder.close()

    off, top2, against = told["off"], told["top2"], told["against"]
    assert isinstance(off, dict)
    assert isinstance(top2, dict)
    assert isinstance(against, dict)
    assert (0.0, 1.0, 1.0) == (off["em"], top2["em"], top2["better_than_distractors"])
    assert 0.9 < top2["support_similarity"] <= 1.0
    assert 1.0 == against["top2.off.em"]
