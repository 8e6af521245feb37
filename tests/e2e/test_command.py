"""The manners of the `scops` command: JSON for programs, text for people, codes for scripts."""

import base64
import json
import re
import urllib.request
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from examples.site_server import SITE
from scops.api.v1alpha1.job_service_pb2 import Job
from tests.e2e.system import Ended, System, clean_environment, run_command
from tests.fakes.servers.origin import Origin, running

PRICES = "/policies/prices.html"
ASKED = "How much does the River plan cost?"
EDITION_1 = "The River plan costs 14 euros a month."
EDITION_2 = "The River plan costs 17 euros a month."


@pytest.fixture(scope="module")
def edited(shared: System) -> "Edited":
    """A scope of one page that was crawled, edited and crawled again, by commands."""
    with running(Origin([SITE / "edition-1"])) as origin:
        url = origin.url + PRICES
        created = shared.run("scope", "create", "prices", url, "--include", f"page:{url}")
        first = shared.run("crawl", "prices", "--wait")
        before = datetime.now(UTC)
        origin.replace(PRICES, (SITE / "edition-2" / PRICES.lstrip("/")).read_bytes())
        second = shared.run("crawl", "prices", "--wait", "--url", url)
    return Edited(shared, url, before, created, first, second)


class Edited:
    """What the commands of the fixture said."""

    def __init__(
        self, system: System, url: str, before: datetime, created: Ended, first: Ended, last: Ended
    ) -> None:
        self.system = system
        self.url = url
        self.before = before.isoformat()
        self.created = created
        self.crawls = (first, last)


def run_text(system: System, *words: str) -> str:
    """Returns what a command prints for people."""
    ended = system.run("--output", "text", *words)
    assert (0, "") == (ended.code, ended.err)
    return ended.out


def test_scope_create_prints_the_scope(edited: Edited) -> None:
    """A program reads what was created, with its revision."""
    assert 0 == edited.created.code
    assert "scopes/prices" == edited.created.json["name"]
    assert "1" == edited.created.json["revision"]


def test_crawl_wait_prints_the_ended_job(edited: Edited) -> None:
    """With --wait the exit code says whether the job completed."""
    for crawl in edited.crawls:
        assert 0 == crawl.code
        assert "STATE_COMPLETED" == crawl.json["state"]
        assert 1 == crawl.json["counts"]["indexed"]


def test_nothing_but_json_is_on_stdout(edited: Edited) -> None:
    """Progress goes to stderr, and only to a terminal."""
    for ended in (edited.created, *edited.crawls):
        assert 1 == len(ended.out.splitlines())
        assert "" == ended.err


def test_scope_update_replaces_what_is_given(shared: System) -> None:
    """A part that is not given stays; rules take the boundary's place."""
    shared.run("scope", "create", "guide", "https://example.org/a/", "--page-limit", "7")
    ended = shared.run("scope", "update", "guide", "--include", "glob:example.org/a/*")
    rules = [(rule["kind"], rule["pattern"]) for rule in ended.json["rules"]]

    assert [("KIND_GLOB", "example.org/a/*")] == rules
    assert "boundary" not in ended.json or "BOUNDARY_UNSPECIFIED" == ended.json["boundary"]
    assert ["https://example.org/a/"] == ended.json["seeds"]
    assert 7 == ended.json["page_limit"]
    assert "2" == ended.json["revision"]


def test_scope_boundary_is_drawn_around_the_seeds(shared: System) -> None:
    """It is shown with the rules that it writes; a seed without a domain is refused."""
    made = shared.run(
        "scope", "create", "wide", "https://docs.example.org/a/", "--boundary", "domain"
    )
    shown = run_text(shared, "scope", "show", "wide")
    narrow = shared.run("scope", "update", "wide", "--boundary", "subpages")
    refused = shared.run("scope", "create", "lone", "http://127.0.0.1/", "--boundary", "domain")

    assert "BOUNDARY_DOMAIN" == made.json["boundary"]
    assert ["boundary domain", "+ prefix:example.org", "+ glob:*.example.org/**"] == [
        line.strip() for line in shown.splitlines()[1:4]
    ]
    assert ["docs.example.org/a"] == [rule["pattern"] for rule in narrow.json["rules"]]
    assert 0 != refused.code
    assert "Use the boundary host" in refused.err


