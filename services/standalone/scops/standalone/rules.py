"""Rules of a scope as words: `prefix:host/path`, `glob:…`, `regex:…`, `page:…`, or a bare URL."""

from urllib.parse import urlsplit

from scops.api.v1alpha1 import scope_service_pb2 as pb

KINDS = {
    "prefix": pb.ScopeRule.KIND_PREFIX,
    "glob": pb.ScopeRule.KIND_GLOB,
    "regex": pb.ScopeRule.KIND_REGEX,
    "page": pb.ScopeRule.KIND_PAGE,
}
NAMES = {number: name for name, number in KINDS.items()}


def parse_rule(words: str, *, exclude: bool = False) -> pb.ScopeRule:
    """Reads a rule; without a kind, a pattern with `*` is a glob, any other a prefix."""
    kind, _, pattern = words.partition(":")
    if kind in KINDS:
        return pb.ScopeRule(kind=KINDS[kind], pattern=pattern, exclude=exclude)
    guessed = pb.ScopeRule.KIND_GLOB if "*" in words else pb.ScopeRule.KIND_PREFIX
    return pb.ScopeRule(kind=guessed, pattern=words, exclude=exclude)


def prefix_of(seed: str) -> str:
    """Returns the prefix rule that a seed suggests: its host and folder.

    Raises:
        InvalidInput: the seed cannot be crawled.
    """
    # Imported here: it takes longer than the rest of the command.
    from scops.common.urls import canonical_url

    parts = urlsplit(canonical_url(seed))
    folder = parts.path.rsplit("/", 1)[0]
    return f"{parts.netloc}{folder}"


def show_rule(rule: pb.ScopeRule) -> str:
    """Returns a rule in the words that `parse_rule` reads."""
    sign = "−" if rule.exclude else "+"
    return f"{sign} {NAMES.get(rule.kind, 'unknown')}:{rule.pattern}"


def reason_names(words: str) -> list[str]:
    """Returns the reasons of changes in a list by commas."""
    return [name.strip().replace(" ", "_") for name in words.split(",") if name.strip()]
