"""The first ten minutes: crawl a site, ask, let it change, crawl again, see what changed.

`make demo` runs it on the example site, `make demo URL=https://…` on a real one. It types the
same commands that a person would, and shows them.
"""

import argparse
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

from rich.console import Console
from rich.markup import escape

from examples.site_server import SiteServer

# Two seconds on an idle machine; half a minute and more where others keep it busy.
READY_SECONDS = 180
STOP_SECONDS = 30
console = Console(highlight=False)


class Demo:
    """A running system with its data in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        gateway, health = free_port(), free_port()
        self.environment = {
            **os.environ,
            "SCOPS_DATA_DIR": str(folder),
            "SCOPS_LOG_LEVEL": "error",
            "SCOPS_HEALTH_PORT": health,
            "SCOPS_GATEWAY_PORT": gateway,
            "SCOPS_GATEWAY_HTTP_PORT": "0",
            "SCOPS_COMMAND_ADDRESS": f"127.0.0.1:{gateway}",
        }
        self._up: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts every service in one process and waits until it is ready."""
        console.print("[bold green]$ scops up[/] &")
        self._up = subprocess.Popen(scops("up"), env=self.environment, stdout=subprocess.DEVNULL)
        limit = time.monotonic() + READY_SECONDS
        while not ready(self.environment["SCOPS_HEALTH_PORT"]):
            if self._up.poll() is not None:
                sys.exit("scops up ended; its last words stand above.")
            if time.monotonic() > limit:
                sys.exit(f"scops up was not ready within {READY_SECONDS} s; see `scops doctor`.")
            time.sleep(0.1)

    def stop(self) -> None:
        """Stops it as Ctrl-C would."""
        if self._up is None:
            return
        self._up.send_signal(signal.SIGINT)
        try:
            self._up.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._up.kill()

    def type(self, *words: str, may_fail: bool = False) -> None:
        """Shows a command, runs it and shows what it says."""
        # Escaped: a question may hold brackets.
        console.print(f"\n[bold green]$ scops {escape(shlex.join(words))}[/]", soft_wrap=True)
        ended = subprocess.run(scops("--output", "text", *words), env=self.environment)
        if ended.returncode and not may_fail:
            sys.exit(f"the command above ended with {ended.returncode}")


def main() -> None:
    """Runs the demonstration."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="", help="a real site instead of the example")
    parser.add_argument("--question", default="", help="what to ask the real site")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scops-demo-") as folder:
        demo = Demo(Path(folder))
        try:
            if options.url:
                real_site(demo, options.url, options.question)
            else:
                example_site(demo)
        except KeyboardInterrupt:
            sys.exit(130)
        finally:
            demo.stop()
    say("That was all of it; what the demo stored is removed again. Now yours:")
    console.print("  .venv/bin/scops up           starts everything on your own data")
    console.print("  make demo URL=https://…      does the above on a real site")
    console.print("  .venv/bin/scops mcp install claude-desktop   (or claude-code, cursor, vscode)")
    console.print("                               lets an assistant ask it: docs/api/mcp.md")


def example_site(demo: Demo) -> None:
    """The story of two editions."""
    site = SiteServer()
    site.start()
    demo.environment["SCOPS_FETCHER_ALLOWED_PRIVATE"] = "127.0.0.0/8:*"
    demo.environment["SCOPS_FETCHER_DELAYS"] = "127.0.0.0/8=0.02"
    demo.start()
    prices = f"{site.origin}/policies/prices.html"
    question = "How much does the River plan cost?"
    say(f"A small site is served at {site.origin}/. We name it as a scope and crawl it.")
    demo.type("scope", "create", "tarn", f"{site.origin}/")
    demo.type("crawl", "tarn", "--wait")
    say("Now we ask. Every sentence of the answer is a quote from one version of one page,")
    say("and the ranking explains itself.", more=True)
    demo.type("ask", question, "--scope", "tarn", "--explain")
    say("What the pages do not say is not answered.")
    demo.type("ask", "What is the capital of Peru?", "--scope", "tarn", may_fail=True)
    before = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    time.sleep(1.1)
    site.edition = 2
    site.answers.clear()
    say("The site publishes its second edition: a price, a rule, a release more, one fewer.")
    demo.type("crawl", "tarn", "--wait")
    pages = [status for path, status in site.answers if path.endswith((".html", "/"))]
    say(f"Of {len(pages)} pages that were asked for, {pages.count(304)} cost only a 304.")
    demo.type("ask", question, "--scope", "tarn")
    say(f"And as the site stood at {before}, before the edit:")
    demo.type("ask", question, "--scope", "tarn", "--as-of", before)
    say("Every version is kept, and any two can be compared.")
    demo.type("page", "history", prices)
    demo.type("page", "diff", prices)
    say("What changed on the whole site since then, the heaviest first, noise left out:")
    demo.type("changes", "tarn", "--since", before)
    site.stop()


def real_site(demo: Demo, url: str, question: str) -> None:
    """The same on a real site, politely: one request a second, 30 pages."""
    demo.start()
    name = (urlsplit(url).hostname or "site").replace(".", "-")
    demo.type("scope", "create", name, url, "--page-limit", "30")
    demo.type("crawl", name, "--wait")
    demo.type("page", "list", "--scope", name)
    asked = question or f"What is {urlsplit(url).hostname} about?"
    demo.type("ask", asked, "--scope", name, "--explain", may_fail=True)


def say(text: str, *, more: bool = False) -> None:
    """Prints a line of the story; `more` goes on with the one before."""
    console.print(f"{'' if more else chr(10)}[bold]{text}[/]", soft_wrap=True)


def free_port() -> str:
    """Returns a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def scops(*words: str) -> list[str]:
    """Returns the command line of `scops`."""
    return [sys.executable, "-m", "scops.standalone", *words]


def ready(port: str) -> bool:
    """Returns whether the system says that it is ready."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


if __name__ == "__main__":
    main()
