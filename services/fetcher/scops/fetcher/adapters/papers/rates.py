"""What services say of how often they may be asked, by the headers of their answers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_NUMBER = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,6})?")
_LIMITS = ("x-rate-limit-limit", "x-ratelimit-limit", "ratelimit-limit")
_INTERVALS = ("x-rate-limit-interval", "x-ratelimit-interval")
_REMAINING = ("x-ratelimit-remaining", "ratelimit-remaining", "x-rate-limit-remaining")
_RESETS = ("x-ratelimit-reset", "ratelimit-reset")
# From the answer on; a longer reset is none in seconds but a Unix time, and not read.
RESET_SECONDS_MAX = 366 * 86400.0


@dataclass(frozen=True, slots=True)
class ToldRate:
    """How often a service may be asked.

    Attributes:
        limit: requests of an interval.
        interval_seconds: None where it is not said.
        remaining: requests that are left until the reset.
        reset_seconds: from the answer on.
    """

    limit: float | None = None
    interval_seconds: float | None = None
    remaining: float | None = None
    reset_seconds: float | None = None

    @property
    def pause_seconds(self) -> float:
        """Between two requests, so that the limit is not exceeded; 0 where none is told."""
        if not self.limit or not self.interval_seconds:
            return 0.0
        return self.interval_seconds / self.limit

    @property
    def rest_seconds(self) -> float:
        """Before the next request, where none is left."""
        return self.reset_seconds or 0.0 if self.remaining == 0 else 0.0

    def __str__(self) -> str:
        said = []
        if self.limit is not None:
            every = f" in {self.interval_seconds:g} s" if self.interval_seconds else ""
            said.append(f"{self.limit:g} requests{every}")
        if self.remaining is not None:
            reset = f" for {self.reset_seconds:g} s" if self.reset_seconds else ""
            said.append(f"{self.remaining:g} left{reset}")
        return ", ".join(said)


def told_rate(headers: Mapping[str, str]) -> ToldRate:
    """Returns what an answer says of the service's rate.

    Source: Crossref's `X-Rate-Limit-*`, the `X-RateLimit-*` of OpenAlex, and the draft
    `RateLimit-*` of the IETF (draft-ietf-httpapi-ratelimit-headers-07).
    """
    reset = _number(headers, _RESETS)
    return ToldRate(
        limit=_number(headers, _LIMITS),
        interval_seconds=_interval(headers),
        remaining=_number(headers, _REMAINING),
        reset_seconds=reset if reset is not None and reset <= RESET_SECONDS_MAX else None,
    )


def _interval(headers: Mapping[str, str]) -> float | None:
    """Returns an interval such as `1s` or `5m` in seconds."""
    said = next((headers[name] for name in _INTERVALS if name in headers), "").strip().lower()
    number = _NUMBER.match(said)
    if number is None:
        return None
    unit = {"": 1.0, "s": 1.0, "ms": 0.001, "m": 60.0, "h": 3600.0}.get(said[number.end() :])
    return float(number[0]) * unit if unit else None


def _number(headers: Mapping[str, str], names: tuple[str, ...]) -> float | None:
    for name in names:
        if found := _NUMBER.match(headers.get(name, "").strip()):
            return float(found[0])
    return None
