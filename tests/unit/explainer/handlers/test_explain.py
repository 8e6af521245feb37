"""`Explain`: ranks, parts, lineage and diff."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from scops.common.contract import wire
from scops.common.contract.errors import NotFound, TransientError
from scops.common.contract.ids import ScopeId, VersionId
from scops.common.contract.messages.change import (
    DiffHunk,
    DiffKind,
    DiffPart,
    DiffRequest,
    DiffResponse,
    HistoryEntry,
    HistoryRequest,
    HistoryResponse,
    Manifest,
)
from scops.common.contract.messages.content import Document
from scops.common.contract.messages.explanation import (
    ExplainRequest,
    ExplainResponse,
    PassageExplanation,
)
from scops.common.contract.messages.retrieval import (
    Evidence,
    PreferredScope,
    RetrieveRequest,
    RetrieveResponse,
    Weights,
)
from scops.common.contract.messages.types import (
    BodyRef,
    ChangeSummary,
    OrderKey,
    ScopeRef,
    StatedKind,
    StatedTime,
)
from scops.common.query.ports import DIFF, HISTORY, RETRIEVE
from scops.common.text.remarks import RemarkCode, remark, sentence
from scops.explainer.answer import bundles, lineage
from scops.explainer.handlers.explain import explain
from tests.fakes.clock import START
from tests.fakes.worlds.explainer import Explaining, passage_of
from tests.fakes.worlds.indexed_pages import page_of

FEES = page_of("https://docs.example.org/fees", "The fee is 24 euros.", "It is due in May.")
OWLS = page_of("https://docs.example.org/owls", "Owls hunt at night.")
HUNK = DiffHunk(parts=(DiffPart(kind=DiffKind.INSERT, text="24"),))


def _history(*versions: str) -> HistoryResponse:
    """Builds a history, newest first."""
    return HistoryResponse(
        versions=tuple(
            HistoryEntry(
                version_id=VersionId(version),
                order_key=OrderKey(observed_from=START - timedelta(days=place)),
                last_verified_time=START,
                manifest=BodyRef(),
                summary=ChangeSummary(semantic=True),
            )
            for place, version in enumerate(versions)
        )
    )


def _citing(version: str, page: Any = FEES, place: int = 0) -> Evidence:
    return replace(passage_of(page, place), version_id=VersionId(version))


def _world(*versions: str) -> Explaining:
    world = Explaining.create()
    world.queries.answers[HISTORY.name] = lambda request: _history(*versions[: request.limit])
    world.queries.answers[DIFF.name] = lambda request: DiffResponse(hunks=(HUNK,))
    return world


async def _explain(world: Explaining, *evidence: Evidence) -> tuple[PassageExplanation, ...]:
    response: ExplainResponse = await explain(
        ExplainRequest(query="fee", evidence=evidence), world.ports
    )
    return response.passages


async def test_explains_each_passage_in_the_order_given() -> None:
    """Parts, scopes and score are the passage's own; the rank is its place."""
    world = _world("v2", "v1")
    first, second = _citing("v2"), _citing("v2", OWLS)
    explained = await _explain(world, first, second)

    assert [(1, first.parts, first.scopes), (2, second.parts, second.scopes)] == [
        (entry.rank, entry.parts, entry.scopes) for entry in explained
    ]


async def test_passage_given_twice_has_both_ranks() -> None:
    """A repeated passage must not take over the rank of its first place."""
    explained = await _explain(_world("v1"), _citing("v1"), _citing("v1"))

    assert [1, 2] == [entry.rank for entry in explained]


async def test_lineage_of_a_version_is_asked_once() -> None:
    """Two passages of one version share its lineage."""
    world = _world("v2", "v1")
    await _explain(world, _citing("v2"), _citing("v2", FEES, 1))

    kinds = [type(request) for request in world.queries.asked]
    assert [HistoryRequest, DiffRequest] == kinds


async def test_cited_version_shows_what_it_changed() -> None:
    """Only the cited version has a diff, with the one before it."""
    world = _world("v3", "v2", "v1")
    (explained,) = await _explain(world, _citing("v2"))

    assert [("v3", False, ()), ("v2", True, (HUNK,)), ("v1", False, ())] == [
        (entry.version_id, entry.cited, entry.diff) for entry in explained.lineage
    ]
    asked = world.queries.asked[-1]
    assert ("v1", "v2") == (asked.from_version, asked.to_version)


async def test_first_version_has_no_diff() -> None:
    """There is nothing before it."""
    (explained,) = await _explain(_world("v1"), _citing("v1"))

    assert [()] == [entry.diff for entry in explained.lineage]


async def test_cited_version_far_back_is_listed_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """A citation as of an earlier instant is part of its own lineage, with its own diff."""
    monkeypatch.setattr(lineage, "LINEAGE_VERSIONS", 3)
    world = _world(*(f"v{n}" for n in range(20, 0, -1)))
    (explained,) = await _explain(world, _citing("v5"))

    assert ["v20", "v19", "v5"] == [entry.version_id for entry in explained.lineage]
    assert (True, (HUNK,)) == (explained.lineage[-1].cited, explained.lineage[-1].diff)
    assert "v4" == world.queries.asked[-1].from_version


