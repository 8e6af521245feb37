"""Two organisations on one NATS, PostgreSQL, Weaviate and archive, as if each were alone."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import asyncpg
import grpc
import pytest

from scops.api.v1alpha1 import (
    job_service_pb2,
    job_service_pb2_grpc,
    page_service_pb2,
    page_service_pb2_grpc,
    scope_service_pb2,
    scope_service_pb2_grpc,
    search_service_pb2,
    search_service_pb2_grpc,
)
from scops.api.v1alpha1.job_service_pb2 import Job
from scops.common.bus.admin.permissions import PROVISIONER
from scops.common.contract.organisations import schema_name
from scops.standalone.backup.blobs import digests_of
from scops.standalone.process.nats_users import authorization
from tests.e2e.separate_roles import WITH_LOGIN, Installation, SeparateRoles, Servers
from tests.e2e.system import call
from tests.e2e.test_purge import answers, forms, page, wait_done
from tests.fakes.servers.nats import nats_server
from tests.fakes.servers.origin import Origin, running
from tests.fakes.servers.postgres import apart
from tests.fakes.servers.weaviate import WeaviateServer
from tests.fakes.servers.weaviate_users import ADMIN, ADMIN_KEY, WITH_USERS

# Both call their scope so.
SCOPE = "lake"
# Made up: each word stands on pages of one organisation's alone, and in no other test on the same
# servers.
WORDS = {"acme": "vellumquoin", "beta": "lacquermoth"}
SHARED_WORD = "oarsmanship"
SHARED = "/common/boat"
# One text at an address of each: mirrors of one another wherever both are known.
TWIN_WORD = "fathomstone"
DELAY_SECONDS = 0.3
# A clock of ours and one of the origin are not read at the same moment.
TOLERANCE_SECONDS = 0.05
OWNERS = ("fetcher", "change-detector", "indexer", "gateway")
INDEX_KEYS = {
    user: f"key-of-{user}"
    for user in (schema_name(name, role) for name in WORDS for role in ("indexer", "retriever"))
}


@pytest.fixture
def site() -> Iterator[Origin]:
    """A host with pages of one organisation, of the other, and of both."""
    with running(Origin()) as origin:
        origin.replace(SHARED, page(SHARED_WORD))
        for name, word in WORDS.items():
            origin.replace(f"/{name}/secret", page(word))
            origin.replace(f"/{name}/twin", page(TWIN_WORD))
        yield origin


@pytest.fixture
def with_users(tmp_path: Path, servers: Servers) -> Iterator[Servers]:
    """A Weaviate that knows the roles of both; what is run beside roles has all rights."""
    server = WeaviateServer(tmp_path / "weaviate")
    server.environment = WITH_USERS | {
        "AUTHENTICATION_APIKEY_USERS": ",".join((ADMIN, *INDEX_KEYS)),
        "AUTHENTICATION_APIKEY_ALLOWED_KEYS": ",".join((ADMIN_KEY, *INDEX_KEYS.values())),
    }
    server.start()
    try:
        key = {"SCOPS_WEAVIATE_API_KEY": ADMIN_KEY}
        yield replace(servers, weaviate=server.settings | key)
    finally:
        server.kill()


@pytest.fixture
def installation(tmp_path: Path, servers: Servers) -> Iterator[Installation]:
    """A bus with an account each, a database and an archive."""
    folder = tmp_path / "shared"
    block = authorization(folder / "passwords", create=True, organisations=list(WORDS))
    with nats_server(folder / "nats", authorization=block) as nats:
        yield Installation(folder, nats, servers.postgres.new_database(), INDEX_KEYS)


def test_two_organisations_share_servers_and_nothing_else(
    installation: Installation, with_users: Servers, site: Origin, tmp_path: Path
) -> None:
    """No answer, listing, id, row, object, blob or message of one is the other's."""
    with ExitStack() as stack:
        both = {}
        for name in WORDS:
            both[name] = SeparateRoles(
                tmp_path / name,
                with_users,
                organisation_id=name,
                installation=installation,
                SCOPS_FETCHER_DELAYS=f"127.0.0.0/8={DELAY_SECONDS}",
            )
            stack.callback(both[name].kill)
        acme, beta = both.values()
        _start(acme, beta)
        _crawl_at_once(both, site)
        _check_politeness(site)
        for mine, foreign in (("acme", "beta"), ("beta", "acme")):
            _check_calls(both[mine], both[foreign], site, mine, foreign)
            _check_stores(installation, both[mine], mine)
            _check_logins(installation, mine, foreign)
        _check_history(acme, beta, site)
        _check_purge_and_restore(acme, beta, installation, site)
        for system in both.values():
            assert {0} == set(system.stop())


