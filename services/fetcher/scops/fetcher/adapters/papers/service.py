"""What scholarly services have in common: facts, a connection, and what is not offered."""

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from scops.fetcher.adapters.apis.asking import Wait
from scops.fetcher.adapters.papers.asking import ServiceApi
from scops.libraries.papers.names import PaperName
from scops.libraries.papers.port import FoundPapers, NotOffered, Years
from scops.libraries.papers.record import PaperRecord

EMAIL = "PAPERS_EMAIL"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceFacts:
    """What is known of a service before it is asked.

    Attributes:
        name: by which commands and settings know it.
        server: URL of its API.
        variable: of the environment, with a key or an address; empty for a service that takes none.
        param: of each request, that takes what the variable holds; empty for none.
        header: the same, of headers, and what stands before the value there.
        params: of each request.
        pause_seconds: between two requests.
        pause_seconds_known: the same, of whoever gives a key or an address.
        wants: what to do where it answers nothing without it; empty where it does.
        lacks: what it does not offer, by the method of the port, in words.
    """

    name: str
    server: str
    variable: str = ""
    param: str = ""
    header: tuple[str, str] = ("", "")
    params: Mapping[str, str] = field(default_factory=dict)
    pause_seconds: float
    pause_seconds_known: float | None = None
    wants: str = ""
    lacks: Mapping[str, str] = field(default_factory=dict)


class ScholarlyService(ABC):
    """A scholarly service as a paper source; what it lacks is not offered.

    Args:
        server: URL of its API, where that is not the usual one.
        secret: what its variable holds; empty for none.
        sleep: waits so many seconds.
        folder: of the paces that this machine shares; None shares none.
        proxy: through which it is asked; empty for none but those of the environment.
    """

    facts: ClassVar[ServiceFacts]

    def __init__(
        self,
        server: str = "",
        *,
        secret: str = "",
        sleep: Wait = time.sleep,
        folder: Path | None = None,
        proxy: str = "",
    ) -> None:
        facts = self.facts
        known = facts.pause_seconds_known
        header, before = facts.header
        self._secret = secret
        self.api = ServiceApi(
            facts.name,
            server or facts.server,
            pause_seconds=known if secret and known is not None else facts.pause_seconds,
            params={**facts.params, **({facts.param: secret} if secret and facts.param else {})},
            headers={header: f"{before}{secret}"} if secret and header else {},
            sleep=sleep,
            folder=folder,
            proxy=proxy,
        )

    @property
    def service(self) -> str:
        """See `PaperSource`."""
        return self.facts.name

    def close(self) -> None:
        """Closes its connection."""
        self.api.close()

    def search(self, words: str, *, years: Years, limit: int) -> FoundPapers:
        """See `PaperSource`."""
        raise NotOffered(self.facts.lacks["search"])

    @abstractmethod
    def look_up(self, name: PaperName) -> FoundPapers:
        """See `PaperSource`."""

    def references(self, paper: PaperRecord, *, limit: int) -> FoundPapers:
        """See `PaperSource`."""
        raise NotOffered(self.facts.lacks["references"])

    def citations(self, paper: PaperRecord, *, limit: int) -> FoundPapers:
        """See `PaperSource`."""
        raise NotOffered(self.facts.lacks["citations"])

    def check_known(self) -> None:
        """Checks that it was told what it wants.

        Raises:
            NotOffered: it was not.
        """
        if self.facts.wants and not self._secret:
            raise NotOffered(self.facts.wants)
