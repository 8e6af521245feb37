"""The main job on real pages: crawl, ask, edit, crawl again, ask of now and of then."""

import hashlib
import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scops.api.v1alpha1.job_service_pb2 import Job
from scops.api.v1alpha1.page_service_pb2 import PageVersion
from scops.api.v1alpha1.search_service_pb2 import AnswerResponse
from tests.e2e import index_files
from tests.e2e import postgresql_doc as manual
from tests.e2e.postgresql_doc import NUMBER, OUTSIDE, QUESTIONS, SENTENCE, Question
from tests.e2e.separate_roles import SeparateRoles, Servers
from tests.e2e.system import System
from tests.fakes.servers.origin import Logged, Origin, running

pytestmark = pytest.mark.long

EDITS = (NUMBER, SENTENCE, OUTSIDE)
SCOPE = "manual"
CHANGED_QUESTION = QUESTIONS[0]
NEW_ANSWER = "Depending on the column types, it is between 250 and 1664."
# What a crash leaves leased or unacknowledged is free again soon.
SHORT_LEASES = {
    "SCOPS_FETCHER_REQUEST_SECONDS_MAX": "5",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawl:
    """A crawl that has ended, and what it did.

    Attributes:
        requests: pages that the origin was asked for meanwhile.
        embedded: texts that were embedded meanwhile.
    """

    job: Job
    outcomes: dict[str, tuple[str, str]]
    requests: list[Logged]
    embedded: int
    heads: list[index_files.Head]
    objects: list[tuple[str, str]]
    chunks: list[index_files.Chunk]

    def outcome_of(self, path: str) -> str:
        """Returns the outcome of the page at a path."""
        return next(found for url, (found, _) in self.outcomes.items() if url.endswith(path))


@dataclass(slots=True)
class Story:
    """What happened, in order: three crawls, edits and a fourth, their end and a fifth."""

    system: System
    origin: Origin
    unchanged: list[Crawl] = field(default_factory=list)
    answers: dict[Question, AnswerResponse] = field(default_factory=dict)
    edited: Crawl = field(init=False)
    answer_now: AnswerResponse = field(init=False)
    answer_then: AnswerResponse = field(init=False)
    reverted: Crawl = field(init=False)
    histories: dict[str, list[PageVersion]] = field(default_factory=dict)

    def tell(self) -> None:
        """Lets it happen."""
        create_scope(self.system, self.origin)
        self.unchanged = [self.crawl() for _ in range(3)]
        self.answers = {one: self.system.ask(one.text, SCOPE) for one in QUESTIONS}
        before = datetime.now(UTC)
        for edit in EDITS:
            body = self.origin.body(edit.path)
            assert body is not None
            self.origin.replace(edit.path, edit.apply(body))
        self.edited = self.crawl()
        self.answer_now = self.system.ask(CHANGED_QUESTION.text, SCOPE)
        self.answer_then = self.system.ask(CHANGED_QUESTION.text, SCOPE, as_of=before)
        for edit in EDITS:
            self.origin.restore(edit.path)
        self.reverted = self.crawl()
        for edit in EDITS:
            listed = self.system.history(self.origin.url + edit.path)
            self.histories[edit.path] = list(listed.versions)

    def crawl(self) -> Crawl:
        """Crawls, and notes what it did."""
        self.origin.clear_log()
        embedded = self.system.metric("scops_indexer_embedded_total")
        job = self.system.crawl(SCOPE)
        return Crawl(
            job=job,
            outcomes=self.system.outcomes(job),
            requests=[
                one for one in self.origin.requests if one.path not in ("/robots.txt", "/llms.txt")
            ],
            embedded=int(self.system.metric("scops_indexer_embedded_total") - embedded),
            heads=self.system.heads(),
            objects=self.system.chunk_objects(),
            chunks=self.system.chunks_by_url(),
        )


def create_scope(system: System, origin: Origin) -> None:
    """Makes the scope over the manual, of which one crawl takes 60 pages."""
    system.create_scope(
        SCOPE,
        seeds=[origin.url + manual.SEED],
        include=[f"{origin.url.removeprefix('http://')}/html"],
        page_limit=manual.PAGE_LIMIT,
    )


@pytest.fixture(scope="module")
def origin() -> Iterator[Origin]:
    with running(Origin([manual.root()])) as origin:
        yield origin


@pytest.fixture(scope="module", params=["together", "apart", "apart-twice"])
def story(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, origin: Origin
) -> Iterator[Story]:
    """The story in one process; in a process a role on servers; in two processes a role."""
    folder = tmp_path_factory.mktemp(request.param)
    with _system(request, folder) as system:
        story = Story(system, origin)
        story.tell()
        yield story
        codes = system.stop()
        assert {0} == set(codes)


def _system(request: pytest.FixtureRequest, folder: Path) -> System:
    if request.param == "together":
        return System(folder)
    servers: Servers = request.getfixturevalue("servers")
    return SeparateRoles(folder, servers, replicas=2 if request.param == "apart-twice" else 1)


def test_a_crawl_takes_the_pages_of_its_limit(story: Story) -> None:
    """A crawl follows links from its seed until the page limit, and indexes every page."""
    first = story.unchanged[0]

    assert Job.STATE_COMPLETED == first.job.state
    assert manual.PAGE_LIMIT == first.job.counts.indexed
    assert manual.PAGE_LIMIT == len(first.heads)
    assert {("indexed", "")} == set(first.outcomes.values())


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.path)
def test_the_answer_cites_the_page_where_it_stands(story: Story, question: Question) -> None:
    """The words that answer a question are quoted, from the page where they stand."""
    answer = story.answers[question]

    assert answer.answered
    assert any(
        question.answer in collapsed(citation.quote) and citation.uri.endswith(question.path)
        for citation in answer.citations
    ), [(citation.uri, citation.quote) for citation in answer.citations]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.path)
