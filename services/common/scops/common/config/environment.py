"""Settings and the environment: names that no setting has, and where each value comes from.

An unknown `SCOPS_*` variable is an error: a misspelt name must not fall back to a default in
silence.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from scops.common.config.fields import Group
from scops.common.config.settings import PREFIX, ServiceSettings
from scops.common.contract.errors import InvalidInput
from scops.common.text.addresses import without_userinfo


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingEntry:
    """One setting as `scops settings` and the reference page show it."""

    name: str
    value: str
    unit: str
    default: str
    origin: Literal["default", "environment"]
    group: Group
    description: str


def check_environment(
    environ: Mapping[str, str],
    settings_classes: Iterable[type[ServiceSettings]],
    *,
    foreign: tuple[str, ...] = (),
) -> None:
    """Checks that every `SCOPS_*` variable is known.

    Args:
        foreign: prefixes of what does not run here; their names are not looked at.

    Raises:
        InvalidInput: a name is unknown; the message proposes the closest one.
    """
    known = _known_names(settings_classes)
    for name in sorted(environ):
        if name.startswith(PREFIX) and not name.startswith(foreign) and name not in known:
            raise _unknown_name(name, known)


def describe_settings(
    settings: Sequence[ServiceSettings], environ: Mapping[str, str]
) -> tuple[SettingEntry, ...]:
    """Returns every setting in the order of declaration, with its value and where it is from."""
    return tuple(
        _entry(instance, field_name, environ)
        for instance in settings
        for field_name in type(instance).model_fields
    )


def _known_names(settings_classes: Iterable[type[ServiceSettings]]) -> list[str]:
    return sorted(
        kind.environment_name(field_name)
        for kind in settings_classes
        for field_name in kind.model_fields
    )


def _unknown_name(name: str, known: Sequence[str]) -> InvalidInput:
    closest = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
    hint = f"Did you mean {closest[0]}? " if closest else ""
    return InvalidInput(
        f"The environment sets {name}, which is no setting of Scops. "
        f"{hint}`scops settings` lists them all; unset or correct the variable.",
        reason="UNKNOWN_SETTING",
        setting=name,
    )


def _entry(settings: ServiceSettings, field_name: str, environ: Mapping[str, str]) -> SettingEntry:
    kind = type(settings)
    info = kind.model_fields[field_name]
    name = kind.environment_name(field_name)
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    return SettingEntry(
        name=name,
        value=_text(getattr(settings, field_name)),
        unit=str(extra["unit"]),
        default=_default_text(kind, field_name),
        origin="environment" if environ.get(name) else "default",
        group="basic" if extra.get("group") == "basic" else "advanced",
        description=info.description or "",
    )


def _default_text(kind: type[ServiceSettings], field_name: str) -> str:
    info = kind.model_fields[field_name]
    if info.default_factory is None:
        return _text(info.default)
    # Pages must not name the home of whoever generated them.
    return _text(getattr(kind.model_construct(), field_name)).replace(str(Path.home()), "~")


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return without_userinfo(",".join(str(item) for item in value))
    return str(value).lower() if isinstance(value, bool) else without_userinfo(str(value))
