"""The choice of an embedder by settings."""

import importlib.util

import pytest

from scops.libraries.embedder.registry import BackendSpeed, _recommendation, advise, load_embedder
from scops.libraries.embedder.torch_embedder import TorchMissingError

HAS_TORCH = importlib.util.find_spec("sentence_transformers") is not None


def test_default_is_onnx_in_int8() -> None:
    """The default needs no torch."""
    embedder = load_embedder()
    embedder.close()

    assert embedder.embedder_id == "minilm-l6-v2/int8/title-section"


@pytest.mark.parametrize(("backend", "precision"), [("onnx", "bf16"), ("torch", "int8")])
def test_precision_that_the_backend_lacks_is_refused(backend: str, precision: str) -> None:
    """A setting is never replaced silently by another one."""
    with pytest.raises(ValueError, match="has no precision"):
        load_embedder(backend=backend, precision=precision)  # type: ignore[arg-type]


@pytest.mark.skipif(HAS_TORCH, reason="the extra [torch] is installed")
def test_torch_without_its_extra_says_what_to_install() -> None:
    """Who asks for torch and lacks it is told the extra's name."""
    with pytest.raises(TorchMissingError, match=r"scops\[torch\]"):
        load_embedder(backend="torch", precision="fp32")


async def test_advice_ranks_what_it_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fastest choice comes first and is the one recommended."""
    monkeypatch.setattr("scops.libraries.embedder.registry.ADVICE_SECONDS", 0.01)
    advice = await advise()

    speeds = [choice.texts_per_second for choice in advice.choices]
    assert sorted(speeds, reverse=True) == speeds
    assert min(speeds) > 0
    assert advice.choices[0].precision in advice.recommendation


def test_fastest_choice_that_is_exact_is_recommended_alone() -> None:
    """Rounding is worth it only where it buys speed."""
    choices = [BackendSpeed("torch", "fp32", 900.0), BackendSpeed("onnx", "int8", 50.0)]

    assert _recommendation(choices) == "torch in fp32 is the fastest here (900 chunks/s) and exact"
