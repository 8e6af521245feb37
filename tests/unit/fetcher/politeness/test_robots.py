"""RFC 9309; most cases follow google/robotstxt, robots_test.cc, whose names they carry."""

from functools import partial

import pytest

from scops.fetcher.politeness.robots import (
    CRAWL_DELAY_SECONDS_MAX,
    ROBOTS_BYTES_MAX,
    RobotsKind,
    RobotsPolicy,
    robots_policy,
    robots_text,
    robots_url,
)
from scops.fetcher.ports.page_source import Failed, Fetched, Gone, Redirected
from tests.fakes.stalls import cpu_seconds

HOST = "http://foo.bar"


def allowed(text: str, path: str, agent: str = "FooBot") -> bool:
    return RobotsPolicy(RobotsKind.RULES, text).allowed(HOST + path, agent)


def fetched(body: bytes) -> Fetched:
    return Fetched(
        final_url=f"{HOST}/robots.txt",
        redirects=(),
        body=body,
        media_type="text/plain",
        charset="",
        etag="",
        last_modified="",
        last_modified_time=None,
        content_language="",
        robots_tag="",
        response_seconds=0.1,
    )


def failed(reason: str, status: int = 0) -> Failed:
    return Failed(reason=reason, detail="", retryable=False, status=status)


def test_google_only_system_empty_robots_allows_everything() -> None:
    """An empty file has no rule."""
    assert allowed("", "/")


def test_id_line_syntax_rules_without_a_group_are_ignored() -> None:
    """RFC 9309 section 2.2: a rule belongs to a group."""
    assert allowed("foo: FooBot\nbar: /\n", "/x/y")
    assert not allowed("user-agent: FooBot\ndisallow: /\n", "/x/y")


def test_id_line_syntax_groups_with_several_agents() -> None:
    """RFC 9309 section 2.2.1: consecutive User-agent lines share the rules after them."""
    text = (
        "allow: /foo/bar/\n\nuser-agent: FooBot\ndisallow: /\nallow: /x/\nuser-agent: BarBot\n"
        "disallow: /\nallow: /y/\n\n\nallow: /w/\nuser-agent: BazBot\n\nuser-agent: FooBot\n"
        "allow: /z/\ndisallow: /\n"
    )

    assert [True, True, False, True] == [
        allowed(text, "/x/b"),
        allowed(text, "/z/d"),
        allowed(text, "/y/c"),
        allowed(text, "/y/c", "BarBot"),
    ]
    assert not allowed(text, "/foo/bar/")
    assert allowed(text, "/z/", "BazBot")


@pytest.mark.parametrize(
    "line", ["USER-AGENT: FOOBOT", "user-agent: foobot", "User-Agent : Foobot"]
)
def test_rep_user_agent_value_is_case_insensitive(line: str) -> None:
    """RFC 9309 section 2.2.1: product tokens compare without case."""
    assert not allowed(f"{line}\nDisallow: /\n", "/x")


@pytest.mark.parametrize("line", ["Foo", "FooBotImages", "FooBot-News", "Bot", "Mozilla FooBot"])
def test_product_token_matches_whole(line: str) -> None:
    """RFC 9309 section 2.2.1: a part of the token, or a longer one, names another crawler."""
    assert allowed(f"User-agent: {line}\nDisallow: /\n", "/x")


@pytest.mark.parametrize("line", ["FooBot/2.1", "FooBot # ours", "FooBot (+http://x)"])
def test_google_only_user_agent_stops_at_the_end_of_the_token(line: str) -> None:
    """A version or comment after the token does not hide the group."""
    assert not allowed(f"User-agent: {line}\nDisallow: /\n", "/x")


def test_global_groups_secondary() -> None:
    """RFC 9309 section 2.2.1: `*` counts only where no group names the crawler."""
    text = "user-agent: *\nallow: /\nuser-agent: FooBot\ndisallow: /\n"

    assert (False, True) == (allowed(text, "/x/y"), allowed(text, "/x/y", "QuxBot"))
    assert allowed("user-agent: FooBot\nallow: /\nuser-agent: *\ndisallow: /\n", "/x")


