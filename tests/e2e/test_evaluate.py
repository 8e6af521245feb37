"""`scops evaluate` asks a running system judged questions, keeps what came back and compares it."""

import asyncio
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.e2e.system import Ended, System
from tests.fakes.servers.model_endpoint import completion, model_endpoint
from tests.fakes.servers.origin import Origin

PRICES = "/policies/prices.html"
RIVER = "The River plan costs 14 euros a month."
FOREIGN = "Who won the chess championship of Ruritania?"


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory, tarn: Origin) -> Path:
    """Four questions of which one has no answer, and a line that is none."""
    prices = f"{tarn.url}{PRICES}"
    records: list[dict[str, Any]] = [
        {
            "id": "river",
            "question": "How much does the River plan cost?",
            "answers": ["14 euros a month", "14 euros"],
            "support": [RIVER],
            "pages": [prices],
            "distractors": ["55 dollars"],
        },
        {"id": "lake", "question": "What does the Lake plan cost?", "answer": "55 euros a month"},
        {"id": "plans", "question": "Which data plans are there?", "pages": ["prices"]},
        {"id": "foreign", "question": FOREIGN, "answerable": False},
    ]
    file = tmp_path_factory.mktemp("evaluate") / "prices.jsonl"
    file.write_text("\n".join([*map(json.dumps, records), "{broken"]), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where runs are kept."""
    return tmp_path_factory.mktemp("home")


def evaluate(system: System, home: Path, *words: str) -> Ended:
    return system.run("evaluate", *words, XDG_DATA_HOME=str(home))


class Read(HTMLParser):
    """The elements of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)


def test_a_file_is_asked_compared_and_shown(
    known: System, home: Path, questions: Path, tmp_path: Path
) -> None:
    """Figures that can be told by hand, two recipes against each other, and a page of it."""
    page = tmp_path / "report.html"
    asked = (str(questions), "--scope", "tarn")
    first = evaluate(known, home, *asked, "--report", str(page))
    assert 0 == first.code, first.err
    second = evaluate(known, home, *asked, "--recipe", "hybrid", "--mode", "extractive")
    assert 0 == second.code, second.err
    run, other = first.json, second.json
    means = {name: one["mean"] for name, one in run["scores"].items()}
    exact = {
        "contains": 1.0,
        "better_than_distractors": 1.0,
        "citation_recall": 1.0,
        "citation_verbatim": 1.0,
        "hit@10": 1.0,
        "sf@10": 1.0,
        "sl@10": 0.0,
    }

    assert {"asked": 4, "failed": 0, "answered": 3, "without_answer": 1} == run["questions"]
    assert exact == {name: means[name] for name in exact}
    assert 0.2 < means["similarity"] <= 1.0
    assert 1.0 == run["abstention"]["f1"]["value"]
    assert 0 < run["latency_ms"]["answer"]["p50"] <= run["latency_ms"]["answer"]["p95"]
    assert ["prices.jsonl:5"] == [one["where"] for one in run["faults"]]
    assert "prices.jsonl:5" in first.err

    compared = evaluate(known, home, "compare", run["run"], other["run"]).json
    f1 = compared["measures"]["f1"]
    assert (4, 0, 0) == (compared["questions"], compared["only_before"], compared["only_after"])
    assert 3 == f1["wins"] + f1["losses"] + f1["ties"]
    assert f1["interval"][0] <= f1["gain"] <= f1["interval"][1]

    kept = evaluate(known, home, "list").json["runs"]
    again = evaluate(known, home, "report", run["run"], str(tmp_path / "again.html"))
    names = Read(page.read_text(encoding="utf-8")).names
    assert ["hybrid", ""] == [one["asked"]["recipe"] for one in kept]
    assert (0, page.read_text()) == (again.code, (tmp_path / "again.html").read_text())
    assert {"svg", "table"} <= set(names)
    assert "script" not in names


def test_what_cannot_be_asked_says_why(known: System, home: Path, questions: Path) -> None:
    """A recipe and a scope that are not there, and a file that holds no question."""
    empty = home / "empty.jsonl"
    empty.write_text("{}\n")
    recipe = evaluate(known, home, str(questions), "--scope", "tarn", "--recipe", "none")
    scope = evaluate(known, home, str(questions), "--scope", "nowhere")
    nothing = evaluate(known, home, str(empty), "--scope", "tarn")

    assert (2, "UNKNOWN_RECIPE") == (recipe.code, recipe.json["error"]["reason"])
    assert (3, "SCOPE_NOT_FOUND") == (scope.code, scope.json["error"]["reason"])
    assert (2, "NO_QUESTIONS") == (nothing.code, nothing.json["error"]["reason"])
    assert "empty.jsonl:1" in nothing.json["error"]["message"]