def test_scope_list_show_and_delete(shared: System) -> None:
    """A deleted scope is not found any more, and a name is taken once."""
    created = shared.run("scope", "create", "brief", "https://example.org/")
    again = shared.run("scope", "create", "brief", "https://example.com/")
    listed = shared.run("scope", "list")
    shown = shared.run("scope", "show", "brief")
    deleted = shared.run("scope", "delete", "brief")
    gone = shared.run("scope", "show", "brief")

    assert [0, 7, 0, 0, 0, 3] == [
        one.code for one in (created, again, listed, shown, deleted, gone)
    ]
    assert "scopes/brief" in {scope["name"] for scope in listed.json["scopes"]}
    assert "https://example.org/" in shown.json["seeds"]


def test_scope_preview_counts_known_pages(shared: System, tarn: Origin) -> None:
    """Rules can be tried before they are kept."""
    host = tarn.url.removeprefix("http://")
    tried = shared.run("scope", "preview", "--include", f"prefix:{host}/guide")
    stored = shared.run("scope", "preview", "tarn")
    guides = len(list((SITE / "edition-1" / "guide").glob("*.html")))

    assert guides == tried.json["matched_count"]
    assert all(f"{host}/guide" in url for url in tried.json["matched_examples"])
    assert stored.json["matched_count"] >= 45

    narrowed = shared.run("scope", "preview", "tarn", "--include", f"prefix:{host}/guide")
    assert stored.json["matched_count"] - guides == narrowed.json["out_count"]
    assert 0 == narrowed.json["in_count"]


def test_page_read_as_it_is_and_as_it_was(edited: Edited) -> None:
    """The clean text, by version and by section."""
    now = edited.system.run("page", "read", edited.url)
    before = edited.system.run("page", "read", edited.url, "--version", "previous")
    section = now.json["sections"][0]["path"][-1]
    part = edited.system.run("page", "read", edited.url, "--section", section)
    missing = edited.system.run("page", "read", edited.url, "--section", "no such heading")

    assert now.json["text"] != before.json["text"]
    assert before.json["version"] != now.json["version"]
    assert part.json["text"] in now.json["text"]
    assert missing.code
    assert section in missing.err


def test_page_list_show_history_diff(edited: Edited) -> None:
    """A page is named by its URL; its history is newest first, and its diff word by word."""
    listed = edited.system.run("page", "list", "--scope", "prices")
    shown = edited.system.run("page", "show", edited.url)
    history = edited.system.run("page", "history", edited.url)
    diff = edited.system.run("page", "diff", edited.url)
    kinds = {
        (part["kind"], part["text"].strip())
        for hunk in diff.json["hunks"]
        for part in hunk["parts"]
        if part["kind"] != "KIND_EQUAL"
    }

    assert [edited.url] == [page["uri"] for page in listed.json["pages"]]
    assert "scopes/prices" in shown.json["scopes"]
    assert 2 == len(history.json["versions"])
    assert {("KIND_DELETE", "14"), ("KIND_INSERT", "17")} == kinds


def test_versions_may_be_named_by_their_first_characters(edited: Edited) -> None:
    """What the history shows to people can be typed again."""
    new, old = edited.system.run("page", "history", edited.url).json["versions"]
    text = run_text(edited.system, "page", "history", edited.url)
    words = ("page", "diff", edited.url, "--from", new["version"][:8], "--to", old["version"][:8])
    backwards = run_text(edited.system, *words)
    unknown = edited.system.run("page", "diff", edited.url, "--from", "00000000")

    assert new["version"][:8] in text
    assert "[-17-]{+14+}" in backwards
    assert (3, "VERSION_NOT_FOUND") == (unknown.code, unknown.json["error"]["reason"])


def test_ask_answers_with_citations(edited: Edited) -> None:
    """The newest text is quoted, with a link that opens the quote."""
    answer = edited.system.run("ask", ASKED, "--scope", "prices").json

    assert EDITION_2 in answer["statements"][0]["text"]
    assert answer["citations"][0]["fragment_uri"].startswith(f"{edited.url}#:~:text=")


def test_ask_as_of_answers_from_then(edited: Edited) -> None:
    """An instant before the edit answers with the old text, and people are told."""
    words = ("ask", ASKED, "--scope", "prices", "--as-of", edited.before)
    answer = edited.system.run(*words).json

    assert EDITION_1 in answer["statements"][0]["text"]
    assert answer["citations"][0]["superseded"]
    assert "no longer what the page says" in run_text(edited.system, *words)