def test_group_of_another_crawler_does_not_hide_the_global_one() -> None:
    """Rewriting names must not merge a foreign group with ours or with `*`."""
    text = "User-agent: *\nDisallow: /all\n\nUser-agent: OtherBot\nDisallow: /\n"

    assert (False, True) == (allowed(text, "/all"), allowed(text, "/free"))


def test_allow_disallow_value_is_case_sensitive() -> None:
    """RFC 9309 section 2.2.2: paths compare with case."""
    assert (True, False) == (
        allowed("user-agent: FooBot\ndisallow: /X/\n", "/x/y"),
        allowed("user-agent: FooBot\ndisallow: /x/\n", "/x/y"),
    )


@pytest.mark.parametrize(
    ("rules", "path", "expected"),
    [
        ("disallow: /x/page.html\nallow: /x/", "/x/page.html", False),
        ("allow: /x/page.html\ndisallow: /x/", "/x/page.html", True),
        ("allow: /x/page.html\ndisallow: /x/", "/x/", False),
        ("disallow: \nallow: ", "/x/page.html", True),
        ("disallow: /\nallow: /", "/x/page.html", True),
        ("disallow: /x\nallow: /x/", "/x", False),
        ("disallow: /x\nallow: /x/", "/x/", True),
        ("allow: /page\ndisallow: /*.html", "/page.html", False),
        ("allow: /x/page.\ndisallow: /*.html", "/x/page.html", True),
        ("disallow: /x/page.html", "/x/page.html?a=1", False),
        ("disallow: /$", "/", False),
        ("disallow: /$", "/x", True),
        ("disallow: /foo/bar/quz", "/foo/quz", True),
        ("disallow: /foo*quz", "/foo/bar/quz", False),
        (
            "disallow: /foo/bar?qux=taz&baz=http://foo.bar",
            "/foo/bar?qux=taz&baz=http://foo.bar",
            False,
        ),
        ("disallow: /foo/bar/ツ", "/foo/bar/%E3%83%84", False),
        ("disallow: /foo/bar/%62%61%7A", "/foo/bar/baz", False),
    ],
)
def test_longest_match_wins_and_allow_wins_ties(rules: str, path: str, expected: bool) -> None:
    """RFC 9309 section 2.2.2, with the special characters of section 2.2.3."""
    assert expected == allowed(f"user-agent: FooBot\n{rules}\n", path)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_numbers_are_counted_with_every_line_end(end: str) -> None:
    """RFC 9309 section 2.2: CR, LF and CRLF end a line."""
    assert not allowed(end.join(["User-agent: *", "Disallow: /"]), "/x")


@pytest.mark.parametrize("kind", list(RobotsKind))
def test_robots_txt_itself_is_always_allowed(kind: RobotsKind) -> None:
    """RFC 9309 section 2.2.2: it is implicitly allowed."""
    policy = RobotsPolicy(kind, "User-agent: *\nDisallow: /")

    assert policy.allowed(f"{HOST}/robots.txt", "FooBot")


def test_byte_order_mark_is_ignored() -> None:
    """Google's BOM case: a mark before the first line is no part of it."""
    policy = robots_policy(fetched(b"\xef\xbb\xbfUser-agent: FooBot\nDisallow: /\n"))

    assert not policy.allowed(f"{HOST}/x", "FooBot")


def test_binary_robots_txt_is_no_error() -> None:
    """RFC 9309 section 2.2: what cannot be parsed is ignored."""
    assert robots_policy(fetched(bytes(range(256)) * 10)).allowed(f"{HOST}/x", "FooBot")