def test_every_citation_resolves_to_its_exact_text(story: Story, question: Question) -> None:
    """`text[start:end] == quote` in the archived text, and its words stand on the page."""
    for citation in story.answers[question].citations:
        text = story.system.archived_text(citation.text_digest)
        page = story.origin.body(citation.uri.removeprefix(story.origin.url))
        assert page is not None

        assert text[citation.start : citation.end] == citation.quote
        assert hashlib.sha256(citation.quote.encode()).hexdigest() == citation.quote_digest
        assert text[: citation.start].endswith(citation.prefix)
        assert text[citation.end :].startswith(citation.suffix)
        assert without_space(citation.quote) in without_space(words_of(page))


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.path)
def test_statements_are_verbatim_and_cited(story: Story, question: Question) -> None:
    """Every statement is what its citations quote, and no citation is left without one."""
    answer = story.answers[question]
    quotes = {citation.number: citation.quote for citation in answer.citations}

    for statement in answer.statements:
        assert statement.citation_numbers
        cited = " ".join(quotes[number] for number in statement.citation_numbers)
        assert collapsed(cited) == collapsed(statement.text)
    used = {number for one in answer.statements for number in one.citation_numbers}
    assert used == set(quotes)


def test_unchanged_pages_cost_a_304_each(story: Story) -> None:
    """A crawl of an unchanged site asks for every page once, and each answer is 304."""
    for again in story.unchanged[1:]:
        paths = [one.path for one in again.requests]

        assert {304} == {one.status for one in again.requests}
        assert manual.PAGE_LIMIT == len(paths) == len(set(paths))
        assert manual.PAGE_LIMIT == again.job.counts.unchanged


def test_three_crawls_of_an_unchanged_site_leave_the_same(story: Story) -> None:
    """The same heads, the same chunk objects, three completed jobs, nothing embedded again."""
    first, second, third = story.unchanged

    assert first.heads == second.heads == third.heads
    assert first.objects == second.objects == third.objects
    assert [Job.STATE_COMPLETED] * 3 == [one.job.state for one in story.unchanged]
    assert [0, 0] == [second.embedded, third.embedded]


