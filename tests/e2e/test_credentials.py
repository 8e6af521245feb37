"""A site behind a login is fetched for one scope with its credential, and for no other without.

The acts stand in order in module fixtures; the tests read what they left.
"""

import base64
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
import requests

from scops.client import Boundary, Scops
from tests.e2e.members import WAYS, Members
from tests.e2e.system import Ended, System
from tests.e2e.test_purge import holders
from tests.fakes.servers.origin import Origin, running

KEY, NEWER_KEY = (base64.b64encode(bytes([number] * 32)).decode() for number in (7, 8))
# Made up, so that nothing else can hold them.
SECRETS = {
    "bearer": "tok.quillfeather-2718",
    "basic": "brookwhisker 3141",
    "header": "inkvellichor-1618",
    "cookies": "sid=mallowbright4142; theme=dark",
    "oauth": "whimbrelkey-5772",
    "form": "sandlingword 1123",
}
PAIR = base64.b64encode(f"ann:{SECRETS['basic']}".encode()).decode()
SENT = {
    "bearer": ("Authorization", f"Bearer {SECRETS['bearer']}"),
    "basic": ("Authorization", f"Basic {PAIR}"),
    "header": ("X-Api-Key", SECRETS["header"]),
    "cookies": ("Cookie", SECRETS["cookies"]),
    # What is granted for the secret.
    "oauth": ("Authorization", "Bearer knotwhistle-1414"),
    "form": ("Cookie", "sid=turnstonewing-1732"),
}
OPTIONS = {
    "bearer": ("--bearer",),
    "basic": ("--basic", "ann"),
    "header": ("--header", "X-Api-Key"),
    "cookies": ("--cookies",),
    "oauth": ("--oauth", "{origin}/token", "--client", "club"),
    "form": ("--form", "{origin}/login", "--fill", "user=ann", "--shows", "Your account"),
}
CLIENT = base64.b64encode(f"club:{SECRETS['oauth']}".encode()).decode()
WORDS = (
    *("quillfeather", "brookwhisker", PAIR.lower(), "inkvellichor", "mallowbright"),
    *("whimbrelkey", CLIENT.lower(), "knotwhistle", "sandlingword", "turnstonewing"),
)
TURNED_AWAY = {
    "/": ("blocked", "login_wall"),
    "/wall": ("blocked", "login_wall"),
    "/for-now": ("blocked", "login_wall"),
    "/for-good": ("blocked", "login_wall"),
    "/refused": ("blocked", "http_401"),
    "/forbidden": ("blocked", "http_403"),
    "/away": ("blocked", "redirected"),
}
QUESTION = "How much does the Heron tariff cost?"
WAIT_SECONDS = 60.0


@dataclass(frozen=True)
class Club:
    """A system, the sites that it has credentials for, and a site that it has none for."""

    system: System
    sites: dict[str, Members]
    elsewhere: Origin
    began: datetime

    @property
    def site(self) -> Members:
        """The one whose session the tests end."""
        return self.sites["cookies"]


def put(system: System, folder: Path, kind: str, site: Members) -> Ended:
    """Puts a credential as its owner would: from a file."""
    file = folder / f"{kind}.secret"
    file.write_text(f"{SECRETS[kind]}\n")
    options = [one.format(origin=site.origin.url) for one in OPTIONS[kind]]
    words = (kind, site.origin.url, *options, "--from", str(file))
    return system.run("credential", "put", *words)


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    """A scope for each kind of credential has crawled its site, and `others` all of them."""
    folder = tmp_path_factory.mktemp("secrets")
    with ExitStack() as open_:
        elsewhere = open_.enter_context(running(Origin()))
        elsewhere.replace("/caught", "<h1>Sign in</h1><p>Here you are not known.</p>")
        sites = {}
        for kind in SECRETS:
            sites[kind] = Members(open_.enter_context(running(Origin())), *SENT[kind])
            sites[kind].leads_away(f"{elsewhere.url}/caught")
        sites["oauth"].client = f"Basic {CLIENT}"
        sites["form"].lets_in = {"csrf": "c-1", "user": "ann", "password": SECRETS["form"]}
        settings = {"SCOPS_FETCHER_CREDENTIAL_KEYS": KEY, "SCOPS_LOG_LEVEL": "debug"}
        system = open_.enter_context(System(tmp_path_factory.mktemp("club"), **settings))
        began = datetime.now(UTC)
        scops = open_.enter_context(Scops(system.address))
        everything = [site.url(path) for site in sites.values() for path in ("/", "/open")]
        everything += [site.url(path) for site in sites.values() for path in site.paths]
        scops.create_scope("others", seeds=everything, boundary=Boundary.HOST)
        for kind, site in sites.items():
            seeds = [site.url("/"), site.url("/open"), f"{elsewhere.url}/caught"]
            scops.create_scope(kind, seeds=seeds, boundary=Boundary.HOST)
            done = put(system, folder, kind, site)
            assert 0 == done.code, done.err
        for name in ("others", *sites):
            scops.wait_job(scops.crawl(name), seconds=WAIT_SECONDS)
        yield Club(system, sites, elsewhere, began)


