"""`Answer`: quotes, citations, abstention, what happens when something is missing."""

from dataclasses import replace
from datetime import timedelta

import pytest

from scops.common.contract import ids
from scops.common.contract.errors import NotYetKnown, StoreUnavailable
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.explanation import AnswerResponse
from scops.common.contract.messages.retrieval import RetrieveRequest, RetrieveResponse
from scops.common.contract.messages.types import BodyRef, ScopeRef
from scops.common.query.ports import RETRIEVE
from scops.common.text.remarks import RemarkCode, remark, sentence
from scops.explainer.answer import evidence, extraction
from scops.explainer.answer.evidence import RETRIEVE_SECONDS
from scops.explainer.ports import VersionText
from scops.explainer.quotes.selection import BOUNDS
from tests.fakes.clock import START
from tests.fakes.worlds.explainer import ABSENT, Explaining
from tests.fakes.worlds.indexed_pages import page_of

FEES = page_of(
    "https://docs.example.org/fees",
    "# Fees",
    "The yearly fee is 24 euros. It is due in January. Students pay half of it 🎓.",
    title="Fees of the 🦉 club",
)
OWLS = page_of("https://docs.example.org/owls", "Owls hunt at night.", title="Owls")
QUESTION = "What is the yearly fee?"


async def _checked(world: Explaining, response: AnswerResponse) -> None:
    """Invariant 5: every citation is the text of its version, every statement a citation."""
    texts = {passage.chunk_id: passage for passage in response.evidence}
    for cited in response.citations:
        version = await world.ports.texts.get(texts[cited.chunk_id].manifest_digest)
        assert cited.quote == version.text[cited.start : cited.end]
        assert cited.text_digest == ids.sha256_hex(version.text.encode())
    quotes = {cited.number: cited.quote for cited in response.citations}
    for statement in response.statements:
        assert [statement.text] == [quotes[number] for number in statement.citation_numbers]


async def test_answer_is_quotes_with_citations() -> None:
    """Every statement is a verbatim quote; numbers rise from 1."""
    world = Explaining.create()
    await world.finds(FEES, OWLS)
    response = await world.ask(QUESTION)

    await _checked(world, response)
    assert response.answered
    assert response.statements[0].text.startswith("The yearly fee is 24 euros.")
    count = len(response.citations)
    assert list(range(1, count + 1)) == [cited.number for cited in response.citations]
    assert "" == response.shortfall_reason
    assert response.explanation is None


async def test_question_is_passed_on_to_the_retriever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scopes, instant, recipe and a limit of at least what the answer reads."""
    monkeypatch.setattr(evidence, "PASSAGES", 4)
    world = Explaining.create()
    scopes = (ScopeRef(scope_id=ScopeId("docs"), revision=3),)
    for limit in (2, 9):
        await world.ask(QUESTION, scopes=scopes, as_of_time=START, limit=limit, recipe="graph")

    expected = RetrieveRequest(
        query=QUESTION,
        scopes=scopes,
        as_of_time=START,
        limit=4,
        recipe="graph",
        as_chunks=True,
        counterfactuals=True,
    )
    assert [expected, replace(expected, limit=9)] == world.queries.asked


async def test_foreign_question_is_not_answered() -> None:
    """Passages that name nothing of the question support nothing; they are still shown."""
    world = Explaining.create()
    await world.finds(FEES, OWLS)
    response = await world.ask("Which volcano erupted in Sicily?")

    assert not response.answered
    assert ((), ()) == (response.statements, response.citations)
    assert response.shortfall_reason.startswith(
        "Not answered in these scopes: nothing found names “volcano”, “erupted”, “sicily”. Nearest:"
    )
    assert ("volcano", "erupted", "sicily") == response.gaps[0].missing_words
    assert 2 == len(response.evidence)


async def test_what_a_preset_left_out_is_told_where_nothing_supports_an_answer() -> None:
    """What is missing may have been among it."""
    world = Explaining.create()
    found = await world.finds(OWLS)
    cut = remark(RemarkCode.OTHERS_LESS_ALIKE, returned=1, limit=2, unlike=9, likeness_min="0.3")
    reply = RetrieveResponse(evidence=tuple(found), shortfall=(cut,))
    world.queries.answers[RETRIEVE.name] = lambda _: reply
    response = await world.ask("Which volcano erupted in Sicily?", recipe="top2")

    assert cut == response.shortfall[-1]
    assert response.shortfall_reason.startswith("Not answered in these scopes:")
    assert response.shortfall_reason.endswith(sentence(cut))


async def test_nothing_found_says_why() -> None:
    """The retriever's reason is the answer's."""
    response = await Explaining.create().ask(QUESTION)

    assert (False, "Only 0 passages.") == (response.answered, response.shortfall_reason)


async def test_fewer_passages_than_asked_are_told_with_the_answer() -> None:
    """Only who asked for a number is told that there are fewer."""
    world = Explaining.create()
    await world.finds(FEES)
    response = await world.ask(QUESTION, limit=12)

    assert (True, "Only 1 passages.") == (response.answered, response.shortfall_reason)


async def test_only_the_first_passages_are_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A greater limit shows more, and answers the same."""
    monkeypatch.setattr(evidence, "PASSAGES", 1)
    monkeypatch.setattr(extraction, "PASSAGES", 1)
    world = Explaining.create()
    await world.finds(OWLS, FEES)
    response = await world.ask(QUESTION, limit=2)

    assert 2 == len(response.evidence)
    assert FEES.url not in {cited.canonical_url for cited in response.citations}


