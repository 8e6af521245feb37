"""The reranker port, on the adapter that loads a folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from scops.common.contract.errors import PermanentError
from scops.retriever.adapters.onnx_cross_encoder import TOKENS_MAX, OnnxCrossEncoder
from tests.fakes.cross_encoder import written


@pytest.fixture(params=[(1, "model.onnx"), (2, "model.onnx"), (1, "onnx/model.onnx")])
def reranker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OnnxCrossEncoder]:
    """A cross-encoder of one or two labels, where hubs put it."""
    labels, graph = request.param
    loaded = OnnxCrossEncoder.load(written(tmp_path, labels=labels, graph=graph), threads=1)
    yield loaded
    loaded.close()


async def test_each_passage_has_its_number_in_the_order_given(reranker: OnnxCrossEncoder) -> None:
    """The question's own words do not count for the passage."""
    odds = await reranker.log_odds("fee fee fee", ["the fee", "the owls", "fee and fee"])

    assert [2.0, -1.0, 4.0] == odds


async def test_number_does_not_depend_on_the_other_passages(reranker: OnnxCrossEncoder) -> None:
    """A longer neighbour pads it; padding counts nothing."""
    alone = await reranker.log_odds("fee", ["the fee"])
    beside = await reranker.log_odds("fee", ["the fee", "fee " * 40])

    assert alone[0] == beside[0]


async def test_nothing_to_read_is_nothing(reranker: OnnxCrossEncoder) -> None:
    """No passage, no number."""
    assert [] == await reranker.log_odds("fee", [])


async def test_what_is_too_long_is_cut(reranker: OnnxCrossEncoder) -> None:
    """A question of any length leaves half of the tokens to the passage."""
    odds = await reranker.log_odds("word " * 3000, ["fee " * 3000, "fee"])

    assert TOKENS_MAX / 2 - 3 <= odds[0] / 2 <= TOKENS_MAX / 2
    assert 2.0 == odds[1]


@pytest.mark.parametrize("broken", ["model.onnx", "tokenizer.json"])
@pytest.mark.parametrize("content", [None, b"", b"not a model"])
def test_folder_that_cannot_be_read_is_a_clear_error(
    tmp_path: Path, broken: str, content: bytes | None
) -> None:
    """It names the folder and the setting."""
    written(tmp_path)
    if content is None:
        (tmp_path / broken).unlink()
    else:
        (tmp_path / broken).write_bytes(content)
    with pytest.raises(PermanentError, match="SCOPS_RETRIEVER_RERANKER_FOLDER") as refused:
        OnnxCrossEncoder.load(tmp_path, threads=1)

    assert str(tmp_path) in refused.value.message
