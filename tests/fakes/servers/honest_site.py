"""A web site of plain pages, each of which answers one question."""

from tests.fakes.servers.origin import Origin

HONEST_PAGES = 30


def honest_site(number: int) -> Origin:
    """Returns a site each of whose pages says what no other one does."""
    origin = Origin()
    links = "".join(f'<li><a href="/{n}.html">Lamp {n}</a></li>' for n in range(HONEST_PAGES))
    origin.replace("/", f"<html><body><h1>Lamps {number}</h1><ul>{links}</ul></body></html>")
    for n in range(HONEST_PAGES):
        text = f"<p>Lamp number {n} burns for {n + 100} hours before its oil is used up.</p>"
        more = "".join(
            f"<p>Keeper {n} wrote line {m} of log {number} in the tower.</p>" for m in range(9)
        )
        origin.replace(f"/{n}.html", f"<html><body><h1>Lamp {n}</h1>{text}{more}</body></html>")
    return origin
