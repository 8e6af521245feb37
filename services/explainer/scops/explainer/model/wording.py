"""The answer that a model words: every sentence bound to spans that hold it, or gone.

A model is trusted with nothing: it has no tools, sees passages as data, and what it says passes
by alignment (its quotes stand in the text) and grounding (the quotes hold the sentence).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from scops.common.contract.messages.content import TrustTier
from scops.common.contract.messages.explanation import (
    AnswerRequest,
    ModelUse,
    Statement,
    Turn,
    UnsupportedPolicy,
)
from scops.common.contract.messages.retrieval import Evidence
from scops.common.observe.log import get_logger
from scops.common.query.deadline import earliest
from scops.common.text.instructions import gives_orders, speaks_to_a_model
from scops.common.text.printable import printable
from scops.common.text.remarks import SENTENCES, RemarkCode
from scops.explainer import metrics
from scops.explainer.answer.evidence import ReadablePassages
from scops.explainer.answer.extraction import DraftAnswer
from scops.explainer.model.cited_spans import CitedSpans
from scops.explainer.model.prompt import answer_messages, standalone_messages, summary_messages
from scops.explainer.model.reply import CitedClaim, claims_of
from scops.explainer.ports import ExplainerPorts
from scops.libraries.model.language_model import (
    Completion,
    LanguageModel,
    Message,
    ModelUnavailable,
)

NONCE_BITS = 64
# Last turns of a conversation that a model reads.
TURNS_MAX = 10
# Left of the caller's time for the extractive answer, should the model fail.
RESERVE = timedelta(seconds=1)
STANDALONE_TOKENS_MAX = 80
STANDALONE_CHARACTERS_MAX = 300
SUMMARY_TOKENS_MAX = 90
TURN_CHARACTERS_MAX = 2000
MILLION = 1_000_000
NOTHING = "NOTHING"
EMPTY = "the model found no answer"
UNREADABLE = "the model's reply is not in the form asked for"
LEFT_OUT = "every passage speaks to a model and is left out of its prompt"
UNSUPPORTED = "no sentence of the model is borne out by what it quotes"
BROKE_OFF = SENTENCES[RemarkCode.MODEL_BROKE_OFF]
log = get_logger("explainer")


@dataclass(slots=True, kw_only=True)
class Conversation:
    """A model under way for one answer, with what it costs."""

    model: LanguageModel
    ports: ExplainerPorts
    deadline: datetime
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    async def ask(
        self, messages: Sequence[Message], *, tokens_max: int, as_json: bool = False
    ) -> Completion:
        """Returns what the model says.

        Raises:
            ModelUnavailable: it does not.
        """
        self.requests += 1
        completion = await self.model.complete(
            [replace(each, text=printable(each.text)) for each in messages],
            tokens_max=tokens_max,
            deadline=self.deadline,
            as_json=as_json,
        )
        self.input_tokens += completion.input_tokens
        self.output_tokens += completion.output_tokens
        metrics.MODEL_TOKENS.labels("input").inc(completion.input_tokens)
        metrics.MODEL_TOKENS.labels("output").inc(completion.output_tokens)
        return replace(completion, text=printable(completion.text))

    def add(self, use: ModelUse) -> None:
        """Counts what the model was asked for the same answer before."""
        self.requests += use.requests
        self.input_tokens += use.input_tokens
        self.output_tokens += use.output_tokens

    def nonce(self) -> str:
        """Returns a word that no page can know."""
        return f"{self.ports.random.getrandbits(NONCE_BITS):016x}"

    def use(self, reason: str = "", *, statements: int = 0, citations: int = 0) -> ModelUse:
        """Returns what was asked and what it cost."""
        settings = self.ports.settings
        cost = self.input_tokens * settings.model_input_price
        cost += self.output_tokens * settings.model_output_price
        return ModelUse(
            model=self.model.name,
            requests=self.requests,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cost=cost / MILLION,
            fallback_reason=reason,
            statements_dropped=statements,
            citations_dropped=citations,
        )


def start_conversation(model: LanguageModel, ports: ExplainerPorts) -> Conversation:
    """Returns a conversation that leaves time for an extractive answer."""
    now = ports.clock.now()
    most = now + timedelta(seconds=ports.settings.model_timeout_seconds)
    return Conversation(model=model, ports=ports, deadline=earliest(most + RESERVE) - RESERVE)


async def standalone_question(request: AnswerRequest, conversation: Conversation) -> str:
    """Returns the question as it reads without its history; unchanged where that fails."""
    history = recent_turns(request.history)
    if not history:
        return request.query
    try:
        completion = await conversation.ask(
            standalone_messages(request.query, history), tokens_max=STANDALONE_TOKENS_MAX
        )
    except ModelUnavailable as error:
        log.warning("question_not_rewritten", detail=error.message)
        return request.query
    text = completion.text.strip()
    usable = text and "\n" not in text and len(text) <= STANDALONE_CHARACTERS_MAX
    return text if usable else request.query


async def word_answer(
    request: AnswerRequest, found: ReadablePassages, conversation: Conversation
) -> DraftAnswer:
    """Returns the model's answer as far as it holds; logs what it cost, by scope."""
    draft = await _draft(request, found, conversation)
    log.info(
        "model_used",
        scopes=[ref.scope_id for ref in request.scopes],
        requests=conversation.requests,
        input_tokens=conversation.input_tokens,
        output_tokens=conversation.output_tokens,
        fallback=not draft.citations,
    )
    return draft


