"""Settings come from the environment alone; a wrong name or value is said, never guessed."""

from pathlib import Path

import pytest
from pydantic import Field
from pydantic_settings import SettingsConfigDict

from scops.common.config.environment import check_environment, describe_settings
from scops.common.config.settings import CommonSettings, ServiceSettings
from scops.common.contract.errors import InvalidInput


class OwlSettings(ServiceSettings):
    """A service of the test."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_OWL_")

    delay_seconds: float = Field(
        default=1.5, gt=0, description="Pause.", json_schema_extra={"unit": "seconds"}
    )
    allowed: tuple[str, ...] = Field(
        default=(), description="Ranges.", json_schema_extra={"unit": ""}
    )
    loud: bool = Field(default=False, description="Hoots.", json_schema_extra={"unit": ""})


def test_the_environment_wins_over_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable is the prefix and the field's name in capitals."""
    monkeypatch.setenv("SCOPS_OWL_DELAY_SECONDS", "0.02")
    monkeypatch.setenv("SCOPS_OWL_ALLOWED", "127.0.0.0/8:8080, 10.0.0.0/8")

    settings = OwlSettings.load()

    assert settings.delay_seconds == 0.02
    assert settings.allowed == ("127.0.0.0/8:8080", "10.0.0.0/8")


def test_an_empty_variable_takes_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compose file may leave a variable empty."""
    monkeypatch.setenv("SCOPS_OWL_DELAY_SECONDS", "")

    assert OwlSettings.load().delay_seconds == 1.5


@pytest.mark.parametrize("value", ["fast", "0", "-1"])
def test_a_wrong_value_names_variable_value_and_remedy(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    """A malformed or out-of-range value is an InvalidInput, not a library's traceback."""
    monkeypatch.setenv("SCOPS_OWL_DELAY_SECONDS", value)

    with pytest.raises(InvalidInput, match=f"SCOPS_OWL_DELAY_SECONDS cannot be '{value}'"):
        OwlSettings.load()


def test_settings_cannot_be_changed() -> None:
    """What a process runs with is what it was started with."""
    with pytest.raises(ValueError, match="frozen"):
        OwlSettings().delay_seconds = 2.0  # type: ignore[misc]


def test_an_argument_that_is_no_setting_is_refused() -> None:
    """A typo in a test does not test the default."""
    with pytest.raises(ValueError, match="delay_second"):
        OwlSettings(delay_second=1)  # type: ignore[call-arg]


def test_an_unknown_variable_names_the_closest_setting() -> None:
    """A misspelt name must not fall back to a default in silence."""
    with pytest.raises(InvalidInput, match="Did you mean SCOPS_OWL_DELAY_SECONDS"):
        check_environment({"SCOPS_OWL_DELAY_SECOND": "1"}, [CommonSettings, OwlSettings])


def test_a_setting_of_a_role_that_does_not_run_is_unknown() -> None:
    """A process knows the settings it was given, and no others."""
    with pytest.raises(InvalidInput, match="SCOPS_OWL_LOUD"):
        check_environment({"SCOPS_OWL_LOUD": "1"}, [CommonSettings])


def test_known_variables_and_others_people_set_pass() -> None:
    """Only names that start with SCOPS_ are ours."""
    environ = {"SCOPS_OWL_LOUD": "1", "SCOPS_DATA_DIR": "/x", "HOME": "/y", "XSCOPS_Z": "1"}

    check_environment(environ, [CommonSettings, OwlSettings])


def test_a_field_without_unit_or_description_is_a_bug() -> None:
    """The reference page has no empty cells."""
    with pytest.raises(TypeError, match="lacks a description or a unit"):

        class _Bare(ServiceSettings):
            size: int = 1


def test_every_setting_is_described_with_its_origin(monkeypatch: pytest.MonkeyPatch) -> None:
    """`scops settings` shows value, unit, default and where the value is from."""
    environ = {"SCOPS_OWL_LOUD": "true"}
    monkeypatch.setenv("SCOPS_OWL_LOUD", "true")

    entries = {entry.name: entry for entry in describe_settings([OwlSettings.load()], environ)}

    loud, delay = entries["SCOPS_OWL_LOUD"], entries["SCOPS_OWL_DELAY_SECONDS"]
    assert (loud.value, loud.default, loud.origin) == ("true", "false", "environment")
    assert (delay.value, delay.unit, delay.origin) == ("1.5", "seconds", "default")


def test_the_archive_lies_in_the_data_folder_unless_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Moving the data folder moves the archive."""
    monkeypatch.setenv("SCOPS_DATA_DIR", str(tmp_path))
    assert CommonSettings.load().archive_url == f"file://{tmp_path}/archive"

    monkeypatch.setenv("SCOPS_ARCHIVE_URL", "s3://bucket")
    assert CommonSettings.load().archive_url == "s3://bucket"


def test_a_relative_data_folder_becomes_absolute(monkeypatch: pytest.MonkeyPatch) -> None:
    """A URL of the archive, and a child process, know no current folder."""
    monkeypatch.setenv("SCOPS_DATA_DIR", "here")

    assert CommonSettings.load().data_dir == Path.cwd() / "here"


@pytest.mark.parametrize("name", ["Main", "a.b", "", "a" * 40, "*"])
def test_an_organisation_is_a_token_of_subjects_and_keys(name: str) -> None:
    """Dots and wildcards would reach into other organisations' keys."""
    with pytest.raises(ValueError, match="organisation_id"):
        CommonSettings(organisation_id=name)
