"""Principals × roles × scopes × every method: nothing of a hidden scope leaves, by any of them.

Everything of a scope contains a word of its own, and other services return the rows of all
scopes whatever they are asked: only the gateway stands between them and the caller.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from google.protobuf.message import Message

from scops.common.access.principal import InstallationRole, Principal, anonymous_principal
from scops.common.contract.errors import (
    InvalidInput,
    NotFound,
    ScopsError,
)
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.retrieval import RetrieveRequest, RetrieveResponse
from scops.common.contract.messages.types import Grant, Scope, ScopeRole
from scops.common.query.ports import RETRIEVE
from scops.gateway.handlers import scopes as scope_requests
from scops.gateway.handlers import sharing
from tests.fakes.worlds.gateway import GatewayWorld, gateway_world, prefix
from tests.fakes.worlds.methods import BOUND, parts_of, person, requests_of, served
from tests.fakes.worlds.talkative import (
    OF_A_CREDENTIAL,
    PAGES,
    marker,
    page_id,
    say_everything,
    url,
)

SCOPES = 16
ROWS_MIN = 50_000
ANN = person("ann")
PRINCIPALS: dict[str, Principal] = {
    "ann": ANN,
    "bob": person("bob"),
    "eve": person("u-9", email="eve@example.org"),
    "gus": person("gus", groups=frozenset({"team", "none"})),
    "robot": Principal(principal_id="service:robot", organisation_id="main"),
    "sam": person("sam"),
    "administrator": person("adm", roles=frozenset({InstallationRole.ADMINISTRATOR})),
    "operator": person("ops", roles=frozenset({InstallationRole.OPERATOR})),
    "key_of_a_viewer": replace(ANN, ceiling=ScopeRole.VIEWER),
    "key_of_three": replace(ANN, limited_to=frozenset(ScopeId(marker(n)) for n in (0, 3, 5))),
    "elsewhere": replace(ANN, organisation_id="other"),
    "nobody": anonymous_principal("main"),
}
SUBJECTS = ("user:ann", "user:bob", "user:eve@example.org", "group:team", "service:robot")
OWNERS = ("user:ann", "user:bob", "user:gus", "service:robot")
NAMES_OF = {
    "ann": {"user:ann"},
    "bob": {"user:bob"},
    "eve": {"user:eve@example.org"},
    "gus": {"user:gus", "group:team"},
    "robot": {"service:robot"},
    "sam": set(),
    "administrator": set(),
    "operator": set(),
    "key_of_a_viewer": {"user:ann"},
    "key_of_three": {"user:ann"},
}


def reads(name: str, scope: Scope) -> bool:
    """Says by hand whether somebody may read a scope's pages."""
    if name in ("elsewhere", "nobody"):
        return False
    if name == "key_of_three" and scope.scope_id not in {marker(n) for n in (0, 3, 5)}:
        return False
    named = NAMES_OF[name]
    return scope.public or scope.owner in named or any(g.subject in named for g in scope.grants)


def defines(name: str, scope: Scope) -> bool:
    """Says by hand whether somebody may see that a scope exists, with its rules."""
    return reads(name, scope) or name in ("administrator", "operator")


# What no caller of the first matrix may do, because it would change what the rest of it sees.
CHANGING = [name for name, bound in BOUND.items() if not bound.method.read_only]
# Asked once for everybody, and once about everything that may be asked at once.
EVERYTHING = {"Search": "*", "Answer": "*", "StreamAnswer": "*", "Explain": "*"}


@dataclass
class Seen:
    """What left: rows, and words of scopes that their reader may not see."""

    rows: int = 0
    leaks: list[tuple[str, str, str]] = field(default_factory=list)

    def take(self, who: str, method: str, response: Message, hidden: Sequence[str]) -> None:
        """Looks at a response."""
        self.rows += sum(1 for _ in _messages(response))
        # Texts stand in a serialised message as they are.
        data = response.SerializeToString()
        self.leaks += [(who, method, word) for word in hidden if word.encode() in data]

    def refused(self, who: str, method: str, error: ScopsError, hidden: Sequence[str]) -> None:
        """Looks at an error: it says no more than the caller sent."""
        text = f"{error.message} {error.metadata}"
        self.leaks += [(who, method, word) for word in hidden if not _sent(word, text)]


def _sent(word: str, text: str) -> bool:
    """Says whether a hidden scope is named as the caller named it: by id, page or URL alone."""
    rest = text
    for form in (f"scopes/{word}", f"Scope {word}", f"Page https://{word}", f"p-{word}"):
        rest = rest.replace(form, "")
    return word not in rest


def _messages(message: Message) -> Iterator[Message]:
    yield message
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None or descriptor.message_type.GetOptions().map_entry:
            continue
        for inner in value if descriptor.is_repeated else (value,):
            yield from _messages(inner)


async def crowded(world: GatewayWorld) -> list[Scope]:
    """Fills a world with scopes of many owners, shared in many ways."""
    chance = random.Random(19)
    made = []
    for number in range(SCOPES):
        word = marker(number)
        await world.create_scope(
            word,
            owner=OWNERS[number % len(OWNERS)],
            rules=(prefix(f"{word}.example"),),
            seeds=(url(number, 0),),
            name=f"{word} name",
            public=number == SCOPES - 1,
        )
        for subject in chance.sample(SUBJECTS, k=chance.randrange(3)):
            role = chance.choice([ScopeRole.VIEWER, ScopeRole.CONTRIBUTOR, ScopeRole.EDITOR])
            await sharing.share_scope(
                world.ports,
                world.call(OWNERS[number % len(OWNERS)]),
                scope_id=ScopeId(word),
                grant=Grant(subject=subject, role=role),
                etag="",
            )
        stored = await world.ports.scopes.get("main", ScopeId(word))
        assert stored is not None
        made.append(stored.scope)
    say_everything(world, range(SCOPES))
    return made


