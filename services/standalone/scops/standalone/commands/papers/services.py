"""The services that are asked, with keys of the environment."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from scops.common.config.settings import CommonSettings
from scops.standalone.commands.apis.asking import Wait
from scops.standalone.commands.apis.memory import FOLDER
from scops.standalone.commands.papers.gathering import PaperGathering
from scops.standalone.commands.papers.sources import (
    arxiv,
    core,
    crossref,
    europe_pmc,
    openalex,
    semantic_scholar,
    unpaywall,
)
from scops.standalone.terminal.exits import CommandError, Exit

OPENALEX_KEY, SEMANTIC_SCHOLAR_KEY, CORE_KEY = (
    *("OPENALEX_API_KEY", "SEMANTIC_SCHOLAR_API_KEY", "CORE_API_KEY"),
)
EMAIL = "PAPERS_EMAIL"
AnyService = (
    openalex.OpenAlex
    | crossref.Crossref
    | arxiv.Arxiv
    | unpaywall.Unpaywall
    | europe_pmc.EuropePmc
    | semantic_scholar.SemanticScholar
    | core.Core
)
Environment = Mapping[str, str]
Making = Callable[[str, Environment, Wait, Path | None], AnyService]
# By name: where its API is, and what makes it.
SERVICES: dict[str, tuple[str, Making]] = {
    openalex.SERVICE: (
        openalex.SERVER,
        lambda url, env, sleep, folder: openalex.OpenAlex(
            url, key=env.get(OPENALEX_KEY, ""), sleep=sleep, folder=folder
        ),
    ),
    crossref.SERVICE: (
        crossref.SERVER,
        lambda url, env, sleep, folder: crossref.Crossref(
            url, email=env.get(EMAIL, ""), sleep=sleep, folder=folder
        ),
    ),
    arxiv.SERVICE: (
        arxiv.SERVER,
        lambda url, _, sleep, folder: arxiv.Arxiv(url, sleep=sleep, folder=folder),
    ),
    unpaywall.SERVICE: (
        unpaywall.SERVER,
        lambda url, env, sleep, folder: unpaywall.Unpaywall(
            url, email=env.get(EMAIL, ""), sleep=sleep, folder=folder
        ),
    ),
    europe_pmc.SERVICE: (
        europe_pmc.SERVER,
        lambda url, env, sleep, folder: europe_pmc.EuropePmc(
            url, email=env.get(EMAIL, ""), sleep=sleep, folder=folder
        ),
    ),
    semantic_scholar.SERVICE: (
        semantic_scholar.SERVER,
        lambda url, env, sleep, folder: semantic_scholar.SemanticScholar(
            url, key=env.get(SEMANTIC_SCHOLAR_KEY, ""), sleep=sleep, folder=folder
        ),
    ),
    core.SERVICE: (
        core.SERVER,
        lambda url, env, sleep, folder: core.Core(
            url, key=env.get(CORE_KEY, ""), sleep=sleep, folder=folder
        ),
    ),
}


class PaperServices(AbstractContextManager["PaperServices"]):
    """Services that are asked while this is open.

    Args:
        names: of those that are asked; none asks all.
        servers: `NAME=URL` of services that are asked elsewhere.
        environment: with keys.
        sleep: waits so many seconds.
        folder: where commands of this machine share their pace; None shares none.

    Raises:
        CommandError: there is no such service.
    """

    def __init__(
        self,
        names: Sequence[str] = (),
        servers: Sequence[str] = (),
        *,
        environment: Environment = os.environ,
        sleep: Wait = time.sleep,
        folder: Path | None = None,
    ) -> None:
        elsewhere = dict(_server(words) for words in servers)
        for name in names:
            _check(name)
        self._made = [
            make(elsewhere.get(name, server), environment, sleep, folder)
            for name, (server, make) in SERVICES.items()
            if not names or name in names
        ]
        self._held = ExitStack()

    def __enter__(self) -> "PaperServices":
        for one in self._made:
            self._held.enter_context(closing(one))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._held.close()

    @classmethod
    def of_command(cls, names: Sequence[str] | None, servers: Sequence[str] | None) -> Self:
        """Returns the services that options name, at the pace of this machine."""
        folder = CommonSettings().data_dir / FOLDER
        return cls(names or (), servers or (), folder=folder)

    @property
    def gathering(self) -> PaperGathering:
        """Asks them together."""
        return PaperGathering(self._made)

    def uses(self) -> dict[str, Any]:
        """Returns how each that answered was asked."""
        return {
            one.service: one.api.use.as_json()
            for one in self._made
            if one.api.use.requests or one.api.use.waited_seconds
        }


def _server(words: str) -> tuple[str, str]:
    name, _, url = words.partition("=")
    _check(name)
    if not url.startswith(("http://", "https://")):
        raise CommandError(
            f"{words!r} names no URL. Write {name}=https://…",
            code=Exit.INVALID_INPUT,
            reason="SERVER_MALFORMED",
        )
    return name, url


def _check(name: str) -> None:
    if name not in SERVICES:
        raise CommandError(
            f"{name!r} is no service. There are {', '.join(SERVICES)}.",
            code=Exit.INVALID_INPUT,
            reason="UNKNOWN_SERVICE",
        )
