"""What imports into a scope have been told by an API, so that they ask for what changed alone.

A file in the data folder holds marks by name: of a list how far it was read, of files what they
were. A mark is kept once all that it stands for is in the index. Whoever loses the file asks for
more, and takes nothing twice: what is here already is known to the gateway.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from rich.markup import escape

from scops.api.v1alpha1 import scope_service_pb2 as pb
from scops.common.config.settings import CommonSettings
from scops.standalone.terminal.client import GatewayClient
from scops.standalone.terminal.output import diagnostics

FOLDER = "imports"
OWNER_ONLY = 0o700


class ImportMemory:
    """Marks in a file.

    Args:
        file: is made when marks are kept; one that cannot be read counts as none.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._marks = _read(file)
        self._kept = dict(self._marks)

    def get(self, name: str) -> Any:
        """Returns a mark as it was kept; None where it was not."""
        return self._kept.get(name)

    def note(self, name: str, value: Any) -> None:
        """Sets a mark, to be kept later."""
        self._marks[name] = value

    def forget(self) -> None:
        """Drops all marks, as where the scope has lost what they stand for."""
        self._marks, self._kept = {}, {}

    def keep(self) -> None:
        """Writes the marks that were set; where it cannot, says so: more is asked next time."""
        self._kept = dict(self._marks)
        written = self._file.with_suffix(f".{os.getpid()}")
        try:
            self._file.parent.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
            written.write_text(json.dumps(self._marks))
            written.replace(self._file)
        except OSError as error:
            diagnostics.print(f"[dim]{escape(f'not kept how far it came: {error}')}[/dim]")


def memory_of(client: GatewayClient, scope: str, *source: str) -> ImportMemory:
    """Returns what is remembered of a source for a scope with the rules that it has.

    Args:
        source: what is asked, in words that name it.
    """
    found = client.call(client.scopes.GetScope, pb.GetScopeRequest(name=f"scopes/{scope}")).scope
    rules = sorted(rule.SerializeToString(deterministic=True).hex() for rule in found.rules)
    named = [*source, scope, found.create_time.ToNanoseconds(), rules]
    digest = hashlib.sha256(json.dumps(named).encode()).hexdigest()
    return ImportMemory(CommonSettings().data_dir / FOLDER / f"{digest[:32]}.json")


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
