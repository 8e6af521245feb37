"""A scope with a credential and one without hold the same URLs: what the latter is told of them
is the same as before the former was there, on SQLite and on PostgreSQL with Weaviate.
"""

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from scops.api.v1alpha1 import page_service_pb2, page_service_pb2_grpc
from scops.client import Boundary, Scops
from tests.e2e.separate_roles import SeparateRoles, Servers
from tests.e2e.system import System, call
from tests.fakes.servers.origin import Origin, running

KEY = base64.b64encode(bytes([7] * 32)).decode()
HEADER, SECRET = "X-Api-Key", "inkvellichor-1618"
# More than ten pages say the same before that counts as a template.
BIRDS = (
    *("Heron", "Dipper", "Grebe", "Teal", "Avocet", "Curlew"),
    *("Bittern", "Smew", "Wigeon", "Garganey", "Pochard", "Shoveler"),
)
# In both texts of each page, and of one page alone.
SHARED = (
    "Every {bird} gauge on the river is read twice a day, and its keeper writes down the level "
    "together with the weather, so that floods of other years can be compared with it."
)
# In the text of each page that the credential gets: a template of theirs.
NOTICE = "Members of the quillfeather lodge row at dawn, whatever the weather on the river is."
# As the other, of the text that everybody gets; members are told it on one page.
OPEN_NOTICE = "Visitors of the river are asked to leave their boats at the lower landing."
REPEATED = [(OPEN_NOTICE, len(BIRDS))]
QUESTIONS = (
    "How much does the Heron tariff cost?",
    "When do members of the lodge row?",
    "How often is a Grebe gauge read?",
    "Where do visitors leave their boats?",
)
WORDS = ("quillfeather", "euros", "credential-", "/lodge/")
WAIT_SECONDS = 120.0


@dataclass
class River:
    """A site whose pages say more to whoever sends the header.

    Attributes:
        euros: what each tariff costs, as members are told.
    """

    origin: Origin
    euros: int = 70

    def __post_init__(self) -> None:
        self.origin.replace("/robots.txt", "User-agent: *\nAllow: /\n")
        for path in self.paths:
            self.origin.handle(path, self._page)
        self.origin.handle_below("/lodge/", self._lodge)

    @property
    def paths(self) -> list[str]:
        """Of pages that are there for everybody."""
        return ["/", *(f"/{bird.lower()}" for bird in BIRDS)]

    def asked(self, *, known: bool) -> set[str]:
        """Returns the paths that were asked for with the header, or without it."""
        return {one.path for one in self.origin.requests if (HEADER in one.headers) == known}

    async def _page(self, request: web.Request) -> web.StreamResponse:
        is_member = request.headers.get(HEADER) == SECRET
        if request.path == "/":
            links = "".join(f'<li><a href="{to}">{to}</a></li>' for to in self.paths[1:])
            return _html("River", f"<ul>{links}</ul>")
        bird = request.path.strip("/").capitalize()
        said = f"<p>{SHARED.format(bird=bird)}</p>"
        if not is_member or bird == BIRDS[0]:
            said += f"<p>{OPEN_NOTICE}</p>"
        if is_member:
            said += (
                f"<p>{NOTICE}</p><p>The {bird} tariff costs {self.euros} euros a month and may be "
                "cancelled at the end of each quarter by a letter to the harbour master.</p>"
                f'<a href="/lodge/{bird.lower()}">The lodge of the {bird}</a>'
            )
        return _html(bird, said)

    async def _lodge(self, request: web.Request) -> web.StreamResponse:
        return _html("Lodge", f"<p>The lodge at {request.path} has a roof of quillfeather.</p>")


def _html(title: str, body: str) -> web.Response:
    page = f"<html><title>{title}</title><body><main><h1>{title}</h1>{body}</main></body></html>"
    return web.Response(text=page, content_type="text/html")


@pytest.fixture
def river() -> Iterator[River]:
    with running(Origin()) as origin:
        yield River(origin)