async def test_passage_without_its_text_is_left_out() -> None:
    """A missing blob drops its passage; the others answer, and nothing is invented."""
    world = Explaining.create()
    await world.finds(OWLS, FEES)
    world.found[0] = replace(world.found[0], manifest_digest=ABSENT.digest)
    response = await world.ask(QUESTION)

    await _checked(world, response)
    assert response.answered
    assert [FEES.url] == [passage.canonical_url for passage in response.evidence]


class _Away:
    """An archive that does not answer."""

    async def get(self, manifest_digest: str) -> VersionText:
        raise StoreUnavailable("The archive does not answer.")


async def test_archive_that_is_away_fails_the_answer() -> None:
    """What may succeed later must not look like an answer now."""
    world = Explaining.create()
    await world.finds(FEES)
    world.ports = replace(world.ports, texts=_Away())
    with pytest.raises(StoreUnavailable):
        await world.ask(QUESTION)


async def test_error_of_the_retriever_is_the_error_of_the_answer() -> None:
    """The gateway must see that a scope has not arrived yet."""
    world = Explaining.create()

    def refuse(request: RetrieveRequest) -> None:
        raise NotYetKnown("The scope has not arrived yet.", reason="SCOPE_NOT_YET_KNOWN")

    world.queries.answers[RETRIEVE.name] = refuse
    with pytest.raises(NotYetKnown):
        await world.ask(QUESTION)


async def test_sentences_are_embedded_in_one_call() -> None:
    """At most so many, beside the question as a query, so that an answer stays quick."""
    world = Explaining.create()
    paragraphs = [
        f"The fee of group {number} is {number} euros. Late groups pay {number}0 for a fee."
        for number in range(12)
    ]
    await world.finds(page_of("https://docs.example.org/a", *paragraphs))
    await world.ask("What is the fee of group 3?")

    assert (2, 1 + BOUNDS.embedded_max) == (world.embedder.calls, len(world.embedder.texts))


async def test_retriever_gets_a_deadline() -> None:
    """No question waits for ever."""
    world = Explaining.create()
    await world.ask(QUESTION)

    assert [START + timedelta(seconds=RETRIEVE_SECONDS)] == world.queries.deadlines


async def test_explained_answer_explains_the_cited_passages_at_their_ranks() -> None:
    """A rank is the passage's place in the evidence."""
    world = Explaining.create()
    await world.finds(OWLS, FEES)
    response = await world.ask(QUESTION, explain=True)

    assert response.explanation is not None
    cited = {entry.chunk_id for entry in response.citations}
    assert cited == {passage.chunk_id for passage in response.explanation.passages}
    ranks = {passage.canonical_url: passage.rank for passage in response.explanation.passages}
    assert 2 == ranks[FEES.url]


async def test_unanswered_question_is_explained_by_what_was_found() -> None:
    """The user sees why nothing fitted."""
    world = Explaining.create()
    await world.finds(OWLS, FEES)
    response = await world.ask("Which volcano erupted in Sicily?", explain=True)

    assert response.explanation is not None
    assert [1, 2] == [passage.rank for passage in response.explanation.passages]


async def test_texts_are_read_once() -> None:
    """A version is immutable: what was read is kept, within the bytes given."""
    world = Explaining.create()
    await world.finds(FEES)
    digest = world.found[0].manifest_digest
    first = await world.ports.texts.get(digest)

    assert first is await world.ports.texts.get(digest)
    assert FEES.text == first.text
    assert FEES.blocks == first.blocks
    assert b"" != await world.archive.get(BodyRef(digest=digest))
