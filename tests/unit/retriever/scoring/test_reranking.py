"""A configured reranker: who is read, what it adds, and where it does not speak."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from scops.common.contract.errors import PermanentError
from scops.common.contract.messages.retrieval import RetrieveResponse, ScorePart
from scops.retriever.adapters.onnx_cross_encoder import OnnxCrossEncoder
from scops.retriever.service import _reranker
from scops.retriever.settings import RetrieverSettings
from tests.fakes.cross_encoder import written
from tests.fakes.worlds.retriever import Retrieving


class _Scripted:
    """Likes what holds a word."""

    def __init__(self, word: str) -> None:
        self._word = word
        self.read: list[Sequence[str]] = []

    async def log_odds(self, question: str, passages: Sequence[str]) -> list[float]:
        self.read.append(passages)
        return [30.0 if self._word in passage else 0.0 for passage in passages]


async def _world(**settings: int) -> Retrieving:
    world = await Retrieving.create(**settings)
    for number in range(8):
        await world.show(f"p{number}", "fee " * (8 - number) + f"of house{number}")
    return world


def _part(response: RetrieveResponse, place: int) -> ScorePart | None:
    parts = response.evidence[place].parts
    return next((part for part in parts if part.name == "rerank"), None)


@pytest.mark.parametrize("recipe", ["default", "graph", "temporal", "fresh"])
async def test_best_passages_are_read_and_rescored(recipe: str) -> None:
    """Only so many; parts add up, and what was not read has no part in it."""
    world = await _world(reranker_passages=4)
    plain = [one.canonical_url for one in (await world.ask("fee", recipe=recipe)).evidence]
    third = plain[2].rpartition("/p")[2]
    reranker = _Scripted(f"house{third}")
    response = await world.with_ports(reranker=reranker).ask("fee", recipe=recipe)

    assert plain[2] == response.evidence[0].canonical_url
    assert [4] == [len(read) for read in reranker.read]
    assert set(plain) == {one.canonical_url for one in response.evidence}
    for passage in response.evidence:
        assert passage.score == pytest.approx(sum(part.weighted for part in passage.parts))
    raised = _part(response, 0)
    assert raised is not None
    assert raised.present
    assert pytest.approx(22.5) == raised.raw
    shown = [part for one in response.evidence for part in one.parts if part.name == "rerank"]
    assert [4, 8] == [sum(part.present for part in shown), len(shown)]


@pytest.mark.parametrize("recipe", ["hybrid", "owlerlite"])
async def test_recipes_that_are_as_published_do_not_rerank(recipe: str) -> None:
    """They are what others are compared with."""
    reranker = _Scripted("house7")
    response = await (await _world()).with_ports(reranker=reranker).ask("fee", recipe=recipe)

    assert [] == reranker.read
    assert _part(response, 0) is None


async def test_without_a_reranker_there_is_no_part() -> None:
    """Off by default."""
    assert _part(await (await _world()).ask("fee"), 0) is None
    assert "" == RetrieverSettings().reranker_folder


async def test_cross_encoder_of_a_folder_reranks(tmp_path: Path) -> None:
    """The real adapter behind the real retriever."""
    reranker = OnnxCrossEncoder.load(written(tmp_path), threads=1)
    world = await Retrieving.create()
    await world.show("owls", "owls hunt at night , owls see well")
    await world.show("fee", "the fee is due")
    response = await world.with_ports(reranker=reranker).ask("owls and the fee")
    reranker.close()

    part = _part(response, 0)
    assert part is not None
    assert "the fee is due" == response.evidence[0].text
    assert 0 < part.raw


def test_folder_that_is_not_there_stops_the_start(tmp_path: Path) -> None:
    """Who wants a reranker must not search without one unawares."""
    settings = RetrieverSettings(reranker_folder=str(tmp_path / "nowhere"))
    with pytest.raises(PermanentError, match="nowhere"):
        _reranker(settings, threads=1)