async def test_cited_version_beyond_the_history_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A bound is a bound: the newest versions are shown, none marked as cited."""
    monkeypatch.setattr(lineage, "LINEAGE_VERSIONS", 2)
    monkeypatch.setattr(lineage, "HISTORY_VERSIONS", 4)
    world = _world(*(f"v{n}" for n in range(9, 0, -1)))
    (explained,) = await _explain(world, _citing("v1"))

    assert [("v9", False), ("v8", False)] == [(e.version_id, e.cited) for e in explained.lineage]


async def test_silent_change_detector_leaves_the_lineage_out() -> None:
    """An explanation without lineage is better than none."""
    (explained,) = await _explain(Explaining.create(), _citing("v1"))

    assert () == explained.lineage
    assert explained.rationale.startswith("Ranks 1: it is the only passage here.")


async def test_page_that_the_change_detector_does_not_know_leaves_it_out() -> None:
    """Neither does an error for good fail the answer."""
    world = _world()

    def refuse(request: HistoryRequest) -> None:
        raise NotFound("There is no such page.")

    world.queries.answers[HISTORY.name] = refuse
    (explained,) = await _explain(world, _citing("v1"))

    assert () == explained.lineage


async def test_lineage_stays_when_only_the_diff_is_missing() -> None:
    """What is known is shown."""
    world = _world("v2", "v1")

    def refuse(request: DiffRequest) -> None:
        raise TransientError("The change-detector is busy.")

    world.queries.answers[DIFF.name] = refuse
    (explained,) = await _explain(world, _citing("v2"))

    assert [("v2", ()), ("v1", ())] == [(e.version_id, e.diff) for e in explained.lineage]


async def test_all_lineages_share_one_deadline() -> None:
    """Many passages must not add up to more than the caller waits."""
    world = _world("v1")
    await _explain(world, _citing("v1"), _citing("v1", OWLS))

    assert [START + timedelta(seconds=2)] * 2 == world.queries.deadlines


async def test_says_how_the_version_was_extracted() -> None:
    """Who read it, what went wrong, and how sure its dates are."""
    world = _world("v2")
    stated = StatedTime(kind=StatedKind.PUBLISHED, time=START, confidence=0.8)
    document = Document(extractor="trafilatura", flags=("truncated",))
    manifest = Manifest(
        order_key=OrderKey(observed_from=START),
        text=await world.archive.put(FEES.text.encode(), media_type="text/plain"),
        document=await world.archive.put(wire.encode(document), media_type="document"),
        summary=ChangeSummary(),
        stated=(stated,),
    )
    digest = (await world.archive.put(wire.encode(manifest), media_type="manifest")).digest
    found = await _explain(world, replace(_citing("v2"), manifest_digest=digest))
    lost = await _explain(world, replace(_citing("v2"), manifest_digest="0" * 64))

    extraction = found[0].extraction
    assert extraction is not None
    assert ("trafilatura", ("truncated",)) == (extraction.extractor, extraction.flags)
    assert (stated,) == extraction.stated
    assert lost[0].extraction is None
    assert lost[0].rationale


async def test_what_a_query_finds_is_explained() -> None:
    """Without passages the retriever is asked as Search asks it, joined and with its own limit."""
    world = _world("v2", "v1")
    await world.finds(FEES, OWLS)
    scopes = (ScopeRef(scope_id=ScopeId("docs"), revision=3),)
    ranking: dict[str, Any] = {
        "recipe": "graph",
        "weights": Weights(alpha=0.5),
        "preferred": (PreferredScope(scope_id=ScopeId("docs"), priority=0.5),),
    }
    request = ExplainRequest(query="fee", scopes=scopes, limit=7, **ranking)
    response = await explain(request, world.ports)

    asked = next(one for one in world.queries.asked if isinstance(one, RetrieveRequest))
    expected = RetrieveRequest(query="fee", scopes=scopes, limit=7, counterfactuals=True, **ranking)
    assert expected == asked
    assert 0 < len(response.evidence)
    assert [one.chunk_id for one in response.evidence] == [
        one.chunk_id for one in response.passages
    ]


async def test_explanations_beyond_the_bound_of_a_reply_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The last ones go, with their passages."""
    long = page_of("https://docs.example.org/long", "fee " * 600)
    monkeypatch.setattr(bundles, "REPLY_BYTES_MAX", 4096)
    world = _world("v1")
    await world.finds(FEES, long)
    response = await explain(ExplainRequest(query="fee", limit=9), world.ports)

    sizes = [len(wire.encode(one)) for one in (*response.evidence, *response.passages)]
    assert sum(sizes) <= 4096
    assert 0 < len(response.passages) == len(response.evidence) < len(world.found)


async def test_what_a_preset_left_out_is_told() -> None:
    """By the retriever's own code, beside the passages and where there are none."""
    world = _world("v1")
    found = await world.finds(FEES)
    counted = {"returned": 1, "limit": 5, "unlike": 3, "likeness_min": "0.6"}
    cut = remark(RemarkCode.OTHERS_LESS_ALIKE, **counted)
    full = remark(RemarkCode.NO_MORE, returned=1, limit=5)
    told = []
    for evidence, why in ((tuple(found), cut), ((), cut), (tuple(found), full)):
        reply = RetrieveResponse(evidence=evidence, shortfall=(why,))
        world.queries.answers[RETRIEVE.name] = lambda _, reply=reply: reply
        told.append(await explain(ExplainRequest(query="fee", recipe="top5"), world.ports))

    assert [(cut,), (cut,), ()] == [one.reasons for one in told]
    assert told[0].rationale.endswith("3 more were found, but are less like the question than 0.6.")
    assert sentence(cut) == told[1].rationale
