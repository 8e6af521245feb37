"""The model that words answers beside the quotes: the configured one, or a small one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from benchmarks.answers.closed_book import UNKNOWN, configured_model, said_alone
from benchmarks.answers.scores import holds_any
from benchmarks.shared.system.gguf_server import gguf_is_installed, gguf_server
from scops.explainer.settings import ExplainerSettings

# Of a small model: it is slow, and soon repeats itself.
MODEL_SECONDS, MODEL_TOKENS = 18, 120


@contextmanager
def chosen_model() -> Iterator[ExplainerSettings | None]:
    """Yields the settings of the configured model, else of the installed one while it runs."""
    configured = ExplainerSettings()
    if configured.model_url or not gguf_is_installed():
        yield configured if configured.model_url else None
        return
    with gguf_server() as server:
        yield ExplainerSettings(
            model_url=server.url,
            model_name=server.name,
            model_timeout_seconds=MODEL_SECONDS,
            model_tokens_max=MODEL_TOKENS,
        )


def of_system(model: ExplainerSettings | None) -> dict[str, str]:
    """Returns the variables by which a system asks a model; the key it inherits."""
    if model is None:
        return {}
    return {
        "SCOPS_EXPLAINER_MODEL_URL": model.model_url,
        "SCOPS_EXPLAINER_MODEL_NAME": model.model_name,
        "SCOPS_EXPLAINER_MODEL_TIMEOUT_SECONDS": str(model.model_timeout_seconds),
        "SCOPS_EXPLAINER_MODEL_TOKENS_MAX": str(model.model_tokens_max),
    }


def from_memory(settings: ExplainerSettings, questions: Sequence[str]) -> list[str]:
    """Returns what a model says without passages; nothing where it says that it does not know."""
    model = configured_model(settings)
    assert model is not None
    said = said_alone(model, questions)
    return ["" if text is None or holds_any(text, [UNKNOWN]) else text for text in said]