def test_file_is_cut_to_whole_lines() -> None:
    """RFC 9309 section 2.5: half a rule is none."""
    body = b"#" * (ROBOTS_BYTES_MAX - 20) + b"\nDisallow: /private-things\n"

    assert robots_text(body).endswith("#")


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (fetched(b""), RobotsKind.RULES),
        (
            Gone(final_url=HOST, redirects=(), status=404, response_seconds=0.1),
            RobotsKind.ALLOW_ALL,
        ),
        (failed("HTTP_403", 403), RobotsKind.ALLOW_ALL),
        (failed("HTTP_429", 429), RobotsKind.DISALLOW_ALL),
        (failed("HTTP_503", 503), RobotsKind.DISALLOW_ALL),
        (failed("TIMEOUT"), RobotsKind.DISALLOW_ALL),
        (failed("DNS_FAILED"), RobotsKind.DISALLOW_ALL),
        (failed("REDIRECT_LOOP"), RobotsKind.ALLOW_ALL),
        (
            Redirected(target_url=HOST, permanent=True, redirects=(), response_seconds=0.1),
            RobotsKind.ALLOW_ALL,
        ),
    ],
)
def test_answer_without_rules_decides_for_everything(answer: Fetched, kind: RobotsKind) -> None:
    """RFC 9309 section 2.3.1: unavailable allows, unreachable forbids."""
    policy = robots_policy(answer)

    assert kind == policy.kind
    assert (kind is not RobotsKind.DISALLOW_ALL) == policy.allowed(f"{HOST}/x", "FooBot")


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2", 2.0),
        ("0.5", 0.5),
        ("600", CRAWL_DELAY_SECONDS_MAX),
        ("soon", 0.0),
        ("-3", 0.0),
        ("inf", 0.0),
        ("nan", 0.0),
    ],
)
def test_crawl_delay_is_bounded(value: str, seconds: float) -> None:
    """A host may ask for patience, not for ever."""
    policy = RobotsPolicy(RobotsKind.RULES, f"User-agent: *\nCrawl-delay: {value}\n")

    assert seconds == policy.crawl_delay_seconds("FooBot")


def test_sitemaps_belong_to_no_group() -> None:
    """Sitemap lines count wherever they stand, once each."""
    text = "Sitemap: https://a.example/1.xml\nUser-agent: x\nDisallow: /\nsitemap: /2.xml\n" * 2

    assert ("https://a.example/1.xml", "/2.xml") == RobotsPolicy(RobotsKind.RULES, text).sitemaps()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example:8443/x/y?z", "https://a.example:8443/robots.txt"),
        ("http://[::1]/", "http://[::1]/robots.txt"),
    ],
)
def test_robots_txt_is_one_per_authority(url: str, expected: str) -> None:
    """RFC 9309 section 2.3: scheme, host and port together."""
    assert expected == robots_url(url)


@pytest.mark.parametrize(
    ("lines", "seconds"),
    [
        ("Request-rate: 1/10", 10.0),
        ("Request-rate: 6/1m", 10.0),
        ("Request-rate: 1/5m", 30.0),
        ("Request-rate: 1/10 0900-1700", 10.0),
        ("Request-rate: 1/2\nCrawl-delay: 4", 4.0),
        ("Request-rate: 0/5", 0.0),
        ("Request-rate: many", 0.0),
    ],
)
def test_request_rate_is_a_delay_and_bounded(lines: str, seconds: float) -> None:
    """The longer of Request-rate and Crawl-delay holds, at most 30 seconds."""
    policy = RobotsPolicy(RobotsKind.RULES, f"User-agent: *\n{lines}\n")

    assert seconds == policy.crawl_delay_seconds("FooBot")


def test_flood_of_wildcards_forbids_everything() -> None:
    """Each rule with wildcards is looked for in each URL, so that their number has a bound."""
    usual = "User-agent: *\n" + "".join(f"Disallow: /*a{n}$\n" for n in range(9_000))
    flood = "User-agent: *\n" + "".join(f"Disallow: /*a{n}*$\n" for n in range(22_000))
    policies = [robots_policy(fetched(text.encode())) for text in (usual, flood)]

    assert [RobotsKind.RULES, RobotsKind.DISALLOW_ALL] == [each.kind for each in policies]
    assert not policies[1].allowed("https://a.test/x", "Scops")
    asked = partial(policies[1].allowed, "https://a.test/x", "Scops")
    assert cpu_seconds(asked, enough=0.1) < 0.1
