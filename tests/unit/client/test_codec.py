"""Values and messages: every field of the API is there, and means the same."""

from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from scops import client
from scops.api.v1alpha1 import (
    chat_service_pb2,
    identity_service_pb2,
    job_service_pb2,
    page_service_pb2,
    research_service_pb2,
    scope_service_pb2,
    search_service_pb2,
    watch_service_pb2,
)
from scops.client.codec import instant, read, write
from scops.client.values import words

# Where a message of the API has another name than its value, and what is told by other means.
MESSAGES = {
    "Answer": search_service_pb2.AnswerResponse,
    "Caller": identity_service_pb2.WhoAmIResponse,
    "Changes": page_service_pb2.WhatChangedResponse,
    "AnswerPart": search_service_pb2.StreamAnswerResponse,
    "Explanation": search_service_pb2.ExplainResponse,
    "JobProgress": job_service_pb2.GetJobResponse,
    "LocatedPage": page_service_pb2.LocatePageResponse,
    "NewChanges": page_service_pb2.WatchChangesResponse,
    "PageDiff": page_service_pb2.DiffPageVersionsResponse,
    "PageChanges": page_service_pb2.ListPageChangesResponse,
    "PageText": page_service_pb2.ReadPageResponse,
    "PageHistory": page_service_pb2.ListPageVersionsResponse,
    "Pin": page_service_pb2.PinPageVersionResponse,
    "ResearchProgress": research_service_pb2.GetResearchResponse,
    "ScopePreview": scope_service_pb2.PreviewScopeResponse,
    "SharedChat": chat_service_pb2.ShareChatResponse,
    "SearchResult": search_service_pb2.SearchResponse,
    "CreatedWatch": watch_service_pb2.CreateWatchResponse,
    "WatchDeliveries": watch_service_pb2.GetWatchResponse,
    "WatchTest": watch_service_pb2.TestWatchResponse,
}
# Issuers are for `scops login`.
LEFT_OUT = {"Caller": {"issuers"}}
MODULES = (
    search_service_pb2,
    page_service_pb2,
    scope_service_pb2,
    job_service_pb2,
    identity_service_pb2,
    watch_service_pb2,
    chat_service_pb2,
    research_service_pb2,
)
VALUES = [name for name in client.__all__ if is_dataclass(getattr(client, name))]
WORDS = {
    words.Mode: search_service_pb2.AnswerRequest.Mode,
    words.Unsupported: search_service_pb2.AnswerRequest.Unsupported,
    words.Revalidate: search_service_pb2.AnswerRequest.Revalidate,
    words.Speaker: search_service_pb2.Turn.Speaker,
    words.Anchor: search_service_pb2.ResolvedCitation.Anchor,
    words.RuleKind: scope_service_pb2.ScopeRule.Kind,
    words.Boundary: scope_service_pb2.Scope.Boundary,
    words.ScopeRole: scope_service_pb2.ScopeRole,
    words.JobState: job_service_pb2.Job.State,
    words.ResearchState: research_service_pb2.Research.State,
    words.PartKind: page_service_pb2.DiffPart.Kind,
    words.CredentialKind: identity_service_pb2.CredentialKind,
    words.InstallationRole: identity_service_pb2.InstallationRole,
    words.WatchState: watch_service_pb2.Watch.State,
    words.TargetKind: watch_service_pb2.WatchTarget.Kind,
    words.Every: watch_service_pb2.WatchSchedule.Every,
    words.DeliveryState: watch_service_pb2.WatchDelivery.State,
}


def message_of(name: str) -> Any:
    """Returns the message that a value is of."""
    if name in MESSAGES:
        return MESSAGES[name]
    return next(getattr(module, name) for module in MODULES if hasattr(module, name))


def filled(message: Any) -> Any:
    """Returns a message with something in each field, other than its default."""
    for field in message.DESCRIPTOR.fields:
        if field.message_type is not None:
            if field.message_type.full_name == "google.protobuf.Timestamp":
                getattr(message, field.name).FromDatetime(datetime(2026, 3, 1, 12))
            else:
                held = getattr(message, field.name)
                filled(held.add() if field.is_repeated else held)
            continue
        kind = "enum" if field.enum_type is not None else type(field.default_value).__name__
        if field.is_repeated:
            kind = "enum" if field.enum_type is not None else field_type(field)
        value = {"enum": 1, "str": "x", "bytes": b"x", "int": 2, "float": 0.5, "bool": True}[kind]
        if field.is_repeated:
            getattr(message, field.name).append(value)
        else:
            setattr(message, field.name, value)
    return message


def field_type(field: Any) -> str:
    """Returns the type of the items of a repeated field."""
    return "str" if field.cpp_type == field.CPPTYPE_STRING else "int"


@pytest.mark.parametrize("name", VALUES)
def test_a_value_has_every_field_of_its_message(name: str) -> None:
    """What the API learns to say, the client says too."""
    described = {field.name for field in message_of(name).DESCRIPTOR.fields}
    own = {field.name for field in fields(getattr(client, name))}

    assert described - LEFT_OUT.get(name, set()) == own


@pytest.mark.parametrize("name", VALUES)
def test_what_is_read_is_written_the_same(name: str) -> None:
    """Nothing is lost and nothing mistaken on the way."""
    message = filled(message_of(name)())
    for left_out in LEFT_OUT.get(name, ()):
        message.ClearField(left_out)
    value = read(getattr(client, name), message)
    values = {field.name: getattr(value, field.name) for field in fields(value)}

    assert message == write(message_of(name)(), values)


@pytest.mark.parametrize("word", WORDS)
def test_words_are_those_of_the_api(word: type[words.Word]) -> None:
    """Each of them, and no other."""
    described = WORDS[word].DESCRIPTOR
    prefix = described.values_by_number[0].name.removesuffix("UNSPECIFIED")

    assert [f"{prefix}{one.name}" for one in word] == [one.name for one in described.values]


def test_what_a_newer_gateway_says_is_unspecified_or_left_out() -> None:
    """A client goes on to work with a gateway that knows more."""
    message = job_service_pb2.Job(name="jobs/1")
    message.MergeFromString(b"\x18\x63\xaa\x06\x01x")
    job = read(client.Job, message)

    assert (client.JobState.UNSPECIFIED, "jobs/1") == (job.state, job.name)


def test_a_day_is_its_end_and_an_instant_needs_its_zone() -> None:
    """As the command reads them."""
    east = timezone(timedelta(hours=2))

    assert datetime(2026, 3, 1, 23, 59, 59, 999999, tzinfo=UTC) == instant(date(2026, 3, 1))
    assert datetime(2026, 3, 1, 10, tzinfo=UTC) == instant(datetime(2026, 3, 1, 12, tzinfo=east))
    with pytest.raises(ValueError, match="time zone"):
        instant(datetime(2026, 3, 1))


def test_a_text_is_no_list_of_characters() -> None:
    """`seeds="https://…"` would make twenty seeds of a letter each."""
    with pytest.raises(TypeError, match=r"write \['https://a.org/'\]"):
        write(scope_service_pb2.Scope(), {"seeds": "https://a.org/"})