def test_questions_are_made_of_the_pages_and_asked(
    known: System, home: Path, tmp_path: Path
) -> None:
    """Most are found where they were made, since nothing else answers them."""
    file = tmp_path / "made.jsonl"
    made = evaluate(
        known, home, "generate", "--scope", "tarn", "--out", str(file), "--questions", "12"
    )
    assert 0 == made.code, made.err
    run = evaluate(known, home, str(file), "--scope", "tarn", "--no-answers").json
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]

    assert 12 == made.json["questions"] == len(records) == run["questions"]["asked"]
    assert {"quantity", "keywords"} <= set(made.json["forms"])
    assert [] == run["faults"]
    assert run["scores"]["hit@10"]["mean"] >= 0.75


async def test_a_model_writes_questions_of_the_pages(
    known: System, home: Path, tmp_path: Path
) -> None:
    """One that asks by the beginning of a sentence for its last word; without one that is said."""
    file = tmp_path / "written.jsonl"
    asked = ("generate", "--scope", "tarn", "--by", "model", "--out", str(file))

    async def answer(request: web.Request) -> web.Response:
        passage = (await request.json())["messages"][-1]["content"].splitlines()
        words = passage[2].rstrip(".").split()
        reply = {"question": f"{' '.join(words[:-1])} what?", "answer": words[-1]}
        return web.json_response(completion(json.dumps(reply)))

    async with model_endpoint(answer) as url:
        model = {"SCOPS_EXPLAINER_MODEL_URL": url, "SCOPS_EXPLAINER_MODEL_NAME": "m"}
        made = await asyncio.to_thread(
            known.run, "evaluate", *asked, "--questions", "3", XDG_DATA_HOME=str(home), **model
        )
    assert 0 == made.code, made.err
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    run = evaluate(known, home, str(file), "--scope", "tarn", "--no-answers").json
    nobody = evaluate(known, home, *asked)

    assert {"model": 3} == made.json["forms"]
    assert all(one["answers"][0] in one["support"][0] for one in records)
    assert made.json["spent"]["requests"] == 3 + sum(made.json["left_out"].values())
    assert 3 == run["questions"]["asked"]
    assert (2, "NO_MODEL") == (nobody.code, nobody.json["error"]["reason"])


def test_scope_fidelity_is_told_of_the_scope_that_is_meant(
    known: System, home: Path, questions: Path
) -> None:
    """Asked in two scopes for what one of them is about; preferring it leaves less leakage."""
    asked = (str(questions), "--scope", "tarn", "--scope", "releases", "--target", "releases")
    plain = evaluate(known, home, *asked, "--no-answers").json
    preferring = evaluate(known, home, *asked, "--no-answers", "--prefer", "releases").json
    gain = evaluate(known, home, "compare", plain["run"], preferring["run"]).json
    fidelity = gain["measures"]["sf@10"]

    assert plain["scores"]["sf@10"]["mean"] < 1
    assert fidelity["gain"] > 0
    assert 0 == fidelity["losses"]
    assert pytest.approx(-fidelity["gain"]) == gain["measures"]["sl@10"]["gain"]


def test_synthetic_scopes_are_made_asked_and_removed(known: System, home: Path) -> None:
    """A scope alone leaks nothing, one that is preferred less than none, and none stays behind."""
    few = ("synthetic", "--scopes", "3", "--places", "3", "--questions", "12")
    before = known.run("scope", "list").json["scopes"]
    ended = evaluate(known, home, *few, "--by", "hosts")
    assert 0 == ended.code, ended.err
    systems = ended.json["systems"]
    leaked = {name: figures["sl@10"]["mean"] for name, figures in systems.items()}
    after = known.run("scope", "list").json["scopes"]

    assert {"baseline", "scope_aware", "global", "preferred", "scoped"} == set(systems)
    assert (0.0, 1.0) == (leaked["scoped"], systems["scoped"]["sf@10"]["mean"])
    assert leaked["preferred"] <= leaked["global"]
    assert leaked["scope_aware"] < leaked["baseline"]
    assert systems["scoped"]["ndcg@10_inside"]["mean"] >= 0.8
    assert 12 == systems["global"]["ndcg@10"]["questions"]
    assert [] == ended.json["kept"]
    assert [one["name"] for one in before] == [one["name"] for one in after]
