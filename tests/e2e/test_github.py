"""Files, releases and issues of a repository are pages of a scope, as versions of their time."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from scops.client import Scops
from tests.e2e.system import Ended, System
from tests.fakes.servers.github import NAME, SITE, Github
from tests.fakes.servers.origin import Origin, running

JANUARY, MARCH, APRIL, MAY, JUNE, JULY = (
    datetime(2025, month, 1, 12, tzinfo=UTC) for month in (1, 3, 4, 5, 6, 7)
)
STATED = (
    "Every gauge on the river is read twice a day, and its keeper writes down the level "
    "together with the weather, so that floods of other years can be compared with it."
)
QUESTION = "How much does the Heron tariff cost?"
TARIFF = "docs/tariff.md"


def priced(euros: int) -> str:
    return f"# Heron tariff\n\nThe Heron tariff costs {euros} euros a month.\n\n{STATED}\n"


@pytest.fixture(scope="module")
def github() -> Iterator[Github]:
    """Files with a history, a release, a draft, an issue with comments, and a pull request."""
    with running(Origin()) as origin:
        made = Github(origin)
        made.commit(TARIFF, priced(12), JANUARY)
        made.commit("README.rst", f"Keepers of gauges have a boat each. {STATED}", JANUARY)
        made.commit("src/gauge.py", "GAUGES = 4", JANUARY)
        made.commit("docs/old.txt", f"The mill is open on Mondays. {STATED}", JANUARY)
        made.commit(TARIFF, priced(14), MARCH)
        made.release("v1", MARCH, f"<p>Gauges know the moon. {STATED}</p>")
        made.release("v2", JULY, "<p>Not yet.</p>", draft=True)
        made.issue(7, "Gauge 4 is wet", MARCH, f"<p>It stands in a bog. {STATED}</p>")
        for day in (2, 3, 4):
            made.comment(7, MARCH.replace(day=day), f"<p>The bog is {day} feet deep.</p>")
        made.issue(8, "A change", MARCH, "<p>See the diff.</p>", pull_request={"url": "x"})
        yield made


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system with a scope of the repository."""
    with System(tmp_path_factory.mktemp("github")) as running_system:
        done = running_system.run("scope", "create", "gauges", "--include", f"prefix:{SITE}")
        assert 0 == done.code, done.err
        yield running_system


def bring(system: System, github: Github, *words: str, repository: str = NAME) -> Ended:
    """Imports from the stand-in."""
    fixed = ("--scope", "gauges", "--server", github.url, "--delay", "0")
    return system.run("import", "github", repository, *fixed, *words)


@pytest.fixture(scope="module")
def first(system: System, github: Github) -> Ended:
    """What the first import said; GitHub was busy for a moment."""
    github.limits += ["primary", "502"]
    done = bring(system, github, "--history", "5")
    assert 0 == done.code, done.err
    return done


def test_files_releases_and_issues_are_versions_of_their_time(
    first: Ended, system: System, github: Github
) -> None:
    """Each is a page under its URL on GitHub; a citation says which revision it was."""
    with Scops(system.address) as scops:
        history = scops.page_history(github.file_url(TARIFF)).versions
        then = scops.answer(QUESTION, "gauges", as_of=JANUARY.replace(day=9)).text
        now = scops.answer(QUESTION, "gauges")
        pages = {page.uri for page in scops.list_pages("gauges")}
        release = scops.page_history(f"{SITE}/releases/tag/v1").versions
        comment = scops.search("How deep is the bog?", "gauges").passages

    told = first.json
    assert (6, 6) == (told["documents"], told["indexed"]), told
    assert {"drafts": 1, "pull requests": 1} == told["left_out"]
    files = {github.file_url(path) for path in (TARIFF, "README.rst", "docs/old.txt")}
    assert {*files, f"{SITE}/releases/tag/v1", f"{SITE}/issues/7"} == pages
    assert [MARCH, JANUARY] == [one.observed_from_time for one in history]
    assert [MARCH] == [one.observed_from_time for one in release]
    assert ("12 euros" in then, "14 euros" in now.text) == (True, True)
    newest = next(one for one in reversed(github.commits) if one.path == TARIFF)
    assert f"github:{newest.sha}" == now.citations[0].captured_by
    assert any("4 feet deep" in one.text for one in comment)


def test_a_second_run_asks_whether_anything_changed(
    first: Ended, system: System, github: Github
) -> None:
    """Of the repository, and once of files, releases and issues."""
    bring(system, github, "--history", "5")
    github.origin.clear_log()
    done = bring(system, github, "--history", "5")

    assert 0 == done.code, done.err
    assert (0, 0) == (done.json["documents"], done.json["indexed"])
    answers = sorted(one.status for one in github.origin.requests)
    assert [304, 304, 304] == answers[-3:]
    assert 4 == len(answers)


