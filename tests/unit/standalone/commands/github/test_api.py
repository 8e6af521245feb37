"""GitHub is asked politely, for what changed alone, and a token is sent to nobody else."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from aiohttp import web

from scops.common.contract.errors import InvalidInput
from scops.fetcher.adapters.apis.asking import PAUSE_SECONDS_MAX, TRIES_MAX
from scops.standalone.commands.apis.memory import ImportMemory
from scops.standalone.commands.github.api import GithubApi
from tests.fakes.servers.github import NAME, TOKEN, Github
from tests.fakes.servers.origin import Origin, running

FIRST = datetime(2025, 1, 1, tzinfo=UTC)


@pytest.fixture
def github() -> Iterator[Github]:
    """Five releases, two in a part of the list; files in folders."""
    with running(Origin()) as origin:
        made = Github(origin)
        for number in range(5):
            made.release(f"v{number}", FIRST.replace(day=1 + number), "<p>New.</p>")
        for path in ("README.md", "docs/a.md", "docs/more/b.md"):
            made.commit(path, path, FIRST)
        yield made


@pytest.fixture
def pauses() -> list[float]:
    """How long was waited for what."""
    return []


@pytest.fixture
def memory(tmp_path: Path) -> ImportMemory:
    return ImportMemory(tmp_path / "imports" / "marks.json")


@pytest.fixture
def api(github: Github, memory: ImportMemory, pauses: list[float]) -> Iterator[GithubApi]:
    made = GithubApi(
        github.url, NAME, token=TOKEN, memory=memory, pause_seconds=0, sleep=pauses.append
    )
    with closing(made) as opened:
        yield opened


def tags(api: GithubApi, mark: str = "") -> list[str]:
    """Returns what a list of releases says."""
    return [one["tag_name"] for part in api.parts("/releases", {}, mark=mark) for one in part]


def test_lists_are_read_to_their_ends(api: GithubApi, github: Github) -> None:
    """By the links of each part; the token goes along."""
    assert ["v4", "v3", "v2", "v1", "v0"] == tags(api)
    assert {f"Bearer {TOKEN}"} == {one.headers["Authorization"] for one in github.origin.requests}


def test_what_is_as_it_was_is_told_without_parts(
    api: GithubApi, github: Github, memory: ImportMemory
) -> None:
    """Once it was read to its end and that is kept, not before."""
    assert 5 == len(tags(api, "releases"))
    assert 5 == len(tags(api, "releases")), "nothing was kept"
    api.remember()
    memory.keep()
    assert [] == tags(api, "releases")
    github.release("v5", FIRST.replace(day=9), "<p>Newer.</p>")
    assert 6 == len(tags(api, "releases"))


@pytest.mark.parametrize(
    ("limit", "seconds"), [("retry", (7, 7)), ("secondary", (60, 60)), ("primary", (1, 20))]
)
def test_a_limit_is_waited_out_as_it_says(
    api: GithubApi, github: Github, pauses: list[float], limit: str, seconds: tuple[float, float]
) -> None:
    """By `retry-after`, by the time of `x-ratelimit-reset`, else a minute."""
    github.reset_seconds = 20
    github.limits.append(limit)

    assert "main" == api.repository().branch
    (waited,) = [one for one in pauses if one]
    assert seconds[0] <= waited <= seconds[1]


def test_a_long_limit_is_told_at_once(api: GithubApi, github: Github, pauses: list[float]) -> None:
    """With when to come back, and what has more requests."""
    github.reset_seconds = 10 * PAUSE_SECONDS_MAX
    github.limits.append("primary")

    with pytest.raises(OSError, match=r"rate limit exceeded.*GITHUB_TOKEN.*again in 1\d{3} s"):
        api.repository()
    assert [] == [one for one in pauses if one]


def test_a_server_that_is_down_is_asked_a_few_times(api: GithubApi, github: Github) -> None:
    """And named by what it answered."""
    github.limits += ["502"] * TRIES_MAX

    with pytest.raises(OSError, match="answered 502"):
        api.repository()
    assert TRIES_MAX == len(github.origin.requests)


def test_a_refusal_is_no_limit(api: GithubApi, github: Github) -> None:
    """A 403 that names none is told, and not waited for."""
    github.limits.append("403")

    with pytest.raises(InvalidInput, match="answered 403"):
        api.repository()


def test_a_list_that_leads_elsewhere_is_left(api: GithubApi, github: Github) -> None:
    """Whoever it leads to would be told the token."""

    async def answer(_: web.Request) -> web.StreamResponse:
        link = '<https://elsewhere.example.org/releases?page=2>; rel="next"'
        return web.json_response([], headers={"Link": link})

    github.origin.handle(f"/repos/{NAME}/releases", answer)
    with pytest.raises(InvalidInput, match=r"elsewhere\.example\.org"):
        tags(api)


@pytest.mark.parametrize("whole", [True, False])
def test_all_files_of_a_ref_are_told(api: GithubApi, github: Github, whole: bool) -> None:
    """Folder by folder, where the tree is too large for one answer."""
    github.whole_trees = whole
    tree = api.tree("main", mark="files") or []

    assert ["README.md", "docs/a.md", "docs/more/b.md"] == sorted(one["path"] for one in tree)


def test_what_is_no_api_is_named(api: GithubApi, github: Github) -> None:
    """A page of HTML, say."""

    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(text="<html>A page</html>", content_type="text/html")

    github.origin.handle(f"/repos/{NAME}", answer)
    with pytest.raises(InvalidInput, match="no REST API"):
        api.repository()
