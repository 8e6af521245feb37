"""Evidence bundles: what an answer was made of, signed."""

import pytest

from scops.common.contract import wire
from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.change import HistoryEntry, HistoryRequest, HistoryResponse
from scops.common.contract.messages.explanation import EvidenceBundle, ExplainRequest, SignedBundle
from scops.common.contract.messages.types import BodyRef
from scops.common.query.ports import HISTORY
from scops.explainer.answer import bundles
from scops.explainer.answer.bundles import open_bundle, seal_bundle
from scops.explainer.handlers.explain import explain
from tests.fakes.clock import START
from tests.fakes.worlds.explainer import Explaining
from tests.fakes.worlds.indexed_pages import page_of

KEY = b"key"
BUNDLE = EvidenceBundle(query="What is the fee?", answered_time=START)


def test_bundle_opens_with_its_key() -> None:
    """What was sealed comes back."""
    assert BUNDLE == open_bundle(seal_bundle(BUNDLE, KEY), KEY)


@pytest.mark.parametrize("data", [b"", b"nonsense", seal_bundle(BUNDLE, b"another key")])
def test_foreign_bundle_is_refused(data: bytes) -> None:
    """Whoever has not the key cannot make one."""
    with pytest.raises(InvalidInput, match="not made by this installation"):
        open_bundle(data, KEY)


def test_changed_bundle_is_refused() -> None:
    """A byte more or less breaks the signature."""
    signed = wire.decode(SignedBundle, seal_bundle(BUNDLE, KEY))
    forged = SignedBundle(bundle=signed.bundle + b"\x0a\x00", signature=signed.signature)
    with pytest.raises(InvalidInput, match="was changed"):
        open_bundle(wire.encode(forged), KEY)


async def test_answer_is_explained_from_its_bundle() -> None:
    """Nothing is retrieved again, and ranks are those of the answer."""
    world = Explaining.create()
    await world.finds(page_of("https://docs.example.org/a", "The yearly fee is 24 euros."))
    answered = await world.ask("What is the yearly fee?")
    asked = len(world.queries.asked)
    explained = await explain(ExplainRequest(bundle=answered.bundle), world.ports)

    assert answered.evidence == explained.evidence
    assert [1] == [passage.rank for passage in explained.passages]
    assert "The answer rests on one passage of one page in The docs." in explained.rationale
    assert ["history"] == [type(r).__name__[:7].lower() for r in world.queries.asked[asked:]]


async def test_what_was_purged_since_is_told_without_its_words() -> None:
    """The bundle opens, and the explanation says why it shows no text."""
    world = Explaining.create()
    await world.finds(page_of("https://docs.example.org/a", "The yearly fee is 24 euros."))
    answered = await world.ask("What is the yearly fee?")
    (passage,) = answered.evidence
    purged = HistoryEntry(
        version_id=passage.version_id,
        order_key=passage.order_key,
        last_verified_time=START,
        manifest=BodyRef(),
        dropped_reason="purged",
        dropped_time=START,
    )

    def history(request: HistoryRequest) -> HistoryResponse:
        return HistoryResponse(page_id=passage.page_id, versions=(purged,), closed=True)

    world.queries.answers[HISTORY.name] = history
    explained = await explain(ExplainRequest(bundle=answered.bundle), world.ports)

    assert ["purged on 2026" in one.rationale for one in explained.passages] == [True]
    assert b"euros" not in wire.encode(explained)


async def test_bundle_that_does_not_fit_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer without bundle is better than a reply that the bus refuses."""
    monkeypatch.setattr(bundles, "REPLY_BYTES_MAX", 4096)
    world = Explaining.create()
    await world.finds(page_of("https://docs.example.org/a", "The fee is 24 euros. " * 200))

    assert b"" == (await world.ask("What is the fee?")).bundle
