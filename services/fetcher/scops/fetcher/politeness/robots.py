"""What a host's robots.txt allows.

Source: RFC 9309; Protego parses and matches (section 2.2), the rest is here. Differs: 429 counts
as unreachable rather than unavailable, since a host that asks for fewer requests has not said
that everything may be requested; more redirects than we follow count as unavailable, which
section 2.3.1.2 permits.
"""

import asyncio
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from threading import Lock
from typing import TypeVar
from urllib.parse import urlsplit, urlunsplit

from protego import Protego

from scops.common.runtime.sized_cache import SizedCache
from scops.fetcher.ports.page_source import Failed, Fetched, FetchResult, Gone, Redirected

ROBOTS_BYTES_MAX = 500 * 1024
"""RFC 9309 section 2.5: parsers read at least 500 KiB; more is cut off."""

WILDCARDS_MAX = 10_000
"""In one file; more of them forbid everything. The longest URL is held against so many in 0.3 s."""

ROBOTS_REDIRECTS_MAX = 5
"""RFC 9309 section 2.3.1.2: at least five are followed."""

CRAWL_DELAY_SECONDS_MAX = 30.0
"""However much Crawl-delay or Request-rate ask for; neither is part of RFC 9309."""

ROBOTS_AGE = timedelta(days=1)
"""RFC 9309 section 2.4: a copy is not believed for longer."""

UNREACHABLE_AGE = timedelta(minutes=5)
"""How long a host without a readable robots.txt is left alone."""

SILENCE_MAX = timedelta(days=30)
"""RFC 9309 section 2.3.1.4: then the last copy holds, without one all is allowed."""

_AT_ONCE_CHARACTERS_MAX = 8 * 1024
"""A longer file is read in a thread; 500 KiB take seconds."""

_PARSED_CHARACTERS_MAX = 4 * 1024 * 1024
"""Of the files kept parsed, which take ten times as many bytes."""

Answer = TypeVar("Answer")
_files_held = Lock()
_files_parsed: SizedCache[tuple[str, str], Protego] = SizedCache(_PARSED_CHARACTERS_MAX)


class RobotsKind(StrEnum):
    """What the host answered."""

    RULES = "rules"
    ALLOW_ALL = "allow_all"
    DISALLOW_ALL = "disallow_all"


@dataclass(frozen=True, slots=True)
class RobotsPolicy:
    """The rules of one authority (scheme, host and port); both fields are stored as they are.

    Args:
        kind: whether there are rules, or one answer for everything.
        text: the robots.txt, where `kind` is RULES.
    """

    kind: RobotsKind
    text: str = ""

    def allowed(self, url: str, agent: str) -> bool:
        """Says whether a crawler may request a canonical URL of this authority.

        Args:
            agent: the crawler's product token, without version.
        """
        if self.kind is RobotsKind.ALLOW_ALL or urlsplit(url).path == "/robots.txt":
            return True
        if self.kind is RobotsKind.DISALLOW_ALL:
            return False
        return bool(_parsed(self.text, agent).can_fetch(url, agent))

    def crawl_delay_seconds(self, agent: str) -> float:
        """Returns the pause that Crawl-delay and Request-rate ask a crawler for; 0 if none.

        At most `CRAWL_DELAY_SECONDS_MAX`. A rate for some hours of the day holds all day.
        """
        if self.kind is not RobotsKind.RULES:
            return 0.0
        parsed = _parsed(self.text, agent)
        rate = parsed.request_rate(agent)
        asked = (parsed.crawl_delay(agent), rate and rate.seconds / rate.requests)
        usable = [float(each) for each in asked if each and math.isfinite(each) and each > 0]
        return min(max(usable, default=0.0), CRAWL_DELAY_SECONDS_MAX)

    def sitemaps(self) -> tuple[str, ...]:
        """Returns the sitemaps it names, as written, each once; they may be on other hosts."""
        if self.kind is not RobotsKind.RULES:
            return ()
        return tuple(dict.fromkeys(_parsed(self.text, "").sitemaps))


