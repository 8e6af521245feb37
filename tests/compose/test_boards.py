"""The boards of roles, asked of the Prometheus that scrapes every container by its role."""

import json
import re
import time
import urllib.parse
import urllib.request
from typing import Any

import pytest

from scops.common.contract.service_table import Role
from tests.compose.api import Api
from tests.deploy.manifests import DEPLOY

PROMETHEUS = "http://127.0.0.1:9090"
SCRAPED_SECONDS = 30.0
# What has no series, by the board of a role, and why: it counts what did not happen.
FAULTS = {
    "scops_loop_restarts_total": "no loop fails",
    "scops_store_refusals_total": "no store refuses",
}
GIVEN_UP = {
    "scops_bus_dead_letters_total": "every message is handled",
    "scops_bus_redelivered_total": "every message is handled the first time",
}
NO_CHILD_ENDS = {"scops_child_replaced_total": "no child process dies or is ended"}
AT_REST = {
    "fetcher": GIVEN_UP
    | NO_CHILD_ENDS
    | {
        "scops_child_task_seconds_bucket": "the site has no sitemap, feed or long robots.txt",
        "scops_fetcher_listings_total": "the site has neither sitemap nor feed",
        "scops_fetcher_site_searches_total": "nobody researches anything",
        "scops_fetcher_paper_searches_total": "nobody looks for papers",
        "scops_fetcher_trapped_links_total": "the site has no links without end",
    },
    "extractor": GIVEN_UP
    | NO_CHILD_ENDS
    | {
        "scops_extractor_failures_total": "no page brings its parser to fall",
        "scops_extractor_flags_total": "the site's pages are plain",
    },
    "change-detector": GIVEN_UP,
    "indexer": GIVEN_UP
    | {
        "scops_query_answer_seconds_bucket": "a crawl and a search ask it nothing",
        "scops_query_answered_total": "a crawl and a search ask it nothing",
    },
    "retriever": {
        "scops_retriever_left_out_total": "the few pages say different things",
        "scops_retriever_windows_total": "no question names a time",
    },
    "explainer": {
        "scops_bus_publish_seconds_bucket": "which pages were cited is told later than this looks",
        "scops_bus_published_total": "which pages were cited is told later than this looks",
        "scops_explainer_citations_resolved_total": "nobody asks where a citation stands by now",
        "scops_explainer_model_answers_total": "no model is configured",
        "scops_explainer_model_dropped_total": "no model is configured",
        "scops_explainer_model_tokens_total": "no model is configured",
    },
    "gateway": GIVEN_UP
    | {
        "scops_gateway_calls_refused_total": "nobody exceeds a budget",
        "scops_gateway_deliveries_total": "nobody watches anything",
    },
}


@pytest.fixture(scope="module")
def asked(api: Api) -> None:
    """Some answers were given, and Prometheus has looked twice since."""
    for query in ("What does VACUUM do?", "How do I make a table?"):
        api.answer(query, "manual")
    time.sleep(SCRAPED_SECONDS)


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize("role", [role.value for role in Role])
def test_the_board_of_a_role_has_series(role: str) -> None:
    """Each panel shows something, but what counts things that did not happen."""
    board = json.loads((DEPLOY / "grafana" / "boards" / f"{role}.json").read_text())
    expressions = {
        target["expr"] for panel in board["panels"] for target in panel.get("targets", ())
    }
    empty = {each for each in expressions if not _series(each)}
    names = {name for each in empty for name in re.findall(r"scops_\w+", each)}

    unexplained = names - set(AT_REST[role]) - set(FAULTS)

    assert not unexplained, sorted(unexplained)


@pytest.mark.usefixtures("asked")
def test_every_role_and_store_answers_the_scraper() -> None:
    """Found by the names of the services, each as one target."""
    up = {
        each["metric"].get("role", each["metric"]["job"]): each["value"][1]
        for each in _series("up")
    }

    assert {role.value: "1" for role in Role} | {"weaviate": "1"} == up


def _series(expression: str) -> list[dict[str, Any]]:
    query = urllib.parse.urlencode({"query": expression.replace("$__rate_interval", "10m")})
    with urllib.request.urlopen(f"{PROMETHEUS}/api/v1/query?{query}", timeout=30) as answer:
        return list(json.loads(answer.read())["data"]["result"])