def _start(*systems: SeparateRoles) -> None:
    """Starts the roles of each, all at once."""
    for system in systems:
        system.provision()
        for process in system.processes:
            system.start_process(process)
    for system in systems:
        system.wait_ready()


def _crawl_at_once(both: dict[str, SeparateRoles], site: Origin) -> None:
    jobs = {}
    for name, system in both.items():
        urls = [f"{site.url}{path}" for path in (f"/{name}/secret", f"/{name}/twin", SHARED)]
        host = site.url.removeprefix("http://")
        system.create_scope(SCOPE, seeds=urls, include=[f"{host}/{name}", f"{host}/common"])
    for name, system in both.items():
        jobs[name] = system.start_crawl(SCOPE)
    for name, system in both.items():
        assert Job.STATE_COMPLETED == system.wait_job(jobs[name]).state
        paths = {head[0].removeprefix(site.url) for head in system.heads()}
        assert {f"/{name}/secret", f"/{name}/twin", SHARED} == paths


def _check_politeness(site: Origin) -> None:
    """The host never saw both at once, nor one closer to the other than its pause."""
    ordered = sorted(site.requests, key=lambda one: one.started)
    asked = [one.path for one in ordered]
    assert 2 == asked.count(SHARED)
    # They ran beside one another: neither was through before the other one began.
    first, last = (asked.index("/acme/secret"), asked.index("/beta/secret"))
    assert abs(first - last) < len(asked) - 1
    gaps = [later.started - earlier.ended for earlier, later in pairwise(ordered)]
    assert min(gaps) >= DELAY_SECONDS - TOLERANCE_SECONDS


def _check_calls(
    system: SeparateRoles, other: SeparateRoles, site: Origin, mine: str, foreign: str
) -> None:
    """What one may call tells nothing of the other, not even that it is there."""
    for word in WORDS.values():
        assert (word in answers(system, word)) == (word == WORDS[mine])
    answer = system.ask(f"What was measured of the {WORDS[foreign]}?", SCOPE)
    assert not [one.uri for one in answer.citations if f"/{foreign}/" in one.uri]
    found = system.search(f"the {TWIN_WORD} of the lake", SCOPE)
    assert f"{site.url}/{mine}/twin" in str(found)
    assert f"/{foreign}/" not in str(found)

    scopes = scope_service_pb2_grpc.ScopeServiceStub(system.channel)
    listed = call(scopes.ListScopes, scope_service_pb2.ListScopesRequest()).scopes
    assert [f"scopes/{SCOPE}"] == [one.name for one in listed]
    jobs = job_service_pb2_grpc.JobServiceStub(system.channel)
    theirs = job_service_pb2_grpc.JobServiceStub(other.channel)
    request = job_service_pb2.ListJobsRequest()
    (own,), (hidden,) = (call(one.ListJobs, request).jobs for one in (jobs, theirs))
    assert own.name != hidden.name
    assert 3 == own.counts.indexed
    assert _refusal(lambda: call(jobs.GetJob, _job(hidden.name))) == _refusal(
        lambda: call(jobs.GetJob, _job(_unknown(hidden.name))), hidden.name
    )

    pages = page_service_pb2_grpc.PageServiceStub(system.channel)
    request = page_service_pb2.ListPagesRequest(scope=f"scopes/{SCOPE}")
    assert 3 == len(call(pages.ListPages, request).pages)
    secret = other.page(f"{site.url}/{foreign}/secret").name
    for get in (pages.GetPage, pages.ListPageVersions, pages.DiffPageVersions):
        kind = get._method.decode().rpartition("/")[2]  # type: ignore[attr-defined]
        ask = getattr(page_service_pb2, f"{kind}Request")
        assert _refusal(lambda get=get, ask=ask: call(get, ask(name=secret))) == _refusal(
            lambda get=get, ask=ask: call(get, ask(name=_unknown(secret))), secret
        )

    # Their explainers are given one key here.
    cited = other.ask(f"What was measured of the {WORDS[foreign]}?", SCOPE)
    assert cited.evidence_bundle
    explain = search_service_pb2_grpc.SearchServiceStub(system.channel).Explain
    bundle = search_service_pb2.ExplainRequest(evidence_bundle=cited.evidence_bundle)
    code, _ = _refusal(lambda: call(explain, bundle))
    assert grpc.StatusCode.INVALID_ARGUMENT == code


def _job(name: str) -> job_service_pb2.GetJobRequest:
    return job_service_pb2.GetJobRequest(name=name)


def _unknown(name: str) -> str:
    """Returns a name of the same form that nobody has."""
    return name[:-4] + ("0000" if not name.endswith("0000") else "1111")


