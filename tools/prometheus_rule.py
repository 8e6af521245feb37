"""Writes alerts and recording rules as the Prometheus operator takes them; `make docs` runs it."""

from pathlib import Path

import yaml

DEPLOY = Path(__file__).resolve().parents[1] / "deploy"
FILES = ("alerts.yml", "service_levels.yml")
RULE = DEPLOY / "k8s" / "components" / "monitoring-operator" / "rules.yaml"
HEAD = """\
# Written by `make docs` from the files of rules in deploy/prometheus.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: scops
spec:
"""


def rule() -> str:
    """Returns the resource as YAML."""
    read = [yaml.safe_load((DEPLOY / "prometheus" / name).read_text()) for name in FILES]
    groups = [group for one in read for group in one["groups"]]
    body = yaml.safe_dump({"groups": groups}, sort_keys=False, allow_unicode=True, width=100)
    return HEAD + "".join(f"  {line}\n" if line else "\n" for line in body.splitlines())


if __name__ == "__main__":
    RULE.write_text(rule())