async def ask_about(
    world: GatewayWorld, seen: Seen, who: str, number: int, scopes: Sequence[Scope]
) -> None:
    """Asks every reading method about a scope and a page of it, and looks at what comes."""
    hidden = [OF_A_CREDENTIAL, *(one.scope_id for one in scopes if not reads(who, one))]
    secret = [scope.scope_id for scope in scopes if not defines(who, scope)]
    page = f"pages/{page_id(number, number % PAGES)}"
    for name in BOUND.keys() - CHANGING:
        fields = requests_of(name, marker(number), page, url(number, number % PAGES))
        # The audit names scopes by id, to who may see that they exist.
        words = secret if "Scope" in name or name == "ListAuditEntries" else hidden
        try:
            for part in await parts_of(world, PRINCIPALS[who], name, fields):
                seen.take(who, name, part, words)
        except InvalidInput as error:
            seen.refused(who, name, error, words)


async def test_nothing_of_a_hidden_scope_leaves_by_any_method() -> None:
    """However much the services behind the gateway return."""
    seen = Seen()
    async with gateway_world() as world:
        scopes = await crowded(world)
        for who, principal in PRINCIPALS.items():
            for number in range(SCOPES):
                await ask_about(world, seen, who, number, scopes)
            hidden = [OF_A_CREDENTIAL, *(one.scope_id for one in scopes if not reads(who, one))]
            for name, everything in EVERYTHING.items() if who != "nobody" else ():
                fields = {"query": "fee", "scopes": [everything]}
                for part in await parts_of(world, principal, name, fields):
                    seen.take(who, name, part, hidden)

    assert [] == seen.leaks
    assert seen.rows >= ROWS_MIN, seen.rows


async def test_what_may_be_read_does_leave() -> None:
    """The matrix would also hold for a gateway that returns nothing."""
    async with gateway_world() as world:
        scopes = await crowded(world)
        for who, principal in PRINCIPALS.items():
            readable = sorted(scope.scope_id for scope in scopes if reads(who, scope))
            if not readable:
                continue
            response: Any = await served(
                world, principal, "Search", {"query": "fee", "scopes": ["*"], "page_size": 100}
            )
            listed: Any = await served(world, principal, "ListScopes", {"page_size": 100})

            assert readable == sorted(
                {one.uri.split("/")[2].split(".")[0] for one in response.passages}
            )
            assert set(readable) <= {one.name.removeprefix("scopes/") for one in listed.scopes}


async def test_absent_and_hidden_look_the_same() -> None:
    """By every method: the same error, word for word but for the name."""
    differ = []
    async with gateway_world() as world:
        await crowded(world)
        for name in BOUND:
            page = "pages/p-mk00mk-0"
            there = requests_of(name, marker(0), page, url(0, 0))
            absent = requests_of(name, "mk99mk", "pages/p-mk99mk-0", "https://mk99mk.example/0")
            told = [await _refusal(world, name, fields) for fields in (there, absent)]
            if told[0].replace(marker(0), "mk99mk") != told[1]:
                differ.append((name, told))

    assert [] == differ


async def _refusal(world: GatewayWorld, name: str, fields: Any) -> str:
    try:
        await served(world, PRINCIPALS["sam"], name, fields)
    except ScopsError as error:
        return f"{type(error).__name__} {error.reason} {error.message} {error.metadata}"
    return "answered"


async def test_a_right_that_is_taken_back_while_a_question_is_under_way_lets_nothing_out() -> None:
    """What was asked with it comes back empty, and the next question is refused."""
    async with gateway_world() as world:
        await crowded(world)
        call = world.call("user:ann")
        sam = Grant(subject="user:sam", role=ScopeRole.VIEWER)
        await sharing.share_scope(
            world.ports, call, scope_id=ScopeId(marker(0)), grant=sam, etag=""
        )
        everything = world.queries

        async def revoking(request: RetrieveRequest) -> RetrieveResponse:
            gone = replace(sam, role=ScopeRole.UNSPECIFIED)
            await sharing.share_scope(
                world.ports, call, scope_id=ScopeId(marker(0)), grant=gone, etag=""
            )
            say_everything(world, range(SCOPES))
            return await everything.call(RETRIEVE, request, deadline=call.deadline)

        world.answer(RETRIEVE, revoking)
        fields = {"query": "fee", "scopes": [f"scopes/{marker(0)}"]}
        response: Any = await served(world, PRINCIPALS["sam"], "Search", fields)
        with pytest.raises(NotFound):
            await served(world, PRINCIPALS["sam"], "Search", fields)

        assert [] == list(response.passages)


async def test_every_change_of_a_scope_is_in_its_history_by_name() -> None:
    """Who made it so, whichever method it came by."""
    async with gateway_world() as world:
        word = marker(0)
        await world.create_scope(
            word, owner="user:ann", rules=(prefix(f"{word}.example"),), seeds=()
        )
        for name in ("UpdateScope", "AddPages", "ShareScope", "RevertScope", "TransferScope"):
            await served(world, ANN, name, requests_of(name, word, "pages/p", url(0, 0)))
        found = await world.ports.scopes.revisions("main", ScopeId(word), before=99, limit=99)
        await scope_requests.get_scope(world.ports, world.call("user:new"), ScopeId(word))

        assert [6, 5, 4, 3, 2, 1] == [one.scope.revision for one in found]
        assert {"user:ann"} == {one.change.principal for one in found}