def test_what_changed_is_asked_for_alone(first: Ended, system: System, github: Github) -> None:
    """A file, an issue; what was deleted is closed at the commit that did it."""
    github.commit(TARIFF, priced(19), MAY)
    github.commit("docs/old.txt", None, MAY.replace(hour=13))
    github.comment(7, JUNE, "<p>The bog is 9 feet deep.</p>")
    github.origin.clear_log()
    done = bring(system, github, "--history", "5")
    with Scops(system.address) as scops:
        answer = scops.answer(QUESTION, "gauges").text
        old = scops.page_history(github.file_url("docs/old.txt"))
        issue = scops.page_history(f"{SITE}/issues/7").versions

    assert 0 == done.code, done.err
    assert (2, 1) == (done.json["indexed"], done.json["gone"]), done.json
    assert "19 euros" in answer
    assert old.closed
    assert 2 == len(issue)
    assert 2 == github.asked("/contents/") + github.asked("/contents/", 404)
    assert 0 == github.asked("README.rst")


def test_one_that_was_broken_off_goes_on_where_it_ended(
    first: Ended, system: System, github: Github
) -> None:
    """What came before the fault is there, and is not asked for again."""
    github.commit("docs/boats.md", f"# Boats\n\nA boat costs 90 euros. {STATED}", JULY)
    github.releases[1]["updated_at"] = JULY.isoformat().replace("+00:00", "Z")
    github.releases[1]["body_html"] = f"<p>Gauges know the sun. {STATED}</p>"
    github.origin.fail(f"/repos/{NAME}/issues", 503, retry_after="900")
    broken = bring(system, github, "--history", "5")
    github.origin.handle(f"/repos/{NAME}/issues", github._answering(github._issues))
    github.origin.clear_log()
    done = bring(system, github, "--history", "5")

    assert 6 == broken.code
    assert "900 s" in broken.err
    assert 0 == done.code, done.err
    assert 0 == done.json["indexed"], "the file and the release came the first time"
    assert 0 == github.asked("/contents/")
    with Scops(system.address) as scops:
        assert "90 euros" in scops.answer("How much does a boat cost?", "gauges").text
        assert 2 == len(scops.page_history(f"{SITE}/releases/tag/v1").versions)


def test_files_are_chosen_by_patterns(first: Ended, system: System, github: Github) -> None:
    """And nothing else is asked for."""
    for name in ("reeds.rst", "reeds.md"):
        github.commit(f"docs/{name}", f"Reeds are cut in May, says {name}. {STATED}", JULY)
    github.origin.clear_log()
    done = bring(system, github, "--only", "files", "--path", "*.rst")

    assert 0 == done.code, done.err
    assert (1, 1) == (done.json["documents"], done.json["indexed"])
    assert 1 == github.asked("/contents/docs/reeds.rst")
    assert 0 == github.asked("/issues") + github.asked("/releases") + github.asked("reeds.md")


def test_what_is_gone_is_not_asked_for_again(first: Ended, system: System, github: Github) -> None:
    """Though it is the last thing that was told."""
    github.commit("docs/boats.md", None, JULY.replace(day=3))
    closed = bring(system, github, "--only", "files")
    github.origin.clear_log()
    again = bring(system, github, "--only", "files")

    assert (1, 1) == (closed.json["gone"], closed.json["indexed"]), closed
    assert 0 == again.json["documents"]
    assert [200, 304] == [one.status for one in github.origin.requests]


@pytest.mark.parametrize(
    ("words", "repository", "token", "said"),
    [
        ((), "heronry", "", "OWNER/REPO"),
        ((), "heronry/nothing", "", "answered 404"),
        (("--only", "wiki"), NAME, "", "files, releases, issues"),
        (("--ref", "nowhere"), NAME, "", "--ref"),
        ((), NAME, "another", "GITHUB_TOKEN"),
    ],
)
def test_what_is_wrong_is_said(
    system: System,
    github: Github,
    words: tuple[str, ...],
    repository: str,
    token: str,
    said: str,
) -> None:
    """With what to do."""
    system.environment["GITHUB_TOKEN"] = token
    done = bring(system, github, *words, repository=repository)
    system.environment["GITHUB_TOKEN"] = ""

    assert 2 == done.code
    assert said in done.err + done.out


def test_a_private_repository_is_refused(system: System, github: Github) -> None:
    """Its pages would be seen by every scope that holds their URLs."""
    github.private = True
    done = bring(system, github)
    github.private = False

    assert 2 == done.code
    assert "is private" in done.err + done.out
