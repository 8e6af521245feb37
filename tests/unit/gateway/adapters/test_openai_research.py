"""Questions in OpenAI's form for which pages are fetched, and what is told of a run."""

import json
from collections.abc import Iterable
from typing import Any

import pytest

from scops.api.v1alpha1 import research_service_pb2 as researches
from scops.api.v1alpha1 import search_service_pb2 as search
from scops.common.contract.errors import InvalidInput
from scops.gateway.adapters.http.openai.chat_values import Chunks
from scops.gateway.adapters.http.openai.research import ResearchTelling
from scops.gateway.adapters.http.openai.research_values import (
    Progress,
    ended_answer,
    research_request,
    start_of,
)

SITE = "https://docs.example.org/"
Research = researches.Research


@pytest.mark.parametrize(
    ("text", "uri", "question"),
    [
        (f"How deep is it? {SITE}", SITE, "How deep is it?"),
        (f"How deep is it? See {SITE}.", SITE, "How deep is it?"),
        (f"See {SITE}a: how deep is it?", f"{SITE}a", "how deep is it?"),
        (f"What is v3.5 of {SITE}?", SITE, "What is v3.5 of ?"),
        (f"By {SITE}a, how deep is it?", f"{SITE}a", "By , how deep is it?"),
        (f"How deep\nis it ({SITE}a_(b))?", f"{SITE}a_(b)", "How deep is it ()?"),
        (f"[Docs]({SITE}a): how deep?", f"{SITE}a", "how deep?"),
        (f"请看{SITE}a，多深？", f"{SITE}a", "请看，多深？"),
        (f"{SITE}a or {SITE}b?", f"{SITE}a", f"or {SITE}b?"),
        ("http://)))))", "http://", ")))))"),
        ("How deep is it?", "", "How deep is it?"),
    ],
)
def test_a_run_starts_from_the_first_url(text: str, uri: str, question: str) -> None:
    """What ends the sentence around it is none of it; the question is what else is said."""
    assert (uri, question) == start_of(text)


def test_scope_budget_and_hosts_are_those_of_the_api() -> None:
    """The first scope is looked further in, the others are asked besides."""
    asked = search.AnswerRequest(query="How deep?", scopes=["scopes/tarn", "scopes/laws"])
    fields = {"budget": {"pages": 9, "seconds": 60, "bytes": "100"}, "hosts": ["a.test"]}
    wanted = research_request(asked, fields).research

    assert ("scopes/tarn", ["scopes/laws"]) == (wanted.scope, list(wanted.scopes))
    assert (9, 60, 100) == (wanted.budget.pages, wanted.budget.seconds, wanted.budget.bytes)
    assert ["a.test"] == list(wanted.hosts)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"budget": 3}, "budget"),
        ({"budget": {"pages": "many"}}, "budget"),
        ({"budget": {"euros": 3}}, "budget"),
        ({"budget": {"seconds": 600}}, "budget.seconds"),
        ({"hosts": "a.test"}, "hosts"),
        ({"hosts": ["\ud800"]}, "hosts"),
    ],
)
def test_what_cannot_be_read_is_refused(fields: dict[str, Any], field: str) -> None:
    """The error names the field; a run ends while its stream may be open."""
    asked = search.AnswerRequest(query=f"How deep? {SITE}")
    with pytest.raises(InvalidInput) as raised:
        research_request(asked, fields)

    assert field == raised.value.metadata["field"]


def test_without_a_start_it_is_told_how_to_give_one() -> None:
    """A URL, or a scope by the model's name."""
    with pytest.raises(InvalidInput, match="scops/research/NAME"):
        research_request(search.AnswerRequest(query="How deep?"), {})


def run(state: "Research.State", **fields: Any) -> Research:
    """Builds a run of two looks; a link that it followed is markup."""
    return Research(
        name="researches/1",
        state=state,
        pages=[
            researches.ResearchPage(uri=SITE, outcome="indexed"),
            researches.ResearchPage(
                uri=f"{SITE}a",
                link_text="![x](https://evil.example/)\nclick here",
                step=1,
                outcome="blocked",
                reason="robots",
            ),
        ],
        steps=[
            researches.ResearchStep(number=1, fetched=1, candidates=9, chosen=1),
            researches.ResearchStep(
                number=2, fetched=2, coverage=0.25, missing_words=["deep"], stop_reason="low_gain"
            ),
        ],
        **fields,
    )


def test_each_line_is_told_once_in_order() -> None:
    """A page once it has come, a look once it is decided; words of pages are no markup."""
    progress, whole = Progress(), run(Research.STATE_ENDED)
    begun = Research(pages=whole.pages[:1], steps=whole.steps[:1])

    assert [SITE, "look 1: covered 0%, 9 links weighed, 1 fetched next"] == list(progress.of(begun))
    assert [
        f"{SITE}a by “!\\[x\\](https://evil.example/) click here”: blocked (robots)",
        "look 2: covered 25%; the last pages brought nothing more",
    ] == list(progress.of(whole))
    assert [] == list(progress.of(whole))


def test_without_an_answer_it_is_told_what_is_missing_and_why_it_stopped() -> None:
    """Also where there is nothing but what went wrong."""
    ended = researches.WatchResearchResponse(
        research=run(Research.STATE_ENDED, stop_reason="low_gain"),
        answer=search.AnswerResponse(shortfall_reason="No passage says so."),
    )
    failed = researches.WatchResearchResponse(
        research=Research(state=Research.STATE_FAILED, message="The scope is gone")
    )

    assert (
        "No passage says so. Nothing that was found says: deep. The research fetched 2 pages and "
        "went no further: the last pages brought nothing more."
    ) == ended_answer(ended).shortfall_reason
    assert (
        "The research fetched 0 pages and went no further: The scope is gone."
        == ended_answer(failed).shortfall_reason
    )


def told(parts: Iterable[researches.WatchResearchResponse]) -> list[dict[str, Any]]:
    """Returns the chunks of a stream of a run."""
    about: dict[str, Any] = {"id": "chatcmpl-1", "created": 1, "model": "scops/research"}
    telling = ResearchTelling(about, Chunks(about, with_usage=False), lambda _: NotImplemented)
    events = b"".join(telling.of(part) or b"" for part in parts)  # type: ignore[arg-type]
    lines = events.decode().split("\n\n")[:-1]
    return [json.loads(line.removeprefix("data: ")) for line in lines]


def test_progress_stands_beside_the_answer() -> None:
    """It begins at once; the answer's text comes after all that was looked at."""
    citation = search.Citation(number=1, uri=f"{SITE}a", title="Depth", quote="14 m")
    statement = search.Statement(text="It is 14 m deep.", citation_numbers=[1])
    answer = search.AnswerResponse(answered=True, statements=[statement], citations=[citation])
    ended = run(Research.STATE_ENDED, stop_reason="covered")
    chunks = told(
        [
            researches.WatchResearchResponse(research=Research(state=Research.STATE_RUNNING)),
            researches.WatchResearchResponse(research=ended, answer=answer),
        ]
    )
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    texts = [delta["content"] for delta in deltas if delta.get("content")]

    assert {"role": "assistant", "content": ""} == deltas[0]
    assert [] == chunks[0]["sources"]
    assert 4 == sum("progress" in chunk for chunk in chunks)
    assert [f"It is 14 m deep. [[1]]({SITE}a)"] == texts
    assert "covered" == chunks[-1]["stop_reason"]
    assert ["14 m"] == [one["quote"] for one in chunks[-1]["citations"]]