@pytest.fixture
def scops(club: Club) -> Iterator[Scops]:
    with Scops(club.system.address) as client:
        yield client


@pytest.mark.parametrize("kind", SECRETS)
def test_its_scope_answers_from_the_site(club: Club, scops: Scops, kind: str) -> None:
    """With each kind of credential, from pages of a context of its own; `test` says it too."""
    site = club.sites[kind]
    answer = scops.answer(QUESTION, kind)
    (citation, *_) = [one for one in answer.citations if one.uri.startswith(site.origin.url)]
    tried = club.system.run("credential", "test", kind, site.url("/wall"))
    kept = club.system.run("credential", "list", kind)
    (listed,) = kept.json["credentials"]

    assert f"{site.fact('/away')}" in answer.text
    assert citation.access_context.startswith("credential-")
    assert (0, "fetched") == (tried.code, tried.json["outcome"])
    assert site.origin.url == listed["origin"]
    assert listed["kind"].startswith(f"SECRET_KIND_{kind.upper()}")


def test_no_other_scope_has_anything_of_it(club: Club, scops: Scops, tmp_path: Path) -> None:
    """No passage, page, change, count, mirror or template: whatever the API shows of `others`."""
    mine = {name for kind in SECRETS for name in own(scops, kind).values()}
    exported = club.system.run("export", "others", str(tmp_path / "export"))
    shown = {"export": "".join(file.read_text() for file in (tmp_path / "export").glob("*.jsonl"))}
    shown |= seen_of(club, "others")
    secret = [site.fact(path) for site in club.sites.values() for path in site.paths]
    secret += [name.removeprefix("pages/") for name in mine] + ["credential-", "Your account"]

    assert len(mine) > len(SECRETS) * len(WAYS)
    assert 0 == exported.code, exported.err
    assert all(club.site.url("/open") in shown[place] for place in ("export", "pages", "search"))
    assert [] == [(place, one) for place, text in shown.items() for one in secret if one in text]


def own(scops: Scops, scope: str) -> dict[str, str]:
    """Returns the pages of a scope that `others` does not have, by URL; it reads those, too."""
    public = {page.name for page in scops.list_pages("others")}
    return {page.uri: page.name for page in scops.list_pages(scope) if page.name not in public}


def seen_of(club: Club, scope: str) -> dict[str, str]:
    """Returns what the HTTP API answers about a scope, by place: what the web page is made of."""
    url, since = f"{club.system.http_url}/v1", club.began.isoformat().replace("+00:00", "Z")
    scopes = {"scopes": f"scopes/{scope}"}
    reads = {
        "scope": (f"scopes/{scope}", {}),
        "pages": (f"scopes/{scope}/pages", {"pageSize": "1000"}),
        "changes": (f"scopes/{scope}/changes", {"since": since, "withNoise": "true"}),
        "feed": (f"scopes/{scope}/changes.atom", {}),
        "revisions": (f"scopes/{scope}/revisions", {}),
        "credentials": (f"scopes/{scope}/credentials", {}),
        "search": ("search", {"query": "How often is a gauge read?", "pageSize": "50", **scopes}),
        "search of it": ("search", {"query": QUESTION, "pageSize": "50", **scopes}),
    }
    told = {place: requests.get(f"{url}/{path}", asked) for place, (path, asked) in reads.items()}
    body = {"query": QUESTION, "scopes": [f"scopes/{scope}"], "explain": True}
    told["answer"] = requests.post(f"{url}/answer", json=body)
    assert dict.fromkeys(told, 200) == {place: one.status_code for place, one in told.items()}
    return {place: one.text for place, one in told.items()}


def test_nobody_else_is_told_who_asks(club: Club) -> None:
    """Neither another origin behind a redirect nor robots.txt; the pages of the origin are."""
    known = {
        kind: [one.path for one in site.origin.requests if one.headers.get(site.header)]
        for kind, site in club.sites.items()
    }
    headers = json.dumps([dict(one.headers) for one in club.elsewhere.requests]).lower()

    assert 0 < club.elsewhere.count(path="/caught")
    assert [] == [word for word in WORDS if word in headers]
    assert all(
        {"/", "/leave", *site.paths} <= set(known[kind]) for kind, site in club.sites.items()
    )
    assert [] == [kind for kind in SECRETS if "/robots.txt" in known[kind]]


