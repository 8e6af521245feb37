"""Panels and boards as Grafana imports them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
PANELS_PER_LINE = 3
WIDTH, HEIGHT = 24 // PANELS_PER_LINE, 8
WINDOW = "$__rate_interval"


@dataclass(frozen=True, slots=True)
class Panel:
    """A graph: PromQL expressions by the legend of their series.

    Attributes:
        exemplars: whether points lead to traces.
    """

    title: str
    unit: str
    lines: tuple[tuple[str, str], ...]
    meaning: str = ""
    exemplars: bool = False


@dataclass(frozen=True, slots=True)
class Board:
    """A dashboard; a row is a concern, a panel is one question somebody asks in an incident."""

    name: str
    title: str
    rows: Mapping[str, tuple[Panel, ...]]


def panel(
    title: str, unit: str, *lines: tuple[str, str], meaning: str = "", exemplars: bool = False
) -> Panel:
    """Returns a graph; each line is (legend, expression)."""
    return Panel(title, unit, lines, meaning, exemplars)


def rate(metric: str, by: str = "", *, where: str = "") -> str:
    """Returns what happens in a second, by labels."""
    grouped = f"sum by ({by})" if by else "sum"
    return f"{grouped} (rate({metric}{where}[{WINDOW}]))"


def quantile(metric: str, by: str = "", *, share: float = 0.95, where: str = "") -> str:
    """Returns a quantile of a histogram, by labels."""
    labels = f"le, {by}" if by else "le"
    return f"histogram_quantile({share}, {rate(f'{metric}_bucket', labels, where=where)})"


def ratio(part: str, whole: str) -> str:
    """Returns one rate as a share of another."""
    return f"{rate(part)} / {rate(whole)}"


def rendered(board: Board) -> dict[str, Any]:
    """Returns a board as Grafana imports it."""
    return {
        "uid": f"scops-{board.name}",
        "title": f"Scops: {board.title}",
        "tags": ["scops"],
        "schemaVersion": 39,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "links": [{"type": "dashboards", "tags": ["scops"], "asDropdown": True, "title": "Scops"}],
        "templating": {
            "list": [{"name": "datasource", "type": "datasource", "query": "prometheus"}]
        },
        "panels": [{**each, "id": number} for number, each in enumerate(_laid_out(board), start=1)],
    }


def _laid_out(board: Board) -> Iterator[dict[str, Any]]:
    """Yields rows and their panels with their places."""
    top = 0
    for title, panels in board.rows.items():
        yield {
            "type": "row",
            "title": title,
            "collapsed": False,
            "panels": [],
            "gridPos": {"x": 0, "y": top, "w": 24, "h": 1},
        }
        top += 1
        for place, each in enumerate(panels):
            line, column = divmod(place, PANELS_PER_LINE)
            yield _graph(each, x=column * WIDTH, y=top + line * HEIGHT)
        top += -(-len(panels) // PANELS_PER_LINE) * HEIGHT


def _graph(each: Panel, *, x: int, y: int) -> dict[str, Any]:
    return {
        "type": "timeseries",
        "title": each.title,
        "description": each.meaning,
        "datasource": DATASOURCE,
        "gridPos": {"x": x, "y": y, "w": WIDTH, "h": HEIGHT},
        "fieldConfig": {"defaults": {"unit": each.unit, "min": 0}, "overrides": []},
        "options": {
            "legend": {"displayMode": "list", "placement": "bottom"},
            "tooltip": {"mode": "multi", "sort": "desc"},
        },
        "targets": [
            {
                "refId": chr(ord("A") + number),
                "datasource": DATASOURCE,
                "expr": expression,
                "legendFormat": legend,
                "exemplar": each.exemplars,
            }
            for number, (legend, expression) in enumerate(each.lines)
        ],
    }