def _refusal(act: object, like: str = "") -> tuple[grpc.StatusCode, str]:
    """Returns how a call is refused; `like` is the name that a made up one was drawn from."""
    with pytest.raises(grpc.RpcError) as caught:
        act()  # type: ignore[operator]
    said = str(caught.value.details())
    if like:
        said = said.replace(_unknown(like).rpartition("/")[2], like.rpartition("/")[2])
    return caught.value.code(), said


def _check_stores(installation: Installation, system: SeparateRoles, mine: str) -> None:
    """Its word stands in its own schemas, collections, blobs and streams, and in no other."""
    word = WORDS[mine]
    held = system.index.holders(word)
    assert {f"Passage_{mine}_1"} == {one for one in held if one.startswith("Passage")}
    tables = [one for one in held if not one.startswith("Passage")]
    assert tables
    assert all(one.startswith(f'"scops_{mine}_') for one in tables)
    archive = _holders(installation.folder / "archive", word)
    assert archive
    assert {mine} == {path.parts[0] for path in archive}
    # A scope in its bucket, which the gateway writes and every role reads.
    bus = _holders(installation.nats.store / "jetstream", f"/{mine}/secret")
    assert bus
    assert {mine} == {path.parts[0] for path in bus}


def _holders(folder: Path, word: str) -> list[Path]:
    wanted = word.encode()
    return [
        path.relative_to(folder)
        for path in folder.rglob("*")
        if path.is_file() and any(wanted in form.lower() for form in forms(path))
    ]


def _check_logins(installation: Installation, mine: str, foreign: str) -> None:
    """No login of one is let into a schema of the other."""

    async def look() -> None:
        for role in WITH_LOGIN:
            connection = await asyncpg.connect(installation.login(mine, role))
            for owner in OWNERS:
                table = f"{schema_name(foreign, owner)}.alembic_version"
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await connection.fetch(f"SELECT * FROM {table}")
            await connection.close()

    apart(lambda: asyncio.run(look()))


def _check_history(acme: SeparateRoles, beta: SeparateRoles, site: Origin) -> None:
    """A version that one has seen of a page is no version of the other's page."""
    url = f"{site.url}{SHARED}"
    site.replace(SHARED, page(SHARED_WORD).replace("41 metres", "57 metres"))
    acme.crawl(SCOPE, urls=[url])
    ours, theirs = acme.history(url).versions, beta.history(url).versions
    assert [2, 1] == [len(ours), len(theirs)]
    pages = page_service_pb2_grpc.PageServiceStub
    diff = page_service_pb2.DiffPageVersionsRequest(
        name=acme.page(url).name, from_version=ours[1].version, to_version=ours[0].version
    )
    shown = call(pages(acme.channel).DiffPageVersions, diff)
    assert "57" in [part.text for hunk in shown.hunks for part in hunk.parts]
    code, said = _refusal(lambda: call(pages(beta.channel).DiffPageVersions, diff))
    assert grpc.StatusCode.OK != code
    assert "metres" not in said
    assert "57 metres" in answers(acme, SHARED_WORD)
    assert "57 metres" not in answers(beta, SHARED_WORD)


def _check_purge_and_restore(
    acme: SeparateRoles, beta: SeparateRoles, installation: Installation, site: Origin
) -> None:
    """One is backed up, purged and put back while the other one works: that has what it had."""
    as_operator = acme.user(PROVISIONER)
    place = str(acme.log.parent / "place")
    mine, theirs = acme.heads(), _state(beta, installation)
    taken = acme.run("backup", place, **as_operator)
    assert 0 == taken.code, taken.err
    assert [] == _holders(Path(place), WORDS["beta"])

    host = site.url.removeprefix("http://")
    purged = acme.run("purge", "--prefix", f"{host}/common", "--yes", "--reason", "test")
    assert 0 == purged.code, purged.err
    wait_done(acme, purged.json["name"])
    assert SHARED_WORD not in answers(acme, SHARED_WORD)
    assert theirs == _state(beta, installation)
    assert SHARED_WORD in answers(beta, SHARED_WORD)

    for process in acme.processes:
        assert 0 == acme.stop_process(process)
    done = acme.run("restore", place, "--replace", **as_operator)
    assert 0 == done.code, done.err
    for process in acme.processes:
        acme.start_process(process)
    acme.wait_ready()
    assert mine == acme.heads()
    assert WORDS["acme"] in answers(acme, WORDS["acme"])
    assert theirs == _state(beta, installation)
    assert WORDS["beta"] in answers(beta, WORDS["beta"])


def _state(system: SeparateRoles, installation: Installation) -> list[object]:
    """Returns what a system has: heads, objects, texts and blobs."""
    archive = f"file://{installation.folder}/archive"
    blobs = sorted(asyncio.run(digests_of(archive, system.organisation_id)))
    return [system.heads(), system.chunk_objects(), system.chunks_by_url(), blobs]
