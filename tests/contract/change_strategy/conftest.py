"""Every change strategy."""

import pytest

from scops.change_detector.service import build_strategy
from scops.change_detector.settings import ChangeDetectorSettings
from scops.change_detector.strategies.port import ChangeStrategy
from tests.fakes.embedder import HashingEmbedder


@pytest.fixture(params=["salient", "owlerlite"])
def strategy(request: pytest.FixtureRequest) -> ChangeStrategy:
    """Returns a strategy as the service builds it."""

    async def loaded() -> HashingEmbedder:
        return HashingEmbedder()

    return build_strategy(ChangeDetectorSettings(strategy=request.param), loaded)