def test_after_edits_the_other_pages_cost_a_304_each(story: Story) -> None:
    """Only the edited pages are sent again."""
    statuses = {one.path: one.status for one in story.edited.requests}

    assert len(statuses) == len(story.edited.requests) == manual.PAGE_LIMIT
    assert {edit.path for edit in EDITS} == {path for path, code in statuses.items() if code == 200}
    assert manual.PAGE_LIMIT - len(EDITS) == list(statuses.values()).count(304)


def test_an_edit_outside_the_main_text_is_no_version(story: Story) -> None:
    """A changed footer leaves the page unchanged."""
    outcomes = {edit: story.edited.outcome_of(edit.path) for edit in EDITS}

    assert {NUMBER: "indexed", SENTENCE: "indexed", OUTSIDE: "unchanged"} == outcomes
    assert 1 == len(story.histories[OUTSIDE.path])


def test_only_changed_chunks_are_embedded(story: Story) -> None:
    """A recrawl embeds the chunks whose text was not there before, and no other."""
    before, after = set(story.unchanged[-1].chunks), set(story.edited.chunks)

    assert 2 == len(after - before)
    assert len(after - before) == story.edited.embedded


def test_the_new_answer_cites_the_new_text(story: Story) -> None:
    """After the recrawl the answer quotes the edited number, and not the old one."""
    assert NEW_ANSWER in quoted(story.answer_now)
    assert CHANGED_QUESTION.answer not in quoted(story.answer_now)
    assert not any(citation.superseded for citation in story.answer_now.citations)


def test_as_of_answers_from_the_old_text(story: Story) -> None:
    """As of before the edit, the answer quotes the old number, marked as superseded."""
    old = [one for one in story.answer_then.citations if one.uri.endswith(NUMBER.path)]

    assert CHANGED_QUESTION.answer in quoted(story.answer_then)
    assert NEW_ANSWER not in quoted(story.answer_then)
    assert {True} == {citation.superseded for citation in old}
    for citation in old:
        text = story.system.archived_text(citation.text_digest)
        assert text[citation.start : citation.end] == citation.quote


def test_reverting_an_edit_restores_the_version_and_embeds_nothing(story: Story) -> None:
    """The old text comes back as a restored version with the old chunks."""
    assert 0 == story.reverted.embedded
    assert story.unchanged[0].chunks == story.reverted.chunks
    for edit in (NUMBER, SENTENCE):
        restored, edited, first = story.histories[edit.path]

        assert first.version == restored.restored_version
        assert first.text_digest == restored.text_digest != edited.text_digest


@pytest.mark.parametrize("story", ["together"], indirect=True)
def test_kill_9_amid_a_crawl_changes_nothing_about_its_result(
    story: Story, new_system: Callable[..., System]
) -> None:
    """Killed in the middle and started again, the job ends as an undisturbed one does."""
    system = new_system(**SHORT_LEASES).start()
    create_scope(system, story.origin)
    name = system.start_crawl(SCOPE)
    system.until(lambda: system.job(name).job.counts.indexed >= manual.PAGE_LIMIT // 3)
    assert system.job(name).job.counts.open
    system.kill()
    system.start()
    job = system.wait_job(name)

    assert Job.STATE_COMPLETED == job.state
    assert manual.PAGE_LIMIT == job.counts.indexed + job.counts.unchanged
    assert urls(story.unchanged[0].heads) == urls(system.heads())
    assert story.unchanged[0].chunks == system.chunks_by_url()


def urls(heads: list[index_files.Head]) -> list[tuple[str, int]]:
    """Returns what heads of two systems have in common: URL and closed."""
    return [(url, closed) for url, closed, _, _ in heads]


def quoted(answer: AnswerResponse) -> str:
    """Returns all quotes of an answer."""
    return " ".join(collapsed(citation.quote) for citation in answer.citations)


def collapsed(text: str) -> str:
    """Returns a text with runs of white space as one space."""
    return " ".join(text.split())


def without_space(text: str) -> str:
    """Returns a text without white space: blocks and inline elements break lines differently."""
    return "".join(text.split())


def words_of(page: bytes) -> str:
    """Returns the words of a page, by another way than the extractor's."""
    return html.unescape(re.sub(r"<[^>]+>", "", page.decode()))
