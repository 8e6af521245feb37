"""The port of a judge: a model that says whether two wordings mean the same; off by default.

Only edits of class lexical are put to it: where a number, a name or a "not" differs, no model is
needed, and where only the writing differs, none is asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from scops.change_detector.strategies.salient.edits import TypedEdit
from scops.common.contract.messages.types import ChangeClass

JUDGED = "judged"
CONTRADICTION_MIN = 0.5
ENTAILMENT_MIN = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Probabilities of an inference model, from the old wording to the new one and back."""

    entailed: float
    entailed_backwards: float
    contradiction: float

    @property
    def same(self) -> bool:
        """Each wording follows from the other, and they do not contradict."""
        entailed = min(self.entailed, self.entailed_backwards)
        return entailed >= ENTAILMENT_MIN and self.contradiction < CONTRADICTION_MIN


class Judge(Protocol):
    """Compares wordings."""

    async def judge(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Judgement]:
        """Returns a judgement for each (old, new), in order; the same pair always gets the same.

        Raises:
            TransientError: the model does not answer; the message is tried again.
        """
        ...


async def judged(
    edits: Sequence[TypedEdit],
    old_text: str,
    new_text: str,
    judge: Judge,
    *,
    salience_min: float,
    edits_max: int,
) -> list[TypedEdit]:
    """Returns the edits with the salience that the judge gives those it may decide.

    Args:
        edits_max: the heaviest so many are put to the judge; the rest keeps its salience.
    """
    open_edits = [e for e in edits if e.change_class is ChangeClass.LEXICAL and e.old and e.new]
    asked = sorted(open_edits, key=lambda edit: -edit.salience)[:edits_max]
    if not asked:
        return list(edits)
    pairs = [(old_text[slice(*e.old)], new_text[slice(*e.new)]) for e in asked if e.old and e.new]
    said = dict(zip(map(id, asked), await judge.judge(pairs), strict=True))
    return [
        _decided(edit, said[id(edit)], salience_min) if id(edit) in said else edit for edit in edits
    ]


def _decided(edit: TypedEdit, said: Judgement, salience_min: float) -> TypedEdit:
    # Below tau even where several such edits join; see `combined_salience`.
    salience = 0.0 if said.same else max(edit.salience, salience_min)
    return replace(edit, salience=salience, reasons=(*edit.reasons, JUDGED))
