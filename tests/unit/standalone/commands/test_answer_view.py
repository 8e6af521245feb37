"""An explained answer: every fact of ours as protobuf, as JSON, and in the terminal."""

import json
from datetime import UTC, datetime

import pytest
from google.protobuf.json_format import MessageToJson
from rich.text import Text

from scops.api.v1alpha1 import search_service_pb2 as pb
from scops.common.contract.ids import PageId, VersionId
from scops.common.contract.messages.change import DiffHunk, DiffKind, DiffPart
from scops.common.contract.messages.explanation import (
    AnswerResponse,
    ExplainResponse,
    Highlight,
    LineageEntry,
    PassageExplanation,
    RankWithout,
    Statement,
    TextProvenance,
)
from scops.common.contract.messages.retrieval import Evidence, ScopeMatch, ScorePart, TimeMatch
from scops.common.contract.messages.types import (
    ChangeClass,
    ChangeSummary,
    Clocks,
    OrderKey,
    RuleKind,
    ScopeRule,
    StatedKind,
    StatedSource,
    StatedTime,
)
from scops.gateway.api.responses import message
from scops.standalone.commands.answer_view import show_answer
from scops.standalone.terminal import output

SEEN = datetime(2026, 3, 1, tzinfo=UTC)
TIME = TimeMatch(
    relation="before",
    asked_to="1989-12-31",
    start=7,
    end=40,
    dated=True,
    named_from="1985-01-01",
    named_to="1985-12-31",
    confidence=0.65,
)
PASSAGE = Evidence(
    page_id=PageId("p1"),
    version_id=VersionId("v2"),
    canonical_url="https://docs.example.org/club",
    title="Club",
    text="Ann led it.",
    parts=(
        ScorePart(name="vector", raw=0.5, weight=10, weighted=5.0, present=True),
        ScorePart(name="fresh"),
    ),
    scopes=(ScopeMatch(rule=ScopeRule(kind=RuleKind.PREFIX, pattern="docs.example.org")),),
    clocks=Clocks(observed_time=SEEN),
    order_key=OrderKey(observed_from=SEEN),
    graph_path=("ann ott", "owl club"),
    time_match=TIME,
)
EXPLAINED = PassageExplanation(
    page_id=PASSAGE.page_id,
    rank=1,
    ranks_without=(RankWithout(part="vector", rank=4),),
    lineage=(
        LineageEntry(
            version_id=PASSAGE.version_id,
            observed_time=SEEN,
            summary=ChangeSummary(change_class=ChangeClass.CRITICAL),
            diff=(DiffHunk(parts=(DiffPart(kind=DiffKind.INSERT, text="Ann"),)),),
            cited=True,
        ),
    ),
    extraction=TextProvenance(
        extractor="trafilatura",
        flags=("truncated",),
        stated=(
            StatedTime(
                kind=StatedKind.MODIFIED, time=SEEN, source=StatedSource.JSON_LD, confidence=0.9
            ),
        ),
    ),
)


def _message() -> pb.AnswerResponse:
    return message(
        pb.AnswerResponse,
        AnswerResponse(
            answered=True,
            evidence=(PASSAGE,),
            explanation=ExplainResponse(
                passages=(EXPLAINED,), rationale="It rests on one passage."
            ),
        ),
    )


def test_short_answer_is_underlined_inside_its_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    """And what looks like markup on the page stays the page's words."""
    text = "River [dim] costs 19 euros."
    start = text.index("19")
    statement = Statement(text=text, highlight=Highlight(start=start, end=start + 8))
    answer = message(pb.AnswerResponse, AnswerResponse(answered=True, statements=(statement,)))
    console = output.PrintableConsole(record=True, force_terminal=True, highlight=False)
    monkeypatch.setattr(output, "console", console)

    show_answer(answer)

    shown = Text.from_ansi(console.export_text(styles=True))
    underlined = [shown.plain[s.start : s.end] for s in shown.spans if "underline" in str(s.style)]
    assert text in shown.plain
    assert ["19 euros"] == underlined


def test_every_fact_is_in_the_message_and_its_json() -> None:
    """Who calls by gRPC, and who reads JSON, lacks nothing that a terminal shows."""
    message = _message().explanations[0]
    read = json.loads(MessageToJson(message, preserving_proto_field_name=True))

    assert ["ann ott", "owl club"] == read["passage"]["graph_path"]
    match = read["passage"]["time_match"]
    assert {"relation": "before", "asked_to": "1989-12-31", "named_from": "1985-01-01"}.items() <= (
        match.items()
    )
    assert 0.65 == message.passage.time_match.confidence
    assert [{"part": "vector", "rank": 4}] == read["ranks_without"]
    assert "trafilatura" == read["extraction"]["extractor"]
    stated = read["extraction"]["stated"][0]
    assert ("modified", "json_ld", 0.9) == (stated["kind"], stated["source"], stated["confidence"])
    assert "Ann" == read["lineage"][0]["diff"][0]["parts"][0]["text"]


@pytest.mark.parametrize(
    "expected",
    [
        "It rests on one passage.",
        "5.000",
        "rank 4 without",
        "nothing to say",
        "docs.example.org",
        "linked by ann ott → owl club",
        "asked for before … to 1989-12-31, speaks of 1985-01-01 to 1985-12-31",
        "confidence 0.65",
        "text by trafilatura, truncated",
        "says it was modified 2026-03-01",
        "in json_ld, confidence 0.90",
        "cited",
        "Ann",
    ],
)
def test_terminal_shows_every_fact(expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Parts, counterfactual ranks, scope, graph path, time, extraction, lineage with its diff."""
    show_answer(_message(), with_parts=True)

    shown = " ".join(capsys.readouterr().out.split())
    assert expected in shown


def test_parts_are_for_who_asks(capsys: pytest.CaptureFixture[str]) -> None:
    """Words come first; the numbers behind them are a flag away."""
    show_answer(_message())

    shown = capsys.readouterr().out
    assert "It rests on one passage." in shown
    assert "5.000" not in shown