def test_ask_explain_names_parts_scope_and_versions(edited: Edited) -> None:
    """An explanation adds up: parts, the rule that let the page in, and its history."""
    words = ("ask", ASKED, "--scope", "prices", "--explain")
    explanation = edited.system.run(*words).json["explanations"][0]
    passage = explanation["passage"]
    present = [part for part in passage["parts"] if part["present"]]

    assert passage["score"] == pytest.approx(sum(part["weighted"] for part in present), abs=1e-3)
    assert "graph" in {part["name"] for part in passage["parts"] if not part["present"]}
    assert "KIND_PAGE" == passage["scopes"][0]["rule"]["kind"]
    assert 2 == len(explanation["lineage"])
    assert explanation["extraction"]["extractor"]
    shown = run_text(edited.system, *words)
    assert "Ranks 1: it is " in shown
    assert "text by " in shown


def test_ask_explain_names_the_time_asked_for(edited: Edited) -> None:
    """A question with a time says of each passage what it speaks of."""
    timed = ("ask", f"{ASKED} in 2020", "--scope", "prices", "--explain")
    explained = edited.system.run(*timed).json["explanations"][0]["passage"]["time_match"]

    assert ("in", "2020-01-01", "2020-12-31") == (
        explained["relation"],
        explained["asked_from"],
        explained["asked_to"],
    )
    assert "asked for in 2020-01-01 to 2020-12-31" in run_text(edited.system, *timed)


def test_ask_without_an_answer_says_so(shared: System) -> None:
    """A question that the scope does not answer has an exit code of its own."""
    ended = shared.run("ask", "What is the capital of Peru?", "--scope", "tarn")

    assert 5 == ended.code
    assert not ended.json["answered"]
    assert ended.json["shortfall_reason"]


def test_search_ranks_passages(shared: System, tarn: Origin) -> None:
    """Best first, each with its score."""
    words = ("search", "thunder and lightning", "--scope", "tarn", "--limit", "3")
    passages = shared.run(*words).json["passages"]
    scores = [passage["score"] for passage in passages]

    assert 3 == len(passages)
    assert sorted(scores, reverse=True) == scores
    assert "1. " in run_text(shared, *words)


def test_job_list_and_show(edited: Edited) -> None:
    """Every accepted crawl is listed, newest first, and shows each page's outcome."""
    last = edited.crawls[1].json
    listed = edited.system.run("job", "list").json["jobs"]
    shown = edited.system.run("job", "show", last["name"]).json
    text = run_text(edited.system, "job", "show", last["name"], "--pages")

    assert last["name"] in [job["name"] for job in listed]
    assert [(edited.url, "indexed")] == [(row["uri"], row["outcome"]) for row in shown["outcomes"]]
    assert f"indexed   {edited.url}" in text


def test_job_cancel_ends_a_job(new_system: Callable[..., System], tarn: Origin) -> None:
    """A cancelled job ends, and waiting for it says that it did not complete."""
    system = new_system(SCOPS_FETCHER_DELAYS="127.0.0.0/8=2").start()
    system.create_scope("tarn", seeds=[f"{tarn.url}/"])
    name = system.run("crawl", "tarn").json["name"]
    cancelled = system.run("job", "cancel", name)
    job = system.wait_job(name)

    assert 0 == cancelled.code
    assert Job.STATE_CANCELLED == job.state
    assert 0 == job.counts.open
    assert "cancelled" in run_text(system, "job", "show", name)


def test_waiting_in_vain_has_an_exit_code(shared: System, tarn: Origin) -> None:
    """A job that has not ended in time goes on, and the message says how to follow it."""
    ended = shared.run("crawl", "tarn", "--wait", "--timeout-seconds", "0")

    assert 6 == ended.code
    assert "scops job show" in ended.json["error"]["message"]


def test_without_a_gateway_the_command_says_how_to_start_one(tmp_path: Path) -> None:
    """Nobody listens: exit code 4, and what to do."""
    environment = {**clean_environment(), "SCOPS_COMMAND_ADDRESS": "127.0.0.1:1"}
    ended = run_command("scope", "list", environment=environment)

    assert (4, "GATEWAY_UNAVAILABLE") == (ended.code, ended.json["error"]["reason"])
    assert "scops up" in ended.err


def test_wrong_options_have_the_exit_code_of_invalid_input(shared: System) -> None:
    """Unknown commands and missing options are the caller's."""
    assert [2, 2, 2] == [
        shared.run(*words).code for words in (("fly",), ("ask", "What?"), ("crawl", "x", "--fast"))
    ]


def test_text_in_a_pipe_has_no_colours_and_no_cut_lines(shared: System) -> None:
    """People who pipe text get it whole and plain."""
    text = run_text(shared, "page", "list", "--scope", "tarn")

    assert "\x1b[" not in text
    assert 45 <= sum(".html" in line for line in text.splitlines())


