"""Prometheus takes the configuration, each alert fires and rests as it should, panels are whole."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PROMETHEUS = ROOT / "deploy" / "prometheus"
DASHBOARD = ROOT / "deploy" / "grafana" / "scops.json"
METRIC = re.compile(r"\bscops_[a-z_]+\b")
SUFFIXES = ("", "_bucket", "_count", "_sum")


def _alerts() -> list[dict[str, Any]]:
    groups = yaml.safe_load((PROMETHEUS / "alerts.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"] if "alert" in rule]


def _expressions() -> list[str]:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    return [target["expr"] for panel in panels for target in panel.get("targets", ())]


def _documented() -> set[str]:
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text()
    return set(re.findall(r"^\| `(scops_\w+)`", page, re.MULTILINE))


def _promtool(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["promtool", *words], capture_output=True, text=True, check=False)


def test_rules_and_their_tests_pass() -> None:
    """promtool runs alerts_test.yml: series go in, alerts come out."""
    for words in (
        ("check", "rules", str(PROMETHEUS / "alerts.yml")),
        ("test", "rules", str(PROMETHEUS / "alerts_test.yml")),
    ):
        done = _promtool(*words)
        assert 0 == done.returncode, done.stdout + done.stderr


def test_every_alert_is_seen_to_fire_and_to_rest() -> None:
    """An alert without both cases has not been tested."""
    tests = yaml.safe_load((PROMETHEUS / "alerts_test.yml").read_text())["tests"]
    cases = [case for test in tests for case in test["alert_rule_test"]]
    names = {alert["alert"] for alert in _alerts()}

    assert names == {case["alertname"] for case in cases if case["exp_alerts"]}
    assert names == {case["alertname"] for case in cases if not case["exp_alerts"]}


def test_every_alert_says_how_urgent_it_is_and_what_is_wrong() -> None:
    """Whoever is woken reads a sentence, and finds what to do in the documentation."""
    manual = (ROOT / "docs" / "operations.md").read_text()
    for alert in _alerts():
        assert alert["labels"]["severity"] in ("page", "ticket"), alert["alert"]
        assert alert["annotations"]["summary"], alert["alert"]
        assert f"`{alert['alert']}`" in manual, alert["alert"]


@pytest.mark.parametrize("name", ["prometheus.yml", "compose.yml"])
def test_prometheus_takes_the_configuration(name: str, tmp_path: Path) -> None:
    """Debian's build knows no Kubernetes: there, other targets stand in for the pods."""
    config = yaml.safe_load((PROMETHEUS / name).read_text())
    for job in config["scrape_configs"]:
        if job.pop("kubernetes_sd_configs", None):
            job["static_configs"] = [{"targets": ["127.0.0.1:9100"]}]
    config["rule_files"] = [str(PROMETHEUS / "alerts.yml")]
    path = tmp_path / "prometheus.yml"
    path.write_text(yaml.safe_dump(config))
    done = _promtool("check", "config", str(path))

    assert 0 == done.returncode, done.stdout + done.stderr


def test_the_dashboard_is_what_make_docs_writes(tmp_path: Path) -> None:
    """It is edited in tools/dashboard.py."""
    written = tmp_path / "scops.json"
    command = [sys.executable, str(ROOT / "tools" / "dashboard.py"), "--out", str(written)]
    subprocess.run(command, check=True, cwd=ROOT)

    assert written.read_text() == DASHBOARD.read_text(), "run `make docs`"


def test_panels_show_every_documented_metric() -> None:
    """What is measured is shown somewhere."""
    shown = {name for expression in _expressions() for name in METRIC.findall(expression)}
    hidden = [
        name for name in _documented() if not any(name + suffix in shown for suffix in SUFFIXES)
    ]

    assert [] == sorted(hidden)


def test_panels_and_alerts_name_only_documented_metrics() -> None:
    """A metric that was renamed leaves a panel empty and an alert silent."""
    texts = [*_expressions(), *(alert["expr"] for alert in _alerts())]
    known = {name + suffix for name in _documented() for suffix in SUFFIXES}

    assert set() == {name for text in texts for name in METRIC.findall(text)} - known


def test_panels_do_not_overlap() -> None:
    """Grafana lays them out as they are written."""
    panels = json.loads(DASHBOARD.read_text())["panels"]
    places = [
        (panel["gridPos"]["x"] + x, panel["gridPos"]["y"] + y)
        for panel in panels
        for x in range(panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["h"])
    ]

    assert len(places) == len(set(places))
    assert len(panels) == len({panel["id"] for panel in panels})
