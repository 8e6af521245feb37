"""How a field of a settings class is declared."""

from typing import Any, Literal

from pydantic import Field

MEBIBYTE = 1024 * 1024
Group = Literal["basic", "advanced"]


def setting(
    default: Any = ...,
    description: str = "",
    *,
    unit: str = "",
    group: Group = "advanced",
    **constraints: Any,
) -> Any:
    """Declares a field of a settings class.

    Args:
        description: a sentence; says when to turn it.
        unit: empty for a plain name or switch.
        group: basic is what a first operator touches.
        constraints: of pydantic's `Field`, such as `ge` or `pattern`, or a `default_factory`.
    """
    if "default_factory" not in constraints:
        constraints["default"] = default
    extra: dict[str, Any] = {"unit": unit, "group": group}
    return Field(description=description, json_schema_extra=extra, **constraints)
