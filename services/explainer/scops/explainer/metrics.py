"""Metrics of the explainer."""

from scops.common.observe.metrics import counter, histogram

ANSWERS = counter(
    "scops_explainer_answers_total",
    unit="answers",
    labels=("outcome",),
    meaning="Answers by outcome: answered, unsupported (abstained) or empty (nothing found).",
)
STAGE_SECONDS = histogram(
    "scops_explainer_stage_seconds",
    unit="seconds",
    labels=("stage",),
    meaning="Time of a stage of one answer: retrieve, read, quote, explain or revalidate.",
)
UNREADABLE = counter(
    "scops_explainer_passages_unreadable_total",
    unit="passages",
    meaning="Passages left out of an answer because the archive lacks their text.",
)
SENTENCES = histogram(
    "scops_explainer_sentences_embedded",
    unit="sentences",
    meaning="Sentences embedded for one answer.",
    buckets=(0, 5, 10, 20, 50, 100),
)
LINEAGE_MISSING = counter(
    "scops_explainer_lineage_missing_total",
    unit="passages",
    meaning="Explained passages whose version lineage could not be had.",
)
RESOLVED = counter(
    "scops_explainer_citations_resolved_total",
    unit="citations",
    labels=("anchor",),
    meaning="Stored citations looked up again: same, moved, superseded, tombstone, unspecified.",
)
MODEL_TOKENS = counter(
    "scops_explainer_model_tokens_total",
    unit="tokens",
    labels=("direction",),
    meaning="Tokens that a model read (input) and wrote (output), as it counts them.",
)
MODEL_ANSWERS = counter(
    "scops_explainer_model_answers_total",
    unit="answers",
    labels=("outcome",),
    meaning="Answers a model was asked for: worded, unsupported, empty, unavailable, unreadable.",
)
MODEL_DROPPED = counter(
    "scops_explainer_model_dropped_total",
    unit="items",
    labels=("kind",),
    meaning="What a model said and no cited span bears out: statement, citation.",
)
