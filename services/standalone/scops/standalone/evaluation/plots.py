"""Figures as small pictures (SVG) without scripts; the numbers stand in tables beside them."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

WIDTH, LEFT, RIGHT = 640, 190, 60
ROW, BAR, TOP, BOTTOM = 26, 12, 8, 28
CURVE_HEIGHT, CURVE_LEFT = 200, 60
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
POINTS_MAX = 400


def score_bars(scores: Mapping[str, Mapping[str, Any]]) -> str:
    """Returns a bar a measure, from 0 to 1, with its interval as a line over its end."""
    height = TOP + ROW * len(scores) + BOTTOM
    parts = [_axis(height)]
    for place, (name, figure) in enumerate(scores.items()):
        middle = TOP + ROW * place + ROW / 2
        low, high = (_across(share) for share in figure["interval"])
        end = _across(figure["mean"])
        parts += [
            _words(LEFT - 8, middle + 4, name, "end"),
            f'<rect class="bar" x="{LEFT}" y="{middle - BAR / 2:.1f}" width="{end - LEFT:.1f}" '
            f'height="{BAR}"/>',
            f'<path class="interval" d="M{low:.1f} {middle:.1f}H{high:.1f}"/>',
            _words(max(end, high) + 6, middle + 4, f"{figure['mean']:.3f}", "start"),
        ]
    return _picture(height, "Mean of each measure, with an interval of 95 %", parts)


def latency_curve(times: Mapping[str, Sequence[float]]) -> str:
    """Returns, for each kind of call, the share of questions that took no longer than so long."""
    most = max((max(each) for each in times.values() if each), default=0.0) or 1.0
    width, bottom = WIDTH - CURVE_LEFT - RIGHT, CURVE_HEIGHT - BOTTOM
    parts = [f'<path class="axis" d="M{CURVE_LEFT} {TOP}V{bottom}H{WIDTH - RIGHT}"/>']
    for share in SHARES:
        height = TOP + (1 - share) * (bottom - TOP)
        parts.append(_words(CURVE_LEFT - 8, height + 4, f"{share:.0%}", "end"))
        reached = CURVE_LEFT + share * width
        parts.append(_words(reached, CURVE_HEIGHT - 10, f"{share * most:.0f} ms", "middle"))
    for kind, (name, each) in enumerate(times.items()):
        ordered = _thinned(sorted(each))
        points = " ".join(
            f"{CURVE_LEFT + width * took / most:.1f},{TOP + (1 - share) * (bottom - TOP):.1f}"
            for took, share in ordered
        )
        parts.append(f'<polyline class="line kind-{kind}" points="{points}"/>')
        parts.append(
            f'<text class="kind-{kind}" x="{WIDTH - RIGHT}" y="{bottom - 10 - 18 * kind}" '
            f'text-anchor="end">{escape(name)}</text>'
        )
    return _picture(CURVE_HEIGHT, "Share of questions that took no longer", parts)


def _thinned(ordered: Sequence[float]) -> list[tuple[float, float]]:
    """Returns times with the share that is no longer, at most `POINTS_MAX`."""
    step = max(1, len(ordered) // POINTS_MAX)
    chosen = [*range(0, len(ordered), step), *([len(ordered) - 1] if ordered else [])]
    return [(ordered[at], (at + 1) / len(ordered)) for at in chosen]


def _axis(height: float) -> str:
    lines = "".join(
        f'<path class="axis" d="M{_across(s):.1f} {TOP}V{height - BOTTOM}"/>' for s in SHARES
    )
    return lines + "".join(
        _words(_across(share), height - 8, f"{share:g}", "middle") for share in SHARES
    )


def _across(share: float) -> float:
    return LEFT + min(1.0, max(0.0, share)) * (WIDTH - LEFT - RIGHT)


def _words(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{escape(words)}</text>'


def _picture(height: float, told: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(told)}">'
        f"<title>{escape(told)}</title>{''.join(parts)}</svg>"
    )
