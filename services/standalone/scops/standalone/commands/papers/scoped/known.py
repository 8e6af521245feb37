"""The records of papers that a scope holds."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scops.api.v1alpha1 import page_service_pb2 as pages_pb
from scops.api.v1alpha1 import scope_service_pb2 as pb
from scops.client.errors import NotFound
from scops.libraries.papers.paper import Paper
from scops.libraries.papers.record_page import (
    COLLECTION,
    RecordPage,
    read_record,
    record_uris,
)
from scops.standalone.commands.files.adding import STANDING
from scops.standalone.commands.transfer.patience import ask
from scops.standalone.terminal.client import GatewayClient

PAGES_AT_ONCE = 100
RECORD_CHARACTERS_MAX = 40_000


@dataclass(frozen=True, slots=True)
class KnownRecord:
    """A record that stands in a scope."""

    uri: str
    page: RecordPage


def ensure_scope(client: GatewayClient, scope: str) -> bool:
    """Creates a scope for papers where there is none of that name; returns whether it did."""
    name = f"scopes/{scope}"
    try:
        client.call(client.scopes.GetScope, pb.GetScopeRequest(name=name))
    except NotFound:
        rule = pb.ScopeRule(kind=pb.ScopeRule.KIND_PREFIX, pattern=f"file://{COLLECTION}")
        wanted = pb.CreateScopeRequest(scope_id=scope, scope=pb.Scope(rules=[rule]))
        client.call(client.scopes.CreateScope, wanted)
        return True
    return False


class KnownRecords:
    """What is on record in a scope."""

    def __init__(self, client: GatewayClient, scope: str) -> None:
        self._client, self._scope = client, scope
        self._pages = {page.uri: page for page in self._listed() if page.status in STANDING}

    def uri_of(self, paper: Paper) -> str:
        """Returns the URL of a paper's record: where it is on record by any of its ids, that."""
        uris = record_uris(paper)
        return next((uri for uri in uris if uri in self._pages), uris[0])

    def find(self, uri: str) -> RecordPage | None:
        """Returns a record; None where there is none."""
        page = self._pages.get(uri)
        return self._read(page.name) if page is not None else None

    def all(self) -> Iterator[KnownRecord]:
        """Yields the records, by their URLs."""
        for uri, page in sorted(self._pages.items()):
            yield KnownRecord(uri, self._read(page.name))

    def _read(self, name: str) -> RecordPage:
        request = pages_pb.ReadPageRequest(name=name, character_limit=RECORD_CHARACTERS_MAX)
        answer = ask(self._client, self._client.pages.ReadPage, request)
        return read_record(answer.title, answer.text)

    def _listed(self) -> Iterator[Any]:
        request = pages_pb.ListPagesRequest(
            scope=f"scopes/{self._scope}",
            prefix=f"file://{COLLECTION}",
            page_size=PAGES_AT_ONCE,
        )
        while True:
            answer = ask(self._client, self._client.pages.ListPages, request)
            yield from answer.pages
            if not answer.next_page_token:
                return
            request.page_token = answer.next_page_token
