"""The language model port: one completion of a conversation, with what it cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from scops.common.contract.errors import TransientError


class MessageRole(StrEnum):
    """Whose words a message holds."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the conversation."""

    part: MessageRole
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a model said.

    Attributes:
        whole: False where it was cut off.
    """

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    whole: bool = True


class ModelUnavailable(TransientError):
    """The model did not answer, or not in a form that can be read; `message` says why."""


class LanguageModel(Protocol):
    """A model without tools: words in, words out.

    It may say anything: whoever asks must check every word.
    """

    @property
    def name(self) -> str:
        """The model's name, as the answer tells it."""

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tokens_max: int,
        deadline: datetime,
        as_json: bool = False,
    ) -> Completion:
        """Returns what the model says next.

        Args:
            as_json: the endpoint is asked to let nothing but a JSON object be said.

        Raises:
            ModelUnavailable: it is down, slow, refuses, or its reply cannot be read.
        """
        ...

    async def close(self) -> None:
        """Closes its connections; it must not be used afterwards."""
        ...
