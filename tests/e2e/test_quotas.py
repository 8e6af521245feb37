"""What somebody may have fetched in a day, held against what a site was asked for."""

from collections.abc import Callable

import pytest

from scops.client import Boundary, Exhausted, JobState, Scops
from tests.e2e.guarded import claimed
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running

PAGES = 200
PAGE_BYTES = 20_000
BYTES_PER_DAY = 5 * PAGE_BYTES
# So that the site is asked for a minute, if nothing ends it.
DELAY_SECONDS = 0.3
CRAWL_SECONDS = 200.0


def test_a_crawl_ends_with_the_bytes_of_the_day(new_system: Callable[..., System]) -> None:
    """It is cancelled on its way, what it took is told, and no other one begins."""
    system = new_system(
        SCOPS_GATEWAY_IDENTITY="required",
        SCOPS_GATEWAY_BYTES_PER_DAY=str(BYTES_PER_DAY),
        SCOPS_FETCHER_DELAYS=f"127.0.0.0/8={DELAY_SECONDS}",
    )
    with (
        running(Origin(validators=False)) as site,
        system,
        Scops(system.address, token=claimed(system)) as scops,
    ):
        fill(site)
        scops.create_scope("site", seeds=[f"{site.url}/"], boundary=Boundary.HOST)
        job = scops.wait_job(scops.crawl("site"), seconds=CRAWL_SECONDS).job
        asked = {one.path for one in site.requests if one.path.startswith("/page-")}
        used = {quota.name: quota.used for quota in scops.get_quotas()}
        with pytest.raises(Exhausted) as refused:
            scops.crawl("site")

    assert (JobState.CANCELLED, "DAILY_QUOTA_REACHED") == (job.state, job.cancel_reason)
    assert BYTES_PER_DAY // PAGE_BYTES <= len(asked) < PAGES // 2
    assert BYTES_PER_DAY <= used["bytes"] <= (len(asked) + 1) * 2 * PAGE_BYTES
    assert used["fetches"] <= len(asked) + 1
    assert "DAILY_QUOTA_REACHED" == refused.value.reason


def fill(site: Origin) -> None:
    """Puts pages of one size in, each with words of its own."""
    names = [f"page-{number}" for number in range(PAGES)]
    links = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in names)
    site.replace("/", f"<h1>Pages</h1><ul>{links}</ul>", type="text/html")
    for name in names:
        sentence = f"The price of {name} is {len(name)} euros, as {name} says. "
        text = f"<h1>{name}</h1><p>{sentence * (PAGE_BYTES // len(sentence))}</p>"
        site.replace(f"/{name}", text.ljust(PAGE_BYTES), type="text/html")
