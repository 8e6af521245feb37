"""Prometheus takes the configuration, each alert fires and rests as it should, panels are whole."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import REGISTRY, Histogram
from prometheus_client.utils import floatToGoString

from scops.common.contract.roles import Role
from scops.standalone.app import command_tree
from scops.standalone.process.parts import PARTS

ROOT = Path(__file__).resolve().parents[2]
PROMETHEUS = ROOT / "deploy" / "prometheus"
BOARDS = ROOT / "deploy" / "grafana" / "boards"
RUNBOOKS = ROOT / "docs" / "runbooks"
RULES = ("alerts.yml", "service_levels.yml")
TESTS = ("alerts_test.yml", "service_levels_test.yml")
RECORDED = re.compile(r"\bscops:\w+:\w+")
METRIC = re.compile(r"\bscops_[a-z_]+\b")
SUFFIXES = ("", "_bucket", "_count", "_sum")


def _alerts() -> list[dict[str, Any]]:
    return [rule for rule in _rules() if "alert" in rule]


def _rules() -> list[dict[str, Any]]:
    files = [yaml.safe_load((PROMETHEUS / name).read_text()) for name in RULES]
    return [rule for file in files for group in file["groups"] for rule in group["rules"]]


def _boards() -> list[dict[str, Any]]:
    return [json.loads(file.read_text()) for file in sorted(BOARDS.glob("*.json"))]


def _expressions() -> list[str]:
    panels = [panel for board in _boards() for panel in board["panels"]]
    return [target["expr"] for panel in panels for target in panel.get("targets", ())]


def _documented() -> set[str]:
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text()
    return set(re.findall(r"^\| `(scops_\w+)`", page, re.MULTILINE))


def _promtool(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["promtool", *words], capture_output=True, text=True, check=False)


@pytest.mark.timeout(600)
def test_rules_and_their_tests_pass() -> None:
    """promtool runs the tests of rules: series go in, alerts come out."""
    for words in (
        ("check", "rules", *(str(PROMETHEUS / name) for name in RULES)),
        ("test", "rules", *(str(PROMETHEUS / name) for name in TESTS)),
    ):
        done = _promtool(*words)
        assert 0 == done.returncode, done.stdout + done.stderr


def test_every_alert_is_seen_to_fire_and_to_rest() -> None:
    """An alert without both cases has not been tested."""
    files = [yaml.safe_load((PROMETHEUS / name).read_text()) for name in TESTS]
    cases = [case for file in files for test in file["tests"] for case in test["alert_rule_test"]]
    names = {alert["alert"] for alert in _alerts()}

    assert names == {case["alertname"] for case in cases if case["exp_alerts"]}
    assert names == {case["alertname"] for case in cases if not case["exp_alerts"]}


def test_every_alert_says_how_urgent_it_is_and_what_is_wrong() -> None:
    """Whoever is woken reads a sentence, and finds what to do one click away."""
    manual = (ROOT / "docs" / "operations.md").read_text()
    for alert in _alerts():
        assert alert["labels"]["severity"] in ("page", "ticket"), alert["alert"]
        assert alert["annotations"]["summary"], alert["alert"]
        assert f"[`{alert['alert']}`](runbooks/{alert['alert']}.md)" in manual, alert["alert"]
        expected = f"{{{{ $externalLabels.scops_docs }}}}/runbooks/{alert['alert']}.md"
        assert expected == alert["annotations"]["runbook_url"]


def test_every_alert_has_its_page_and_every_page_its_alert() -> None:
    """A page says how urgent it is as the alert does, what it means, where to look, what to do."""
    severities: dict[str, set[str]] = {}
    for alert in _alerts():
        severities.setdefault(alert["alert"], set()).add(alert["labels"]["severity"])
    pages = {page.stem: page.read_text() for page in RUNBOOKS.iterdir()}

    assert severities.keys() == pages.keys()
    for name, text in pages.items():
        assert text.startswith(f"# {name}\n"), name
        (said,) = re.findall(r"^Severity: (.+)\.$", text, re.MULTILINE)
        assert severities[name] == set(said.split(" and ")), name
        headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
        assert ["Means", "See", "Do", "Over when"] == headings, name


def test_commands_and_panels_that_a_page_names_are_there() -> None:
    """Nobody wants to learn at night that a command was renamed."""
    panels = {panel["title"] for board in _boards() for panel in board["panels"]}
    boards = {board["title"].removeprefix("Scops: ").lower() for board in _boards()}
    for page in RUNBOOKS.iterdir():
        text = page.read_text()
        for words in re.findall(r"`scops ((?:[a-z]+ ?)+)", text):
            _is_command(words.split()[:2])
        for title in re.findall(r"“(.+?)”", text):
            assert title in panels, (page.name, title)
        for name in re.findall(r"\b[Bb]oard ([A-Z][a-z]+(?: levels)?)", text):
            assert name.lower() in boards, (page.name, name)


def _is_command(words: list[str]) -> None:
    command: Any = command_tree()
    for word in words:
        if not hasattr(command, "commands"):
            return
        assert word in command.commands, words
        command = command.commands[word]


@pytest.mark.parametrize("name", ["prometheus.yml", "compose.yml"])
def test_prometheus_takes_the_configuration(name: str, tmp_path: Path) -> None:
    """Debian's build knows no Kubernetes: there, other targets stand in for the pods."""
    config = yaml.safe_load((PROMETHEUS / name).read_text())
    for job in config["scrape_configs"]:
        if job.pop("kubernetes_sd_configs", None):
            job["static_configs"] = [{"targets": ["127.0.0.1:9100"]}]
    assert [f"/etc/prometheus/{rules}" for rules in RULES] == config["rule_files"]
    assert config["global"]["external_labels"]["scops_docs"]
    config["rule_files"] = [str(PROMETHEUS / rules) for rules in RULES]
    path = tmp_path / "prometheus.yml"
    path.write_text(yaml.safe_dump(config))
    done = _promtool("check", "config", str(path))

    assert 0 == done.returncode, done.stdout + done.stderr


