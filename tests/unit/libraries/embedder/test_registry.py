"""The choice of an embedder by settings."""

import importlib.util
from typing import get_args

import pytest

from scops.common.config.settings import EmbedderName
from scops.libraries.embedder.port import EmbedderIdentity, identity, model_of
from scops.libraries.embedder.registry import EmbedderSpeed, _recommendation, advise, load_embedder
from scops.libraries.embedder.torch_embedder import TorchMissingError

NAMES: tuple[EmbedderName, ...] = get_args(EmbedderName)
HAS_TORCH = importlib.util.find_spec("sentence_transformers") is not None


def test_default_knows_many_languages_and_needs_no_torch() -> None:
    """Whoever sets nothing asks pages in any of them."""
    embedder = load_embedder()
    embedder.close()

    assert embedder.embedder_id == "multilingual-e5-small/int8/title-section"


@pytest.mark.parametrize("name", [one for one in NAMES if not one.startswith("torch")])
def test_identity_is_known_before_an_embedder_is_loaded(name: EmbedderName) -> None:
    """An index is opened by it in processes that embed nothing."""
    embedder = load_embedder(name)
    embedder.close()

    assert identity(name) == EmbedderIdentity(embedder.embedder_id, embedder.dimensions)


def test_every_name_is_an_identity_of_its_own() -> None:
    """torch in fp32 alone shares ONNX Runtime's: the vectors are equal."""
    ids = {name: identity(name).embedder_id for name in NAMES}

    assert ids.pop("torch-fp32") == ids["onnx-fp32"]
    assert len(ids) == len(set(ids.values()))


@pytest.mark.skipif(HAS_TORCH, reason="the extra [torch] is installed")
def test_torch_without_its_extra_says_what_to_install() -> None:
    """Who asks for torch and lacks it is told the extra's name."""
    with pytest.raises(TorchMissingError, match=r"scops\[torch\]"):
        load_embedder("torch-fp32")


@pytest.mark.parametrize("name", ["onnx-fp32", "e5-int8"])
async def test_advice_ranks_what_it_measured(
    name: EmbedderName, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fastest choice of a model comes first and is the one recommended."""
    monkeypatch.setattr("scops.libraries.embedder.registry.ADVICE_SECONDS", 0.01)
    advice = await advise(name)

    speeds = [choice.texts_per_second for choice in advice.choices]
    assert sorted(speeds, reverse=True) == speeds
    assert min(speeds) > 0
    assert {model_of(name)} == {model_of(choice.name) for choice in advice.choices}
    assert advice.choices[0].name in advice.recommendation


def test_fastest_choice_that_is_exact_is_recommended_alone() -> None:
    """Rounding is worth it only where it buys speed."""
    choices = [EmbedderSpeed("torch-fp32", 900.0), EmbedderSpeed("onnx-int8", 50.0)]

    assert _recommendation(choices) == "torch-fp32 is the fastest here (900 chunks/s) and exact"
