"""Words of the API that are one of a few."""

from enum import StrEnum


class Word(StrEnum):
    """One of a few; what a newer gateway says besides is unspecified."""

    @classmethod
    def _missing_(cls, value: object) -> "Word | None":
        return cls._member_map_["UNSPECIFIED"]  # type: ignore[return-value]


class Mode(Word):
    """Who words an answer: a model where one is configured, nobody, or a model and why not."""

    UNSPECIFIED = "unspecified"
    EXTRACTIVE = "extractive"
    MODEL = "model"


class Unsupported(Word):
    """What happens to a sentence of a model that no cited span supports."""

    UNSPECIFIED = "unspecified"
    REMOVE = "remove"
    MARK = "mark"


class Revalidate(Word):
    """Whether cited pages are checked before the answer goes out."""

    UNSPECIFIED = "unspecified"
    NEVER = "never"
    IF_RISKY = "if_risky"
    ALWAYS = "always"


class Speaker(Word):
    """Who said something earlier in a conversation."""

    UNSPECIFIED = "unspecified"
    USER = "user"
    ASSISTANT = "assistant"


class Anchor(Word):
    """What became of a cited span."""

    UNSPECIFIED = "unspecified"
    # The newest version shows it where it stood, whatever its offset.
    SAME = "same"
    # The newest version shows it elsewhere, or set in other type.
    MOVED = "moved"
    # The newest version does not show it.
    SUPERSEDED = "superseded"
    # The cited version is not kept any more; quote and hash remain.
    TOMBSTONE = "tombstone"


class RuleKind(Word):
    """How the pattern of a rule is read."""

    UNSPECIFIED = "unspecified"
    # `host` or `host/path`: the host itself and every path below.
    PREFIX = "prefix"
    # `*` within a segment, `**` across segments; `*.host` for the hosts below one.
    GLOB = "glob"
    # A regular expression of RE2 that must match the whole URL in its normal form.
    REGEX = "regex"
    # A hand-picked page, by URL.
    PAGE = "page"


class Boundary(Word):
    """How far from its seeds a scope reaches."""

    # No rules but those given.
    UNSPECIFIED = "unspecified"
    # The folder of each seed: its path up to the last slash.
    SUBPAGES = "subpages"
    # The host of each seed, with its port.
    HOST = "host"
    # The registrable domain of each seed, with every host below it.
    DOMAIN = "domain"


class ScopeRole(Word):
    """What somebody may do in a scope; each role may what the one before it may."""

    UNSPECIFIED = "unspecified"
    # Reads and asks.
    VIEWER = "viewer"
    # Adds pages, and has them fetched.
    CONTRIBUTOR = "contributor"
    # Changes rules, crawls, pins versions.
    EDITOR = "editor"
    # Everything.
    OWNER = "owner"


class JobState(Word):
    """State of a job."""

    UNSPECIFIED = "unspecified"
    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class ResearchState(Word):
    """Where a research stands."""

    UNSPECIFIED = "unspecified"
    RUNNING = "running"
    ENDED = "ended"
    CANCELLED = "cancelled"
    FAILED = "failed"


class PartKind(Word):
    """Which side of a difference holds a run of words."""

    UNSPECIFIED = "unspecified"
    EQUAL = "equal"
    DELETE = "delete"
    INSERT = "insert"


class CredentialKind(Word):
    """What a caller came in by."""

    UNSPECIFIED = "unspecified"
    # Nobody is asked who they are.
    LOCAL = "local"
    NONE = "none"
    KEY = "key"
    TOKEN = "token"
    PROXY = "proxy"


class InstallationRole(Word):
    """What a principal is in the installation, apart from any scope."""

    UNSPECIFIED = "unspecified"
    OPERATOR = "operator"
    ADMINISTRATOR = "administrator"


class WatchState(Word):
    """Whether a watch sends."""

    UNSPECIFIED = "unspecified"
    ACTIVE = "active"
    PAUSED = "paused"
    # By itself; its end reason says why.
    ENDED = "ended"


class TargetKind(Word):
    """How a watch sends."""

    UNSPECIFIED = "unspecified"
    WEBHOOK = "webhook"
    EMAIL = "email"
    # By a service that the operator admits, as apprise addresses it.
    APPRISE = "apprise"


class Every(Word):
    """How often a watch sends."""

    UNSPECIFIED = "unspecified"
    # Within seconds of each.
    CHANGE = "change"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"


class DeliveryState(Word):
    """How far a delivery has come."""

    UNSPECIFIED = "unspecified"
    # It waits for its first or next attempt.
    OPEN = "open"
    SENT = "sent"
    # Every attempt failed: it was given up.
    DEAD = "dead"
    # Nothing of it counts, or may be read, any more.
    EMPTY = "empty"
