"""A site for tests of backups: pages with a fact each, behind one another, and what is asked."""

from tests.e2e.system import System
from tests.fakes.servers.origin import Origin

SCOPE = "harbours"
NAMES = ("Alder", "Birch", "Cedar", "Elder", "Hazel", "Larch", "Maple", "Rowan", "Tulip", "Yew")


def path_of(number: int) -> str:
    """Returns the path of a page."""
    return f"/harbour-{number}.html"


def harbour(number: int, *, berths: int | None = None) -> str:
    """Returns a page with a fact that no other page has."""
    name = f"{NAMES[number % len(NAMES)]} Harbour {number}"
    paragraphs = "".join(
        f"<p>Rule {rule} of {name}: boats longer than {rule + number} metres ask the harbour "
        f"master on channel {rule * 3 + number} before they enter the basin.</p>"
        for rule in range(1, 6)
    )
    berth_count = berths or number * 7 + 11
    return (
        f'<!doctype html><html lang="en"><head><title>{name}</title></head><body><main>'
        f"<h1>{name}</h1><p>{name} has {berth_count} berths for visiting boats.</p>{paragraphs}"
        f'<p><a href="{path_of(number + 1)}">The next harbour</a> lies to the north.</p>'
        "</main></body></html>"
    )


def serve(origin: Origin, pages: int) -> None:
    """Serves an index with links to every page."""
    links = "".join(f'<li><a href="{path_of(n)}">Harbour {n}</a></li>' for n in range(pages))
    origin.replace("/", f"<!doctype html><title>Harbours</title><h1>Harbours</h1><ul>{links}</ul>")
    for number in range(pages):
        origin.replace(path_of(number), harbour(number))
    # The last page leads nowhere.
    origin.remove(path_of(pages))


def check_answers(system: System, numbers: range, *, berths: int | None = None) -> None:
    """Asks for the fact of some pages: each answer quotes it, and each citation is exact."""
    for number in numbers:
        name = f"{NAMES[number % len(NAMES)]} Harbour {number}"
        answer = system.ask(f"How many berths for visiting boats has {name}?", SCOPE)
        wanted = f"{name} has {berths or number * 7 + 11} berths for visiting boats."
        assert any(wanted in citation.quote for citation in answer.citations), (name, answer)
        for citation in answer.citations:
            text = system.archived_text(citation.text_digest)
            assert text[citation.start : citation.end] == citation.quote
