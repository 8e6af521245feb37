"""Coverage over fetches as a small curve (SVG), beside which the numbers stand in a table."""

from collections.abc import Sequence

from scops.gateway.adapters.research.text import percent
from scops.gateway.adapters.research.values import ReportLook

WIDTH, HEIGHT = 480, 200
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 14, 40
DOT = 4


def curve(looks: Sequence[ReportLook], *, covered_at: float) -> str:
    """Returns the curve; its height is coverage from 0 to 1, its width the pages chosen.

    Args:
        looks: at least one, in order.
        covered_at: coverage at which a line says that it is enough.
    """
    most = max(look.fetched for look in looks) or 1
    points = [(_across(look.fetched / most), _up(look.coverage), look) for look in looks]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{DOT}"><title>look {look.number}: {look.fetched} '
        f"pages, {percent(look.coverage)}</title></circle>"
        for x, y, look in points
    )
    enough = _up(covered_at)
    first, last = points[0][2], points[-1][2]
    told = (
        f"Coverage over {last.fetched} pages: {percent(first.coverage)} at the first look, "
        f"{percent(last.coverage)} at the last."
    )
    return (
        f'<svg class="curve" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-labelledby="curve-told"><title id="curve-told">{told}</title>'
        f'<path class="axis" d="M{LEFT} {TOP}V{_up(0.0):.1f}H{WIDTH - RIGHT}"/>'
        f'<path class="enough" d="M{LEFT} {enough:.1f}H{WIDTH - RIGHT}"/>'
        f"{_label(LEFT - 8, _up(1.0) + 5, '100 %', 'end')}"
        f"{_label(LEFT - 8, enough + 5, percent(covered_at), 'end')}"
        f"{_label(LEFT - 8, _up(0.0) + 5, '0 %', 'end')}"
        f"{_label(LEFT, HEIGHT - 14, '0 pages', 'start')}"
        f"{_label(WIDTH - RIGHT, HEIGHT - 14, f'{most} pages', 'end')}"
        f'<polyline class="line" points="{line}"/>{dots}</svg>'
    )


def _across(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _up(share: float) -> float:
    return TOP + (1.0 - share) * (HEIGHT - TOP - BOTTOM)


def _label(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{words}</text>'
