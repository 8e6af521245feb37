"""Questions of OpenAI's form for which pages are fetched, and what is told of a run meanwhile.

The start of a run is the first URL of the last message, and the question is what else it says.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from google.protobuf.json_format import ParseDict, ParseError

from scops.api.v1alpha1 import research_service_pb2 as researches
from scops.api.v1alpha1 import search_service_pb2 as search
from scops.common.contract.errors import InvalidInput
from scops.gateway.adapters.http.openai.calls import has_surrogates, invalid
from scops.gateway.adapters.http.openai.chat_values import TEXT_ESCAPES
from scops.gateway.adapters.research.words import stopped_words
from scops.gateway.scopes.scope_check import check_range

# A run has to end while its stream is open.
SECONDS_MAX = 540
# Of a sentence around it no bracket and mark that is written without a space beside it.
URL = re.compile(r"https?://[^\s<>\"。，、！？（）「」]+", re.IGNORECASE)
URL_ENDS = ".,;:!?'*"
SENTENCE_END = re.compile(r"[.?!:](?=\s|$)|[。？！]")
# A sentence that says no more beside a URL, such as "See …", is no part of a question.
WORDS_BESIDE = 3
CLOSING = {")": "(", "]": "["}
READABLE = ("indexed", "known", "unchanged", "searched")


def research_request(
    asked: search.AnswerRequest, body: Mapping[str, Any]
) -> researches.CreateResearchRequest:
    """Returns the run that a question wants.

    Args:
        asked: the question, with the scopes that its model names.
        body: of the request; `budget` and `hosts` are those of the API.

    Raises:
        InvalidInput: budget or hosts cannot be read, or nothing says where to start.
    """
    uri, question = start_of(asked.query)
    if not uri and not asked.scopes:
        raise InvalidInput(
            "Nothing says where to start: write a URL in the last message, or name a scope to "
            "look further in, as scops/research/NAME.",
            reason="FIELD_MISSING",
            field="messages",
        )
    hosts = body.get("hosts") or []
    if not isinstance(hosts, list) or not all(_is_text(one) for one in hosts):
        raise invalid("hosts is no list of hosts, such as docs.example.org.", "hosts")
    research = researches.Research(
        question=question,
        uri=uri,
        scope=asked.scopes[0] if asked.scopes else "",
        scopes=asked.scopes[1:],
        hosts=hosts,
        budget=_budget(body.get("budget")),
    )
    return researches.CreateResearchRequest(research=research)


def start_of(text: str) -> tuple[str, str]:
    """Returns the first URL of a message, empty without one, and the message without it."""
    found = URL.search(text)
    if found is None:
        return "", text
    uri = _ended(found.group())
    before, after = text[: found.start()], text[found.start() + len(uri) :]
    begins = max((one.end() for one in SENTENCE_END.finditer(before)), default=0)
    end = SENTENCE_END.search(after)
    ends = end.end() if end is not None else len(after)
    beside = (before[begins:] + after[:ends]).split()
    others = " ".join((before[:begins] + " " + after[ends:]).split())
    if others and len(beside) <= WORDS_BESIDE:
        return uri, others
    return uri, " ".join((before + after).split())


class Progress:
    """Lines of what a run looks at, each told once."""

    def __init__(self) -> None:
        self._pages = 0
        self._steps = 0

    def of(self, research: researches.Research) -> Iterator[str]:
        """Yields what was not told before, in its order."""
        for step in research.steps[self._steps :]:
            yield from self._of_pages(research, before=step.number)
            yield _looked(step)
        self._steps = len(research.steps)
        yield from self._of_pages(research, before=self._steps + 1)

    def _of_pages(self, research: researches.Research, *, before: int) -> Iterator[str]:
        for page in research.pages[self._pages :]:
            if not page.outcome or page.step >= before:
                return
            self._pages += 1
            yield _fetched(page)


def ended_answer(seen: researches.WatchResearchResponse) -> search.AnswerResponse:
    """Returns the answer of a run that has ended; without one it says what is missing, and why."""
    answer, research = search.AnswerResponse(), seen.research
    answer.CopyFrom(seen.answer)
    if answer.statements:
        return answer
    missing = research.steps[-1].missing_words if research.steps else ()
    lacks = f"Nothing that was found says: {', '.join(missing)}." if missing else ""
    fetched = sum(page.outcome not in ("", "known") for page in research.pages)
    why = research.message or stopped_words(research.stop_reason)
    stopped = f"The research fetched {fetched} pages and went no further: {why}."
    said = (answer.shortfall_reason, lacks.translate(TEXT_ESCAPES), stopped)
    answer.shortfall_reason = " ".join(part for part in said if part)
    return answer


def answer_parts(answer: search.AnswerResponse) -> Iterator[search.StreamAnswerResponse]:
    """Yields an answer that is whole as a stream tells it: each statement, then the answer."""
    for statement in answer.statements:
        cited = [one for one in answer.citations if one.number in statement.citation_numbers]
        said = search.AnswerStatement(statement=statement, citations=cited)
        yield search.StreamAnswerResponse(statement=said)
    yield search.StreamAnswerResponse(answer=answer)


def _ended(url: str) -> str:
    """Returns a URL without what belongs to the sentence around it."""
    counts = {one: url.count(one) for pair in CLOSING.items() for one in pair}
    end = len(url)
    while (last := url[end - 1]) in URL_ENDS or counts.get(last, 0) > counts.get(
        CLOSING.get(last, last), 0
    ):
        if last in counts:
            counts[last] -= 1
        end -= 1
    return url[:end]


def _budget(given: Any) -> researches.ResearchBudget:
    budget = researches.ResearchBudget()
    if given is None:
        return budget
    try:
        if not isinstance(given, dict):
            raise ParseError("it is no object")
        ParseDict(given, budget)
    except ParseError as error:
        raise invalid(
            'The budget cannot be read: write {"pages": 25, "seconds": 120}, bytes too.', "budget"
        ) from error
    check_range("budget.seconds", budget.seconds, SECONDS_MAX)
    return budget


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not has_surrogates(value)


def _looked(step: researches.ResearchStep) -> str:
    covered = f"look {step.number}: covered {step.coverage:.0%}"
    if step.stop_reason:
        return f"{covered}; {stopped_words(step.stop_reason)}"
    return f"{covered}, {step.candidates} links weighed, {step.chosen} fetched next"


def _fetched(page: researches.ResearchPage) -> str:
    """Returns a line of a page; what its link says is no markup, and stays on the line."""
    by = f" by “{page.link_text}”" if page.link_text else ""
    reason = f" ({page.reason})" if page.reason else ""
    why = "" if page.outcome in READABLE else f": {page.outcome}{reason}"
    return " ".join(f"{page.uri}{by}{why}".split()).translate(TEXT_ESCAPES)