@contextmanager
def started(kind: str, folder: Path, request: pytest.FixtureRequest) -> Iterator[System]:
    """Runs a system on the stores that are named."""
    if kind == "sqlite":
        made: System = System(folder, SCOPS_FETCHER_CREDENTIAL_KEYS=KEY)
    else:
        servers: Servers = request.getfixturevalue("servers")
        made = SeparateRoles(folder, servers, SCOPS_FETCHER_CREDENTIAL_KEYS=KEY)
    with made as system:
        yield system


@pytest.mark.parametrize("kind", ["sqlite", "weaviate"])
def test_nothing_crosses_from_one_access_context_to_another(
    kind: str, river: River, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """No passage, diff, mirror, count, template or link target, once both have seen changes."""
    began = datetime.now(UTC) - timedelta(hours=1)
    with (
        started(kind, tmp_path / f"leaks-{kind}", request) as system,
        Scops(system.environment["SCOPS_COMMAND_ADDRESS"]) as scops,
    ):
        crawl(scops, river, "others")
        system.until(lambda: REPEATED == [one[:2] for one in templates(system, "others")])
        crawl(scops, river, "others")
        before = told(scops, system, river, "others", began)
        river.origin.clear_log()

        scops.create_scope("mine", seeds=[f"{river.origin.url}/"], boundary=Boundary.HOST)
        put_credential(system, tmp_path, river)
        crawl(scops, river, "mine")
        river.euros = 88
        crawl(scops, river, "mine")
        crawl(scops, river, "others")
        after = told(scops, system, river, "others", began)
        mine = told(scops, system, river, "mine", began)

    lodges = {f"/lodge/{bird.lower()}" for bird in BIRDS}
    assert before == after
    assert [] == [word for word in WORDS if word in repr(after)]
    assert set() == lodges & river.asked(known=False)
    # Everything that might have crossed is there.
    assert all(word in repr(mine) for word in ("quillfeather", "88 euros", "credential-"))
    assert lodges <= river.asked(known=True)


def crawl(scops: Scops, river: River, scope: str) -> None:
    """Crawls a scope, which is made where it is not there."""
    if scope not in {one.name.removeprefix("scopes/") for one in scops.list_scopes()}:
        scops.create_scope(scope, seeds=[f"{river.origin.url}/"], boundary=Boundary.HOST)
    scops.wait_job(scops.crawl(scope), seconds=WAIT_SECONDS)


def put_credential(system: System, folder: Path, river: River) -> None:
    """Gives `mine` what the site knows members by."""
    file = folder / "secret"
    file.write_text(SECRET)
    words = ("mine", river.origin.url, "--header", HEADER, "--from", str(file))
    done = system.run("credential", "put", *words)
    assert 0 == done.code, done.err


def templates(system: System, scope: str) -> list[tuple[str, int, str]]:
    """Returns what the site repeats, as a scope is told."""
    request = page_service_pb2.ListTemplatesRequest(scope=f"scopes/{scope}")
    stub = page_service_pb2_grpc.PageServiceStub(system.channel)
    found = call(stub.ListTemplates, request)
    blocks = [block for host in found.hosts for block in host.blocks]
    return sorted((one.text, one.page_count, one.keeper_uri) for one in blocks)


def told(scops: Scops, system: System, river: River, scope: str, began: datetime) -> dict[str, Any]:
    """Returns what a scope is told of the site, but for scores and instants of fetches."""
    pages = sorted((page.uri, page.name) for page in scops.list_pages(scope))
    changes = scops.what_changed(scope, began, with_noise=True).changes
    return {
        "passages": {
            question: sorted(
                (one.uri, one.text, one.access_context, sorted(two.page for two in one.mirrors))
                for one in scops.search(question, scope, limit=50).passages
            )
            for question in QUESTIONS
        },
        "templates": templates(system, scope),
        "answers": [scops.answer(question, scope).text for question in QUESTIONS],
        "pages": pages,
        "changes": sorted((one.name, one.uri, str(one.news)) for one in changes),
        "diffs": {
            name: [
                (str(one.news), repr(one.edits))
                for one in scops.page_changes(name, began, with_noise=True).changes
            ]
            for _, name in pages
        },
        "versions": {
            name: [(one.version, one.chunk_count) for one in scops.page_history(name).versions]
            for _, name in pages
        },
    }
