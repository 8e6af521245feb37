"""Messages of the API made of values, and values of what callers send."""

import pytest

from scops.api.v1alpha1 import search_service_pb2 as pb
from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.explanation import (
    Anchor,
    AnswerMode,
    AnswerResponse,
    ResolvedCitation,
    Speaker,
    Turn,
    UnsupportedPolicy,
)
from scops.common.contract.messages.retrieval import RetrieveResponse
from scops.common.text.remarks import RemarkCode, remark
from scops.gateway.api.request_values import answer_request, citation_values
from scops.gateway.api.responses import message


def test_wording_of_a_request() -> None:
    """Mode, policy, turns and model arrive; what this version does not know counts as unset."""
    request = pb.AnswerRequest(
        mode=pb.AnswerRequest.MODE_MODEL,
        unsupported=pb.AnswerRequest.UNSUPPORTED_MARK,
        history=[pb.Turn(speaker=pb.Turn.SPEAKER_ASSISTANT, text="Hello.")],
        model="large",
    )
    wording = answer_request(request)

    assert (AnswerMode.MODEL, UnsupportedPolicy.MARK) == (wording.mode, wording.unsupported)
    assert (Turn(speaker=Speaker.ASSISTANT, text="Hello."),) == wording.history
    assert "large" == wording.model
    assert AnswerMode.UNSPECIFIED == answer_request(pb.AnswerRequest(mode=99)).mode  # type: ignore[arg-type]


def test_shortfall_goes_out_in_codes_beside_its_sentence() -> None:
    """Of a search and of an answer alike."""
    told = remark(RemarkCode.NEAREST, place="Birds")
    found = message(pb.SearchResponse, RetrieveResponse(shortfall=(told,)))
    answered = message(pb.AnswerResponse, AnswerResponse(shortfall=(told,)))
    expected = pb.Remark(code="nearest", arguments=[pb.RemarkArgument(name="place", value="Birds")])

    assert [expected] == list(found.shortfall) == list(answered.shortfall)


def test_unset_places_stay_unset() -> None:
    """A span at offset 0 is not the same as none."""
    nowhere = message(pb.ResolvedCitation, ResolvedCitation(anchor=Anchor.SUPERSEDED))
    at_start = message(
        pb.ResolvedCitation, ResolvedCitation(anchor=Anchor.SAME, head_start=0, head_end=3)
    )

    assert not nowhere.HasField("head_start")
    assert at_start.HasField("head_start")


def test_citation_sent_back_keeps_what_counts() -> None:
    """Page, version, offsets, quote and digest survive the way there and back."""
    sent = pb.Citation(
        number=2, page="pages/p-a", version="v", start=3, end=7, quote="owls", quote_digest="d"
    )
    citation = citation_values([sent])[0]

    assert (2, "p-a", "v", 3, 7, "owls", "d") == (
        citation.number,
        citation.page_id,
        citation.version_id,
        citation.start,
        citation.end,
        citation.quote,
        citation.quote_digest,
    )
    with pytest.raises(InvalidInput):
        citation_values([pb.Citation(page="nonsense")])
