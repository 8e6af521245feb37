"""The services that a command asks, as its options name them, with keys of the environment."""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from scops.common.config.settings import CommonSettings
from scops.fetcher.adapters.apis.asking import Wait
from scops.fetcher.adapters.papers.services import SERVICES, Environment, ScholarlyServices
from scops.standalone.commands.apis.memory import FOLDER
from scops.standalone.terminal.exits import CommandError, Exit


class PaperServices(ScholarlyServices):
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
        super().__init__(
            names or tuple(SERVICES), elsewhere, environment=environment, sleep=sleep, folder=folder
        )

    @classmethod
    def of_command(cls, names: Sequence[str] | None, servers: Sequence[str] | None) -> Self:
        """Returns the services that options name, at the pace of this machine."""
        folder = CommonSettings().data_dir / FOLDER
        return cls(names or (), servers or (), folder=folder)


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
