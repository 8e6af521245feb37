"""What a configured model answers without passages: the row that retrieval is held against.

The model is the explainer's (`SCOPS_EXPLAINER_MODEL_URL`, `_NAME`, `_KEY`); without one there is no
row.
"""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

from benchmarks.answers import scores
from benchmarks.shared.figures import rounded_mean
from scops.common.runtime.clock import SystemClock
from scops.explainer.service import MODEL_RETRIES
from scops.explainer.settings import ExplainerSettings
from scops.libraries.model.language_model import (
    LanguageModel,
    Message,
    MessageRole,
    ModelUnavailable,
)
from scops.libraries.model.openai_model import OpenAIModel

RULES = (
    "Answer the question from memory with a name, a date or a few words, and nothing else. "
    "If you do not know, answer UNKNOWN."
)
UNKNOWN = "unknown"
TOKENS_MAX = 40
SECONDS_MAX = 60
QUESTIONS_MAX = 200


def configured_model(settings: ExplainerSettings) -> LanguageModel | None:
    """Returns the model that the settings name; None where they name none."""
    if not settings.model_url:
        return None
    return OpenAIModel(
        url=settings.model_url,
        name=settings.model_name,
        key=settings.model_key.get_secret_value(),
        retries=MODEL_RETRIES,
        clock=SystemClock(),
    )


def closed_book(
    model: LanguageModel, asked: Sequence[tuple[str, Sequence[str]]]
) -> dict[str, object]:
    """Returns the scores of a model that is asked questions alone.

    Args:
        asked: questions, each with its gold strings; an even sample of `QUESTIONS_MAX` is asked.

    Returns:
        `containment`, `exact_match` and `fuzzy` as in `benchmarks.answers`, of all questions
        asked; `unknown`, the share for which it says so, and `failed`, for which it says nothing.
    """
    step = max(1, len(asked) // QUESTIONS_MAX)
    sample = asked[::step][:QUESTIONS_MAX]
    said = said_alone(model, [question for question, _ in sample])
    pairs = [(text or "", gold) for text, (_, gold) in zip(said, sample, strict=True)]
    return {
        "model": model.name,
        "questions": len(sample),
        "containment": rounded_mean([scores.holds_any(text, gold) for text, gold in pairs]),
        "exact_match": rounded_mean([scores.is_exact([text], gold) for text, gold in pairs]),
        "fuzzy": rounded_mean([scores.fuzzy(text, gold) for text, gold in pairs]),
        "unknown": rounded_mean([scores.holds_any(text, [UNKNOWN]) for text, _ in pairs]),
        "failed": rounded_mean([text is None for text in said]),
    }


def said_alone(model: LanguageModel, questions: Sequence[str]) -> list[str | None]:
    """Returns what a model says to questions alone; None where it says nothing."""
    return asyncio.run(_said(model, questions))


async def _said(model: LanguageModel, questions: Sequence[str]) -> list[str | None]:
    return [await _one(model, question) for question in questions]


async def _one(model: LanguageModel, question: str) -> str | None:
    messages = [Message(MessageRole.SYSTEM, RULES), Message(MessageRole.USER, question)]
    deadline = SystemClock().now() + timedelta(seconds=SECONDS_MAX)
    try:
        completion = await model.complete(messages, tokens_max=TOKENS_MAX, deadline=deadline)
    except ModelUnavailable:
        return None
    return completion.text