def test_rules_with_brackets_are_shown_as_they_are(shared: System) -> None:
    """A regular expression is not taken for markup."""
    pattern = "regex:https://example\\.org/[bold]+/[a-z]*"
    shared.run("scope", "create", "brackets", "--include", pattern)

    assert pattern in run_text(shared, "scope", "show", "brackets")


def test_settings_lists_each_with_its_origin(shared: System) -> None:
    """Value, unit, default and where it is from."""
    entries = {entry["name"]: entry for entry in shared.run("settings").json}

    assert "environment" == entries["SCOPS_DATA_DIR"]["origin"]
    assert "default" == entries["SCOPS_FETCHER_WORKERS"]["origin"]
    assert "seconds" == entries["SCOPS_FETCHER_HOST_DELAY_SECONDS"]["unit"]


def test_settings_come_in_groups(shared: System) -> None:
    """The basic ones come first, or alone."""
    groups = [entry["group"] for entry in shared.run("settings").json]
    alone = {entry["group"] for entry in shared.run("settings", "--basic").json}

    assert sorted(groups, reverse=True) == groups
    assert {"basic"} == alone


def test_doctor_finds_a_sound_machine(shared: System) -> None:
    """Everything that a start needs is there, and the embedder is measured."""
    ended = shared.run("doctor")
    findings = {finding["name"]: finding for finding in ended.json}

    assert 0 == ended.code
    assert {"data folder", "nats-server", "embedding model", "embedder"} <= set(findings)
    assert "rows" in findings["state"]["text"]
    assert "MiB" in findings["disk"]["text"]
    assert all(finding["ok"] for finding in findings.values())


def test_doctor_names_what_is_wrong(tmp_path: Path) -> None:
    """An unknown setting is found before a start trips over it."""
    environment = {**clean_environment(), "SCOPS_DATA_DIRR": str(tmp_path)}
    ended = run_command("doctor", "--no-measure", environment=environment)

    assert 4 == ended.code
    assert "SCOPS_DATA_DIRR" in json.dumps(ended.json)


def test_up_says_where_it_can_be_reached(new_system: Callable[..., System]) -> None:
    """Also where the port is whichever is free."""
    system = new_system(SCOPS_GATEWAY_HTTP_PORT="0").start()
    system.until(lambda: "ready" in system.log.read_text())
    (said,) = re.findall(r"web page (http://\S+),", system.log.read_text())

    with urllib.request.urlopen(said, timeout=60) as page:
        assert 200 == page.status


def test_stopping_up_is_a_clean_end(new_system: Callable[..., System]) -> None:
    """Ctrl-C ends everything with exit code 0 and no last words."""
    system = new_system().start()
    system.until(lambda: "ready" in system.log.read_text())
    codes = system.stop()
    said = system.log.read_text().splitlines()

    assert [0] == codes
    assert 1 == len(said)
    assert said[0].startswith("scops: ready, web page http")


def test_page_trace_follows_a_page_through_all_services(edited: Edited) -> None:
    """Both fetches lead to a version and an outcome; no blob is missing, no letter was given up."""
    trace = edited.system.run("page", "trace", edited.url).json
    told = [(entry["service"], entry["what"]) for entry in trace["entries"]]
    fetches = {entry["fetch_id"] for entry in trace["entries"] if entry["what"] == "outcome"}
    blobs = [blob for entry in trace["entries"] for blob in entry["blobs"].values()]

    assert (2, "") == (len(fetches), trace["bus_problem"])
    assert 2 == told.count(("fetcher", "PageFetched"))
    assert 2 == told.count(("change-detector", "version"))
    assert 1 == told.count(("indexer", "head"))
    assert not any(blob["missing"] for blob in blobs)


def test_what_was_changed_is_told_and_verified(shared: System) -> None:
    """The audit names who made the scope and its crawl; its chain holds, from an anchor too."""
    told = shared.run("audit", "list", "--about", "scopes/tarn", "--limit", "0").json
    done = {(entry["action"], entry["outcome"], entry["principal"]) for entry in told["entries"]}
    held = shared.run("audit", "verify").json
    anchor = f"{held['sequence']}:{base64.b64decode(held['hash']).hex()}"
    again = shared.run("audit", "verify", "--anchor", anchor)
    wrong = shared.run("audit", "verify", "--anchor", f"1:{'00' * 32}")

    assert {("CreateScope", "OK", "local"), ("CreateJob", "BEGUN", "local")} <= done
    assert held["complete"]
    assert 0 == again.code
    assert (7, "AUDIT_BROKEN") == (wrong.code, wrong.json["error"]["reason"])
