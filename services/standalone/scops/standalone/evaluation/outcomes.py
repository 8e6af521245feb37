"""What became of a question that was asked, as it is kept."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from scops.standalone.evaluation.questions import EvaluationQuestion


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a model was asked for an answer; empty where none was.

    Attributes:
        cost: in the currency of the configured prices.
    """

    model: str = ""
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question, what came back, and its scores.

    Attributes:
        answered: None where no answer was asked for, or the call failed.
        said: the statements, one after the other.
        short: the words that the answer marks.
        cited: URL and quote of each citation.
        pages: of the passages found, best first.
        scores: by measure; what cannot be told of this question is not there.
        error: why it could not be asked; empty where it could.
    """

    id: str
    question: str
    answers: tuple[str, ...] = ()
    answerable: bool = True
    answered: bool | None = None
    said: str = ""
    short: str = ""
    cited: tuple[tuple[str, str], ...] = ()
    pages: tuple[str, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict)
    search_ms: float | None = None
    answer_ms: float | None = None
    spent: Spent = Spent()
    error: str = ""

    @classmethod
    def of(cls, question: EvaluationQuestion, **known: Any) -> "AskedQuestion":
        """Returns what is known of a question."""
        return cls(
            id=question.id,
            question=question.text,
            answers=question.answers,
            answerable=question.answerable,
            **known,
        )

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> "AskedQuestion":
        """Returns what `to_json` wrote.

        Raises:
            TypeError, KeyError, ValueError: something else wrote it.
        """
        lists = {
            "answers": tuple(kept["answers"]),
            "pages": tuple(kept["pages"]),
            "cited": tuple((uri, quote) for uri, quote in kept["cited"]),
            "spent": Spent(**kept["spent"]),
        }
        return cls(**{**kept, **lists})

    def to_json(self) -> dict[str, Any]:
        """Returns it as JSON can say it."""
        return asdict(self)
