"""The shipped rules of Prometheus with their times shortened; thresholds are as they are."""

import re
from pathlib import Path
from typing import Any

import yaml

UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
# Ranges and offsets of an expression.
RANGE = re.compile(r"\[(\d+)(ms|s|m|h|d)\]")
OFFSET = re.compile(r"\boffset (\d+)(ms|s|m|h|d)\b")


def shortened(
    rules: Path, target: Path, *, longest: float, shortest: float, together: bool = False
) -> Path:
    """Writes a file of rules in which time goes faster.

    Each rule's longest time becomes `longest`, the others in proportion, none less than
    `shortest`: a range must hold some scrapes.

    Args:
        together: the longest of all rules is meant, because some record what others use.
        longest, shortest: seconds.
    """
    groups = yaml.safe_load(rules.read_text())["groups"]
    times = [seconds for group in groups for rule in group["rules"] for seconds in times_of(rule)]
    least = max(times) if together else longest
    for group in groups:
        group["rules"] = [_short(rule, least, longest, shortest) for rule in group["rules"]]
    target.write_text(yaml.safe_dump({"groups": groups}, sort_keys=False))
    return target


def times_of(rule: dict[str, Any]) -> list[float]:
    """Returns the ranges and offsets of a rule, in seconds."""
    found = [*RANGE.findall(rule["expr"]), *OFFSET.findall(rule["expr"])]
    return [float(number) * UNITS[unit] for number, unit in found]


def _short(rule: dict[str, Any], least: float, longest: float, shortest: float) -> dict[str, Any]:
    most = max([*times_of(rule), least])

    def short(number: str, unit: str) -> str:
        seconds = float(number) * UNITS[unit] * longest / most
        return f"{round(max(shortest, seconds) * 1000)}ms"

    expression = RANGE.sub(lambda found: f"[{short(*found.groups())}]", rule["expr"])
    expression = OFFSET.sub(lambda found: f"offset {short(*found.groups())}", expression)
    kept = {**rule, "expr": expression}
    return {**kept, "for": f"{round(shortest * 1000)}ms"} if "for" in rule else kept
