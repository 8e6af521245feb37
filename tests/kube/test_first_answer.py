"""From an empty cluster to the first answer, by the commands of docs/deploy.md as written."""

import json
from collections.abc import Iterator
from typing import Any

from tests.kube import documented
from tests.kube.installation import ROLES, SAY_TOKEN, Installation


def test_the_commands_of_the_guide_lead_to_an_answer(scops: Installation) -> None:
    """A scope is made, crawled and asked; the answer quotes a page of the site."""
    lines = f"{documented.step(5)}\n{SAY_TOKEN}\n"
    printed = documented.run(lines, made=scops.cluster, folder=scops.folder)
    scops.keep_token(printed)
    documents = list(_documents(printed))
    crawled, answer = documents[1], documents[2]

    assert "STATE_COMPLETED" == crawled["state"]
    assert 50 <= crawled["counts"]["indexed"]
    assert "VACUUM" in json.dumps(answer)
    assert "http://10.96.0.80/docs/15/" in json.dumps(answer)


def test_every_role_runs_on_the_nodes_as_the_manifests_say(scops: Installation) -> None:
    """The seven roles are available, and replicas of one stand on both nodes."""
    listed = scops.kubectl("get", "pods", "-l", "app.kubernetes.io/name=scops", "-o", "json")
    nodes: dict[str, set[str]] = {}
    for pod in json.loads(listed)["items"]:
        role = pod["metadata"]["labels"]["app.kubernetes.io/component"]
        nodes.setdefault(role, set()).add(pod["spec"]["nodeName"])

    assert set(ROLES) == set(nodes)
    assert {"node1", "node2"} == nodes["retriever"] == nodes["gateway"]


def test_a_role_that_lacks_something_says_what(scops: Installation) -> None:
    """The guide's last command prints what `/readyz` answers."""
    assert scops.problems("indexer").strip()


def _documents(text: str) -> Iterator[Any]:
    decoder, place = json.JSONDecoder(), 0
    while (start := text.find("{", place)) >= 0:
        value, place = decoder.raw_decode(text, start)
        yield value
