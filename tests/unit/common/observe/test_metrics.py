"""Every metric is declared once, with what the reference page needs, and has bounded labels."""

import pytest
from prometheus_client import generate_latest

from scops.common.observe import metrics


def test_every_declared_metric_has_unit_meaning_and_a_sound_name() -> None:
    """Names follow Prometheus: our prefix, and `_total` on counters alone."""
    declared = metrics.declarations()

    assert len(declared) >= 10
    for metric in declared:
        assert metric.name.startswith("scops_"), metric.name
        assert metric.unit, metric.name
        assert metric.meaning.endswith("."), metric.name
        assert metric.name.endswith("_total") == (metric.kind == "counter"), metric.name


def test_no_label_names_an_id_or_a_url() -> None:
    """A label per page or subject would grow without bound."""
    labels = {label for metric in metrics.declarations() for label in metric.labels}

    assert labels.isdisjoint({"page_id", "job_id", "url", "host", "subject", "scope_id"})


def test_declaring_the_same_metric_again_returns_the_first() -> None:
    """A module may be imported twice by a test runner."""
    first = metrics.counter("scops_test_hoots_total", unit="hoots", meaning="Hoots heard.")

    again = metrics.counter("scops_test_hoots_total", unit="hoots", meaning="Hoots heard.")
    first.inc()

    assert again is first
    assert b"scops_test_hoots_total 1.0" in generate_latest()


def test_declaring_another_metric_under_a_known_name_is_a_bug() -> None:
    """Two meanings under one name would add up to nonsense."""
    metrics.counter("scops_test_owls_total", unit="owls", meaning="Owls seen.")

    with pytest.raises(ValueError, match="declared twice"):
        metrics.counter("scops_test_owls_total", unit="owls", meaning="Owls heard.")
