"""An answer as StreamAnswer tells it."""

from collections.abc import Iterator

from scops.api.v1alpha1 import search_service_pb2 as search

Part = search.StreamAnswerResponse


def parts_of(answer: search.AnswerResponse) -> Iterator[Part]:
    """Yields the parts of an answer: a source, its statements with what they cite, and itself."""
    source = search.Passage(uri="https://a.org/", title="A")
    yield Part(sources=search.AnswerSources(passages=[source]))
    waiting = {citation.number: citation for citation in answer.citations}
    for statement in answer.statements:
        numbers = [number for number in statement.citation_numbers if number in waiting]
        cited = [waiting.pop(number) for number in dict.fromkeys(numbers)]
        yield Part(statement=search.AnswerStatement(statement=statement, citations=cited))
    yield Part(answer=answer)
