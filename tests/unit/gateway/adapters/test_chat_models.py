"""Names of models in OpenAI's form."""

from datetime import UTC, datetime

import pytest

from scops.common.contract.errors import InvalidInput
from scops.gateway.adapters.http.openai.chat_models import ChatModel, chat_model, model_names


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("scops/tarn", ChatModel(("scopes/tarn",), None)),
        ("scops/tarn+laws", ChatModel(("scopes/tarn", "scopes/laws"), None)),
        ("scops/*", ChatModel(("*",), None)),
        (
            "scops/tarn@2026-05-01",
            ChatModel(("scopes/tarn",), datetime(2026, 5, 1, 23, 59, 59, 999999, UTC)),
        ),
        (
            "scops/tarn@2026-05-01T14:00:00+02:00",
            ChatModel(("scopes/tarn",), datetime(2026, 5, 1, 12, tzinfo=UTC)),
        ),
        ("scops/*@2026-05-01T12:00", ChatModel(("*",), datetime(2026, 5, 1, 12, tzinfo=UTC))),
        ("scops/research", ChatModel((), None, is_research=True)),
        ("scops/research/tarn", ChatModel(("scopes/tarn",), None, is_research=True)),
        (
            "scops/research/tarn+laws",
            ChatModel(("scopes/tarn", "scopes/laws"), None, is_research=True),
        ),
        ("scops/research+research", ChatModel(("scopes/research",), None)),
    ],
)
def test_a_name_says_scopes_and_instant(name: str, expected: ChatModel) -> None:
    """A bare date is its end in UTC, as everywhere."""
    assert expected == chat_model(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "gpt-4",
        "scops/",
        "scops/Tarn",
        "scops/tarn+",
        "scops/*+tarn",
        "scops/tarn@",
        "scops/tarn@may",
        "scops/tarn@2026-13-01",
        "scops/tarn@0001-01-01T00:00:00+14:00",
        "tarn",
        "scopes/tarn",
        "scops/research/",
        "scops/research/*",
        "scops/research/tarn@2026-05-01",
        "scops/tarn/laws",
        "scops/" + "+".join(["tarn"] * 33),
    ],
)
def test_other_names_are_refused(name: str) -> None:
    """The error names the field."""
    with pytest.raises(InvalidInput) as raised:
        chat_model(name)

    assert ("MODEL_UNKNOWN", "model") == (raised.value.reason, raised.value.metadata["field"])


def test_listed_models_are_read_again() -> None:
    """What the list says is what may be asked."""
    names = model_names(["scopes/tarn", "scopes/laws", "scopes/research"])

    assert ("scops/*", "scops/research", "scops/tarn", "scops/laws") == names[:-1]
    assert [("*",), (), ("scopes/tarn",), ("scopes/laws",), ("scopes/research",)] == [
        chat_model(name).scopes for name in names
    ]
    assert [False, True, False, False, False] == [chat_model(name).is_research for name in names]