def test_nothing_of_a_secret_lies_anywhere(club: Club, tmp_path: Path) -> None:
    """No database, stream, archive, log or backup holds one, nor what servers set for it."""
    backup = tmp_path / "system" / "backup"
    done = club.system.run("backup", str(backup))
    copied = System(backup.parent)
    audit = requests.get(f"{club.system.http_url}/v1/audit?pageSize=1000").text.lower()
    words = [*WORDS, *(word[::-1] for word in WORDS)]

    assert 0 == done.code, done.err
    assert "putcredential" in audit
    assert [] == [word for word in words if word in audit]
    assert {} == {word: held for word in words if (held := holders(club.system, word))}
    assert {} == {word: held for word in words if (held := holders(copied, word))}
    assert holders(copied, "avocet"), "pages are in it: the search finds what is there"


@pytest.fixture(scope="module")
def ended(club: Club) -> dict[str, tuple[str, str]]:
    """Prices are raised, and the session ends with a crawl's first page; returns outcomes."""
    site = club.site
    for path in site.paths:
        site.prices[path] += 100
    site.left = 1
    with Scops(club.system.address) as scops:
        found = scops.wait_job(scops.crawl("cookies"), seconds=WAIT_SECONDS).outcomes
    outcomes = {one.uri.removeprefix(site.origin.url): one for one in found}
    told = {path: (str(outcomes[path].outcome), outcomes[path].reason) for path in TURNED_AWAY}
    for path in set(site.paths) & turned_away(told):
        site.prices[path] -= 100
    return told


def turned_away(told: dict[str, tuple[str, str]]) -> set[str]:
    """Returns the pages that the session did not last for."""
    return {path for path, (outcome, _) in told.items() if outcome == "blocked"}


def test_a_session_that_ends_amid_a_crawl_changes_nothing(
    club: Club, scops: Scops, ended: dict[str, tuple[str, str]]
) -> None:
    """Each page that was turned away is blocked and says why; what was read of it stands."""
    site, away = club.site, turned_away(ended)
    pages = own(scops, "cookies")
    histories = {path: scops.page_history(pages[site.url(path)]) for path in away}
    changes = scops.what_changed("cookies", club.began, with_noise=True).changes
    tried = club.system.run("credential", "test", "cookies", site.url("/wall"))

    assert len(TURNED_AWAY) - 1 == len(away)
    assert {path: TURNED_AWAY[path] for path in away} == {path: ended[path] for path in away}
    assert {(1, False)} == {(len(one.versions), one.closed) for one in histories.values()}
    assert {"added"} == {one.news for one in changes if one.uri in map(site.url, away)}
    assert (2, True) == (tried.code, tried.json["asks_password"])
    assert site.fact("/away") in scops.answer(QUESTION, "cookies").text


def test_a_newer_one_goes_on_where_it_ended(
    club: Club, scops: Scops, ended: dict[str, tuple[str, str]], tmp_path: Path
) -> None:
    """The pages are the same ones, and what changed meanwhile is told."""
    site = club.site
    before = own(scops, "cookies")
    versions = len(scops.page_history(before[site.url("/away")]).versions)
    site.left, site.prices["/away"] = None, 188
    tried = club.system.run("credential", "test", "cookies", site.url("/wall"))
    done = put(club.system, tmp_path, "cookies", site)
    scops.wait_job(scops.crawl("cookies"), seconds=WAIT_SECONDS)
    ends = time.monotonic() + WAIT_SECONDS
    while "188 euros" not in scops.answer(QUESTION, "cookies").text:
        assert time.monotonic() < ends, "the new price was not indexed"
        time.sleep(0.2)

    assert (0, 0) == (tried.code, done.code)
    assert before == own(scops, "cookies")
    assert versions + 1 == len(scops.page_history(before[site.url("/away")]).versions)


def test_keys_are_changed_by_a_restart(club: Club, ended: dict[str, tuple[str, str]]) -> None:
    """The newer key seals, the older one still opens; without either its pages are blocked."""
    system, site = club.system, club.sites["bearer"]
    system.stop()
    system.environment["SCOPS_FETCHER_CREDENTIAL_KEYS"] = f"{NEWER_KEY},{KEY}"
    system.start()
    both = system.run("credential", "test", "bearer", site.url("/wall"))
    system.stop()
    del system.environment["SCOPS_FETCHER_CREDENTIAL_KEYS"]
    system.start()
    neither = system.run("credential", "test", "bearer", site.url("/wall"))
    with Scops(system.address) as scops:
        found = scops.wait_job(scops.crawl("bearer"), seconds=WAIT_SECONDS).outcomes
        outcomes = {one.uri: one.reason for one in found}
        answer = scops.answer(QUESTION, "bearer")

    assert (0, "fetched") == (both.code, both.json["outcome"])
    assert (2, "CREDENTIAL_UNREADABLE") == (neither.code, neither.json["reason"])
    assert "credential_unreadable" == outcomes[site.url("/")]
    assert site.fact("/away") in answer.text
