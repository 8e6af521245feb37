"""Each command of the table of docs/sources.md does what it says, as it is written there.

Hosts of examples are stand-ins, and what stands in capitals is a name that they know.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scops.client import Scops
from tests.e2e.imports.ways import MAY, html
from tests.e2e.system import System
from tests.fakes.files.warc_files import WarcMaker
from tests.fakes.servers.github import NAME, SITE
from tests.fakes.servers.origin import Origin, running
from tests.fakes.servers.scholar import Scholar
from tests.fakes.servers.stackexchange import SITE as EXCHANGE
from tests.fakes.servers.stackexchange import URL as EXCHANGE_URL

GUIDE = Path(__file__).resolve().parents[3] / "docs/sources.md"
COMMAND = re.compile(r"`(scops [^`]+)`")
KEY = "c2NvcHMgaXMgdGVzdGVkIHdpdGggdGhpcyBrZXkgLi4="


def commands() -> list[str]:
    """Returns the commands of the table, in its order, each once."""
    rows = [line for line in GUIDE.read_text().splitlines() if line.startswith("|")]
    table = rows[: next(number for number, row in enumerate(rows) if "made by a program" in row)]
    found = [one for row in table for one in COMMAND.findall(row.split("|")[2])]
    return list(dict.fromkeys(found))


@pytest.fixture(scope="module")
def site() -> Iterator[Origin]:
    with running(Origin()) as origin:
        for path in ("/", "/plan"):
            origin.replace(path, html(f"Plan{len(path)}", "the guide", 17))
        yield origin


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the commands are run, with the files that they name."""
    at = tmp_path_factory.mktemp("guide")
    (at / "account.html").write_text(html("Account", "the guide", 18))
    (at / "token").write_text("swordfish")
    (at / "papers").mkdir()
    (at / "papers/plan.md").write_text("# Plan\n\nThe River plan costs 7 euros a month.\n")
    (at / "records.jsonl").write_text(json.dumps({"id": "1", "text": "Herons eat fish."}) + "\n")
    warc = WarcMaker()
    warc.response("https://docs.example.org/recorded", html("Warc", "the guide", 19).encode())
    warc.save(at / "crawl-1.warc.gz")
    return at


def stand_ins(site: Origin, servers: dict[str, tuple[Origin, Any]]) -> dict[str, str]:
    """Returns what is written in the guide, with what is asked in its place."""
    wiki, github, exchange, firecrawl = (
        servers[way][1] for way in ("mediawiki", "github", "stackexchange", "firecrawl")
    )
    wiki.save("Guide", MAY, "<p>The wiki of the guide costs nothing.</p>")
    github.commit("guide/plan.md", "# Plan\n\nThe boat plan costs 8 euros.", MAY)
    exchange.ask(4711, "A plan", MAY, "<p>What does the mill plan cost?</p>", "guide")
    firecrawl.pages = {"https://docs.example.org/": (200, html("Fire", "the guide", 20))}
    feed = servers["feed"][0]
    feed.replace("/feed.xml", "<rss version='2.0'><channel><title>Blog</title></channel></rss>")
    scholar = Scholar(site)
    paper = {"DOI": "10.1000/plan", "title": ["Plans of the guide"], "type": "journal-article"}
    scholar.answer("crossref", "works/10.1000/plan", {"message": paper})
    return {
        "papers add DOI": f"papers add 10.1000/plan --service crossref {' '.join(scholar.words())}",
        "https://wiki.example.org/w/api.php": wiki.url,
        "OWNER/REPO": f"{NAME} --server {github.url} --delay 0 --path 'guide/*'",
        "stackoverflow --tag TAG": f"{EXCHANGE} --tag guide --server {exchange.url} --delay 0",
        "https://blog.example.org/feed.xml": f"{feed.url}/feed.xml",
        "--mode crawl": f"--mode map --server {firecrawl.url}",
        "create docs --include": "create plan --include",
        "page:https://docs.example.org": f"page:{site.url}",
        "create docs https://docs.example.org": f"create docs {site.url}",
        "put docs https://docs.example.org": f"put docs {site.url}",
    }


def scopes(system: System, servers: dict[str, tuple[Origin, Any]]) -> None:
    """Makes the scopes that the guide makes elsewhere, or leaves to the reader."""
    wiki, feed = servers["mediawiki"][1], servers["feed"][0]
    for name, *rules in (
        ("papers", "file://papers"),
        ("wiki", "file://wiki", f"prefix:{wiki.origin.url}/wiki/"),
        ("qa", f"prefix:{EXCHANGE_URL}"),
        ("blog", f"prefix:{feed.url}"),
    ):
        included = [word for rule in rules for word in ("--include", rule)]
        assert 0 == system.run("scope", "create", name, *included).code


def test_each_command_of_the_table_works_as_it_is_written(
    tmp_path_factory: pytest.TempPathFactory,
    servers: dict[str, tuple[Origin, Any]],
    site: Origin,
    folder: Path,
) -> None:
    """On stand-ins; they follow each other, as in one installation."""
    settings = {"SCOPS_FETCHER_CREDENTIAL_KEYS": KEY, "FIRECRAWL_API_KEY": "fc-5f3c9a7b1d2e4f60"}
    with System(tmp_path_factory.mktemp("guided"), **settings) as system:
        scopes(system, servers)
        replaced = stand_ins(site, servers)
        ended = {}
        for command in commands():
            said = command
            for written, asked in replaced.items():
                said = said.replace(written, asked)
            ended[command] = run(said, system, folder)
            if said.startswith("scops scope create docs"):
                widened = [f"prefix:{one}" for one in (site.url, SITE, "https://docs.example.org")]
                words = [word for rule in widened for word in ("--include", rule)]
                assert 0 == system.run("scope", "update", "docs", *words).code
        with Scops(system.address) as scops:
            pages = {page.uri for page in scops.list_pages("docs")}
            others = {
                page.uri for name in ("papers", "wiki", "qa") for page in scops.list_pages(name)
            }

    assert len(ended) > 14
    assert {} == {command: done for command, done in ended.items() if done}
    assert {
        f"{site.url}/",
        "https://example.org/account",
        "https://docs.example.org/recorded",
        "https://docs.example.org/",
        f"{SITE}/blob/main/guide/plan.md",
    } <= pages
    assert {"file://papers/plan.md", "file://wiki/records.jsonl/1"} <= others


def run(command: str, system: System, folder: Path) -> str:
    """Runs a command as a shell does; returns what went wrong."""
    scops = f'scops() {{ "{sys.executable}" -m scops.standalone "$@"; }}\n'
    done = subprocess.run(
        ["bash", "-ec", scops + command],
        cwd=folder,
        env=system.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return "" if done.returncode == 0 else f"{done.returncode}: {done.stderr}{done.stdout}"
