"""Unseen elements are taken out, and nothing else."""

import pytest

from tests.unit.extractor.pages import blocks_of


@pytest.mark.parametrize(
    "hidden",
    [
        '<span style="DISPLAY : none">no</span>',
        '<span style="visibility:hidden">no</span>',
        '<span style="color:red; font-size:0">no</span>',
        '<span style="opacity: 0;">no</span>',
        "<span hidden>no</span>",
        '<span class="x visually-hidden">no</span>',
        "<script>no</script>",
        "<style>no</style>",
        "<template>no</template>",
        "<noscript>no</noscript>",
        "<svg><text>no</text></svg>",
        "<dialog>no</dialog>",
        "<math><annotation>no</annotation></math>",
        "<math><mphantom><mi>no</mi></mphantom></math>",
        '<span class="katex-mathml"><math><mi>no</mi></math></span>',
        '<span aria-hidden="true">¶</span>',
    ],
)
def test_unseen_element_is_removed_and_its_tail_stays(hidden: str) -> None:
    """The text behind an unseen element belongs to what is seen."""
    assert [block.text for block in blocks_of(f"<p>a {hidden} b</p>")] == ["a b"]


@pytest.mark.parametrize(
    "seen",
    [
        '<span style="display:inline">yes</span>',
        '<span style="font-size:0.8em">yes</span>',
        '<span style="opacity:0.5">yes</span>',
        '<span style="fill-opacity:0">yes</span>',
        '<span class="hidden-treasure">yes</span>',
        '<span hidden="until-found">yes</span>',
        "<dialog open>yes</dialog>",
        '<span aria-hidden="true">words that are seen</span>',
        "<details><summary>yes</summary></details>",
    ],
)
def test_seen_element_stays(seen: str) -> None:
    """What only looks like hiding is kept."""
    text = " ".join(block.text for block in blocks_of(f"<p>a</p>{seen}"))

    assert "yes" in text or "seen" in text
