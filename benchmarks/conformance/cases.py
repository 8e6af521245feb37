"""What a case of a conformance suite is."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Result:
    """One case.

    Attributes:
        case: its name, stable as long as the suite is.
        detail: what was expected and what came; empty where it passed.
    """

    case: str
    passed: bool
    detail: str = ""


def compared(case: str, *, expected: object, actual: object) -> Result:
    """Returns the result of a case that is passed where both are equal."""
    passed = expected == actual
    return Result(case, passed, "" if passed else f"expected {expected!r}, got {actual!r}")
