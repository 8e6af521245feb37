"""Language models whose words a test gives, and one that obeys whatever it reads."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from scops.libraries.model.language_model import Completion, Message, ModelUnavailable

_ID = re.compile(r"<<<passage (p\d+) ")


def reply(*statements: tuple[str, Sequence[tuple[str, str]]]) -> str:
    """Returns an answer in the form asked for: (sentence, [(id, quote), …]) each."""
    return json.dumps(
        {
            "statements": [
                {"text": text, "quotes": [{"id": name, "quote": quote} for name, quote in quotes]}
                for text, quotes in statements
            ]
        }
    )


@dataclass
class ScriptedModel:
    """Says what it is told to, in turn; the last thing again and again.

    Attributes:
        says: texts, errors to raise, or what makes a text of the messages.
    """

    says: list[Any] = field(default_factory=list)
    asked: list[Sequence[Message]] = field(default_factory=list)
    deadlines: list[datetime] = field(default_factory=list)
    as_json: list[bool] = field(default_factory=list)
    whole: bool = True
    name: str = "scripted"

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tokens_max: int,
        deadline: datetime,
        as_json: bool = False,
    ) -> Completion:
        self.as_json.append(as_json)
        self.asked.append(messages)
        self.deadlines.append(deadline)
        said = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        if isinstance(said, ModelUnavailable):
            raise said
        text = said(messages) if isinstance(said, Callable) else said  # type: ignore[arg-type]
        return Completion(text=text, input_tokens=100, output_tokens=20, whole=self.whole)

    async def close(self) -> None:
        """There is nothing to close."""


def obeying(order: str, payload: str) -> Callable[[Sequence[Message]], str]:
    """Returns a model that says `payload` where it reads an order outside of its rules.

    Without the order it answers well, so that a test sees what obedience changes.
    """

    def said(messages: Sequence[Message]) -> str:
        read = messages[-1].text
        if order in read:
            return payload.replace("{id}", _ID.findall(read)[0])
        return reply(("The yearly fee is 24 euros.", [("p1", "The yearly fee is 24 euros.")]))

    return said