def test_boards_and_levels_are_what_make_docs_writes(tmp_path: Path) -> None:
    """They are edited in tools/watch."""
    command = [sys.executable, str(ROOT / "tools" / "dashboard.py"), "--out", str(tmp_path)]
    subprocess.run(command, check=True, cwd=ROOT)
    written = {path.relative_to(tmp_path): path.read_text() for path in tmp_path.rglob("*.*")}
    committed = {path.relative_to(ROOT / "deploy") for path in BOARDS.iterdir()}

    assert written.keys() - committed == {Path("prometheus/service_levels.yml")}
    for path, text in written.items():
        assert text == (ROOT / "deploy" / path).read_text(), f"{path}: run `make docs`"


def test_grafana_is_given_every_board() -> None:
    """In a cluster by the files of a config map, under compose by the folder."""
    kustomization = yaml.safe_load((BOARDS.parent / "kustomization.yaml").read_text())
    maps = [each for each in kustomization["configMapGenerator"] if "options" in each]
    boards = [file for each in maps for file in each["files"]]

    assert [f"boards/{path.name}" for path in sorted(BOARDS.iterdir())] == boards
    assert {role.value for role in Role} <= {path.stem for path in BOARDS.iterdir()}


def test_panels_show_every_documented_metric() -> None:
    """What is measured is shown somewhere."""
    shown = {name for expression in _expressions() for name in METRIC.findall(expression)}
    hidden = [
        name for name in _documented() if not any(name + suffix in shown for suffix in SUFFIXES)
    ]

    assert [] == sorted(hidden)


def test_panels_and_alerts_name_only_documented_metrics() -> None:
    """A metric that was renamed leaves a panel empty and an alert silent."""
    texts = [*_expressions(), *(rule["expr"] for rule in _rules())]
    known = {name + suffix for name in _documented() for suffix in SUFFIXES}

    assert set() == {name for text in texts for name in METRIC.findall(text)} - known


def test_panels_and_alerts_use_rules_that_are_recorded() -> None:
    """A recorded ratio that nobody records is as silent as a renamed metric."""
    recorded = {rule["record"] for rule in _rules() if "record" in rule}
    texts = [*_expressions(), *(rule["expr"] for rule in _rules())]

    assert recorded == {name for text in texts for name in RECORDED.findall(text)}


def test_levels_count_by_buckets_that_are_measured() -> None:
    """A bound that is no bucket has no series, and every event would be bad."""
    buckets = {
        (name, bound)
        for rule in _rules()
        for name, labels in re.findall(r"(scops_\w+)_bucket\{([^}]*)\}", rule["expr"])
        for bound in re.findall(r'le="([^"]+)"', labels)
    }
    for part in PARTS:
        part.load()

    assert buckets
    for name, bound in buckets:
        metric = REGISTRY._names_to_collectors[name]
        assert isinstance(metric, Histogram)
        assert bound in {floatToGoString(each) for each in metric._upper_bounds}, (name, bound)


@pytest.mark.parametrize("board", [path.stem for path in sorted(BOARDS.glob("*.json"))])
def test_panels_do_not_overlap(board: str) -> None:
    """Grafana lays them out as they are written."""
    panels = json.loads((BOARDS / f"{board}.json").read_text())["panels"]
    places = [
        (panel["gridPos"]["x"] + x, panel["gridPos"]["y"] + y)
        for panel in panels
        for x in range(panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["h"])
    ]

    assert len(places) == len(set(places))
    assert len(panels) == len({panel["id"] for panel in panels})