def robots_url(url: str) -> str:
    """Returns where the robots.txt for a canonical URL is (RFC 9309 section 2.3)."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, "/robots.txt", "", ""))


def robots_policy(answer: FetchResult) -> RobotsPolicy:
    """Returns the policy that an answer to `/robots.txt` stands for (RFC 9309 section 2.3.1).

    Args:
        answer: of `PageSource.fetch_plain` with `cut=True`. A `Redirected` is one redirect more
            than is followed.
    """
    if isinstance(answer, Fetched):
        return _rules(answer.body)
    if isinstance(answer, Gone | Redirected):
        return RobotsPolicy(RobotsKind.ALLOW_ALL)
    if isinstance(answer, Failed) and _is_unavailable(answer):
        return RobotsPolicy(RobotsKind.ALLOW_ALL)
    return RobotsPolicy(RobotsKind.DISALLOW_ALL)


def policy_after_silence(copy: bytes | None) -> RobotsPolicy:
    """Returns the policy of a host whose robots.txt could not be read for long.

    Source: RFC 9309 section 2.3.1.4, which lets crawlers go on with a copy, or take the file for
    unavailable.

    Args:
        copy: the file as it came last; None where it never came.
    """
    if copy is None:
        return RobotsPolicy(RobotsKind.ALLOW_ALL)
    return _rules(copy)


def _rules(body: bytes) -> RobotsPolicy:
    text = robots_text(body)
    # Each of them is looked for in each URL; who means to cost us time is left alone.
    if text.count("*") > WILDCARDS_MAX:
        return RobotsPolicy(RobotsKind.DISALLOW_ALL)
    return RobotsPolicy(RobotsKind.RULES, text)


def robots_text(body: bytes) -> str:
    """Decodes a robots.txt as UTF-8, cut to whole lines within `ROBOTS_BYTES_MAX`."""
    if len(body) >= ROBOTS_BYTES_MAX:
        # Half a rule would forbid or allow something that nobody wrote.
        body = body[:ROBOTS_BYTES_MAX].rpartition(b"\n")[0]
    return body.decode("utf-8-sig", errors="replace").replace("\x00", "")


def _is_unavailable(answer: Failed) -> bool:
    if answer.reason in ("TOO_MANY_REDIRECTS", "REDIRECT_LOOP"):
        return True
    # A 204 has no rules either.
    return answer.status != 429 and (400 <= answer.status < 500 or answer.status == 204)


async def off_the_loop(policy: RobotsPolicy, ask: Callable[[RobotsPolicy], Answer]) -> Answer:
    """Returns what a policy says; a long one is read in a thread, while others go on.

    A file is read in time in proportion to its length, which is bounded, so that it need not be
    ended.
    """
    if len(policy.text) <= _AT_ONCE_CHARACTERS_MAX:
        return ask(policy)
    return await asyncio.to_thread(ask, policy)


def _parsed(text: str, agent: str) -> Protego:
    with _files_held:
        known = _files_parsed.get((text, agent))
    if known is None:
        known = _parse(text, agent)
        with _files_held:
            _files_parsed.keep((text, agent), known, size=len(text))
    return known


def _parse(text: str, agent: str) -> Protego:
    known = _UNKNOWN_LINE.sub("", text)
    return Protego.parse(_AGENT_LINE.sub(lambda line: _agent_line(line, agent), known))


# RFC 9309 section 2.2.4: other records must not end a group, which Protego lets them do.
_UNKNOWN_LINE = re.compile(
    r"^[ \t]*(?!user|allow|dis|dias|crawl|request|visit|site|host)[a-z][\w -]*:[^\r\n]*",
    re.IGNORECASE | re.MULTILINE,
)


_AGENT_LINE = re.compile(
    r"^(?P<field>[ \t]*user[- ]?agent[ \t]*[: \t])[ \t]*(?P<value>[^\r\n#]*)",
    re.IGNORECASE | re.MULTILINE,
)
_PRODUCT_TOKEN = re.compile(r"[A-Za-z_-]+")


def _agent_line(line: re.Match[str], agent: str) -> str:
    """Rewrites a User-agent line so that it matches our product token exactly, or never.

    Protego takes the longest group name with which the crawler's begins, so `Sco` would catch
    `Scops`, and it misses `Scops/1.0`; RFC 9309 section 2.2.1 compares product tokens whole.
    """
    value = line["value"].strip()
    if not value or value.startswith("*"):
        return f"{line['field']} {'*' if value else ''}"
    token = _PRODUCT_TOKEN.match(value)
    ours = token is not None and token[0].casefold() == agent.casefold()
    return f"{line['field']} {agent if ours else 'another-crawler'}"