def recent_turns(history: Sequence[Turn]) -> tuple[Turn, ...]:
    """Returns the last turns of a conversation, long ones shortened."""
    return tuple(
        Turn(speaker=turn.speaker, text=turn.text[:TURN_CHARACTERS_MAX])
        for turn in history[-TURNS_MAX:]
    )


async def _draft(
    request: AnswerRequest, found: ReadablePassages, conversation: Conversation
) -> DraftAnswer:
    settings = conversation.ports.settings
    read = (found if settings.model_reads_orders else _without_orders(found)).first(
        settings.model_passages
    )
    if not read.evidence:
        return _fallback("empty", LEFT_OUT, conversation)
    history = recent_turns(request.history)
    try:
        summaries = await _summaries(request.query, read.evidence, conversation)
        messages = answer_messages(
            request.query, read.evidence, history, nonce=conversation.nonce(), summaries=summaries
        )
        completion = await conversation.ask(
            messages, tokens_max=settings.model_tokens_max, as_json=settings.model_json
        )
    except ModelUnavailable as error:
        return _fallback("unavailable", error.message, conversation)
    claims = claims_of(completion.text)
    if claims is None:
        return _fallback("unreadable", UNREADABLE, conversation)
    if not claims:
        return _fallback("empty", EMPTY, conversation)
    return await _checked(claims, read, request, conversation, whole=completion.whole)


async def _checked(
    claims: Sequence[CitedClaim],
    read: ReadablePassages,
    request: AnswerRequest,
    conversation: Conversation,
    *,
    whole: bool,
) -> DraftAnswer:
    """Keeps what is borne out; the rest goes, or is marked where the caller asks for it."""
    cited = CitedSpans(read, conversation.ports.compute)
    statements: list[Statement] = []
    dropped = 0
    for claim in claims:
        numbers = await cited.numbers(claim)
        dropped += not numbers
        if numbers:
            statements.append(Statement(text=claim.text, citation_numbers=numbers))
        elif request.unsupported is UnsupportedPolicy.MARK and not speaks_to_a_model(claim.text):
            statements.append(Statement(text=claim.text, unsupported=True))
    metrics.MODEL_DROPPED.labels("statement").inc(dropped)
    metrics.MODEL_DROPPED.labels("citation").inc(cited.dropped)
    use = conversation.use(
        "" if cited.citations else UNSUPPORTED, statements=dropped, citations=cited.dropped
    )
    if not cited.citations:
        metrics.MODEL_ANSWERS.labels("unsupported").inc()
        return DraftAnswer(use=use)
    metrics.MODEL_ANSWERS.labels("worded").inc()
    return DraftAnswer(
        use=use,
        statements=tuple(statements),
        citations=tuple(cited.citations),
        places=tuple(sorted(set(cited.places))),
        shortfall="" if whole else BROKE_OFF,
    )


def _without_orders(found: ReadablePassages) -> ReadablePassages:
    """Returns the passages that may be shown to a model: none that speaks to it."""
    return found.only(
        [
            passage.trust is not TrustTier.INSTRUCTION_LIKE
            and not gives_orders(f"{passage.title}\n{passage.text}")
            for passage in found.evidence
        ]
    )


async def _summaries(
    question: str, evidence: Sequence[Evidence], conversation: Conversation
) -> tuple[str, ...]:
    """Returns what the first passages say about the question; empty for the others.

    Source: temporal-rag, question-focused summaries of candidates.
    """
    count = min(conversation.ports.settings.model_summaries, len(evidence))
    if not count:
        return ()
    summaries = []
    for passage in evidence[:count]:
        messages = summary_messages(question, passage, nonce=conversation.nonce())
        completion = (await conversation.ask(messages, tokens_max=SUMMARY_TOKENS_MAX)).text.strip()
        summaries.append("" if completion.upper().startswith(NOTHING) else completion)
    return (*summaries, *[""] * (len(evidence) - count))


def _fallback(outcome: str, reason: str, conversation: Conversation) -> DraftAnswer:
    metrics.MODEL_ANSWERS.labels(outcome).inc()
    return DraftAnswer(use=conversation.use(reason))
