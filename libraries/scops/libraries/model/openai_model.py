"""Any OpenAI-compatible endpoint, through the `openai` package (extra `model`)."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from scops.common.contract.errors import PermanentError
from scops.common.runtime.clock import Clock
from scops.libraries.model.language_model import Completion, Message, ModelUnavailable

if TYPE_CHECKING:
    from openai import AsyncOpenAI

SECONDS_MIN = 0.2
# Local servers want some key or other.
NO_KEY = "none"


class OpenAIModel:
    """Implements the language model port; `openai` is imported at the first question.

    Args:
        url: of the API, up to /v1.
        retries: after a refusal or a lost connection, with the package's own growing delay.
    """

    def __init__(self, *, url: str, name: str, key: str, retries: int, clock: Clock) -> None:
        self._url = url
        self._name = name
        self._key = key
        self._retries = retries
        self._clock = clock
        self._client: AsyncOpenAI | None = None

    @property
    def name(self) -> str:
        return self._name

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tokens_max: int,
        deadline: datetime,
        as_json: bool = False,
    ) -> Completion:
        client = self._opened()
        import openai

        seconds = (deadline - self._clock.now()).total_seconds()
        if seconds < SECONDS_MIN:
            raise ModelUnavailable("There is no time left for the model.")
        try:
            # The package counts each attempt for itself, and waits between two as long as the
            # endpoint asks for.
            async with asyncio.timeout(seconds):
                reply = await client.chat.completions.create(
                    model=self._name,
                    messages=[{"role": m.part.value, "content": m.text} for m in messages],  # type: ignore[misc]
                    max_tokens=tokens_max,
                    temperature=0,
                    response_format={"type": "json_object"} if as_json else openai.omit,
                    timeout=seconds / (self._retries + 1),
                )
        except openai.APIStatusError as error:
            raise ModelUnavailable(f"The model endpoint answered {error.status_code}.") from error
        except (openai.APITimeoutError, TimeoutError) as error:
            raise ModelUnavailable("The model did not answer in time.") from error
        except openai.OpenAIError as error:
            raise ModelUnavailable(f"The model cannot be reached: {error}.") from error
        except ValueError as error:
            raise ModelUnavailable("The model's reply is no JSON.") from error
        return _completion(reply)

    async def close(self) -> None:
        """Closes the connections."""
        if self._client is not None:
            await self._client.close()

    def _opened(self) -> "AsyncOpenAI":
        if self._client is None:
            try:
                # Imported here: the package costs memory where no model is configured.
                from openai import AsyncOpenAI
            except ImportError as error:
                raise PermanentError(
                    "A `…_MODEL_URL` is set, but the package `openai` is missing. "
                    "Install scops[model], or unset the variable.",
                    reason="MODEL_EXTRA_MISSING",
                ) from error
            self._client = AsyncOpenAI(
                base_url=self._url, api_key=self._key or NO_KEY, max_retries=self._retries
            )
        return self._client


def _completion(reply: Any) -> Completion:
    """Returns what a reply says; endpoints that are only nearly compatible leave fields out."""
    choices = getattr(reply, "choices", None)
    first = choices[0] if isinstance(choices, list) and choices else None
    message = getattr(first, "message", None)
    text = getattr(message, "content", None)
    if not isinstance(text, str):
        raise ModelUnavailable("The model's reply holds no text.")
    usage = getattr(reply, "usage", None)
    return Completion(
        text=text,
        input_tokens=_count(usage, "prompt_tokens"),
        output_tokens=_count(usage, "completion_tokens"),
        whole=getattr(first, "finish_reason", None) != "length",
    )


def _count(usage: Any, name: str) -> int:
    value = getattr(usage, name, 0)
    return value if isinstance(value, int) and value > 0 else 0
