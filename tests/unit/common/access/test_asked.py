"""Whoever answers a question looks again at what its asker may read."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from scops.common.access.asked import AssertedIdentity, checked_bindings
from scops.common.access.principal import Principal
from scops.common.contract.errors import NotPermitted, NotYetKnown
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.retrieval import RetrieveRequest, RetrieveResponse
from scops.common.contract.messages.types import Grant, Scope, ScopeRef, ScopeRole
from scops.common.observe.metrics import ACCESS_REFUSED
from scops.common.query.ports import RETRIEVE
from scops.common.runtime.service import QueryBinding
from scops.common.scope.book import ScopeBook
from tests.fakes.clock import ManualClock
from tests.fakes.identity import asked_for

ANN = Principal(principal_id="user:ann", organisation_id="main")


def scope(name: str, **values: object) -> Scope:
    """Builds a scope of somebody else."""
    base = Scope(scope_id=ScopeId(name), organisation_id="main", owner="user:bob", revision=1)
    return replace(base, **values)  # type: ignore[arg-type]


OWN = scope("own", owner="user:ann")
SHARED = scope("shared", grants=(Grant(subject="user:ann", role=ScopeRole.VIEWER),))
PUBLIC = scope("public", public=True)
HIDDEN = scope("hidden")
DELETED = scope("deleted", deleted=True)


async def answered(
    book: ScopeBook, names: Sequence[str], principal: Principal | None = ANN
) -> list[str]:
    """Asks in scopes and returns in which ones the question is answered."""
    seen: list[ScopeId] = []

    async def answer(request: RetrieveRequest) -> RetrieveResponse:
        seen.extend(ref.scope_id for ref in request.scopes)
        return RetrieveResponse()

    clock = ManualClock()
    (binding,) = checked_bindings(
        [QueryBinding(method=RETRIEVE, answer=answer)], AssertedIdentity(book, clock)
    )
    refs = tuple(ScopeRef(scope_id=ScopeId(name), revision=1) for name in names)
    request = RetrieveRequest(query="fee", scopes=refs)
    if principal is None:
        await binding.answer(request)
    else:
        with asked_for(book, clock.now(), principal):
            await binding.answer(request)
    return [str(name) for name in seen]


async def test_a_question_is_answered_inside_of_what_its_asker_may_read() -> None:
    """What the gateway should not have asked is left out and counted."""
    book = ScopeBook([OWN, SHARED, PUBLIC, HIDDEN, DELETED])
    before = ACCESS_REFUSED._value.get()
    names = ("own", "hidden", "shared", "public", "deleted")

    assert ["own", "shared", "public", "deleted"] == await answered(book, names)
    assert 1 == ACCESS_REFUSED._value.get() - before


async def test_nothing_is_answered_where_nothing_may_be_read() -> None:
    """An empty filter would let everything in."""
    with pytest.raises(NotPermitted) as caught:
        await answered(ScopeBook([HIDDEN]), ("hidden",))

    assert "SCOPES_NOT_READABLE" == caught.value.reason


async def test_a_right_taken_back_acts_with_the_scope_s_next_revision() -> None:
    """Whatever the gateway that asked still believed."""
    book = ScopeBook([OWN, SHARED])
    book.apply(replace(SHARED, revision=2, grants=()))

    assert ["own"] == await answered(book, ("own", "shared"))


async def test_while_gateways_of_an_earlier_version_run_their_questions_are_answered() -> None:
    """They gave their word without a key; an hour after the last of them nobody is believed."""
    book = ScopeBook([PUBLIC])
    book.unsigned_time = ManualClock().now()
    answered_then = await answered(book, ("public",), principal=None)
    book.unsigned_time -= timedelta(minutes=61)

    assert ["public"] == answered_then
    assert ["public"] == await answered(book, ("public",))
    with pytest.raises(NotPermitted):
        await answered(book, ("public",), principal=None)


async def test_a_question_that_says_not_for_whom_is_refused() -> None:
    """Also before anything of it is looked at."""
    book = ScopeBook([PUBLIC])
    with pytest.raises(NotYetKnown):
        await answered(book, ("public",), principal=None)
    await answered(book, ("public",))
    with pytest.raises(NotPermitted):
        await answered(book, (), principal=None)
