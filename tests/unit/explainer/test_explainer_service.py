"""The explainer as composed."""

import random
from pathlib import Path

import pytest
from aiohttp import web

from scops.common.archive.opening import open_archive
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import NotPermitted
from scops.common.contract.messages.explanation import AnswerRequest, ExplainRequest
from scops.common.contract.service_table import Role
from scops.common.db.database import Database
from scops.common.processes.pool import ChildPool
from scops.common.query.ports import ANSWER, EXPLAIN, FIND, RANK_LINKS, RESOLVE, RETRIEVE
from scops.common.runtime.platform import Platform, SharedResources
from scops.common.scope.book import ScopeBook
from scops.explainer.service import build
from scops.explainer.settings import ExplainerSettings
from scops.libraries.embedder.opening import open_embedder
from tests.fakes.clock import ManualClock
from tests.fakes.identity import asked_for
from tests.fakes.servers.model_endpoint import completion, model_endpoint
from tests.fakes.worlds.explainer import Explaining
from tests.fakes.worlds.indexed_pages import page_of


def _platform(data_dir: Path, world: Explaining) -> Platform:
    async def backlog(role: Role) -> int:
        return 0

    def database(name: str) -> Database:
        raise AssertionError("the explainer has no state")

    # The explainer publishes nothing yet.
    nobody: object = None
    common = CommonSettings.load().model_copy(update={"data_dir": data_dir})
    return Platform(
        common=common,
        clock=ManualClock(),
        archive=world.archive or open_archive("memory://", "main"),
        publisher=nobody,  # type: ignore[arg-type]
        query_client=world.queries,
        scope_book=ScopeBook(),
        random=random.Random(1),
        shared=SharedResources(common, {open_embedder: world.embedder}),
        children=ChildPool.of_settings(common),
        database=database,
        backlog=backlog,
    )


async def test_answers_its_questions_from_the_shared_archive(tmp_path: Path) -> None:
    """`Answer` quotes what the archive holds, `Explain` explains what it is given."""
    world = Explaining.create()
    await world.finds(page_of("https://docs.example.org/a", "The yearly fee is 24 euros."))
    platform = _platform(tmp_path, world)
    service = build(ExplainerSettings.load(), platform)
    answers = {binding.method: binding.answer for binding in service.queries}
    with asked_for(platform.scope_book, platform.clock.now()):
        answered = await answers[ANSWER](AnswerRequest(query="What is the yearly fee?"))
        explained = await answers[EXPLAIN](ExplainRequest(bundle=answered.bundle))
    with pytest.raises(NotPermitted):
        await answers[EXPLAIN](ExplainRequest(bundle=answered.bundle))

    assert {FIND, ANSWER, EXPLAIN, RESOLVE, RANK_LINKS} == set(answers)
    assert ["The yearly fee is 24 euros."] == [s.text for s in answered.statements]
    assert [1] == [passage.rank for passage in explained.passages]
    assert RETRIEVE not in answers


async def test_named_model_is_asked_at_the_same_endpoint(tmp_path: Path) -> None:
    """By the settings alone: one URL and key, several names."""
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append((await request.json())["model"])
        return web.json_response(completion("no answer"))

    world = Explaining.create()
    await world.finds(page_of("https://docs.example.org/a", "The yearly fee is 24 euros."))
    platform = _platform(tmp_path, world)
    async with model_endpoint(answer) as url:
        settings = ExplainerSettings(model_url=url, model_name="small", model_names=("large",))
        service = build(settings, platform)
        ask = next(one.answer for one in service.queries if one.method is ANSWER)
        with asked_for(platform.scope_book, platform.clock.now()):
            for name in ("", "large", "small"):
                await ask(AnswerRequest(query="Which volcano erupted?", model=name))
        await service.close()

    assert ["small", "large", "small"] == asked
