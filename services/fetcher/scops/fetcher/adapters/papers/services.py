"""The scholarly services by their names, and those that are asked together."""

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from scops.fetcher.adapters.apis.asking import Wait
from scops.fetcher.adapters.papers.arxiv import Arxiv
from scops.fetcher.adapters.papers.core import Core
from scops.fetcher.adapters.papers.crossref import Crossref
from scops.fetcher.adapters.papers.europe_pmc import EuropePmc
from scops.fetcher.adapters.papers.openalex import OpenAlex
from scops.fetcher.adapters.papers.semantic_scholar import SemanticScholar
from scops.fetcher.adapters.papers.service import ScholarlyService
from scops.fetcher.adapters.papers.unpaywall import Unpaywall
from scops.libraries.papers.gathering import PaperGathering

KINDS: tuple[type[ScholarlyService], ...] = (
    OpenAlex,
    Crossref,
    Arxiv,
    Unpaywall,
    EuropePmc,
    SemanticScholar,
    Core,
)
SERVICES: Mapping[str, type[ScholarlyService]] = {kind.facts.name: kind for kind in KINDS}
Environment = Mapping[str, str]


class ScholarlyServices(AbstractContextManager["ScholarlyServices"]):
    """Services that are asked while this is open.

    Args:
        names: of those that are asked.
        servers: URLs of those that are asked elsewhere, by name.
        environment: with keys.
        sleep: waits so many seconds.
        folder: where those who ask on this machine share their pace; None shares none.
        proxy: through which they are asked; empty for none but those of the environment.
    """

    def __init__(
        self,
        names: Sequence[str],
        servers: Mapping[str, str],
        *,
        environment: Environment = os.environ,
        sleep: Wait = time.sleep,
        folder: Path | None = None,
        proxy: str = "",
    ) -> None:
        self._made = [
            kind(
                servers.get(name, ""),
                secret=environment.get(kind.facts.variable, "") if kind.facts.variable else "",
                sleep=sleep,
                folder=folder,
                proxy=proxy,
            )
            for name, kind in SERVICES.items()
            if name in names
        ]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes their connections."""
        for one in self._made:
            one.close()

    @property
    def gathering(self) -> PaperGathering:
        """Asks them together."""
        return PaperGathering(self._made)

    def some(self, names: Sequence[str]) -> PaperGathering:
        """Asks some of them together."""
        return PaperGathering([one for one in self._made if one.service in names])

    def uses(self) -> dict[str, Any]:
        """Returns how each that answered was asked."""
        return {
            one.service: one.api.use.as_json()
            for one in self._made
            if one.api.use.requests or one.api.use.waited_seconds
        }
